"""Tool calls of a session: their names, which were told, which wait for a result."""

from __future__ import annotations

from collections.abc import Sequence

from streams.endpoints.events import ToolCalled
from streams.endpoints.pieces import Fields, Stamp


class Calls:
    """Each call is told once, though several messages speak of it."""

    def __init__(self) -> None:
        self.waiting: set[str] = set()
        """Calls without a result."""
        self._names: dict[str, str] = {}
        self._told: set[str] = set()

    def item_added(self, item: Fields) -> str:
        """An item with a call's name, which the beta's `arguments.done` lacks; its id, "" if it is none."""
        if item.text("type", "") != "function_call":
            return ""
        call = item.text("call_id")
        self._names[call] = item.text("name", "")
        return call

    def item_done(self, item: Fields, stamp: Stamp) -> Sequence[ToolCalled]:
        """`response.output_item.done`, which has all of a call."""
        call = self.item_added(item)
        return self._tell(call, item.text("arguments", ""), stamp) if call else []

    def arguments_done(self, fields: Fields, stamp: Stamp) -> Sequence[ToolCalled]:
        """`response.function_call_arguments.done`; calls without an id (GLM) get one of ours."""
        call = fields.text("call_id", "") or f"{fields.text('response_id', '')}#{len(self._told) + 1}"
        name, arguments = fields.text("name", ""), fields.text("arguments")
        if name:
            self._names[call] = name
        return self._tell(call, arguments, stamp)

    def _tell(self, call: str, arguments: str, stamp: Stamp) -> Sequence[ToolCalled]:
        if call in self._told:
            return []
        self._told.add(call)
        self.waiting.add(call)
        return [ToolCalled(**stamp, call=call, name=self._names.get(call, ""), arguments=arguments)]
