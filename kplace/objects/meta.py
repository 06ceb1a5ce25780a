"""Metadata, selectors and resources, shared by several kinds."""

from msgspec import Struct, field

Quantity = str | int | float
"""A quantity as it stands in the file; `kplace.columns.quantity` gives its value."""


class OwnerReference(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``metadata.ownerReferences[]``."""

    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool | None = None


class ObjectMeta(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``metadata`` of any object."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    generate_name: str = ""
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    owner_references: tuple[OwnerReference, ...] | None = None


class SelectorRequirement(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """One expression of a label selector or of a node selector term."""

    key: str = ""
    operator: str = ""
    values: tuple[str, ...] | None = None


class LabelSelector(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``metav1.LabelSelector``: matchLabels and matchExpressions, ANDed."""

    match_labels: dict[str, str] | None = None
    match_expressions: tuple[SelectorRequirement, ...] | None = None


class NodeSelectorTerm(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """Expressions over labels and fields of a node, ANDed."""

    match_expressions: tuple[SelectorRequirement, ...] | None = None
    match_fields: tuple[SelectorRequirement, ...] | None = None


class NodeSelector(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """Node selector terms, ORed."""

    node_selector_terms: tuple[NodeSelectorTerm, ...] | None = None


class ResourceRequirements(Struct, rename="camel", frozen=True, gc=False, omit_defaults=True):
    """``resources`` of a container, a pod or a claim."""

    requests: dict[str, Quantity] | None = None
    limits: dict[str, Quantity] | None = None


class ListMeta(Struct, rename="camel", frozen=True, gc=False):
    """``metadata`` of a list."""

    resource_version: str | None = field(default=None)
