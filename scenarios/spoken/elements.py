"""The chemical elements, by symbol."""

from __future__ import annotations

_SYMBOLS = (
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br"
    " Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er"
    " Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md"
    " No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og"
)
_NAMES = (
    "hydrogen helium lithium beryllium boron carbon nitrogen oxygen fluorine neon sodium magnesium"
    " aluminium silicon phosphorus sulphur chlorine argon potassium calcium scandium titanium vanadium"
    " chromium manganese iron cobalt nickel copper zinc gallium germanium arsenic selenium bromine"
    " krypton rubidium strontium yttrium zirconium niobium molybdenum technetium ruthenium rhodium"
    " palladium silver cadmium indium tin antimony tellurium iodine xenon caesium barium lanthanum"
    " cerium praseodymium neodymium promethium samarium europium gadolinium terbium dysprosium holmium"
    " erbium thulium ytterbium lutetium hafnium tantalum tungsten rhenium osmium iridium platinum gold"
    " mercury thallium lead bismuth polonium astatine radon francium radium actinium thorium"
    " protactinium uranium neptunium plutonium americium curium berkelium californium einsteinium"
    " fermium mendelevium nobelium lawrencium rutherfordium dubnium seaborgium bohrium hassium"
    " meitnerium darmstadtium roentgenium copernicium nihonium flerovium moscovium livermorium"
    " tennessine oganesson"
)

ELEMENTS: dict[str, str] = dict(zip(_SYMBOLS.split(), _NAMES.split(), strict=True))
"""Names by symbol."""


def _by_first_letter() -> str:
    """Symbols grouped by their first letter: "C[adefmnorsu]?" is quicker to read than nine alternatives."""
    groups: dict[str, str] = {}
    for symbol in ELEMENTS:
        groups[symbol[0]] = groups.get(symbol[0], "") + symbol[1:]
    return "|".join(
        f"{first}[{second}]{'?' if first in ELEMENTS else ''}" if second else first
        for first, second in groups.items()
    )


SYMBOL = f"(?:{_by_first_letter()})"
"""A pattern for the symbol of an element, the longest that fits."""
