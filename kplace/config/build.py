"""The fourth stage: what keeps extenders and profiles from being made, in the order in which upstream finds it.

Upstream stops at the first problem. Here they all come out, first one first, so that a person can mend them at once.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from kplace.config.catalogue import Catalogue
from kplace.config.defaults import DefaultedProfile
from kplace.config.fields import FieldError, child, item, summary
from kplace.config.gates import FeatureGates
from kplace.config.go import quote
from kplace.config.merge import ALL, Member, Origin, running_order
from kplace.config.misfits import suggestion
from kplace.config.points import BUILD_ORDER, ExtensionPoint
from kplace.config.tls import TLSError, tls_material
from kplace.config.validate import same_args
from kplace.config.wire import Extender, LeaderElection

FIT = "NodeResourcesFit"
_MAX_INT64 = 2**63 - 1
_MAX_SCORE = 100
_JITTER = 1.2


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that cannot be built.

    Attributes
    ----------
    text : str
        In upstream's words.
    prefix : str
        What upstream says before it.
    path : str
        The field to mend.
    hint : str
        For people; may be empty.
    errors : tuple of FieldError
        Of a plugin's arguments: what ``text`` sums up, with full paths.
    """

    text: str
    path: str
    hint: str = ""
    errors: tuple[FieldError, ...] = ()
    prefix: str = ""

    def __str__(self) -> str:
        return self.prefix + self.text


@dataclass(frozen=True, slots=True)
class BuiltProfile:
    """A profile and what kept it from being built.

    Attributes
    ----------
    profile : DefaultedProfile
        With the arguments as they take effect.
    order : mapping of ExtensionPoint to tuple of Member, or None
        The plugins in running order; None if there are problems.
    problems : tuple of Problem
    """

    profile: DefaultedProfile
    order: Mapping[ExtensionPoint, tuple[Member, ...]] | None
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Built:
    """Everything that was built.

    Attributes
    ----------
    profiles : tuple of BuiltProfile
    extender_problems : tuple of Problem
    """

    profiles: tuple[BuiltProfile, ...]
    extender_problems: tuple[Problem, ...]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All of them, in upstream's order."""
        return (*self.extender_problems, *(problem for built in self.profiles for problem in built.problems))


def build(
    profiles: Sequence[DefaultedProfile], extenders: Sequence[Extender], catalogue: Catalogue, gates: FeatureGates
) -> Built:
    """Build extenders, then profiles in their order."""
    extender_problems = list(_extender_problems(extenders, profiles))
    built: list[BuiltProfile] = []
    first: BuiltProfile | None = None
    names: set[str] = set()
    for profile in ignoring(extenders, profiles):
        one = _build_profile(profile, catalogue, gates)
        if not one.problems:
            problems = tuple(_set_problems(one, first, names))
            one = replace(one, problems=problems, order=None if problems else one.order)
            first = first or (None if problems else one)
            names.add(profile.scheduler_name)
        built.append(one)
    if not profiles:
        extender_problems.append(Problem("at least one profile is required", "profiles"))
    return Built(tuple(built), tuple(extender_problems))


# Extenders.


def ignored_resources(extenders: Sequence[Extender]) -> tuple[str, ...]:
    """The resources that extenders keep to themselves."""
    return tuple(
        resource.name
        for extender in extenders
        for resource in extender.managed_resources
        if resource.ignored_by_scheduler
    )


def ignoring(extenders: Sequence[Extender], profiles: Sequence[DefaultedProfile]) -> list[DefaultedProfile]:
    """The profiles with those resources in the place of the ``ignoredResources`` of their fit arguments."""
    ignored = ignored_resources(extenders)
    return [_ignoring(ignored, profile) for profile in profiles] if ignored else list(profiles)


def _ignoring(ignored: tuple[str, ...], profile: DefaultedProfile) -> DefaultedProfile:
    entry = profile.args_of(FIT)
    if entry is None or not isinstance(entry.args, msgspec.Struct):
        return profile
    changed = replace(entry, args=msgspec.structs.replace(entry.args, ignored_resources=ignored))
    entries = tuple(changed if other is entry else other for other in profile.plugin_config)
    return replace(profile, plugin_config=entries)


