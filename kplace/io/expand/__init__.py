"""Controllers expanded to the pods that they still lack, as the controllers of a real cluster would make them."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TypeVar

from kplace.columns.builder import ClusterBuilder
from kplace.io.expand.claims import default_classes
from kplace.io.expand.daemonset import expand_daemon_set
from kplace.io.expand.jobs import expand_cron_job, expand_job
from kplace.io.expand.owners import Key, by_controller, key_of
from kplace.io.expand.replicas import default_selectors, expand_deployment, expand_replicas
from kplace.io.expand.statefulset import expand_stateful_set
from kplace.io.expand.work import Expansion
from kplace.objects.core import ReplicationController
from kplace.objects.workloads import CronJob, DaemonSet, Deployment, Job, ReplicaSet, StatefulSet

__all__ = ["expand"]

T = TypeVar("T")
_Controller = ReplicationController | ReplicaSet | Deployment | StatefulSet | DaemonSet | Job | CronJob


def expand(builder: ClusterBuilder) -> None:
    """Add the pods that the controllers of the input lack.

    To be called once, when all objects of the input have been added and before `ClusterBuilder.finish`.

    Parameters
    ----------
    builder : ClusterBuilder
        Takes the pods and the notes about them; unchanged if it holds faults, since it cannot be finished then.

    Notes
    -----
    - A controller wants its replicas; the pods that it controls by their ownerReference count, unless they have ended
      or are being deleted. A Deployment counts the pods of all its ReplicaSets, and new ones belong to the current one.
    - Made pods come after all others, controller by controller in the order of the input, and carry what the real
      controllers write: labels, ownerReference, the tolerations and node of a DaemonSet's pods, a StatefulSet's claims.
    - Controllers that are being deleted make nothing. Of two of the same kind and name the first counts.
    """
    if builder.faults:
        return
    default_selectors(builder)
    default_classes(builder)
    given = [(item, source) for item, source in builder.others if isinstance(item, _Controller)]
    if not given:
        return
    work = Expansion(builder)
    controllers = list(_distinct(given, work))
    items = [item for item, _ in controllers]
    replica_sets = by_controller("Deployment", _of(items, Deployment), _of(items, ReplicaSet))
    jobs = by_controller("CronJob", _of(items, CronJob), _of(items, Job))
    of_deployments = set(map(key_of, chain.from_iterable(replica_sets.values())))
    for item, source in controllers:
        if item.metadata.deletion_timestamp:
            continue
        key = key_of(item)
        match item:
            case Deployment():
                expand_deployment(item, replica_sets.get(key, ()), source, work)
            case ReplicaSet() if key in of_deployments:
                pass
            case ReplicaSet() | ReplicationController():
                expand_replicas(item, source, work)
            case StatefulSet():
                expand_stateful_set(item, source, work)
            case DaemonSet():
                expand_daemon_set(item, source, work)
            case Job():
                expand_job(item, source, work)
            case CronJob():
                expand_cron_job(item, source, work, has_job=key in jobs)
    work.say_all()


def _distinct(given: list[tuple[_Controller, str]], work: Expansion) -> Iterator[tuple[_Controller, str]]:
    seen: set[tuple[type, Key]] = set()
    for item, source in given:
        mark = (type(item), key_of(item))
        if mark in seen:
            work.say_repeated(type(item).__name__, item.metadata)
        else:
            seen.add(mark)
            yield item, source


def _of(items: Iterable[_Controller], kind: type[T]) -> list[T]:
    return [item for item in items if isinstance(item, kind)]
