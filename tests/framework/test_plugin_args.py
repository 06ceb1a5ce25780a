"""A plugin's own dataclass as its arguments in a configuration."""

from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Literal

import pytest

from kplace import read_config
from kplace.config.reading import ConfigurationError
from kplace.errors import PluginError
from kplace.framework.plugin_args import args_spec


class Mode(StrEnum):
    FAST = "Fast"
    SLOW = "Slow"


@dataclass(frozen=True)
class Limit:
    resource: str
    at_most: int = 5


@dataclass(frozen=True)
class Rich:
    label_key: str
    enabled: bool = True
    ratio: float = 0.5
    most: int | None = None
    mode: Mode = Mode.FAST
    order: Literal["up", "down"] = "up"
    patience: timedelta = timedelta(seconds=90)
    names: tuple[str, ...] = ("a",)
    limits: list[Limit] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    nested: Limit | None = None

    def check(self):
        if not 0 <= self.ratio <= 1:
            yield "ratio", "must be in [0, 1]"


class Example:
    name = "Example"
    Args = Rich

    def __init__(self, args):
        self.args = args

    def score(self, cycle, nodes):
        return nodes


def read(args):
    entry = {"name": "Example"} | ({} if args is None else {"args": args})
    profile = {"plugins": {"score": {"enabled": [{"name": "Example"}]}}, "pluginConfig": [entry]}
    return read_config({"profiles": [profile]}, plugins=[Example]).profiles[0].args["Example"]


def faults(args) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        read(args)
    return [f"{fault.path}: {fault.message}" for fault in caught.value.faults]


def test_what_is_left_out_is_the_default():
    assert read({"labelKey": "rack"}) == Rich("rack")


def test_every_type_of_field():
    given = read(
        {
            "labelKey": "rack",
            "enabled": False,
            "ratio": 1,
            "most": 0,
            "mode": "Slow",
            "order": "down",
            "patience": "1m0.5s",
            "names": [],
            "limits": [{"resource": "cpu"}, {"resource": "memory", "atMost": 7}],
            "labels": {"a": "b"},
            "nested": {"resource": "cpu", "atMost": 1},
        }
    )
    assert given == Rich(
        "rack",
        enabled=False,
        ratio=1.0,
        most=0,
        mode=Mode.SLOW,
        order="down",
        patience=timedelta(seconds=60.5),
        names=(),
        limits=[Limit("cpu"), Limit("memory", 7)],
        labels={"a": "b"},
        nested=Limit("cpu", 1),
    )
    assert isinstance(given.ratio, float)
    assert given.mode is Mode.SLOW


ARGS = "profiles[0].pluginConfig[0].args"


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (None, f"{ARGS}.labelKey: Required value"),
        ({}, f"{ARGS}.labelKey: Required value"),
        ({"labelKey": "r", "ratio": 2}, f"{ARGS}.ratio: Invalid value: 2: must be in [0, 1]"),
        (
            {"labelKey": "r", "mode": "fast"},
            f'{ARGS}.mode: Unsupported value: "fast": supported values: "Fast", "Slow"',
        ),
        ({"labelKey": "r", "order": "x"}, f'{ARGS}.order: Unsupported value: "x": supported values: "up", "down"'),
        ({"labelKey": "r", "limits": [{"atMost": 1}]}, f"{ARGS}.limits[0].resource: Required value"),
        ({"labelKey": 7}, f"{ARGS}.labelKey: expected text, got the number 7"),
        ({"labelKey": "r", "labelkey": "r"}, f'{ARGS}.labelkey: unknown field; did you mean "labelKey"?'),
        ({"labelKey": "r", "nested": {"resorce": "a"}}, f"{ARGS}.nested.resorce: unknown field"),
    ],
)
def test_every_fault_has_its_path(args, expected):
    found = faults(args)
    assert any(fault.startswith(expected) for fault in found), found


def test_all_faults_at_once():
    assert len(faults({"ratio": "x", "mode": "Fst", "unknown": 1})) == 4


def test_what_a_dataclass_refuses_by_itself_is_a_fault_of_the_arguments():
    @dataclass(frozen=True)
    class Strict:
        low: int = 0
        high: int = 0

        def __post_init__(self):
            if self.low > self.high:
                raise ValueError("low lies above high")

    spec = args_spec("Strict", Strict)
    (error,) = spec.check(spec.wire(low=3), "args", None)
    assert str(error) == 'args: Invalid value: {"low":3}: low lies above high'


@dataclass
class Callback:
    call: object


@dataclass
class Forward:
    other: "Nowhere"  # noqa: F821


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (Callback, "plugin X: Args.call: a configuration cannot give a"),
        (Forward, "plugin X: Args: name 'Nowhere' is not defined"),
        (int, "plugin X: Args must be a dataclass, got"),
    ],
)
def test_fields_that_no_configuration_can_give(kind, message):
    with pytest.raises(PluginError) as caught:
        args_spec("X", kind)
    assert message in str(caught.value)
