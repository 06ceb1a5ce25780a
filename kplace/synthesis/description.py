"""What a description of a synthetic cluster holds.

Each struct is a table of the file; docstrings are what the reference page says of its fields, so they are written for
whoever writes a description.
"""

from typing import Any

from msgspec import Struct

Quantity = str | int | float


class Lognormal(Struct, frozen=True, forbid_unknown_fields=True):
    """A lognormal distribution.

    Attributes
    ----------
    median : quantity
        Half of the draws are below it.
    sigma : number
        Standard deviation of the logarithm; 1 means that one in six is above 2.7 times the median.
    """

    median: Quantity
    sigma: float


class Zipf(Struct, frozen=True, forbid_unknown_fields=True):
    """Whole numbers from 1 on, the number k with a probability that falls as k to the power of minus ``exponent``.

    Attributes
    ----------
    exponent : number
        1.1 to 2 is usual; a smaller one makes large numbers more frequent.
    max : integer
        The largest one.
    """

    exponent: float
    max: int


class Uniform(Struct, frozen=True, forbid_unknown_fields=True):
    """Anything between two numbers with the same probability.

    Attributes
    ----------
    low, high : quantity
        The bounds.
    """

    low: Quantity
    high: Quantity


class Exponential(Struct, frozen=True, forbid_unknown_fields=True):
    """An exponential distribution.

    Attributes
    ----------
    mean : quantity
        Of all draws.
    """

    mean: Quantity


class Draw(Struct, frozen=True, forbid_unknown_fields=True):
    """A random quantity: exactly one of the five distributions, cut off and rounded. A plain number is fixed.

    Attributes
    ----------
    mix : table of quantity to number, optional
        Values with their weights, such as ``{"100m" = 5, "2" = 1}``.
    lognormal, zipf, uniform, exponential : table, optional
        See below.
    min, max : quantity, optional
        What is below or above becomes these.
    step : quantity, optional
        Draws are rounded to whole multiples of it, at least one. By default cpu is rounded to 10m, memory and storage
        to 1Mi, all else to whole numbers.
    """

    mix: dict[str, float] | None = None
    lognormal: Lognormal | None = None
    zipf: Zipf | None = None
    uniform: Uniform | None = None
    exponential: Exponential | None = None
    min: Quantity | None = None
    max: Quantity | None = None
    step: Quantity | None = None


class Shape(Struct, frozen=True, forbid_unknown_fields=True):
    """A type of machine.

    Attributes
    ----------
    cpu : quantity
        All of it; what the system keeps is taken off.
    memory : quantity
        All of it.
    pods : integer
        How many pods a node allows.
    storage : quantity
        Ephemeral storage.
    gpu : integer
        How many.
    gpu_resource : text
        What the GPUs are called as a resource.
    gpu_model : text
        Becomes the label ``nvidia.com/gpu.product`` (of the domain of ``gpu_resource``).
    arch : text
        Label ``kubernetes.io/arch``.
    extended : table of text to quantity
        More resources.
    allocatable : table of text to quantity, optional
        What pods may use, just as a node reports it: takes the place of all amounts above.
    """

    cpu: Quantity = 0
    memory: Quantity = 0
    pods: int = 110
    storage: Quantity = "100Gi"
    gpu: int = 0
    gpu_resource: str = "nvidia.com/gpu"
    gpu_model: str = ""
    arch: str = "amd64"
    extended: dict[str, Quantity] = {}
    allocatable: dict[str, Quantity] | None = None


class NodeImage(Struct, frozen=True, forbid_unknown_fields=True):
    """A container image that some nodes of a pool hold.

    Attributes
    ----------
    name : text
        With its tag.
    size : quantity
        Bytes.
    share : number
        Of the nodes that hold it, 0 to 1.
    """

    name: str
    size: Quantity = "100Mi"
    share: float = 1.0


