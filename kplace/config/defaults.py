"""The second stage: what a file leaves out is filled in (``apis/config/v1/defaults.go``)."""

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from kplace.config.catalogue import Catalogue
from kplace.config.decode import Args, Decoded
from kplace.config.fields import child, item
from kplace.config.gates import FeatureGates
from kplace.config.go import SECOND
from kplace.config.merge import MergedPlugins, merge_plugins
from kplace.config.schema import zero
from kplace.config.wire import (
    ClientConnection,
    KubeSchedulerConfiguration,
    LeaderElection,
    Profile,
    TypeMeta,
    given,
)

DEFAULT_SCHEDULER_NAME = "default-scheduler"


@dataclass(frozen=True, slots=True)
class PluginArgs:
    """An entry of ``pluginConfig`` after defaulting.

    Attributes
    ----------
    name : str
    args : Args
    path, args_path : str
        Of the entry and of the arguments in the file; empty if it was added.
    """

    name: str
    args: Args
    path: str = ""
    args_path: str = ""


@dataclass(frozen=True, slots=True)
class DefaultedProfile:
    """A profile after defaulting.

    Attributes
    ----------
    scheduler_name : str
        Empty if none was given where one is needed.
    percentage_of_nodes_to_score : int or None
    plugins : MergedPlugins
    plugin_config : tuple of PluginArgs
        The entries of the file, then those added for enabled plugins, by name.
    path : str
    """

    scheduler_name: str
    percentage_of_nodes_to_score: int | None
    plugins: MergedPlugins
    plugin_config: tuple[PluginArgs, ...]
    path: str

    def args_of(self, name: str) -> PluginArgs | None:
        """The first entry for a plugin."""
        return next((entry for entry in self.plugin_config if entry.name == name), None)


@dataclass(frozen=True, slots=True)
class Defaulted:
    """A configuration after defaulting: its settings, all filled in, and its profiles."""

    settings: KubeSchedulerConfiguration
    profiles: tuple[DefaultedProfile, ...]


def with_defaults(decoded: Decoded, catalogue: Catalogue, gates: FeatureGates) -> Defaulted:
    """Fill in what a configuration leaves out.

    Notes
    -----
    An explicit 0 is kept, except for durations, qps and burst, where it counts as absent. The default scheduler name
    is given to a nameless profile only if it is the only one.
    """
    config = decoded.config
    profiles = config.profiles or (Profile(),)
    if len(profiles) == 1:
        only = profiles[0]
        profiles = (replace(only, scheduler_name=given(only.scheduler_name, DEFAULT_SCHEDULER_NAME)),)
    is_profiling = given(config.enable_profiling, True)
    settings = replace(
        config,
        profiles=(),
        parallelism=given(config.parallelism, 16),
        percentage_of_nodes_to_score=given(config.percentage_of_nodes_to_score, 0),
        pod_initial_backoff_seconds=given(config.pod_initial_backoff_seconds, 1),
        pod_max_backoff_seconds=given(config.pod_max_backoff_seconds, 10),
        enable_profiling=is_profiling,
        enable_contention_profiling=given(config.enable_contention_profiling, is_profiling),
        leader_election=_leader_election(config.leader_election),
        client_connection=_client_connection(config.client_connection),
    )
    return Defaulted(
        settings,
        tuple(
            _profile(profile, i, decoded, catalogue, gates, item("profiles", i)) for i, profile in enumerate(profiles)
        ),
    )


def undefaulted(config: KubeSchedulerConfiguration) -> Defaulted:
    """A configuration of the internal version, to which no defaults are given."""
    settings = replace(
        config,
        parallelism=given(config.parallelism, 0),
        pod_initial_backoff_seconds=given(config.pod_initial_backoff_seconds, 0),
        pod_max_backoff_seconds=given(config.pod_max_backoff_seconds, 0),
        enable_profiling=given(config.enable_profiling, False),
        enable_contention_profiling=given(config.enable_contention_profiling, False),
        leader_election=replace(config.leader_election, leader_elect=given(config.leader_election.leader_elect, False)),
    )
    return Defaulted(settings, ())


def _leader_election(given_: LeaderElection) -> LeaderElection:
    return LeaderElection(
        leader_elect=given(given_.leader_elect, True),
        lease_duration=given_.lease_duration or 15 * SECOND,
        renew_deadline=given_.renew_deadline or 10 * SECOND,
        retry_period=given_.retry_period or 2 * SECOND,
        resource_lock=given_.resource_lock or "leases",
        resource_name=given_.resource_name or "kube-scheduler",
        resource_namespace=given_.resource_namespace or "kube-system",
    )


def _client_connection(given_: ClientConnection) -> ClientConnection:
    return replace(
        given_,
        content_type=given_.content_type or "application/vnd.kubernetes.protobuf",
        qps=given_.qps or 50.0,
        burst=given_.burst or 100,
    )


def _profile(
    profile: Profile, position: int, decoded: Decoded, catalogue: Catalogue, gates: FeatureGates, path: str
) -> DefaultedProfile:
    plugins = merge_plugins(profile.plugins, catalogue, gates, child(path, "plugins"))
    where = child(path, "pluginConfig")
    entries = []
    for j, entry in enumerate(profile.plugin_config):
        args = _defaulted(entry.name, decoded.args[position, j], catalogue, gates)
        entries.append(PluginArgs(entry.name, args, item(where, j), child(item(where, j), "args")))
    named = {entry.name for entry in entries}
    entries += _added(sorted(plugins.enabled_names() - named), catalogue, gates)
    name = given(profile.scheduler_name, "")
    return DefaultedProfile(name, profile.percentage_of_nodes_to_score, plugins, tuple(entries), path)


def _defaulted(name: str, args: Args, catalogue: Catalogue, gates: FeatureGates) -> Args:
    spec = catalogue.args_of(name)
    if spec is None:
        return args
    filled: TypeMeta = spec.default(args, gates)
    return filled


def _added(names: list[str], catalogue: Catalogue, gates: FeatureGates) -> Iterator[PluginArgs]:
    for name in names:
        spec = catalogue.args_of(name)
        if spec is not None:
            yield PluginArgs(name, spec.default(zero(spec.wire), gates))
