"""Where kube-scheduler's answer changed between releases: one table, and what it comes to for a release.

Nothing else asks for a version number. What depends on one is a switch of `Behaviour`, which is handed to whoever
needs it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields

from kplace.columns.rules import TODAY, PodRules
from kplace.config.gates import DEFAULTS, DYNAMIC_RESOURCE_ALLOCATION, STORAGE_CAPACITY_SCORING, FeatureGates
from kplace.errors import UsageError

MAJOR = 1
OLDEST, DEFAULT, NEWEST = 29, 34, 37
"""Minor releases; the golden cases are of the default one."""
VERSIONS = tuple(f"{MAJOR}.{minor}" for minor in range(OLDEST, NEWEST + 1))
DEFAULT_VERSION = f"{MAJOR}.{DEFAULT}"

_VERSION = re.compile(r"v?1\.([0-9]{1,3})")


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What kube-scheduler does, where not all releases do the same; the defaults are v1.34's.

    Attributes
    ----------
    pods : PodRules
        What becomes of a pod before it is scheduled.
    hopeless_is_unresolvable : bool
        NodeResourcesFit says so where a node could not hold the pod even if it were empty.
    balances_best_effort : bool
        NodeResourcesBalancedAllocation scores pods that request nothing.
    balances_change : bool
        NodeResourcesBalancedAllocation compares a node's balance with and without the pod.
    sidecar_ports : bool
        NodePorts counts the host ports of sidecars.
    init_images : bool
        ImageLocality counts the images of init containers.
    volume_images : bool
        ImageLocality counts images that are mounted as volumes.
    volume_images_raise_limit : bool
        Each of them raises the sum from which on the score is full, as a container does.
    names_taints : bool
        TaintToleration's reason names the taint.
    sorts_victims : bool
        Victims of a node are in order of importance even if some of them break a disruption budget.
    dynamic_resources : bool
        The gate DynamicResourceAllocation is on: the plugin is in the default profile.
    scores_storage : bool
        The gate StorageCapacityScoring is on.
    scores_bare_nodes : bool
        Score plugins know of a node that an extender sent back only what the extender did.
    queueing_hints : bool
        The gate SchedulerQueueingHints is on: plugins look at an event before a pod that they rejected is tried again.
    pops_from_backoff : bool
        The gate SchedulerPopFromBackoffQ is on.
    holds_at_end : bool
        A pod is still in backoff at the very moment at which that ends.
    counts_attempts : bool
        A pod's backoff grows with each attempt, whatever came of it.
    preempts_async : bool
        The gate SchedulerAsyncPreemption is on.
    """

    pods: PodRules = TODAY
    hopeless_is_unresolvable: bool = True
    balances_best_effort: bool = False
    balances_change: bool = False
    sidecar_ports: bool = True
    init_images: bool = True
    volume_images: bool = False
    volume_images_raise_limit: bool = False
    names_taints: bool = True
    sorts_victims: bool = True
    dynamic_resources: bool = True
    scores_storage: bool = False
    scores_bare_nodes: bool = True
    queueing_hints: bool = True
    pops_from_backoff: bool = True
    holds_at_end: bool = True
    counts_attempts: bool = False
    preempts_async: bool = True

    @property
    def gates(self) -> FeatureGates:
        """The feature gates that a configuration is read with, as the release has them."""
        own = {DYNAMIC_RESOURCE_ALLOCATION: self.dynamic_resources, STORAGE_CAPACITY_SCORING: self.scores_storage}
        return FeatureGates({gate: is_on for gate, is_on in own.items() if is_on != DEFAULTS[gate]})


V1_34 = Behaviour()
"""The default one's."""


@dataclass(frozen=True, slots=True)
class Change:
    """A row of the table.

    Attributes
    ----------
    switch : str
        The field of `Behaviour` or of its `PodRules`.
    since : int
        Minor release from which on the switch has the value.
    value : bool
        Before, it has the other one.
    area : str
        The plugin, or the part of the scheduler.
    before, after : str
        What is done, for people.
    reference : str
        Upstream's pull request or enhancement proposal.
    carried_back : str
        Patch releases of earlier minor releases that do so as well. A version stands for a minor release as it first
        came out, hence does not count them.
    """

    switch: str
    since: int
    value: bool
    area: str
    before: str
    after: str
    reference: str
    carried_back: str = ""

    def at(self, minor: int) -> bool:
        """Value of the switch in a minor release."""
        return self.value if minor >= self.since else not self.value


