"""Papers as entries of reference lists, and answers with citations of them.

refs.bib, refs.ris, refs.json                       made from CSL-JSON items (citationstyles.org)
answer.md with pandoc's citation keys                "Femur density fell by 12 % [@PMC1234567; @PMC7654321]."
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from programs.errors import UsageError
from programs.ingest.document import BY_OCR, Document

Item: TypeAlias = dict[str, Any]
"""A CSL-JSON item."""

OF_METADATA = {"volume": "volume", "issue": "issue", "publisher": "publisher", "issn": "ISSN", "pmid": "PMID"}
_DOI_ADDRESS = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)


def references_of(
    result: Mapping[str, Any], document: Callable[[str], Document], keys: Mapping[str, str]
) -> dict[str, Item]:
    """The papers whose passages a result as JSON has, by id, each as an item with its key."""
    papers = dict.fromkeys(each["document_id"] for each in result["passages"])
    return {each: item_of(document(each), keys[each]) for each in papers}


def cited(result: Mapping[str, Any]) -> list[Item]:
    """The items of a result with its ``references``, of the papers that it cites, each once."""
    return [result["references"][each] for each in dict.fromkeys(one["document_id"] for one in result["citations"])]


def item_of(document: Document, key: str) -> Item:
    """A paper with everything that is known of it and that a reference says; what is not known is left out.

    Args:
        document: The paper.
        key: What it is cited by, see ``programs.results.citation_keys``.
    """
    known = {
        "id": key,
        "type": "article-journal" if document.journal else "article",
        "title": document.title or document.id,
        "author": [_name(author) for author in document.authors],
        "container-title": document.journal,
        "issued": {"date-parts": [[document.year]]} if document.year else None,
        **{name: text_of(document.metadata, field) for field, name in OF_METADATA.items()},
        "page": text_of(document.metadata, "pages").replace("–", "-"),
        "DOI": _DOI_ADDRESS.sub("", document.doi.strip()),
        "PMCID": document.pmcid,
        "URL": document.url,
        "note": "; ".join(each for each in document.corrections if not each.startswith(BY_OCR)),
    }
    return {name: value for name, value in known.items() if value}


def family_given(name: Mapping[str, str]) -> str:
    """An author as "Family, Given", or the name of a group."""
    return ", ".join(filter(None, (name.get("family"), name.get("given"), name.get("suffix")))) or name["literal"]


def _name(author: str) -> dict[str, str]:
    family, *rest = (part.strip() for part in author.split(","))
    if not rest:
        return {"literal": author.strip()}
    given, *suffix = rest
    return {"family": family, "given": given, **({"suffix": " ".join(suffix)} if suffix else {})}


def text_of(metadata: Mapping[str, Any], field: str) -> str:
    """A text or number of the metadata as text; empty where it is anything else."""
    value = metadata.get(field, "")
    return str(value) if isinstance(value, str | int | float) else ""


_BRACES = re.compile(r"[{}\\]")
_BIBTEX_NAMES = {"container-title": "journal", "issue": "number", "page": "pages"}
_BIBTEX_ORDER = (
    *("title", "container-title", "year", "volume", "issue", "page", "publisher"),
    *("ISSN", "DOI", "URL", "PMID", "PMCID", "note"),
)
_VERBATIM = frozenset({"doi", "url"})
"""Fields that BibTeX's styles print as they are: an escaped underscore would be a part of the address."""


def write_references(path: Path, items: Sequence[Item]) -> None:
    """Write items as a reference list, whose format is given by the ending of its name; a former file is replaced.

    Raises:
        UsageError: The name has another ending, or there is no such folder.
    """
    path.write_text(_writer(path)(items), encoding="utf-8")


def check_references(path: Path) -> None:
    """Make sure that a reference list can be written there, before the work whose papers it lists."""
    _writer(path)
    if not path.parent.is_dir():
        raise UsageError(f"no folder at {path.parent} for {path}; make it first")


def csl_json(items: Sequence[Item]) -> str:
    """Items as CSL-JSON."""
    return json.dumps(items, ensure_ascii=False, indent=2) + "\n"


_ESCAPES = str.maketrans({**{sign: f"\\{sign}" for sign in "&%$#_"}, "^": r"\^{}", "~": r"\textasciitilde{}"})


def bibtex(items: Sequence[Item]) -> str:
    """Items as BibTeX in UTF-8; signs of LaTeX are escaped, except in addresses and DOIs."""
    return "\n".join(map(_bibtex_entry, items))


