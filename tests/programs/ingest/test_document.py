from programs.ingest.document import Document, Section


def test_the_evidence_text_leaves_out_references_and_notices_with_their_headings():
    text = "Density fell.\n\nPublished 2017.\n\nResults\n\nIt fell by half.\n\nReferences\n\n1. Smith 2001.\n\nFunding\n\nNone."
    spans = [("", "other", "Density fell."), ("", "notice", "Published 2017."), ("Results", "results", "It fell by half."),
             ("References", "references", "1. Smith 2001."), ("Funding", "other", "None.")]  # fmt: skip
    sections = tuple(
        Section(heading, kind, text.index(body), text.index(body) + len(body)) for heading, kind, body in spans
    )
    found = Document("P1", text, sections=sections).evidence_text
    assert found.split("\n\n") == ["Density fell.", "Results", "It fell by half.", "Funding", "None."]


def test_a_document_of_references_alone_is_read_whole():
    text = "1. Smith 2001."
    assert Document("P1", text, sections=(Section("", "references", 0, len(text)),)).evidence_text == text
