"""``kubescheduler.config.k8s.io/v1`` as it stands in a file (``kube-scheduler/config/v1/types.go``)."""

from typing import TypeVar

from msgspec import field

from kplace.config.nodes import Node
from kplace.config.points import MULTI_POINT, ExtensionPoint
from kplace.config.schema import Bytes, Duration, Float32, Int32, Int64, Wire

GROUP = "kubescheduler.config.k8s.io"
KIND = "KubeSchedulerConfiguration"
V1 = f"{GROUP}/v1"
INTERNAL = f"{GROUP}/__internal"


class TypeMeta(Wire, frozen=True, kw_only=True):
    """What any object says about itself."""

    api_version: str = ""
    kind: str = ""


class Plugin(Wire, frozen=True, kw_only=True):
    """A plugin in a set."""

    name: str
    weight: Int32 | None = None


class PluginSet(Wire, frozen=True, kw_only=True):
    """``enabled`` and ``disabled``."""

    enabled: tuple[Plugin, ...] = ()
    disabled: tuple[Plugin, ...] = ()


EMPTY_SET = PluginSet()


class Plugins(Wire, frozen=True, kw_only=True):
    """The plugin sets of a profile."""

    pre_enqueue: PluginSet = EMPTY_SET
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
    multi_point: PluginSet = EMPTY_SET

    def at(self, point: ExtensionPoint) -> PluginSet:
        """The set of one extension point."""
        found = getattr(self, point.attribute)
        assert isinstance(found, PluginSet)
        return found

    def sets(self) -> dict[str, PluginSet]:
        """All sets by their names in the file, multiPoint first."""
        return {MULTI_POINT: self.multi_point} | {point.value: self.at(point) for point in ExtensionPoint}


class PluginConfig(Wire, frozen=True, kw_only=True):
    """A plugin's arguments."""

    name: str
    args: Node | None = None


class Profile(Wire, frozen=True, kw_only=True):
    """``profiles[]``."""

    scheduler_name: str | None = None
    percentage_of_nodes_to_score: Int32 | None = None
    plugins: Plugins | None = None
    plugin_config: tuple[PluginConfig, ...] = ()


class LeaderElection(Wire, frozen=True, kw_only=True):
    """``leaderElection``."""

    leader_elect: bool | None
    lease_duration: Duration
    renew_deadline: Duration
    retry_period: Duration
    resource_lock: str
    resource_name: str
    resource_namespace: str


class ClientConnection(Wire, frozen=True, kw_only=True):
    """``clientConnection``."""

    kubeconfig: str
    accept_content_types: str
    content_type: str
    qps: Float32
    burst: Int32


class TLSConfig(Wire, frozen=True, kw_only=True):
    """``extenders[].tlsConfig``."""

    insecure: bool = False
    server_name: str = ""
    cert_file: str = ""
    key_file: str = ""
    ca_file: str = ""
    cert_data: Bytes = ""
    key_data: Bytes = ""
    ca_data: Bytes = ""


class ManagedResource(Wire, frozen=True, kw_only=True):
    """``extenders[].managedResources[]``."""

    name: str
    ignored_by_scheduler: bool = False


class Extender(Wire, frozen=True, kw_only=True):
    """``extenders[]``."""

    url_prefix: str
    filter_verb: str = ""
    preempt_verb: str = ""
    prioritize_verb: str = ""
    weight: Int64 = 0
    bind_verb: str = ""
    enable_https: bool = field(default=False, name="enableHTTPS")
    tls_config: TLSConfig | None = None
    http_timeout: Duration = 0
    node_cache_capable: bool = False
    managed_resources: tuple[ManagedResource, ...] = ()
    ignorable: bool = False


class Settings(TypeMeta, frozen=True, kw_only=True):
    """All of a configuration but its profiles."""

    parallelism: Int32 | None = None
    leader_election: LeaderElection
    client_connection: ClientConnection
    enable_profiling: bool | None = None
    enable_contention_profiling: bool | None = None
    percentage_of_nodes_to_score: Int32 | None = None
    pod_initial_backoff_seconds: Int64 | None = None
    pod_max_backoff_seconds: Int64 | None = None
    extenders: tuple[Extender, ...] = ()
    delay_cache_until_active: bool = False


class KubeSchedulerConfiguration(Settings, frozen=True, kw_only=True):
    """A configuration."""

    profiles: tuple[Profile, ...] = ()


T = TypeVar("T")


def given(value: T | None, default: T) -> T:
    """A value, or the default if none is given; an explicit zero is given."""
    return default if value is None else value
