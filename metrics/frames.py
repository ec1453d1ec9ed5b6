"""Scores to a data frame.

`scores_frame`  unit, evaluator, criterion, value, failure: one row per outcome of the current version of
                each evaluator; value is missing where there is a failure, criterion where it is for all.
                Values are turned so that higher is better: those of the others have their sign changed
"""

import pandas as pd

from annotate.models import Project
from metrics.models import Score
from metrics.querysets import current_versions

COLUMNS = ["unit", "evaluator", "criterion", "value", "failure"]


def scores_frame(project: Project) -> pd.DataFrame:
    """The outcomes that tables are about."""
    versions = list(current_versions(project))
    keys = {version.pk: version.evaluator.key for version in versions}
    signs = {version.pk: 1.0 if version.evaluator.higher_is_better else -1.0 for version in versions}
    rows = Score.objects.filter(version__in=keys).order_by("version", "unit")
    frame = pd.DataFrame.from_records(
        list(rows.values_list("unit", "version", "criterion__key", "value", "failure")), columns=COLUMNS
    )
    frame["value"] = frame["value"].astype(float) * frame["evaluator"].map(signs).astype(float)
    frame["evaluator"] = frame["evaluator"].map(keys)
    return frame
