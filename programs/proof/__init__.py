"""Proving a sentence: a model proposes quotes, the program trusts none of them.

    quotes     does a quote stand in its passage, and where is the whole sentence that holds it?
    proving    quotes → places → guards → checker → a verdict, with who judged

Nothing here asks a language model: what one said comes in as a ``ModelProof``, and the same proof always gets the same
verdict, so that a saved answer can be replayed.
"""
