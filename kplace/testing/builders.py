"""Fluent builders of nodes and pods, after upstream's ``testing/wrappers.go``."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import msgspec

from kplace.frames.taints import parse_taints, parse_tolerations
from kplace.io.kinds import find_kind
from kplace.objects.core import Node, Pod
from kplace.testing.manifests import SHORT_KEYS, Manifest, ObjectBuilder, Selector, label_selector, requirements

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_ROOMY = {"cpu": "64", "memory": "256Gi", "pods": "110"}


def make_node(name: str) -> "NodeBuilder":
    """Begin a node: with its hostname label, and with room for nearly everything.

    Examples
    --------
    >>> node = make_node("n1").zone("a").capacity(cpu="4", memory="8Gi").taint("dedicated=db:NoSchedule").obj()
    >>> node.status.allocatable
    {'cpu': '4', 'memory': '8Gi', 'pods': '110'}
    >>> node.spec.taints
    (Taint(key='dedicated', value='db', effect='NoSchedule'),)
    """
    return NodeBuilder(
        Node,
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": {SHORT_KEYS["hostname"]: name}},
            "spec": {},
            "status": {"allocatable": _ROOMY},
        },
    )


class NodeBuilder(ObjectBuilder[Node]):
    """Builds a node; see `make_node`."""

    def zone(self, zone: str) -> Self:
        """Put it into a zone."""
        return self.label({SHORT_KEYS["zone"]: zone})

    def region(self, region: str) -> Self:
        """Put it into a region."""
        return self.label({SHORT_KEYS["region"]: region})

    def capacity(self, **amounts: str) -> Self:
        """Say all that it offers, in Kubernetes' quantities; 110 pods unless ``pods`` says otherwise."""
        return self.status(allocatable=amounts | {"pods": amounts.get("pods", _ROOMY["pods"])})

    def taint(self, *taints: str) -> Self:
        """Add taints, each ``key=value:Effect`` or ``key:Effect``."""
        added = msgspec.to_builtins(parse_taints(",".join(taints)))
        return self.spec(taints=[*self._manifest["spec"].get("taints", ()), *added])

    def cordon(self) -> Self:
        """Mark it as unschedulable, as ``kubectl cordon`` does."""
        return self.spec(unschedulable=True)

    def image(self, *names: str, size: int) -> Self:
        """Let it hold an image under some names; the size is in bytes."""
        held = {"names": list(names), "sizeBytes": size}
        return self.status(images=[*self._manifest["status"].get("images", ()), held])


def make_pod(name: str, namespace: str = "default") -> "PodBuilder":
    """Begin a pod with one container that requests nothing.

    Examples
    --------
    >>> web = make_pod("web-0").req(cpu="1").label(app="web").spread("zone", max_skew=1)
    >>> web = web.anti_affinity("hostname", {"app": "web"})
    >>> pod = web.on("n1").obj()
    >>> pod.spec.node_name, pod.spec.topology_spread_constraints[0].label_selector.match_labels
    ('n1', {'app': 'web'})
    >>> web.obj().spec.node_name
    ''
    """
    return PodBuilder(
        Pod,
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"containers": [{"name": "main", "image": "example.com/main:1"}]},
        },
    )


