"""Reports: their tables against plain arithmetic, and their pictures."""

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kplace.analysis.curves import curves
from kplace.sweeps import sweep
from kplace.sweeps.description import Report
from kplace.sweeps.report import make_report
from kplace.sweeps.report.chart import Line, draw_lines
from kplace.sweeps.report.tables import best, effects, front, pareto


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=30))
def test_front_is_what_nothing_dominates(rows):
    values = np.array(rows, np.float64)
    plain = [not any((b >= a).all() and (b > a).any() for b in values) for a in values]
    assert front(values).tolist() == plain


@pytest.fixture(scope="module")
def runs() -> pd.DataFrame:
    random = np.random.default_rng(0)
    rows = [
        {
            "configuration": name,
            "load": float(load),
            "seed": seed,
            "error": None,
            "pending": base + load * slope + noise,
        }
        for name, base, slope in (("a", 0, 1.0), ("b", 40, 0.0))
        for load in (10, 20, 50)
        for seed, noise in enumerate(random.normal(0, 0.5, 4))
    ]
    frame = pd.DataFrame(rows)
    frame["scheduled"] = -frame["pending"]
    failed = frame.iloc[:1].assign(error="E: x", pending=np.nan, scheduled=np.nan)
    return pd.concat([frame, failed], ignore_index=True)


def test_the_best_come_first(runs):
    table = best(runs, ["configuration", "load"], "pending")
    assert table[["configuration", "load"]].head(2).values.tolist() == [["a", 10.0], ["a", 20.0]]
    part = runs.query("configuration == 'a' and load == 10 and error.isna()")["pending"]
    assert table.loc[0, ["pending", "lowest", "highest", "runs"]].tolist() == [part.mean(), part.min(), part.max(), 4]
    assert best(runs, ["configuration", "load"], "scheduled")["load"].tolist()[0] == 10


def test_effects_are_shares_of_the_variance(runs):
    table = effects(runs, ["configuration", "load"], ["pending"]).set_index("axis")
    values = runs["pending"].dropna().to_numpy()
    for axis in ("configuration", "load", "seed"):
        groups = [part["pending"].to_numpy() for _, part in runs.dropna(subset="pending").groupby(axis)]
        between = sum(len(part) * (part.mean() - values.mean()) ** 2 for part in groups)
        assert table.loc[axis, "explained"] == pytest.approx(between / ((values - values.mean()) ** 2).sum())
    assert table.loc["load", ["at_lowest", "at_highest"]].tolist() == ["10.0", "50.0"]
    assert table.loc["seed", "explained"] < 0.02


def test_curves_have_bands_of_the_seeds(runs):
    table = curves(runs, "pending", "load", "configuration")
    assert len(table) == 6
    part = runs.query("configuration == 'b' and load == 50")["pending"]
    assert table.iloc[-1][["low", "median", "high", "runs"]].tolist() == [part.min(), part.median(), part.max(), 4]


def test_pareto_minds_the_better_end(runs):
    table = pareto(runs.assign(nodes_used=-runs["load"]), ["configuration", "load"], ["pending", "nodes_used"])
    # More load uses fewer nodes here: only what has few pending for its load is left.
    chosen = table.loc[table["front"], ["configuration", "load"]].apply(tuple, axis=1).tolist()
    assert set(chosen) == {("a", 10.0), ("a", 20.0), ("b", 50.0)}


@pytest.fixture(scope="module")
def results():
    study = {
        "name": "<b>",
        "inputs": {"small": {"synth": "small"}},
        "axes": {
            "seed": [0, 1],
            "load": [20, 60, 110],
            "settings": {"args.NodeResourcesFit.scoringStrategy.type": ["LeastAllocated", "MostAllocated"]},
        },
        "metrics": ["pending", "utilisation:cpu", "nodes_used"],
    }
    return sweep(study | {"name": "b"}, workers=0)


def test_a_report_of_a_real_study(results, tmp_path):
    report = make_report(results)
    assert report.choices.x == "load"
    assert report.choices.by == "settings.args.NodeResourcesFit.scoringStrategy.type"
    report.write_html(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert page.count("<svg") == len(report.figures)
    assert "12 runs, 0 of them failed" in page
    report.write_figures(tmp_path / "figures")
    files = {path.stem for path in (tmp_path / "figures").glob("*.svg")}
    assert files >= {"pending", "utilisation-cpu", "nodes_used"}
    for text in report.figures.values():
        ElementTree.fromstring(text)
    chosen = make_report(results, Report(metrics=("nodes_used",), pareto=("utilisation:cpu", "nodes_used"))).choices
    assert (chosen.best, list(chosen.pareto)) == ("nodes_used", ["utilisation:cpu", "nodes_used"])


def test_pictures_stay_inside_their_frames():
    lines = [Line("a < b", [1, 2], [0.0, 0.1], [0.5, 0.5], [0.7, 1.0]), Line("flat", [1, 2], [1, 1], [1, 1], [1, 1])]
    root = ElementTree.fromstring(draw_lines("t & u", "x", "y", lines))
    space = "{http://www.w3.org/2000/svg}"
    drawn = [*root.iter(f"{space}polyline"), *root.iter(f"{space}polygon")]
    points = [tuple(map(float, point.split(","))) for item in drawn for point in item.get("points").split()]
    assert all(72 <= x <= 560 and 46 <= y <= 348 for x, y in points)
    assert "a < b" in [text.text for text in root.iter(f"{space}text")]
