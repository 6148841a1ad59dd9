"""Tables of Markdown as evidence; what else its reader makes of a source is in ``reading.yaml``."""

import pytest

from metrics.support.guards import vetoes
from programs.ingest.chunking import PASSAGES, chunk
from programs.ingest.markdown import read


def read_text(folder, text):
    path = folder / "paper.md"
    path.write_text(text, encoding="utf-8")
    return read(path)


@pytest.mark.slow
def test_comments_that_never_end_are_text_and_cost_no_time(tmp_path):
    document = read_text(tmp_path, "<!-- closed -->" + "<!-- " * 20_000)
    assert document.text == " ".join(["<!--"] * 20_000)


@pytest.mark.parametrize(
    "table",
    [
        "| Group | Relapsed |\n|---|---|\n| Drug | 12 |\n| Placebo | 20 |",
        "Group | Relapsed\n---|---\nDrug | 12\nPlacebo | 20",
        "<table><tr><td>Group</td><td>Relapsed</td></tr><tr><td>Drug</td><td>$1 2$</td></tr>"
        "<tr><td>Placebo</td><td>20</td></tr></table>",
        "<html><body><table>\n<tr><th>Group</th><th>Relapsed</th></tr>\n\n<tr><td>Drug</td><td>12</td></tr>\n\n"
        "<tr><td>Placebo</td><td>20</td></tr></table></body></html>",
        r"\begin{table}\begin{tabular}{l c} \hline Group & Relapsed \\ \hline Drug & \(12\) \\ Placebo & 20 \\ \hline"
        "\n\\end{tabular}\n\\end{table}",
    ],
)
def test_rows_of_tables_have_one_form_and_are_guarded(tmp_path, table):
    rows = "| Group | Relapsed |\n| Drug | 12 |\n| Placebo | 20 |"
    for text in (f"Table 1. Relapses\n\n{table}\n\nText.", f"{table}\n\nTable 1. Relapses\n\nText."):
        document = read_text(tmp_path, f"# A trial of zinc\n\n## Results\n\n{text}")
        assert f"Table 1. Relapses\n\n{rows}\n\nText." in document.text
    (_, passage) = chunk(document, PASSAGES)
    assert passage.text.endswith(rows)
    assert not vetoes("With placebo 20 relapsed, with the drug 12.", [passage.text])
    assert vetoes("With placebo 12 relapsed, with the drug 20.", [passage.text])
