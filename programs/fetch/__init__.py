"""Brings papers that are published in the open: JATS XML by PMCID, from Europe PMC or a mirror of it.

pmcids.py    which papers: arguments, lists, CSV files with links
pace.py      when the next request may go, and how long to wait after a failure
server.py    one article over HTTP: ask, follow, try again; the only file here that knows httpx
articles.py  a run: skip what is there, download, check, put in place, go on past what fails
errors.py    why a paper was not brought
"""
