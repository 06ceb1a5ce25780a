"""What a study file holds, as structs; the reference page on studies is made from their docstrings."""

from typing import Any

from msgspec import Struct, field

GRID, RANDOM, LATIN, LISTED = "grid", "random", "latin-hypercube", "list"
SAMPLES = (GRID, RANDOM, LATIN, LISTED)
DEFAULT = "default"
"""The configuration that kube-scheduler runs without a configuration file."""
NOTHING = "none"
"""The what-if in which nothing is changed."""


class Range(Struct, frozen=True, kw_only=True):
    """Numbers from one to another, both included.

    Attributes
    ----------
    low, high : number
        Where both are whole, so are the numbers between, but for ``load`` and ``node_scale``.
    step : number
        For a grid: from one number to the next.
    count : int
        For a grid, in the place of ``step``: how many numbers.
    log : bool
        Evenly by their logarithms.
    """

    low: float | int
    high: float | int
    step: float | int | None = None
    count: int | None = None
    log: bool = False


class Axes(Struct, frozen=True, kw_only=True):
    """What varies. Each axis is a list of values or a range; one that is left out has a single value.

    Attributes
    ----------
    input : list of text
        Names of inputs. By default all of them.
    what_if : list of text
        Names of what-ifs, and ``none`` for the cluster as it is. By default all of them, after ``none``.
    node_scale : list of number, or Range
        The number of nodes as a multiple of what the input has. With fewer, nodes are left out evenly, with the pods on
        them; with more, nodes that are like the input's come to them, empty. By default 1.
    load : list of number, or Range
        Percent of a resource that all pods together request, those that run and those that wait: see `Load`. By default
        the waiting pods are those of the input.
    seed : list of int, or Range
        Of the draws among equal nodes, and of drawn loads. Every point of a random sample is run with every seed. By
        default 0.
    configuration : list of text
        Names of configurations, and ``default``. By default all of them, or ``default`` if there are none.
    kube_version : list of text
        Releases of Kubernetes, ``"1.29"`` to ``"1.37"``. By default 1.34.
    tie_break, preemption : list of text
        As for `kplace.place`.
    percentage_of_nodes_to_score : list of int, or Range
        As for `kplace.place`. By default what the configuration says.
    settings : table of list or Range
        Single settings inside the configurations, by their paths. ``weight.PLUGIN``: the weight of a plugin's score, 0
        for none. ``args.PLUGIN.FIELD``: a field of a plugin's arguments, such as
        ``args.NodeResourcesFit.scoringStrategy.type``. Both hold for all profiles. Any other path leads to a field of
        the configuration itself.
    """

    input: tuple[str, ...] | None = None
    what_if: tuple[str, ...] | None = None
    node_scale: tuple[float, ...] | Range | None = None
    load: tuple[float, ...] | Range | None = None
    seed: tuple[int, ...] | Range | None = None
    configuration: tuple[str, ...] | None = None
    kube_version: tuple[str, ...] | None = None
    tie_break: tuple[str, ...] | None = None
    preemption: tuple[str, ...] | None = None
    percentage_of_nodes_to_score: tuple[int, ...] | Range | None = None
    settings: dict[str, tuple[Any, ...] | Range] = field(default_factory=dict)


class Point(Struct, frozen=True, kw_only=True):
    """One run of an explicit list: a value for each axis, by default its first one.

    Attributes
    ----------
    input, what_if, configuration, kube_version, tie_break, preemption : text
        As in `Axes`.
    node_scale, load : number
        As in `Axes`.
    seed, percentage_of_nodes_to_score : int
        As in `Axes`.
    settings : table
        Values by path.
    """

    input: str | None = None
    what_if: str | None = None
    node_scale: float | None = None
    load: float | None = None
    seed: int | None = None
    configuration: str | None = None
    kube_version: str | None = None
    tie_break: str | None = None
    preemption: str | None = None
    percentage_of_nodes_to_score: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)


class Synth(Struct, frozen=True, kw_only=True):
    """A cluster that is made up, as by `kplace.synth`.

    Attributes
    ----------
    synth : text
        A preset or a file.
    seed, nodes, pods : int
        As for `kplace.synth`; ``nodes`` and ``pods`` in the place of what the description says.
    """

    synth: str
    seed: int = 0
    nodes: int | None = None
    pods: int | None = None


