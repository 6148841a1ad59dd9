"""Whether readable papers differ from gibberish, and where the limits of `programs.ingest.readability` come from.

    python -m bench.readability             # false alarms and misses
    python -m bench.readability --derive    # writes programs/ingest/english_neighbours.tsv anew

The limits were chosen on the JATS of the 36 papers in `pdfs` and on what the reader of PDF made of them when it was
faulty (commit a38bf8d). What is reported is measured on other papers: trials as their JATS has them and papers on
language processing, and gibberish made of them in the ways in which readers of PDF go wrong. Beside them are the 36
as they are read now. The neighbours are counted in trials of two benchmarks, which are CC BY or CC0, so trials are not
new to that one sign; the papers on language processing are new to all.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from bench.corpora import needs_benchmarks, rows
from bench.gates import Gate, report
from programs.errors import IngestError
from programs.ingest import readability
from programs.ingest.document import Document
from programs.ingest.formats import read_all
from programs.ingest.plain_text import document_of
from programs.ingest.readability import Readability, judge, judge_document
from tests.benchmarks import BENCHMARKS

COMMONEST = 80
"""Words among which those that all subjects have are chosen."""
FUNCTION_WORDS = frozenset(
    """a after all also an and are as at be been between both by during each for from had has have in is it may more no
    not of on or our than that the their there these this to up was we were which who with""".split()  # noqa: SIM905
)
UNUSUAL = -1.0
"""Pairs with a pointwise mutual information (natural logarithm) below this do not belong together."""
TABLE = Path(readability.__file__).with_name("english_neighbours.tsv")
SEED = 11
LINE = 9
"""Words of a line of a column."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--derive", action="store_true")
    options = parser.parse_args()
    needs_benchmarks()
    if options.derive:
        derive()
        return
    sys.exit(not report([*gates()]))


def gates() -> Iterator[Gate]:
    """False alarms on readable papers, and how much of the gibberish passes for readable."""
    processing = [document_of(row["paper"], "qasper") for row in rows("qasper/papers_qa.jsonl")]
    trials = papers("evidence_inference/nxml/*.*ml")
    for name, documents in (("papers on language", processing), ("trials", trials), ("PDFs", papers("pdfs/*.pdf"))):
        judged = [judge_document(document) for document in documents]
        yield Gate(f"{len(judged)} {name}: called unreadable", share(judged, "unreadable"), at_most=0)
        yield Gate(f"{len(judged)} {name}: called doubtful", share(judged, "doubtful"), at_most=0.05)
    for name, spoil in WAYS.items():
        texts = [document.text for document in (*processing, *trials[:20])]
        judged = [judge(spoil(text, random.Random(SEED + place))) for place, text in enumerate(texts)]
        most = None if name in UNSEEN else 0.05
        yield Gate(f"{len(judged)} with {name}: called readable", share(judged, "readable"), at_most=most)


def papers(pattern: str) -> list[Document]:
    results = read_all(sorted(BENCHMARKS.glob(pattern)))
    return [result for result in results if not isinstance(result, IngestError)]


def share(judged: list[Readability], verdict: str) -> float:
    return sum(each.verdict == verdict for each in judged) / len(judged)


def torn(text: str, chance: random.Random) -> str:
    """A space after a third of the letters."""
    return "".join(f"{letter} " if letter.isalpha() and chance.random() < 1 / 3 else letter for letter in text)


def joined(text: str, chance: random.Random) -> str:
    """Without four fifths of the spaces."""
    return "".join(letter for letter in text if letter != " " or chance.random() < 1 / 5)


def shifted(text: str, chance: random.Random) -> str:
    """As a font without a character map prints: each letter 29 places further down, as glyphs are in most fonts."""
    return "".join(chr(ord(letter) - 29) if letter.isalpha() and letter.isascii() else letter for letter in text)


def substituted(text: str, chance: random.Random) -> str:
    """As a font with a wrong character map prints."""
    letters = list("abcdefghijklmnopqrstuvwxyz")
    chance.shuffle(letters)
    return text.lower().translate(str.maketrans("abcdefghijklmnopqrstuvwxyz", "".join(letters)))


def private(text: str, chance: random.Random) -> str:
    """As a font prints whose character map leads into the private area."""
    return "".join(chr(0xE000 + ord(letter)) if letter.isalpha() and letter.isascii() else letter for letter in text)


def columns_mixed(text: str, chance: random.Random) -> str:
    """The lines of two columns in turns."""
    lines = _lines(text)
    middle = len(lines) // 2
    pairs = itertools.zip_longest(lines[:middle], lines[middle:], fillvalue="")
    return "\n".join(line for pair in pairs for line in pair)


def lines_mixed(text: str, chance: random.Random) -> str:
    """The words of two neighbouring lines in turns, as by their height on the page."""
    lines = _lines(text)
    mixed = []
    for first, second in zip(lines[::2], lines[1::2], strict=False):
        words = itertools.zip_longest(first.split(), second.split(), fillvalue="")
        mixed.append(" ".join(word for pair in words for word in pair if word))
    return "\n".join(mixed)


def _lines(text: str) -> list[str]:
    words = text.split()
    return [" ".join(words[place : place + LINE]) for place in range(0, len(words), LINE)]


WAYS: Mapping[str, Callable[[str, random.Random], str]] = {
    "letters torn apart": torn,
    "words run together": joined,
    "letters shifted": shifted,
    "letters substituted": substituted,
    "private characters": private,
    "lines mixed": lines_mixed,
    "columns mixed": columns_mixed,
}
UNSEEN = frozenset({"columns mixed"})
"""What the signs mostly miss: only where lines meet, one word in nine, are words in a wrong order."""


def derive() -> None:
    """Count which of the commonest words are side by side more often than one in e of what chance would bring."""
    texts = [readability._TOKEN.findall(text.lower()) for text in trials()]
    counts = Counter(token for text in texts for token in text)
    common = [word for word, _ in counts.most_common() if word.isalpha() and (len(word) > 1 or word == "a")][:COMMONEST]
    words = [word for word in common if word in FUNCTION_WORDS]
    pairs = Counter(pair for text in texts for pair in itertools.pairwise(text))
    total = counts.total()

    def is_usual(one: str, other: str) -> bool:
        expected = counts[one] * counts[other] / total
        return math.log((pairs[one, other] + 0.5) / (expected + 0.5)) >= UNUSUAL

    rows = [f"{one}\t{' '.join(other for other in words if is_usual(one, other))}" for one in words]
    head = (
        f"# The {len(words)} function words among the {COMMONEST} commonest words of {len(texts)} trials (CC BY, CC0), "
        "and which follow each."
    )
    TABLE.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    print(f"{TABLE.name}: {len(rows)} words, {sum(len(row.split()) - 1 for row in rows)} pairs, {total} tokens")


def trials() -> Iterator[str]:
    for path in sorted((BENCHMARKS / "evidence_inference" / "txt").glob("*.txt")):
        yield path.read_text("utf-8")
    for row in rows("trials_train/papers.jsonl"):
        yield "\n".join(passage["text"] for passage in row["passages"])


if __name__ == "__main__":
    main()
