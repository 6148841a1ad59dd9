"""A question to a collection, answered as a summary and bullets: python examples/rag_fusion.py [LM]"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import dspy

import programs

PAPERS = Path(__file__).parents[1] / "datasets" / "space_biology" / "papers"

dspy.configure(lm=programs.LM(sys.argv[1] if len(sys.argv) > 1 else "extractive"))
with TemporaryDirectory() as folder, programs.Index.open(Path(folder, "papers.idx"), create=True) as index:
    index.add(programs.read(path) for path in sorted(PAPERS.iterdir()))
    qa = programs.load("rag_fusion", index=index)
    result = qa("Does spaceflight reduce bone density in mice?")
    print(result.answer)
    print("Searched for:", *result.queries, sep="\n- ")
