from __future__ import annotations

import pytest

from streams.reference.dialogue import Dialogue, Message, NoSuchItem, Role


def answered() -> tuple[Dialogue, str]:
    dialogue = Dialogue()
    user, _ = dialogue.add(Role.USER)
    dialogue.hear(user, "What is it?")
    item, previous = dialogue.add(Role.ASSISTANT)
    assert previous == user
    dialogue.say(item, "One two three four.", 400)
    dialogue.say(item, "", 400)
    dialogue.say(item, "Five six.", 200)
    return dialogue, item


@pytest.mark.parametrize(
    ("samples", "text"),
    [
        (1000, "One two three four. Five six."),
        (999, "One two three four. Five"),  # 199 of 200: of two words one was heard to its end
        (800, "One two three four."),
        (399, "One"),
        (400, "One two"),  # 400 of 800: two of four words
        (0, ""),
    ],
)
def test_truncation_forgets_what_was_not_heard(samples: int, text: str) -> None:
    dialogue, item = answered()
    dialogue.truncate(item, samples)
    assert dialogue.text(item) == text
    assert dialogue.samples(item) == samples


def test_a_reply_of_which_nothing_was_heard_is_no_message() -> None:
    dialogue, item = answered()
    dialogue.truncate(item, 0)
    later, _ = dialogue.add(Role.USER)
    dialogue.hear(later, "I mean CRISPR.")
    assert dialogue.messages() == [Message(Role.USER, "What is it? I mean CRISPR.")]


def test_what_is_not_there_cannot_be_truncated() -> None:
    dialogue, item = answered()
    with pytest.raises(NoSuchItem, match="1000 samples"):
        dialogue.truncate(item, 1001)
    with pytest.raises(NoSuchItem, match="nobody"):
        dialogue.truncate("nobody", 0)
    with pytest.raises(NoSuchItem, match="of the assistant"):
        dialogue.truncate("item_0001", 0)


def test_a_deleted_item_is_gone_even_if_more_of_it_is_said() -> None:
    dialogue, item = answered()
    dialogue.delete(item)
    dialogue.say(item, "More.", 100)
    dialogue.hear(item, "More.")
    assert dialogue.messages() == [Message(Role.USER, "What is it?")]
    with pytest.raises(NoSuchItem):
        dialogue.delete(item)
