"""The third stage: what is wrong with a defaulted configuration, all of it and in upstream's order and words."""

from collections.abc import Iterator, Sequence

from kplace.config.catalogue import Catalogue
from kplace.config.decode import Args
from kplace.config.defaults import Defaulted, DefaultedProfile, PluginArgs
from kplace.config.fields import FieldError, child, item
from kplace.config.gates import FeatureGates
from kplace.config.go import print_duration, quote
from kplace.config.label_names import is_extended_resource, qualified_name_faults
from kplace.config.merge import MergedSet
from kplace.config.nodes import plain
from kplace.config.points import ExtensionPoint
from kplace.config.schema import encode
from kplace.config.wire import ClientConnection, Extender, LeaderElection, TypeMeta, given

_MISFILED = "NodeResourcesFitArgs"
"""Where upstream's table of checks has NodeResourcesFit's, so that they are applied to no plugin."""


def validate(config: Defaulted, catalogue: Catalogue, gates: FeatureGates, api_version: str) -> list[FieldError]:
    """List all that is wrong with a configuration.

    Returns
    -------
    list of FieldError
        In upstream's order (``apis/config/validation/validation.go``); where that is random, in the file's.
    """
    settings = config.settings
    errors = _client_connection_errors(settings.client_connection)
    errors += _leader_election_errors(settings.leader_election)
    if given(settings.parallelism, 0) <= 0:
        detail = "should be an integer value greater than zero"
        errors.append(FieldError.invalid("parallelism", settings.parallelism, detail))
    errors += _profiles_errors(config.profiles, catalogue, gates, api_version)
    errors += _percentage_errors(settings.percentage_of_nodes_to_score, "percentageOfNodesToScore")
    initial, most = given(settings.pod_initial_backoff_seconds, 0), given(settings.pod_max_backoff_seconds, 0)
    if initial <= 0:
        errors.append(FieldError.invalid("podInitialBackoffSeconds", initial, "must be greater than 0"))
    if most < initial:
        detail = "must be greater than or equal to PodInitialBackoffSeconds"
        errors.append(FieldError.invalid("podMaxBackoffSeconds", most, detail))
    errors += extenders_errors(settings.extenders, "extenders")
    return errors


def _client_connection_errors(connection: ClientConnection) -> list[FieldError]:
    if connection.burst >= 0:
        return []
    return [FieldError.invalid("clientConnection.burst", connection.burst, "must be non-negative")]


def _leader_election_errors(election: LeaderElection) -> list[FieldError]:
    if not election.leader_elect:
        return []
    errors = []
    for name, duration in (
        ("leaseDuration", election.lease_duration),
        ("renewDeadline", election.renew_deadline),
        ("retryPeriod", election.retry_period),
    ):
        if duration <= 0:
            where = child("leaderElection", name)
            errors.append(FieldError.invalid(where, print_duration(duration), "must be greater than zero"))
    if election.lease_duration <= election.renew_deadline:
        # Upstream shows the deadline as the bad value of the lease.
        shown, detail = print_duration(election.renew_deadline), "must be greater than `RenewDeadline`"
        hint = f"it is {print_duration(election.lease_duration)}"
        errors.append(FieldError.invalid("leaderElection.leaseDuration", shown, detail, hint))
    if election.resource_lock != "leases":
        detail = 'resourceLock value must be "leases"'
        errors.append(FieldError.invalid("leaderElection.resourceLock", election.resource_lock, detail))
    return errors


def _percentage_errors(percentage: int | None, path: str) -> list[FieldError]:
    if percentage is None or 0 <= percentage <= 100:
        return []
    return [FieldError.invalid(path, percentage, "not in valid range [0-100]")]


def _profiles_errors(
    profiles: Sequence[DefaultedProfile], catalogue: Catalogue, gates: FeatureGates, api_version: str
) -> list[FieldError]:
    if not profiles:
        return [FieldError.required("profiles")]
    errors: list[FieldError] = []
    seen = set()
    for profile in profiles:
        name, where = profile.scheduler_name, child(profile.path, "schedulerName")
        if not name:
            errors.append(FieldError.required(where))
        percentage = child(profile.path, "percentageOfNodesToScore")
        errors += _percentage_errors(profile.percentage_of_nodes_to_score, percentage)
        errors += _removed_errors(profile, catalogue, api_version)
        errors += _plugin_config_errors(profile, catalogue, gates, api_version)
        if name in seen:
            # The value is a path, which upstream prints as an empty object.
            errors.append(FieldError.duplicate(where, {}, f'an earlier profile has the name "{name}" too'))
        seen.add(name)
    return [*errors, *_queue_sort_errors(profiles)]


