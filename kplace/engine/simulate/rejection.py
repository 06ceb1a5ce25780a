"""Which plugins rejected a pod, as the queue has to know them."""

import numpy as np

from kplace.dtypes import NO_NODE
from kplace.engine.attempt import Attempt
from kplace.queue.entry import NO_PLUGINS

EXTENDER = "Extender"
"""Stands for all extenders."""


def rejecting_plugins(attempt: Attempt) -> frozenset[str]:
    """Plugins that rejected a pod in PreFilter or at some node, and those that narrowed the search.

    Of each node only the plugin counts that failed it first. Mirrors ``Diagnosis.UnschedulablePlugins``.
    """
    if attempt.node != NO_NODE or attempt.error:
        return NO_PLUGINS
    phase = attempt.pre_filters
    if phase.rejected_by is not None:
        name = phase.rejected_by.name
        # A plugin whose own word is a rejection narrows nothing: these have no node in common.
        return frozenset(phase.narrowed_by) if name in phase.narrowed_by else frozenset({name})
    assert attempt.filters is not None
    found = set(phase.narrowed_by)
    for index in np.unique(attempt.filters.plugin).tolist():
        if index >= 0:
            found.add(attempt.profile.filter[index].name)
    if attempt.extenders.has_refused:
        found.add(EXTENDER)
    return frozenset(found)