def _extender_problems(extenders: Sequence[Extender], profiles: Sequence[DefaultedProfile]) -> Iterator[Problem]:
    prefix = "couldn't build extenders: "
    for i, extender in enumerate(extenders):
        try:
            tls_material(extender)
        except TLSError as error:
            yield Problem(str(error), child(item("extenders", i), "tlsConfig"), prefix=prefix)
    if ignored_resources(extenders) and any(profile.args_of(FIT) is None for profile in profiles):
        hint = "an extender's ignoredByScheduler needs NodeResourcesFit in every profile"
        yield Problem("can't find NodeResourcesFitArgs in plugin config", "extenders", hint, prefix=prefix)


# Profiles.


def _build_profile(profile: DefaultedProfile, catalogue: Catalogue, gates: FeatureGates) -> BuiltProfile:
    prefix = f"initializing profiles: creating profile for scheduler name {profile.scheduler_name}: "
    found = [
        *_argument_problems(profile, catalogue, gates),
        *_point_problems(profile, catalogue),
        *_multi_point_problems(profile, catalogue),
    ]
    order = {point: running_order(profile.plugins, point, catalogue) for point in ExtensionPoint}
    if not found:
        found = [*_whole_problems(profile, order), *_weight_problems(profile, catalogue)]
    problems = tuple(replace(problem, prefix=prefix) for problem in found)
    return BuiltProfile(profile, None if problems else order, problems)


def _argument_problems(profile: DefaultedProfile, catalogue: Catalogue, gates: FeatureGates) -> Iterator[Problem]:
    counts = Counter(entry.name for entry in profile.plugin_config)
    for name, count in counts.items():
        if count > 1:
            path = [entry.path for entry in profile.plugin_config if entry.name == name][1]
            yield Problem(f"repeated config for plugin {name}", path)
    needed = profile.plugins.enabled_names()
    for name, spec in catalogue.plugins.items():
        entry = profile.args_of(name)
        is_inert = spec.gate is not None and not gates.is_on(spec.gate)
        if name not in needed or spec.args is None or entry is None or is_inert:
            continue
        errors = spec.args.check(entry.args, "", gates)
        if errors:
            path = entry.args_path or child(profile.path, "pluginConfig")
            full = tuple(replace(error, field=child(path, error.field)) for error in errors)
            yield Problem(f"initializing plugin {quote(name)}: {summary(errors)}", path, errors=full)


def _unknown(member: Member, point: ExtensionPoint, catalogue: Catalogue) -> Problem:
    text = f"{point.interface} {quote(member.name)} does not exist"
    hint = catalogue.former.get(member.name) or suggestion(member.name, catalogue.plugins).removeprefix("; ")
    return Problem(text, member.path, hint)


def _twice(member: Member, point: ExtensionPoint, first: Member) -> Problem:
    hint = "it is one of the defaults: disable it here as well" if first.origin is Origin.DEFAULT else ""
    text = f"plugin {quote(member.name)} already registered as {quote(point.interface)}"
    return Problem(text, member.path, hint)


def _point_problems(profile: DefaultedProfile, catalogue: Catalogue) -> Iterator[Problem]:
    for point in BUILD_ORDER:
        seen: dict[str, Member] = {}
        for member in profile.plugins.at(point).enabled:
            if member.name not in catalogue.plugins:
                yield _unknown(member, point, catalogue)
            elif not catalogue.implements(member.name, point):
                text = f"plugin {quote(member.name)} does not extend {point.interface} plugin"
                points = ", ".join(one for one in ExtensionPoint if catalogue.implements(member.name, one))
                yield Problem(text, member.path, f"it runs at {points}")
            elif member.name in seen:
                yield _twice(member, point, seen[member.name])
            seen.setdefault(member.name, member)


def _multi_point_problems(profile: DefaultedProfile, catalogue: Catalogue) -> Iterator[Problem]:
    told = set()
    for point in BUILD_ORDER:
        own = profile.plugins.at(point)
        if ALL in own.disabled:
            continue
        named = {member.name for member in own.enabled}
        seen: dict[str, Member] = {}
        for member in profile.plugins.multi_point.enabled:
            problem = None
            if member.name not in catalogue.plugins:
                problem = _unknown(member, point, catalogue)
            elif member.name in named or member.name in own.disabled or not catalogue.implements(member.name, point):
                continue
            elif member.name in seen:
                problem = _twice(member, point, seen[member.name])
            seen.setdefault(member.name, member)
            if problem is not None and member.path not in told:
                told.add(member.path)
                yield problem


