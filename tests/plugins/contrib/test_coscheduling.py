"""Coscheduling: who waits for whom, who is rejected with whom, and the order of the queue."""

import pytest

import kplace
from kplace.dtypes import Code
from kplace.engine.cycle import Options
from kplace.engine.place import place_waiting, split_waiting
from kplace.errors import ConfigError, InputError
from kplace.framework import Cycle, Profile
from kplace.framework.events import Action, ClusterEvent, Resource
from kplace.framework.waiting import WaitingPods
from kplace.plugins.contrib import Coscheduling
from kplace.plugins.contrib.coscheduling.args import CoschedulingArgs
from kplace.plugins.registry import in_tree_registry
from kplace.queue.rules import plugins_of
from kplace.testing import check_plugin, cluster_of, make_node, make_pod, state_of

LABEL = "scheduling.x-k8s.io/pod-group"
SECOND = 1_000_000_000
WAIT = Code.WAIT


def group(name: str, members: int, *, created: str | None = "2025-01-01T00:00:00Z", **spec: object) -> dict:
    times = {"creationTimestamp": created} if created else {}
    return {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "PodGroup",
        "metadata": {"name": name, "namespace": "default", **times},
        "spec": {"minMember": members, **spec},
    }


def member(name: str, of: str = "g", **requests: str):
    return make_pod(name).label({LABEL: of}).req(**({"cpu": "1"} | requests))


def members(number: int, of: str = "g", **requests: str) -> list:
    return [member(f"{of}-{i}", of, **requests) for i in range(number)]


def small_node(name: str, cpu: str, pods: str = "110"):
    return make_node(name).capacity(cpu=cpu, memory="64Gi", pods=pods)


def placed(*items: object, args: CoschedulingArgs | None = None):
    """Where pods end up, and the messages of those that end up nowhere."""
    result = kplace.place(cluster_of(*items), plugins=[Coscheduling(args)], tie_break="first", preemption="dry-run")
    table = result.pods.set_index("pod")
    return table.node.astype(object).where(table.node.notna(), None).to_dict(), table.message.to_dict()


# A whole run.


def test_a_group_that_fits_is_placed():
    where, _ = placed(small_node("n", "3"), group("g", 3), *members(3))
    assert set(where.values()) == {"n"}


def test_a_group_that_fits_in_part_is_not_placed_at_all():
    # Room for two of three: they wait, and the third, which fits nowhere, takes them along.
    where, messages = placed(small_node("n", "2"), group("g", 3), *members(3))
    assert set(where.values()) == {None}
    assert messages["g-0"] == messages["g-1"] == "0/1 nodes are available: 1 optimistic rejection in PostFilter."
    assert messages["g-2"].endswith(
        "PodGroup default/g gets rejected due to Pod g-2 is unschedulable even after PostFilter"
    )


def test_what_a_rejected_group_held_is_free_for_others():
    where, _ = placed(small_node("n", "2"), group("g", 3), *members(3), make_pod("last").req(cpu="2"))
    assert where["last"] == "n"


def test_more_pods_than_needed_are_placed_one_by_one():
    # The first two wait for each other only; of the other three one fits, and the group is left alone.
    where, messages = placed(small_node("n", "3"), group("g", 2), *members(5))
    assert sorted(name for name, node in where.items() if node) == ["g-0", "g-1", "g-2"]
    # PostFilter has no reason of its own then.
    assert "Insufficient cpu" in messages["g-3"]
    assert "PodGroup" not in messages["g-3"]


def test_pods_that_run_already_count():
    where, _ = placed(small_node("n", "9"), group("g", 3), *[pod.on("n") for pod in members(2)], member("new"))
    assert where == {"new": "n"}


def test_pods_of_other_namespaces_and_groups_do_not_count():
    stranger = make_pod("stranger", "shop").label({LABEL: "g"})
    where, messages = placed(small_node("n", "9"), group("g", 2), member("a"), stranger, member("b", "h"))
    assert where == {"a": None, "stranger": None, "b": None}
    assert "current pods number: 1, minMember of group: 2" in messages["a"]
    assert messages["stranger"] == messages["b"] == "0/1 nodes are available: 1 PodGroup not found."


