"""Sentences that say only what the sources do not hold, in eleven languages.

    The passages do not say how muscle changed.               declines: nothing to prove
    Les passages n'indiquent pas la dose.                      the same
    Die Passagen zeigen, dass Zink nicht wirkt.                a finding, which needs a proof as any other
    The passages do not say, but it fell by half.              declines and then claims

The subject is the source, the question or the writer, and what is denied is a verb of saying, or that there is any
information. A language that is not here is judged as one that states findings: its sentences need a proof.
"""

from __future__ import annotations

import re

_SOURCE = (
    r"(?:the\s+)?(?:(?:provided|given|retrieved|available|supplied|above|numbered|cited)\s+)*"
    r"(?:passages?|contexts?|texts?|excerpts?|sources?|documents?|papers?|articles?|information)"
    r"(?:\s+(?:provided|given|retrieved|available|above))?"
)
_VERB = (
    r"(?:say|state|mention|report|contain|provide|hold|include|address|describe|specify|discuss|answer|cover|"
    r"give|name|list)"
)
_NOT = r"(?:do(?:es)?\s+not|don't|doesn't|did\s+not|cannot|can't|never)"
_ENGLISH = (
    rf"{_SOURCE}\s+{_NOT}\s+(?:\w+ly\s+)?{_VERB}s?\b",
    rf"{_SOURCE}\s+{_VERB}s?\s+nothing\b",
    rf"{_SOURCE}\s+(?:is|are)\s+(?:not\s+(?:sufficient|enough)|insufficient|silent)\b",
    rf"none\s+of\s+{_SOURCE}\b",
    rf"(?:no|neither)\s+(?:of\s+)?{_SOURCE}\s+{_VERB}s?\b",
    r"(?:there\s+is\s+)?(?:no|not\s+enough|insufficient)\s+(?:\w+\s+)?(?:evidence|information|passages?|answer|support)\b"
    r"[^.;]{0,60}\b(?:passages?|contexts?|sources?|texts?|retrieved|provided|to\s+answer)\b",
    r"(?:there\s+is\s+)?no\s+(?:\w+\s+)?(?:information|answer)\s+(?:(?:is|was|could\s+be)\s+)?(?:available|found|given)\b",
    r"(?:i|we)\s+(?:could\s+not|cannot|can\s+not|can't|couldn't|am\s+unable\s+to|do\s+not|don't)\s+"
    r"(?:know|find|answer|retrieve|determine|tell)\b",
    r"could\s+not\s+retrieve\b",
    r"(?:this|the|that)\s+(?:question|answer)\s+(?:cannot|can't|could\s+not)\s+be\s+"
    r"(?:answered|found|determined|given)\b",
    r"(?:this|it)\s+cannot\s+be\s+(?:answered|determined)\b",
    r"unanswerable|not\s+answerable|no\s+answer\b",
)