class PodBuilder(ObjectBuilder[Pod]):
    """Builds a pod; see `make_pod`."""

    def on(self, node: str) -> Self:
        """Let it run on a node."""
        return self.spec(nodeName=node)

    def nominated(self, node: str) -> Self:
        """Give it a node in view, as preemption does."""
        return self.status(nominatedNodeName=node)

    def phase(self, phase: str) -> Self:
        """Say how far it is: ``Running``, ``Succeeded``, and so on."""
        return self.status(phase=phase)

    def created(self, time: str) -> Self:
        """Say when it was created, which orders the queue."""
        return self._with("metadata", {"creationTimestamp": time})

    def started(self, time: str) -> Self:
        """Say when it was started, which preemption looks at."""
        return self.status(startTime=time)

    def terminating(self, time: str = "2026-01-01T00:00:00Z") -> Self:
        """Mark it as being deleted."""
        return self._with("metadata", {"deletionTimestamp": time})

    def owner(self, kind: str, name: str) -> Self:
        """Let a controller own it."""
        known = find_kind("", kind)
        version = known.api_version if known else ""
        reference = {"apiVersion": version, "kind": kind, "name": name, "controller": True}
        return self._with("metadata", {"ownerReferences": [reference]})

    def priority(self, priority: int) -> Self:
        """Give it a priority."""
        return self.spec(priority=priority)

    def scheduler(self, name: str) -> Self:
        """Name the scheduler that is to place it."""
        return self.spec(schedulerName=name)

    def gate(self, *names: str) -> Self:
        """Keep it out of the queue by scheduling gates."""
        return self.spec(schedulingGates=[{"name": name} for name in names])

    def req(self, **amounts: str) -> Self:
        """Say all that its first container requests, in Kubernetes' quantities."""
        return self._first_container(resources={"requests": amounts})

    def image(self, image: str) -> Self:
        """Say which image its first container runs."""
        return self._first_container(image=image)

    def host_port(self, port: int, *, protocol: str = "TCP", address: str = "") -> Self:
        """Let its first container use a port of the node."""
        ports = self._manifest["spec"]["containers"][0].get("ports", ())
        added = {"containerPort": port, "hostPort": port, "protocol": protocol}
        return self._first_container(ports=[*ports, added | ({"hostIP": address} if address else {})])

    def container(self, image: str = "example.com/more:1", **amounts: str) -> Self:
        """Add a container with its requests."""
        return self._append("containers", image, amounts)

    def init_container(self, image: str = "example.com/init:1", **amounts: str) -> Self:
        """Add an init container with its requests."""
        return self._append("initContainers", image, amounts)

    def sidecar(self, image: str = "example.com/sidecar:1", **amounts: str) -> Self:
        """Add a sidecar (an init container that stays) with its requests."""
        return self._append("initContainers", image, amounts, restartPolicy="Always")

    def overhead(self, **amounts: str) -> Self:
        """Say what its sandbox needs on top of its containers."""
        return self.spec(overhead=amounts)

    def pod_level(self, **amounts: str) -> Self:
        """Say what the pod as a whole requests."""
        return self.spec(resources={"requests": amounts})

    def node_selector(self, labels: Mapping[str, str] | None = None, /, **more: str) -> Self:
        """Ask for labels of the node."""
        own = self._manifest["spec"].get("nodeSelector", {})
        return self.spec(nodeSelector=own | dict(labels or {}) | more)

    def require_node(self, expressions: str = "", *, name: str = "") -> Self:
        """Add one more alternative to what the node must be.

        Parameters
        ----------
        expressions : str
            About labels, such as ``"disk=ssd, gen>3"``; all must be met.
        name : str
            The node's name, by ``matchFields``.
        """
        term = _node_term(expressions, name)
        terms = self._affinity("nodeAffinity").get(_REQUIRED, {}).get("nodeSelectorTerms", ())
        return self._affine("nodeAffinity", {_REQUIRED: {"nodeSelectorTerms": [*terms, term]}})

    def prefer_node(self, weight: int, expressions: str = "", *, name: str = "") -> Self:
        """Add a preference for nodes; see `require_node`."""
        item = {"weight": weight, "preference": _node_term(expressions, name)}
        return self._affine("nodeAffinity", {_PREFERRED: [*self._affinity("nodeAffinity").get(_PREFERRED, ()), item]})

    def tolerate(self, *tolerations: str) -> Self:
        """Add tolerations: ``key=value:Effect``, ``key:Effect`` for any value, ``key`` for any effect, ``*``."""
        added = msgspec.to_builtins(parse_tolerations(",".join(tolerations)))
        return self.spec(tolerations=[*self._manifest["spec"].get("tolerations", ()), *added])

    def spread(
        self, key: str, *, max_skew: int = 1, soft: bool = False, selector: Selector | None = None, **more: object
    ) -> Self:
        """Add a topology spread constraint.

        Parameters
        ----------
        key : str
            A node label; ``zone``, ``region`` and ``hostname`` stand for the well-known ones.
        max_skew : int
        soft : bool
            Prefer it only (``ScheduleAnyway``).
        selector : str or mapping, optional
            Which pods are counted; by default those with this pod's labels.
        **more
            Further fields as a manifest has them, such as ``minDomains=2``.
        """
        constraint = {
            "topologyKey": SHORT_KEYS.get(key, key),
            "maxSkew": max_skew,
            "whenUnsatisfiable": "ScheduleAnyway" if soft else "DoNotSchedule",
            "labelSelector": self._selector(selector),
        }
        own = self._manifest["spec"].get("topologySpreadConstraints", ())
        return self.spec(topologySpreadConstraints=[*own, constraint | more])

    def affinity(
        self,
        key: str,
        selector: Selector | None = None,
        *,
        weight: int | None = None,
        namespaces: Sequence[str] = (),
        namespace_selector: Selector | None = None,
    ) -> Self:
        """Ask for pods to be near to.

        Parameters
        ----------
        key : str
            The node label that near means the same value of; short as for `spread`.
        selector : str or mapping, optional
            Which pods; by default those with this pod's labels.
        weight : int, optional
            Prefer it only, 1 to 100.
        namespaces, namespace_selector
            Where the pods are; by default in this pod's namespace.
        """
        return self._pod_affine("podAffinity", weight, self._term(key, selector, namespaces, namespace_selector))

    def anti_affinity(
        self,
        key: str,
        selector: Selector | None = None,
        *,
        weight: int | None = None,
        namespaces: Sequence[str] = (),
        namespace_selector: Selector | None = None,
    ) -> Self:
        """Ask for pods to keep away from; see `affinity`."""
        return self._pod_affine("podAntiAffinity", weight, self._term(key, selector, namespaces, namespace_selector))

    def _selector(self, selector: Selector | None) -> Manifest:
        return label_selector(self._manifest["metadata"].get("labels", {}) if selector is None else selector)

    def _term(
        self, key: str, selector: Selector | None, namespaces: Sequence[str], namespace_selector: Selector | None
    ) -> Manifest:
        term: Manifest = {"topologyKey": SHORT_KEYS.get(key, key), "labelSelector": self._selector(selector)}
        if namespaces:
            term["namespaces"] = list(namespaces)
        if namespace_selector is not None:
            term["namespaceSelector"] = label_selector(namespace_selector)
        return term

    def _affinity(self, side: str) -> Manifest:
        found: Manifest = self._manifest["spec"].get("affinity", {}).get(side, {})
        return found

    def _affine(self, side: str, fields: Manifest) -> Self:
        whole = self._manifest["spec"].get("affinity", {})
        return self.spec(affinity=whole | {side: self._affinity(side) | fields})

    def _pod_affine(self, side: str, weight: int | None, term: Manifest) -> Self:
        kind = _REQUIRED if weight is None else _PREFERRED
        item = term if weight is None else {"weight": weight, "podAffinityTerm": term}
        return self._affine(side, {kind: [*self._affinity(side).get(kind, ()), item]})

    def _first_container(self, **fields: Any) -> Self:  # noqa: ANN401 - any field of a container
        first, *others = self._manifest["spec"]["containers"]
        return self.spec(containers=[first | fields, *others])

    def _append(self, field: str, image: str, amounts: Mapping[str, str], **more: str) -> Self:
        listed = self._manifest["spec"].get(field, ())
        container = {"name": f"{field}-{len(listed)}", "image": image, "resources": {"requests": amounts}, **more}
        return self.spec({field: [*listed, container]})


def _node_term(expressions: str, name: str) -> Manifest:
    term: Manifest = {}
    if expressions:
        term["matchExpressions"] = requirements(expressions)
    if name:
        term["matchFields"] = [{"key": "metadata.name", "operator": "In", "values": [name]}]
    return term
