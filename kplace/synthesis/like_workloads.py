"""Workloads fitted to the pods of a cluster."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from msgspec import structs

from kplace.columns import ClusterColumns, Template
from kplace.columns.selectors import compile_selector
from kplace.columns.template_index import TemplateIndex
from kplace.frames.taints import toleration_text
from kplace.objects.core import Affinity, PodAffinity, PodAffinityTerm, Toleration
from kplace.objects.defaulting import DEFAULT_SCHEDULER
from kplace.objects.storage import PersistentVolumeClaim
from kplace.plugins.nodeports.ports import host_ports
from kplace.synthesis.description import Claim, Near, Quantity, Spread, Workload
from kplace.synthesis.ports import port_text
from kplace.synthesis.templates import HASH, JOB_NAME, quantity_text
from kplace.synthesis.workloads import REPLICAS, WEIGHT

SELF = "self"
"""In a term: the pods of the own app."""
_KINDS = {"ReplicaSet": "ReplicaSet", "StatefulSet": "StatefulSet", "Job": "Job", "DaemonSet": "DaemonSet"}
_CONTROLLERS_LABELS = (
    *(HASH, JOB_NAME, "job-name", "controller-uid", "batch.kubernetes.io/controller-uid", "controller-revision-hash"),
    *("pod-template-generation", "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index", "app"),
)


@dataclass(frozen=True, slots=True)
class _App:
    """The pods of one controller, or those without one that agree in everything.

    Attributes
    ----------
    kind : str
    template : Template
        That of most of the pods.
    replicas : int
    """

    kind: str
    template: Template
    replicas: int


def fitted_workloads(columns: ClusterColumns) -> tuple[list[Workload], int]:
    """Workloads like those of a cluster, and how many pods there are beside those of DaemonSets.

    Parameters
    ----------
    columns : ClusterColumns
        Pods that have ended or are being deleted are passed over.

    Notes
    -----
    Apps that ask for the same (kind, namespace, selectors of nodes, tolerations, spread, terms, priority, scheduler)
    are a workload; the sizes of apps and what their pods request become a mix with the shares that they have. A term on
    pods of another app of the namespace becomes one on an app of that one's workload. All other terms, spread
    constraints on pods of others and volumes other than the claims of StatefulSets are left out;
    `kplace.synthesis.omissions` says whose.
    """
    apps = list(_apps(columns))
    alone = [_bare(app, columns) for app in apps]
    others = _Others(columns, apps, [_code(workload) for workload in alone])
    groups: dict[str, list[int]] = {}
    for number, (app, workload) in enumerate(zip(apps, alone, strict=True)):
        # As long as workloads have no names, terms on others name what those would be without such terms.
        groups.setdefault(_code(others.added(workload, app)), []).append(number)
    wanted = {code: others.added(alone[numbers[0]], apps[numbers[0]]) for code, numbers in groups.items()}
    names: dict[str, str] = {}
    of_kind = Counter[str]()
    for code, workload in wanted.items():
        names[code] = f"{workload.kind.lower()}-{of_kind[workload.kind]}"
        of_kind[workload.kind] += 1
    largest = others.named({names[code]: numbers for code, numbers in groups.items()})
    resources = list(columns.resources)
    workloads = []
    for code, numbers in groups.items():
        named = structs.replace(
            wanted[code],
            name=names[code],
            affinity=_renamed(wanted[code].affinity, largest),
            anti_affinity=_renamed(wanted[code].anti_affinity, largest),
        )
        workloads.append(_sized(named, [apps[number] for number in numbers], resources))
    n_pods = sum(app.replicas for app in apps if app.kind != "DaemonSet")
    return workloads, n_pods


def _code(workload: Workload) -> str:
    return msgspec.json.encode(workload, order="sorted").decode()


def _renamed(terms: Sequence[Near], names: Mapping[str, str]) -> tuple[Near, ...]:
    return tuple(term if term.to == SELF else structs.replace(term, to=names[term.to]) for term in terms)


class Targets:
    """Finds the apps that terms of others can be on: they need a controller, and DaemonSets have a pod on each node.

    Parameters
    ----------
    columns : ClusterColumns
    apps : sequence of _App, optional
        Those of the cluster.
    """

    def __init__(self, columns: ClusterColumns, apps: Sequence[_App] | None = None) -> None:
        self._templates = columns.templates
        self._index = TemplateIndex(columns.templates)
        self._numbers: dict[int, int] = {}
        for number, app in enumerate(_apps(columns) if apps is None else apps):
            owner = app.template.owner
            if owner is not None and owner.kind in _KINDS and owner.kind != "DaemonSet":
                self._numbers[app.template.code] = number

    def of(self, term: PodAffinityTerm, template: Template) -> list[int]:
        """Numbers of the apps in a template's namespace that one of its terms is on."""
        if not is_at_home(term, template):
            return []
        selector = compile_selector(term.label_selector)
        codes = self._index.candidates(selector, (template.namespace,))
        known = (self._templates[code] for code in codes if code in self._numbers)
        return [
            self._numbers[item.code]
            for item in known
            if item.namespace == template.namespace and selector.matches(item.labels)
        ]