def test_pods_without_a_group_are_none_of_its_business():
    where, messages = placed(small_node("n", "1"), make_pod("a").req(cpu="1"), make_pod("b").req(cpu="1"))
    assert where == {"a": "n", "b": None}
    assert messages["b"].endswith("can not find pod group")


def test_time_runs_out_for_a_group_that_nobody_completes():
    # The third pod belongs to another scheduler: it counts as a sibling, but does not come.
    third = member("g-2").scheduler("other")
    for seconds, shown in [(None, "1m30s"), (5, "5s"), (0, "1m30s")]:
        spec = {} if seconds is None else {"scheduleTimeoutSeconds": seconds}
        args = CoschedulingArgs(permit_waiting_time_seconds=90)
        where, messages = placed(small_node("n", "9"), group("g", 3, **spec), *members(2), third, args=args)
        assert set(where.values()) == {None}
        timeout = f"rejected due to timeout after waiting {shown} at plugin Coscheduling"
        assert messages["g-0"] == f"0/1 nodes are available: 1 {timeout}."
        # The others of the group go with the first.
        assert messages["g-1"] in (messages["g-0"], "0/1 nodes are available: 1 rejection in Unreserve.")


def test_two_groups_do_not_lock_each_other_out():
    # Room for four of 3 + 3: the first group by name gets its nodes, the other one nothing.
    mixed = [pod for pair in zip(members(3, "a"), members(3, "b"), strict=True) for pod in pair]
    where, _ = placed(small_node("n", "4"), group("a", 3), group("b", 3), *mixed)
    assert {name for name, node in where.items() if node} == {"a-0", "a-1", "a-2"}


# PreFilter.


def pre_filter(*items: object, pod: int = 0, plugin: Coscheduling | None = None, waiting: WaitingPods | None = None):
    result = (plugin or Coscheduling()).pre_filter(Cycle(state_of(*items), pod, waiting))
    assert result is None or result.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE
    return "" if result is None else result.reasons[0]


def test_too_few_siblings():
    node = small_node("n", "9")
    short = "pre-filter pod g-0 cannot find enough sibling pods, current pods number: 2, minMember of group: 3"
    assert pre_filter(node, group("g", 3), *members(2)) == short
    # One that has ended is none; one that is being deleted still is.
    assert pre_filter(node, group("g", 3), *members(2), member("c").phase("Succeeded").on("n")) == short
    assert pre_filter(node, group("g", 3), *members(2), member("c").terminating().on("n")) == ""
    assert pre_filter(node, group("g", 2), *members(2)) == ""
    assert pre_filter(node, *members(1)) == ""


def test_gated_siblings():
    # Of four, three are needed: one may be gated.
    gated = [member(f"w{i}").gate("later") for i in range(2)]
    group_of_three = group("g", 3)
    assert pre_filter(small_node("n", "9"), group_of_three, *members(3), gated[0]) == ""
    hindered = pre_filter(small_node("n", "9"), group_of_three, *members(2), *gated)
    assert hindered == "pre-filter pod g-0 cannot proceed due to gated pods in the same PodGroup"


def test_least_resources():
    nodes = [small_node("a", "4"), small_node("b", "2")]
    others = [make_pod("x").req(cpu="3").on("a")]
    # 1 + 2 cpu are left.
    wanted = {"minResources": {"cpu": "3", "memory": "100Gi"}}
    assert pre_filter(*nodes, group("g", 1, **wanted), *members(1), *others) == ""
    wanted = {"minResources": {"cpu": "3500m", "memory": "1Gi", "nvidia.com/gpu": "2"}}
    gap = pre_filter(*nodes, group("g", 1, **wanted), *members(1), *others)
    assert gap == "resource gap: map[cpu:500m nvidia.com/gpu:2]"
    # Its own pods do not take room away from it: 3 + 2 are left without the one on a.
    wanted = {"minResources": {"cpu": "5"}}
    own = member("own", cpu="2").on("a")
    lacking = make_pod("x").req(cpu="1").on("a")
    assert pre_filter(*nodes, group("g", 1, **wanted), *members(1), own, lacking) == ""
    # And there is room for minMember pods.
    full = [small_node("a", "4", pods="1"), small_node("b", "2", pods="1")]
    assert pre_filter(*full, group("g", 3, minResources={"cpu": "1"}), *members(3)) == "resource gap: map[pods:1]"


