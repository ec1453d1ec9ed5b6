"""Automatic metrics: the text of one unit in, one number out.

Everything here is pure: a metric sees a `Sample` and nothing else, so it cannot know which system wrote the
text or what people thought of it. No Django, no Celery, no database and no sockets; storing scores is the
work of `metrics.actions`, asking an LLM that of `metrics.providers`. `catalogue.METRICS` lists what there
is.
"""

from metrics.evaluators.catalogue import (
    BY_KEY,
    METRICS,
    Metric,
    UnknownMetricError,
    get_metric,
    missing,
)
from metrics.evaluators.sample import Sample

__all__ = ["BY_KEY", "METRICS", "Metric", "Sample", "UnknownMetricError", "get_metric", "missing"]
