"""Open-access papers as JATS XML by PMCID, from Europe PMC or a mirror of it.

server.py    one article over HTTP: request, redirects, pace and retries; the only file here that knows httpx
articles.py  a run: which papers, which are there already, download, check, put in place
"""