def test_resources_are_there_as_soon_as_the_first_nodes_have_them():
    # a has too little by 2 cpu: 4 are there after b and c, though a alone would lower the sum.
    nodes = [small_node("b", "3"), small_node("c", "1"), small_node("a", "1")]
    over = make_pod("over").req(cpu="3").on("a")
    assert pre_filter(*nodes, group("g", 1, minResources={"cpu": "4"}), *members(1), over) == ""


def test_a_group_whose_resources_were_there_is_not_asked_again_for_a_while():
    items = [small_node("n", "2"), group("g", 1, minResources={"cpu": "2"}), *members(2), make_pod("x").req(cpu="1")]
    state, waiting, plugin = (
        state_of(*items),
        WaitingPods(),
        Coscheduling(CoschedulingArgs(permit_waiting_time_seconds=7)),
    )
    assert plugin.pre_filter(Cycle(state, 0, waiting)) is None
    state.assume(2, 0)
    waiting.now_ns = 7 * SECOND
    assert plugin.pre_filter(Cycle(state, 1, waiting)) is None
    waiting.now_ns += 1
    assert plugin.pre_filter(Cycle(state, 1, waiting)).reasons == ("resource gap: map[cpu:1]",)


# PostFilter and the backoff.


def post_filter(plugin: Coscheduling, state, pod: int, waiting: WaitingPods):
    return plugin.post_filter(Cycle(state, pod, waiting), None)


@pytest.mark.parametrize(("percentage", "rejects"), [(10, True), (24, True), (25, False), (100, False), (0, True)])
def test_a_small_gap_is_let_be(percentage: int, rejects: bool):
    # Three of four have a node: 25 % are missing.
    state = state_of(small_node("n", "9"), group("g", 4), *[pod.on("n") for pod in members(3)], member("d"))
    plugin, waiting = Coscheduling(CoschedulingArgs(pod_group_reject_percentage=percentage)), WaitingPods()
    held = waiting.add(Cycle(state, 0, waiting), 0, {"Coscheduling": SECOND})
    result = post_filter(plugin, state, 3, waiting)
    assert result.code is Code.UNSCHEDULABLE
    assert bool(result.reasons) == rejects
    assert (held.pod not in waiting) == rejects


def test_backoff():
    state = state_of(small_node("n", "1"), group("g", 3), *members(3))
    plugin, waiting = Coscheduling(CoschedulingArgs(pod_group_backoff_seconds=10)), WaitingPods()
    assert plugin.pre_filter(Cycle(state, 0, waiting)) is None
    post_filter(plugin, state, 0, waiting)
    waiting.now_ns = 4 * SECOND
    assert plugin.pre_filter(Cycle(state, 1, waiting)).reasons == ("podGroup default/g failed recently",)
    # One more failure does not make it longer.
    post_filter(plugin, state, 1, waiting)
    waiting.now_ns = 10 * SECOND
    assert plugin.pre_filter(Cycle(state, 1, waiting)) is not None
    waiting.now_ns += 1
    assert plugin.pre_filter(Cycle(state, 1, waiting)) is None


def test_a_group_with_too_few_pods_is_not_backed_off():
    state = state_of(small_node("n", "1"), group("g", 3), *members(2))
    plugin, waiting = Coscheduling(CoschedulingArgs(pod_group_backoff_seconds=10)), WaitingPods()
    post_filter(plugin, state, 0, waiting)
    assert "cannot find enough" in plugin.pre_filter(Cycle(state, 0, waiting)).reasons[0]


def test_a_new_run_remembers_nothing():
    state = state_of(small_node("n", "1"), group("g", 2), *members(2))
    plugin, waiting = Coscheduling(CoschedulingArgs(pod_group_backoff_seconds=10)), WaitingPods()
    post_filter(plugin, state, 0, waiting)
    assert plugin.pre_filter(Cycle(state, 0, waiting)) is not None
    assert plugin.pre_filter(Cycle(state, 0, WaitingPods())) is None