class _Others:
    """Finds whom the terms of apps on pods of others mean.

    Parameters
    ----------
    columns : ClusterColumns
    apps : sequence of _App
    codes : sequence of str
        What each would be a workload of without such terms.
    """

    def __init__(self, columns: ClusterColumns, apps: Sequence[_App], codes: Sequence[str]) -> None:
        self._apps = apps
        self._codes = codes
        self._targets = Targets(columns, apps)

    def added(self, workload: Workload, app: _App) -> Workload:
        """A workload with the terms of an app on others, each of which is named by its code."""
        affinity = app.template.spec.affinity
        if app.kind == "DaemonSet" or affinity is None:
            return workload
        return structs.replace(
            workload,
            affinity=(*workload.affinity, *self._terms(affinity.pod_affinity, app.template)),
            anti_affinity=(*workload.anti_affinity, *self._terms(affinity.pod_anti_affinity, app.template)),
        )

    def named(self, groups: Mapping[str, Sequence[int]]) -> dict[str, str]:
        """The name of the group of apps by each code: of those that share it the one with the most pods."""
        pods: dict[str, Counter[str]] = {}
        for name, numbers in groups.items():
            for number in numbers:
                pods.setdefault(self._codes[number], Counter())[name] += self._apps[number].replicas
        return {code: names.most_common(1)[0][0] for code, names in pods.items()}

    def _terms(self, side: PodAffinity | None, template: Template) -> Iterator[Near]:
        for term, weight in _weighed(side):
            if not is_on_itself(term, template):
                code = self._meant(term, template)
                if code is not None:
                    yield _near(term, weight, code)

    def _meant(self, term: PodAffinityTerm, template: Template) -> str | None:
        """Code of the app with the most pods of those that a term matches."""
        meant = self._targets.of(term, template)
        return self._codes[max(meant, key=lambda number: self._apps[number].replicas)] if meant else None


def _apps(columns: ClusterColumns) -> Iterator[_App]:
    pods = columns.pods
    living = np.flatnonzero(~pods.finished & ~pods.terminating)
    number = Counter(pods.template[living].tolist())
    apps: dict[tuple[str, str, str], Counter[int]] = {}
    for code, count in number.items():
        template = columns.templates[code]
        owner = template.owner
        who = ("Pod", str(code)) if owner is None or owner.kind not in _KINDS else (owner.kind, owner.name)
        apps.setdefault((template.namespace, *who), Counter())[code] += count
    for (_, kind, _), codes in apps.items():
        template = columns.templates[codes.most_common(1)[0][0]]
        is_deployed = kind == "ReplicaSet" and HASH in template.labels
        yield _App("Deployment" if is_deployed else kind, template, codes.total())


def _bare(app: _App, columns: ClusterColumns) -> Workload:
    """What an app asks for, without its size and its requests."""
    template, spec = app.template, app.template.spec
    affinity = spec.affinity or Affinity()
    rest: dict[str, Any] = {}
    required = affinity.node_affinity
    if required is not None and app.kind != "DaemonSet":
        rest["affinity"] = {"nodeAffinity": _plain(required)}
    if spec.scheduling_gates:
        rest["schedulingGates"] = _plain(spec.scheduling_gates)
    if spec.termination_grace_period_seconds is not None:
        rest["terminationGracePeriodSeconds"] = spec.termination_grace_period_seconds
    return Workload(
        name="x",
        kind=app.kind,
        namespace=template.namespace,
        labels=_labels(template),
        priority=spec.priority or None,
        preemption=spec.preemption_policy != "Never",
        node_selector=spec.node_selector or {},
        tolerations=_tolerations(app.kind, spec.tolerations or ()),
        spread=tuple(_spreads(template)),
        affinity=tuple(_terms(affinity.pod_affinity, template)),
        anti_affinity=tuple(_terms(affinity.pod_anti_affinity, template)),
        claims=_claims(app, columns) if app.kind == "StatefulSet" else (),
        host_ports=tuple(sorted(map(port_text, host_ports(spec)), key=str)),
        scheduler="" if spec.scheduler_name == DEFAULT_SCHEDULER else spec.scheduler_name,
        spec=rest,
    )


def _plain(value: object) -> object:
    return msgspec.json.decode(msgspec.json.encode(value))


