"""The rooms of a project that a person may enter, and that are there."""

from dataclasses import dataclass
from typing import Any

from django import template
from django.urls import NoReverseMatch, reverse

from annotate.access import ADJUDICATE, ADMINISTER, ANNOTATE, ANY, RESEARCH, Access, Role

register = template.Library()


@dataclass(frozen=True, slots=True)
class Room:
    """A room: its url's name, the word on it, the letter that jumps to it after `g`, who may enter."""

    name: str
    word: str
    letter: str
    roles: frozenset[Role]


ROOMS = (
    Room("project", "Overview", "o", ANY),
    Room("desk", "Desk", "d", ANNOTATE),
    Room("adjudicate", "Adjudicate", "a", ADJUDICATE),
    Room("agreement", "Agreement", "g", RESEARCH),
    Room("runs", "Runs", "r", RESEARCH),
    Room("tables", "Tables", "t", RESEARCH),
    Room("people", "People", "p", ADMINISTER),
    Room("settings", "Settings", "s", ADMINISTER),
)


@register.inclusion_tag("_rooms.html", takes_context=True)
def rooms(context: dict[str, Any], access: Access) -> dict[str, Any]:
    path = context["request"].path
    doors = []
    for room in ROOMS:
        url = _url(room.name, access.project.slug) if access.may(room.roles) else None
        if url is not None:
            here = path == url if room.name == "project" else path.startswith(url)
            doors.append({"room": room, "url": url, "here": here})
    return {"doors": doors}


def _url(name: str, slug: str) -> str | None:
    try:
        return reverse(name, args=[slug])
    except NoReverseMatch:
        return None  # the room is not built yet
