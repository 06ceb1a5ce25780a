"""Finding the pod that is meant, and what may be meant where there is none of that name."""

from collections.abc import Iterable, Iterator

import numpy as np

from kplace.api.hints import close_names, did_you_mean, listed
from kplace.columns import ClusterColumns, Template
from kplace.dtypes import I32
from kplace.errors import UsageError

CONTROLLERS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob", "ReplicationController")
"""Kinds that make pods; where several of one name own the same pods, the first one is what people know."""

_HASH_LABEL = "pod-template-hash"
_MOST = 3


def find_pod(columns: ClusterColumns, pod: str) -> int:
    """Index of the pod ``NAMESPACE/NAME``.

    Raises
    ------
    UsageError
        There is none; the message names what may be meant: the pods of a controller of that name, pods of that name
        elsewhere, pods whose names begin so or are close.
    """
    pods = columns.pods
    namespace, slash, name = pod.rpartition("/")
    namespace = namespace if slash else "default"
    code = pods.namespaces.find(namespace)
    same_name = [index for index, own in enumerate(pods.names) if own == name]
    for index in same_name:
        if pods.namespace[index] == code:
            return index
    hint = did_you_mean([pods.key(index) for index in same_name[:_MOST]]) or _meant(columns, namespace, name)
    msg = f"pod: there is no pod {namespace}/{name} in the input{hint}"
    raise UsageError(msg)


def find_nodes(columns: ClusterColumns, names: Iterable[str]) -> I32:
    """Indexes of nodes by name, each once, in snapshot order.

    Raises
    ------
    UsageError
        With all names that no node has, and what may be meant by the first of them.
    """
    wanted = [str(name) for name in ([names] if isinstance(names, str) else names)]
    unknown = [name for name in wanted if name not in columns.nodes.index]
    if unknown:
        hint = did_you_mean(close_names(unknown[0], columns.nodes.names, _MOST))
        msg = f"nodes: there is no node {listed(unknown)} in the input{hint}"
        raise UsageError(msg)
    return np.array(sorted({columns.nodes.index[name] for name in wanted}), np.int32)


def find_pods(columns: ClusterColumns, pods: Iterable[str]) -> I32:
    """Indexes of pods by ``NAMESPACE/NAME``, each once, in input order; a name alone is looked for in ``default``.

    Raises
    ------
    UsageError
        There is none of a name; see `find_pod`.
    """
    wanted = [pods] if isinstance(pods, str) else list(pods)
    if len(wanted) <= _MOST:
        return np.unique(np.array([find_pod(columns, pod) for pod in wanted], np.int32))
    index = {columns.pods.key(pod): pod for pod in range(len(columns.pods))}
    keys = [pod if "/" in pod else f"default/{pod}" for pod in wanted]
    found = [index[key] if key in index else find_pod(columns, key) for key in keys]
    return np.unique(np.array(found, np.int32))


def _meant(columns: ClusterColumns, namespace: str, name: str) -> str:
    """Say what else may be meant, in the namespace that was named or else in any."""
    controllers = _controllers(columns)
    wanted = f"{namespace}/{name}"
    same_name = [key for key in controllers if key.partition("/")[2] == name]
    if same_name:
        key = wanted if wanted in same_name else same_name[0]
        kind = min(controllers[key], key=CONTROLLERS.index)
        owned = _keys(columns, {code for codes in controllers[key].values() for code in codes})
        whose = f"with the pod{'s' if len(owned) > 1 else ''} {listed(owned, _MOST)}" if owned else "without pods"
        return f"; {'it' if key == wanted else key} is a {kind}, {whose}"
    keys = _keys(columns, set(range(len(columns.templates))))
    begun = [key for key in keys if key.startswith(wanted)]
    begun = begun or [key for key in keys if name and key.partition("/")[2].startswith(name)]
    if begun:
        return f"; pods that begin so: {listed(begun, _MOST)}"
    # Compared without the namespace: what all have in common would make all seem close.
    there = [own for space, _, own in (key.partition("/") for key in (*keys, *controllers)) if space == namespace]
    close = did_you_mean([f"{namespace}/{own}" for own in close_names(name, there, _MOST)])
    return close or _what_there_is(keys, namespace)


def _what_there_is(keys: list[str], namespace: str) -> str:
    """Say how many pods there are, and which in the namespace that was named, or else in which namespaces."""
    if not keys:
        return ", which holds no pods"
    own = [key for key in keys if key.startswith(f"{namespace}/")]
    if own:
        return f"; in {namespace} there are {listed(own, _MOST)}"
    spaces = sorted({key.partition("/")[0] for key in keys})
    many = f"{len(keys):,} pods" if len(keys) > 1 else "1 pod"
    near = did_you_mean([f"{space}/..." for space in close_names(namespace, spaces)])
    return f", which holds {many}, in {listed(spaces)}{near}"


def _keys(columns: ClusterColumns, templates: set[int]) -> list[str]:
    """``namespace/name`` of the pods of some templates, the waiting ones first."""
    pods = columns.pods
    chosen = np.flatnonzero(np.isin(pods.template, list(templates)))
    first_waiting = chosen[np.argsort(~pods.waiting[chosen], kind="stable")]
    return [pods.key(index) for index in first_waiting.tolist()]


def _controllers(columns: ClusterColumns) -> dict[str, dict[str, list[int]]]:
    """``namespace/name`` of all controllers: by kind the templates of their pods."""
    found: dict[str, dict[str, list[int]]] = {}
    for kind in CONTROLLERS:
        for item in columns.objects.get(kind, ()):
            meta = item.metadata  # type: ignore[attr-defined]
            found.setdefault(f"{meta.namespace or 'default'}/{meta.name}", {}).setdefault(kind, [])
    for template in columns.templates:
        for kind, name in _owners(template):
            found.setdefault(f"{template.namespace}/{name}", {}).setdefault(kind, []).append(template.code)
    return found


def _owners(template: Template) -> Iterator[tuple[str, str]]:
    """Kind and name of a pod's owner, and of the owner's own, which shows in what it is called."""
    owner = template.owner
    if owner is None or owner.kind not in CONTROLLERS:
        return
    yield owner.kind, owner.name
    stem, _, suffix = owner.name.rpartition("-")
    if stem and owner.kind == "ReplicaSet" and suffix == template.labels.get(_HASH_LABEL):
        yield "Deployment", stem
    elif stem and owner.kind == "Job" and suffix.isdecimal():
        yield "CronJob", stem
