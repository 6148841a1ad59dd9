"""Write down what comes out of the net's rows today.

    python -m tests.behaviour.record                          every kind: fills rows without outcome, shows differences
    python -m tests.behaviour.record programs retrieval       these kinds
    python -m tests.behaviour.record programs --accept        takes over what differs; review the diff
    python -m tests.behaviour.record programs --only French   rows whose id holds the text
    python -m tests.behaviour.record messages                 prints the messages that do not say what they must
    python -m tests.behaviour.record replay --save            saves the answers of ``replay/`` anew

What stands under ``must`` is never written: it is the author's word. Exit code 1 when something differs that was not
accepted, or a message is not as it must be.
"""

from __future__ import annotations

import argparse
import functools
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from programs.retrieval.index import Index
from tests.behaviour.bad_input import lay_out
from tests.behaviour.bundled import make_index
from tests.behaviour.outcomes import of_finding, of_message, of_program, of_replay, of_retrieval
from tests.behaviour.rows import Row, differences, rows, unsaid, write
from tests.behaviour.saved_answers import save_all

ON_PAPERS: dict[str, Callable[[Row, Index], Row]] = {
    "programs": of_program,
    "retrieval": of_retrieval,
    "findings": of_finding,
    "replay": of_replay,
}
KINDS = (*ON_PAPERS, "messages")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"one of {', '.join(KINDS)}; all if none is named")
    parser.add_argument("--accept", action="store_true", help="write down what differs, too")
    parser.add_argument("--only", default="", help="rows whose id holds this text")
    parser.add_argument("--save", action="store_true", help="save the answers of replay/ anew")
    parser.add_argument("--index", type=Path, help="an index of the bundled papers, instead of a new one")
    options = parser.parse_args()
    kinds = options.kinds or KINDS
    if unknown := set(kinds) - set(KINDS):
        parser.error(f"no kind {', '.join(unknown)}; the kinds are {', '.join(KINDS)}")
    with tempfile.TemporaryDirectory() as folder:
        differing = unmet(Path(folder), options.only) if "messages" in kinds else 0
        if on_papers := [each for each in ON_PAPERS if each in kinds]:
            differing += _recorded(on_papers, options.index or make_index(Path(folder) / "space.idx"), options)
    sys.exit(int(differing > 0))


def _recorded(kinds: Sequence[str], place: Path, options: argparse.Namespace) -> int:
    with Index.open(place) as index:
        if options.save:
            save_all(index)
        return sum(
            recorded(kind, functools.partial(ON_PAPERS[kind], index=index), options.only, accept=options.accept)
            for kind in kinds
        )


def recorded(kind: str, outcome: Callable[[Row], Row], only: str, *, accept: bool) -> int:
    """Fill the rows of a kind; the number of those that differ and were not accepted."""
    found, differing = rows(kind), 0
    for row in (each for each in found if only in each["id"]):
        started = time.perf_counter()
        today = outcome(row)
        print(f"{time.perf_counter() - started:6.2f} s  {row['id']}", flush=True)
        if changed := differences(row["today"], today) if "today" in row else []:
            print("\n".join(changed), flush=True)
        if accept or "today" not in row:
            row["today"] = today
            write(kind, found)
        else:
            differing += bool(changed)
    return differing


def unmet(folder: Path, only: str) -> int:
    """Print the messages that do not say what they must; their number."""
    places, count = lay_out(folder), 0
    for row in (each for each in rows("messages") if only in each["id"]):
        found = of_message(row, places)
        if missing := unsaid(row["must"], found):
            count += 1
            print(f"{row['id']}\n  lacks {missing}\n  found {found}", flush=True)
    return count


if __name__ == "__main__":
    main()
