"""Units as papers write them, with their dimension and size: data for ``quantities``."""

from __future__ import annotations

from metrics.support.word_list import words

# name in text → (dimension, factor to that dimension's base unit). Case matters where the SI says so.
_MINUTE = 60.0
_HOUR = 3600.0
_DAY = 86400.0
_YEAR = 365.25 * _DAY

UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("%", "percent", "per cent", "percentage"), ("percent", 1.0)),
    **dict.fromkeys(
        ("percentage points", "percentage point", "percent points", "%-points", "pp"), ("percentage points", 1.0)
    ),
    **dict.fromkeys(("-fold", "fold", " fold", "times", "-times"), ("fold", 1.0)),
    # mass, in grams
    **dict.fromkeys(("kg", "kilogram", "kilograms"), ("mass", 1e3)),
    **dict.fromkeys(("g", "gram", "grams", "gm"), ("mass", 1.0)),
    **dict.fromkeys(("mg", "milligram", "milligrams"), ("mass", 1e-3)),
    **dict.fromkeys(("μg", "ug", "mcg", "microgram", "micrograms"), ("mass", 1e-6)),
    **dict.fromkeys(("ng", "nanogram", "nanograms"), ("mass", 1e-9)),
    **dict.fromkeys(("pg", "picogram", "picograms"), ("mass", 1e-12)),
    # volume, in litres
    **dict.fromkeys(("l", "L", "litre", "litres", "liter", "liters"), ("volume", 1.0)),
    **dict.fromkeys(("dl", "dL", "decilitre", "deciliter"), ("volume", 1e-1)),
    **dict.fromkeys(("ml", "mL", "cc", "millilitre", "milliliter", "millilitres", "milliliters"), ("volume", 1e-3)),
    **dict.fromkeys(("μl", "μL", "ul", "uL", "microlitre", "microliter"), ("volume", 1e-6)),
    # length, in metres
    **dict.fromkeys(("km", "kilometre", "kilometres", "kilometer", "kilometers"), ("length", 1e3)),
    **dict.fromkeys(("m", "metre", "metres", "meter", "meters"), ("length", 1.0)),
    **dict.fromkeys(("cm", "centimetre", "centimetres", "centimeter", "centimeters"), ("length", 1e-2)),
    **dict.fromkeys(("mm", "millimetre", "millimetres", "millimeter", "millimeters"), ("length", 1e-3)),
    **dict.fromkeys(("μm", "um", "micron", "microns", "micrometre", "micrometer"), ("length", 1e-6)),
    **dict.fromkeys(("nm", "nanometre", "nanometer", "nanometres", "nanometers"), ("length", 1e-9)),
    # time, in seconds; months and years are the Julian calendar's means
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), ("time", 1.0)),
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds"), ("time", 1e-3)),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), ("time", _MINUTE)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), ("time", _HOUR)),
    **dict.fromkeys(("d", "day", "days"), ("time", _DAY)),
    **dict.fromkeys(("wk", "wks", "week", "weeks"), ("time", 7 * _DAY)),
    **dict.fromkeys(("mo", "mos", "month", "months"), ("time", _YEAR / 12)),
    **dict.fromkeys(("y", "yr", "yrs", "year", "years", "years'"), ("time", _YEAR)),
    # amount of substance and concentration, in mol and mol/l
    **dict.fromkeys(("mol", "mole", "moles"), ("amount", 1.0)),
    **dict.fromkeys(("mmol", "millimole", "millimoles"), ("amount", 1e-3)),
    **dict.fromkeys(("μmol", "umol", "micromole", "micromoles"), ("amount", 1e-6)),
    **dict.fromkeys(("nmol", "nanomole", "nanomoles"), ("amount", 1e-9)),
    **dict.fromkeys(("pmol", "picomole", "picomoles"), ("amount", 1e-12)),
    "M": ("amount/volume", 1.0),
    "mM": ("amount/volume", 1e-3),
    **dict.fromkeys(("μM", "uM"), ("amount/volume", 1e-6)),
    "nM": ("amount/volume", 1e-9),
    "pM": ("amount/volume", 1e-12),
    # the rest
    **dict.fromkeys(("°C", "° C", "ºC", "degrees C", "degrees Celsius"), ("temperature", 1.0)),
    **dict.fromkeys(("mmHg", "mm Hg"), ("pressure", 133.322)),
    "kPa": ("pressure", 1e3),
    "Pa": ("pressure", 1.0),
    **dict.fromkeys(("kcal", "Cal"), ("energy", 4184.0)),
    **dict.fromkeys(("kJ",), ("energy", 1e3)),
    "J": ("energy", 1.0),
    **dict.fromkeys(("Gy", "gray"), ("dose", 1.0)),
    **dict.fromkeys(("cGy",), ("dose", 1e-2)),
    **dict.fromkeys(("mGy",), ("dose", 1e-3)),
    **dict.fromkeys(("Sv",), ("equivalent dose", 1.0)),
    **dict.fromkeys(("mSv",), ("equivalent dose", 1e-3)),
    **dict.fromkeys(("IU", "iu", "units", "U"), ("units", 1.0)),
    **dict.fromkeys(("kDa",), ("molecular mass", 1e3)),
    **dict.fromkeys(("Da",), ("molecular mass", 1.0)),
    **dict.fromkeys(("kb", "kbp"), ("bases", 1e3)),
    **dict.fromkeys(("bp",), ("bases", 1.0)),
    **dict.fromkeys(("Mb", "Mbp"), ("bases", 1e6)),
    **dict.fromkeys(("Hz",), ("frequency", 1.0)),
    **dict.fromkeys(("kHz",), ("frequency", 1e3)),
    **dict.fromkeys(("MHz",), ("frequency", 1e6)),
    **dict.fromkeys(("ppm",), ("parts", 1.0)),
    **dict.fromkeys(("ppb",), ("parts", 1e-3)),
}

