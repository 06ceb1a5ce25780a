"""Rows of a user's DataFrame as pods."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct, structs

from kplace.columns.annotations import LASTS
from kplace.columns.quantity import milli_value, value
from kplace.columns.rebuilt import seconds_text
from kplace.columns.resources import BASE_RESOURCES, pod_requests
from kplace.dtypes import Phase
from kplace.frames.node_rows import at_row, listed, read_names, read_resources
from kplace.frames.pods import PHASES
from kplace.frames.rows import Refused, RowReader, integer, shown, text_map
from kplace.frames.taints import parse_tolerations, toleration_text
from kplace.objects.core import Container, Pod, PodSpec, PodStatus, SchedulingGate, Toleration
from kplace.objects.meta import ObjectMeta, OwnerReference, Quantity, ResourceRequirements

UNKNOWN_NODE_NAME = "(not in the input)"
"""Node of a pod that the table of pods says is bound, but not where."""

Fit = Callable[[object, type[Struct]], tuple[dict[str, object], list[tuple[str, str]]]]
"""Cuts a value down to what a struct takes, and says what did not fit, with paths: `kplace.io.shape.fit`."""

_LEFT = "1970-01-01T00:00:00Z"
_GATE = SchedulingGate("gated")
_EMPTY = PodSpec(containers=(Container("main"),))


class _Wanted(Struct, frozen=True):
    """What the columns of a row say about its pod's spec; None where they say nothing."""

    requests: dict[str, Quantity]
    node_selector: dict[str, str] | None
    tolerations: tuple[Toleration, ...] | None
    priority: int | None
    scheduler: str | None
    gated: bool | None


def read_pods(rows: RowReader, fit: Fit, api_version: Callable[[str], str]) -> Iterator[Pod]:
    """Pods of the rows, in their order; rows without a name are left out.

    Faults are collected in ``rows.faults``.

    Parameters
    ----------
    fit : callable
        Says everything that is wrong with the dicts of the column ``spec``.
    api_version : callable
        Of an owner's kind.
    """
    namespaces = [namespace or "default" for namespace in rows.texts("namespace")]
    names = read_names(rows, "pod", namespaces)
    labels = rows.labels()
    owners = _owners(rows, api_version)
    phases = rows.read("phase", _phase)
    terminating = rows.flags("terminating")
    created, started = rows.times("created"), rows.times("started")
    lasts = rows.read("lasts", _lasts)
    specs = _specs(rows, fit)
    nodes = _nodes(rows, terminating, phases)
    for row, name in enumerate(names):
        if name is not None:
            node = nodes[row]
            spec = specs[row]
            yield Pod(
                metadata=ObjectMeta(
                    name=name,
                    namespace=namespaces[row],
                    labels=labels[row] or None,
                    annotations=_annotations(lasts[row]),
                    creation_timestamp=created[row],
                    deletion_timestamp=_LEFT if terminating[row] else None,
                    owner_references=owners[row],
                ),
                spec=spec if node is None else structs.replace(spec, node_name=node),
                status=PodStatus(phase=phases[row] or "", start_time=started[row]),
            )


