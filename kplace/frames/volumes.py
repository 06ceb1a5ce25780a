"""The claims of the pods that a run placed, and the volumes they are bound to or wait for."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from kplace.columns import ClusterColumns
from kplace.columns.node_order import ZONE_LABELS
from kplace.columns.storage import Claim, Storage, claims_of_spec, ephemeral_claim_name
from kplace.dtypes import NO_NODE
from kplace.engine.results import PlacementColumns
from kplace.frames import schema
from kplace.frames.build import Values, category, category_of, frame, node_category, texts
from kplace.frames.nodes import label_column

TO_PROVISION = "to provision"
"""In place of a volume's name: it is to be made."""


class _Row(NamedTuple):
    pod: int
    node: int
    claim: Claim
    volume: str
    is_new: bool


def volumes_frame(columns: ClusterColumns, placements: PlacementColumns) -> pd.DataFrame:
    """One row per claim of a pod that the run placed, in the order of `PlacementColumns`.

    Returns
    -------
    DataFrame
        The columns are those of `kplace.frames.schema.VOLUMES`.
    """
    rows = list(_rows(columns, placements))
    pods, nodes = columns.pods, columns.nodes
    pod = np.array([row.pod for row in rows], np.int32)
    node = np.array([row.node for row in rows], np.int32)
    table: dict[str, Values] = {
        "namespace": category(pods.namespace[pod], list(pods.namespaces)),
        "pod": texts([pods.names[row.pod] for row in rows]),
        "claim": texts([row.claim.key[1] for row in rows]),
        "volume": texts([row.volume for row in rows]),
        "settled": np.array([row.is_new for row in rows], np.bool_),
        "class": category_of([row.claim.class_name or None for row in rows]),
        "size_bytes": np.array([row.claim.bytes or 0 for row in rows], np.int64),
        "node": node_category(nodes, node),
        "zone": label_column(nodes, ZONE_LABELS).take(node),
        "row": pod,
    }
    return schema.stamp(frame(table, len(rows)), schema.VOLUMES)


def _rows(columns: ClusterColumns, placements: PlacementColumns) -> Iterator[_Row]:
    having = np.array([any(claims_of_spec(template.spec)) for template in columns.templates], np.bool_)
    if not having.any():
        return
    storage = Storage(columns)
    placed = np.flatnonzero((placements.node != NO_NODE) & having[columns.pods.template[placements.pod]])
    for pod, node in zip(placements.pod[placed].tolist(), placements.node[placed].tolist(), strict=True):
        template = columns.templates[columns.pods.template[pod]]
        for volume in claims_of_spec(template.spec):
            name = ephemeral_claim_name(columns.pods.names[pod], volume.ephemeral) if volume.ephemeral else volume.claim
            claim = storage.claims.get((template.namespace, name))
            if claim is not None:
                settled = placements.settled.get(claim.key)
                found = claim.volume_name if settled is None else settled.volume
                yield _Row(pod, node, claim, found or TO_PROVISION, settled is not None)