# Permit.


def test_permit():
    state = state_of(
        small_node("n", "9"), group("g", 2, scheduleTimeoutSeconds=3), *members(2), make_pod("x"), member("y", "h")
    )
    plugin, waiting = Coscheduling(), WaitingPods()
    for pod in (0, 2, 3):
        state.assume(pod, 0)
    first = plugin.permit(Cycle(state, 0, waiting), 0)
    assert (first.status.code, first.timeout_ns) == (WAIT, 3 * SECOND)
    waiting.add(Cycle(state, 0, waiting), 0, {"Coscheduling": first.timeout_ns})
    assert plugin.permit(Cycle(state, 2, waiting), 0) is None
    assert plugin.permit(Cycle(state, 3, waiting), 0).status.reasons == ("PodGroup not found",)
    assert len(waiting) == 1
    state.assume(1, 0)
    assert plugin.permit(Cycle(state, 1, waiting), 0) is None
    assert [decision.status.is_success for decision in waiting.take_decided()] == [True]


@pytest.mark.parametrize(
    ("own", "default", "seconds"), [(None, 60, 60), (None, 0, 60), (7, 60, 7), (0, 30, 30), (0, 0, 0)]
)
def test_patience(own: int | None, default: int, seconds: int):
    spec = {} if own is None else {"scheduleTimeoutSeconds": own}
    state = state_of(small_node("n", "9"), group("g", 2, **spec), *members(2))
    state.assume(0, 0)
    plugin = Coscheduling(CoschedulingArgs(permit_waiting_time_seconds=default))
    assert plugin.permit(Cycle(state, 0), 0).timeout_ns == seconds * SECOND


# The queue.


def queue_order(*items: object) -> list[str]:
    plugins = [(make(), 1) for name, make in in_tree_registry().items() if name != "PrioritySort"]
    state = state_of(*items)
    profile = Profile.of_multi_point("default-scheduler", [*plugins, (Coscheduling(), 1)])
    _, _, queued = split_waiting(state, {"default-scheduler": profile})
    return [state.columns.pods.names[pod] for pod in queued]


def test_groups_are_sorted_by_their_own_time():
    early, late = "2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z"
    assert queue_order(
        make_node("n"),
        group("old", 1, created=early),
        group("new", 1, created=late),
        member("c", "new").created(early),
        make_pod("b").created("2025-01-01T12:00:00Z"),
        member("z", "old").created(late),
        member("a", "old").created(late),
        member("lost", "gone").created("2025-01-03T00:00:00Z"),  # no such group: its own time
        make_pod("urgent").created(late).priority(5),
    ) == ["urgent", "a", "z", "b", "c", "lost"]


def test_rank_in_a_queue_that_lives_on():
    state = state_of(small_node("n", "1"), group("g", 2), *members(2), make_pod("x"))
    plugin, waiting = Coscheduling(), WaitingPods(now_ns=1_800_000_000 * SECOND)
    template = state.template_of(0)
    assert plugin.rank(template, 5)[:2] == (0, 5)  # nothing is known of groups yet
    plugin.read_cluster(state.columns)
    created = 1_735_689_600 * SECOND
    assert plugin.rank(template, 5) == (0, created, 0)
    assert plugin.rank(state.template_of(2), 5) == (0, 5, -1)
    # A group that failed lines up again from then on.
    post_filter(plugin, state, 0, waiting)
    assert plugin.rank(template, 5) == (0, waiting.now_ns, 0)


@pytest.mark.parametrize("mode", ["queue", "immediate", "dry-run", "off"])
def test_an_older_group_comes_before_a_younger_pod_in_every_mode(mode):
    # The clock of a run begins at zero, the group's time is one of the calendar.
    web = make_pod("web").req(cpu="1").created("2026-03-01T09:00:00Z")
    train = group("train", 3, created="2026-03-01T08:00:00Z")
    cluster = cluster_of(small_node("n", "6"), train, web, *members(3, "train", cpu="2"))
    status = kplace.place(cluster, plugins=[Coscheduling], preemption=mode).pods.set_index("pod")["status"]
    assert status.to_dict() == dict.fromkeys(("train-0", "train-1", "train-2"), "scheduled") | {"web": "unschedulable"}


