"""From objects to clusters."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from kplace.api import Cluster
from kplace.columns import ClusterBuilder
from kplace.errors import UsageError
from kplace.io.kinds import find_kind
from kplace.io.validate import CHECKS
from kplace.state import ClusterState
from kplace.testing.manifests import ObjectBuilder

Item = ObjectBuilder[Any] | Struct | Mapping[str, Any]
"""A builder, an object, or a manifest with its ``kind``."""

SOURCE = "<test>"
"""What stands in the place of a file in faults."""


def cluster_of(*items: Item) -> Cluster:
    """Make a cluster of objects, checked like those of an input; controllers are not expanded.

    Raises
    ------
    InputError
        With every fault of every object.
    UsageError
        A manifest is of no kind that is understood.

    Examples
    --------
    >>> from kplace.testing import make_node, make_pod
    >>> cluster_of(make_node("n1"), make_pod("web").on("n1"), make_pod("db"))
    <Cluster: 1 nodes, 2 pods, 1 of them waiting>
    """
    builder = ClusterBuilder(CHECKS)
    for item in items:
        manifest = _manifest_of(item)
        known = find_kind(manifest.get("apiVersion", ""), manifest.get("kind", ""))
        if known is None:
            msg = f"expected a manifest of a kind that is understood, got {manifest.get('kind')!r}"
            raise UsageError(msg)
        head = {"apiVersion": known.api_version, "kind": known.name}
        raw = msgspec.json.encode(head | dict(manifest))
        builder.add(known.name, msgspec.convert(manifest, known.struct), raw, SOURCE)
    return Cluster(builder.finish())


def state_of(*items: Item) -> ClusterState:
    """Make the state of a cluster of objects, as a scheduler would meet it: see `cluster_of`.

    Examples
    --------
    >>> from kplace.testing import make_node, make_pod
    >>> state_of(make_node("n1"), make_pod("web").req(cpu="250m").on("n1")).resources.requested[0].tolist()
    [250]
    """
    return ClusterState(cluster_of(*items).columns)


def _manifest_of(item: Item) -> Mapping[str, Any]:
    if isinstance(item, ObjectBuilder):
        return item.manifest()
    if isinstance(item, Struct):
        found: dict[str, Any] = {"kind": type(item).__name__} | msgspec.to_builtins(item)
        return found
    return item
