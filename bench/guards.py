"""How often the guards are right when they speak: ``python -m bench.guards``.

Claims that people labelled, each against its passage: a veto of a supported claim is wrong. Only sets whose labels
concern every detail count: labels of citing sentences and of news leave numbers aside that no passage holds.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from rich.table import Table

from bench.corpora import rows
from bench.gates import Gate, report
from metrics.support.guards import vetoes
from programs.cli.console import stdout

DETAILED = ("handwritten", "factcg_doc", "summedits_scitldr")
LEAST_PRECISION = 0.95


def main() -> None:
    """Count for every rule what it refused, and what of that was supported."""
    spoke: defaultdict[str, Counter[str]] = defaultdict(Counter)
    supported = refused = 0
    for row in (row for name in DETAILED for row in rows(f"claims/{name}.jsonl")):
        given = [row["premise"], row.get("title", "")]
        found = {veto.rule for veto in vetoes(row["claim"], [row["premise"]], given=given)}
        for rule in found:
            spoke[rule][row["label"]] += 1
        supported += row["label"] == "supported"
        refused += bool(found) and row["label"] == "supported"
    table = Table("rule", "speaks", "supported all the same", "precision")
    wrong = total = 0
    for rule, labels in sorted(spoke.items()):
        count, false = labels.total(), labels["supported"]
        wrong, total = wrong + false, total + count
        table.add_row(rule, str(count), str(false), f"{1 - false / count:.3f}")
    stdout().print(table)
    stdout().print(f"Of {supported} supported claims {refused} are refused.")
    report([Gate("precision of all guards", 1 - wrong / total, at_least=LEAST_PRECISION)])


if __name__ == "__main__":
    main()
