from __future__ import annotations

import json

import pytest

from scoring.text.pairs import PairUnreadable, rates_to_json, read_pairs, utf8_lines
from scoring.text.rates import TextPair, combined, compare

GOOD = '{"id": "a", "reference": "DNA", "hypothesis": "d n a", "terms": [], "more": "may stand"}'


def test_lines_become_pairs_and_empty_ones_are_passed_over() -> None:
    lines = [GOOD, "", '{"id": 7, "reference": "", "hypothesis": ""}\r']
    assert list(read_pairs(lines, "x")) == [TextPair("a", "DNA", "d n a", ()), TextPair(7, "", "")]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("{", "no JSON"),
        ("[]", "list"),
        ("{}", "no id"),
        ('{"id": null, "reference": "", "hypothesis": ""}', "id: null"),
        ('{"id": 1, "hypothesis": ""}', "no reference"),
        ('{"id": 1, "reference": "", "hypothesis": 3}', "hypothesis: 3"),
        ('{"id": 1, "reference": "", "hypothesis": "", "terms": "k"}', 'terms: "k"'),
        ('{"id": 1, "reference": "", "hypothesis": "", "terms": [1]}', "terms: [1]"),
    ],
)
def test_a_bad_line_is_named_with_what_was_found(line: str, found: str) -> None:
    with pytest.raises(PairUnreadable, match=r"^pairs\.jsonl:2: found ") as caught:
        list(read_pairs([GOOD, line], "pairs.jsonl"))
    assert found in str(caught.value)


def test_bytes_that_are_not_utf8_are_a_bad_line() -> None:
    with pytest.raises(PairUnreadable, match="p:2: found the byte 0xff, expected UTF-8"):
        utf8_lines(b"{}\n\xff\n", "p")


def test_the_json_has_every_rate_with_its_parts() -> None:
    errors = [compare(pair) for pair in read_pairs([GOOD], "x")]
    found = json.loads(json.dumps(rates_to_json(combined(errors), errors), allow_nan=False))
    assert found == {
        "normaliser": "vivavoce-words-2",
        "wer": {"value": 0.0, "errors": 0, "words": 1, "insertions_without_reference": 0},
        "cer": {"value": 0.0, "errors": 0, "characters": 3},
        "eer": {
            "value": None,
            "errors": 0,
            "terms": 0,
            "unordered": {"value": None, "errors": 0, "terms": 0},
        },
        "aer_strict": {"value": 1.0, "errors": 1, "abbreviations": 1},
        "aer_loose": {"value": 0.0, "errors": 0, "abbreviations": 1},
        "unscored": {"no_terms": 1},
        "items": [
            {
                "id": "a",
                "wer": 0.0,
                "words": 1,
                "substitutions": 0,
                "deletions": 0,
                "insertions": 0,
                "cer": 0.0,
                "eer": None,
                "eer_unordered": None,
                "aer_strict": 1.0,
                "aer_loose": 0.0,
                "unscored": {"eer": "no_terms"},
            }
        ],
    }
