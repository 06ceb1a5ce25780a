"""The controllers that make pods: apps/v1 and batch/v1."""

from msgspec import Struct

from kplace.objects.core import PodCondition, PodTemplateSpec
from kplace.objects.meta import LabelSelector, ObjectMeta
from kplace.objects.storage import PersistentVolumeClaimTemplate


class ControllerSpec(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec`` of a ReplicaSet, a Deployment or a DaemonSet."""

    replicas: int | None = None
    selector: LabelSelector | None = None
    template: PodTemplateSpec | None = None


class ReplicaSet(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A replica set."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ControllerSpec = ControllerSpec()


class Deployment(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A deployment."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ControllerSpec = ControllerSpec()


class DaemonSet(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A daemon set."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ControllerSpec = ControllerSpec()


class Ordinals(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec.ordinals`` of a StatefulSet."""

    start: int = 0


class StatefulSetSpec(ControllerSpec, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec`` of a StatefulSet."""

    ordinals: Ordinals | None = None
    volume_claim_templates: tuple[PersistentVolumeClaimTemplate, ...] | None = None


class StatefulSet(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A stateful set."""

    metadata: ObjectMeta = ObjectMeta()
    spec: StatefulSetSpec = StatefulSetSpec()


class JobSpec(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec`` of a job."""

    parallelism: int | None = None
    completions: int | None = None
    completion_mode: str | None = None
    suspend: bool | None = None
    template: PodTemplateSpec | None = None


class JobStatus(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``status`` of a job."""

    succeeded: int | None = None
    completed_indexes: str = ""
    failed_indexes: str | None = None
    conditions: tuple[PodCondition, ...] | None = None


class Job(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A job."""

    metadata: ObjectMeta = ObjectMeta()
    spec: JobSpec = JobSpec()
    status: JobStatus = JobStatus()


class JobTemplateSpec(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec.jobTemplate`` of a cron job."""

    metadata: ObjectMeta = ObjectMeta()
    spec: JobSpec = JobSpec()


class CronJobSpec(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec`` of a cron job."""

    suspend: bool | None = None
    job_template: JobTemplateSpec | None = None


class CronJob(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A cron job; kplace counts one run of it."""

    metadata: ObjectMeta = ObjectMeta()
    spec: CronJobSpec = CronJobSpec()