def _removed_errors(profile: DefaultedProfile, catalogue: Catalogue, api_version: str) -> Iterator[FieldError]:
    for point in ExtensionPoint:
        for member in profile.plugins.at(point).enabled:
            if member.name in catalogue.removed:
                yield _removed(member.path, member.name, catalogue, api_version)


def _removed(path: str, name: str, catalogue: Catalogue, api_version: str) -> FieldError:
    version = quote(catalogue.removed[name])
    detail = f"was invalid in version {version} (KubeSchedulerConfiguration is version {quote(api_version)})"
    return FieldError.invalid(path, name, detail, catalogue.former.get(name, ""))


def _plugin_config_errors(
    profile: DefaultedProfile, catalogue: Catalogue, gates: FeatureGates, api_version: str
) -> Iterator[FieldError]:
    seen = set()
    for position, entry in enumerate(profile.plugin_config):
        path = item(child(profile.path, "pluginConfig"), position)
        if entry.name in seen:
            yield FieldError.duplicate(path, entry.name)
        seen.add(entry.name)
        if entry.name in catalogue.removed:
            yield _removed(path, entry.name, catalogue, api_version)
            continue
        where = child(path, "args")
        if entry.name == _MISFILED:
            yield FieldError.invalid(where, shown_args(entry.args), "has to match plugin args")
        spec = catalogue.args_of(entry.name)
        if spec is not None and spec.is_checked_early:
            yield from spec.check(entry.args, where, gates)


def shown_args(args: Args) -> object:
    """A plugin's arguments as plain values, without what they say they are if that is known anyway."""
    if not isinstance(args, TypeMeta):
        return plain(args)
    said = encode(args)
    return {key: value for key, value in said.items() if key not in {"apiVersion", "kind"}}


def same_args(first: PluginArgs | None, second: PluginArgs | None) -> bool:
    """Whether two entries say the same."""
    return shown_args(first.args if first else None) == shown_args(second.args if second else None)


def _queue_sort_errors(profiles: Sequence[DefaultedProfile]) -> Iterator[FieldError]:
    """All profiles must sort the queue alike; the sets are compared as they stand in the file."""
    first = profiles[0]
    canon = first.plugins.at(ExtensionPoint.QUEUE_SORT)
    if len(canon.enabled) > 1:
        path = child(child(child(first.path, "plugins"), "queueSort"), "Enabled")
        yield FieldError.invalid(path, len(canon.enabled), "only one queue sort plugin can be enabled")
    name = canon.enabled[0].name if canon.enabled else None
    entries = [entry for entry in first.plugin_config if entry.name == name]
    args = entries[-1] if entries else None
    for profile in profiles[1:]:
        current = profile.plugins.at(ExtensionPoint.QUEUE_SORT)
        if _as_written(current) != _as_written(canon):
            path = child(child(profile.path, "plugins"), "queueSort")
            yield FieldError.invalid(path, _as_written(current), "must be the same for all profiles")
        for entry in profile.plugin_config:
            if name is not None and entry.name == name and not same_args(args, entry):
                path = child(child(profile.path, "pluginConfig"), "args")
                detail = "queueSort must be the same for all profiles"
                yield FieldError.invalid(path, shown_args(entry.args), detail)


def _as_written(merged: MergedSet) -> dict[str, object]:
    """A set as Go prints its struct."""
    enabled = [{"Name": member.name, "Weight": member.weight} for member in merged.enabled]
    disabled = [{"Name": name, "Weight": 0} for name in merged.disabled]
    return {"Enabled": enabled or None, "Disabled": disabled or None}


def extenders_errors(extenders: Sequence[Extender], path: str) -> Iterator[FieldError]:
    """Say what is wrong with extenders."""
    managed: set[str] = set()
    for i, extender in enumerate(extenders):
        where = item(path, i)
        if extender.prioritize_verb and extender.weight <= 0:
            detail = "must have a positive weight applied to it"
            yield FieldError.invalid(child(where, "weight"), extender.weight, detail)
        for j, resource in enumerate(extender.managed_resources):
            name_path = child(item(child(where, "managedResources"), j), "name")
            yield from _resource_name_errors(resource.name, name_path)
            if resource.name in managed:
                yield FieldError.invalid(name_path, resource.name, "duplicate extender managed resource name")
            managed.add(resource.name)
    binders = sum(bool(extender.bind_verb) for extender in extenders)
    if binders > 1:
        found = f"found {binders} extenders implementing bind"
        yield FieldError.invalid(path, found, "only one extender can implement bind")


def _resource_name_errors(name: str, path: str) -> list[FieldError]:
    errors = [FieldError.invalid(path, name, fault) for fault in qualified_name_faults(name)]
    if errors or is_extended_resource(name):
        return errors
    return [FieldError.invalid(path, name, "is an invalid extended resource name")]