def _whole_problems(profile: DefaultedProfile, order: Mapping[ExtensionPoint, tuple[Member, ...]]) -> Iterator[Problem]:
    name, path = quote(profile.scheduler_name), child(profile.path, "plugins")
    sorters = len(order[ExtensionPoint.QUEUE_SORT])
    if sorters != 1:
        text = f"only one queue sort plugin required for profile with scheduler name {name}, but got {sorters}"
        yield Problem(text, child(path, ExtensionPoint.QUEUE_SORT))
    if not order[ExtensionPoint.BIND]:
        text = f"at least one bind plugin is needed for profile with scheduler name {name}"
        yield Problem(text, child(path, ExtensionPoint.BIND))


def _weight_problems(profile: DefaultedProfile, catalogue: Catalogue) -> Iterator[Problem]:
    """Upstream's check of the weights' sum, in int64: a sum below zero wraps around and is taken for too large."""
    total, seen = 0, set()
    for member in (*profile.plugins.at(ExtensionPoint.SCORE).enabled, *profile.plugins.multi_point.enabled):
        if member.name not in catalogue.plugins:
            # Only where every point is closed to multiPoint; upstream follows a nil pointer here.
            yield Problem(f"plugin {quote(member.name)} does not exist (kube-scheduler crashes on it)", member.path)
            return
        if member.name in seen or not catalogue.implements(member.name, ExtensionPoint.SCORE):
            continue
        seen.add(member.name)
        most = (member.weight or 1) * _MAX_SCORE
        if most > _wrapped(_MAX_INT64 - total):
            yield Problem(
                "total score of Score plugins could overflow", member.path, "the weights before it are negative"
            )
            return
        total += most


def _wrapped(number: int) -> int:
    return (number + 2**63) % 2**64 - 2**63


def _set_problems(built: BuiltProfile, first: BuiltProfile | None, names: set[str]) -> Iterator[Problem]:
    """What is wrong with a profile among the others."""
    profile, prefix = built.profile, "initializing profiles: "
    name, where = quote(profile.scheduler_name), child(profile.path, "schedulerName")
    if not profile.scheduler_name:
        yield Problem("scheduler name is needed", where, prefix=prefix)
        return
    if profile.scheduler_name in names:
        yield Problem(f"duplicate profile with scheduler name {name}", where, prefix=prefix)
        return
    if first is None:
        return
    mine, canon = _sorter(built), _sorter(first)
    if mine != canon:
        path = child(child(profile.path, "plugins"), ExtensionPoint.QUEUE_SORT)
        text = f"different queue sort plugins for profile {name}: {quote(mine)}, first: {quote(canon)}"
        yield Problem(text, path, prefix=prefix)
    elif not same_args(profile.args_of(mine), first.profile.args_of(canon)):
        path = child(profile.path, "pluginConfig")
        yield Problem(f"different queue sort plugin args for profile {name}", path, prefix=prefix)


def _sorter(built: BuiltProfile) -> str:
    assert built.order is not None
    return built.order[ExtensionPoint.QUEUE_SORT][0].name


# The leader elector.


def leader_elector_problem(election: LeaderElection) -> Problem | None:
    """What keeps the leader elector from being made, once everything else is."""
    if not election.leader_elect:
        return None
    fault, field = "", "leaseDuration"
    if election.lease_duration <= election.renew_deadline:
        fault = "leaseDuration must be greater than renewDeadline"
    elif election.renew_deadline <= int(_JITTER * election.retry_period):
        fault, field = "renewDeadline must be greater than retryPeriod*JitterFactor", "renewDeadline"
    else:
        for name, duration in (
            ("leaseDuration", election.lease_duration),
            ("renewDeadline", election.renew_deadline),
            ("retryPeriod", election.retry_period),
        ):
            if duration < 1:
                fault, field = f"{name} must be greater than zero", name
                break
    prefix = "couldn't create leader elector: "
    return Problem(fault, child("leaderElection", field), prefix=prefix) if fault else None
