"""What an answer copies, and what a search without a model shows: sentences of papers in quotation marks.

    Smith et al. (2014): Bone loss in flight mice
      “Femur density fell by 12 % (Figure 1).” p. 4

A copy is called *quoted*: that it is in its paper says nothing about whether it answers. *Supported* is kept for
sentences in other words, which somebody judged. Results are read here as JSON has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeAlias

from metrics.passages import label
from metrics.printed_citations import LEFT_OUT
from metrics.sentences import sentences
from metrics.support.lexicon import STOP_WORDS
from metrics.words import missing_words, words
from programs.lm import EXTRACTIVE, split_options
from programs.passages.framing import sought

Values: TypeAlias = Mapping[str, Any]

NEAREST = "Nearest in your papers"
QUOTED = "quoted"
_QUOTATION = re.compile(r"\s*(?:[-*•]\s+)?“[^“”]+”(?:[\s.,;]*(?:\[[^\[\]]*\]|\([^()]*\)))*[\s.]*")
"""With its citations, by whatever keys."""
_FAR = 0.5
"""Share of the words that a question seeks which nothing has that was read, above which nothing is near."""
_HELD = 0.5
"""Share of a sentence's words that are in a quotation which has it."""


@dataclass(frozen=True, slots=True)
class Find:
    """A sentence of a paper, as the paper has it, and the pages of the file that it is on."""

    text: str
    pages: str
    marker: str


@dataclass(frozen=True, slots=True)
class PaperFinds:
    """What was found in one paper, the best first; the paper as one of its passages tells of it."""

    passage: Values
    finds: tuple[Find, ...]


def is_quotation(citation: Values) -> bool:
    """Whether a cited sentence is nothing but words in quotation marks."""
    return bool(_QUOTATION.fullmatch(citation["sentence"]))


def verdict_of(citation: Values) -> str:
    """The verdict in a reader's word: that of a copy is "quoted"."""
    is_copy = citation["verdict"] == "supported" and is_quotation(citation)
    return QUOTED if is_copy else str(citation["verdict"])


def shown_verdict(citation: Values) -> str:
    """The verdict as it is shown: "quoted", or with the checker's probability, or that only a model says so."""
    from programs.certificate import by_model_alone  # loads the checker, which a command's --help does not need

    if (verdict := verdict_of(citation)) == QUOTED:
        return QUOTED
    if by_model_alone(verdict, citation["judges"]):
        return f"supported by the model's proof alone (checker {citation['score']:.2f})"
    return f"{verdict} ({citation['score']:.2f})"


@dataclass(frozen=True, slots=True)
class Proof:
    """What proves a sentence, or else what it cites: its citations in this, and those that have no part in it."""

    sentence: str
    proving: Sequence[Values]
    beside: Sequence[Values]

    @property
    def quotes(self) -> list[Values]:
        """The quotes of the papers that the sentence cites; all where these have none."""
        papers, quotes = {each["document_id"] for each in self.proving}, self.proving[0]["quotes"]
        return [each for each in quotes if each["document_id"] in papers] or list(quotes)


def proofs(values: Values) -> Iterator[Proof]:
    """The certificates of a result, sentence by sentence."""
    for sentence, of in groupby(values["citations"], key=itemgetter("sentence")):
        cited = list(of)
        proving = [each for each in cited if each["verdict"] == "supported"] or cited
        yield Proof(sentence, proving, [each for each in cited if each not in proving])


def judged(citations: Iterable[Values]) -> str:
    """How many sentences are quoted, supported, and by whom, or neither, in words; empty without a citation."""
    from programs.certificate import by_model_alone  # loads the checker, which a command's --help does not need

    best: dict[str, str] = {}
    for each in citations:
        said = verdict_of(each)
        if said == "supported":
            alone = by_model_alone(said, each["judges"])
            said = "supported by a model's word alone" if alone else "supported by the checker's word"
        if best.get(each["sentence"], "unverifiable") == "unverifiable":
            best[each["sentence"]] = said
    said_of = list(best.values())
    return ", ".join(f"{said_of.count(each)} {each}" for each in dict.fromkeys(said_of))


_MARKS = {"unverifiable": "(not proved)", "contradicted": "(contradicted by its source)"}


def marked_answer(values: Values) -> str:
    """The answer, with a remark behind each cited sentence that no citation proves."""
    answer: str = values["answer"]
    proved = {each["sentence"] for each in values["citations"] if each["verdict"] == "supported"}
    for sentence, verdict in {each["sentence"]: each["verdict"] for each in values["citations"]}.items():
        if sentence not in proved:
            answer = answer.replace(sentence, f"{sentence} {_MARKS[verdict]}", 1)
    return answer


def is_search(values: Values) -> bool:
    """Whether no model was asked, and all that is said is copied: then a result shows finds, not an answer."""
    name = values.get("lm")
    calls = values.get("metrics", {}).get("lm_calls")
    no_model = calls == 0 if name is None else split_options(name)[0] == EXTRACTIVE
    return no_model and not values.get("uncited") and all(map(is_quotation, values["citations"]))


def words_not_read(values: Values) -> list[str]:
    """Words that a question seeks and that nothing has which was read: mistyped ones, or a subject of no paper here."""
    texts = [text for each in values["passages"] for text in (each["title"], each["heading"], each["text"])]
    return missing_words(sought(values["question"]), texts)


