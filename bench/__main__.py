"""Runs benchmarks, each in a separate process.

python -m bench                      # all that take minutes rather than hours, and need no rights to mount disks
python -m bench checker findings     # some
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
NOT_BENCHES = ("__main__", "corpora", "gates", "perturbations")
ARGUMENTS = {"index_readers": ["--only", "writer"]}
NAMED_ALONE = ("benchmarks_table", "evidence_tables", "hard_ends", "qasper_answers")
"""Those that are only run when they are named."""


def about(name: str) -> str:
    """The first line of a bench's docstring."""
    text = FOLDER.joinpath(f"{name}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").splitlines()[0]


def main() -> None:
    """Run those that are named, or all."""
    benches = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in NOT_BENCHES)
    parser = argparse.ArgumentParser(prog="python -m bench", description="Run benchmarks, all where none is named.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(benches))
    names = parser.parse_args().names
    if unknown := set(names) - set(benches):
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}; there are {', '.join(benches)}")
    missed = []
    for name in names or [each for each in benches if each not in NAMED_ALONE]:
        print(f"\n== {name}: {about(name)} ==", flush=True)
        arguments = [] if names else ARGUMENTS.get(name, [])
        if subprocess.run([sys.executable, "-m", f"bench.{name}", *arguments], check=False).returncode != 0:
            missed.append(name)
    if missed:
        print(f"\nMissed or failed: {', '.join(missed)}")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
