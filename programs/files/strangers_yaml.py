"""Reads YAML of strangers: plain values only, without aliases, no more than so many characters.

Aliases are refused because a few bytes of them stand for gigabytes, and what PyYAML raises besides its own errors
(``IndexError`` for "!!int ''", ``KeyError`` for "!!bool x") is one error here.
"""

from __future__ import annotations

from typing import Any

import yaml


class _PlainLoader(yaml.SafeLoader):
    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.composer.ComposerError(None, None, "aliases are not read", None)
        return super().compose_node(parent, index)


def plain_values(text: str, most: int) -> Any:  # noqa: ANN401 - any YAML value
    """The values of a YAML text.

    Args:
        text: One YAML document.
        most: Characters at most.

    Raises:
        ValueError: It is longer, is no YAML, or holds an alias, a tag that is not plain YAML or a value that its tag
            does not allow; the message is one line.
    """
    if len(text) > most:
        raise ValueError(f"it has {len(text)} characters, more than {most}")
    try:
        return yaml.load(text, Loader=_PlainLoader)  # noqa: S506 - a safe loader, see above
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, TypeError) as error:
        raise ValueError(" ".join(f"{error}".split()) or type(error).__name__) from error
