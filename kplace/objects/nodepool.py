"""NodePool of ``karpenter.sh``, as far as it says what nodes are like; the scheduler itself knows no such kind."""

from msgspec import Struct

from kplace.objects.core import Taint
from kplace.objects.meta import ObjectMeta, Quantity


class NodePoolRequirement(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec.template.spec.requirements[]``."""

    key: str = ""
    operator: str = ""
    values: tuple[str, ...] | None = None
    min_values: int | None = None


class NodeClaimSpec(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec.template.spec``."""

    requirements: tuple[NodePoolRequirement, ...] | None = None
    taints: tuple[Taint, ...] | None = None


class NodeClaimTemplate(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec.template``."""

    metadata: ObjectMeta = ObjectMeta()
    spec: NodeClaimSpec = NodeClaimSpec()


class NodePoolSpec(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``spec`` of a node pool."""

    template: NodeClaimTemplate = NodeClaimTemplate()
    limits: dict[str, Quantity] | None = None
    weight: int | None = None


class NodePool(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """A node pool."""

    metadata: ObjectMeta = ObjectMeta()
    spec: NodePoolSpec = NodePoolSpec()
