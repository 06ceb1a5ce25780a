"""Which pods must get the same scores: each such kind is scored once, as one row."""

from dataclasses import dataclass

import numpy as np

from kplace.columns.templates import Template
from kplace.dtypes import I32, NO_NODE
from kplace.framework import Profile
from kplace.framework.interface import Plugin
from kplace.state import ClusterState

OWN_MODULES = "kplace.plugins."
"""Plugins from here look at a pod's template, at the nodes that it names and at nothing else of it."""


@dataclass(frozen=True, slots=True)
class PodRows:
    """Pods and the rows in which their scores are.

    Attributes
    ----------
    pods : int32 ndarray, shape (n_pods,)
    row : int32 ndarray, shape (n_pods,)
        The row of each pod.
    first : int32 ndarray, shape (n_rows,)
        For each row a pod that it is worked out with.
    """

    pods: I32
    row: I32
    first: I32

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.first)


def rows_of(state: ClusterState, profiles: dict[str, Profile], pods: I32) -> PodRows:
    """Find out which of some pods get the same scores; rows are in the order of their first pods.

    Pods share a row if they share a template and none of them has a node in view, names a node, or goes by claims
    that are made for it alone. With a plugin that is not kplace's own, which may look at the pod itself, no pods do.
    """
    columns = state.columns
    alone = {name: not all(map(goes_by_template, judges(profile))) for name, profile in profiles.items()}
    single = np.array(
        [alone.get(item.spec.scheduler_name, False) or _has_own_claims(item) for item in columns.templates], np.bool_
    )
    template, named = columns.pods.template[pods], columns.pods.node[pods].astype(np.int64)
    is_single = single[template] | (state.nominations.node_of_pod[pods] != NO_NODE)
    lowest = int(named.min(initial=0))
    width = int(named.max(initial=0)) - lowest + 1
    _, first, row = np.unique(
        np.where(is_single, -1 - pods, template * np.int64(width) + named - lowest),
        return_index=True,
        return_inverse=True,
    )
    order = np.argsort(first)
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return PodRows(pods, number[row], pods[first[order]])


def goes_by_template(plugin: Plugin) -> bool:
    """Whether a plugin is known to look at no more of a pod than others of its template share."""
    return type(plugin).__module__.startswith(OWN_MODULES)


def judges(profile: Profile) -> list[Plugin]:
    """The plugins of a profile that have a say in which node a pod gets."""
    scored = [item.plugin for item in profile.score]
    return [*profile.pre_filter, *profile.filter, *profile.pre_score, *scored]


def _has_own_claims(template: Template) -> bool:
    """Whether claims of a pod are made for it, and named after it."""
    spec = template.spec
    mounted = any(getattr(volume, "ephemeral", None) is not None for volume in spec.volumes or ())
    return mounted or bool(getattr(spec, "resource_claims", None))
