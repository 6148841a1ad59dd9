"""Runs a command line as a user does, but in this process, where the model is loaded once for all tests."""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch


@dataclass(frozen=True)
class Ran:
    """What a command printed, and how it ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)


def run(*arguments: str | Path, module: str = "programs.cli.app", entry: str = "main") -> Ran:
    """Call the module's entry with these arguments; an exception that it lets through fails the test."""
    stdout, stderr = io.StringIO(), io.StringIO()
    argv = [module, *map(str, arguments)]
    with patch.object(sys, "argv", argv), redirect_stdout(stdout), redirect_stderr(stderr):
        try:
            getattr(import_module(module), entry)()
        except SystemExit as done:
            code = done.code if isinstance(done.code, int) else int(done.code is not None)
    return Ran(code, stdout.getvalue(), stderr.getvalue())
