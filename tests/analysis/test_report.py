"""The report: its figures are the frames', it asks nobody for anything, and it works in a browser."""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import kplace
from kplace.analysis import metrics
from kplace.analysis.report import report, write_report
from kplace.analysis.report.over_time import Series, areas, lines
from kplace.errors import UsageError
from kplace.testing import make_node, make_pod
from kplace.testing.clusters import cluster_of
from tests.analysis.pages import check_figures

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
VOID = {"meta", "link", "input", "br", "hr", "img"}


@pytest.fixture(scope="module")
def run():
    return kplace.place(kplace.read("data/demo"), preemption="dry-run")


@pytest.fixture(scope="module")
def page(run):
    return report(run)


@pytest.fixture(scope="module")
def day():
    """A simulation in which pods wait, are pushed out, and find no node."""
    kinds = pd.DataFrame({"pod": ["web", "batch"], "rate": [0.01, 0.004], "lasts": [900, 3000], "cpu": ["3", "8"]})
    return kplace.simulate(kplace.read("data/demo"), process=kinds, until=7200, seed=2, step=60)


@pytest.fixture(scope="module")
def day_page(day):
    return report(day)


class Page(HTMLParser):
    """What a page holds: ids, links, tables by the section they are in; and whether its tags are closed."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.open, self.tables, self.section, self.labels = [], [], [], {}, "", []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if "id" in found:
            self.ids.append(found["id"])
        if tag == "a":
            self.links.append(found["href"])
        if tag == "section":
            self.section = found["id"]
        if tag == "table":
            self.tables.setdefault(self.section, []).append([])
        if tag == "tr":
            self.tables[self.section][-1].append([])
        if tag in ("td", "th"):
            self.tables[self.section][-1][-1].append("")
        if found.get("role") == "img":
            self.labels.append(found.get("aria-label"))
        if tag not in VOID and tag not in ("circle", "rect", "line"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        if tag not in VOID:
            assert tag in ("circle", "rect", "line", "path")

    def handle_endtag(self, tag):
        if tag in ("circle", "rect", "line"):
            return
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th", "button") and self.tables.get(self.section):
            self.tables[self.section][-1][-1][-1] += data


def test_the_figures_are_those_of_the_frames(run, page):
    check_figures(page, run)


def test_the_tables_are_those_of_the_frames(run, page):
    tables = Page(page).tables
    (nodes,) = tables["nodes"]
    by_name = {row[0]: row for row in nodes[1:]}
    assert set(by_name) == set(run.nodes["node"].astype("str"))
    for row in run.nodes.to_dict("records"):
        assert by_name[row["node"]][5] == f"{row['utilisation_cpu_milli']:.1%}"
    zones = tables["utilisation-by-zone-and-pool"][0]
    used = metrics.utilisation(run, "zone")
    for row in used[used["allocatable"] > 0].to_dict("records"):
        cells = next(cells for cells in zones if cells[:2] == [row["zone"], row["resource"]])
        assert cells[3] == f"{row['utilisation']:.1%}"
    reasons = tables["why-pods-are-pending"][0]
    for row in metrics.pending_by_plugin(run).to_dict("records"):
        assert [row["plugin"], row["reason"], "", str(row["pods"]), str(row["nodes"])] in reasons
    stranded = {cells[0]: cells[2] for cells in tables["stranded-capacity"][0][1:]}
    lost = metrics.stranded(run, metrics.smallest_needs(run.cluster.pods)).set_index("resource")["share"]
    assert stranded["memory"] == f"{lost['memory']:.1%}"
    skews = tables["skew-of-workloads"][0]
    enforced, skew, most, broken = (skews[0].index(name) for name in ("enforced", "skew", "max skew", "broken"))
    assert {cells[enforced] for cells in skews[1:]} == {"yes", "no"}
    assert all(cells[broken] == ("yes" if int(cells[skew]) > int(cells[most]) else "no") for cells in skews[1:])


@pytest.mark.parametrize("which", ["page", "day_page"])
def test_it_is_whole_and_asks_nobody(which, request):
    page = request.getfixturevalue(which)
    found = Page(page)
    assert not found.open
    assert len(found.ids) == len(set(found.ids))
    assert {link.removeprefix("#") for link in found.links} <= set(found.ids)
    assert all(found.labels)
    assert "http://" not in page
    assert "https://" not in page
    assert not re.search(r"<(script|img|iframe|link)[^>]+(src|href)=.(?!data:)", page)
    assert "default-src 'none'" in page


def test_names_from_the_input_are_no_markup():
    bad = "<script>alert(1)</script>"
    nodes = [make_node("n").label({"node.kubernetes.io/instance-type": bad, "topology.kubernetes.io/zone": bad})]
    pods = [make_pod("p").label({"app": bad}).spread("zone").req(cpu="64")]
    page = report(kplace.place(cluster_of(*nodes, *pods)), title=bad)
    assert "alert(1)" in page
    assert bad not in page


def test_a_cluster_as_it_stands_and_a_run_from_a_file(run, tmp_path):
    page = report(run.before)
    assert "The cluster as it stands" in page
    assert "why-pods-are-pending" not in page
    run.to_parquet(tmp_path / "run.parquet")
    again = report(kplace.read_placements(tmp_path / "run.parquet"))
    assert "why-pods-are-pending" in again
    assert "skew-of-workloads" not in again


def test_clusters_of_nothing():
    assert "Overview" in report(cluster_of())
    assert "Overview" in report(kplace.place(cluster_of(make_node("n"))))


def test_what_it_cannot_be_about():
    with pytest.raises(UsageError, match="expected a Cluster, Placements or History, got str"):
        report("data/demo")


def test_many_nodes_are_drawn_as_cells():
    cluster = cluster_of(*(make_node(f"n{i:04d}") for i in range(1600)))
    page = report(cluster)
    assert "<circle" not in page
    assert "nodes at cpu 0%" in page
    assert "The first 1,000 of 1,600 nodes" in page


def test_the_figures_of_a_simulation_are_those_of_its_frames(day, day_page):
    (text,) = re.findall(r'<script type="application/json" id="figures">(.*?)</script>', day_page)
    found = json.loads(text)
    waiting = day.timeline[["active", "backoff", "unschedulable", "gated"]].sum(axis=1)
    assert found == {
        "seconds": day.timeline["at"].max(),
        "pods tried": len(day.pods),
        "pods bound": day.pods["bound"].notna().sum(),
        "never bound": day.pods["bound"].isna().sum(),
        "attempts": len(day.placements),
        "attempts failed": (day.placements["result"] != "scheduled").sum(),
        "preempted": (day.events["reason"] == "Preempted").sum(),
        "most that waited": waiting.max(),
        "waiting at the end": waiting.iloc[-1],
    }
    assert min(found["attempts failed"], found["preempted"], found["never bound"]) > 0


def test_the_tables_of_a_simulation_are_those_of_its_frames(day, day_page):
    tables = Page(day_page).tables
    used = {row[0]: row[1:] for row in tables["utilisation-over-time"][0]}
    column = day.timeline["utilisation_cpu_milli"]
    assert used["cpu"] == [f"{value:.1%}" for value in (column.mean(), column.max(), column.iloc[-1])]
    waiting = {row[0]: row[1:] for row in tables["waiting-pods-over-time"][0]}
    assert waiting["waiting for an event"][1] == f"{day.timeline['unschedulable'].max():,}"
    rejected = {row[0]: row[1:] for row in tables["what-kept-pods-waiting"][0]}
    assert rejected["NodeResourcesFit"][1] == f"{day.timeline['rejected_by_NodeResourcesFit'].max():,}"
    (never,) = tables["pods-that-were-never-bound"]
    unbound = day.pods[day.pods["bound"].isna()]
    assert [row[1] for row in never[1:]] == unbound["pod"].tolist()
    last = day.placements[day.placements["pod"] == never[1][1]].iloc[-1]
    assert never[1][4] == last["message"]
    (times,) = tables["timeline"]
    assert len(times) == len(day.timeline) + 1
    assert [row[2] for row in times[1:]] == [f"{value:,}" for value in day.timeline["bound"]]


def test_the_columns_of_attempts_add_up(day, day_page):
    for words, number in (
        ("found a node", (day.placements["result"] == "scheduled").sum()),
        ("failed", (day.placements["result"] != "scheduled").sum()),
    ):
        counts = re.findall(rf"<title>([\d,]+) {words}, ", day_page)
        assert sum(int(text.replace(",", "")) for text in counts) == number


def test_a_simulation_read_from_its_folder(day, day_page, tmp_path):
    day.to_parquet(tmp_path / "day")
    again = kplace.read_history(tmp_path / "day")
    for name in ("placements", "events", "pods", "timeline"):
        pd.testing.assert_frame_equal(getattr(again, name), getattr(day, name))
    # What the tables do not say is how it was run.
    assert report(again).partition("<nav")[2] == day_page.partition("<nav")[2]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda path: path.unlink(), "timeline.parquet: cannot be read"),
        (lambda path: path.write_bytes(b"PAR1 and so on"), "timeline.parquet: holds no table in Parquet"),
        (
            lambda path: pd.DataFrame({"at": [0.0]}).to_parquet(path),
            "timeline.parquet: is not the table that simulate writes: it has no column nodes",
        ),
    ],
)
def test_damaged_tables_of_a_simulation(day, tmp_path, spoil, message):
    day.to_parquet(tmp_path / "day")
    spoil(tmp_path / "day" / "timeline.parquet")
    with pytest.raises(kplace.InputError) as caught:
        kplace.read_history(tmp_path / "day")
    assert message in str(caught.value)


def test_a_simulation_of_nothing():
    page = report(kplace.simulate(cluster_of(make_node("n")), until=10))
    assert "Overview" in page
    assert "attempts-over-time" not in page


def test_lines_have_gaps_and_areas_add_up():
    at = np.array([0.0, 10.0, 20.0, 30.0])
    one = Series("cpu", np.array([0.5, np.nan, 0.25, 1.0]), "#000")
    drawn = lines(at, [one], str, "cpu")
    (path,) = re.findall(r'<path d="(M64[^"]*)"', drawn)
    # 190 pixels high from 10 on, 680 wide from 64 on.
    assert path == f"M64.0,105.0M{64 + 2 / 3 * 680:.1f},152.5L744.0,10.0"
    two = [Series("a", np.array([1.0, 2.0, 0.0, 4.0]), "#000"), Series("b", np.array([3.0, 0.0, 0.0, 4.0]), "#111")]
    first, second = re.findall(r'<polygon points="([^"]*)"', areas(at, two, "pods"))
    tops = [float(point.split(",")[1]) for point in second.split()[:4]]
    assert tops == [10 + 190 * (1 - value / 8) for value in (4, 2, 0, 8)]
    assert second.split()[4:] == first.split()[3::-1]


DRIVE = """
<script>
addEventListener("load", () => {
  const block = document.querySelector("#nodes .table, #timeline .table");
  const rows = () => Array.from(block.querySelectorAll("tbody tr")).filter((row) => !row.hidden);
  const cells = () => rows().map((row) => row.cells[0].textContent);
  const before = cells().length;
  const field = block.querySelector("input");
  field.focus();
  field.value = "gpu";
  field.dispatchEvent(new Event("input"));
  const filtered = cells();
  field.value = "";
  field.dispatchEvent(new Event("input"));
  const head = block.querySelector("thead button");
  head.focus();
  head.click();
  const down = cells();
  head.click();
  const up = cells();
  const items = Array.from(document.querySelectorAll("a, button, input, summary, [tabindex]"));
  const reach = items.every((item) => item.tabIndex >= 0);
  const external = performance.getEntriesByType("resource").map((item) => item.name);
  dispatchEvent(new Event("beforeprint"));
  const printed = rows().filter((row) => !row.classList.contains("unprinted")).length;
  dispatchEvent(new Event("afterprint"));
  const marked = document.querySelectorAll(".unprinted, .printed").length;
  document.body.dataset.found = JSON.stringify({printed, marked, before, filtered, down, up, reach, external});
});
</script>
"""


def in_a_browser(subject, tmp_path):
    """What a browser finds in a page; nothing may go wrong."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        pytest.skip("no browser: none of " + ", ".join(BROWSERS))
    path = tmp_path / "report.html"
    write_report(subject, path)
    path.write_text(path.read_text(encoding="utf-8").replace("</body>", DRIVE + "</body>"), encoding="utf-8")
    command = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    options = ["--enable-logging=stderr", "--virtual-time-budget=3000", "--dump-dom", path.as_uri()]
    done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=120, check=True)
    assert "CONSOLE" not in done.stderr
    (text,) = re.findall(r'data-found="([^"]*)"', done.stdout)
    found = json.loads(text.replace("&quot;", '"'))
    assert found["reach"]
    assert found["external"] == []
    assert found["marked"] == 0
    return found


def test_in_a_browser(run, tmp_path):
    found = in_a_browser(run, tmp_path)
    names = sorted(run.nodes["node"].astype("str"))
    assert found["before"] == len(names)
    assert found["filtered"] == [name for name in found["filtered"] if "gpu" in name]
    assert len(found["filtered"]) == sum("gpu" in name for name in names)
    assert found["up"] == names
    assert found["down"] == names[::-1]


def test_a_simulation_in_a_browser(day, tmp_path):
    found = in_a_browser(day, tmp_path)
    assert found["before"] == len(day.timeline)
    assert found["printed"] == 50
