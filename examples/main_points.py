"""A question to one paper: python examples/main_points.py [LM]"""

import sys
from pathlib import Path

import dspy

import programs

PAPERS = Path(__file__).parents[1] / "datasets" / "space_biology" / "papers"

dspy.configure(lm=programs.LM(sys.argv[1] if len(sys.argv) > 1 else "extractive"))
qa = programs.load("main_points")
result = qa("How much bone did the femoral neck lose in flight?", programs.read(PAPERS / "PMC0000002.nxml"))
print(result.answer)
for citation in result.citations:
    for quote in citation.quotes:
        print(f"- {citation.verdict}: “{quote.quote}” ({citation.document_id}, characters {quote.start}–{quote.end})")
