"""Papers as entries of reference lists: BibTeX, RIS and CSL-JSON, written and read.

items.py    a paper as a CSL-JSON item, the form that the others are made from
files.py    refs.bib, refs.ris, refs.json
pandoc.py   an answer as Markdown with pandoc's keys, and as DOCX
"""
