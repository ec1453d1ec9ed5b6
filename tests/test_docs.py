"""The documentation cannot drift: what the program offers is named in it."""

import re
from pathlib import Path

import pytest
from django.core.management import get_commands

from annotate.importers import LAYOUTS
from metrics.evaluators import METRICS
from metrics.tables import TABLES

ROOT = Path(__file__).resolve().parents[1]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.key)
def test_every_metric_is_described(metric):
    assert f"`{metric.key}`" in text("docs/researcher.md")


@pytest.mark.parametrize("spec", TABLES, ids=lambda spec: spec.key)
def test_every_table_is_described(spec):
    assert f"`{spec.key}`" in text("docs/researcher.md")


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.key)
def test_every_layout_is_described(layout):
    assert f"`{layout.key}`" in text("docs/admin.md")


@pytest.mark.parametrize(
    "path", sorted((ROOT / "fixtures/schemes").glob("*.json")), ids=lambda path: path.stem
)
def test_every_scheme_is_named(path):
    assert f"`{path.stem}`" in text("docs/admin.md")


def test_every_setting_is_described():
    settings = text("config/settings/base.py")
    names = set(re.findall(r'env\.\w+\(\s*"(\w+)"', settings)) | set(
        re.findall(r'environ\.get\("(\w+)"', settings)
    )
    assert len(names) > 10
    assert {name for name in names if f"`{name}`" not in text("docs/admin.md")} == set()


def test_every_command_is_shown():
    ours = {name for name, app in get_commands().items() if app in {"annotate", "metrics"}}
    shown = "".join(text(name) for name in ("README.md", "docs/admin.md", "docs/researcher.md"))
    assert {name for name in ours if f"manage.py {name}" not in shown} == set()


def test_every_link_leads_somewhere():
    for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("fixtures/*/README.md")):
        for target in re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
