"""Bars and the like, at their edges."""

from math import nan

import pytest
from rich.console import Console

from kplace.cli.render import bar, percent, shorten
from kplace.cli.render_summary import PendingGroup
from kplace.cli.text import one_line


@pytest.fixture
def console():
    return Console(width=80)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (0.0, 0.0, "░░░░"),
        (0.25, 0.5, "█▓░░"),
        (0.5, 0.25, "██░░"),  # less than before is not drawn backwards
        (1.0, 3.0, "████"),
        (-1.0, 0.5, "▓▓░░"),
        (nan, nan, "░░░░"),
    ],
)
def test_bar(console, before, after, expected):
    assert bar(console, before, after, 4).plain == expected


@pytest.mark.parametrize(("share", "text"), [(0.0, "0.0 %"), (1.2346, "123.5 %"), (nan, "-")])
def test_percent(share, text):
    assert percent(share) == text


@pytest.mark.parametrize(("width", "text"), [(0, "..."), (3, "..."), (5, "ab..."), (6, "abcdef"), (9, "abcdef")])
def test_shorten(width, text):
    assert shorten("abcdef", width) == text


def test_one_line_makes_an_input_harmless():
    assert one_line("a\r\n\tb\x1b]0;title\x07\u202e") == "a b\\x1b]0;title\\x07\\u202e"
    assert one_line("Größe") == "Größe"


def test_why_puts_the_last_hurdle_first_and_drops_whole_parts():
    reasons = (
        ("NodeAffinity", "node(s) didn't match Pod's node affinity/selector", 8),
        ("NodeResourcesFit", "Insufficient cpu", 2),
        ("NodeResourcesFit", "Too many pods", 1),
        ("NodeUnschedulable", "node(s) were unschedulable", 1),
    )
    group = PendingGroup("shop/web", 1, reasons, "message")
    full = "2 Insufficient cpu, 1 Too many pods, 8 node(s) didn't match Pod's node affinity/selector, "
    assert group.why(200) == full + "1 node(s) were unschedulable"
    assert group.why(80) == "2 Insufficient cpu, 1 Too many pods, 8 NodeAffinity, 1 NodeUnschedulable"
    assert group.why(60) == "2 Insufficient cpu, 1 Too many pods, 8 NodeAffinity, ..."
    assert group.why(12) == "2 Insuffi..."
    assert PendingGroup("shop/web", 1, (), "no nodes\navailable").why(80) == "no nodes available"
