"""Kinds of scheduler-plugins (``scheduling.x-k8s.io``)."""

from msgspec import Struct

from kplace.objects.meta import ObjectMeta, Quantity


class PodGroupSpec(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec`` of a pod group."""

    min_member: int = 0
    min_resources: dict[str, Quantity] | None = None
    schedule_timeout_seconds: int | None = None


class PodGroup(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """Pods of which so many are started together, or none."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodGroupSpec = PodGroupSpec()
