"""From a file to a description: parameters filled in, schema checked, everything wrong named at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

from pydantic import BaseModel, Field, JsonValue

from streams.endpoints.declarative.lint import faults
from streams.endpoints.declarative.model import Description, Parameter
from streams.endpoints.declarative.templates import PARAMETER, settled
from streams.endpoints.naming import Address
from streams.endpoints.secrets import is_sensitive
from streams.endpoints.strict_yaml import Document, Fault, FileInvalid, Place, nearest, read, validated

_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0")


class _Head(BaseModel):
    parameters: dict[str, Parameter] = Field(default_factory=dict)


def load(path: Path, address: Address) -> Description:
    """The description in a file, with the parameters of an address.

    At a host of one's own (`NAME+ws://HOST:PORT`) that host takes the place of the file's, there are no
    requests before the call, and what the query says beside the parameters goes to the server.

    Raises:
        FileInvalid: With everything that is wrong with the file.
        AddressInvalid: A parameter that is missing, or has a value that it cannot have.
    """
    document = read(path)
    parameters = _parameters(document)
    wrong = list(_wrong_parameters(document, parameters))
    if wrong:
        raise FileInvalid(wrong)
    data = dict(document.data)
    if address.transport:
        data = _at_own_host(data, address, parameters)
    else:
        address.allow_only(parameters)
    used = _used({name: part for name, part in data.items() if name != "prepare" or not address.transport})
    data = _filled(data, _values(parameters, address, used))
    description = validated(document, Description, data)
    wrong = list(faults(document, description))
    if wrong:
        raise FileInvalid(wrong)
    return description.model_copy(update={"prepare": ()}) if address.transport else description


def parameters_of(path: Path) -> Mapping[str, Parameter]:
    """What an address may say of the endpoint in a file.

    Raises:
        FileInvalid: It cannot be read, or its parameters are none.
    """
    return _parameters(read(path))


def _parameters(document: Document) -> Mapping[str, Parameter]:
    return validated(document, _Head, {"parameters": document.data.get("parameters", {})}).parameters


def _at_own_host(
    data: Mapping[str, Any], address: Address, parameters: Mapping[str, Parameter]
) -> dict[str, Any]:
    connect = data.get("connect")
    if not isinstance(connect, dict):
        return dict(data)  # the schema will tell
    host, slash, path = _literal(address.target).partition("/")
    own = slash + path or str(connect.get("path") or "")
    if not own:
        url = str(connect.get("url") or "")
        own = "/" if url.startswith("{") else "/" + url.partition("://")[2].partition("/")[2]
    rest = "&".join(
        f"{quote_plus(name)}={_literal(value)}"
        for name, value in address.query.items()
        if name not in parameters and name != "key_env"
    )
    url = f"{address.transport}://{host}{own}" + (f"?{rest}" if rest else "")
    return {**data, "connect": {**connect, "url": url}}


def _literal(text: str) -> str:
    """What an address says is no template."""
    return text.replace("{", "{{").replace("}", "}}")


def _wrong_parameters(document: Document, parameters: Mapping[str, Parameter]) -> Iterator[Fault]:
    for name in parameters:
        if is_sensitive(name):
            expected = "a name that is not that of a key: keys come from the environment, as ${NAME}"
            yield document.fault(("parameters", name), f"the parameter {name!r}", expected, key=True)
    for place, text in _texts(document.data, ()):
        for name in PARAMETER.findall(text):
            if name not in parameters:
                known = ", ".join(parameters) or "none is declared"
                hint = nearest(name, parameters) or "declare it below `parameters`"
                yield document.fault(place, f"${{{name}}}", f"a parameter of this file ({known})", hint)


def _texts(value: Any, place: Place) -> Iterator[tuple[Place, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from _texts(each, (*place, name))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _texts(each, (*place, index))


def _used(data: Mapping[str, Any]) -> frozenset[str]:
    """The parameters that stand anywhere in what will be used."""
    return frozenset(name for _, text in _texts(data, ()) for name in PARAMETER.findall(text))


def _values(
    parameters: Mapping[str, Parameter], address: Address, used: frozenset[str]
) -> dict[str, JsonValue]:
    values: dict[str, JsonValue] = {}
    for name, parameter in parameters.items():
        text = address.get(name)
        if text is None and parameter.target and address.scheme and not address.transport:
            text = address.target or None
        if text is None and parameter.required and name in used:
            vendor = parameter.target and not address.transport and address.scheme
            how = f"Write {address.scheme}://{name.upper()}" if vendor else f"Add {name}=VALUE"
            raise address.invalid(f"no {name}", f"{how}: {parameter.help}.")
        values[name] = parameter.default if text is None else _value(parameter, name, text, address)
    return values


def _value(parameter: Parameter, name: str, text: str, address: Address) -> JsonValue:
    kinds: Mapping[str, Callable[[str], JsonValue]] = {
        "text": str,
        "integer": int,
        "number": float,
        "boolean": _boolean,
    }
    expected: str = parameter.type
    if parameter.choices:
        expected = "one of " + ", ".join(map(str, parameter.choices))
    try:
        value = kinds[parameter.type](text)
    except ValueError:
        value = None
    if value is None or (parameter.choices and value not in parameter.choices):
        raise address.invalid(f"{name}={text!r}", f"Expected {expected}: {parameter.help}.")
    return value


def _boolean(text: str) -> bool:
    if text.lower() in _TRUE:
        return True
    if text.lower() in _FALSE:
        return False
    raise ValueError(text)


def _filled(data: dict[str, Any], values: Mapping[str, JsonValue]) -> dict[str, Any]:
    """The data with its parameters in place; within URLs they are percent-encoded."""
    quoted: dict[str, JsonValue] = {
        name: quote(str(value), safe="") if value is not None else "" for name, value in values.items()
    }

    def urls(part: Any) -> Any:
        if not isinstance(part, dict):
            return part
        return {
            name: settled(each, quoted)
            if name in ("url", "path") and isinstance(each, str) and not PARAMETER.fullmatch(each)
            else each
            for name, each in part.items()
        }

    made = {**data, "connect": urls(data.get("connect"))}
    if isinstance(data.get("prepare"), list):
        made["prepare"] = [urls(step) for step in data["prepare"]]
    settled_data = {
        name: each if name == "parameters" else settled(each, values)
        for name, each in made.items()
        if each is not None
    }
    return settled_data
