"""Forged answers: true ones changed so that a reader sees something else, and made consistent again in all their parts.

for forged in forgeries(original, random.Random(0)):
    replay(forged.saved, …)         # must name a fault, or the altered sentence must stand as not proved
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from metrics.passages import passages_of
from metrics.sentences import sentences
from metrics.statements import statements
from metrics.support.lexicon import words
from programs.ingest.document import NOT_EVIDENCE, Document
from programs.ingest.formats import read
from programs.passages import Passage
from programs.proof import CitedAnswer
from programs.proof.sentence_proof import ModelProof
from programs.results.rendering import as_json
from programs.results.result import result
from programs.verified import Verified

# True answers to forge: sentences of the bundled papers, cited and certified, as ``ask`` saves them.

PAPERS = Path("datasets/space_biology/papers")
_FEWEST_WORDS, _MOST_WORDS = 9, 40


@dataclass(frozen=True)
class Original:
    """A true answer.

    Attributes:
        paper: The paper it is of.
        passages: What it cites.
        sentences: Its sentences with their citations, each a sentence of the paper.
        by_model: Whether a language model proved them; else the checker did.
    """

    paper: Document
    passages: tuple[Passage, ...]
    sentences: tuple[str, ...]
    by_model: bool

    def saved(self, *sentences: str, proved: Mapping[str, str] | None = None) -> dict[str, Any]:
        """What a file holds, all of it made anew for these sentences.

        Args:
            *sentences: Of the answer; by default its own.
            proved: For statements that differ from the paper, what a model is said to have quoted for them.
        """
        text = " ".join(sentences or self.sentences)
        proofs = [
            ModelProof(statement, "proved", (("1", quote),), "", "ollama/gpt-oss")
            for statement, quote in (proved or {}).items()
        ]
        made = result("What was found?", Verified(CitedAnswer(text, self.passages), proofs=tuple(proofs)))
        saved: dict[str, Any] = json.loads(json.dumps(as_json(made)))
        return saved


def originals(papers: int, quoted: bool = False, by_model: bool = False) -> Iterator[Original]:
    """Two sentences of each section of results of the first papers.

    Args:
        papers: How many.
        quoted: Whether the sentences stand in quotation marks.
        by_model: See `Original`.
    """
    for path in sorted(PAPERS.glob("*.*"))[:papers]:
        paper = read(path)
        for section in paper.sections:
            text = paper.text[section.start : section.end]
            if section.kind in NOT_EVIDENCE or section.kind not in ("results", "abstract"):
                continue
            spans = [each for each in sentences(text) if _fits(text[each.start : each.end])][:4]
            if len(spans) < 2:
                continue
            name = f"{paper.id}::{section.start}-{section.end}"
            passage = Passage.of(
                paper, section.start, section.end, id=name, section=section.kind, heading=section.heading
            )
            said = tuple(_cited(text[each.start : each.end], quoted) for each in spans)
            yield Original(paper, (passage,), said, by_model)


def _fits(sentence: str) -> bool:
    return _FEWEST_WORDS <= len(sentence.split()) <= _MOST_WORDS and sentence.endswith(".") and "\n" not in sentence


def _cited(sentence: str, quoted: bool) -> str:
    return f"“{sentence[:-1]}” [1]." if quoted else f"{sentence[:-1]} [1]."


# Sentences of several papers, each rewritten by hand into what its paper does not say, as answers made to fit.

_REWRITTEN = yaml.safe_load(Path(__file__).with_name("rewritten.yaml").read_text(encoding="utf-8"))
_ALL_PAPERS = 26


def rewritten(*, quoted: bool, by_model: bool) -> Iterator[tuple[Original, Forgery]]:
    """Each true answer with each of the forgeries of one of its sentences.

    Args:
        quoted: Whether the sentences stand in quotation marks.
        by_model: Whether a model is said to have proved what was rewritten.

    Raises:
        ValueError: A sentence stands in no answer, or what is to be exchanged does not stand in it.
    """
    answers = list(originals(_ALL_PAPERS, quoted, by_model))
    for entry in _REWRITTEN:
        original, place = _answer_with(entry["says"], entry["paper"], answers)
        for exchanges in entry["rewritten"]:
            true = original.sentences[place]
            yield original, with_sentence(original, place, _exchanged(true, exchanges), exchanges)


def _answer_with(sentence: str, paper: str, answers: list[Original]) -> tuple[Original, int]:
    for answer in answers:
        for place, each in enumerate(answer.sentences):
            if answer.paper.id == paper and sentence in each:
                return answer, place
    raise ValueError(f"no answer from {paper} says {sentence!r}")


def _exchanged(sentence: str, exchanges: str) -> str:
    for exchange in exchanges.split(" && "):
        one, other = exchange.split(" => ")
        if one not in sentence:
            raise ValueError(f"{one!r} does not stand in {sentence!r}")
        sentence = sentence.replace(one, other, 1)
    return sentence


_HANDMADE = yaml.safe_load(Path(__file__).with_name("handmade.yaml").read_text(encoding="utf-8"))

FRAMES: tuple[str, ...] = tuple(_HANDMADE["frames"])
EXCHANGES: tuple[tuple[str, str], ...] = tuple((one, other) for one, other in _HANDMADE["exchanges"])
RESULTS: tuple[tuple[str, str], ...] = tuple((one, other) for one, other in _HANDMADE["results"])

_ADDED = words(
    """
    human simulated cancerous supposedly toxic falsely diabetic elderly lethal retracted reportedly paralysed infected
    irradiated anaesthetised exclusively permanently pregnant starved imaginary hardly contaminated hypothetical
    """
)
_EXCHANGED = words(
    """
    tumours bacteria patients astronauts kidneys toddlers vaccine smokers alcohol cholesterol chocolate dementia pollen
    dinosaurs software insulin asthma lungs depression caffeine retina stroke
    """
)
_TAILS = (
    ", which proves that {} causes {}",
    " in {} exposed to {}",
    " and {} cures {}",
    ", because of {} in the {}",
    "; {} had the same effect on {}",
    " among {} with {}",
    ", as {} does in {}",
)
_HEADS = (
    "Contrary to all {}, ",
    "In {} with {}, ",
    "Critics of {} doubt that ",
    "It was a mistake of {} to say that ",
    "Only under {} and {}, ",
    "As {} predict, ",
)
_NUMBERS = (
    "< {}", "> {}", "{}k", "−{}", "≠ {}", "up to {}", "at least {}", "{} × 10³", "~{}0", "{}²", "{} per day of {}",
    "± {}", "1{}", "{} million", "almost {}", "{} or more", "½ of {}", "{}\u20600",
)  # fmt: skip
_LOOK_ALIKES = str.maketrans("aceopxyi", "асеорхуі")
_INVISIBLE = ("\u200b", "\u200d", "\u00ad", "\u2060", "\ufeff", "\u180e", "\u034f", "\ufe0f", "\U000e0061", "\u3164")
_BIDI = ("\u202e", "\u202d", "\u2067", "\u2066", "\u200f")
_OVERLAYS = ("\u0336", "\u0338", "\u0335", "\u20e0", "\u20d2")
_MARKUP = ("~~{}~~", "<del>{}</del>", "<!-- {} -->", "<span hidden>{}</span>", "[{}](https://evil.test)", "<s>{}</s>")
_DISGUISED = ("nоt", "nοt", "ｎｏｔ", "𝐧𝐨𝐭", "ո𝗈t", "n o t", "n-o-t", "nᴏt", "ⁿᵒᵗ")
_SYMBOLS = ("✗", "❌", "👎", "⚠️ ☠️", "≠", "¬", "⊘", "‼", "☒", "→ ∅", "( ✗ )", "🚫", "※")

Change: TypeAlias = Callable[[str, random.Random], str | None]


@dataclass(frozen=True)
class Forgery:
    """A forged answer.

    Attributes:
        kind: How it was made.
        text: The altered sentence, or what was added.
        saved: The file.
    """

    kind: str
    text: str
    saved: dict[str, Any]


def _word(sentence: str, chance: random.Random, least: int = 4) -> re.Match[str] | None:
    found = list(re.finditer(rf"\b[a-z]{{{least},}}\b", sentence))
    return chance.choice(found) if found else None


def added_word(sentence: str, chance: random.Random) -> str | None:
    """A word before another one."""
    word = _word(sentence, chance)
    return word and f"{sentence[: word.start()]}{chance.choice(_ADDED)} {sentence[word.start() :]}"


def exchanged_word(sentence: str, chance: random.Random) -> str | None:
    """A word in the place of another one."""
    word = _word(sentence, chance, 6)
    return word and f"{sentence[: word.start()]}{chance.choice(_EXCHANGED)}{sentence[word.end() :]}"


def added_tail(sentence: str, chance: random.Random) -> str:
    """A clause behind it."""
    return sentence + chance.choice(_TAILS).format(chance.choice(_EXCHANGED), chance.choice(_EXCHANGED))


def added_head(sentence: str, chance: random.Random) -> str:
    """A clause before it."""
    head = chance.choice(_HEADS).format(chance.choice(_EXCHANGED), chance.choice(_EXCHANGED))
    return f"{head}{sentence[0].lower()}{sentence[1:]}"


def framed(sentence: str, chance: random.Random) -> str:
    """One of those by hand."""
    return chance.choice(FRAMES).format(s=sentence)


def altered_number(sentence: str, chance: random.Random) -> str | None:
    """A number that is a bound, has another size or another sign."""
    found = list(re.finditer(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", sentence))
    if not found:
        return None
    number = chance.choice(found)
    edit = chance.choice(_NUMBERS)
    values = (number.group(), chance.choice(_EXCHANGED))[: edit.count("{}")]
    return sentence[: number.start()] + edit.format(*values) + sentence[number.end() :]


def hidden_not(sentence: str, chance: random.Random) -> str | None:
    """A "not" that a machine may not read, or that a reader may not see."""
    verb = re.search(r"\b(?:was|were|is|are|had|did|may)\b", sentence)
    if verb is None:
        return None
    mark = chance.choice([*_INVISIBLE, *_BIDI, *_OVERLAYS])
    hidden = chance.choice([*_DISGUISED, f"n{mark}ot", mark.join("not")])
    return f"{sentence[: verb.end()]} {hidden}{sentence[verb.end() :]}"


def look_alike(sentence: str, chance: random.Random) -> str | None:
    """A word with letters of another script."""
    word = _word(sentence, chance)
    if word is None or word.group().translate(_LOOK_ALIKES) == word.group():
        return None
    return sentence[: word.start()] + word.group().translate(_LOOK_ALIKES) + sentence[word.end() :]


def invisible(sentence: str, chance: random.Random) -> str | None:
    """A character that nobody sees, or that turns what follows, inside of a word."""
    word = _word(sentence, chance)
    mark = chance.choice([*_INVISIBLE, *_BIDI, *_OVERLAYS])
    return word and f"{sentence[: word.start() + 2]}{mark}{sentence[word.start() + 2 :]}"


def marked_up(sentence: str, chance: random.Random) -> str | None:
    """Markup that hides, crosses out or links."""
    word = _word(sentence, chance)
    if word is None:
        return None
    return sentence[: word.start()] + chance.choice(_MARKUP).format(word.group()) + sentence[word.end() :]


KINDS: dict[str, Change] = {
    each.__name__: each
    for each in (
        added_word, exchanged_word, added_tail, added_head, framed, altered_number, hidden_not, look_alike, invisible,
        marked_up,
    )
}  # fmt: skip


def forged_sentence(original: Original, kind: str, chance: random.Random) -> Forgery | None:
    """One sentence of an answer altered in one way; None where it has nothing to alter."""
    place = chance.randrange(len(original.sentences))
    true = original.sentences[place]
    changed = _inside(true, lambda text: KINDS[kind](text, chance))
    return None if changed in (None, true) else with_sentence(original, place, changed, kind)


def _inside(cited: str, change: Callable[[str], str | None]) -> str | None:
    """Change what stands before the citation; within quotation marks or around them."""
    text, citation = cited.rsplit(" [1].", 1)[0], " [1]."
    if text.startswith("“"):
        changed = change(text[1:-1])
        return changed and f"“{changed}”{citation}"
    changed = change(text)
    return changed and f"{changed}{citation}"


def with_sentence(original: Original, place: int, changed: str, kind: str) -> Forgery:
    """A file in which one sentence is another, and everything else fits to it."""
    altered = list(original.sentences)
    quote = altered[place].rsplit(" [1].", 1)[0].strip("“”") + "."
    altered[place] = changed
    proved = {}
    if original.by_model:
        citable = passages_of({"passages": original.passages})
        proved = {each.text: quote for each in statements(changed, citable)}
    return Forgery(kind, changed, original.saved(*altered, proved=proved))


def by_hand(original: Original) -> Iterator[Forgery]:
    """All forgeries by hand that fit to an answer."""
    for place, true in enumerate(original.sentences):
        for frame in FRAMES:
            if changed := _inside(true, lambda text, frame=frame: frame.format(s=text)):
                yield with_sentence(original, place, changed, f"frame {frame}")
        for one, other in EXCHANGES:
            if one in true:
                changed = true.replace(one, other, 1)
                yield with_sentence(original, place, changed, f"{one!r} → {other!r}")


def in_results(original: Original) -> Iterator[Forgery]:
    """The exchanges by hand in the results of the first paper."""
    for place, true in enumerate(original.sentences):
        for one, other in RESULTS:
            if one in true:
                yield with_sentence(original, place, true.replace(one, other, 1), f"{one!r} → {other!r}")


def appended_symbols(original: Original, chance: random.Random) -> Forgery:
    """Symbols behind an answer, on a line of their own or before it."""
    symbol = chance.choice(_SYMBOLS)
    text = " ".join(original.sentences)
    way = chance.choice(("{text} {symbol}", "{text}\n\n{symbol}", "{symbol}\n\n{text}", "{text}{symbol}"))
    return Forgery("appended_symbols", symbol, original.saved(way.format(text=text, symbol=symbol)))


def believed(forged: Forgery) -> bool:
    """Whether the file calls any part of what was altered proved, or does not name it as not proved."""
    if forged.kind == "appended_symbols":
        named = any(forged.text in each for each in forged.saved["uncited"])
        return not named and all(each["verdict"] == "supported" for each in forged.saved["citations"])
    if any(_of(each, forged.text) for each in forged.saved["uncited"]):
        return False
    return any(
        each["verdict"] == "supported" and _of(each["sentence"], forged.text) for each in forged.saved["citations"]
    )


def _of(sentence: str, altered: str) -> bool:
    return sentence in altered
