"""Cutting a document into the passages that are indexed.

chunking = Chunking.parse("passages:200:0")
chunk(document, chunking)[0].id                      # "PMC12345::sec0::chunk0"
"""

from programs.ingest.chunking.document_chunks import chunk
from programs.ingest.chunking.policy import PASSAGES, SENTENCES, TOKENS, WORDS, Chunking

__all__ = ["PASSAGES", "SENTENCES", "TOKENS", "WORDS", "Chunking", "chunk"]
