"""From a description to a cluster."""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from kplace.columns import ClusterColumns
from kplace.columns.compiling import compile_templates, labels_of_namespaces
from kplace.columns.pods import time_column
from kplace.columns.resources import resource_names
from kplace.dtypes import NO_TIME
from kplace.objects.core import Namespace
from kplace.objects.defaulting import AdmissionLookups
from kplace.objects.meta import ObjectMeta
from kplace.objects.policy import PriorityClass
from kplace.objects.storage import StorageClass
from kplace.synthesis.description import Description, Shape, Workload
from kplace.synthesis.draws import apportioned
from kplace.synthesis.nodes import NodePlan, first_seen, node_columns, plan_nodes
from kplace.synthesis.pods import PodMaker, pod_columns, templates_of
from kplace.synthesis.shapes import built_in
from kplace.synthesis.templates import App, Tailor, app_name
from kplace.synthesis.workloads import AppDraws, Apps

PODS = "pods"


def generate(description: Description, seed: int, shapes: Mapping[str, Shape] | None = None) -> ClusterColumns:
    """Make up a cluster.

    Parameters
    ----------
    description : Description
        A valid one: `kplace.synthesis.validate.faults_of` finds nothing.
    seed : int
    shapes : mapping of str to Shape, optional
        Types of machines in addition to the built-in ones and to those of the description.

    Returns
    -------
    ClusterColumns
        The same for the same arguments, whatever else the process does.

    Raises
    ------
    NothingRequestedError
        A workload's draws come to nothing, however many there are, so that no number of its apps is enough.
    """
    plan = plan_nodes(description, {**built_in(), **(shapes or {}), **description.shapes}, seed)
    maker = PodMaker(seed)
    measure, amount = _target(description, plan)
    amount -= _add_daemons(description, plan, maker, seed, measure)
    others = [item for item in description.workloads if item.kind != "DaemonSet"]
    drawn = _drawn(others, measure, amount, seed)
    n_apps = {name: len(apps) for name, apps in drawn.items()}
    for workload in others:
        apps = apps_of(workload, drawn[workload.name])
        maker.add(workload, apps, Tailor(description, workload, n_apps))
    return _columns(description, plan, maker)


def _target(description: Description, plan: NodePlan) -> tuple[str, int]:
    """What is to be reached, and how much of it, the pods of DaemonSets included only for a utilisation."""
    for resource, share in description.utilisation.items():
        return resource, round(plan.total(resource) * share)
    return PODS, description.pods or 0


def _add_daemons(description: Description, plan: NodePlan, maker: PodMaker, seed: int, measure: str) -> int:
    """Add the pods of DaemonSets; how much they request of what is measured (pods do not count)."""
    # Which nodes a DaemonSet runs on does not depend on what they offer.
    nodes, taken = node_columns(plan, resource_names(())), 0
    for workload in description.workloads:
        if workload.kind == "DaemonSet":
            apps = apps_of(workload, AppDraws(workload, seed).take(workload.apps or 1))
            numbers = maker.add_daemons(workload, apps, Tailor(description, workload, {}), nodes)
            taken += sum(number * app.requests.get(measure, 0) for number, app in zip(numbers, apps, strict=True))
    return taken


def _drawn(workloads: Sequence[Workload], measure: str, amount: int, seed: int) -> dict[str, Apps]:
    """The apps of each workload: first those of a fixed number, then the others by weight."""
    drawn: dict[str, Apps] = {}
    for workload in workloads:
        if workload.apps is not None:
            drawn[workload.name] = AppDraws(workload, seed).take(workload.apps)
            amount -= int(drawn[workload.name].amounts(measure).sum())
    sharing = [item for item in workloads if item.apps is None]
    if sharing:
        shares = apportioned(np.array([item.weight for item in sharing], np.float64), max(amount, 0))
        for workload, share in zip(sharing, shares.tolist(), strict=True):
            drawn[workload.name] = AppDraws(workload, seed).until(measure, share)
    return drawn


def apps_of(workload: Workload, drawn: Apps) -> list[App]:
    """Apps one by one; of a single DaemonSet called as the workload is."""
    names = [app_name(workload.name, i) for i in range(len(drawn))]
    if workload.kind == "DaemonSet" and workload.apps is None:
        names = [workload.name]
    single = workload.namespaces <= 1
    namespaces = [workload.namespace if single else f"{workload.namespace}-{i}" for i in drawn.namespace.tolist()]
    requests = [
        dict(zip(drawn.requests, amounts, strict=True))
        for amounts in zip(*(column.tolist() for column in drawn.requests.values()), strict=True)
    ] or [{} for _ in names]
    return [
        App(name, i, namespace, replicas, requested, priority)
        for i, (name, namespace, replicas, requested, priority) in enumerate(
            zip(names, namespaces, drawn.replicas.tolist(), requests, drawn.priority.tolist(), strict=True)
        )
    ]


def _columns(description: Description, plan: NodePlan, maker: PodMaker) -> ClusterColumns:
    order = maker.order()
    template, keys = first_seen(templates_of(maker.batches)[order], maker.keys.keys)
    templates, resources = compile_templates(keys, AdmissionLookups(), plan.offered)
    start = int(time_column([description.start], NO_TIME)[0])
    pods = pod_columns(maker.batches, order, template, keys, start)
    objects = {**_classes(description), **maker.objects}
    namespaces = dict.fromkeys([*description.namespaces, *(key.namespace for key in keys)])
    objects["Namespace"] = [
        Namespace(ObjectMeta(name=name, labels=description.namespaces.get(name))) for name in namespaces
    ]
    return ClusterColumns(
        nodes=node_columns(plan, resources),
        pods=pods,
        templates=templates,
        resources=resources,
        namespace_labels=labels_of_namespaces(objects["Namespace"], ()),
        objects=objects,
    )


def _classes(description: Description) -> dict[str, list[Struct]]:
    """Priority classes and storage classes."""
    objects: dict[str, list[Struct]] = {}
    if description.priority_classes:
        objects["PriorityClass"] = [
            PriorityClass(ObjectMeta(name=name), value) for name, value in description.priority_classes.items()
        ]
    names = dict.fromkeys(claim.storage_class for item in description.workloads for claim in item.claims)
    if names:
        objects["StorageClass"] = [
            StorageClass(ObjectMeta(name=name), "csi.example", "WaitForFirstConsumer") for name in names
        ]
    return objects
