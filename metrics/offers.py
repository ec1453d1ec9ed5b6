"""What can be run on a project, and what it would compute."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from annotate.models import Project, Unit
from annotate.querysets import units_where
from metrics.actions.runs import levels_of, why_impossible
from metrics.actions.versions import digest, recipe_of
from metrics.evaluators import METRICS, Metric
from metrics.models import EvaluatorVersion, Score


@dataclass(frozen=True, slots=True)
class Offer:
    """A metric of the catalogue: the units that lack its outcome, or why it cannot run here."""

    metric: Metric
    n_lacking: int
    reason: str | None

    @property
    def needs(self) -> str:
        return " and ".join(sorted(self.metric.needs)) or "the response alone"


def offers(project: Project, where: Mapping[str, str] | None = None) -> list[Offer]:
    """The catalogue as it stands for these units."""
    units = units_where(project, where or {})
    n_scored = _scored(project, units if where else None)
    n_units = {levels: units.filter(of_level).count() for levels, of_level in _levels().items()}
    return [
        Offer(metric, max(0, n_units[metric.levels] - n_scored[metric.key]), why_impossible(metric, units))
        for metric in METRICS
    ]


def _levels() -> dict[frozenset[str], Q]:
    return {frozenset(metric.levels): levels_of(metric) for metric in METRICS}


def _scored(project: Project, units: QuerySet[Unit] | None) -> Counter[str]:
    """Outcomes of the catalogue's metrics as their code stands now; of these units, or of all."""
    versions = EvaluatorVersion.objects.filter(
        evaluator__project=project, digest__in=[digest(recipe_of(metric)) for metric in METRICS]
    )
    keys = dict(versions.values_list("pk", "evaluator__key"))
    scores = Score.objects.filter(version__in=keys, criterion=None).order_by()
    if units is not None:
        scores = scores.filter(unit__in=units)
    counts = scores.values_list("version").annotate(n=Count("pk"))
    return Counter({keys[version]: n for version, n in counts})
