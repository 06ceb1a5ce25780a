"""The versions before v1 as they stand in a file; each is turned into what v1 would say."""

from typing import TypeVar

from msgspec.structs import fields, replace

from kplace.config.misfits import Misfits
from kplace.config.nodes import Node
from kplace.config.schema import Int32, Int64, Wire, decode
from kplace.config.wire import (
    EMPTY_SET,
    ClientConnection,
    Extender,
    KubeSchedulerConfiguration,
    LeaderElection,
    PluginConfig,
    Plugins,
    PluginSet,
    Profile,
    TypeMeta,
)


class V1Beta1Plugins(Wire, frozen=True, kw_only=True):
    """``plugins`` of v1beta1: no multiPoint, no preEnqueue."""

    queue_sort: PluginSet = EMPTY_SET
    pre_filter: PluginSet = EMPTY_SET
    filter: PluginSet = EMPTY_SET
    post_filter: PluginSet = EMPTY_SET
    pre_score: PluginSet = EMPTY_SET
    score: PluginSet = EMPTY_SET
    reserve: PluginSet = EMPTY_SET
    permit: PluginSet = EMPTY_SET
    pre_bind: PluginSet = EMPTY_SET
    bind: PluginSet = EMPTY_SET
    post_bind: PluginSet = EMPTY_SET


class V1Beta2Plugins(V1Beta1Plugins, frozen=True, kw_only=True):
    """``plugins`` of v1beta2: no multiPoint."""

    pre_enqueue: PluginSet = EMPTY_SET


class OlderProfile(Wire, frozen=True, kw_only=True):
    """``profiles[]`` before v1: no percentage of its own."""

    scheduler_name: str | None = None
    plugin_config: tuple[PluginConfig, ...] = ()


class V1Beta1Profile(OlderProfile, frozen=True, kw_only=True):
    """``profiles[]`` of v1beta1."""

    plugins: V1Beta1Plugins | None = None


class V1Beta2Profile(OlderProfile, frozen=True, kw_only=True):
    """``profiles[]`` of v1beta2."""

    plugins: V1Beta2Plugins | None = None


class V1Beta3Profile(OlderProfile, frozen=True, kw_only=True):
    """``profiles[]`` of v1beta3."""

    plugins: Plugins | None = None


class OlderConfiguration(TypeMeta, frozen=True, kw_only=True):
    """What the versions before v1 share."""

    parallelism: Int32 | None = None
    leader_election: LeaderElection
    client_connection: ClientConnection
    enable_profiling: bool | None = None
    enable_contention_profiling: bool | None = None
    percentage_of_nodes_to_score: Int32 | None = None
    pod_initial_backoff_seconds: Int64 | None = None
    pod_max_backoff_seconds: Int64 | None = None
    extenders: tuple[Extender, ...] = ()


class V1Beta1Configuration(OlderConfiguration, frozen=True, kw_only=True):
    """A configuration of v1beta1."""

    healthz_bind_address: str | None = None
    metrics_bind_address: str | None = None
    profiles: tuple[V1Beta1Profile, ...] = ()


class V1Beta2Configuration(OlderConfiguration, frozen=True, kw_only=True):
    """A configuration of v1beta2."""

    healthz_bind_address: str | None = None
    metrics_bind_address: str | None = None
    profiles: tuple[V1Beta2Profile, ...] = ()


class V1Beta3Configuration(OlderConfiguration, frozen=True, kw_only=True):
    """A configuration of v1beta3."""

    profiles: tuple[V1Beta3Profile, ...] = ()


Older = V1Beta1Configuration | V1Beta2Configuration | V1Beta3Configuration


def read_v1beta1(root: Node, misfits: Misfits) -> KubeSchedulerConfiguration:
    """Decode a document of v1beta1."""
    return _upgraded(decode(V1Beta1Configuration, root, "", misfits))


def read_v1beta2(root: Node, misfits: Misfits) -> KubeSchedulerConfiguration:
    """Decode a document of v1beta2."""
    return _upgraded(decode(V1Beta2Configuration, root, "", misfits))


def read_v1beta3(root: Node, misfits: Misfits) -> KubeSchedulerConfiguration:
    """Decode a document of v1beta3."""
    return _upgraded(decode(V1Beta3Configuration, root, "", misfits))


def _upgraded(old: Older) -> KubeSchedulerConfiguration:
    profiles = tuple(
        Profile(
            scheduler_name=profile.scheduler_name,
            plugins=None if profile.plugins is None else _copied(profile.plugins, Plugins),
            plugin_config=profile.plugin_config,
        )
        for profile in old.profiles
    )
    # Other locks than leases were fine then; nothing here depends on it.
    election = replace(old.leader_election, resource_lock="")
    return _copied(old, KubeSchedulerConfiguration, profiles=profiles, leader_election=election)


W = TypeVar("W", bound=Wire)


def _copied(old: Wire, kind: type[W], **changed: object) -> W:
    """Another struct with the fields that both have."""
    shared = {field.name for field in fields(old)} & {field.name for field in fields(kind)}
    return kind(**({name: getattr(old, name) for name in shared} | changed))