class Pool(Struct, frozen=True, forbid_unknown_fields=True):
    """Nodes of one kind.

    Attributes
    ----------
    name : text
        Nodes are called after it: ``NAME-00000`` and so on.
    count : integer
        How many nodes; if the description (or the call) says how many there are in all, only the ratio counts.
    shape : text
        A type of machine: of the built-in table, or one of the description's own.
    shapes : table of text to number, optional
        Several types with their weights, in the place of ``shape``.
    zones : table of text to number, optional
        Zones with their weights, in the place of the description's.
    labels : table of text to text
        Of all nodes.
    label_mix : table of text to table
        Labels with random values: for each key its values with their weights. The value "" means without.
    annotations : table of text to text
        Of all nodes.
    taints : list of text
        Such as ``"dedicated=gpu:NoSchedule"``.
    images : list of tables
        Images that nodes hold.
    unschedulable : number
        Share of nodes that are cordoned, 0 to 1.
    hostname : boolean
        Whether nodes have the label ``kubernetes.io/hostname``.
    system_labels : boolean
        Whether nodes have the labels of a real node: operating system, architecture, instance type, pool.
    """

    name: str
    count: int
    shape: str = ""
    shapes: dict[str, float] | None = None
    zones: dict[str, float] | None = None
    labels: dict[str, str] = {}
    label_mix: dict[str, dict[str, float]] = {}
    annotations: dict[str, str] = {}
    taints: tuple[str, ...] = ()
    images: tuple[NodeImage, ...] = ()
    unschedulable: float = 0.0
    hostname: bool = True
    system_labels: bool = True


class Spread(Struct, frozen=True, forbid_unknown_fields=True):
    """A topology spread constraint on the pods of the own app.

    Attributes
    ----------
    key : text
        ``zone``, ``host``, ``region``, or the key of any label.
    max_skew : integer
        How far the domains may differ.
    hard : boolean
        DoNotSchedule, or ScheduleAnyway.
    min_domains : integer, optional
        As Kubernetes has it.
    """

    key: str
    max_skew: int = 1
    hard: bool = False
    min_domains: int | None = None


class Near(Struct, frozen=True, forbid_unknown_fields=True):
    """A term of pod affinity or anti-affinity.

    Attributes
    ----------
    key : text
        ``zone``, ``host``, ``region``, or the key of any label.
    to : text
        ``self`` for pods of the own app, or the name of a workload of the same namespace: one of its apps then.
    hard : boolean
        Required, or preferred with ``weight``.
    weight : integer
        1 to 100.
    """

    key: str
    to: str = "self"
    hard: bool = False
    weight: int = 100


class Claim(Struct, frozen=True, forbid_unknown_fields=True):
    """A volume claim of each pod; it waits for its first consumer.

    Attributes
    ----------
    name : text
        Of the volume.
    size : quantity
        What it requests.
    storage_class : text
        A class with delayed binding is made for it.
    """

    name: str = "data"
    size: Quantity = "10Gi"
    storage_class: str = "standard"


class Arrival(Struct, frozen=True, forbid_unknown_fields=True):
    """When apps are created; all pods of an app at once.

    Attributes
    ----------
    over : number
        Seconds in which all of them arrive.
    start : number
        Seconds from the description's start to the first that may arrive.
    pattern : text
        ``poisson`` (at random), ``even`` (at equal distances), or ``daily`` (at random, with a swing of 24 hours).
    swing : number
        For ``daily``: how far the rate rises and falls, 0 to 1.
    """

    over: float
    start: float = 0.0
    pattern: str = "poisson"
    swing: float = 0.8