CHANGES = (
    Change(
        "init_images",
        30,
        True,
        "ImageLocality",
        "only the images of the containers count",
        "the images of init containers, sidecars included, count as well",
        "kubernetes/kubernetes#123366",
    ),
    Change(
        "affinity_label_keys",
        31,
        True,
        "InterPodAffinity",
        "`matchLabelKeys` and `mismatchLabelKeys` of pod affinity terms are dropped",
        "they are merged into the term's selector when the pod is created",
        "KEP-3633",
    ),
    Change(
        "sidecars_score",
        32,
        True,
        "NodeResourcesFit",
        "what a node's pods count for in its score leaves out sidecars beside containers",
        "a pod on a node counts there with its sidecars",
        "kubernetes/kubernetes#127878",
    ),
    Change(
        "sorts_victims",
        32,
        True,
        "DefaultPreemption",
        "a node's victims that break a disruption budget come first, and the first one is taken for the most important",
        "the victims are sorted by importance once more",
        "kubernetes/kubernetes#128307",
        "patch releases of 1.29 to 1.31 from November 2024 on",
    ),
    Change(
        "queueing_hints",
        32,
        True,
        "the queue",
        "an event that a plugin has registered wakes every pod that it rejected",
        "the plugin is asked whether the event may help the pod",
        "KEP-4247",
    ),
    Change(
        "balances_best_effort",
        33,
        False,
        "NodeResourcesBalancedAllocation",
        "pods that request nothing are scored by how evenly each node is used",
        "such pods skip the plugin",
        "kubernetes/kubernetes#130260",
    ),
    Change(
        "resizes",
        33,
        True,
        "requests",
        "a pod on a node requests what its spec says",
        "while a resize is under way it requests what it was given, if that is more",
        "KEP-1287",
    ),
    Change(
        "scores_bare_nodes",
        33,
        True,
        "extenders",
        "nodes that an extender sent back as objects are scored as they are",
        "they are scored as if they were idle, which `mend_extender_scores` prevents",
        "kubernetes/kubernetes#141781",
    ),
    Change(
        "pops_from_backoff",
        33,
        True,
        "the queue",
        "pods stay in backoff until its end",
        "an idle scheduler takes pods out of backoff before; backoff ends at whole seconds",
        "KEP-5142",
    ),
    Change(
        "holds_at_end",
        33,
        True,
        "the queue",
        "a pod may be tried at the very moment at which its backoff ends",
        "it may be tried right after",
        "KEP-5142",
    ),
    Change(
        "preempts_async",
        33,
        True,
        "the queue",
        "victims are deleted before the attempt ends",
        "victims are deleted while the pod waits",
        "KEP-4832",
    ),
    Change(
        "pod_level",
        34,
        True,
        "requests",
        "`spec.resources` of a pod is ignored",
        "requests of the pod as a whole take the place of its containers' sum",
        "KEP-2837",
    ),
    Change(
        "hopeless_is_unresolvable",
        34,
        True,
        "NodeResourcesFit",
        "preemption is also tried where the pod would not fit the empty node",
        "such nodes are UnschedulableAndUnresolvable: preemption is not helpful there",
        "kubernetes/kubernetes#131345",
    ),
    Change(
        "sidecar_ports",
        34,
        True,
        "NodePorts",
        "host ports of sidecars do not count",
        "host ports of sidecars count like those of containers",
        "kubernetes/kubernetes#132040",
        "patch releases of 1.33 from October 2025 on",
    ),
    Change(
        "counts_attempts",
        34,
        False,
        "the queue",
        "backoff doubles with each attempt, whatever came of it",
        "it doubles with each rejection, and with each error in a row",
        "kubernetes/kubernetes#128748",
    ),
    Change(
        "dynamic_resources",
        34,
        True,
        "DynamicResources",
        "the plugin is not in the default profile",
        "it is, and speaks in the message of every pod that fits nowhere: `no new claims to deallocate`",
        "KEP-4381",
    ),
    Change(
        "names_taints",
        35,
        False,
        "TaintToleration",
        "the reason is `node(s) had untolerated taint {KEY: VALUE}`",
        "the reason is `node(s) had untolerated taint(s)`",
        "kubernetes/kubernetes#134740",
        "patch releases of 1.34 from November 2025 on",
    ),
    Change(
        "balances_change",
        36,
        True,
        "NodeResourcesBalancedAllocation",
        "the score is the node's balance with the pod",
        "the score is 50 + (50 + balance with the pod - balance without it) / 2: 75 if the pod changes nothing",
        "kubernetes/kubernetes#135573",
    ),
    Change(
        "volume_images",
        36,
        True,
        "ImageLocality",
        "images that are mounted as volumes do not count",
        "they count, without raising the sum from which on the score is full",
        "kubernetes/kubernetes#130231",
    ),
    Change(
        "volume_images_raise_limit",
        37,
        True,
        "ImageLocality",
        "an image that is mounted as a volume is worth more than the same image of a container",
        "it is worth the same",
        "kubernetes/kubernetes#138951",
    ),
    Change(
        "scores_storage",
        37,
        True,
        "VolumeBinding",
        "the gate StorageCapacityScoring is off",
        "it is on: arguments of VolumeBinding may have a `shape`",
        "KEP-4049",
    ),
)
"""All rows, the oldest change first."""


