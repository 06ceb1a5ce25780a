"""Plugins by module, by file and by the entry points of packages."""

import importlib
import sys
from importlib.metadata import EntryPoint

import pytest

from kplace.errors import PluginError, UsageError
from kplace.framework import loading
from kplace.framework.loading import load_plugin

CODE = """
from dataclasses import dataclass


class Scores:
    @dataclass(frozen=True)
    class Args:
        most: "int" = 3

    def __init__(self, args):
        self.args = args

    def score(self, cycle, nodes):
        return nodes
"""


@pytest.fixture(autouse=True)
def forgetful(tmp_path, monkeypatch):
    """Works in an empty folder; what is imported there is forgotten."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(loading, "_LOADED", {})
    monkeypatch.setattr(loading, "_OWN", set())
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_by_file_and_by_module_it_is_the_same_class(tmp_path):
    (tmp_path / "own_plugins.py").write_text(CODE)
    found = load_plugin("own_plugins.py:Scores")
    assert found.__name__ == "Scores"
    assert load_plugin(f"{tmp_path}/own_plugins.py:Scores") is found
    assert load_plugin("own_plugins:Scores") is found
    assert loading.is_plugin_file(str(tmp_path / "own_plugins.py"))


def test_by_module_then_by_file(tmp_path):
    (tmp_path / "own_plugins.py").write_text(CODE)
    assert load_plugin("own_plugins:Scores") is load_plugin("own_plugins.py:Scores")


def test_by_file_then_by_import_and_the_other_way_round(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "first_one.py").write_text(CODE)
    (tmp_path / "second_one.py").write_text(CODE)
    loaded = load_plugin("first_one.py:Scores")
    assert importlib.import_module("first_one").Scores is loaded
    imported = importlib.import_module("second_one").Scores
    assert load_plugin("second_one.py:Scores") is imported


def test_a_file_does_not_stand_before_a_module_of_its_name(tmp_path):
    (tmp_path / "json.py").write_text(CODE)
    (tmp_path / "colorsys.py").write_text(CODE)
    for name in ("json", "colorsys"):
        assert load_plugin(f"{name}.py:Scores").__module__.startswith(f"kplace_plugin_{name}")
        assert not hasattr(importlib.import_module(name), "Scores")


def test_a_file_finds_its_neighbours(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "neighbour.py").write_text("WORD = 'hello'")
    (tmp_path / "sub" / "mine.py").write_text("from neighbour import WORD\nclass P:\n    word = WORD")
    assert load_plugin("sub/mine.py:P").word == "hello"
    assert str(tmp_path / "sub") not in sys.path


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere:P", "plugin: there is no module nowhere"),
        ("own_plugins.nothing:P", "plugin: there is no module own_plugins.nothing"),
        ("nowhere.py:P", "plugin: there is no file nowhere.py"),
        ("own_plugins.py:Scors", "plugin: own_plugins.py has no class Scors; did you mean Scores?"),
        ("own_plugins.py:Foo", "plugin: own_plugins.py has no class Foo; its classes are Scores"),
        ("own_plugins.py:", "plugin: expected MODULE:CLASS or FILE.py:CLASS, got 'own_plugins.py:'"),
        (":P", "plugin: expected MODULE:CLASS or FILE.py:CLASS, got ':P'"),
        ("own_plugins", "expected MODULE:CLASS, FILE.py:CLASS or the name of an installed one, got 'own_plugins'"),
    ],
)
def test_nothing_of_that_name(tmp_path, name, message):
    (tmp_path / "own_plugins.py").write_text(CODE)
    with pytest.raises(UsageError) as caught:
        load_plugin(name)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("class P:\n  x = = 1", "plugin: bad.py: line 2: invalid syntax"),
        ("1 / 0", "plugin: bad.py: ZeroDivisionError: division by zero"),
        ("import not_there_at_all", "plugin: bad.py: ModuleNotFoundError: No module named 'not_there_at_all'"),
    ],
)
def test_modules_that_cannot_be_run(tmp_path, code, message):
    (tmp_path / "bad.py").write_text(code)
    with pytest.raises(PluginError) as caught:
        load_plugin("bad.py:P")
    assert message in str(caught.value)


def test_what_a_module_fails_to_import_is_not_mistaken_for_the_module(tmp_path):
    (tmp_path / "bad_module.py").write_text("import not_there_at_all")
    with pytest.raises(PluginError, match="bad_module: ModuleNotFoundError: No module named 'not_there_at_all'"):
        load_plugin("bad_module:P")


def test_installed_plugins_by_name(tmp_path, monkeypatch):
    (tmp_path / "offered.py").write_text(CODE + "\nnumber = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    points = [
        EntryPoint("Scores", "offered:Scores", loading.GROUP),
        EntryPoint("Number", "offered:number", loading.GROUP),
        EntryPoint("Gone", "offered:Gone", loading.GROUP),
    ]
    monkeypatch.setattr(loading, "entry_points", lambda group: points if group == "kplace.plugins" else [])
    assert load_plugin("Scores").__name__ == "Scores"
    with pytest.raises(UsageError, match="did you mean Scores"):
        load_plugin("Score")
    with pytest.raises(PluginError, match="plugin Number: offered:number is no class"):
        load_plugin("Number")
    with pytest.raises(PluginError, match=r"plugin: Gone \(offered:Gone\): AttributeError"):
        load_plugin("Gone")


def test_files_that_plugins_are_written_in_are_their_own(tmp_path):
    # Whatever goes wrong there is the plugin's affair, though the class comes by way of another module.
    package = tmp_path / "own_package"
    package.mkdir()
    (package / "__init__.py").write_text("from own_package.inner import Scores\n")
    (package / "inner.py").write_text(CODE)
    load_plugin("own_package:Scores")
    assert all(loading.is_plugin_file(str(package / name)) for name in ("__init__.py", "inner.py"))
    assert not loading.is_plugin_file(loading.__file__)


def test_a_plugin_that_a_package_offers_is_its_own_file(tmp_path, monkeypatch):
    (tmp_path / "offering.py").write_text(CODE)
    monkeypatch.syspath_prepend(tmp_path)
    loading.load_installed(EntryPoint("Scores", "offering:Scores", loading.GROUP))
    assert loading.is_plugin_file(str(tmp_path / "offering.py"))


def test_what_is_no_class_is_said_to_be_none(tmp_path):
    (tmp_path / "own_plugins.py").write_text("def scores(cycle, nodes):\n    return nodes\n")
    with pytest.raises(UsageError, match=r"own_plugins\.py has no class scores, only a function of that name"):
        load_plugin("own_plugins.py:scores")


def test_a_module_that_ends_the_program_is_at_fault(tmp_path):
    (tmp_path / "own_plugins.py").write_text("raise SystemExit(3)\n")
    with pytest.raises(PluginError, match=r"own_plugins\.py: SystemExit: 3"):
        load_plugin("own_plugins.py:Scores")
