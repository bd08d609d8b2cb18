"""Files that are right, files that are wrong: each fault with its place, and what to do about it."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from streams.endpoints.declarative.build import FILES
from streams.endpoints.declarative.schema import schema_text
from streams.endpoints.errors import AddressInvalid
from streams.endpoints.strict_yaml import FileInvalid, read
from tests.streams.endpoints.declarative.declared import BINARY, JSON, describe

PREPARE = """
prepare:
  - url: https://api.example.com/calls
    take: {join: joinUrl}
"""

BAD: list[tuple[str, str, str]] = [
    # what is added to a file that is right, or put in the place of a part of it; where; what is said
    ("rule: []", "11:1: rule", "found an unknown key `rule`, expected one of name, title,"),
    ("rule: []", "11:1: rule", "did you mean `rules`?"),
    ("pace: slow", "11:7: pace", "found 'slow', expected burst, realtime, lead or unknown"),
    ("rules: [{kind: x, flsh: {}}]", "11:19: rules[0].flsh", "did you mean `flush`?"),
    ("rules: [{kind: x}]", "11:9: rules[0]", "something that the message means, or `ignore: true`"),
    ("rules: [{flush: {}}]", "11:9: rules[0]", "`kind` or `when`"),
    ("rules: [{kind: x, flush: {}, ignore: true}]", "11:9: rules[0]", "or `ignore: true`"),
    ("rules: [{kind: 7, flush: {}}]", "11:16: rules[0].kind", "found the number 7, expected a list"),
    ("rules: [{when: 'a b', flush: {}}]", "11:16: rules[0].when", "expected a JMESPath expression: "),
    ("rules: [{when: 'a == \"b\"', flush: {}}]", "rules[0].when", "text is written 'b'"),
    ("rules: [{kind: x, text: {mode: delta}}]", "11:25: rules[0].text.text", "found no key `text`"),
    ("rules: [{kind: x, user_speech: {edge: on}}]", "rules[0].user_speech.edge", "expected start or stop"),
    ("rules: [{kind: x, reply: {a: '{b'}}]", "rules[0].reply", "expected a template: a single {"),
    ("rules: [{kind: x, reply: {a: '{b c}'}}]", "rules[0].reply", "found {b c}, expected a JMESPath"),
    ("rules: [{kind: x, keep: {audio: a}}]", "11:26: rules[0].keep.audio", "are names of ours"),
    ("commands: {close: {a: '{why}'}}", "11:19: commands.close", "found the placeholder {why}"),
    ("commands: {close: {a: '{reasn}'}}", "commands.close", "did you mean `reason`?"),
    ("commands: {close: {a: '${Secret}'}}", "commands.close", "${VARIABLE} of the environment in capitals"),
    ("commands: {close: {a: '${rate}'}}", "commands.close.a", "a parameter of this file (none"),
    ("commands: {cancle: {}}", "11:12: commands.cancle", "did you mean `cancel`?"),
    ("parameters: {api_key: {help: x}}", "11:14: parameters.api_key", "keys come from the environment"),
    ("parameters: {a: {type: text}}", "parameters.a.help", "found no key `help`"),
    ("parameters: {a: {help: x, type: int}}", "parameters.a.type", "expected text, integer, number or"),
    ("turns: manual", "11:8: turns", "`commands.end_turn`, which ends a turn"),
    ("max_session_s: '600'", "11:16: max_session_s", "found '600', expected a valid number"),
    ("name: other", "11:1: name", "found the key a second time"),
    ("title: !!python/name:os.system x", "11:8: title", "the tag 'tag:yaml.org,2002:python/name:os"),
    ("title: [a", "12:1:", "valid YAML"),
    ("connect: {url: 'http://h/'}", "connect.url", "expected an address of ws or wss"),
    ("connect: {url: 'ws://h/', headers: {Authorization: Bearer abcdef}}",
     "connect.headers.Authorization", "a key in `Authorization`, expected the name of an env"),
    ("connect: {url: 'ws://h/', query: {token: abcdef12}}", "connect.query.token", "what looks like a key"),
    ("connect: {url: 'ws://h/', opening: {auth: {password: abcdef12}}}",
     "connect.opening.auth.password", "a key in `password`"),
    ("connect: {url: 'ws://h/', opening: {x: sk-abcdefghijklmnopqrst}}",
     "connect.opening.x", "a key in `x`"),
    ("connect: {url: '{join}'}", "connect.url", "found the placeholder {join}, expected one of call_id"),
    ("audio: {send: {rate: 16000, form: json}, receive: {rate: 16000, form: binary}}",
     "audio.send", "a `message` with {audio}, as `form` is json"),
    ("audio: {send: {rate: 16000, form: binary, tag: '01'}, receive: {rate: 16000, form: binary}}",
     "audio.send", "`tag` with `form: tagged`, and only there"),
    ("audio: {send: {rate: 16000, form: binary}, receive: {rate: 16000, form: tagged}}",
     "audio.receive", "`tags` with `form: tagged`, and only there"),
    ("audio: {send: {rate: 16000, form: binary}, receive: {rate: 16000, form: json}}",
     "rules", "found no rule with `audio`"),
    ("audio: {send: {rate: 11, form: binary}, receive: {rate: 16000, form: binary}}",
     "audio.send", "a usual rate: audio rate 11 Hz"),
    ("audio: {send: {form: binary}, receive: {rate: 16000, form: binary}}", "audio.send.rate", "no key"),
    (PREPARE.replace("https", "ftp"), "prepare[0].url", "expected an address of http or https"),
    (PREPARE + "    when_set: KEY\n", "prepare[0].otherwise", "a value for each name of `take`"),
    (PREPARE + "    otherwise: {join: x}\n", "prepare[0].otherwise", "expected it beside `when_set`"),
    (PREPARE + "    headers: {X-Api-Key: abcdef12}\n", "prepare[0].headers.X-Api-Key", "like a key"),
    (PREPARE + "    timeout_s: 500\n", "prepare[0].timeout_s", "less than or equal to 120"),
]  # fmt: skip

HEAD = """# a file that is right
name: mine
connect:
  url: ws://127.0.0.1:9000/
