"""Kinds that say how pods are to be treated: priorities, budgets, runtime overhead."""

from msgspec import Struct

from kplace.objects.core import Toleration
from kplace.objects.meta import LabelSelector, ObjectMeta, Quantity


class PriorityClass(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A named priority."""

    metadata: ObjectMeta = ObjectMeta()
    value: int = 0
    global_default: bool | None = None
    preemption_policy: str | None = None


class Overhead(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``overhead`` of a runtime class."""

    pod_fixed: dict[str, Quantity] | None = None


class RuntimeScheduling(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``scheduling`` of a runtime class: what admission merges into its pods."""

    node_selector: dict[str, str] | None = None
    tolerations: tuple[Toleration, ...] | None = None


class RuntimeClass(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A container runtime and what it costs a pod."""

    metadata: ObjectMeta = ObjectMeta()
    overhead: Overhead | None = None
    scheduling: RuntimeScheduling | None = None


class PodDisruptionBudgetSpec(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec`` of a budget."""

    selector: LabelSelector | None = None
    min_available: int | str | None = None
    max_unavailable: int | str | None = None


class PodDisruptionBudgetStatus(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``status`` of a budget. Kubernetes always says ``disruptionsAllowed``, 0 included; a manifest has no status."""

    disruptions_allowed: int | None = None
    disrupted_pods: dict[str, str] | None = None


class PodDisruptionBudget(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """How many pods of a selection may be evicted."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodDisruptionBudgetSpec = PodDisruptionBudgetSpec()
    status: PodDisruptionBudgetStatus = PodDisruptionBudgetStatus()
