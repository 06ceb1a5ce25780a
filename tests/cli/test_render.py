"""Bars and the like, at their edges."""

import io
from math import nan

import pandas as pd
import pytest
from rich.console import Console

from kplace.cli.render import bar, fit, needed, paragraph, percent, plain_table, shorten
from kplace.cli.render_explain import View, _scores
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


def test_needed_width_breaks_only_the_longest_words(console):
    table = plain_table()
    table.add_column("fixed", no_wrap=True)
    table.add_column("wraps", overflow="fold")
    table.add_row("two words", "several words, the longest of which is " + "x" * 30)
    # The gaps, "two words" as a whole, and LEAST of the longest word.
    assert needed(console, table) == 2 + 9 + 2 + 24


@pytest.mark.parametrize(("width", "gone"), [(30, []), (21, []), (20, ["b"]), (13, ["b"]), (12, ["b", "a"])])
def test_columns_go_in_their_order_until_the_rest_fits(width, gone):
    table = plain_table()
    for heading in ("a", "b", "main"):
        table.add_column(heading, no_wrap=True)
    table.add_row("aaaaa", "bbbbbb", "mmmm")
    # Each with its gap: 7, 8 and 6.
    assert fit(Console(width=width), table, ("b", "a")) == gone
    assert [column.header for column in table.columns] == [name for name in ("a", "b", "main") if name not in gone]


def test_words_are_broken_before_anything_is_cut_off():
    table = plain_table()
    table.add_column("reason", overflow="fold")
    table.add_row("x" * 20)
    narrow = Console(width=12, file=io.StringIO())
    fit(narrow, table, ())
    narrow.print(table)
    assert narrow.file.getvalue().count("x") == 20


def test_a_paragraph_goes_on_further_to_the_right():
    narrow = Console(width=20, file=io.StringIO())
    paragraph(narrow, "all:", ["one 1", "two 22", "three 333", "four 4"])
    assert narrow.file.getvalue() == "  all: one 1,\n    two 22,\n    three 333,\n    four 4\n"


SCORES = pd.DataFrame(
    {
        "node": ["a", "b"],
        "verdict": ["scored", "scored"],
        "rank": [1, 1],
        "total": [200, 200],
        "raw_Same": [5, 5],
        "raw_Other": [1000, 1001],
        "normalised_Same": [50, 50],
        "normalised_Other": [100, 100],
        "weighted_Same": [100, 100],
        "weighted_Other": [100, 100],
    }
).assign(plugin="", code="", reasons="")


@pytest.mark.parametrize("raw", [False, True])
def test_scores_are_the_same_for_all_if_all_that_is_shown_of_them_is(raw):
    wide = Console(width=100, file=io.StringIO())
    nodes = SCORES.copy()
    nodes.attrs = {"node": None}
    _scores(wide, View(nodes, raw=raw))
    text = wide.file.getvalue()
    same = "  the same for all: " + ("Same 5/50/100" if raw else "Same 100, Other 100")
    assert same in text.splitlines()
    assert ("1,001/100/100" in text) == raw


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
