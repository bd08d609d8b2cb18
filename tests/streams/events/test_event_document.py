"""docs/events.md and the JSON Schema say what the models are."""

from __future__ import annotations

import json

import jsonschema
import pytest

from streams.events import document
from streams.events.coding import encode
from streams.events.messages import Header, Published
from tests.streams.events.test_event_messages import EXAMPLES

REMEDY = "run: python -m streams.events.document"


def test_the_page_has_the_tables_of_today() -> None:
    text = document.PAGE.read_text(encoding="utf-8")
    assert document.page(text) == text, REMEDY


def test_the_schema_is_that_of_today() -> None:
    assert document.SCHEMA.read_bytes() == document.schema(), REMEDY


def test_every_field_is_described() -> None:
    undescribed = [
        row for row in document.tables().splitlines() if row.startswith("| `") and row.endswith("|  |")
    ]
    assert undescribed == []


@pytest.mark.parametrize("message", EXAMPLES, ids=lambda message: message.kind)
def test_what_is_published_fits_the_schema(message: Published) -> None:
    validator = jsonschema.Draft202012Validator(json.loads(document.SCHEMA.read_bytes()))
    value = json.loads(encode(message))
    validator.validate(value)
    assert list(value)[: len(Header.model_fields)] == list(Header.model_fields)
    with pytest.raises(jsonschema.ValidationError):
        validator.validate({**value, "v": 2})
