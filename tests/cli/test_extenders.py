"""``kplace place`` and ``kplace explain`` with a configuration that has extenders."""

import json

import pytest

from tests.io.extenders.server import serving

ONE = {"NodeNames": ["one"]}


@pytest.fixture
def config(tmp_path):
    """Writes a configuration with one extender at a server."""

    def write(server):
        extender = {"urlPrefix": server.url, "filterVerb": "filter", "bindVerb": "bind", "nodeCacheCapable": True}
        head = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
        path = tmp_path / "config.json"
        path.write_text(json.dumps(head | {"extenders": [extender]}))
        return path

    return write


def test_place(kplace, cluster, config):
    with serving({"filter": ONE, "bind": {}}) as server:
        result = kplace("place", cluster, "--config", config(server))
    assert result.exit_code == 0
    assert f"extender {server.url} is asked to bind pods; what it binds stays bound" in result.stderr.replace("\n", " ")
    # large fits nowhere: nobody is asked about it.
    assert server.paths == ["/filter", "/bind"] * 2


@pytest.mark.parametrize(("how", "paths"), [("ask", ["/filter", "/filter"]), ("off", [])])
def test_how_far_extenders_are_called(kplace, cluster, config, how, paths):
    with serving({"filter": ONE, "bind": {}}) as server:
        result = kplace("place", cluster, "--config", config(server), "--extenders", how, "--format", "csv")
    assert result.exit_code == 0
    assert server.paths == paths


def test_what_comes_to_nothing(kplace, cluster, config):
    with serving({"filter": "<html>"}) as server:
        result = kplace("place", cluster, "--config", config(server))
    assert result.exit_code == 0
    assert "2 of 2 filter calls came to nothing" in result.stderr.replace("\n", " ")
    assert "the answer is not JSON" in result.stdout.replace("\n", " ")


@pytest.mark.parametrize(("options", "paths"), [([], ["/filter"]), (["--after-place"], ["/filter"] * 3)])
def test_explaining_binds_nothing(kplace, cluster, config, options, paths):
    with serving({"filter": ONE, "bind": {}}) as server:
        result = kplace("explain", cluster, "--pod", "shop/web", "--config", config(server), *options)
    assert result.exit_code == 0
    assert server.paths == paths


def test_scores_are_mended(kplace, cluster, config):
    def objects(sent):
        return {"Nodes": sent["Nodes"]}

    found = []
    with serving({"filter": objects}) as server:
        path = config(server)
        settings = json.loads(path.read_text())
        settings["extenders"][0] |= {"nodeCacheCapable": False, "bindVerb": ""}
        path.write_text(json.dumps(settings))
        for options in ([], ["--mend-extender-scores"]):
            command = ["explain", cluster, "--pod", "shop/web", "--config", path, "--format", "json", *options]
            rows = json.loads(kplace(*command).stdout)
            listed = rows if isinstance(rows, list) else rows["nodes"]
            found.append(next(row["raw_NodeResourcesFit"] for row in listed if row["node"] == "one"))
    # Beside the pod that runs there one is more full than it looks.
    assert found[0] > found[1]
