"""Finding answers, in the spellings of a recogniser and in the course of a dialogue."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import cast

import pytest

from streams.clock import run
from streams.language.client import LanguageModel
from streams.language.client import Message as Line
from streams.reference.answers import GREETING, NOT_HEARD, KnowledgeAnswerer, LanguageAnswerer
from streams.reference.dialogue import Message, Role
from streams.reference.knowledge_base import KnowledgeBase
from streams.reference.sentences import SentenceCutter, sentences

BASE = KnowledgeBase.load()
ANSWERER = KnowledgeAnswerer(BASE)


def entry_of(answer: str) -> str:
    told = BASE.told(answer)
    return f"{told.topic.topic}/{told.entry.id}" if told else answer


def dialogue(*questions: str) -> list[str]:
    """Names of the entries that answer these questions, asked one after the other."""
    messages: list[Message] = []
    found = []
    for question in questions:
        messages.append(Message(Role.USER, question))
        answer = ANSWERER.find(messages)
        messages.append(Message(Role.ASSISTANT, answer))
        found.append(entry_of(answer))
    return found


@pytest.mark.parametrize(
    ("question", "entry"),
    [
        ("What is CRISPR-Cas9?", "CRISPR-Cas9/concept"),
        ("What is crisper cas nine?", "CRISPR-Cas9/concept"),
        ("What is Chrisper Cas 9", "CRISPR-Cas9/concept"),
        ("What is crisper cast nine?", "CRISPR-Cas9/concept"),  # this is what whisper-tiny makes of it
        ("What is the pan sequence?", "CRISPR-Cas9/pam"),
        ("Should we edit embry those?", "CRISPR-Cas9/ethics"),
        ("What are the applications of MRA?", "mRNA vaccines/application"),
        ("How much is it ticket?", "the science museum/tickets"),
        ("Hello. Um, could you please explain CRISPR to me?", "CRISPR-Cas9/concept"),
        ("How does crisper cas9 find its target?", "CRISPR-Cas9/mechanism"),
        ("What are the applications of gene editing in medicine?", "CRISPR-Cas9/application"),
        ("Who discovered CRISPR?", "CRISPR-Cas9/milestone"),
        ("What are of target effects of crisper?", "CRISPR-Cas9/characteristics"),
        ("What is an M RNA vaccine?", "mRNA vaccines/concept"),
        ("How are mRNA vaccines made safe?", "mRNA vaccines/safety"),
        ("Why do mRNA vaccines have to be kept cold?", "mRNA vaccines/storage"),
        ("Can mRNA vaccines change my DNA?", "mRNA vaccines/mechanism"),
        ("What are mRNA vaccines used for?", "mRNA vaccines/application"),
        ("What is photo synthesis?", "photosynthesis/concept"),
        ("What happens in the Kelvin cycle of photosynthesis?", "photosynthesis/mechanism"),
        ("What's a back hole?", "black holes/concept"),
        ("How do black holes form?", "black holes/mechanism"),
        ("What are your opening hours tomorrow?", "the science museum/hours"),
        ("how much are the tickets for students", "the science museum/tickets"),
        ("Is there a guided tour at the museum?", "the science museum/tours"),
        ("What is viva voce?", "vivavoce/concept"),
        ("What can I ask you?", "courtesy/topics"),
        ("Hi, who are you?", "courtesy/identity"),
        ("Thank you, that was very helpful.", "courtesy/thanks"),
        ("Hello!", "courtesy/greeting"),
        ("Thanks a lot.", "courtesy/thanks"),
        ("No, that's all. Goodbye.", "courtesy/goodbye"),
        ("Are you still there?", "courtesy/present"),
    ],
)
def test_a_question_finds_its_entry(question: str, entry: str) -> None:
    assert dialogue(question) == [entry]


def test_a_follow_up_stays_with_the_topic() -> None:
    assert dialogue(
        "What is CRISPR?",
        "How does it work?",
        "Can you say more about the guide RNA?",
        "And who discovered it?",
        "What about its applications?",
        "Is it safe?",
    ) == [
        f"CRISPR-Cas9/{name}"
        for name in ("concept", "mechanism", "guide", "milestone", "application", "characteristics")
    ]


def test_the_same_words_mean_another_thing_in_another_topic() -> None:
    assert dialogue(
        "What is a black hole?", "Who discovered it?", "And photosynthesis, who discovered that?"
    ) == [
        "black holes/concept",
        "black holes/milestone",
        "photosynthesis/milestone",
    ]


def test_a_question_may_leave_the_topic_without_naming_the_new_one() -> None:
    assert dialogue("What is CRISPR?", "When does it open on Sunday?")[1] == "the science museum/hours"


def test_more_tells_what_was_not_told() -> None:
    found = dialogue("What is CRISPR?", "Tell me more.", "Go on, please.")
    assert found == ["CRISPR-Cas9/concept", "CRISPR-Cas9/mechanism", "CRISPR-Cas9/milestone"]


def test_of_several_questions_that_do_not_fit_together_the_last_is_answered() -> None:
    heard = "How does it find its target? What are mRNA vaccines? And how are they stored in a freezer?"
    assert dialogue(heard)[0] == "mRNA vaccines/storage"
    assert dialogue("Who is the king of Denmark? What is CRISPR?")[0] == "CRISPR-Cas9/concept"


def test_the_same_question_gets_the_same_answer() -> None:
    assert dialogue("What is photosynthesis?", "What is photosynthesis?") == ["photosynthesis/concept"] * 2


def test_an_answer_can_be_repeated() -> None:
    assert (
        dialogue("Why are plants green in photosynthesis?", "Sorry, can you repeat that?")
        == ["photosynthesis/characteristics"] * 2
    )


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("What is the capital of France?", "capital france"),
        ("How does quantum computing work?", "quantum computing"),
        ("Who won the football game?", "football game"),
    ],
)
def test_what_is_not_known_is_said_to_be_not_known(question: str, about: str) -> None:
    answer = ANSWERER.find([Message(Role.USER, question)])
    assert answer.startswith(f"I am sorry, I do not know about {about}.")


def test_an_answer_that_was_cut_was_not_told() -> None:
    whole = ANSWERER.find([Message(Role.USER, "How does CRISPR work?")])
    cut = " ".join(whole.split()[:8])
    messages = [
        Message(Role.USER, "How does CRISPR work?"),
        Message(Role.ASSISTANT, cut),
    ]
    for wish in ("Sorry, go on.", "Can you repeat that?"):
        assert entry_of(ANSWERER.find([*messages, Message(Role.USER, wish)])) == "CRISPR-Cas9/mechanism"


def test_thanks_before_a_request_do_not_hide_it() -> None:
    found = dialogue(
        "What is CRISPR?", "Great, thanks. Tell me more.", "Thank you. And what is it used for?"
    )
    assert found == ["CRISPR-Cas9/concept", "CRISPR-Cas9/mechanism", "CRISPR-Cas9/application"]


def test_nothing_said_is_greeted_and_nothing_understood_is_asked_again() -> None:
    assert ANSWERER.find([]) == GREETING
    assert ANSWERER.find([Message(Role.USER, "Hello."), Message(Role.ASSISTANT, "Hello!")]) == NOT_HEARD


def test_every_sample_question_finds_its_own_entry() -> None:
    for topic in BASE.topics:
        for entry in topic.entries:
            for question in entry.questions:
                named = topic.small_talk or topic.verbatim or BASE.read(question).topics
                asked = question if named else f"{question} about {topic.names[0]}"
                assert dialogue(asked) == [f"{topic.topic}/{entry.id}"], question


def test_every_answer_is_one_to_three_short_sentences() -> None:
    for topic in BASE.topics:
        for entry in topic.entries:
            cut = sentences(entry.answer)
            assert 1 <= len(cut) <= 3, entry.answer
            assert max(len(sentence.split()) for sentence in cut) <= 32, entry.answer


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        (
            "Dr. Smith came at 3.5 p.m. yesterday. He left.",
            ["Dr. Smith came at 3.5 p.m. yesterday.", "He left."],
        ),
        ('He said "Stop." Then he went.', ['He said "Stop."', "Then he went."]),
        ("No end", ["No end"]),
        ("A line\nanother", ["A line", "another"]),
        ("", []),
    ],
)
def test_text_is_cut_into_sentences(text: str, cut: list[str]) -> None:
    assert sentences(text) == cut


def test_a_sentence_is_complete_when_the_next_begins() -> None:
    cutter = SentenceCutter()
    assert [cutter.push(piece) for piece in ("It is", " open. ", "On", " Mondays")] == [
        [],
        [],
        ["It is open."],
        [],
    ]
    assert cutter.finish() == ["On Mondays"]


class _Model:
    """Stands where the language model's client stands; keeps what it was asked."""

    def __init__(self) -> None:
        self.lines: list[Line] = []

    async def stream(self, messages: Sequence[Line]) -> AsyncIterator[str]:
        self.lines = list(messages)
        for piece in ("A black", " hole. It is", " dark."):
            yield piece


def test_a_language_model_answers_sentence_by_sentence_with_the_dialogue() -> None:
    model = _Model()

    async def main() -> list[str]:
        answerer = LanguageAnswerer(cast(LanguageModel, model))
        messages = [
            Message(Role.USER, "Hi."),
            Message(Role.ASSISTANT, "Hello."),
            Message(Role.USER, "What?"),
        ]
        return [str(sentence) async for sentence in answerer.answer(messages, "Be brief.")]

    assert run(main(), simulate=True) == ["A black hole.", "It is dark."]
    assert model.lines == [
        Line("system", "Be brief."),
        Line("user", "Hi."),
        Line("assistant", "Hello."),
        Line("user", "What?"),
    ]
