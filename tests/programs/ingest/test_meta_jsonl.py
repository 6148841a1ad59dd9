"""The records have the schema's keys, each filled from the right place."""

from programs.ingest.builder import DocumentBuilder
from programs.ingest.chunking import WORDS, chunk
from programs.ingest.meta_jsonl import records

KEYS = [
    "id",
    "pmcid",
    "title",
    "type",
    "section_title",
    "figure_label",
    "figure_caption",
    "figure_tileshop",
    "figure_image_urls",
    "text",
]


def test_one_record_a_chunk_with_every_key():
    builder = DocumentBuilder()
    builder.add_section("Results")
    builder.add_paragraph("Mice grew.")
    builder.add_figure("Figure 2", "Weight.", image_urls=["https://x/2.jpg"], tileshop="https://t/2")
    document = builder.build(id="PMC1", pmcid="PMC1", title="Mice")
    section, figure = records(document, chunk(document, WORDS))
    assert list(section) == list(figure) == KEYS
    assert section == {
        "id": "PMC1::sec0::chunk0",
        "pmcid": "PMC1",
        "title": "Mice",
        "type": "section",
        "section_title": "Results",
        "figure_label": "",
        "figure_caption": "",
        "figure_tileshop": "",
        "figure_image_urls": [],
        "text": "Mice grew.",
    }
    assert (figure["id"], figure["type"], figure["section_title"]) == ("PMC1::fig2", "figure", "Results")
    assert (figure["figure_label"], figure["figure_caption"]) == ("Figure 2", "Weight.")
    assert (figure["figure_tileshop"], figure["figure_image_urls"]) == ("https://t/2", ["https://x/2.jpg"])
