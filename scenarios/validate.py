"""Checks a document against the schema, and says what is wrong in the words of its author."""

from __future__ import annotations

import difflib
import json
from types import NoneType
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from scenarios.document import Document
from scenarios.problems import Place, Problem

Model = TypeVar("Model", bound=BaseModel)


def validated(document: Document, model: type[Model]) -> Model | None:
    """The document as a model; None if it is not valid, and the reasons are among its problems."""
    if document.data is None:
        if not document.problems:
            document.problems.append(document.problem((), "nothing", "a mapping"))
        return None
    try:
        # by way of JSON, where strict still takes a list for a tuple and a name for an enum's member
        return model.model_validate_json(json.dumps(document.data), strict=True)
    except ValidationError as error:
        for details in error.errors(include_url=False):
            document.problems.append(_problem(document, model, details))
        return None


def _problem(document: Document, model: type[BaseModel], details: ErrorDetails) -> Problem:
    place = _without_tags(document.data, details["loc"])
    found = _described(details["input"])
    match details["type"]:
        case "union_tag_not_found":
            return document.problem(place, "no key `kind`", "one: it says what this is")
        case "union_tag_invalid":
            context = details.get("ctx", {})
            choices = [choice.strip("' ") for choice in str(context.get("expected_tags", "")).split(",")]
            tag = str(context.get("tag", ""))
            expected = f"one of {', '.join(choices)}"
            return document.problem((*place, "kind"), repr(tag), expected, _nearest(tag, choices))
        case "missing":
            return document.problem(place, f"no key `{place[-1]}`", "one: it is required")
        case "extra_forbidden":
            known = _keys_at(model, details["loc"][:-1])
            hint = _nearest(str(place[-1]), known)
            expected = "one of " + ", ".join(known)
            return document.problem(place, f"an unknown key `{place[-1]}`", expected, hint, key=True)
        case "enum" | "literal_error":
            expected = str(details.get("ctx", {}).get("expected", ""))
            choices = [choice.strip("' ") for choice in expected.replace(" or ", ",").split(",")]
            return document.problem(place, found, expected, _nearest(str(details["input"]), choices))
        case "string_type":
            hint = "put it in quotes" if isinstance(details["input"], int | float) else ""
            return document.problem(place, found, "text", hint)
        case "string_pattern_mismatch" if place[-1] == "id":
            return document.problem(place, found, "small letters, digits and . _ - only")
        case "model_type" | "model_attributes_type":
            return document.problem(place, found, "a mapping of keys to values")
        case "tuple_type":
            return document.problem(place, found, "a list")
        case "value_error" if place:
            found, _, needed = _message(details).rpartition(" needs ")
            return document.problem(place, found, needed)
        case "value_error":
            policy = document.data.get("policy", "scripted")
            needed = _message(details).rpartition("needs ")[2]
            return document.problem((*place, "policy"), f"policy {policy} with nothing to work on", needed)
        case _:
            return document.problem(place, found, _message(details))


def _message(details: ErrorDetails) -> str:
    text = details["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    return text.replace("String should have at least 1 character", "text that is not empty")


def _described(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case int() | float():
            return f"the number {value}"
        case str():
            return repr(value if len(value) <= 60 else f"{value[:57]}...") if value else "empty text"
        case list():
            return f"a list of {len(value)}"
        case _:
            return "a mapping"


def _nearest(word: str, known: list[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    return f"did you mean `{close[0]}`?" if close else ""


def _without_tags(data: object, place: Place) -> Place:
    """The place as it stands in the file, without the kinds that pydantic puts into that of a union."""
    kept: list[str | int] = []
    for part in place:
        if isinstance(data, dict) and part not in data and data.get("kind") == part:
            continue
        kept.append(part)
        if isinstance(data, dict):
            data = data.get(part)
        elif isinstance(data, list) and isinstance(part, int):
            data = data[part]
    return tuple(kept)


def _keys_at(model: type[BaseModel], place: Place) -> list[str]:
    """The keys that the schema knows at a place."""
    here: Any = model
    for part in place:
        if get_origin(here) is Annotated:  # a union that is told apart by `kind`; the part is the kind
            here = next(one for one in get_args(get_args(here)[0]) if _kind(one) == part)
            continue
        # a list is declared as tuple[Turn, ...], what may be missing as Say | None
        here = get_args(here)[0] if isinstance(part, int) else here.model_fields[part].annotation
        if get_origin(here) not in (tuple, Annotated):
            here = next((kind for kind in get_args(here) if kind is not NoneType), here)
    return list(here.model_fields)


def _kind(model: type[BaseModel]) -> object:
    return get_args(model.model_fields["kind"].annotation)[0]
