"""The bounded agent: it sees evidence and gaps, and asks for searches until there is enough or its turns are used up.

Whatever it asks for that cannot be done comes back to it as a message that says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from programs.paper_writer.evidence import Evidence, Gathered, Search, merged
from programs.paper_writer.evidence_search import Outcome
from programs.paper_writer.sections import PaperSection, section_named
from programs.running.progress import report_step

EMPTY = "refused: the query is empty; write what a passage would say"
REPEATED = "refused: this was searched before; word it otherwise or look for something else"
ONLY_SEEN = "found only passages that were seen before; look for something else, or be done"


@dataclass
class Notebook:
    """What the agent of a section has found and asked so far.

    Attributes:
        section: The section that is prepared.
        evidence: By the section that is to cite it.
        seen: Ids of passages that were looked at, by section.
        searches: Every query in order, refused ones too.
        notes: What did not go as it should.
        failed: Whether the model failed.
    """

    section: PaperSection
    evidence: dict[PaperSection, tuple[Evidence, ...]] = field(default_factory=dict)
    seen: dict[PaperSection, set[str]] = field(default_factory=dict)
    searches: list[Search] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failed: bool = False

    def refusal(self, query: str, target: str, place: int, most: int) -> str:
        """Why a query is not searched for, in words for the agent; empty if nothing speaks against it.

        Args:
            query: As the agent wrote it.
            target: The section it named.
            place: How many of its queries this time came before it.
            most: How many it may ask for at a time.
        """
        if not query.strip():
            return EMPTY
        if place >= most:
            return f"refused: over the limit of {most} queries at a time; ask for it again if it still matters"
        section = section_named(target)
        if section is None:
            return f"refused: there is no section {target!r}; name one of {', '.join(PaperSection)}"
        asked = {(_plain(each.query), each.target_section) for each in self.searches if not is_refused(each)}
        return REPEATED if (_plain(query), section.value) in asked else ""

    def refuse(self, query: str, target: str, reason: str) -> None:
        """Keep a query that was not searched for, with the reason."""
        self._keep(query, target, reason)

    def add(self, query: str, target: PaperSection, outcome: Outcome) -> None:
        """Keep what a search brought."""
        self.evidence[target] = merged(self.evidence.get(target, ()), outcome.evidence)
        self.seen.setdefault(target, set()).update(outcome.seen)
        self.notes += outcome.notes
        self.failed |= outcome.failed
        found = f"looked at {len(outcome.seen)} passages, kept {len(outcome.evidence)}"
        self._keep(query, target.value, found if outcome.seen else ONLY_SEEN)

    def fail(self, reason: str) -> None:
        """Keep that the model failed; what was found stays."""
        self.notes.append(reason)
        self.failed = True

    def gathered(self, final_prompt: str) -> Gathered:
        """All of it as a value."""
        own = self.evidence.get(self.section, ())
        if self.failed:
            self.notes.append(f"Gathering ended early; the {len(own)} pieces of evidence found so far are kept")
        return Gathered(
            section=self.section,
            evidence=own,
            for_others={each: found for each, found in self.evidence.items() if each is not self.section and found},
            searches=tuple(self.searches),
            notes=tuple(dict.fromkeys(filter(None, self.notes))),
            complete=not self.failed,
            final_prompt=final_prompt,
        )

    def _keep(self, query: str, target: str, outcome: str) -> None:
        report_step("agent", f"{self.section}: “{query}” for {target or 'no section'}: {outcome}")
        self.searches.append(Search(query=query, target_section=target, outcome=outcome))


def is_refused(search: Search) -> bool:
    """Whether a query was not searched for."""
    return search.outcome.startswith("refused")


def searches_shown(searches: Sequence[Search]) -> str:
    """Past searches as they stand in a prompt."""
    lines = (f"“{each.query}” for {each.target_section or 'no section'}: {each.outcome}" for each in searches)
    return "\n".join(" ".join(line.split()) for line in lines)


def _plain(query: str) -> str:
    return " ".join(query.casefold().split()).strip(" .?!\"'")