# "do not indicate an effect" and "no muestran diferencias" are findings, whatever the verb.
_NO_RESULT = (
    r"\b(?!\s+(?:(?:d[eiao]|un[ae]?|um|uma|een|el|la|le|il|o|a|de\s+l[ae]|\w*en)\s+|d['’]|l['’])?(?:diff?[eé]ren|differen|"
    r"diferen|effets?\b|efectos?\b|efeitos?\b|effett|effect|verschil|am[eé]lior|mejor|melhor|miglior))"
)
_SPANISH_SOURCE = r"(?:pasajes|fuentes|textos|fragmentos|extractos|documentos|artículos)"
_SPANISH_VERB = (
    r"(?:menci|indic|inform|dicen?\b|reportan?\b|contien|proporcion|ofrec|describ|especific|respond|abord|aclar|precis|"
    r"recog|trat|incluy|señal|permit\w+\s+(?:respond|determin|saber)|dan\s+(?:información|respuesta|datos)\b)\w*"
)
_SPANISH = (
    rf"(?:los|las|estos|estas)\s+(?:\w+\s+)?{_SPANISH_SOURCE}\s+(?:\w+\s+){{0,2}}?no\s+(?:(?:lo|nos|se)\s+)?"
    rf"{_SPANISH_VERB}{_NO_RESULT}",
    rf"ningun[oa]\s+de\s+(?:los|las|estos|estas)\s+{_SPANISH_SOURCE}\s+(?:\w+\s+)?{_SPANISH_VERB}{_NO_RESULT}",
    r"no\s+(?:hay|se\s+encontr\w+|se\s+pud\w+\s+\w+)\s+(?:\w+\s+)?(?:información|evidencia|pruebas|respuesta)\b",
    r"no\s+(?:se\s+puede|es\s+posible)\s+(?:responder|determinar)\b",
)
_GERMAN_SOURCE = r"(?:passagen|textstellen|quellen|textpassagen|texten?|auszügen?|abschnitten?|dokumenten?|artikeln?)"
_GERMAN_VERB = (
    r"(?:bericht|nenn|erwähn|enthalt|sag|geb|beschreib|beantwort|behandel|liefer|mach|mitteil|spezifizier|äußer|"
    r"thematisier|informier|erlaub)\w*"
)
_GERMAN_NOTHING = (
    r"keine[rnms]?\s+(?:\w+\s+)?(?:angaben?|informationen|daten|belege?|aussagen?|antwort|hinweise?|auskunft|details|"
    r"einzelheiten|angabe|werte?)\b"
)
_GERMAN = (
    rf"(?:die|diese|den)\s+(?:\w+\s+)?{_GERMAN_SOURCE}\s+{_GERMAN_VERB}\s+"
    r"(?:(?:dazu|hierzu|darüber|dies|das|es|die|den|der)\s+(?:\w+\s+)?)?nichts?\b",
    rf"(?:die|diese|in\s+den|in\s+diesen)\s+(?:\w+\s+)?{_GERMAN_SOURCE}\s+\w+\s+(?:\w+\s+){{0,3}}?{_GERMAN_NOTHING}",
    rf"in\s+(?:den|diesen)\s+(?:\w+\s+)?{_GERMAN_SOURCE}\s+(?:wird|werden)\s+[^.;,]{{0,60}}\bnicht\s+"
    r"(?:genannt|erwähnt|berichtet|angegeben|beschrieben|behandelt|beantwortet)\b",
    rf"kein(?:e|er|es)?\s+(?:der|dieser)\s+(?:\w+\s+)?{_GERMAN_SOURCE}\s+{_GERMAN_VERB}",
    r"(?:die|diese)\s+frage\s+(?:kann|lässt\s+sich)\s+[^.;]{0,60}\bnicht\b",
    r"es\s+gibt\s+keine\s+(?:\w+\s+)?(?:angaben|informationen|belege)\b",
)
_FRENCH_SOURCE = r"(?:passages?|extraits?|textes?|sources?|documents?|articles?)"
_FRENCH_VERB = (
    r"(?:indiqu|mentionn|précis|rapport|fourni|contien|donn|trait|abord|décri|spécifi|répond|parl|disent|dit|"
    r"signal|renseign|évoqu|permett)\w*"
)
_FRENCH_NOTHING = (
    r"aucune?s?\s+(?:\w+\s+)?(?:information|donnée|détail|précision|mention|réponse|indication|renseignement)s?\b"
)
_FRENCH = (
    rf"(?:les|ces|le|ce)\s+(?:\w+\s+)?{_FRENCH_SOURCE}\s+(?:\w+\s+){{0,2}}?n(?:e\s+|['’])(?:(?:nous|en|y|le)\s+)?"
    rf"{_FRENCH_VERB}\s+(?:pas|rien|point|jamais){_NO_RESULT}",
    rf"(?:les|ces|le|ce)\s+(?:\w+\s+)?{_FRENCH_SOURCE}\s+(?:\w+\s+){{0,2}}?n(?:e\s+|['’])\w+\s+{_FRENCH_NOTHING}",
    rf"aucune?\s+(?:des?\s+(?:ces\s+)?)?{_FRENCH_SOURCE}\s+(?:\w+\s+)?n(?:e\s+|['’]){_FRENCH_VERB}{_NO_RESULT}",
    r"il\s+n(?:['’]y\s+a|['’]existe)\s+(?:pas\s+(?:assez\s+)?d['’e]|aucune)\s*(?:information|réponse|donnée)s?\b",
    r"(?:il\s+n['’]est|on\s+ne\s+peut)\s+pas\s+(?:possible\s+de\s+)?(?:répondre|déterminer)\b",
)
_ITALIAN_SOURCE = r"(?:brani|passaggi|passi|testi|fonti|documenti|estratti|articoli)"
_ITALIAN_VERB = (
    r"(?:riport|indic|menzion|dicono|forniscon|contengon|specific|descriv|precis|rispond|tratt|affront|chiariscon|"
    r"riferiscon|permetton|consenton)\w*"
)
_ITALIAN = (
    rf"(?:i|gli|le|questi|queste)\s+(?:\w+\s+)?{_ITALIAN_SOURCE}\s+(?:\w+\s+){{0,2}}?non\s+(?:(?:ne|lo|ci)\s+)?"
    rf"{_ITALIAN_VERB}{_NO_RESULT}",
    rf"nessun[oa]?\s+(?:dei|degli|delle|di\s+quest[ei])\s+(?:\w+\s+)?{_ITALIAN_SOURCE}\s+(?:\w+\s+)?"
    rf"{_ITALIAN_VERB}{_NO_RESULT}",
    r"non\s+(?:è\s+possibile|si\s+può)\s+(?:rispondere|determinare)\b",
)
_PORTUGUESE_SOURCE = r"(?:passagens|trechos|excertos|textos|fontes|documentos|artigos)"
_PORTUGUESE_VERB = (
    r"(?:menciona|informa|indica|dizem|relata|reporta|contêm|fornece|descreve|especifica|responde|aborda|esclarece|"
    r"permite|trata)\w*"
)
_PORTUGUESE = (
    rf"(?:os|as|estes|estas|esses|essas)\s+(?:\w+\s+)?{_PORTUGUESE_SOURCE}\s+(?:\w+\s+){{0,2}}?não\s+"
    rf"{_PORTUGUESE_VERB}{_NO_RESULT}",
    rf"nenhuma?\s+d[aoe]s?\s+(?:\w+\s+)?{_PORTUGUESE_SOURCE}\s+(?:\w+\s+)?{_PORTUGUESE_VERB}{_NO_RESULT}",
    r"não\s+(?:é\s+possível|se\s+pode)\s+(?:responder|determinar)\b",
)
_DUTCH = (
    r"(?:de|deze)\s+(?:\w+\s+)?(?:passages|teksten|bronnen|fragmenten|documenten|artikelen)\s+"
    r"(?:vermeld|noem|meld|rapporteer|geef|gev|zegg|bevat|beschrijv|beantwoord|bespre)\w*\s+"
    r"(?:(?:de|het|dit|dat|daar|er)\s+(?:\w+\s+)?)?"
    r"(?:niets?\b|geen\s+(?:\w+\s+)?(?:informatie|gegevens|antwoord|details)\b)",
)
_POLISH = (
    r"(?:(?:te|podane|przytoczone|dostępne)\s+)?(?:fragmenty|pasaże|teksty|źródła|artykuły|prace|dokumenty)\s+nie\s+"
    r"(?:podaj|zawier|mówi|informuj|wspomin|opisuj|wymieni|określ|precyzuj|odpowiad|zgłasz)\w*"
    r"\b(?!\s+(?:\w+\s+){0,2}?(?:różnic|wpływ|efekt|popraw))",
    r"w\s+(?:(?:tych|podanych|przytoczonych|dostępnych)\s+)?"
    r"(?:fragmentach|pasażach|tekstach|źródłach|artykułach|pracach|dokumentach)\s+"
    r"(?:nie\s+(?:podano|wspomniano|opisano|określono|wymieniono)|brak\s+(?:informacji|danych|odpowiedzi))\b",
)
_RUSSIAN = (
    r"(?:(?:эти|данные|привед[её]нные|имеющиеся)\s+)?(?:отрывки|фрагменты|тексты|источники|статьи|документы)\s+не\s+"
    r"(?:сообща|содерж|упомина|указыва|говор|описыва|приводят|уточня|отвеча|называ)\w*"
    r"\b(?!\s+(?:\w+\s+){0,2}?(?:различи|эффект|влияни|улучшени))",
    r"в\s+(?:(?:этих|данных|привед[её]нных|имеющихся)\s+)?"
    r"(?:отрывках|фрагментах|текстах|источниках|статьях|документах)\s+"
    r"(?:не\s+(?:указан|сообща|упомина|упомянут|описан|говорит|приводит|приведен|назван)\w*"
    r"|нет\s+(?:данных|сведений|информации|ответа)\b)",
)
_JAPANESE = (
    r"[^。]{0,40}(?:文献|本文|抜粋|資料|パッセージ|情報)[^。、]{0,40}(?:記載|記述|言及|説明|情報|報告|回答|答え|根拠|データ|示)"
    r"[^。、]{0,12}(?:ありません|ない|いません|できません)[。.]?$",
    r"[^。]{0,40}(?:答えられません|回答できません|わかりません)[。.]?$",
)
_CHINESE = (
    r"[^。，；]{0,12}(?:段落|文献|资料|資料|文章|材料|文本|原文)中?(?:都|均|也|里)?(?:没有|沒有|并未|未|不)(?:明确|具体)?"
    r"(?:提到|提及|说明|說明|报告|報告|报道|给出|提供|包含|描述|涉及|回答|指出)",
)
_IN_WORDS = (*_ENGLISH, *_SPANISH, *_GERMAN, *_FRENCH, *_ITALIAN, *_PORTUGUESE, *_DUTCH, *_POLISH, *_RUSSIAN)
_DECLINES = re.compile(
    rf"(?:(?:unfortunately|sorry|based\s+on\s+{_SOURCE})\b[,\s]*)?(?:{'|'.join(_IN_WORDS)})"
    rf"|{'|'.join((*_JAPANESE, *_CHINESE))}",
    re.IGNORECASE,
)
# "The passages do not say, but it fell by half" declines and then claims.
_CLAIMS = re.compile(
    r"\b(?:but|however|although|though|yet|nevertheless|nonetheless|still|instead|while|whereas|pero|sino|aunque|"
    r"sin\s+embargo|mientras|aber|jedoch|sondern|obwohl|während|mais|cependant|toutefois|tandis|alors\s+que|però|ma|"
    r"tuttavia|mentre|mas|porém|contudo|enquanto|maar|echter|terwijl|"
    r"ale|lecz|jednak|natomiast|choć|chociaż|podczas|но|однако|хотя|тогда\s+как)\b|[;；—]|しかし|ただし|によると|によれば|但|然而|不过",
    re.IGNORECASE,
)
_MEASURED = re.compile(r"\d\s?[%％]|\bp\s?[<=>≤]\s?[0.,]", re.IGNORECASE)
"""Only a finding has a share or a probability."""
LONGEST = 300


