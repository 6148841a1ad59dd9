"""Sentences that say only what the sources do not hold, in eleven languages.

    The passages do not say how muscle changed.                declines: nothing to prove
    Les passages n'indiquent pas la dose.                      the same
    Die Passagen zeigen, dass Zink nicht wirkt.                a finding, which needs a proof as any other
    The passages do not say, but it fell by half.              declines and then claims
    The passages do not report the dose, most patients died.   the same without a conjunction

The subject is the source, the question or the writer, and what is denied is a verb of saying, or that there is any
information. What follows names what is missing, in one clause: at most an indirect question opens in it, and nothing
in it is joined, excepted, explained, enclosed, quoted or denied once more. What is not plainly so is a claim, which
needs a proof. A language that is not here is judged as one that states findings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST = 200  # characters of an abstention

_DETERMINER = (
    r"(?:the|its|their|an?|el|la|los|las|una?|les?|l['’]|des|il|lo|gli|i|os?|as|der|die|das|den|de|het|een|een?)"
)
_PREPOSITION = r"(?:of|in|on|for|to|with|from|after|during|by|de|en|di|da|do|em|von|bei|im|auf|pour|du|dans|van|op|à)"
_LAST_PART = rf"(?:{_DETERMINER}\s*)?[\w-]+(?:\s+{_PREPOSITION}\s+(?:{_DETERMINER}\s+)?[\w-]+)?[.!*_]*$"
"""The end of what is missing, a noun with an article and an attribute at most, which can be no clause."""


@dataclass(frozen=True, slots=True)
class _Language:
    """How a language declines, and by what words of it the rest would say more."""

    declines: re.Pattern[str]  # how such a sentence begins
    asks: re.Pattern[str]  # opens an indirect question, at the beginning of what is missing
    further: re.Pattern[str]  # joins or opens another clause, or denies
    strange: re.Pattern[str]  # a letter of a script that the language is not written in

    @classmethod
    def of(
        cls,
        declines: tuple[str, ...],
        asks: str,
        joins: str,
        opens_or_denies: str,
        strange: str = r"[^\W\d_a-zA-Z\u00aa-\u024f\u0370-\u03ff]",
    ) -> _Language:
        """Compile it; "and" may come before the last part of what is missing."""
        return cls(
            re.compile("|".join(declines), re.IGNORECASE),
            re.compile(rf"[\s,]*(?:{asks})\b", re.IGNORECASE),
            re.compile(rf"\b(?:and|y|und|et|{joins})\s+(?!{_LAST_PART})|\b(?:{opens_or_denies})\b", re.IGNORECASE),
            re.compile(strange),
        )


_SOURCE = (
    r"(?:the\s+)?(?:(?:provided|given|retrieved|available|supplied|above|numbered|cited)\s+)*"
    r"(?:passages?|contexts?|texts?|excerpts?|sources?|documents?|papers?|articles?|information)"
    r"(?:\s+(?:provided|given|retrieved|available|above))?"
)
_NOT = r"(?:do(?:es)?\s+not|don't|doesn't|did\s+not|cannot|can't|never)"
_PLAINLY = r"(?:(?:explicitly|directly|specifically|clearly|actually|fully)\s+)?"
_INFORMATION = (
    r"(?:(?:the|an?|any|enough|sufficient|direct|specific|relevant|clear|explicit|further|supporting)\s+){0,3}"
    r"(?:information|data|details?|answers?|mention|description|discussion|explanation|passages?|sources?|figures?|"
    r"values?|numbers?|evidence(?=\W*$|\s+(?:on|about|regarding|concerning|to)\b))\b"
)
# "do not report an effect" and "report no difference" are findings; "do not report the effect" names what is missing.
_RESULT_IN_ENGLISH = (
    r"(?!\s+(?:(?!(?:the|on|about|whether|if|how|which|what|when|where|why|who)\b)[\w-]+\s+){0,3}"
    r"(?:effects?|differences?|improvements?|changes?|benefits?|harms?|increases?|decreases?|reductions?)\b)"
)
_SAYS = (
    rf"(?:{_PLAINLY}(?:(?:say|state|mention|report|address|describe|specif(?:y|ie)|discuss(?:e(?=s))?|answer|cover)s?\b"
    rf"{_RESULT_IN_ENGLISH}|(?:contain|provide|hold|include|give)s?\s+{_INFORMATION}))"
)
_ABOUT = r"(?=\W*$|\s+(?:in|on|about|regarding|concerning|for|to|as\s+to|from|based\s+on|with)\b)"
_QUESTION = r"(?:whether|if|how|which|what|when|where|why|who)\b"
_ENGLISH = _Language.of(
    (
        rf"{_SOURCE}\s+{_NOT}\s+{_SAYS}",
        rf"{_SOURCE}\s+{_NOT}\s+give\s+(?:the|its|their)\b",
        rf"{_SOURCE}\s+(?:say|report|state|tell|mention)s?\s+nothing\s+(?:about|on|of)\b",
        rf"{_SOURCE}\s+(?:give|contain|provide|hold|include|offer)s?\s+no\s+{_INFORMATION}",
        rf"nothing\s+in\s+{_SOURCE}\s+(?:concern|address|mention|describe|report|cover)s?\b{_RESULT_IN_ENGLISH}",
        rf"{_QUESTION}(?P<missing>[^,;:.]{{3,80}}?)\s+(?:is|are)\s+not\s+{_PLAINLY}(?:stated|reported|given|said|described|"
        rf"specified|mentioned|told)\s+(?:in|by)\s+{_SOURCE}(?=\W*$)",
        rf"{_SOURCE}\s+(?:is|are)\s+(?:not\s+(?:sufficient|enough)|insufficient|silent){_ABOUT}",
        rf"(?:none\s+of|no|neither(?:\s+of)?)\s+{_SOURCE}\s+{_SAYS}",
        rf"(?:there\s+is\s+)?(?:no|not\s+enough|insufficient)\s+(?:\w+\s+)?(?:information|answer)\s+"
        rf"(?:(?:is|was|could\s+be)\s+)?(?:available|found|given|provided){_ABOUT}",
        r"(?:there\s+is\s+)?(?:no|not\s+enough|insufficient)\s+(?:\w+\s+)?(?:information|answer|evidence)\s+to\s+answer\b",
        rf"(?:there\s+is\s+)?(?:no|not\s+enough|insufficient)\s+(?:\w+\s+)?(?:information|answer|passages?)\s+"
        rf"(?=(?:(?:on|about|regarding|concerning)\s[^.;]{{0,80}}\s)?(?:in|from)\s+{_SOURCE}\W*$)",
        rf"(?:i|we)\s+(?:could\s+not|cannot|can\s+not|can't|couldn't|am\s+unable\s+to|do\s+not|don't)\s+(?:(?:find|"
        rf"retrieve)\s+{_INFORMATION}|(?:know|determine|tell)(?=\W*$|\s+{_QUESTION}|\s+from\s)|answer(?:\s+(?:this|that|"
        rf"it|the\s+question|this\s+question))?{_ABOUT})",
        rf"could\s+not\s+retrieve\s+{_INFORMATION}",
        rf"(?:this|the|that)\s+(?:question|answer)\s+(?:cannot|can't|could\s+not)\s+be\s+"
        rf"(?:answered|found|determined|given){_ABOUT}",
        rf"(?:this|it)\s+cannot\s+be\s+(?:answered|determined)(?:{_ABOUT}|(?=\s+{_QUESTION}))",
        r"(?:unanswerable|not\s+answerable|no\s+answer)(?=\W*$)",
    ),
    rf"(?:(?:on|about|regarding|concerning|of|for|to|in|at|by|as|from|with)\s+){{0,2}}{_QUESTION}",
    "&",
    rf"which|who|whom|whose|that|what|when|where|why|how|whereby|as(?!\s+to\b)|no|not|none|neither|nor|never|nothing|"
    rf"without|\w+n['’]t|cannot|fail\w*|lack\w*|any(?!\s+{_INFORMATION})",
)

# "do not indicate an effect" and "no muestran diferencias" are findings, whatever the verb.
_NO_RESULT = (
    r"\b(?!\s+(?:(?:d[eiao]|un[ae]?|um|uma|een|el|la|le|il|o|a|de\s+l[ae]|\w*en)\s+|d['’]|l['’])?(?:diff?[eé]ren|differen|"
    r"diferen|effets?\b|efectos?\b|efeitos?\b|effett|effect|verschil|am[eé]lior|mejor|melhor|miglior))"
)
_SPANISH_SOURCE = r"(?:pasajes|fuentes|textos|fragmentos|extractos|documentos|artículos)"
_SPANISH_VERB = (
    r"(?!\w*[ai]d[oa]s?\b)(?:menci|indic|inform|dicen?\b|reportan?\b|contien|proporcion|ofrec|describ|especific|respond|abord|aclar|precis|"
    r"recog|trat|incluy|señal|permit\w+\s+(?:respond|determin|saber)|dan\s+(?:información|respuesta|datos)\b)\w*"
)
_SPANISH = _Language.of(
    (
        rf"(?:los|las|estos|estas)\s+(?:\w+\s+)?{_SPANISH_SOURCE}\s+(?:\w+\s+){{0,2}}?no\s+(?:(?:lo|nos|se)\s+)?"
        rf"{_SPANISH_VERB}{_NO_RESULT}",
        rf"ningun[oa]\s+de\s+(?:los|las|estos|estas)\s+{_SPANISH_SOURCE}\s+(?:\w+\s+)?{_SPANISH_VERB}{_NO_RESULT}",
        r"no\s+(?:hay|se\s+encontr\w+|se\s+pud\w+\s+\w+)\s+(?:\w+\s+)?(?:información|respuesta)"
        r"(?=\W*$|\s+(?:a|en|para|sobre)\b)",
        r"no\s+(?:se\s+puede|es\s+posible)\s+(?:responder|determinar)\b",
    ),
    r"(?:(?:sobre|de|en|a|con|por|acerca\s+de)\s+){0,2}(?:si|cómo|cuánt[oa]s?|cuándo|dónde|cuál(?:es)?|qué|quién(?:es)?)",
    "e",
    r"que|cual(?:es)?|quien(?:es)?|cuando|donde|cuy[oa]s?|no|ni|nunca|ning\w+|nada|nadie|sin|tampoco|fracas\w*",
)
_GERMAN_SOURCE = r"(?:passagen|textstellen|quellen|textpassagen|texten?|auszügen?|abschnitten?|dokumenten?|artikeln?)"
_GERMAN_VERB = (
    r"(?:bericht|nenn|erwähn|enthalt|sag|geb|beschreib|beantwort|behandel|liefer|mach|mitteil|spezifizier|äußer|"
    r"thematisier|informier|erlaub)\w*"
)
_GERMAN_NOTHING = (
    r"keine[rnms]?\s+(?:\w+\s+)?(?:angaben?|informationen|daten|aussagen?|antwort|auskunft|details|einzelheiten)\b"
)
_GERMAN = _Language.of(
    (
        rf"(?:die|diese|den)\s+(?:\w+\s+)?{_GERMAN_SOURCE}\s+{_GERMAN_VERB}\s+"
        r"(?:(?:dazu|hierzu|darüber|dies|das|es|die|den|der)\s+(?:\w+\s+)?)?nichts?\b(?:\s+an\b)?",
        rf"(?:die|diese|in\s+den|in\s+diesen)\s+(?:\w+\s+)?{_GERMAN_SOURCE}\s+\w+\s+(?:\w+\s+){{0,3}}?{_GERMAN_NOTHING}",
        rf"in\s+(?:den|diesen)\s+(?:\w+\s+)?{_GERMAN_SOURCE}\s+(?:wird|werden)\s+(?P<missing>[^.;,]{{0,60}})\bnicht\s+"
        r"(?:genannt|erwähnt|berichtet|angegeben|beschrieben|behandelt|beantwortet)\b",
        rf"(?:über|zu[rm]?|ob|wie|wann|warum|welche\w*)\s(?P<asked>[^.;:]{{3,80}}?),?\s+{_GERMAN_VERB}\s+(?:die|diese)\s+"
        rf"(?:\w+\s+)?{_GERMAN_SOURCE}\s+nichts?(?=\W*$)",
        rf"kein(?:e|er|es)?\s+(?:der|dieser)\s+(?:\w+\s+)?{_GERMAN_SOURCE}\s+{_GERMAN_VERB}",
        rf"(?:die|diese)\s+frage\s+(?:kann|lässt\s+sich)\s+(?:(?:anhand|mit|aus|mithilfe|auf\s+(?:grundlage|basis))\s+"
        rf"(?:(?:der|den|diesen|dieser|von)\s+)?(?:\w+\s+)?{_GERMAN_SOURCE}\s+)?nicht\s+(?:\w+\s+)?beantworten?\w*",
        r"es\s+gibt\s+keine\s+(?:\w+\s+)?(?:angaben|informationen)\b",
    ),
    r"(?:(?:dazu|darüber|hierzu|davon|in|mit|bei|nach|auf|für|von|zu)\s*,?\s+){0,2}(?:ob|wie\s?viele?|wie|welche[nrsm]?|wann|warum|was|wer|wen|wem|wo|woher|weshalb|wodurch|womit)",
    "sowie",
    r"dass|als|weil|nicht|nichts|nie|keine?[nrms]?|weder|noch|ohne|kaum|versag\w*",
)
_FRENCH_SOURCE = r"(?:passages?|extraits?|textes?|sources?|documents?|articles?)"
_FRENCH_VERB = (
    r"(?:indiqu|mentionn|précis|rapport|fourni|contien|donn|trait|abord|décri|spécifi|répond|parl|disent|dit|"
    r"signal|renseign|évoqu|permett)\w*"
)
_FRENCH_NOTHING = (
    r"aucune?s?\s+(?:\w+\s+)?(?:information|donnée|détail|précision|mention|réponse|indication|renseignement)s?\b"
)
_FRENCH = _Language.of(
    (
        rf"(?:les|ces|le|ce)\s+(?:\w+\s+)?{_FRENCH_SOURCE}\s+(?:\w+\s+){{0,2}}?n(?:e\s+|['’])(?:(?:nous|en|y|le)\s+)?"
        rf"{_FRENCH_VERB}\s+(?:pas|rien|point|jamais){_NO_RESULT}",
        rf"(?:les|ces|le|ce)\s+(?:\w+\s+)?{_FRENCH_SOURCE}\s+(?:\w+\s+){{0,2}}?n(?:e\s+|['’])\w+\s+{_FRENCH_NOTHING}",
        rf"aucune?\s+(?:des?\s+(?:ces\s+)?)?{_FRENCH_SOURCE}\s+(?:\w+\s+)?n(?:e\s+|['’]){_FRENCH_VERB}{_NO_RESULT}",
        r"il\s+n(?:['’]y\s+a|['’]existe)\s+(?:pas\s+(?:assez\s+)?d['’e]|aucune)\s*(?:information|réponse|donnée)s?"
        r"(?=\W*$|\s+(?:sur|à|aux?|dans|concernant|relative)\b)",
        r"(?:il\s+n['’]est|on\s+ne\s+peut)\s+pas\s+(?:possible\s+de\s+)?(?:répondre|déterminer)\b",
    ),
    r"(?:(?:sur|de|à|en|pour|par|avec|dans)\s+){0,2}(?:si|comment|combien|quand|où|quel(?:le)?s?|qui|ce\s+qu[ei]|pourquoi)",
    "ainsi",
    r"que|qu|qui|dont|où|lequel|laquelle|lesquel\w+|pas|ne|n|ni|rien|jamais|aucune?s?|sans|échou\w*",
)
_ITALIAN_SOURCE = r"(?:brani|passaggi|passi|testi|fonti|documenti|estratti|articoli)"
_ITALIAN_VERB = (
    r"(?!\w*[aiu]t[oaie]\b)(?:riport|indic|menzion|dicono|forniscon|contengon|specific|descriv|precis|rispond|tratt|affront|chiariscon|"
    r"riferiscon|permetton|consenton)\w*"
)
_ITALIAN = _Language.of(
    (
        rf"(?:i|gli|le|questi|queste)\s+(?:\w+\s+)?{_ITALIAN_SOURCE}\s+(?:\w+\s+){{0,2}}?non\s+(?:(?:ne|lo|ci)\s+)?"
        rf"{_ITALIAN_VERB}{_NO_RESULT}",
        rf"nessun[oa]?\s+(?:dei|degli|delle|di\s+quest[ei])\s+(?:\w+\s+)?{_ITALIAN_SOURCE}\s+(?:\w+\s+)?"
        rf"{_ITALIAN_VERB}{_NO_RESULT}",
        r"non\s+(?:è\s+possibile|si\s+può)\s+(?:rispondere|determinare)\b",
    ),
    r"(?:(?:su|di|in|a|con|per|da)\s+){0,2}(?:se|come|quant[oaie]|quando|dove|qual[ei]|che\s+cosa|cosa|chi|perché)",
    "e|ed",
    r"che|cui|quale|quali|perché|non|né|nessun\w*|mai|nulla|niente|senza|fallit\w*",
)
_PORTUGUESE_SOURCE = r"(?:passagens|trechos|excertos|textos|fontes|documentos|artigos)"
_PORTUGUESE_VERB = (
    r"(?!\w*[ai]d[oa]s?\b)(?:menciona|informa|indica|dizem|relata|reporta|contêm|fornece|descreve|especifica|responde|aborda|esclarece|"
    r"permite|trata)\w*"
)
_PORTUGUESE = _Language.of(
    (
        rf"(?:os|as|estes|estas|esses|essas)\s+(?:\w+\s+)?{_PORTUGUESE_SOURCE}\s+(?:\w+\s+){{0,2}}?não\s+"
        rf"{_PORTUGUESE_VERB}{_NO_RESULT}",
        rf"nenhuma?\s+d[aoe]s?\s+(?:\w+\s+)?{_PORTUGUESE_SOURCE}\s+(?:\w+\s+)?{_PORTUGUESE_VERB}{_NO_RESULT}",
        r"não\s+(?:é\s+possível|se\s+pode)\s+(?:responder|determinar)\b",
    ),
    r"(?:(?:sobre|de|em|a|com|por|para)\s+){0,2}(?:se|como|quant[oa]s?|quando|onde|qual|quais|o\s+que|quem)",
    "e",
    r"que|cuj[oa]s?|quem|não|nem|nunca|nenhum\w*|nada|ninguém|sem|fracass\w*",
)
_DUTCH = _Language.of(
    (
        r"(?:de|deze)\s+(?:\w+\s+)?(?:passages|teksten|bronnen|fragmenten|documenten|artikelen)\s+"
        r"(?:vermeld|noem|meld|rapporteer|geef|gev|zegg|bevat|beschrijv|beantwoord|bespre)\w*\s+"
        r"(?:(?:de|het|dit|dat|daar|er)\s+(?:\w+\s+)?)?"
        r"(?:niets?\b|geen\s+(?:\w+\s+)?(?:informatie|gegevens|antwoord|details)\b)",
    ),
    r"(?:(?:over|van|in|met|voor|bij)\s+){0,2}(?:of|hoe(?:veel)?|welke?|wanneer|waarom|wat|wie|waar\w*)",
    "en",
    r"die|dat|omdat|niet|niets|nooit|geen|zonder|noch|faal\w*",
)

_POLISH = _Language.of(
    (
        r"(?:(?:te|podane|przytoczone|dostępne)\s+)?(?:fragmenty|pasaże|teksty|źródła|artykuły|prace|dokumenty)\s+nie\s+"
        r"(?:podaj|zawieraj|mówi|informuj|wspominaj|opisuj|wymieniaj|określaj|precyzuj|zgłaszaj)\w*"
        r"\b(?!\s+(?:\w+\s+){0,2}?(?:różnic|wpływ|efekt|popraw))",
        r"w\s+(?:(?:tych|podanych|przytoczonych|dostępnych)\s+)?"
        r"(?:fragmentach|pasażach|tekstach|źródłach|artykułach|pracach|dokumentach)\s+"
        r"(?:nie\s+(?:podano|wspomniano|opisano|określono|wymieniono)|brak\s+(?:informacji|danych|odpowiedzi))\b",
    ),
    r"(?:o\s+tym,?\s+)?(?:czy|jak|ile|kiedy|gdzie|dlaczego|jak[aiąe]\w*|któr\w+|co|kto)",
    "i|oraz",
    r"który|która|które|których|że|żeby|nie|nigdy|nikt|nic|bez|żad\w*",
)
_RUSSIAN = _Language.of(
    (
        r"(?:(?:эти|данные|привед[её]нные|имеющиеся)\s+)?(?:отрывки|фрагменты|тексты|источники|статьи|документы)\s+не\s+"
        r"(?:сообща|содерж|упомина|указыва|говор|описыва|приводят|уточня|называ)\w*"
        r"\b(?!\s+(?:\w+\s+){0,2}?(?:различи|эффект|влияни|улучшени))",
        r"в\s+(?:(?:этих|данных|привед[её]нных|имеющихся)\s+)?"
        r"(?:отрывках|фрагментах|текстах|источниках|статьях|документах)\s+"
        r"(?:не\s+(?:указан|сообща|упомина|упомянут|описан|говорит|приводит|приведен|назван)\w*"
        r"|нет\s+(?:данных|сведений|информации|ответа)\b)",
    ),
    r"(?:о\s+том,?\s+)?(?:как\w*|сколько|когда|где|почему|что|кто|котор\w+)",
    "и",
    r"котор\w*|что|чтобы|не|ни\w*|без",
    r"[^\W\d_a-zA-Zа-яА-ЯёЁ]",
)

_IN_WORDS = (_ENGLISH, _SPANISH, _GERMAN, _FRENCH, _ITALIAN, _PORTUGUESE, _DUTCH, _POLISH, _RUSSIAN)
_OPENER = re.compile(rf"(?:unfortunately|sorry|based\s+on\s+{_SOURCE})\b[,\s]*", re.IGNORECASE)

_ASKED_IN_JAPANESE = (
    r"(?:(?![^。]*(?:ので|けど|けれど|[るすたいだ]が))[^。、]{1,40}"
    r"か(?:どうか)?(?:に?ついて|に関して|に関する|は|も|を|の)*)"
)
_THING_IN_JAPANESE = r"(?:(?:(?![ぁ-ゟ])[\w・]){1,20}(?:について|に関して|に関する|における|の|は|も|が|を)+){0,3}"
_JAPANESE = re.compile(
    r"(?:(?:提供された|与えられた|検索された|引用された|これらの|上記の|この)*(?:文献|本文|抜粋|資料|パッセージ|情報)(?:に|で|から)?(?:は|も)?、?)"
    rf"(?:{_ASKED_IN_JAPANESE}|{_THING_IN_JAPANESE})(?:明確な|具体的な)?"
    r"(?:記載|記述|言及|説明|情報|報告|回答|答え|データ)(?:が|は|も|を)?(?:され|し|され?て|して|見つかり|見当たり|でき)?"
    r"(?:て?い)?(?:ありません|ません|ない|いません|できません)[。.]?$"
    rf"|(?:{_ASKED_IN_JAPANESE}|(?:この|その)?(?:質問|問い)(?:に|には|は))?(?:答えられません|回答できません|わかりません)[。.]?$"
)
_CHINESE = re.compile(
    r"(?:这些|该|这|所?提供的|给定的|检索到的|上述|以上|所有|所引用的)*(?:段落|文献|资料|資料|文章|材料|文本|原文)中?(?:都|均|也|里)?"
    r"(?:没有|沒有|并未|未)(?:明确|具体)?(?:提到|提及|说明|說明|报告|報告|报道|给出|提供|包含|描述|涉及|回答|指出)"
    r"[^。，、；：,因但却而只仅除没不未所]{0,25}[。.]?$"
)

_SEPARATES = re.compile(
    r"[;:；：()（）\[\]{}—–…«»„“”\"‹›「」『』，、|/\n]|\s-\s|[.!?](?=\s+\S)|[。！？](?=.)"
    rf"|,(?!\s*(?:or|o|ou|oder|of)\b)(?!\s*(?:{_DETERMINER}\s+)?[\w-]+(?:\s*,|\s+(?:or|o|ou|oder|of)\b))"
)
"""Signs behind which another clause may come; commas may list nouns before "or"."""
_TURNS = re.compile(
    r"\b(?:but|however|although|though|yet|nevertheless|nonetheless|still|instead|while|whereas|because|since|so|thus|"
    r"hence|therefore|despite|except\w*|besides|beyond|than|only|merely|just|simply|rather|unlike|due|even|unless|fact|"
    r"pero|sino|aunque|embargo|mientras|porque|pues|puesto|ya|salvo|excepto|sol[oa]|sólo|solamente|únicamente|además|"
    r"aber|jedoch|sondern|obwohl|während|weil|denn|außer|ausser|nur|lediglich|trotz|deshalb|daher|"
    r"mais|cependant|toutefois|tandis|alors|car|parce|puisque|sauf|seulement|uniquement|hormis|malgré|outre|donc|"
    r"però|ma|tuttavia|mentre|poiché|tranne|soltanto|eccetto|quindi|nonostante|benché|sebbene|"
    r"mas|porém|contudo|enquanto|pois|exceto|apenas|somente|só|embora|portanto|apesar|além|"
    r"maar|echter|terwijl|omdat|behalve|alleen|slechts|dus|"
    r"ale|lecz|jednak|natomiast|choć|chociaż|podczas|bo|ponieważ|gdyż|oprócz|prócz|tylko|jedynie|więc|"
    r"но|однако|хотя|тогда|потому|поскольку|кроме|только|лишь|зато|поэтому)\b|しかし|ただし|によると|によれば|但|然而|不过",
    re.IGNORECASE,
)
"""Words that contrast, give a reason, except or single out: with them something is said, not only missing."""
_MEASURED = re.compile(r"\d\s?[%％]|\bp\s?[<=>≤]\s?[0.,]", re.IGNORECASE)  # only a finding has a share or a probability


def is_measured(text: str) -> bool:
    """Whether a text tells a share or a probability, as only a finding does."""
    return _MEASURED.search(text) is not None


def is_abstention(text: str) -> bool:
    """Whether a sentence says only that the sources do not hold the answer.

    Its subject is the source, the question or the writer. "The mice did not show a loss" and "No evidence of bone loss
    was seen" are findings, and need a citation as any other.

    Args:
        text: One sentence without citations, in English, Spanish, German, French, Italian, Portuguese, Dutch, Polish,
            Russian, Japanese or Chinese.
    """
    bare = text.strip().strip("*_ ")
    if len(bare) > LONGEST or _TURNS.search(bare) or is_measured(bare):
        return False
    if _JAPANESE.match(bare) or _CHINESE.match(bare):
        return True
    if opener := _OPENER.match(bare):
        bare = bare[opener.end() :]
    return any(_only_declines(bare, language) for language in _IN_WORDS)


def _only_declines(text: str, language: _Language) -> bool:
    declined = language.declines.match(text)
    if declined is None:
        return False
    missing = f"{''.join(filter(None, declined.groupdict().values()))}{text[declined.end() :]}"
    if asked := language.asks.match(missing):
        missing = missing[asked.end() :]
    return not any(each.search(missing) for each in (_SEPARATES, language.further, language.strange))
