"""Where a pod stands beside the queue: why the scheduler would not try it at all."""

from collections.abc import Sequence

from kplace.columns import ClusterColumns, Template
from kplace.columns.pods import UNKNOWN_NODE
from kplace.dtypes import Phase
from kplace.framework import Profile
from kplace.framework.answers import may_enter
from kplace.plugins import names


def why_untried(columns: ClusterColumns, pod: int, profiles: Sequence[Profile], profile: Profile) -> str:
    """Say why the scheduler does not try a pod, whatever the nodes would say to it.

    Parameters
    ----------
    columns : ClusterColumns
    pod : int
    profiles : sequence of Profile
        All that are there.
    profile : Profile
        The one that the pod meets.

    Returns
    -------
    str
        Everything that keeps it out, or empty. That a pod is on a node that is known keeps it out too, but is not said.
    """
    pods = columns.pods
    if pods.finished[pod]:
        return f"it ran to the end ({Phase(pods.phase[pod]).name.capitalize()})"
    found = []
    if pods.terminating[pod]:
        found.append("it is being deleted")
    if pods.node[pod] == UNKNOWN_NODE:
        found.append("it is bound to a node that is not in the input")
    scheduler = pods.schedulers[pods.scheduler[pod]]
    if scheduler not in {item.scheduler_name for item in profiles}:
        found.append(f'it is left to the scheduler "{scheduler}" (this is what {profile.scheduler_name} would say)')
    found += _gates(columns.templates[pods.template[pod]], profile)
    return "; ".join(found)


def _gates(template: Template, profile: Profile) -> list[str]:
    """What keeps a pod out of the queue."""
    gates = [gate.name for gate in template.spec.scheduling_gates or ()]
    noun = "gate" if len(gates) == 1 else "gates"
    closed = [plugin.name for plugin in profile.pre_enqueue if not may_enter(plugin, template)]
    return [
        f"it is held back by its {noun} {', '.join(gates)}"
        if name == names.SCHEDULING_GATES
        else f"{name} keeps it out of the queue"
        for name in closed
    ]