audio:
  send: {rate: 16000, form: binary}
  receive:
    rate: 16000
    form: binary

"""


def without(text: str, key: str) -> str:
    """The file without one of its keys, its lines staying where they are."""
    kept, dropping = [], False
    for line in text.splitlines():
        if not line.startswith(" "):
            dropping = line.startswith(f"{key}:")
        kept.append("" if dropping else line)
    return "\n".join(kept) + "\n"


@pytest.mark.parametrize(
    ("text", "place", "said"), BAD, ids=[f"{text[:40]} {s[:20]}" for text, _, s in BAD]
)
def test_what_is_wrong_has_its_place_and_its_remedy(text: str, place: str, said: str) -> None:
    key = text.strip().partition(":")[0]
    head = HEAD if key == "name" else without(HEAD, key)
    with pytest.raises(FileInvalid) as caught:
        describe(head + text.strip() + "\n")
    found = str(caught.value)
    assert said in found
    assert f"mine.yaml:{place}" in found or f": {place}: " in found


def test_the_file_that_the_faults_are_put_into_is_right() -> None:
    assert describe(HEAD).name == "mine"


def test_everything_that_is_wrong_is_said_at_once_in_the_order_of_the_lines() -> None:
    with pytest.raises(FileInvalid) as caught:
        describe(HEAD + "pace: slow\nrules: [{kind: x, flsh: {}}]\ntitle: 5\n")
    assert [fault.line for fault in caught.value.faults] == [11, 12, 13]


def test_a_fault_never_shows_what_may_be_a_key() -> None:
    step = PREPARE.strip().replace("take: {join: joinUrl}", "take: {token: [canary-123456]}")
    with pytest.raises(FileInvalid) as caught:
        describe(f"{HEAD}{step}\n")
    assert "canary" not in str(caught.value)
    assert "a value that is not shown" in str(caught.value)


NOTHING: dict[str, object] = {}

PARAMETERS = """
parameters:
  rate: {help: samples per second, type: integer, default: 16000, choices: [8000, 16000]}
  agent: {help: the agent, required: true}
  loud: {help: loudness, type: number}
  on: {help: a switch, type: boolean}
