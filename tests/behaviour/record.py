"""Write down what comes out of the net's rows today.

    python -m tests.behaviour.record                          every kind: fills rows that have no outcome, shows differences
    python -m tests.behaviour.record programs retrieval       these kinds
    python -m tests.behaviour.record programs --accept        takes over what differs; review the diff
    python -m tests.behaviour.record programs --only French   rows whose id holds the text
    python -m tests.behaviour.record replay --make            saves the answers of ``replay/`` anew

A row of ``must`` is never written: it is the author's word. Exit code 1 when something differs and was not accepted.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from programs.retrieval.index import Index
from tests.behaviour.bundled import make_index
from tests.behaviour.outcomes import of_program, of_replay, of_retrieval
from tests.behaviour.rows import Row, differences, rows, write

KINDS: dict[str, Callable[[Row, Index], Row]] = {
    "programs": of_program,
    "retrieval": of_retrieval,
    "replay": of_replay,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", choices=[*KINDS, []])
    parser.add_argument("--accept", action="store_true", help="write down what differs, too")
    parser.add_argument("--only", default="", help="rows whose id holds this text")
    parser.add_argument("--make", action="store_true", help="save the answers of replay/ anew")
    parser.add_argument("--index", type=Path, help="an index of the bundled papers, instead of a new one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = options.index or make_index(Path(folder) / "space.idx")
        with Index.open(place) as index:
            if options.make:
                from tests.behaviour.saved_answers import save_all

                save_all(index)
            found = [recorded(kind, index, options.only, accept=options.accept) for kind in options.kinds or KINDS]
    sys.exit(int(any(found)))


def recorded(kind: str, index: Index, only: str, *, accept: bool) -> int:
    """Fill the rows of a kind; the number of those that differ and were not accepted."""
    found, differing = rows(kind), 0
    for row in found:
        if only not in row["id"]:
            continue
        started = time.perf_counter()
        today = KINDS[kind](row, index)
        print(f"{time.perf_counter() - started:6.2f} s  {row['id']}", flush=True)
        changed = differences(row["today"], today) if "today" in row else []
        if changed:
            print("\n".join(changed), flush=True)
        if accept or "today" not in row:
            row["today"] = today
            write(kind, found)
        else:
            differing += bool(changed)
    return differing


if __name__ == "__main__":
    main()
