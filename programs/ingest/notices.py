"""Tells what a publisher prints around a paper from the paper itself.

    "Received: 9 December 2009; accepted: 23 May 2010"      "Citation: Ahmad A, Abuzinadah MF (2018) Ursolic acid …"
    "© The Author(s) 2018 Open Access This article is …"    "Springer Nature remains neutral with regard to …"

Such notices stand between the paragraphs of a page, at its foot or beside it. They are kept, and are not evidence.
"""

from __future__ import annotations

import re

_DATE = r"[^.]{0,40}?\b(?:19|20)\d\d\b"
_OPENING = re.compile(
    rf"""[^\w©]*(?:
        (?:date\s+of\s+\w+|(?:manuscript\s+)?received|revised|accepted|published|(?:first\s+)?published\s+online|
           available\s+online|submitted|publication\s+dates?|epub|article\s+history)\b(?:\s+\w+){{0,2}}?\s*[:,]?{_DATE}
      | (?:suggested\s+|recommended\s+)?citation\b(?:\s+(?:article|paper|work|as|this))*\s*:
      | (?:how\s+to|to|please)\s+cite\s+th(?:is|e)\b | cite\s+this\s+(?:article|paper|work)\b
      | please\s+cite\s+this\s
      | (?:full\s+)?(?:correspondence|corresponding\s+authors?|address\s+for\s+correspondence|present\s+address(?:es)?)
           (?:\s+(?:to|at|address|should\s+be\s+\w+(?:\s+to)?|information))*\s*[:\s]
      | (?:author|address\s+correspondence|reprint\s+requests?)\s+to\s
      | to\s+whom\s+correspondence
      | (?:academic\s+|handling\s+|associate\s+|section\s+|guest\s+|specialty\s+)?editors?\s*:
      | (?:edited|reviewed|approved)\s+(?:and\s+reviewed\s+)?by\b
      | (?:©|\(c\)\s|copyright\b\s*(?:©|\(c\)|:|the\b|\d|by\b|holder))
      | open\s+access\b\s*(?:$|this|citation|\#|:|©)
      | (?:this|the)\s+(?:is|article|work|paper|publication)\s[^.]{{0,60}}?
           (?:open[-\s]access|distributed\s+under|licensed\s+(?:under|to)|creative\s+commons|published\s+(?:under|by))
      | creative\s+commons\b
      | downloaded\s+(?:from|by|on|via)\b
      | publisher['’`]?s\s+note\b
      | disclaimer/publisher
      | springer\s+nature\s+remains\s+neutral
      | author\s+details\s+(?:1|\W)
      | orcid\b(?:\s+ids?)?\W*(?:https?|\d{{4}}-|.{{3,60}}?https?://orcid\.org)
      | (?:supporting\s+information\s+)?additional\s+supporting\s+information\s+(?:may|can)\s+be\s+found
      | publish\s+with\s+(?:bmc|biomed\s+central)\b
      | (?-i:KEY\s?WORDS)\s
      | (?:e-?mail(?:\s+address(?:es)?)?|tel(?:ephone)?|fax|phone)\s*[.:]
      | (?:e-?issn|p-?issn|issn)\b
      | (?:available|freely\s+available)\s+(?:online\s+)?(?:at|from)\s*:?\s*(?:https?|www|\w+\.\w+)
      | this\s+article\s+is\s+available\s+(?:online|from)
      | (?:submit|ready\s+to\s+submit)\s+your\s+(?:next\s+)?(?:manuscript|research|paper)
      | send\s+orders\s+for\s+reprints
      | pre-?publication\s+history
      | key\s?-?\s?words?(?:\s+and\s+phrases)?\s*[:.—–-]
      | doi\s*:?\s*10\.
      | https?://(?:dx\.)?doi\.org/
      | the\s+author\(?s?\)?\s+\d{{4}}
      | additional\s+information\s+and\s+declarations\s+can\s+be\s+found
      | (?:quick\s+response\s+code|access\s+this\s+article\s+online|crossmark|check\s+for\s+updates)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_IMPRINT = re.compile(
    r"(?:www\.\S{1,40}\s)?(?-i:[A-Z])[\w&., -]{2,60}?\(?(?:19|20)\d\d\)?[,;:.\s][evsn\d:;,.()\s–-]{1,40}?"
    r"(?:doi\s?:|https?://(?:dx\.)?doi\.org|www\.|©)",
    re.IGNORECASE,
)
_ANYWHERE = re.compile(r"full list of author information is available", re.IGNORECASE)
_INSTITUTION = re.compile(
    r"\b(?:universi\w*|departments?|dept|institut\w*|facult\w*|college|schools?|hospitals?|cent(?:er|re|ro)s?|academy|"
    r"laborator\w*|division|clinics?|ministry|foundation|programme|graduate|campus)\b|\S@\S+\.\w",
    re.IGNORECASE,
)
_NUMBERED_ADDRESS = re.compile(r"(?:\d{1,2}|[*†‡§])\s*[^\W\d_][^.;:]*,[^.;:]*,\s*[^\W\d_][^.;:]{2,40}\.?")
"""A mark as authors have it, and a place with its town and country: "2 Department of Zoology, Punjab, Pakistan."."""
# An address is short, and has commas rather than sentences.
_MAX_ADDRESS = 1200


def is_notice(text: str) -> bool:
    """Whether a paragraph opens as a publisher's notice does, or is an address that ends in one."""
    is_numbered = _NUMBERED_ADDRESS.fullmatch(text) is not None and is_address(text)
    return (
        _OPENING.match(text) is not None
        or is_numbered
        or (len(text) <= _MAX_ADDRESS and _ANYWHERE.search(text) is not None)
    )


def is_imprint(text: str) -> bool:
    """Whether a paragraph opens with a journal, year and volume and its address: "Cold 2016; 6: 7–9 www.cold.org"."""
    return _IMPRINT.match(text) is not None


def is_address(text: str) -> bool:
    """Whether a paragraph names an institution or an e-mail address, as what stands under the authors does."""
    return len(text) <= _MAX_ADDRESS and _INSTITUTION.search(text) is not None
