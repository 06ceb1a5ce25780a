"""The objects of a workload, as they stand at some point of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import Struct, structs

from kplace.columns import ClusterBuilder, ClusterColumns
from kplace.errors import Fault, InputError
from kplace.io.validate import CHECKS
from kplace.objects.core import Node, Pod
from kplace.objects.meta import ObjectMeta

RESIZE = "resize"
"""The subresource of a pod that changes what its containers ask for, and nothing else."""


@dataclass(slots=True)
class World:
    """What has been made so far. Pods keep their number, whatever becomes of them; all other objects their name.

    Parameters
    ----------
    title : str
        Of the workload, for messages.
    """

    title: str
    _nodes: dict[str, tuple[Node, Path]] = field(default_factory=dict)
    _pods: list[tuple[Pod, Path]] = field(default_factory=list)
    _pod_names: dict[tuple[str, str], int] = field(default_factory=dict)
    _others: dict[tuple[str, str, str], tuple[Struct, Path]] = field(default_factory=dict)

    @property
    def n_pods(self) -> int:
        """Pods made so far."""
        return len(self._pods)

    @property
    def n_nodes(self) -> int:
        """Nodes made so far."""
        return len(self._nodes)

    def add(self, kind: str, made: Struct, path: Path) -> None:
        """Add an object that is no pod.

        Raises
        ------
        InputError
            There is one of that name.
        """
        if isinstance(made, Node):
            self._check_new(kind, made.metadata, path, is_new=made.metadata.name not in self._nodes)
            self._nodes[made.metadata.name] = made, path
            return
        key = _key(kind, made)
        self._check_new(kind, _metadata(made), path, is_new=key not in self._others)
        self._others[key] = made, path

    def add_pod(self, pod: Pod, path: Path) -> int:
        """Add a pod; returns its number.

        Raises
        ------
        InputError
            There is one of that name.
        """
        key = (pod.metadata.namespace, pod.metadata.name)
        self._check_new("Pod", pod.metadata, path, is_new=key not in self._pod_names)
        self._pod_names[key] = len(self._pods)
        self._pods.append((pod, path))
        return len(self._pods) - 1

    def has(self, kind: str, name: str) -> bool:
        """Whether there is such an object, of a kind that lives in no namespace."""
        return (kind, "", name) in self._others

    def update(self, kind: str, made: Struct, path: Path, subresources: Sequence[str] = ()) -> None:
        """Put an object in the place of that of the same name; a pod stays on its node.

        Raises
        ------
        InputError
            There is none.
        """
        if isinstance(made, Pod):
            number = self._pod_names.get((made.metadata.namespace, made.metadata.name))
            if number is None:
                raise self._missing(kind, made.metadata, path)
            self._pods[number] = _updated(self._pods[number][0], made, subresources), path
        elif isinstance(made, Node):
            if made.metadata.name not in self._nodes:
                raise self._missing(kind, made.metadata, path)
            self._nodes[made.metadata.name] = made, path
        else:
            key = _key(kind, made)
            if key not in self._others:
                raise self._missing(kind, _metadata(made), path)
            self._others[key] = made, path

    def pods_in(self, namespaces: Sequence[str], labels: Mapping[str, str]) -> list[int]:
        """Numbers of the pods of some namespaces that have all those labels."""
        return [
            number
            for number, (pod, _) in enumerate(self._pods)
            if pod.metadata.namespace in namespaces and labels.items() <= (pod.metadata.labels or {}).items()
        ]

    def columns(self) -> ClusterColumns:
        """Build the cluster as it is now, with all pods waiting.

        Raises
        ------
        InputError
            Something in it is not as Kubernetes demands.
        """
        builder = ClusterBuilder(CHECKS)
        for (kind, _, _), (made, path) in self._others.items():
            builder.add(kind, made, b"{}", str(path))
        for node, path in self._nodes.values():
            builder.add("Node", node, b"{}", str(path))
        for pod, path in self._pods:
            builder.add_pod(pod, str(path))
        return builder.finish()

    def _check_new(self, kind: str, meta: ObjectMeta, path: Path, *, is_new: bool) -> None:
        if not is_new:
            message = f"{self.title}: there is one of that name already; generateName would give each its own"
            raise InputError([Fault(str(path), f"{kind} {meta.name}", "metadata.name", message)])

    def _missing(self, kind: str, meta: ObjectMeta, path: Path) -> InputError:
        message = f"{self.title}: there is none of that name to update"
        return InputError([Fault(str(path), f"{kind} {meta.name}", "metadata.name", message)])


def _updated(old: Pod, new: Pod, subresources: Sequence[str]) -> Pod:
    if RESIZE not in subresources:
        return structs.replace(new, spec=structs.replace(new.spec, node_name=old.spec.node_name))
    asked = {item.name: item.resources for item in new.spec.containers or ()}
    containers = tuple(
        structs.replace(item, resources=asked[item.name]) if item.name in asked else item
        for item in old.spec.containers or ()
    )
    return structs.replace(old, spec=structs.replace(old.spec, containers=containers))


def _key(kind: str, made: Struct) -> tuple[str, str, str]:
    meta = _metadata(made)
    return kind, meta.namespace, meta.name


def _metadata(made: Struct) -> ObjectMeta:
    found = getattr(made, "metadata", None)
    return found if isinstance(found, ObjectMeta) else ObjectMeta()
