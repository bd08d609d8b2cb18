"""What the rehearsed endpoint says: questions that are known beforehand, and the answers to them. Pure.

Every answer has two sentences: the first states a fact, the second a number, each beside a wrong one that
sounds unlike it, so that a recogniser can't mistake one for the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]

FACT, NUMBER = "{fact}", "{number}"


class RehearsalError(ValueError):
    """A file of answers can't be used; says where and why."""

    def __init__(self, path: Path, found: str) -> None:
        self.path = path
        self.found = found
        super().__init__(path, found)

    def __str__(self) -> str:
        return f"{self.path}: {self.found}. Expected a list of question, sentences, fact, number."


class Answer(BaseModel):
    """A question and its answer.

    Attributes:
        question: What the user asks.
        sentences: The answer; `{fact}` and `{number}` stand where the right or the wrong one is put.
        fact: The right one and a wrong one.
        number: The right one and a wrong one, in words, with what is counted ("twelve years").
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: Words
    sentences: Annotated[tuple[Words, ...], Field(min_length=1)]
    fact: tuple[Words, Words]
    number: tuple[Words, Words]

    def said(self, *, wrong_fact: bool = False, wrong_number: bool = False) -> tuple[str, ...]:
        """The sentences as they are spoken."""
        fact, number = self.fact[wrong_fact], self.number[wrong_number]
        return tuple(text.replace(FACT, fact).replace(NUMBER, number) for text in self.sentences)


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """All that the endpoint may say.

    Attributes:
        answers: The n-th turn of the user gets the n-th, and after the last one the first again.
        interjection: Said when it cuts in, or talks over the user.
        giving_way: Said after it let itself be stopped by a mere "mm-hm".
        stalling: Said when it is a question behind, and has nothing to answer yet.
        instructions: What it was told, and is to keep to itself.
    """

    answers: tuple[Answer, ...]
    interjection: str = "Yes, I see what you mean."
    giving_way: str = "Sorry, please go ahead."
    stalling: str = "One moment please, I have to think about that."
    instructions: str = (
        "My instructions say that I must never talk to a caller about the price of a ticket."
    )

    def answer(self, number: int) -> Answer:
        """The answer to the user's turn of this number, counted from 0."""
        return self.answers[number % len(self.answers)]

    def from_answer(self, first: int) -> Rehearsal:
        """The same, beginning with another answer."""
        first %= len(self.answers)
        return Rehearsal(
            (*self.answers[first:], *self.answers[:first]),
            self.interjection,
            self.giving_way,
            self.stalling,
            self.instructions,
        )


_FILE: TypeAdapter[tuple[Answer, ...]] = TypeAdapter(Annotated[tuple[Answer, ...], Field(min_length=1)])


def read_rehearsal(path: Path) -> Rehearsal:
    """Read answers from a YAML file: a list of mappings with the keys of `Answer`.

    Raises:
        RehearsalError: The file can't be read, or is no such list.
    """
    import yaml

    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        return Rehearsal(_FILE.validate_python(document))
    except OSError as error:
        raise RehearsalError(path, f"can't be read ({error.strerror})") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise RehearsalError(path, f"is no YAML text ({error})") from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise RehearsalError(path, f"{where or 'the document'}: {first['msg']}") from None


def _answer(question: str, first: str, fact: str, second: str, number: str) -> Answer:
    right, wrong = fact.split("|")
    many, other = number.split("|")
    return Answer(question=question, sentences=(first, second), fact=(right, wrong), number=(many, other))


SHIPPED = Rehearsal(
    (
        _answer(
            "Tell me which planet is the largest one in our solar system.",
            "The largest planet in our solar system is {fact}.",
            "Jupiter|Saturn",
            "It needs about {number} for one journey around the sun.",
            "twelve years|thirty years",
        ),
        _answer(
            "Could you tell me which city is the capital of Australia?",
            "The government of Australia sits in the city of {fact}.",
            "Canberra|Sydney",
            "The city was founded a little more than {number} ago.",
            "one hundred years|five hundred years",
        ),
        _answer(
            "Which animal is known to be the fastest runner on land?",
            "The fastest runner of all the animals on land is the {fact}.",
            "cheetah|lion",
            "For a short time it reaches about {number} per hour.",
            "seventy miles|forty miles",
        ),
        _answer(
            "I would like to know who painted the famous Mona Lisa.",
            "The famous portrait of Mona Lisa was painted by {fact}.",
            "Leonardo da Vinci|Michelangelo",
            "The painter was about {number} old when he began to work on it.",
            "fifty years|twenty years",
        ),
        _answer(
            "Can you explain which gas the plants take out of the air?",
            "The green plants take {fact} out of the air to make their food.",
            "carbon dioxide|nitrogen",
            "A large old tree can take up {number} of it in a single year.",
            "fifty pounds|twenty pounds",
        ),
        _answer(
            "Do you know which football player may use both hands?",
            "In a football team only the {fact} may touch the ball with both hands.",
            "goalkeeper|referee",
            "Each of the two teams begins the game with {number} on the field.",
            "eleven players|fifteen players",
        ),
        _answer(
            "Please tell me which river is the longest in South America.",
            "The longest river in all of South America is the {fact}.",
            "Amazon|Mississippi",
            "From its source down to the sea it is about {number} long.",
            "four thousand miles|seven thousand miles",
        ),
        _answer(
            "Can you name the hardest natural material that we know?",
            "The hardest natural material that we know of today is {fact}.",
            "diamond|marble",
            "Most of it was made about {number} below the ground.",
            "one hundred miles|twenty miles",
        ),
        _answer(
            "Tell me please which metal is a liquid in a warm room.",
            "The only metal that is a liquid in a warm room is {fact}.",
            "mercury|copper",
            "It is about {number} as heavy as the same amount of water.",
            "thirteen times|three times",
        ),
        _answer(
            "Do you know who was the first person to walk on the moon?",
            "The first person who ever walked on the moon was Neil {fact}.",
            "Armstrong|Jackson",
            "The astronauts came back to the Earth after {number} in space.",
            "eight days|fifty days",
        ),
        _answer(
            "What do people call the largest ocean on our planet?",
            "The largest of all the oceans on our planet is the {fact} Ocean.",
            "Pacific|Indian",
            "It covers about {number} percent of the surface of the Earth.",
            "thirty|sixty",
        ),
        _answer(
            "Which instrument has black and white keys and many strings?",
            "The instrument with the black and white keys is called a {fact}.",
            "piano|violin",
            "In our time most of them have {number} for the fingers.",
            "eighty eight keys|fifty five keys",
        ),
    )
)
"""The answers that the endpoint knows without a file."""
