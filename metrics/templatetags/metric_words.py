"""Names of states, costs and receipts as words."""

import json
from typing import Any

from django import template

from metrics.models import Run

register = template.Library()
COSTS = {"instant": "instant", "model": "a model on this machine", "paid": "paid calls"}
LOOKS = {Run.State.RUNNING: "busy", Run.State.FINISHED: "done", Run.State.CANCELLED: ""}


@register.filter
def spaced(name: str) -> str:
    return name.replace("_", " ")


@register.filter
def cost_word(cost: str) -> str:
    return COSTS.get(cost, cost)


@register.filter
def state_look(state: str) -> str:
    """The class of a state's mark."""
    return LOOKS.get(Run.State(state), "")


@register.filter
def plainly(value: Any) -> str:
    """A value of a receipt: text as it is, the rest as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
