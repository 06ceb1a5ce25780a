"""The constraints that apply to a template: its own or the default ones, compiled."""

from collections.abc import Iterable
from dataclasses import dataclass

from kplace.columns.selectors import Selector, compile_selector
from kplace.columns.templates import Template
from kplace.objects.core import TopologySpreadConstraint
from kplace.plugins.default_selector import DefaultSelectors
from kplace.plugins.podtopologyspread.args import PodTopologySpreadArgs

HONOR = "Honor"


@dataclass(frozen=True, slots=True)
class Division:
    """How a constraint divides the nodes into domains, whatever it counts in them.

    Attributes
    ----------
    topology_key : str
    honors_affinity : bool
        Nodes outside the pod's node selector and required node affinity are left out (``nodeAffinityPolicy``).
    honors_taints : bool
        Nodes with a NoSchedule or NoExecute taint that the pod does not tolerate are left out (``nodeTaintsPolicy``).
    """

    topology_key: str
    honors_affinity: bool = True
    honors_taints: bool = False


@dataclass(frozen=True, slots=True)
class Constraint:
    """One compiled constraint."""

    division: Division
    max_skew: int
    min_domains: int
    selector: Selector


def constraints_of(
    template: Template, action: str, args: PodTopologySpreadArgs, default_selectors: DefaultSelectors
) -> tuple[Constraint, ...]:
    """Constraints of one kind that apply to pods of a template.

    Parameters
    ----------
    action : str
        ``whenUnsatisfiable`` of the constraints wanted.

    Returns
    -------
    tuple of Constraint
        In the order given; empty if the plugin has nothing to do.

    Notes
    -----
    A pod's own constraints, of whatever kind, switch the default ones off. Default ones need a selector from the pod's
    services or its controller. Mirrors ``filterTopologySpreadConstraints`` and ``buildDefaultConstraints`` of
    ``podtopologyspread/common.go``.
    """
    own = template.spec.topology_spread_constraints
    if own:
        return tuple(_compiled(item, compile_selector(item.label_selector)) for item in _of_action(own, action))
    defaults = _of_action(args.defaults, action)
    if not defaults:
        return ()
    selector = default_selectors.of(template)
    return () if selector.is_empty else tuple(_compiled(item, selector) for item in defaults)


def _of_action(items: Iterable[TopologySpreadConstraint], action: str) -> list[TopologySpreadConstraint]:
    return [item for item in items if item.when_unsatisfiable == action]


def _compiled(item: TopologySpreadConstraint, selector: Selector) -> Constraint:
    division = Division(
        topology_key=item.topology_key,
        honors_affinity=item.node_affinity_policy in (None, HONOR),
        honors_taints=item.node_taints_policy == HONOR,
    )
    return Constraint(division, item.max_skew, 1 if item.min_domains is None else item.min_domains, selector)
