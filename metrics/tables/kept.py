"""Tables kept until what they are computed from changes."""

import hashlib
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Count, Max

from annotate.models import Project
from metrics.models import Score
from metrics.querysets import attribute_values
from metrics.tables import get_spec, make_table
from metrics.tables.asked import Asked
from metrics.tables.table import Table

KEPT_FOR = 24 * 3600


def stamp_of(project: Project) -> str:
    """A text that is another as soon as any figure of the project could be.

    Every change but a score (labels, decisions, loads, criteria, settlement) writes an event in its own
    transaction; scores come in by the thousand and write none. Numbers alone would not do: on PostgreSQL a
    lower one may be committed after a higher one, so rows are counted too. The time of the last event tells a
    database from one restored in its place.
    """
    events = project.events.aggregate(n=Count("pk"), last=Max("pk"), at=Max("at"))
    scores = Score.objects.filter(version__evaluator__project=project)
    counted = scores.order_by().values_list("version").annotate(n=Count("unit"), last=Max("pk"))
    return f"{sorted(events.items())} {sorted(counted)}"


@dataclass(frozen=True, slots=True)
class Shelf:
    """The kept tables of a project as it stands at one moment.

    The moment is before anything is computed: a label that comes in meanwhile makes the next reader compute
    again.
    """

    project: Project
    stamp: str

    @classmethod
    def of(cls, project: Project) -> "Shelf":
        return cls(project, stamp_of(project))

    def find(self, key: str, asked: Asked) -> Table | None:
        """The table, if it was computed since the last change."""
        table: Table | None = cache.get(self._place(key, asked))
        return table

    def table(self, key: str, asked: Asked) -> Table:
        """The table as `make_table` makes it, computed at most once until something changes."""
        get_spec(key)
        table = self.find(key, asked)
        if table is None:
            options, where = dict(asked.options), dict(asked.where)
            table = make_table(self.project, key, slice_by=asked.slice_by, where=where, options=options)
            cache.set(self._place(key, asked), table, KEPT_FOR)
        return table

    def attributes(self) -> dict[str, list[str]]:
        """The attributes of the project's items, each with its values where these are few."""
        place = self._place("its attributes", Asked())
        found: dict[str, list[str]] | None = cache.get(place)
        if found is None:
            found = attribute_values(self.project)
            cache.set(place, found, KEPT_FOR)
        return found

    def _place(self, what: str, asked: Asked) -> str:
        text = repr((self.project.pk, self.project.slug, what, asked, self.stamp))
        return "table:" + hashlib.sha256(text.encode()).hexdigest()