class WhatIf(Struct, frozen=True, kw_only=True):
    """Changes to the cluster before its pods are placed, in this order.

    Nodes are given by name, by a pattern such as ``"gpu-*"``, or by a label, ``"KEY=VALUE"``; pods by
    ``"NAMESPACE/NAME"``, which may be a pattern too.

    Attributes
    ----------
    remove_pods : list of text
        Pods that are gone.
    remove_nodes : list of text
        Nodes that are gone, with the pods on them.
    drain : list of text
        Nodes that are cordoned, whose pods wait again, but for those of DaemonSets.
    cordon : list of text
        Nodes that take no more pods.
    release_pods : list of text
        Pods that leave their nodes and wait again.
    copies : int
        How many there are of each waiting pod.
    """

    remove_pods: tuple[str, ...] = ()
    remove_nodes: tuple[str, ...] = ()
    drain: tuple[str, ...] = ()
    cordon: tuple[str, ...] = ()
    release_pods: tuple[str, ...] = ()
    copies: int = 1


class Load(Struct, frozen=True, kw_only=True):
    """How the axis ``load`` chooses the pods that wait.

    They are taken in their order as long as the next one would not go beyond the load. If all are taken before it is
    reached, further ones are drawn from them by the seed, with replacement, until the next would.

    Attributes
    ----------
    resource : text
        What the load is a percentage of: of what all nodes offer.
    order : text
        ``input``: as they were created; ``drawn``: in an order that is drawn by the seed.
    """

    resource: str = "cpu"
    order: str = "input"


class Report(Struct, frozen=True, kw_only=True):
    """What a report shows; each part has a default that follows from the axes.

    Attributes
    ----------
    metrics : list of text
        Metrics to show, in this order. By default all that were kept.
    best : text
        The metric that the table of the best goes by. By default the first one that has a better end.
    x : text
        The axis that curves are drawn over.
    by : text
        The axis that gives each line.
    pareto : list of text
        The metrics that are held against each other.
    """

    metrics: tuple[str, ...] = ()
    best: str = ""
    x: str = ""
    by: str = ""
    pareto: tuple[str, ...] = ()


class Study(Struct, frozen=True, kw_only=True):
    """The file as a whole.

    Attributes
    ----------
    name : text
        Of the partition that results go to. By default the file's name without its ending.
    inputs : table of text, list of text or Synth
        Clusters by name: what `kplace.read` takes, relative to the study file, or one that is made up.
    configurations : table of text or table
        Scheduler configurations by name: files relative to the study file, or what such a file would hold.
    plugins : list of text
        Out-of-tree plugins, ``"package.module:Class"`` or ``"file.py:Class"``; workers have to be able to import them.
    extenders : text
        As for `kplace.place`: ``call``, ``ask`` or ``off``.
    what_if : table of WhatIf
        Changes to the cluster, by name.
    load : Load
        How the axis ``load`` chooses pods.
    axes : Axes
        What varies.
    sample : text
        ``grid``: every combination of all values. ``random`` and ``latin-hypercube``: so many points, each axis drawn
        independently, or such that all parts of each axis are met equally often. ``list``: the explicit runs only.
    points : int
        How many points a random sample has; each of them is run with every seed.
    sample_seed : int
        Of the draws of a random sample.
    run : list of Point
        Explicit runs, after those of the sample.
    metrics : list of text
        What to keep of each run, ``NAME`` or ``NAME:RESOURCE``. By default ``scheduled``, ``pending`` and
        ``utilisation``.
    frames : list of text
        Tables to keep of each run as well: ``pods``, ``nodes``, ``reasons``, ``preemptions``.
    report : Report
        What ``kplace sweep report`` shows.
    """

    inputs: dict[str, str | tuple[str, ...] | Synth]
    name: str = ""
    configurations: dict[str, str | dict[str, Any]] = field(default_factory=dict)
    plugins: tuple[str, ...] = ()
    extenders: str = "call"
    what_if: dict[str, WhatIf] = field(default_factory=dict)
    load: Load = field(default_factory=Load)
    axes: Axes = field(default_factory=Axes)
    sample: str = GRID
    points: int | None = None
    sample_seed: int = 0
    run: tuple[Point, ...] = ()
    metrics: tuple[str, ...] = ("scheduled", "pending", "utilisation")
    frames: tuple[str, ...] = ()
    report: Report = field(default_factory=Report)


class Parameters(Struct, frozen=True):
    """What one run is told: a value of each axis.

    Attributes
    ----------
    input, what_if, configuration, kube_version, tie_break : str
    node_scale : float
    load : float or None
        None: the waiting pods of the input.
    seed : int
    preemption : str or None
    percentage_of_nodes_to_score : int or None
        None: what the input or the configuration says.
    settings : str
        Values of single settings by path, as JSON; sorted.
    """

    input: str
    what_if: str
    node_scale: float
    load: float | None
    seed: int
    configuration: str
    kube_version: str
    tie_break: str
    preemption: str | None
    percentage_of_nodes_to_score: int | None
    settings: str