# What may stand under a division stroke beside a unit: "per 1,000 person-years" is left to the words.
COUNTED = frozenset(
    words(
        """
    day d week wk month year h hr min kg m2 copies cells person mouse animal dose
    """
    )
)

_UP_TO_NINETEEN = words(
    """
    two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
    """
)
_TENS = words("twenty thirty forty fifty sixty seventy eighty ninety")
NUMBER_WORDS: dict[str, float] = {
    **{word: float(value) for value, word in enumerate(_UP_TO_NINETEEN, start=2)},
    **{ten: 10.0 * value for value, ten in enumerate(_TENS, start=2)},
    **{
        f"{ten}{joint}{unit}": 10.0 * tens + units
        for tens, ten in enumerate(_TENS, start=2)
        for units, unit in enumerate(("one", *_UP_TO_NINETEEN[:8]), start=1)
        for joint in "- "
    },
}
SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}
# Words that hold number and unit in one.
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
FRACTIONS = {
    "half": 0.5,
    "halves": 0.5,
    **{f"one{joint}{part}": 1 / parts for part, parts in _PARTS.items() for joint in "- "},
    **{
        f"{count}{joint}{part}s": (above + 2) / parts
        for part, parts in _PARTS.items()
        for above, count in enumerate(_UP_TO_NINETEEN[: max(0, parts - 2)])
        for joint in "- "
    },
}
MULTIPLES = {
    "twice": 2.0, "twofold": 2.0, "doubled": 2.0, "doubling": 2.0, "threefold": 3.0, "tripled": 3.0, "fourfold": 4.0,
    "quadrupled": 4.0, "fivefold": 5.0, "sixfold": 6.0, "tenfold": 10.0, "trebled": 3.0,
}  # fmt: skip

COURSE_OF_MULTIPLES = {
    **dict.fromkeys(words("doubled doubling tripled trebled quadrupled"), 1),
    **dict.fromkeys(words("halved halving"), -1),
}
"""Whether a multiple says by itself that something rose, +1, or fell, -1."""

# A number after one of these names a thing and measures nothing: "type 2", "phase 3".
LABELS = frozenset(
    words(
        """
    type types group groups phase phases grade grades stage stages class level figure fig table visit helper
    complex exon chromosome section domain version model no nr chapter criterion arm cohort cycle serotype
    genotype subtype haplogroup
    """
    )
)

# Spelled comparisons, longest first.
COMPARATORS: tuple[tuple[str, str], ...] = (
    ("greater than or equal to", "≥"),
    ("less than or equal to", "≤"),
    ("no more than", "≤"),
    ("no less than", "≥"),
    ("not more than", "≤"),
    ("not less than", "≥"),
    ("more than", ">"),
    ("greater than", ">"),
    ("higher than", ">"),
    ("over", ">"),
    ("above", ">"),
    ("exceeding", ">"),
    ("less than", "<"),
    ("fewer than", "<"),
    ("lower than", "<"),
    ("below", "<"),
    ("under", "<"),
    ("at least", "≥"),
    ("a minimum of", "≥"),
    ("at most", "≤"),
    ("up to", "≤"),
    ("a maximum of", "≤"),
    (">=", "≥"),
    ("<=", "≤"),
    (">", ">"),
    ("<", "<"),
    ("≥", "≥"),
    ("≤", "≤"),
    ("approximately", "~"),
    ("about", "~"),
    ("around", "~"),
    ("roughly", "~"),
    ("nearly", "~"),
    ("almost", "~"),
    ("some", "~"),
    ("~", "~"),
    ("≈", "~"),
    ("ca.", "~"),
)
