"""Nouns and what the database itself guarantees about them."""

from annotate.models.labels import Adjudication, Annotation, Decision, Evidence, Gold, Label
from annotate.models.material import Claim, Item, Passage, PassageSet, Response, System
from annotate.models.people import Annotator, Membership, Person
from annotate.models.project import Criterion, Event, Guideline, Project
from annotate.models.units import Slot, Unit

__all__ = [
    "Adjudication",
    "Annotation",
    "Annotator",
    "Claim",
    "Criterion",
    "Decision",
    "Event",
    "Evidence",
    "Gold",
    "Guideline",
    "Item",
    "Label",
    "Membership",
    "Passage",
    "PassageSet",
    "Person",
    "Project",
    "Response",
    "Slot",
    "System",
    "Unit",
]
