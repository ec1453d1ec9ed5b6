"""Scores to a data frame.

`scores_frame`  unit, evaluator, criterion, value, failure: one row per outcome of the current version of
                each evaluator; value is missing where there is a failure, criterion where it is for all
"""

import pandas as pd

from annotate.models import Project
from metrics.models import Score
from metrics.querysets import current_versions

COLUMNS = ["unit", "evaluator", "criterion", "value", "failure"]


def scores_frame(project: Project) -> pd.DataFrame:
    """The outcomes that tables are about."""
    keys = {version.pk: version.evaluator.key for version in current_versions(project)}
    rows = Score.objects.filter(version__in=keys).order_by("version", "unit")
    frame = pd.DataFrame.from_records(
        list(rows.values_list("unit", "version", "criterion__key", "value", "failure")), columns=COLUMNS
    )
    frame["evaluator"] = frame["evaluator"].map(keys)
    return frame
