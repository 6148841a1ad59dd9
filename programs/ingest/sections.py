"""What a section is for, from its heading.

    "2.1 Statistical analysis"  → methods          "RESULTS AND DISCUSSION" → results
    "Participants" in Results   → results          "Authors' contributions" → other
    "Material und Methoden"     → methods          "Literature cited"       → references

Names come in two strengths. *Names of sections* ("Results") hold wherever they stand. *Topics* ("Participants") say
something only where the section around them does not: a paragraph on participants belongs to the methods by itself,
but to the results when it stands in them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from programs.ingest.document import SectionKind

# Both tables hold headings as _key gives them: lower case, without accents, punctuation and numbering. English, then
# German, Spanish, Portuguese and French where they differ.
_NAMES: Final[Mapping[SectionKind, str]] = {
    "abstract": """
        abstract | structured abstract | graphical abstract | executive summary | plain language summary | lay summary |
        lay abstract | author summary | editor s summary | highlights | key points | key messages | synopsis |
        significance statement | zusammenfassung | kurzfassung | resumen | resumo | resume
    """,
    "introduction": """
        introduction | intro | background | background information | background significance | rationale |
        general introduction | related work | related works | previous work | prior work | literature review |
        review of literature | review of the literature | state of the art | motivation | objective | objectives |
        aim | aims | aim of the study | aims of the study | purpose | hypothesis | hypotheses | research questions |
        einleitung | einfuhrung | hintergrund | zielsetzung | fragestellung | introduccion | antecedentes | objetivo |
        objetivos | introducao | contexte | objectif | objectifs
    """,
    "methods": """
        method | methods | methodology | methodologies | materials methods | materials | material | methods materials |
        experimental | experimental section | experimental procedures | experimental procedure | experimental methods |
        experimental design | experimental setup | experimental set up | experiment setup | implementation details |
        methods design | design methods | study design | research design | research methods |
        research design methods | patients methods | subjects methods | participants methods | star methods |
        online methods | methods summary | statistical methods | data methods | materials method |
        methode | methoden | methodik | material methoden | patienten methoden | metodos | metodo | metodologia |
        materiales metodos | material metodos | pacientes metodos | materiais metodos | methodes | methodologie |
        materiel methodes | materiels methodes | patients methodes
    """,
    "results": """
        result | results | findings | main findings | experimental results | main results | key results |
        experiments results | observations | case report | case reports | case presentation | case description |
        case series | evaluation results | resultate | ergebnisse | ergebnis | resultados | resultats | fallbericht |
        caso clinico
    """,
    "discussion": """
        discussion | discussions | general discussion | comment | comments | commentary | interpretation |
        summary discussion | diskussion | discusion | discussao
    """,
    "conclusion": """
        conclusion | conclusions | concluding remarks | final remarks | closing remarks | concluding comments |
        conclusion outlook | summary | outlook | future work | future directions | future perspectives |
        take home message | schlussfolgerung | schlussfolgerungen | fazit | schlussbemerkung | ausblick |
        conclusiones | conclusao | conclusoes | consideracoes finais
    """,
    "references": """
        reference | references | reference list | list of references | bibliography | literature cited | works cited |
        cited literature | references notes | notes references | literature references | references cited |
        further reading | uncited references | literatur | literaturverzeichnis | quellen | quellenverzeichnis |
        referencias | referencias bibliograficas | bibliografia | literatura citada | references bibliographiques |
        bibliographie
    """,
    "appendix": """
        appendix | appendices | supplement | supplements | supplementary | supplementary material |
        supplementary materials | supplementary data | supplementary information | supplementary file |
        supplementary files | supplementary figures | supplementary tables | supplementary methods |
        supplemental material | supplemental materials | supplemental data | supplemental information |
        supplemental files | electronic supplementary material | electronic supplementary materials |
        supporting information | supporting material | supporting online material | additional file |
        additional files | additional material | additional information | extended data | web extra |
        web extra material | anhang | erganzendes material | apendice | apendices | anexo | anexos |
        material suplementario | annexe | annexes
    """,
    "other": """
        acknowledgement | acknowledgements | acknowledgment | acknowledgments | competing interest |
        competing interests | declaration of competing interest | conflict of interest | conflicts of interest |
        conflict of interests | conflict of interest statement | conflict of interest disclosure | coi statement |
        declaration of interest | declaration of interests | declaration of conflicting interests | disclosure |
        disclosures | financial disclosure | disclosure statement | author contribution | author contributions |
        authors contribution | authors contributions | author s contribution | author s contributions |
        authors roles | contributors | contributorship | credit authorship contribution statement |
        author information | authors information | about the authors | author details | funding | funding support |
        funding source | funding sources | funding statement | role of the funding source | financial support |
        sources of funding | grant support | support | abbreviation | abbreviations | list of abbreviations |
        abbreviations used | nomenclature | glossary | availability of data materials | availability of data |
        data availability | data availability statement | data sharing | data sharing statement | data access |
        code availability | data code availability | availability of supporting data | ethics statement |
        ethical statement | ethics declarations | ethics approval | ethics approval consent to participate |
        ethical approval | ethical standards | compliance with ethical standards | human animal rights |
        institutional review board statement | informed consent statement | consent for publication |
        consent to publish | pre publication history | prepublication history | publisher s note | provenance |
        provenance peer review | peer review | open access | rights permissions | copyright | trial registration |
        declarations | endnotes | notes | footnotes | note | dedication | figures tables | figure legends |
        figure captions | tables | figures | keywords | key words | correspondence | correction | erratum |
        danksagung | interessenkonflikt | interessenkonflikte | forderung | abkurzungen | agradecimientos |
        conflicto de intereses | conflictos de interes | financiacion | agradecimentos | remerciements |
        conflit d interets | liens d interets | financement
    """,
}

_TOPICS: Final[Mapping[SectionKind, str]] = {
    "introduction": """
        overview | problem statement | problem definition | preliminaries | theoretical background | context | theory
    """,
    "methods": """
        patients | participants | subjects | animals | mice | reagents | study population | population | sample |
        sample size | sample size calculation | samples | setting | study setting | design | trial design | protocol |
        study protocol | procedure | procedures | study procedures | intervention | interventions | treatment |
        treatments | randomisation | randomization | blinding | recruitment | eligibility | eligibility criteria |
        inclusion criteria | exclusion criteria | measures | measurements | outcome measures | outcomes measures |
        primary outcome | secondary outcomes | endpoints | end points | data collection | data analysis |
        data analyses | data extraction | data sources | data | dataset | datasets | corpus | corpora |
        statistical analysis | statistical analyses | statistics | analysis plan | search strategy | study selection |
        assays | cell culture | approach | our approach | model | models | model architecture | architecture |
        algorithm | task definition | annotation | training | hyperparameters | baselines | evaluation metrics |
        ethics | ethical considerations | informed consent | quality assessment | statistische analyse |
        statistik | analisis estadistico | analyse statistique | patienten | pacientes
    """,
    "results": """
        outcomes | experiments | experiment | evaluation | analysis | error analysis | ablation study |
        ablation studies | ablations |
        baseline characteristics | patient characteristics | adverse events | adverse effects |
        adverse outcomes | safety | efficacy | performance | case study | case studies | comparison
    """,
    "discussion": """
        limitations | limitation | study limitations | limitations of the study | strengths limitations |
        strengths weaknesses | strengths | implications | clinical implications | practical implications |
        policy implications | generalisability | generalizability | comparison with other studies |
        comparison with previous studies | perspectives | overall evidence | limitationen | limitaciones
    """,
    "conclusion": "recommendations | implications for practice | implications for research",
    "appendix": "protocols | additional results | additional data",
}

# First words that name a section whatever follows: "Appendix A: search terms", "References and further reading".
_OPENING_NAMES: Final[Mapping[str, SectionKind]] = {
    "appendix": "appendix",
    "annex": "appendix",
    "additional file": "appendix",
    "supplementary file": "appendix",
    "supplementary material": "appendix",
    "supporting information": "appendix",
    "acknowledgements": "other",
    "acknowledgments": "other",
    "conflict of interest": "other",
    "conflicts of interest": "other",
    "competing interests": "other",
    "availability of data": "other",
}
# First and last words that name a section when nothing around it does: "Results of the trial", "Clinical findings".
_OPENING_TOPICS: Final[Mapping[str, SectionKind]] = {
    "background": "introduction",
    "introduction": "introduction",
    "methods": "methods",
    "materials": "methods",
    "statistical": "methods",
    "results": "results",
    "effect of": "results",
    "effects of": "results",
    "discussion": "discussion",
    "limitations": "discussion",
    "conclusions": "conclusion",
    "conclusion": "conclusion",
    "summary": "conclusion",
}
_CLOSING_TOPICS: Final[Mapping[str, SectionKind]] = {
    "background": "introduction",
    "methods": "methods",
    "method": "methods",
    "procedures": "methods",
    "analysis plan": "methods",
    "results": "results",
    "findings": "results",
    "characteristics": "results",
    "discussion": "discussion",
    "limitations": "discussion",
    "conclusions": "conclusion",
    "conclusion": "conclusion",
    "remarks": "conclusion",
}

# Whatever stands in these belongs to them: the "Methods" of a structured abstract are not a methods section.
_CLOSED: Final[frozenset[SectionKind | None]] = frozenset({"abstract", "references", "appendix"})

_NUMBERING = re.compile(
    r"""\s*(?:
        (?i:section|chapter|part)\s+\d+(?:\.\d+)*             # "Section 2: M" "Part 2 M", not "Part 2 of it"
          (?:[.:)]\s*(?=[^\W\d]) | \s+(?=[^\W\d_a-z]))
        | §+\s*\d+(?:\.\d+)*[.:)]?\s*
        | \(?\d+(?:\.\d+)*\.?[.:)\]|]\s*(?=[^\W\d])           # "2." "2.1." "(2)" "2|"
        | \d{1,2}(?:\.\d{1,3})*\s+(?:\|\s+)?(?=[^\W\d_a-z])   # "2 M" "2.1 | M", not "2 mg": no more than 99 sections
        | \d{1,2}(?:\.\d{1,3})+(?=[^\W\d])                    # "2.1Animals"
        | \(?(?:[IVX]+|[ivx]+)[.:)]\s*(?=[^\W\d])             # "II." "(iv)"
        | [IVX]{2,}\s+(?=[^\W\d_a-z])                         # "II M"; a lone I or V may be a word
        | \(?[A-Za-z][.)]\s+(?=[^\W\d])                       # "A. " "b) "; "E. coli" is kept by _SPECIES
        | [A-Z]\.\d+(?:\.\d+)*\.?\s+(?=[^\W\d])               # "A.1 "
    )""",
    re.VERBOSE,
)
_SPECIES = re.compile(r"[A-Z]\.\s+[a-z]")
_AND = re.compile(r"\s+(?:and|und|y|e|et|&|\+)\s+|\s*[/:;,|–—]\s*|\s*&\s*", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W_]+")


def strip_numbering(heading: str) -> str:
    """The heading without "2.1", "II.", "A." or "Section 3:" before it; "E. coli" and "5-HT" stay."""
    if _SPECIES.match(heading):
        return heading.strip()
    numbering = _NUMBERING.match(heading)
    return heading[numbering.end() :].strip() if numbering else heading.strip()


def classify(
    heading: str, parent: SectionKind | None = None, *, hint: str = "", opens_paper: bool = False
) -> SectionKind:
    """What a section is for.

    Args:
        heading: Its heading, as printed.
        parent: Kind of the section that it stands in, None for a main section.
        hint: What the source's own markup calls it, such as JATS ``sec-type``; used when the heading says nothing.
        opens_paper: Whether it is the paper's first section: a "Summary" is then the abstract, else the conclusion.
    """
    if parent is not None and parent in _CLOSED:
        return parent
    if opens_paper and _key(strip_numbering(heading)) == "summary":
        return "abstract"
    own = named_kind(heading) or named_kind(hint)
    if own is not None:
        return own
    if parent is not None and parent != "other":
        return parent
    return _topic_kind(heading) or parent or "other"


@lru_cache(maxsize=4096)
def named_kind(heading: str) -> SectionKind | None:
    """The kind that the heading names by itself, such as "Results", or None for "Participants" and the like."""
    whole, *parts = _readings(heading)
    opening = next((kind for words, kind in _OPENING_NAMES.items() if whole.startswith(words)), None)
    return _first_known((whole,), _KIND_OF_NAME) or opening or _first_known(parts, _KIND_OF_NAME)


def _topic_kind(heading: str) -> SectionKind | None:
    """The kind that the heading's topic suggests."""
    readings = list(_readings(heading))
    if kind := _first_known(readings, _KIND_OF_TOPIC):
        return kind
    for reading in readings:
        for words, kind in _OPENING_TOPICS.items():
            if reading.startswith(words + " "):
                return kind
        for words, kind in _CLOSING_TOPICS.items():
            if reading.endswith(" " + words):
                return kind
    return None


def _readings(heading: str) -> Iterator[str]:
    """The key of the whole heading without its "and", then that of each part in "Results and Discussion"."""
    parts = [key for part in _AND.split(strip_numbering(heading)) if (key := _key(part))]
    yield " ".join(parts)
    if len(parts) > 1:
        yield from parts


def _key(heading: str) -> str:
    """Lower-case words without accents and punctuation, separated by single spaces."""
    plain = heading.casefold()
    if not plain.isascii():
        plain = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    return " ".join(_LETTERS.findall(plain))


def _first_known(keys: Iterable[str], kinds: Mapping[str, SectionKind]) -> SectionKind | None:
    return next((kinds[key] for key in keys if key in kinds), None)


def _by_heading(table: Mapping[SectionKind, str]) -> dict[str, SectionKind]:
    return {" ".join(name.split()): kind for kind, names in table.items() for name in names.split("|")}


_KIND_OF_NAME: Final = _by_heading(_NAMES)
_KIND_OF_TOPIC: Final = _by_heading(_TOPICS)
