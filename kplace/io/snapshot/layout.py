"""What the files of a snapshot are called and what stands in them.

======================  ============================================================================================
``nodes.parquet``       a node a row, in snapshot order: name, arrival, unschedulable, taints and annotations as JSON,
                        allowed_pods, ``allocatable:RESOURCE``, ``label:KEY``
``pods.parquet``        a pod a row, in the order of the input: the columns of `kplace.columns.pods.PodColumns`
``templates.parquet``   what pods share, a row each: the body as JSON, shape, request vectors
``images.parquet``      an image a row: name, size, the nodes that hold it
``objects.parquet``     every object of another kind: kind and JSON
======================  ============================================================================================

The metadata of ``nodes.parquet`` carry the version of the layout, the resources in order, and the notes.
"""

from msgspec import Struct

from kplace.objects.core import Affinity, PodSpec, PodStatus
from kplace.objects.meta import OwnerReference

VERSION = 1
"""Raised when files of the version before can no longer be read, or cannot be read by those before."""

NODES, PODS, TEMPLATES, IMAGES, OBJECTS = (
    f"{name}.parquet" for name in ("nodes", "pods", "templates", "images", "objects")
)
FILES = (NODES, PODS, TEMPLATES, IMAGES, OBJECTS)
MARK = b"kplace.snapshot"
"""Key of the metadata that says what the file is."""

ALLOCATABLE, LABEL = "allocatable:", "label:"
"""Prefixes of the columns of nodes that stand for one resource or one label."""


class About(Struct, frozen=True):
    """What the metadata of the file of nodes say.

    Attributes
    ----------
    version : int
    resources : tuple of str
        In the order of the rows of all resource arrays.
    notes : tuple of (str, str)
        Topic and message.
    """

    version: int
    resources: tuple[str, ...]
    notes: tuple[tuple[str, str], ...] = ()


class TemplateBody(Struct, frozen=True, rename="camel", omit_defaults=True):
    """A template but for its numbers: `kplace.columns.templates.Template`."""

    namespace: str
    spec: PodSpec
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    owner: OwnerReference | None = None
    resize: PodStatus | None = None
    keyed_affinity: Affinity | None = None
