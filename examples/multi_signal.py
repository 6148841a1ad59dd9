"""A question to a collection, with filters, and what the papers disagree on: python examples/multi_signal.py [LM]"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import dspy

import programs

PAPERS = Path(__file__).parents[1] / "datasets" / "space_biology" / "papers"

dspy.configure(lm=programs.LM(sys.argv[1] if len(sys.argv) > 1 else "extractive"))
with TemporaryDirectory() as folder, programs.Index.open(Path(folder, "papers.idx"), create=True) as index:
    index.add(programs.read(path) for path in sorted(PAPERS.iterdir()))
    qa = programs.load("multi_signal", index=index)
    result = qa("Does spaceflight reduce bone density in mice?", filters={"section": ["results", "abstract"]})
    print(result.answer)
    for conflict in result.conflicts:
        print("They disagree:", conflict.statement)
