"""`evidence_table`: papers × questions, each cell proved by a passage of its paper or "not reported".

table.yaml ─→ columns ┐
papers.idx ─→ rows ───┴→ a cell each: search inside the paper → one question → value, sentence, quotes → certificate
                          journal in the output folder → table.json, CSV, XLSX, Markdown, HTML
"""
