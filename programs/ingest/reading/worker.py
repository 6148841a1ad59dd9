"""A process that reads papers for another one: paths come in and documents go out, as JSON, one a line.

    "papers/bone.xml"        {"document": {"id": "bone", …}}
    "papers/empty.txt"       {"error": "EmptyFile", "path": "papers/empty.txt", "reason": "…", "action": "…"}

``side_by_side`` starts it. It ends when its input does, so none outlives the process that it reads for.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from programs.errors import IngestError
from programs.ingest.reader import read
from programs.ingest.reading.budget import limit_memory


def main() -> None:
    """Answer every line of the standard input."""
    limit_memory()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes; the one that is read for ends this one
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # what a library prints must not stand among the answers
    for line in sys.stdin:
        answers.write(json.dumps(answer(Path(json.loads(line)))) + "\n")
        answers.flush()


def answer(path: Path) -> dict[str, Any]:
    """What is said of a file: its document, or the error; ``side_by_side`` reads it."""
    try:
        return {"document": read(path).as_dict()}
    except IngestError as error:
        return {"error": type(error).__name__, "path": error.path, "reason": error.reason, "action": error.action}


if __name__ == "__main__":
    main()