class Workload(Struct, frozen=True, forbid_unknown_fields=True):
    """Apps of one kind: each is a controller with its pods.

    Attributes
    ----------
    name : text
        Apps are called after it: ``NAME-0`` and so on.
    kind : text
        Deployment, StatefulSet, Job, DaemonSet, ReplicaSet, or Pod (without a controller). A DaemonSet runs a pod on
        every node that it tolerates; these are bound already.
    apps : integer, optional
        How many. Where the description says how many pods there are, or how full the cluster is, the workloads that do
        not say it share what is left by their weights.
    weight : number
        Share of the pods (or of the utilisation) that the workloads without ``apps`` make up.
    replicas : number or draw
        Pods of an app.
    namespace : text
        Where the apps are.
    namespaces : integer
        With 2 or more, apps are strewn over as many namespaces, ``NAMESPACE-0`` and so on.
    labels : table of text to text
        In addition to ``app``.
    requests : table of text to quantity or draw
        By resource. All pods of an app request the same.
    correlation : number
        Of cpu and memory, -1 to 1: that of the normal numbers behind them, which is that of the logarithms if both are
        lognormal.
    bundles : list of tables
        Whole requests that are drawn together, in the place of ``requests``: resources with quantities, a ``weight``,
        and, if the size of an app goes with them, its ``replicas``.
    limits : text
        ``none``, or ``equal`` to what is requested.
    image : text, optional
        Of the container.
    priority : integer or draw
        Of an app's pods.
    priority_class : text
        A class of the description, or a built-in one.
    preemption : boolean
        Whether the pods may push others out.
    node_selector : table of text to text
        Labels that a node must have.
    tolerations : list of text
        Such as ``"dedicated=gpu:NoSchedule"``, ``"spot"`` or ``"*"``.
    spread : list of tables
        Topology spread constraints.
    affinity, anti_affinity : list of tables
        Terms of pod affinity and anti-affinity.
    claims : list of tables
        Of a StatefulSet's pods.
    host_ports : list of integer or text
        Ports of its node that each pod takes: ``8080``, ``"53/UDP"``, ``"10.0.0.1:80/TCP"``.
    service : boolean
        Whether each app has a Service.
    arrival : table, optional
        When apps are created; without, all are there at the start.
    lifetime : number or draw, optional
        Seconds that a pod runs in a simulation; without, for ever. Each pod has its own.
    scheduler : text, optional
        Name of another scheduler.
    spec : table
        Anything else of a pod's spec, as Kubernetes has it.
    """

    name: str
    kind: str = "Deployment"
    apps: int | None = None
    weight: float = 1.0
    replicas: int | Draw = 1
    namespace: str = "default"
    namespaces: int = 1
    labels: dict[str, str] = {}
    requests: dict[str, Quantity | Draw] = {}
    correlation: float = 0.0
    bundles: tuple[dict[str, Quantity], ...] = ()
    limits: str = "none"
    image: str = ""
    priority: int | Draw | None = None
    priority_class: str = ""
    preemption: bool = True
    node_selector: dict[str, str] = {}
    tolerations: tuple[str, ...] = ()
    spread: tuple[Spread, ...] = ()
    affinity: tuple[Near, ...] = ()
    anti_affinity: tuple[Near, ...] = ()
    claims: tuple[Claim, ...] = ()
    host_ports: tuple[int | str, ...] = ()
    service: bool = False
    arrival: Arrival | None = None
    lifetime: Quantity | Draw | None = None
    scheduler: str = ""
    spec: dict[str, Any] = {}


class Description(Struct, frozen=True, forbid_unknown_fields=True):
    """A cluster to be made up.

    Attributes
    ----------
    about : text
        A line for people.
    start : text
        When everything begins that has no later time: an RFC 3339 time in UTC.
    nodes : integer, optional
        Nodes in all; by default what the pools say.
    pods : integer, optional
        Pods in all, those of DaemonSets aside.
    utilisation : table of text to number
        For one resource the share of all that nodes offer which all pods request, 0 to 1 and above: as many pods are
        made. In the place of ``pods``.
    region : text
        Label of all nodes; "" for none.
    zones : integer or list of text
        How many, or which; 0 for none.
    racks : integer
        Racks in each zone, as the label ``topology.kplace.io/rack``; 0 for none.
    shapes : table of text to table
        Types of machines beside the built-in ones.
    pools : list of tables
        The nodes.
    priority_classes : table of text to integer
        Classes with what priority they give.
    namespaces : table of text to table
        Labels of namespaces.
    workloads : list of tables
        The pods.
    """

    pools: tuple[Pool, ...]
    workloads: tuple[Workload, ...] = ()
    about: str = ""
    start: str = "2025-01-01T00:00:00Z"
    nodes: int | None = None
    pods: int | None = None
    utilisation: dict[str, float] = {}
    region: str = "region-1"
    zones: int | tuple[str, ...] = 3
    racks: int = 0
    shapes: dict[str, Shape] = {}
    priority_classes: dict[str, int] = {}
    namespaces: dict[str, dict[str, str]] = {}