def _labels(template: Template) -> dict[str, str]:
    """Labels that are no names of the app itself."""
    own = template.owner.name if template.owner is not None else ""
    return {
        key: text
        for key, text in template.labels.items()
        if key not in _CONTROLLERS_LABELS and not (text and own.startswith(text))
    }


def _tolerations(kind: str, tolerations: Sequence[Toleration]) -> tuple[str, ...]:
    """As texts; those that a DaemonSet's pods have anyway, and the seconds until an eviction, are left out."""
    texts = (
        toleration_text([item])
        for item in tolerations
        if not (item.key.startswith("node.kubernetes.io/") and (kind == "DaemonSet" or item.effect == "NoExecute"))
    )
    return tuple(dict.fromkeys(texts))


def _spreads(template: Template) -> Iterator[Spread]:
    for item in template.spec.topology_spread_constraints or ():
        if compile_selector(item.label_selector).matches(template.labels):
            hard = item.when_unsatisfiable == "DoNotSchedule"
            yield Spread(item.topology_key, max(item.max_skew, 1), hard, item.min_domains if hard else None)


def _terms(side: PodAffinity | None, template: Template) -> Iterator[Near]:
    for term, weight in _weighed(side):
        if is_on_itself(term, template):
            yield _near(term, weight, SELF)


def _near(term: PodAffinityTerm, weight: int | None, to: str) -> Near:
    if weight is None:
        return Near(term.topology_key, to, hard=True)
    return Near(term.topology_key, to, weight=min(max(weight, 1), 100))


def _weighed(side: PodAffinity | None) -> Iterator[tuple[PodAffinityTerm, int | None]]:
    """Terms with their weights, None for those that are required."""
    if side is not None:
        yield from ((term, None) for term in side.required or ())
        yield from (
            (item.pod_affinity_term, item.weight) for item in side.preferred or () if item.pod_affinity_term is not None
        )


def is_on_itself(term: PodAffinityTerm, template: Template) -> bool:
    """Whether a term is on the pods of its own workload."""
    return is_at_home(term, template) and compile_selector(term.label_selector).matches(template.labels)


def is_at_home(term: PodAffinityTerm, template: Template) -> bool:
    """Whether a term is on pods of its own namespace."""
    return not term.namespaces or template.namespace in term.namespaces


def _claims(app: _App, columns: ClusterColumns) -> tuple[Claim, ...]:
    """Claims of a StatefulSet's pods, as the objects of one pod say."""
    known = {(item.metadata.namespace or "default", item.metadata.name): item for item in _all_claims(columns)}
    found = []
    for number, volume in enumerate(app.template.spec.volumes or ()):
        source = volume.persistent_volume_claim
        claim = known.get((app.template.namespace, source.claim_name)) if source is not None else None
        if claim is not None:
            requests = claim.spec.resources.requests if claim.spec.resources else None
            size = (requests or {}).get("storage", "1Gi")
            found.append(Claim(f"data-{number}", size, claim.spec.storage_class_name or "standard"))
    return tuple(found)


def _all_claims(columns: ClusterColumns) -> list[PersistentVolumeClaim]:
    return columns.of_kind(PersistentVolumeClaim)


def _sized(workload: Workload, apps: Sequence[_App], resources: Sequence[str]) -> Workload:
    """A workload with the sizes of its apps and with what their pods request: these go together."""
    is_daemon = workload.kind == "DaemonSet"
    kinds = Counter((1 if is_daemon else app.replicas, _request(app.template, resources)) for app in apps)
    sizes = {size for size, _ in kinds}
    requests: dict[str, Quantity] = dict(next(iter(kinds))[1])
    bundles = tuple(
        {**dict(request), REPLICAS: size, WEIGHT: number} if len(sizes) > 1 else {**dict(request), WEIGHT: number}
        for (size, request), number in kinds.items()
    )
    images = Counter(item.image for app in apps for item in (app.template.spec.containers or ())[:1] if item.image)
    return structs.replace(
        workload,
        apps=len(apps) if is_daemon else None,
        weight=float(max(sum(app.replicas for app in apps), 1)),
        replicas=sizes.pop() if len(sizes) == 1 else 1,
        requests=requests if len(kinds) == 1 else {},
        bundles=bundles if len(kinds) > 1 else (),
        image=images.most_common(1)[0][0] if images else "",
    )


def _request(template: Template, resources: Sequence[str]) -> tuple[tuple[str, Quantity], ...]:
    amounts = zip(resources, template.request.tolist(), strict=True)
    return tuple((name, _quantity(name, amount)) for name, amount in amounts if amount)


def _quantity(name: str, amount: int) -> Quantity:
    return quantity_text(name, amount) if name in ("cpu", "memory", "ephemeral-storage") else amount
