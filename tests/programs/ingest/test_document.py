from programs.ingest.document import Document, Section


def test_the_evidence_text_leaves_out_references_and_notices_with_their_headings():
    parts = "Density fell.|Published 2017.|Results|It fell by half.|References|1. Smith 2001.|Funding|None."
    text = parts.replace("|", "\n\n")
    spans = (
        ("", "other", "Density fell."),
        ("", "notice", "Published 2017."),
        ("Results", "results", "It fell by half."),
        ("References", "references", "1. Smith 2001."),
        ("Funding", "other", "None."),
    )
    sections = tuple(
        Section(heading, kind, text.index(body), text.index(body) + len(body)) for heading, kind, body in spans
    )
    found = Document("P1", text, sections=sections).evidence_text
    assert found.split("\n\n") == ["Density fell.", "Results", "It fell by half.", "Funding", "None."]


def test_a_document_of_references_alone_is_read_whole():
    text = "1. Smith 2001."
    assert Document("P1", text, sections=(Section("", "references", 0, len(text)),)).evidence_text == text