name: mine
connect: {url: "ws://127.0.0.1:9000/a/${agent}", opening: {loud: "${loud}", on: "${on}", a: "${agent}"}}
audio:
  send: {rate: "${rate}", form: binary}
  receive: {rate: "${rate}", form: binary}
"""


def test_parameters_of_the_address_stand_in_the_file_with_their_types() -> None:
    made = describe(PARAMETERS, "agent=a/b c{x}&rate=8000&loud=0.5&on=yes")
    assert made.connect.url.text(NOTHING.get) == "ws://127.0.0.1:9000/a/a%2Fb%20c%7Bx%7D"
    assert made.connect.opening.filled(NOTHING.get) == ['{"loud": 0.5, "on": true, "a": "a/b c{x}"}']
    assert made.audio.send.rate == 8000


def test_what_has_no_value_is_left_out_and_defaults_hold() -> None:
    made = describe(PARAMETERS, "agent=a")
    assert made.connect.opening.filled(NOTHING.get) == ['{"a": "a"}']
    assert made.audio.receive.rate == 16000


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "no agent. Add agent=VALUE: the agent."),
        ("agent=a&rate=9000", "rate='9000'. Expected one of 8000, 16000: samples per second."),
        ("agent=a&rate=x", "rate='x'. Expected one of 8000, 16000"),
        ("agent=a&loud=very", "loud='very'. Expected number: loudness."),
        ("agent=a&on=maybe", "on='maybe'. Expected boolean: a switch."),
        ("agnt=a", "parameter 'agnt' is not known. Did you mean agent?"),
    ],
)
def test_a_parameter_that_is_wrong_names_its_remedy(query: str, said: str) -> None:
    with pytest.raises(AddressInvalid) as caught:
        describe(PARAMETERS, query)
    assert said in str(caught.value)


@functools.cache
def editor() -> jsonschema.Draft202012Validator:
    schema = json.loads(schema_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("name", sorted(path.stem for path in FILES.glob("*.yaml")))
def test_every_shipped_file_fits_the_schema_for_editors(name: str) -> None:
    editor().validate(read(FILES / f"{name}.yaml").data)


def test_the_schema_knows_what_the_loader_refuses() -> None:
    good: dict[str, object] = yaml.safe_load(JSON)
    wrongs: list[dict[str, object]] = [
        {"pace": "slow"},
        {"rule": []},
        {"rules": [{"kind": "x", "flsh": {}}]},
    ]
    assert editor().is_valid(good)
    assert [editor().is_valid({**good, **wrong}) for wrong in wrongs] == [False] * 3


def test_every_shipped_file_says_where_it_comes_from_and_whether_it_was_run() -> None:
    for path in FILES.glob("*.yaml"):
        comments = [line for line in path.read_text().splitlines() if line.startswith("#")]
        head = " ".join(comments)
        assert "Source" in head and "read 2026-11-30" in head, path.name
        assert "Documented, not run" in head, path.name


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileInvalid, match=r"nowhere\.yaml: found no readable file"):
        read(tmp_path / "nowhere.yaml")


def test_names_of_rules_may_use_what_yaml_1_1_takes_for_truth() -> None:
    made = describe(BINARY + "rules: [{kind: [on, no, 'null'], ignore: true}]\n")
    assert made.rules[0].kind == ("on", "no", "null")
