from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from recordings.run import Run
from recordings.schema import FOLDER, schemas
from tests.recordings.calls import Call, Delivery, noise, record
from tests.recordings.test_run import planned


def validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads(schemas()[f"{name}.schema.json"]))


def test_the_committed_schemas_are_the_generated_ones() -> None:
    committed = {path.name: path.read_bytes() for path in FOLDER.iterdir()}
    assert committed == schemas(), "run `python -m recordings.schema`"


@pytest.mark.parametrize("name", ["episode", "event", "received", "turn", "run", "journal"])
def test_each_schema_is_itself_valid(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(schemas()[f"{name}.schema.json"]))


def test_what_is_written_fits_the_schemas(tmp_path: Path) -> None:
    record(Call(tmp_path / "e", deliveries=[Delivery(1.1, "i1", noise(240))], cuts=[1.105]))
    validator("episode").validate(json.loads((tmp_path / "e/episode.json").read_bytes()))
    for name, schema in (("events", "event"), ("received", "received"), ("turns", "turn")):
        lines = (tmp_path / f"e/{name}.jsonl").read_bytes().splitlines()
        assert lines
        for line in lines:
            validator(schema).validate(json.loads(line))
    Run.create(tmp_path / "r", planned("a")).close()
    validator("run").validate(json.loads((tmp_path / "r/run.json").read_bytes()))


def test_what_no_reader_accepts_does_not_fit(tmp_path: Path) -> None:
    with pytest.raises(jsonschema.ValidationError):
        validator("turn").validate({"index": 0, "side": "agent", "start": 0, "end": 1, "rate": 8000})