def test_events():
    plugin = Coscheduling()
    heard = [item.event for item in plugin.events_to_register()]
    assert ClusterEvent(Resource.POD, Action.ADD) in heard
    assert any(event.covers(ClusterEvent(Resource.POD_GROUP, Action.UPDATE)) for event in heard)
    assert plugin in plugins_of(Profile.of_multi_point("x", [(plugin, 1)]))


# Files.


def test_reading_pod_groups():
    cluster = cluster_of(make_node("n"), group("g", 2, minResources={"cpu": "2"}, scheduleTimeoutSeconds=3))
    (found,) = cluster.columns.objects["PodGroup"]
    assert (found.spec.min_member, found.spec.schedule_timeout_seconds, found.spec.min_resources) == (
        2,
        3,
        {"cpu": "2"},
    )


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ({"minMember": -1}, "spec.minMember: must be 1 or more, not -1"),
        ({"scheduleTimeoutSeconds": -1}, "spec.scheduleTimeoutSeconds: must be 0 or more, not -1"),
        ({"minResources": {"cpu": "few"}}, "spec.minResources.cpu"),
    ],
)
def test_pod_groups_at_fault(spec: dict, fault: str):
    with pytest.raises(InputError) as error:
        cluster_of(make_node("n"), group("g", 1, **spec))
    assert f"PodGroup default/g: {fault}" in str(error.value)


def test_a_pod_group_of_kubernetes_itself_is_another_kind(tmp_path):
    path = tmp_path / "group.json"
    path.write_text('{"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup", "metadata": {"name": "g"}}')
    notes = [str(note) for note in kplace.read(path).notes]
    assert any("1 PodGroup of scheduling.k8s.io/v1alpha2" in note for note in notes)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"permitWaitingTimeSeconds": -1}, "permitWaitingTimeSeconds: Invalid value: -1: must be greater than 0"),
        ({"podGroupBackoffSeconds": -1}, "podGroupBackoffSeconds: Invalid value: -1: must be greater than 0"),
        ({"podGroupRejectPercentage": 101}, "podGroupRejectPercentage: Invalid value: 101: must be between 0 and 100"),
    ],
)
def test_arguments_at_fault(args: dict, message: str):
    config = {"profiles": [{"pluginConfig": [{"name": "Coscheduling", "args": args}]}]}
    with pytest.raises(ConfigError) as error:
        kplace.read_config(config, plugins=[Coscheduling])
    assert message in str(error.value)


def test_the_configuration_that_people_deploy():
    config = {
        "profiles": [
            {
                "plugins": {
                    "multiPoint": {"enabled": [{"name": "Coscheduling"}]},
                    "queueSort": {"enabled": [{"name": "Coscheduling"}], "disabled": [{"name": "*"}]},
                },
                "pluginConfig": [{"name": "Coscheduling", "args": {"permitWaitingTimeSeconds": 10}}],
            }
        ]
    }
    cluster = cluster_of(small_node("n", "3"), group("g", 3), *members(3))
    result = kplace.place(cluster, config=config, plugins=[Coscheduling])
    assert (result.pods.status == "scheduled").all()


def test_it_keeps_to_the_contract():
    items = [small_node(f"n{i}", "4") for i in range(3)]
    cluster = cluster_of(*items, group("g", 2), *members(3), make_pod("x"))
    assert check_plugin(Coscheduling, cluster=cluster).passed


def test_it_works_with_the_watchers_of_a_run():
    state = state_of(small_node("n", "2"), group("g", 3), *members(3))
    setbacks = []
    plugins = [(make(), 1) for name, make in in_tree_registry().items() if name != "PrioritySort"]
    profile = Profile.of_multi_point("default-scheduler", [*plugins, (Coscheduling(), 1)])
    place_waiting(state, [profile], Options(), setback_watchers=[lambda attempt, setback: setbacks.append(attempt.pod)])
    assert setbacks == [0, 1]
    assert (state.node_of_pod == -1).all()
    assert not state.resources.requested.any()
