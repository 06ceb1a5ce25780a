"""What is wrong with the controllers that make pods."""

from collections.abc import Mapping

from kplace.columns.selectors import compile_selector
from kplace.io.validate.fields import Problems, in_range, label_selector, metadata, optional_word, under
from kplace.io.validate.pods import pod_spec
from kplace.objects.core import PodTemplateSpec, ReplicationController
from kplace.objects.meta import LabelSelector
from kplace.objects.workloads import (
    ControllerSpec,
    CronJob,
    DaemonSet,
    Deployment,
    Job,
    JobSpec,
    ReplicaSet,
    StatefulSet,
)

_COMPLETION_MODES = ("NonIndexed", "Indexed")


def validate_controller(controller: ReplicaSet | Deployment | DaemonSet) -> Problems:
    """Find what is wrong with a ReplicaSet, a Deployment or a DaemonSet."""
    yield from metadata(controller.metadata)
    yield from under("spec", _controller_spec(controller.spec))


def validate_stateful_set(controller: StatefulSet) -> Problems:
    """Find what is wrong with a StatefulSet."""
    yield from metadata(controller.metadata)
    yield from under("spec", _controller_spec(controller.spec))
    if controller.spec.ordinals is not None:
        yield from in_range("spec.ordinals.start", controller.spec.ordinals.start, 0)


def validate_replication_controller(controller: ReplicationController) -> Problems:
    """Find what is wrong with a ReplicationController."""
    spec = controller.spec
    yield from metadata(controller.metadata)
    yield from in_range("spec.replicas", spec.replicas, 0)
    yield from under("spec.template", _template(spec.template))
    if spec.selector and spec.template:
        yield from under("spec", _selects_template(LabelSelector(match_labels=spec.selector), spec.template))


def validate_job(job: Job) -> Problems:
    """Find what is wrong with a Job."""
    yield from metadata(job.metadata)
    yield from under("spec", _job_spec(job.spec))


def validate_cron_job(job: CronJob) -> Problems:
    """Find what is wrong with a CronJob."""
    yield from metadata(job.metadata)
    if job.spec.job_template is None:
        yield "spec.jobTemplate", "is missing"
    else:
        yield from under("spec.jobTemplate.spec", _job_spec(job.spec.job_template.spec))


def _controller_spec(spec: ControllerSpec) -> Problems:
    yield from in_range("replicas", spec.replicas, 0)
    yield from under("selector", label_selector(spec.selector))
    yield from under("template", _template(spec.template))
    if spec.selector is not None and spec.template is not None and not list(label_selector(spec.selector)):
        yield from _selects_template(spec.selector, spec.template)


def _job_spec(spec: JobSpec) -> Problems:
    yield from in_range("parallelism", spec.parallelism, 0)
    yield from in_range("completions", spec.completions, 0)
    yield from optional_word("completionMode", spec.completion_mode, _COMPLETION_MODES)
    yield from under("template", _template(spec.template))


def _template(template: PodTemplateSpec | None) -> Problems:
    if template is not None:
        yield from under("spec", pod_spec(template.spec))


def _selects_template(selector: LabelSelector, template: PodTemplateSpec) -> Problems:
    labels = template.metadata.labels or {}
    if not compile_selector(selector).matches(labels):
        yield "template.metadata.labels", f"the selector does not match them ({_shown(labels)})"


def _shown(labels: Mapping[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in labels.items()) or "there are none"
