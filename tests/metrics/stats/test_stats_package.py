"""The package as a whole: results, documented examples, and what it may import."""

import ast
import doctest
import importlib
import json
import pickle
import pkgutil
import sys
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

import metrics.stats
from metrics.stats import Estimate, fleiss_kappa

MODULES = [f"metrics.stats.{module.name}" for module in pkgutil.iter_modules(metrics.stats.__path__)]
ALLOWED = {"numpy", "pandas", "scipy", "metrics"} | set(sys.stdlib_module_names)


@pytest.mark.parametrize("name", MODULES)
def test_documented_examples_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_every_public_function_has_an_example():
    for name in metrics.stats.__all__:
        thing = getattr(metrics.stats, name)
        if callable(thing) and not isinstance(thing, type):
            assert ">>>" in thing.__doc__, name


@pytest.mark.parametrize("name", MODULES)
def test_only_numbers_are_imported(name):
    tree = ast.parse(Path(importlib.import_module(name).__file__).read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    for module in imported:
        assert module.split(".")[0] in ALLOWED
        assert not module.startswith("metrics") or module.startswith("metrics.stats")


def test_undefined_without_a_reason_is_a_bug():
    with pytest.raises(ValueError, match="nobody said why"):
        Estimate(statistic="kappa", value=float("nan"))


def test_a_result_is_frozen_picklable_and_speaks_json():
    defined, undefined = fleiss_kappa([[1, 1], [0, 0], [1, 0]]), fleiss_kappa([[1, 1]])
    with pytest.raises(FrozenInstanceError):
        defined.value = 1
    assert pickle.loads(pickle.dumps(defined)) == defined
    spoken = json.loads(json.dumps(undefined.to_dict(), allow_nan=False))
    assert (spoken["value"], spoken["low"], spoken["n_excluded"]) == (None, None, 0)
    assert spoken["note"].startswith("Every label is the same (1)")
    assert not undefined.is_defined
