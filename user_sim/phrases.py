"""What any user says besides the scenario's own words, by language and by the persona's trait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scenarios.schema import Trait


@dataclass(frozen=True, slots=True)
class Phrases:
    """The set phrases of one language; `{point}` stands for what is asked about.

    Attributes:
        still_there: After a silence.
        no_answer: Before hanging up on an endpoint that does not answer.
        repeat: The reply could not be understood.
        let_go: Gives a topic up politely, before the next question.
        goodbye: Ends the call where the scenario has no words for it.
        missing: Asks about something that the replies left out.
        doubtful: Asks about something that a reply got wrong.
        traits: Wordings of `missing` that fit a trait better than the general ones.
        backchannels: Show that the user listens.
        fillers: Said while words are looked for.
    """

    still_there: str
    no_answer: str
    repeat: tuple[str, ...]
    let_go: str
    goodbye: str
    missing: tuple[str, ...]
    doubtful: tuple[str, ...]
    traits: Mapping[Trait, tuple[str, ...]]
    backchannels: tuple[str, ...] = ("mm-hm", "uh-huh", "right")
    fillers: tuple[str, ...] = ("um", "uh", "er")

    def asking(self, trait: Trait) -> Sequence[str]:
        """Wordings of a question about a missing point."""
        return self.traits.get(trait, self.missing)


_ENGLISH = Phrases(
    still_there="Sorry, are you still there?",
    no_answer="I can't hear you, so I will hang up now. Goodbye.",
    repeat=(
        "Sorry, I didn't catch that. Could you say it again?",
        "I'm afraid I couldn't understand you. Could you repeat that, please?",
    ),
    let_go="All right, let's leave it at that.",
    goodbye="Thank you, that was all I wanted to know. Goodbye.",
    missing=(
        "Could you say a bit more about {point}?",
        "And what about {point}?",
    ),
    doubtful=(
        "Hm, are you sure? Could you check what you said about {point}?",
        "That is not what I expected. What exactly is right about {point}?",
    ),
    traits={
        Trait.CURIOUS: (
            "Interesting! And what about {point}?",
            "I'd love to know more about {point}. Could you explain that?",
        ),
        Trait.PATIENT: (
            "Thank you. Take your time, but could you also explain {point}?",
            "That helps. Could we go through {point} as well?",
        ),
        Trait.ANXIOUS: (
            "Sorry, I'm worried that I missed something. What about {point}?",
            "I'm not sure I follow. Could you please explain {point} once more?",
        ),
        Trait.OVERCONFIDENT: (
            "Sure, I knew that. But you left out {point}, didn't you?",
            "Obviously. But what do you say about {point}?",
        ),
        Trait.PRACTICAL: (
            "All right. What do I need to know about {point}?",
            "Let's keep it practical. What about {point}?",
        ),
    },
)

_GERMAN = Phrases(
    still_there="Entschuldigung, sind Sie noch da?",
    no_answer="Ich kann Sie nicht hören, ich lege jetzt auf. Auf Wiederhören.",
    repeat=("Entschuldigung, das habe ich nicht verstanden. Können Sie das bitte wiederholen?",),
    let_go="Gut, lassen wir es dabei.",
    goodbye="Vielen Dank, das war alles, was ich wissen wollte. Auf Wiederhören.",
    missing=("Können Sie noch etwas mehr sagen zum Thema {point}?", "Und wie ist das mit {point}?"),
    doubtful=("Sind Sie sicher? Was genau stimmt beim Thema {point}?",),
    traits={},
    backchannels=("mhm", "ja", "genau"),
    fillers=("ähm", "äh"),
)

_FRENCH = Phrases(
    still_there="Excusez-moi, vous êtes toujours là ?",
    no_answer="Je ne vous entends pas, je vais raccrocher. Au revoir.",
    repeat=("Pardon, je n'ai pas compris. Pouvez-vous répéter, s'il vous plaît ?",),
    let_go="Très bien, laissons cela.",
    goodbye="Merci, c'est tout ce que je voulais savoir. Au revoir.",
    missing=("Pouvez-vous en dire un peu plus sur ce point : {point} ?", "Et à propos de ceci : {point} ?"),
    doubtful=("Vous êtes sûr ? Qu'est-ce qui est exact sur ce point : {point} ?",),
    traits={},
    backchannels=("mm-hm", "oui", "d'accord"),
    fillers=("euh", "hum"),
)

_SPANISH = Phrases(
    still_there="Perdone, ¿sigue ahí?",
    no_answer="No le oigo, así que voy a colgar. Adiós.",
    repeat=("Perdone, no le he entendido. ¿Puede repetirlo, por favor?",),
    let_go="De acuerdo, dejémoslo así.",
    goodbye="Gracias, eso es todo lo que quería saber. Adiós.",
    missing=("¿Puede contarme algo más sobre este punto: {point}?", "¿Y qué hay de esto: {point}?"),
    doubtful=("¿Está seguro? ¿Qué es lo correcto sobre este punto: {point}?",),
    traits={},
    backchannels=("ajá", "sí", "claro"),
    fillers=("eh", "este"),
)

_CHINESE = Phrases(
    still_there="不好意思，您还在吗？",
    no_answer="我听不到您的声音，先挂了。再见。",
    repeat=("不好意思，我没听清楚，您能再说一遍吗？",),
    let_go="好的，这个先说到这里。",
    goodbye="谢谢，我想问的就是这些。再见。",
    missing=("关于{point}，您能再多说一点吗？", "那{point}呢？"),
    doubtful=("您确定吗？关于{point}，正确的说法是什么？",),
    traits={},
    backchannels=("嗯", "对", "好的"),
    fillers=("呃", "那个"),
)

_LANGUAGES = {"en": _ENGLISH, "de": _GERMAN, "fr": _FRENCH, "es": _SPANISH, "zh": _CHINESE}


def phrases(language: str) -> Phrases:
    """The phrases of a language tag ("en", "de-AT"); English for one that has none here."""
    return _LANGUAGES.get(language.split("-")[0], _ENGLISH)
