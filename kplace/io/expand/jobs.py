"""Jobs and CronJobs: as many pods at a time as there is work left for."""

import re
from collections.abc import Iterator, Sequence
from itertools import count, islice

from kplace.dtypes import Phase
from kplace.io.expand.owners import OwnedPod, active_count, is_active, namespace_of
from kplace.io.expand.work import Expansion, made_pod, reference_to
from kplace.objects.core import Pod, PodTemplateSpec
from kplace.objects.meta import ObjectMeta
from kplace.objects.workloads import CronJob, Job

COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"
"""Label and annotation of the pods of an indexed Job."""

_JOB_NAME_LABELS = ("job-name", "batch.kubernetes.io/job-name")
_CONTROLLER_UID_LABELS = ("controller-uid", "batch.kubernetes.io/controller-uid")
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")


def expand_job(item: Job, source: str, work: Expansion, kind: str = "Job") -> None:
    """Make the pods that a Job lacks (upstream ``manageJob``).

    Parameters
    ----------
    kind : str
        The kind that the pods are counted under: ``CronJob`` for a run made up for one.
    """
    meta = item.metadata
    owned = work.owned.of("Job", meta)
    lacking = _wanted(item, owned) - active_count(owned)
    template = work.usable("Job", meta, item.spec.template, lacking)
    if template is None:
        return
    if item.spec.completion_mode == "Indexed":
        indexes = list(islice(_open_indexes(item, owned), lacking))
        work.add(kind, _indexed(meta, template, indexes, work), source)
        return
    labels, owner, namespace = _labels(meta, template), reference_to("Job", meta), namespace_of(meta)
    names = work.names.numbered(namespace, meta.name, lacking)
    work.add(kind, (made_pod(template, name, namespace, owner, labels=labels) for name in names), source)


def expand_cron_job(item: CronJob, source: str, work: Expansion, *, has_job: bool) -> None:
    """Make one run of a CronJob, unless it is suspended or has a run in the input already.

    Parameters
    ----------
    has_job : bool
        A Job of the input is controlled by it.
    """
    meta, template = item.metadata, item.spec.job_template
    if item.spec.suspend or template is None or has_job or work.owned.has_run_of(meta):
        return
    run = ObjectMeta(
        name=f"{meta.name}-00000",
        namespace=namespace_of(meta),
        labels=template.metadata.labels,
        annotations=template.metadata.annotations,
        owner_references=(reference_to("CronJob", meta),),
    )
    expand_job(Job(metadata=run, spec=template.spec), source, work, kind="CronJob")


def _wanted(item: Job, owned: Sequence[OwnedPod]) -> int:
    """How many pods of a Job should be active now."""
    spec = item.spec
    if spec.suspend or _is_finished(item):
        return 0
    parallelism = 1 if spec.parallelism is None else spec.parallelism
    succeeded = max(item.status.succeeded or 0, sum(map(_has_succeeded, owned)))
    if spec.completions is None:
        # A work queue, or a Job of one completion by default: either is over with the first success.
        return 0 if succeeded else parallelism
    return min(parallelism, spec.completions - succeeded)


def _is_finished(item: Job) -> bool:
    return any(
        condition.status == "True" and condition.type in ("Complete", "Failed")
        for condition in item.status.conditions or ()
    )


def _labels(meta: ObjectMeta, template: PodTemplateSpec) -> dict[str, str]:
    """The labels by which a Job's pods are told, which the API server adds to its template."""
    labels = dict.fromkeys(_JOB_NAME_LABELS, meta.name)
    if meta.uid:
        labels |= dict.fromkeys(_CONTROLLER_UID_LABELS, meta.uid)
    return labels | (template.metadata.labels or {})


def _open_indexes(item: Job, owned: Sequence[OwnedPod]) -> Iterator[int]:
    """Indexes that are neither done nor under way, the lowest first (upstream ``firstPendingIndexes``)."""
    taken = _indexes(item.status.completed_indexes) | _indexes(item.status.failed_indexes or "")
    taken |= {_index_of(pod, item.metadata.name) for pod in owned if is_active(pod) or _has_succeeded(pod)}
    indexes = count() if item.spec.completions is None else range(item.spec.completions)
    return (index for index in indexes if index not in taken)


def _indexed(meta: ObjectMeta, template: PodTemplateSpec, indexes: Sequence[int], work: Expansion) -> Iterator[Pod]:
    labels, owner, namespace = _labels(meta, template), reference_to("Job", meta), namespace_of(meta)
    for index in indexes:
        name = f"{meta.name}-{index}"
        if not work.names.take(namespace, name):
            (name,) = work.names.numbered(namespace, name, 1)
        mark = {COMPLETION_INDEX: str(index)}
        yield made_pod(template, name, namespace, owner, labels=labels | mark, annotations=mark)


def _has_succeeded(pod: OwnedPod) -> bool:
    return pod[0].phase == Phase.SUCCEEDED


def _indexes(text: str) -> set[int]:
    """Indexes in the way of a Job's status: ``1,3-5``."""
    return {index for first, last in _RANGE.findall(text) for index in range(int(first), int(last or first) + 1)}


def _index_of(pod: OwnedPod, job: str) -> int:
    """Index of a pod: by its label, else by its name, ``<job>-<index>-<random>``; -1 if neither tells."""
    row, key = pod
    text = (key.labels or {}).get(COMPLETION_INDEX) or row.name.removeprefix(f"{job}-").partition("-")[0]
    return int(text) if text.isdecimal() else -1
