"""A question to one paper: python examples/main_points.py [LM]"""

import sys
from pathlib import Path

import dspy

import programs
from programs.ingest.reader import read

PAPERS = Path(__file__).parents[1] / "datasets" / "space_biology" / "papers"

dspy.configure(lm=programs.LM(sys.argv[1] if len(sys.argv) > 1 else "extractive"))
qa = programs.load("main_points")
result = qa(question="How much bone did the femoral neck lose in flight?", paper=read(PAPERS / "PMC0000001.md"))
print(result.answer)
for citation in result.citations:
    print(f"- {citation.verdict} ({citation.judge}): {' … '.join(quote.text for quote in citation.quotes)}")