def _bibtex_entry(item: Item) -> str:
    known = {**item, "year": _year(item), "page": item.get("page", "").replace("-", "--")}
    fields = {_BIBTEX_NAMES.get(name, name.lower()): _plain(known.get(name, "")) for name in _BIBTEX_ORDER}
    texts = {name: text if name in _VERBATIM else text.translate(_ESCAPES) for name, text in fields.items()}
    authors = " and ".join(map(_bibtex_name, item.get("author", ()))).translate(_ESCAPES)
    lines = [f"    {name} = {{{text}}},\n" for name, text in {"author": authors, **texts}.items() if text]
    return f"@{'article' if 'container-title' in item else 'misc'}{{{item['id']},\n{''.join(lines)}}}\n"


def _bibtex_name(name: Mapping[str, str]) -> str:
    parts = [_plain(name.get(part, "")) for part in ("family", "suffix", "given")]
    is_whole = "literal" in name or any(" and " in f" {part} " for part in parts)
    return f"{{{_plain(family_given(name))}}}" if is_whole else ", ".join(filter(None, parts))


def _writer(path: Path) -> Callable[[Sequence[Item]], str]:
    writers = {".bib": bibtex, ".ris": ris, ".json": csl_json}
    if path.suffix.lower() not in writers:
        raise UsageError(f"{path} is not a reference list; give a name that ends in {', '.join(writers)}")
    return writers[path.suffix.lower()]


def _plain(text: str) -> str:
    """Text without braces and backslashes, which would part a field or never end."""
    return " ".join(_BRACES.sub("", text).split())


def ris(items: Sequence[Item]) -> str:
    """Items as RIS, a line a field."""
    return "\n".join(map(_ris_entry, items))


def _ris_entry(item: Item) -> str:
    first, _, last = item.get("page", "").partition("-")
    fields = [
        ("TY", "JOUR" if "container-title" in item else "GEN"),
        ("ID", item["id"]),
        *(("AU", family_given(each)) for each in item.get("author", ())),
        ("PY", _year(item)),
        *((tag, item.get(name, "")) for tag, name in _RIS_TAGS.items()),
        ("SP", first),
        ("EP", last),
    ]
    return "".join(f"{tag}  - {' '.join(text.split())}\n" for tag, text in fields if text) + "ER  - \n"


_RIS_TAGS = {
    "TI": "title",
    "JO": "container-title",
    "VL": "volume",
    "IS": "issue",
    "PB": "publisher",
    "SN": "ISSN",
    "DO": "DOI",
    "UR": "URL",
    "C2": "PMCID",
    "N1": "note",
}


def _year(item: Item) -> str:
    return str(item["issued"]["date-parts"][0][0]) if "issued" in item else ""


_APART = re.compile(r"\]\s*\[@")


def check_written(path: Path) -> None:
    """Make sure that an answer can be written there, before it is asked for.

    Raises:
        UsageError: The file name does not end in .md, or its folder does not exist.
    """
    if path.suffix.lower() != ".md":
        raise UsageError(
            f"{path} is not a document that an answer is written to; give a name in .md, of which "
            f"`pandoc --citeproc {path.with_suffix('.md').name} --output {path.name}` makes others"
        )
    if not path.parent.is_dir():
        raise UsageError(f"no folder at {path.parent} for {path}; make it first")


def write_answer(path: Path, result: Mapping[str, Any]) -> None:
    """Write an answer, with its ``references``, and beside it a bibliography of the papers that it cites.

    The bibliography of ``answer.md`` is ``answer.references.json``, which its first lines name.
    """
    beside = path.with_suffix(".references.json")
    beside.write_text(csl_json(cited(result)), encoding="utf-8")
    path.write_text(as_pandoc(result, beside.name), encoding="utf-8")


def as_pandoc(result: Mapping[str, Any], bibliography: str) -> str:
    """The question as title, and the answer; its citations are keys of the bibliography, a file's name."""
    from programs.results.rendering import answer_text

    head = json.dumps({"title": result["question"], "bibliography": bibliography}, ensure_ascii=False)
    text = answer_text(result).replace("@", "\\@").replace("^", "\\^")
    for citation in result["citations"]:
        key = result["references"][citation["document_id"]]["id"]
        text = re.sub(rf"(?<!\\)\[{re.escape(citation['marker'])}\]", f"[@{key}]", text)
    return f"---\n{head}\n---\n\n{_APART.sub('; @', text)}\n"