def nothing_near(values: Values, papers: int | None = None) -> str:
    """That a search quotes no sentence: in how many papers that were read, of ``papers`` where that is known.

    Nothing is called near only where most of what the question seeks is in nothing that was read.
    """
    missing, asked = words_not_read(values), set(words(sought(values["question"]))) - STOP_WORDS
    is_far = len(missing) > _FAR * len(asked) or not values["passages"]
    said, within = ("Nothing near this", "in") if is_far else ("No sentence was picked", "from")
    read = len({each["document_id"] for each in values["passages"]})
    if read < 2 and papers in (None, 1):
        return f"{said}." if papers is None else f"{said} {within} the paper."
    of = f" of {papers}" if papers is not None and papers > read else ""
    return f"{said} {within} what was read of {read}{of} {'paper' if read == 1 and not of else 'papers'}."


def finds(values: Values) -> list[PaperFinds]:
    """What a result quotes, or else what is nearest all the same, by paper, the best first."""
    passages = {each["id"]: (number, each) for number, each in enumerate(values["passages"], start=1)}
    of_papers: dict[str, dict[str, Find]] = {}
    first: dict[str, Values] = {}
    for sentence, quote in _quotes(values):
        number, passage = passages[quote["passage"]]
        text = held(quote["quote"], sentence)
        found = of_papers.setdefault(quote["document_id"], {})
        found.setdefault(text, Find(text, printed_pages([quote]), str(label(passage.get("key", ""), number))))
        first.setdefault(quote["document_id"], passage)
    return [PaperFinds(first[paper], tuple(found.values())) for paper, found in of_papers.items()]


def _quotes(values: Values) -> Iterator[tuple[str, Values]]:
    for citation in values["citations"]:
        yield from ((citation["sentence"], each) for each in citation["quotes"])
    if not values["citations"]:
        yield from ((each["quote"], each) for each in values.get("nearest", ()))


def held(quote: str, sentence: str) -> str:
    """Of a quote the sentences and rows that a sentence has, as the paper has them, on one line.

    What is left out between them has ``LEFT_OUT`` in its place; a quote of which little is there is given whole.
    """
    said, parts = set(words(sentence)), list(_sentences_and_rows(quote))
    of_parts = [[each in said for each in words(part)] for part in parts]
    kept = [at for at, of in enumerate(of_parts) if of and sum(of) >= _HELD * len(of)] or [*range(len(parts))]
    shown = [part if at - 1 in kept or at == kept[0] else f"{LEFT_OUT} {part}" for at, part in enumerate(parts)]
    return " ".join(" ".join(shown[at].split()) for at in kept)


def _sentences_and_rows(quote: str) -> Iterator[str]:
    for each in sentences(quote):
        text = quote[each.start : each.end]
        yield from text.splitlines() if " | " in text else [text]


def cited_passages(values: Values) -> Iterator[tuple[str, Values, list[Values]]]:
    """Each marker of a result's citations with the passage that it cites first and its citations, in their order."""
    passages = {each["id"]: each for each in values["passages"]}
    cited: dict[str, list[Values]] = {}
    for each in values["citations"]:
        cited.setdefault(each["marker"], []).append(each)
    return ((marker, passages[of[0]["passage"]], of) for marker, of in cited.items())


def printed_pages(quotes: Iterable[Values]) -> str:
    """Pages of the file, counted from 1, as "p. 4" or "pp. 4, 5"; empty where the quotes have no places.

    Args:
        quotes: As ``Quote.as_dict`` writes them.
    """
    pages = sorted({place["page"] for quote in quotes for place in quote.get("places", ())})
    return f"{'p.' if len(pages) == 1 else 'pp.'} {', '.join(map(str, pages))}" if pages else ""


def described(passage: Values) -> str:
    """A paper in a line: "Smith et al. (2014): Bone loss in flight mice — RETRACTED BY 10.1000/notice"."""
    title, by, said = passage["title"] or passage["document_id"], authors_and_year(passage), corrected(passage)
    named = f"{by}: {title}" if passage.get("authors") else f"{title} {by}".rstrip()
    return f"{named}{said and f' — {said.upper()}'}"


def key_of(values: Values, passage: Values) -> str:
    """What a passage's paper is cited by; its id in a result without ``references``."""
    return str(_item(values, passage).get("id", passage["document_id"]))


def printed_in(values: Values, passage: Values) -> str:
    """Journal and DOI of a passage's paper: "J. Bone, doi:10.1000/bone"; empty in a result without ``references``."""
    item = _item(values, passage)
    return ", ".join(filter(None, (item.get("container-title"), f"doi:{item['DOI']}" if "DOI" in item else "")))


def _item(values: Values, passage: Values) -> Values:
    found: Values = values.get("references", {}).get(passage["document_id"], {})
    return found


def corrected(passage: Values) -> str:
    """Of a passage as results hold it: "Retracted by 10.1000/notice"; empty where nothing is known."""
    said = "; ".join(passage.get("corrections", ()))
    return said[:1].upper() + said[1:]


def authors_and_year(passage: Values) -> str:
    """A paper's authors and year as a text cites them: "Smith et al. (2014)"; empty where neither is known."""
    families = [each.partition(",")[0].strip() for each in passage.get("authors", ())]
    named = " and ".join(families) if len(families) < 3 else f"{families[0]} et al."
    return " ".join(filter(None, (named, f"({passage['year']})" if passage["year"] else "")))
