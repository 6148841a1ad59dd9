"""A model's name with options: ``ollama/gpt-oss?num_predict=8000&think=low``, as runs and results keep it.

On the command line: ``--lm ollama/gpt-oss --lm-option num_predict=8000 --lm-option think=low``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from programs.errors import UsageError

# Others on the machine see a command line, and runs keep it.
_SECRET = frozenset({"api_key", "aws_secret_access_key", "azure_ad_token"})
# Objects of a program, not values.
_OF_CODE = frozenset({"callbacks", "engine", "async_engine", "launch_kwargs", "train_kwargs", "provider", "providers"})


def with_options(name: str, options: Sequence[str] | None, flag: str = "--lm-option") -> str:
    """The name of a model with ``NAME=VALUE`` options; a later one wins.

    Raises:
        UsageError: One is not of that form, or is not to be given on a command line.
    """
    bare, given = split_options(name)
    for text in options or ():
        option, equals, value = text.partition("=")
        option = option.strip()
        if not equals or not option.isidentifier() or not value.strip():
            raise UsageError(f"{flag} got {text!r}; write NAME=VALUE, such as num_predict=8000 or think=low")
        if not name:
            raise UsageError(f"{flag} {text} names an option of no model; name the model too, with {flag[:-7]}")
        _check_allowed(option)
        given[option] = _value(value.strip())
    texts = {option: value if isinstance(value, str) else json.dumps(value) for option, value in given.items()}
    return f"{bare}?{urlencode(texts, quote_via=quote, safe=':/,')}" if texts else bare


def split_options(name: str) -> tuple[str, dict[str, Any]]:
    """A model's name, and its options as values: numbers, true and false, else text."""
    bare, _, text = name.partition("?")
    options = {option: _value(value) for option, value in parse_qsl(text)}
    for option in options:
        _check_allowed(option)
    return bare, options


def _check_allowed(option: str) -> None:
    if option in _SECRET:
        raise UsageError(f"{option} is a secret, which others would see here; set it in the environment of the model")
    if option in _OF_CODE:
        raise UsageError(f"{option} is not an option of a name; give it in Python, with programs.LM(name, {option}=…)")


def _value(text: str) -> Any:  # noqa: ANN401 - a JSON value
    try:
        return json.loads(text)
    except ValueError:
        return {"True": True, "False": False}.get(text, text)
