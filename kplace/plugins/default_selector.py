"""The selector of default constraints: what the services and the controller of a pod select (``helper/spread.go``)."""

from collections.abc import Mapping

from kplace.columns.cluster import ClusterColumns
from kplace.columns.selectors import Selector, compile_selector
from kplace.columns.templates import Template
from kplace.objects.core import ReplicationController, Service
from kplace.objects.meta import ObjectMeta
from kplace.objects.workloads import ReplicaSet, StatefulSet

_CORE, _APPS = "v1", "apps/v1"

Owner = tuple[str, str, str, str]
"""apiVersion, kind, namespace and name of a controller."""


class DefaultSelectors:
    """Finds the default selectors of a cluster's templates.

    Parameters
    ----------
    columns : ClusterColumns
        Its services, replication controllers, replica sets and stateful sets are looked up; a controller that is not
        in the input adds nothing.
    """

    def __init__(self, columns: ClusterColumns) -> None:
        self.columns = columns
        self._services = _services_by_label(columns)
        self._maps = {
            (_CORE, "ReplicationController", *_place(item.metadata)): item.spec.selector or {}
            for item in columns.of_kind(ReplicationController)
        }
        controllers: list[ReplicaSet | StatefulSet] = [*columns.of_kind(ReplicaSet), *columns.of_kind(StatefulSet)]
        self._selectors: dict[Owner, Selector] = {
            (_APPS, type(item).__name__, *_place(item.metadata)): compile_selector(item.spec.selector)
            for item in controllers
        }

    def of(self, template: Template) -> Selector:
        """Selector for pods of a template; an empty one if neither a service nor a known controller selects them.

        The labels of all matching services are merged, those of a replication controller over them; a replica set's
        or a stateful set's requirements are added. The owner counts by its exact apiVersion.
        """
        labels = self._service_labels(template)
        owner = template.owner
        if owner is None:
            return Selector.of_map(labels)
        key = (owner.api_version, owner.kind, template.namespace, owner.name)
        selector = Selector.of_map(labels | self._maps.get(key, {}))
        for requirement in self._selectors.get(key, Selector()).requirements:
            selector = selector.with_requirement(requirement)
        return selector

    def _service_labels(self, template: Template) -> dict[str, str]:
        merged: dict[str, str] = {}
        for label in template.labels.items():
            for wanted in self._services.get((template.namespace, *label), ()):
                if wanted.items() <= template.labels.items():
                    merged |= wanted
        return merged


def _services_by_label(columns: ClusterColumns) -> dict[tuple[str, str, str], list[Mapping[str, str]]]:
    """Selectors of the services, filed under their namespace and one of their labels.

    A service without a selector selects no pod; an empty selector selects all pods and adds no label.
    """
    services: dict[tuple[str, str, str], list[Mapping[str, str]]] = {}
    for item in columns.of_kind(Service):
        if item.spec.selector:
            namespace, _ = _place(item.metadata)
            services.setdefault((namespace, *min(item.spec.selector.items())), []).append(item.spec.selector)
    return services


def _place(meta: ObjectMeta) -> tuple[str, str]:
    return meta.namespace or "default", meta.name
