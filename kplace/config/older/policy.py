"""Scheduler policies, which 1.22 was the last to read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from kplace.config.catalogue import Catalogue
from kplace.config.decode import Decoded
from kplace.config.defaults import (
    DEFAULT_SCHEDULER_NAME,
    Defaulted,
    DefaultedProfile,
    PluginArgs,
    with_defaults,
)
from kplace.config.fields import FieldError, child, item
from kplace.config.gates import FeatureGates
from kplace.config.merge import Member, MergedPlugins, MergedSet, Origin
from kplace.config.misfits import Misfits, suggestion
from kplace.config.nodes import Node
from kplace.config.older import policy_tables as tables
from kplace.config.older.policy_wire import Policy, PredicateArgument, PredicateWire, PriorityArgument, PriorityWire
from kplace.config.points import MULTI_POINT, ExtensionPoint
from kplace.config.schema import decode, encode, zero
from kplace.config.validate import extenders_errors
from kplace.config.wire import Extender, KubeSchedulerConfiguration

_MAX_SYMMETRIC_WEIGHT = 100


@dataclass(slots=True)
class _Plan:
    """What the predicates and priorities ask for.

    Attributes
    ----------
    sets : dict of str to list of Member
        Plugin sets.
    args : dict of str to dict
        Arguments by plugin, as a file would have them.
    paths : dict of str to str
        Where the arguments of a plugin come from.
    errors : list of FieldError
    """

    sets: dict[str, list[Member]] = field(default_factory=dict)
    args: dict[str, dict[str, object]] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    errors: list[FieldError] = field(default_factory=list)

    def place(self, point: str, plugin: str, weight: int, origin: Origin, path: str) -> None:
        """Put a plugin at a point, once: the first weight stays (upstream means to keep the largest, and does not)."""
        members = self.sets.setdefault(point, [])
        if all(member.name != plugin for member in members):
            members.append(Member(plugin, weight, origin, path))

    def give(self, plugin: str, path: str, name: str, value: object) -> None:
        """Give a plugin an argument; a list goes on where there is one already."""
        given = self.args.setdefault(plugin, {})
        before = given.get(name)
        given[name] = [*before, *value] if isinstance(before, list) and isinstance(value, list) else value
        self.paths.setdefault(plugin, path)


def read_policy(root: Node, misfits: Misfits) -> Policy:
    """Decode a policy."""
    return decode(Policy, root, "", misfits)


def policy_configuration(
    policy: Policy, catalogue: Catalogue, gates: FeatureGates
) -> tuple[Defaulted, list[FieldError]]:
    """Turn a policy into a configuration of one profile, as 1.22 does.

    Parameters
    ----------
    catalogue : Catalogue
        Of v1beta1.

    Returns
    -------
    defaulted : Defaulted
    errors : list of FieldError
        What is wrong with it.
    """
    plan = _Plan()
    for point, plugin in (
        ("queueSort", "PrioritySort"),
        ("postFilter", "DefaultPreemption"),
        ("bind", "DefaultBinder"),
    ):
        plan.place(point, plugin, 0, Origin.DEFAULT, "")
    _plan_predicates(policy.predicates, plan)
    _plan_priorities(policy, plan)
    settings = with_defaults(_settings(policy), catalogue, gates).settings
    plan.errors += extenders_errors(settings.extenders, "extenders")
    sets = {name: MergedSet(tuple(plan.sets.get(name, ()))) for name in (MULTI_POINT, *ExtensionPoint)}
    plugins = MergedPlugins(sets)
    profile = DefaultedProfile(
        DEFAULT_SCHEDULER_NAME, None, plugins, tuple(_plugin_config(plan, plugins, catalogue, gates)), ""
    )
    for entry in profile.plugin_config:
        spec = catalogue.args_of(entry.name)
        if spec is not None and entry.args_path:
            plan.errors += spec.check(entry.args, entry.args_path, gates)
    return Defaulted(settings, (profile,)), plan.errors


def _settings(policy: Policy) -> Decoded:
    extenders = tuple(
        Extender(**{name: getattr(extender, name) for name in Extender.__struct_fields__})
        for extender in policy.extenders
    )
    return Decoded(msgspec.structs.replace(zero(KubeSchedulerConfiguration), extenders=extenders), {}, ())


def _plan_predicates(predicates: tuple[PredicateWire, ...] | None, plan: _Plan) -> None:
    wanted = dict.fromkeys(tables.DEFAULT_PREDICATES if predicates is None else tables.MANDATORY, "")
    for i, predicate in enumerate(predicates or ()):
        path = item("predicates", i)
        name = _predicate(predicate, path, plan)
        if name is not None:
            wanted[name] = path
    for name, placements in tables.PREDICATES.items():
        if name in wanted:
            origin = Origin.EXPLICIT if wanted[name] else Origin.DEFAULT
            for point, plugin in placements:
                plan.place(point, plugin, 0, origin, wanted[name])


def _predicate(predicate: PredicateWire, path: str, plan: _Plan) -> str | None:
    """The name under which a predicate is known; its argument is taken up."""
    argument = predicate.argument or PredicateArgument()
    given = [argument.service_affinity, argument.labels_presence]
    if predicate.argument is not None and sum(one is not None for one in given) != 1:
        detail = "exactly one of serviceAffinity and labelsPresence is required"
        plan.errors.append(FieldError.required(child(path, "argument"), detail))
        return None
    name = tables.SAME_PREDICATE.get(predicate.name, predicate.name)
    if name in tables.PREDICATES:
        return name
    if argument.service_affinity is not None:
        plan.give("ServiceAffinity", path, "affinityLabels", list(argument.service_affinity.labels))
        return tables.SERVICE_AFFINITY
    if argument.labels_presence is not None:
        kind = "presentLabels" if argument.labels_presence.presence else "absentLabels"
        plan.give("NodeLabel", path, kind, list(argument.labels_presence.labels))
        return tables.NODE_LABEL
    hint = tables.FORMER_PREDICATES.get(name) or suggestion(name, tables.PREDICATES).removeprefix("; ")
    plan.errors.append(FieldError.invalid(child(path, "name"), predicate.name, "predicate type not found", hint))
    return None


def _plan_priorities(policy: Policy, plan: _Plan) -> None:
    weights: dict[str, tuple[int, str]] = {}
    if policy.priorities is None:
        weights = {name: (weight, "") for name, weight in tables.DEFAULT_PRIORITIES.items()}
    for i, priority in enumerate(policy.priorities or ()):
        path = item("priorities", i)
        if priority.weight <= 0:
            detail = "should have a positive weight applied to it"
            plan.errors.append(FieldError.invalid(child(path, "weight"), priority.weight, detail))
        name = _priority(priority, path, plan)
        if name is not None:
            weights[name] = (priority.weight, path)
    _plan_symmetric_weight(policy.hard_pod_affinity_symmetric_weight, weights, plan)
    for name, (plugin, has_pre_score) in tables.PRIORITIES.items():
        if name in weights:
            weight, path = weights[name]
            origin = Origin.EXPLICIT if path else Origin.DEFAULT
            plan.place("score", plugin, weight * _times(name, plan), origin, path)
            if has_pre_score:
                plan.place("preScore", plugin, 0, origin, path)
    if tables.SELECTOR_SPREAD in weights:
        plan.give("PodTopologySpread", "priorities", "defaultingType", "System")
    elif tables.EVEN_SPREAD in weights:
        plan.give("PodTopologySpread", "priorities", "defaultingType", "List")


def _plan_symmetric_weight(weight: int, priorities: Mapping[str, object], plan: _Plan) -> None:
    if not 0 <= weight <= _MAX_SYMMETRIC_WEIGHT:
        detail = "not in valid range [0-100]"
        plan.errors.append(FieldError.invalid("hardPodAffinitySymmetricWeight", weight, detail))
    elif weight and tables.POD_AFFINITY in priorities:
        plan.give("InterPodAffinity", "hardPodAffinitySymmetricWeight", "hardPodAffinityWeight", weight)


def _priority(priority: PriorityWire, path: str, plan: _Plan) -> str | None:
    """The name under which a priority is known; its argument is taken up."""
    argument = priority.argument or PriorityArgument()
    ratio, label, service = (
        argument.requested_to_capacity_ratio_arguments,
        argument.label_preference,
        argument.service_anti_affinity,
    )
    if priority.argument is not None and sum(one is not None for one in (ratio, label, service)) != 1:
        detail = "exactly one of serviceAntiAffinity, labelPreference and requestedToCapacityRatioArguments is required"
        plan.errors.append(FieldError.required(child(path, "argument"), detail))
        return None
    name = tables.SAME_PRIORITY.get(priority.name, priority.name)
    if name == tables.IGNORED_PRIORITY:
        return None
    if name in tables.PRIORITIES:
        return name
    if ratio is not None:
        where = child(child(path, "argument"), "requestedToCapacityRatioArguments")
        for key, value in encode(ratio).items():
            plan.give(tables.RATIO, where, key, value)
        plan.give(tables.RATIO, where, "shape", [])
        return tables.RATIO
    if label is not None:
        kind = "presentLabelsPreference" if label.presence else "absentLabelsPreference"
        plan.give(tables.PREFER_LABEL, path, kind, [label.label])
        return tables.PREFER_LABEL
    if service is not None:
        plan.give(tables.PREFER_SERVICE, path, "antiAffinityLabelsPreference", [service.label])
        return tables.PREFER_SERVICE
    hint = suggestion(name, tables.PRIORITIES).removeprefix("; ")
    plan.errors.append(FieldError.invalid(child(path, "name"), priority.name, "priority type not found", hint))
    return None


def _times(name: str, plan: _Plan) -> int:
    """How many priorities of a policy are one plugin, whose weight is theirs together."""
    if name not in {tables.PREFER_LABEL, tables.PREFER_SERVICE}:
        return 1
    lists = [value for key, value in plan.args[name].items() if key.endswith("Preference")]
    return sum(len(one) for one in lists if isinstance(one, list))


def _plugin_config(
    plan: _Plan, plugins: MergedPlugins, catalogue: Catalogue, gates: FeatureGates
) -> Iterator[PluginArgs]:
    enabled = plugins.enabled_names()
    for name in (*plan.args, *sorted(enabled - plan.args.keys())):
        spec = catalogue.args_of(name)
        if spec is not None and name in enabled:
            args = msgspec.convert(encode(zero(spec.wire)) | plan.args.get(name, {}), spec.wire)
            path = plan.paths.get(name, "")
            yield PluginArgs(name, spec.default(args, gates), path, path)
