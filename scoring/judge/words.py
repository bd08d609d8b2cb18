"""English word lists of the rules judge, in the forms of `matching.tokens`: units, opposites and others."""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


ORDINALS = {
    word: n
    for n, word in enumerate(
        ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"), 1
    )
}

_DIMENSIONS: dict[str, dict[str, float]] = {
    "length": {
        "nanometre": 1e-9,
        "micrometre": 1e-6,
        "millimetre": 1e-3,
        "centimetre": 1e-2,
        "inch": 0.0254,
    }
    | {"foot": 0.3048, "metre": 1, "kilometre": 1e3, "mile": 1609.344},
    "mass": {"microgram": 1e-6, "milligram": 1e-3, "gram": 1, "kilogram": 1e3, "tonne": 1e6, "ton": 1e6},
    "volume": {"millilitre": 1e-3, "litre": 1},
    "time": {"nanosecond": 1e-9, "microsecond": 1e-6, "millisecond": 1e-3, "second": 1, "minute": 60}
    | {"hour": 3600, "day": 86400, "week": 604800, "month": 2629800, "year": 31557600}
    | {"decade": 315576000, "century": 3155760000},
    "angle or temperature": {"degree": 1, "celsius": 1},
    "absolute temperature": {"kelvin": 1},
    "temperature in fahrenheit": {"fahrenheit": 1},
    "energy": {"joule": 1, "kilojoule": 1e3, "calorie": 4.184},
    "energy of particles": {"electronvolt": 1},
    "power": {"watt": 1, "kilowatt": 1e3, "megawatt": 1e6},
    "voltage": {"millivolt": 1e-3, "volt": 1},
    "current": {"ampere": 1},
    "resistance": {"ohm": 1},
    "frequency": {"hertz": 1, "kilohertz": 1e3, "megahertz": 1e6, "gigahertz": 1e9},
    "pressure": {"pascal": 1, "hectopascal": 100, "kilopascal": 1e3, "bar": 1e5, "atmosphere": 101325},
    "amount": {"millimole": 1e-3, "mole": 1},
    "share": {"percent": 1},
    "concentration": {"part": 1},
    "data": {"bit": 1, "byte": 8, "kilobyte": 8e3, "megabyte": 8e6, "gigabyte": 8e9},
    "ratio": {"time": 1, "fold": 1},
}

UNITS = {unit: (name, factor) for name, units in _DIMENSIONS.items() for unit, factor in units.items()}
"""Units with what they measure and how many of its basic unit they are."""

ABOUT = _set("about around roughly approximately nearly almost some circa")
"""Words that make the number after them an approximate one."""

OVER = _set("over above beyond exceeding")
UNDER = _set("under below")
AT_LEAST = frozenset({("more", "than"), ("at", "least"), ("greater", "than"), ("higher", "than")})
AT_MOST = frozenset({("less", "than"), ("fewer", "than"), ("at", "most"), ("up", "to"), ("lower", "than")})
"""Words that make the number after them a bound."""

RANGE = _set("to or and")
"""What may stand between the two ends of a range."""

DATING = _set("in since until by year around about before after of from")
"""Words after which a number of four digits is a year."""

SPELLINGS = {"meter": "metre", "liter": "litre", "amp": "ampere"}
"""American endings of units, and the forms in `UNITS`."""

OPPOSITES: tuple[tuple[str, str], ...] = (
    (
        "increase increased increasing rise rising rose raise raised raising grow grew growing gain climb",
        "decrease decreased decreasing fall falling fell lower lowered lowering reduce reduced reducing"
        " drop dropped dropping decline shrink shrinking sink",
    ),
    ("more", "less fewer"),
    ("high higher highest", "low lower lowest"),
    ("up", "down"),
    ("speed accelerate", "slow brake decelerate"),
    ("fast faster quick quickly quicker rapid rapidly", "slow slowly slower"),
    ("hard harder hardness", "soft softer"),
    ("large larger big bigger huge coarse", "small smaller tiny fine"),
    ("inner", "outer"),
    ("above over", "below beneath under"),
    ("dark darker", "bright brighter light lighter"),
    ("absorb absorbed absorbing", "reflect reflected release emit emitted"),
    ("expand expanding expansion", "contract contracting shrink shrinking"),
    ("produce produced make", "consume consumed destroy use"),
    ("well", "badly poorly"),
    ("infinite infinitely", "finite finitely"),
    ("same equal identical equally", "different differ unequal"),
    ("sorted ordered", "unsorted unordered"),
    ("positive positively", "negative negatively"),
    ("acid acidic", "basic alkaline"),
    ("warm warmer warming heat hot hotter", "cool cooler cooling cold colder chill"),
    ("single", "many several multiple"),
    ("strong stronger strengthen", "weak weaker weaken"),
    ("close closer near nearer", "far farther further distant"),
    ("before earlier", "after later"),
    ("attract attraction attracted", "repel repulsion repelled"),
    ("melt melting thaw", "freeze freezing solidify"),
    ("long longer", "short shorter"),
    ("activate activated", "inhibit inhibited deactivate suppress"),
    ("oxidise oxidize oxidation", "reduction"),
    ("maximum maximal", "minimum minimal"),
    ("always", "never"),
    ("wide wider broad", "narrow narrower"),
    ("thick thicker", "thin thinner"),
    ("exothermic", "endothermic"),
    ("redshift redshifted", "blueshift blueshifted"),
    ("day", "night"),
    ("solid", "liquid gaseous"),
    ("import", "export"),
    ("linear", "quadratic exponential logarithmic"),
    ("true", "false"),
)  # fmt: skip
"""Words that say the opposite of each other, a side's words among themselves the same."""

EMPTY = _set("a an the of to in on at by for is are was be it its that this and or as with from")
"""Words that say nothing by themselves."""

RULING_OUT = _set("not without no")

BETWEEN = _set("to by in on of at for from with any a an the some")
"""What may stand between a word that rules out and what it rules out."""

UNIVERSAL = _set("all every each any whatever whichever always never no none not")
"""Words of a fact that holds without exception."""

RESTRICTING = frozenset(
    {("only", "if"), ("only", "when"), ("only", "for"), ("except", "for"), ("long", "as")}
)
"""Pairs of words that begin an exception."""

SUBJECTS = _set(
    "but because since so although though while whereas which who where when if there it they he she we you"
    " i and that"
)
"""Words with which something new begins: a negator does not reach across them."""

JOINING = _set("that if and")
"""Of these, the ones a negator before them reaches across ("not true that ...")."""

LACK = _set(
    "zero 0 only useless ineffective fail unable impossible free lack lose loses vanish vanishe disappear"
    " without unaffected unchanged powerless"
)
"""Words that deny without being negators."""

IMPLICIT = _set("rid avoid deny escape ignore prevent help forget")
"""Words that cancel a negator before them: who cannot get rid of a noise has it."""

COPULAS = _set("is are was were be been")
"""Forms after which a negator denies the subject: "the tilt is not what makes the seasons"."""

ELSEWHERE = _set("unlike whereas while than compared")
"""Words that begin what is set against the subject of a sentence."""

SCARCE = _set("free lack zero")
"""Words that come near to denying what stands right after them ("of" aside)."""
