"""The table of what changed between releases."""

import re
from dataclasses import fields, replace

import pytest

from kplace.columns.rules import PodRules
from kplace.config.gates import DYNAMIC_RESOURCE_ALLOCATION, STORAGE_CAPACITY_SCORING
from kplace.config.versions import (
    CHANGES,
    DEFAULT_VERSION,
    NEWEST,
    OLDEST,
    V1_34,
    VERSIONS,
    Behaviour,
    behaviour_of,
    parse_version,
)
from kplace.errors import UsageError


def switches(behaviour: Behaviour) -> dict[str, bool]:
    flat = {item.name: getattr(behaviour, item.name) for item in fields(Behaviour)}
    pods = flat.pop("pods")
    return flat | {item.name: getattr(pods, item.name) for item in fields(PodRules)}


def test_the_default_version_does_as_the_defaults_say():
    assert DEFAULT_VERSION == "1.34"
    assert behaviour_of("1.34") == V1_34 == Behaviour()
    assert not V1_34.gates.changed


def test_every_switch_has_a_row_and_every_row_a_switch():
    assert sorted(change.switch for change in CHANGES) == sorted(switches(V1_34))


def test_rows_are_in_order_and_within_range():
    since = [change.since for change in CHANGES]
    assert since == sorted(since)
    assert since[0] > OLDEST
    assert since[-1] <= NEWEST


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.switch)
def test_a_switch_is_turned_at_its_release(change):
    by_version = [switches(behaviour_of(version))[change.switch] for version in VERSIONS]
    turn = change.since - OLDEST
    assert by_version == [not change.value] * turn + [change.value] * (len(VERSIONS) - turn)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.switch)
def test_a_row_says_what_changed_and_where_to_read_of_it(change):
    assert change.area
    assert change.before != change.after
    assert re.fullmatch(r"(KEP-|kubernetes/kubernetes#)[0-9]+", change.reference)


def test_gates():
    assert behaviour_of("1.33").gates.changed == {DYNAMIC_RESOURCE_ALLOCATION: False}
    assert behaviour_of("1.36").gates.changed == {}
    assert behaviour_of("1.37").gates.changed == {STORAGE_CAPACITY_SCORING: True}


def test_gates_given_by_hand_come_on_top():
    by_hand = replace(V1_34, dynamic_resources=False, scores_storage=True).gates
    assert (behaviour_of("1.37").gates | by_hand).changed == {
        DYNAMIC_RESOURCE_ALLOCATION: False,
        STORAGE_CAPACITY_SCORING: True,
    }


@pytest.mark.parametrize(("text", "minor"), [("1.29", 29), ("v1.37", 37), ("1.34", 34)])
def test_versions(text, minor):
    assert parse_version(text) == minor


@pytest.mark.parametrize("text", ["1.28", "1.38", "1.34.1", "34", "2.34", "", "1.", "1.34 ", 1.34, None])
def test_other_versions_are_refused(text):
    with pytest.raises(UsageError, match=r"kube_version: expected a release from 1\.29 to 1\.37, got "):
        parse_version(text)
