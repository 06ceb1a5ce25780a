"""The report: its figures are the frames', it asks nobody for anything, and it works in a browser."""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

import kplace
from kplace.analysis import metrics
from kplace.analysis.report import report, write_report
from kplace.errors import UsageError
from kplace.testing import make_node, make_pod
from kplace.testing.clusters import cluster_of

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
VOID = {"meta", "link", "input", "br", "hr", "img"}


@pytest.fixture(scope="module")
def run():
    return kplace.place(kplace.read("data/demo"), preemption="dry-run")


@pytest.fixture(scope="module")
def page(run):
    return report(run)


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
            assert tag in ("circle", "rect", "line")

    def handle_endtag(self, tag):
        if tag in ("circle", "rect", "line"):
            return
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th", "button") and self.tables.get(self.section):
            self.tables[self.section][-1][-1][-1] += data


def test_the_figures_are_those_of_the_frames(run, page):
    (text,) = re.findall(r'<script type="application/json" id="figures">(.*?)</script>', page)
    found = json.loads(text)
    assert found["placed"] == (run.pods["status"] == "scheduled").sum()
    assert found["pending"] == (run.pods["status"] == "unschedulable").sum()
    assert found["nodes"] == len(run.nodes)
    assert found["pods on nodes"] == run.nodes["requested_pods"].sum()
    share = run.nodes["requested_cpu_milli"].sum() / run.nodes["allocatable_cpu_milli"].sum()
    assert found["utilisation"]["cpu"] == pytest.approx(share, abs=1e-6)
    assert found["result"] == run.result_hash


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


def test_it_is_whole_and_asks_nobody(page):
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
    with pytest.raises(UsageError, match="expected a Cluster or Placements, got str"):
        report("data/demo")


def test_many_nodes_are_drawn_as_cells():
    cluster = cluster_of(*(make_node(f"n{i:04d}") for i in range(1600)))
    page = report(cluster)
    assert "<circle" not in page
    assert "nodes at cpu 0%" in page
    assert "The first 1,000 of 1,600 nodes" in page


DRIVE = """
<script>
addEventListener("load", () => {
  const block = document.querySelector("#nodes .table");
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
  document.body.dataset.found = JSON.stringify({before, filtered, down, up, reach, external});
});
</script>
"""


def test_in_a_browser(run, tmp_path):
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        pytest.skip("no browser: none of " + ", ".join(BROWSERS))
    path = tmp_path / "report.html"
    write_report(run, path)
    path.write_text(path.read_text(encoding="utf-8").replace("</body>", DRIVE + "</body>"), encoding="utf-8")
    command = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    options = ["--enable-logging=stderr", "--virtual-time-budget=3000", "--dump-dom", path.as_uri()]
    done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=120, check=True)
    assert "CONSOLE" not in done.stderr
    (text,) = re.findall(r'data-found="([^"]*)"', done.stdout)
    found = json.loads(text.replace("&quot;", '"'))
    names = sorted(run.nodes["node"].astype("str"))
    assert found["before"] == len(names)
    assert found["filtered"] == [name for name in found["filtered"] if "gpu" in name]
    assert len(found["filtered"]) == sum("gpu" in name for name in names)
    assert found["up"] == names
    assert found["down"] == names[::-1]
    assert found["reach"]
    assert found["external"] == []
