"""From a question to passages: embedding, the index and its stores, fusion, filters."""
