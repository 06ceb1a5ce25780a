"""Configurations and out-of-tree plugins through the library."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

import kplace
from kplace.config.wire import KIND, V1
from kplace.errors import AttemptError, ConfigError, PluginError, UsageError
from kplace.framework import registry
from kplace.testing import cluster_of, make_node, make_pod

NODES = [make_node("a").capacity(cpu="4", memory="8Gi"), make_node("b").capacity(cpu="8", memory="16Gi")]
PACK = {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu"}, {"name": "memory"}]}}


def profile(name="default-scheduler", **settings):
    return {"schedulerName": name, **settings}


def fit(args):
    return [{"name": "NodeResourcesFit", "args": args}]


def only(*plugins):
    return {"score": {"disabled": [{"name": "*"}], "enabled": [{"name": name} for name in plugins]}}


def place(*items, **options):
    return kplace.place(cluster_of(*items), tie_break="first", **options)


def nodes_of(placements):
    pods = placements.pods
    return dict(zip(pods["pod"], pods["node"], strict=True))


def notes_on_configuration(placements):
    return [str(note) for note in placements.notes if note.topic == "configuration"]


class Prefers:
    """Prefers nodes by the first letter of their names."""

    name = "Prefers"

    @dataclass(frozen=True)
    class Args:
        letter: str = "b"
        points: int = 100

        def check(self):
            if not 0 <= self.points <= 1000:
                yield "points", "must be in [0, 1000]"

    def __init__(self, args):
        self.args = args

    def score(self, cycle, nodes):
        is_it = [name.startswith(self.args.letter) for name in cycle.at(nodes).name]
        return self.args.points * np.array(is_it)


PREFERS = {"multiPoint": {"enabled": [{"name": "Prefers", "weight": 50}]}}


@pytest.mark.parametrize("form", ["mapping", "file", "path", "Configuration"])
def test_every_form_of_a_configuration(form, tmp_path):
    content = {"profiles": [profile(plugins=only("NodeResourcesFit"), pluginConfig=fit(PACK))]}
    file = tmp_path / "config.yaml"
    file.write_text(json.dumps({"apiVersion": V1, "kind": KIND} | content))
    given = {"mapping": content, "file": str(file), "path": file, "Configuration": kplace.read_config(content)}[form]
    # 1 cpu of 4 is more than 1 of 8: packing takes the small node, spreading the large one.
    assert nodes_of(place(*NODES, make_pod("p").req(cpu="1", memory="1Gi"), config=given)) == {"p": "a"}
    assert nodes_of(place(*NODES, make_pod("p").req(cpu="1", memory="1Gi"))) == {"p": "b"}


def test_pods_take_the_profile_that_they_name_and_others_are_left_alone():
    config = {
        "profiles": [
            profile("packs", plugins=only("NodeResourcesFit"), pluginConfig=fit(PACK)),
            profile("spreads", plugins=only("NodeResourcesFit")),
        ]
    }
    pods = [make_pod(name).req(cpu="1").scheduler(name) for name in ("packs", "spreads", "nobody")]
    placed = place(*NODES, *pods, make_pod("default"), config=config)
    assert dict(zip(placed.pods["pod"], placed.pods["status"], strict=True)) == {
        "nobody": "skipped",
        "default": "skipped",
        "packs": "scheduled",
        "spreads": "scheduled",
    }
    assert nodes_of(placed)["packs"] == "a"
    assert nodes_of(placed)["spreads"] == "b"
    notes = [str(note) for note in placed.notes]
    assert '1 waiting pod left to the scheduler "nobody"' in notes
    assert '1 waiting pod left to the scheduler "default-scheduler"' in notes
    assert not any('"packs"' in note for note in notes)


def many(n=200):
    return [make_node(f"n{i:03}").capacity(cpu="4") for i in range(n)]


@pytest.mark.parametrize(
    ("config", "argument", "evaluated"),
    [
        # 200 nodes: adaptive is 50 - 200/125 = 49 % = 98, but at least 100.
        ({}, None, 100),
        ({"percentageOfNodesToScore": 70}, None, 140),
        ({"percentageOfNodesToScore": 70, "profiles": [profile(percentageOfNodesToScore=80)]}, None, 160),
        ({"percentageOfNodesToScore": 70, "profiles": [profile(percentageOfNodesToScore=0)]}, None, 100),
        ({"percentageOfNodesToScore": 70, "profiles": [profile(percentageOfNodesToScore=80)]}, 90, 180),
        ({"profiles": [profile(plugins=only())]}, None, 1),
    ],
)
def test_how_many_nodes_are_looked_for(config, argument, evaluated):
    placed = place(*many(), make_pod("p"), config=config, percentage_of_nodes_to_score=argument)
    assert placed.pods["evaluated"].tolist() == [evaluated]
    assert not config.get("profiles", [{}])[0].get("plugins") or placed.pods["total"].tolist() == [1]


def test_a_given_plugin_runs_after_the_default_ones_with_weight_1():
    pod = make_pod("p").req(cpu="1", memory="1Gi")
    placed = place(*NODES, pod, plugins=[Prefers(Prefers.Args("a"))])
    table = kplace.explain(cluster_of(*NODES, pod), "p", plugins=[Prefers(Prefers.Args("a"))])
    assert list(table.attrs["weights"])[-1] == "Prefers"
    assert table.attrs["weights"]["Prefers"] == 1
    assert nodes_of(placed) == {"p": "a"}


def test_with_a_configuration_it_runs_where_that_names_it():
    pod = make_pod("p").req(cpu="1", memory="1Gi")
    args = [{"name": "Prefers", "args": {"letter": "a"}}]
    named = {"profiles": [profile(plugins=PREFERS, pluginConfig=args)]}
    for plugins in ([Prefers], {"Prefers": Prefers}):
        placed = place(*NODES, pod, config=named, plugins=plugins)
        assert nodes_of(placed) == {"p": "a"}
        assert not notes_on_configuration(placed)
    placed = place(*NODES, pod, config={"profiles": [profile()]}, plugins=[Prefers])
    assert nodes_of(placed) == {"p": "b"}
    assert notes_on_configuration(placed) == ["plugin Prefers is given, but the configuration does not enable it"]


def test_marked_plugins_are_known_by_name(monkeypatch):
    monkeypatch.setattr(registry.DECORATED, "_entries", {})
    kplace.plugin(Prefers)
    pod = make_pod("p").req(cpu="1", memory="1Gi")
    args = [{"name": "Prefers", "args": {"letter": "a"}}]
    config = {"profiles": [profile(plugins=PREFERS, pluginConfig=args)]}
    assert nodes_of(place(*NODES, pod, config=config)) == {"p": "a"}
    # Without a configuration it is not on.
    assert nodes_of(place(*NODES, pod)) == {"p": "b"}


def test_faults_of_a_plugins_arguments_have_their_paths():
    args = [{"name": "Prefers", "args": {"points": 5000}}]
    with pytest.raises(ConfigError) as caught:
        place(*NODES, config={"profiles": [profile(plugins=PREFERS, pluginConfig=args)]}, plugins=[Prefers])
    assert "profiles[0].pluginConfig[0].args.points: Invalid value: 5000: must be in [0, 1000]" in str(caught.value)


def test_an_unknown_name_is_answered_with_what_may_be_meant():
    plugins = {"score": {"enabled": [{"name": "Prefer"}]}}
    with pytest.raises(ConfigError, match=r"did you mean \"Prefers\"\?"):
        place(*NODES, config={"profiles": [profile(plugins=plugins)]}, plugins=[Prefers])


def test_scores_out_of_range_are_refused_with_the_plugins_name():
    config = {"profiles": [profile(plugins=PREFERS, pluginConfig=[{"name": "Prefers", "args": {"points": 101}}])]}
    with pytest.raises(PluginError, match=r"plugin Prefers returned a score outside \[0, 100\]: from 0 to 101"):
        place(*NODES, make_pod("p"), config=config, plugins=[Prefers])


def test_scores_that_are_no_whole_numbers_are_refused():
    class Halves:
        def score(self, cycle, nodes):
            return np.full(len(nodes), 0.5)

    with pytest.raises(PluginError, match="plugin Halves must return one whole number for each of 2 nodes"):
        place(*NODES, make_pod("p"), plugins=[Halves])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"plugins": "my:P"}, UsageError, "plugins: expected a list of plugins"),
        ({"plugins": Prefers}, UsageError, "plugins: expected a list of plugins"),
        ({"plugins": ["nowhere:P"]}, UsageError, "there is no module nowhere"),
        ({"plugins": [type("NodeName", (Prefers,), {"name": "NodeName"})]}, PluginError, "one of kube-scheduler's own"),
        ({"config": 7}, UsageError, "config: expected a path, a mapping or a Configuration, got int"),
        ({"config": {"profiles": object()}}, UsageError, "config: Object of type object is not JSON serializable"),
        ({"config": {"profles": []}}, ConfigError, 'profles: unknown field; did you mean "profiles"?'),
        ({"percentage_of_nodes_to_score": 101}, UsageError, "expected a whole number from 0 to 100, got 101"),
    ],
)
def test_what_cannot_be_used(options, error, message):
    with pytest.raises(error) as caught:
        place(*NODES, **options)
    assert message in str(caught.value)


def test_a_plugin_that_sorts_takes_the_place_of_the_default_one():
    class LargestFirst:
        def rank(self, template, timestamp):
            return (-int(template.request[0]),)

    pods = [make_pod(name).req(cpu=cpu) for name, cpu in (("small", "1"), ("large", "2"), ("tiny", "1"))]
    placed = place(*NODES, *pods, plugins=[LargestFirst])
    assert placed.pods["pod"].tolist() == ["large", "small", "tiny"]


def test_unknown_plugins_are_let_through_with_a_note():
    plugins = {"score": {"enabled": [{"name": "Custom"}]}}
    config = kplace.read_config({"profiles": [profile(plugins=plugins)]}, allow_unknown_plugins=True)
    placed = place(*NODES, make_pod("p"), config=config)
    assert notes_on_configuration(placed) == ["Custom: not in-tree, so it does nothing at score"]


def test_settings_without_effect_are_notes():
    placed = place(*NODES, config={"parallelism": 4, "leaderElection": {"leaderElect": False}})
    assert notes_on_configuration(placed) == ["without effect here: leaderElection, parallelism"]


def test_explain_takes_the_profile_of_the_pod():
    config = {"profiles": [profile("one"), profile("two", plugins=only("ImageLocality"))]}
    cluster = cluster_of(*NODES, make_pod("p").scheduler("two"), make_pod("q").scheduler("nobody"))
    assert list(kplace.explain(cluster, "p", config=config).attrs["weights"]) == ["ImageLocality"]
    assert len(kplace.explain(cluster, "q", config=config).attrs["weights"]) > 1


class Fails:
    def __init__(self, point):
        self.name = "Fails"
        setattr(self, point, self._fail)

    def _fail(self, *_):
        raise AttemptError("out of order")


@pytest.mark.parametrize(
    ("point", "verdict", "code", "message"),
    [
        ("pre_filter", "rejected", "Error", 'running PreFilter plugin "Fails": out of order'),
        ("score", "outside sample", None, 'running Score plugins: plugin "Fails" failed with: out of order'),
    ],
)
def test_explain_of_a_pod_whose_attempt_ends_with_an_error(point, verdict, code, message):
    table = kplace.explain(cluster_of(*NODES, make_pod("p")), "p", plugins=[Fails(point)])
    assert table["verdict"].tolist() == [verdict] * 2
    assert table.attrs["message"] == message
    assert table["code"].dropna().unique().tolist() == ([] if code is None else [code])


def test_explain_of_nodes_at_which_a_filter_errs():
    config = {"profiles": [profile(plugins={"preFilter": {"disabled": [{"name": "NodePorts"}]}})]}
    table = kplace.explain(cluster_of(*NODES, make_pod("p")), "p", config=config)
    assert table[["plugin", "code"]].drop_duplicates().to_numpy().tolist() == [["NodePorts", "Error"]]


def test_a_pod_whose_pre_filter_errs_has_a_record(tmp_path):
    trace = tmp_path / "trace.json"
    place(*NODES, make_pod("p"), plugins=[Fails("pre_filter")], trace=trace, preemption="off")
    (record,) = json.loads(trace.read_text())["pods"]
    assert record["state"] == "error"
    assert record["prefilter"] == {"Fails": {"code": "Error", "reasons": ["out of order"]}}
    assert record["rejected"] == {}
