"""A draft from a concept, every citation checked: python examples/paper_writer.py [LM]"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import dspy

import programs
from programs.ingest.chunking import Chunking
from programs.paper_writer.concept import read_concept

PAPERS = Path(__file__).parents[1] / "datasets" / "space_biology" / "papers"

CONCEPT = PAPERS.parents[2] / "programs" / "paper_writer" / "example" / "concept.yaml"
CHUNKS = Chunking("tokens", 500, 100)

dspy.configure(lm=programs.LM(sys.argv[1] if len(sys.argv) > 1 else "extractive"))
with (
    TemporaryDirectory() as folder,
    programs.Index.open(Path(folder, "papers.idx"), create=True, chunking=CHUNKS) as index,
):
    index.add(programs.read(path) for path in sorted(PAPERS.iterdir()))
    write = programs.load("paper_writer", index=index)
    result = write(concept=read_concept(CONCEPT), output=Path(folder, "draft"))
    print(Path(folder, "draft", "draft.md").read_text(encoding="utf-8")[:1500])
    print(f"{len(result.citations)} citations, {len(result.unsupported)} of them weak")