def is_abstention(text: str) -> bool:
    """Whether a sentence says only that the sources do not hold the answer.

    Its subject is the source, the question or the writer. "The mice did not show a loss" and "No evidence of bone loss
    was seen" are findings, and need a citation as any other.

    Args:
        text: One sentence without citations, in English, Spanish, German, French, Italian, Portuguese, Dutch, Polish,
            Russian, Japanese or Chinese.
    """
    bare = text.strip().lstrip("*_ ")
    if len(bare) > LONGEST or _CLAIMS.search(bare) or _MEASURED.search(bare):
        return False
    return _DECLINES.match(bare) is not None


_EVIDENCE = re.compile(
    r"\b(?:passages?|contexts?|excerpts?|sources?|papers?|articles?|stud(?:y|ies)|authors?|evidence|pasajes?|fuentes?|"
    r"artículos?|estudios?|autores|evidencias?|passagen?|textstellen?|quellen?|studien?|autoren|belege?|sources|études?|"
    r"auteurs|extraits?|passagens?|fontes?|estudos?|artigos?|brani|fonti|studi|articoli|autori|"
    r"fragment(?:y|ach|ów)|źród(?:ła|łach|eł)|artykuł(?:y|ach|ów)|badani(?:a|ach|u)|autorzy|отрывк(?:и|ах|ов)|"
    r"фрагмент(?:ы|ах|ов)|источник(?:и|ах|ов)|стать(?:я|и|ях|ей)|исследовани(?:е|я|ях)|авторы)\b|文献|論文|研究|本文|段落|资料|文章",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"\b(?:no|not|none|neither|nor|never|cannot|nothing|without|\w+n't|ning\w+|ni|nada|sin|nicht|nichts|keine?[nrms]?|"
    r"aucune?|pas|ne|rien|sans|não|nenhum\w*|nada|sem|non|nessun\w*|senza|"
    r"nie|żad\w+|brak|bez|не|нет|ни)\b|ない|ありません|せん|没有|不|未",
    re.IGNORECASE,
)


def speaks_of_evidence(text: str) -> bool:
    """Whether a sentence may be about the evidence itself: it names passages or studies, and denies something of them.

    Wider than ``is_abstention``; it decides nothing alone, but whether a reader who says so can be believed. A
    sentence with a share or a probability states a finding.
    """
    if is_abstention(text):
        return True
    names_and_denies = _EVIDENCE.search(text) is not None and _DENIAL.search(text) is not None
    return names_and_denies and not _MEASURED.search(text)
