"""Parts of the project that need libraries beyond the core, and what installs them.

    pip install 'corroborate-papers[serve]'

The core asks, verifies, indexes and compiles with the default models. ``pyproject.toml`` lists what each extra brings.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from programs.errors import MissingExtra

EXTRAS: Mapping[str, tuple[str, ...]] = {
    "models": ("torch", "sentence_transformers", "onnx"),
    "serve": ("fastapi", "uvicorn", "PIL"),
    "qdrant": ("qdrant_client",),
    "tune": ("optuna",),
    "hub": ("datasets",),
    "litellm": ("litellm",),
    "docx": ("mammoth",),
    "ocr": ("rapidocr",),
    "tables": ("openpyxl",),
    "references": ("bibtexparser", "rispy"),
    "mcp": ("mcp",),
}
"""By extra, the modules that it is there for."""


def lacking(extra: str) -> tuple[str, ...]:
    """The modules of an extra that are not installed; nothing is imported."""
    return tuple(module for module in EXTRAS[extra] if not is_installed(module))


def is_installed(module: str) -> bool:
    """Whether a module could be imported; a bare folder of its name, as ``datasets/`` of a checkout, is none."""
    spec = find_spec(module)
    return spec is not None and spec.origin is not None


def require(extra: str, what: str, *modules: str) -> None:
    """Make sure that an extra is installed, before work is begun that would end without it.

    Args:
        extra: A name of ``EXTRAS``.
        what: What needs it, as the beginning of a sentence: "`serve`".
        *modules: Those of the extra that are needed; without any, all.

    Raises:
        MissingExtra: It is not; the message says how to install it.
    """
    missing = [module for module in lacking(extra) if not modules or module in modules]
    if missing:
        raise MissingExtra(
            f"{what} needs {' and '.join(missing)}, not installed here; "
            f"add it with: pip install 'corroborate-papers[{extra}]'"
        )
