"""Values as words and figures."""

from collections.abc import Iterable

from django import template

register = template.Library()


@register.filter
def thousands(number: int) -> str:
    return f"{number:,}"


@register.filter
def in_words(things: Iterable[str]) -> str:
    """annotator, adjudicator and admin"""
    *most, last = sorted(map(str, things)) or [""]
    return f"{', '.join(most)} and {last}" if most else last