def parse_version(text: str) -> int:
    """Minor release of a version such as ``"1.34"``.

    Raises
    ------
    UsageError
        It is none, or one that the table does not cover.

    Examples
    --------
    >>> parse_version("1.34"), parse_version("v1.29")
    (34, 29)
    """
    match = _VERSION.fullmatch(text) if isinstance(text, str) else None
    if match is None or not OLDEST <= int(match[1]) <= NEWEST:
        msg = f"kube_version: expected a release from {VERSIONS[0]} to {VERSIONS[-1]}, got {text!r}"
        raise UsageError(msg)
    return int(match[1])


def behaviour_of(version: str) -> Behaviour:
    """What a release does.

    Parameters
    ----------
    version : str
        Such as ``"1.34"``.

    Raises
    ------
    UsageError
        There is no such release in the table.

    Examples
    --------
    >>> behaviour_of("1.34") == Behaviour()
    True
    >>> [behaviour_of(version).balances_change for version in ("1.35", "1.36")]
    [False, True]
    """
    minor = parse_version(version)
    switches = {change.switch: change.at(minor) for change in CHANGES}
    pods = {item.name: switches.pop(item.name) for item in fields(PodRules)}
    return Behaviour(pods=PodRules(**pods), **switches)


def listed_versions(versions: str | Sequence[str]) -> list[str]:
    """Releases one by one: those that are given, or all of a range, in its direction.

    Raises
    ------
    UsageError
        One of them is not known, or they are fewer than two.

    Examples
    --------
    >>> listed_versions("1.36..1.34"), listed_versions(["1.30", "1.34"])
    (['1.36', '1.35', '1.34'], ['1.30', '1.34'])
    """
    if not isinstance(versions, str):
        listed = [f"{MAJOR}.{_minor(version)}" for version in versions]
    else:
        first, dots, last = versions.partition("..")
        low, high = _minor(first), _minor(last if dots else first)
        step = 1 if low <= high else -1
        listed = [f"{MAJOR}.{minor}" for minor in range(low, high + step, step)]
    if len(listed) < 2:
        msg = f"versions: expected at least two releases such as '1.33..1.35', got {versions!r}"
        raise UsageError(msg)
    return listed


def _minor(version: str) -> int:
    try:
        return parse_version(version)
    except UsageError as error:
        msg = str(error).replace("kube_version:", "versions:", 1)
        raise UsageError(msg) from error