def _lasts(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value < 10**9:
        msg = f"expected seconds, 0 or more, got {shown(value)}"
        raise Refused(msg)
    return seconds_text(round(float(value) * 10**9))


def _annotations(lasts: str | None) -> dict[str, str] | None:
    return None if lasts is None else {LASTS: lasts}


def _nodes(rows: RowReader, terminating: list[bool | None], phases: list[str | None]) -> list[str | None]:
    """Node of each pod; None where that is left to the spec."""
    if "node" not in rows:
        rows.ignore("waiting")
        return [None] * len(rows)
    nodes = [node or "" for node in rows.texts("node")]
    waiting = rows.flags("waiting")
    finished = (Phase.SUCCEEDED.name.capitalize(), Phase.FAILED.name.capitalize())
    return [
        UNKNOWN_NODE_NAME if not node and waits is False and not leaves and phase not in finished else node
        for node, waits, leaves, phase in zip(nodes, waiting, terminating, phases, strict=True)
    ]


def _owners(rows: RowReader, api_version: Callable[[str], str]) -> list[tuple[OwnerReference, ...] | None]:
    kinds, names = rows.texts("owner_kind"), rows.texts("owner")
    return [
        (OwnerReference(api_version(kind), kind, name, controller=True),) if kind and name else None
        for kind, name in zip(kinds, names, strict=True)
    ]


def _phase(phase: object) -> str:
    if phase not in PHASES:
        msg = f"expected one of {', '.join(PHASES)}, got {shown(phase)}"
        raise Refused(msg)
    return str(phase)


def _specs(rows: RowReader, fit: Fit) -> list[PodSpec]:
    """Spec of each row: the dict in ``spec``, changed where the other columns say something else."""
    bases = _base_specs(rows, fit)
    requests = read_resources(rows, "requested_", BASE_RESOURCES)
    selectors = rows.read("node_selector", text_map)
    tolerations = rows.read("tolerations", lambda given: listed(given, parse_tolerations, Toleration))
    priorities = rows.read("priority", integer)
    schedulers = rows.texts("scheduler")
    gated = rows.flags("gated")
    rows.ignore("made", prefixes=("nonzero_requested_",))
    known: dict[Hashable, PodSpec] = {}
    frozen = _Frozen()
    specs: list[PodSpec] = []
    amounts = list(zip(*requests.values(), strict=True)) if requests else [()] * len(rows)
    for row, base in enumerate(bases):
        rest = (priorities[row], schedulers[row], gated[row])
        key = (id(base), amounts[row], frozen.of(selectors[row]), tolerations[row], rest)
        if key not in known:
            wanted = _Wanted(at_row(requests, row), selectors[row], tolerations[row], *rest)
            known[key] = _changed(base or _EMPTY, wanted, has_base=base is not None)
        specs.append(known[key])
    return specs


class _Frozen:
    """Dicts as hashable keys, made once for each dict object."""

    def __init__(self) -> None:
        self._keys: dict[int, Hashable] = {}

    def of(self, mapping: Mapping[str, str] | None) -> Hashable:
        if mapping is None:
            return None
        key = self._keys.get(id(mapping))
        if key is None:
            key = self._keys[id(mapping)] = tuple(sorted(mapping.items()))
        return key


def _base_specs(rows: RowReader, fit: Fit) -> list[PodSpec | None]:
    known: dict[int, PodSpec | None] = {}
    bases: list[PodSpec | None] = []
    for row, given in enumerate(rows.values("spec")):
        if given is None or isinstance(given, PodSpec):
            bases.append(given)
            continue
        if id(given) not in known:
            known[id(given)] = _converted(rows, row, given, fit)
        bases.append(known[id(given)])
    return bases


def _converted(rows: RowReader, row: int, given: object, fit: Fit) -> PodSpec | None:
    try:
        return msgspec.convert(given, PodSpec)
    except msgspec.ValidationError:
        if not isinstance(given, Mapping):
            rows.fault(row, "spec", f"expected a dict, got {shown(given)}")
            return None
        for path, message in fit(given, PodSpec)[1]:
            rows.fault(row, f"spec.{path}", message)
        return None


def _changed(base: PodSpec, wanted: _Wanted, *, has_base: bool) -> PodSpec:
    """Give a spec what the columns want; what they agree with is left as it is, to the letter."""
    changes: dict[str, Any] = {}
    if wanted.node_selector is not None and wanted.node_selector != (base.node_selector or {}):
        changes["node_selector"] = wanted.node_selector
    if wanted.tolerations is not None and toleration_text(wanted.tolerations) != toleration_text(
        base.tolerations or ()
    ):
        changes["tolerations"] = wanted.tolerations
    if wanted.priority is not None and wanted.priority != base.priority:
        changes |= {"priority": wanted.priority, "priority_class_name": ""}
    if wanted.scheduler is not None:
        changes["scheduler_name"] = wanted.scheduler
    if wanted.gated is not None and wanted.gated != bool(base.scheduling_gates):
        changes["scheduling_gates"] = (_GATE,) if wanted.gated else None
    spec = structs.replace(base, **changes)
    said = pod_requests(base).plain if has_base else {}
    for resource, amount in wanted.requests.items():
        if (milli_value(amount) if resource == "cpu" else value(amount)) != said.get(resource, 0):
            spec = with_request(spec, resource, amount)
    return spec


def with_request(spec: PodSpec, resource: str, amount: Quantity) -> PodSpec:
    """Return a spec whose first container alone requests a resource.

    Examples
    --------
    >>> two = PodSpec(containers=(Container("web"), Container("log")), overhead={"cpu": "50m"})
    >>> pod_requests(with_request(two, "cpu", "2")).plain
    {'cpu': 2000}
    """
    first, *others = spec.containers or (Container("main"),)
    bare = _container_without(first, resource)
    resources = bare.resources or ResourceRequirements()
    requests = {**(resources.requests or {}), resource: amount}
    return structs.replace(
        spec,
        containers=(
            structs.replace(bare, resources=structs.replace(resources, requests=requests)),
            *(_container_without(item, resource) for item in others),
        ),
        init_containers=tuple(_container_without(item, resource) for item in spec.init_containers or ()) or None,
        resources=_without(spec.resources, resource),
        overhead={name: held for name, held in (spec.overhead or {}).items() if name != resource} or None,
    )


def _container_without(container: Container, resource: str) -> Container:
    return structs.replace(container, resources=_without(container.resources, resource))


def _without(resources: ResourceRequirements | None, resource: str) -> ResourceRequirements | None:
    if resources is None:
        return None
    return ResourceRequirements(
        requests={name: held for name, held in (resources.requests or {}).items() if name != resource} or None,
        limits={name: held for name, held in (resources.limits or {}).items() if name != resource} or None,
    )
