"""Annotators of a project, by key."""

from collections.abc import Mapping, Set

from annotate.assignment import first_cursor
from annotate.models import Annotator, Person, Project


def hands_of(project: Project, keys: Set[str]) -> Mapping[str, Annotator]:
    """The annotators of these keys, made where they are not there."""
    known = {hand.key: hand for hand in project.annotators.filter(key__in=keys)}
    new = [_hand(project, key) for key in sorted(keys - known.keys())]
    return known | {hand.key: hand for hand in Annotator.objects.bulk_create(new)}


def hand_of(project: Project, person: Person) -> Annotator:
    """The person's hand in the project: the one they have, one of their name from a file, or a new one."""
    hand = project.annotators.filter(person=person).first()
    if hand is None:
        hand, _ = Annotator.objects.get_or_create(
            project=project,
            key=person.get_username(),
            defaults={"cursor": first_cursor(project.slug, person.get_username())},
        )
        if hand.person_id not in (None, person.pk):
            raise ValueError(f"{hand.key!r} is somebody else's name in this project.")
        hand.person = person
        hand.save(update_fields=["person"])
    return hand


def _hand(project: Project, key: str) -> Annotator:
    return Annotator(project=project, key=key, cursor=first_cursor(project.slug, key))
