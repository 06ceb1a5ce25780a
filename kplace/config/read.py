"""Reading a configuration through all stages."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from kplace.config.build import Built, Problem, build, leader_elector_problem
from kplace.config.catalogue import Catalogue, PluginSpec
from kplace.config.decode import Decoded, decode_configuration, read_header
from kplace.config.defaults import Defaulted, undefaulted, with_defaults
from kplace.config.document import (
    Document,
    Text,
    decoded_text,
    find_configuration,
    find_template,
    has_more_documents,
    parse,
)
from kplace.config.fields import FieldError
from kplace.config.gates import FeatureGates
from kplace.config.merge import MergedPlugins
from kplace.config.misfits import Misfit
from kplace.config.nodes import TextError, line_of
from kplace.config.points import MULTI_POINT, ExtensionPoint
from kplace.config.reading import Reading, Stage, StageError
from kplace.config.resolve import resolve
from kplace.config.schema import zero
from kplace.config.validate import validate
from kplace.config.wire import GROUP, INTERNAL, KIND, V1, KubeSchedulerConfiguration
from kplace.errors import Fault

_NOTE_STRICT = "kube-scheduler stops at unknown and repeated fields; the rest is what would come of it without them"
_SCHEME = "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme/scheme.go:29"
_NO_EFFECT = {
    "leader_election": "leaderElection",
    "client_connection": "clientConnection",
    "parallelism": "parallelism",
    "enable_profiling": "enableProfiling",
    "enable_contention_profiling": "enableContentionProfiling",
    "delay_cache_until_active": "delayCacheUntilActive",
}


@dataclass(frozen=True, slots=True)
class Options:
    """How a configuration is read.

    Attributes
    ----------
    allow_unknown_plugins : bool
        Plugins that are not in-tree do nothing instead of being an error.
    read_as : str
        ``"v1"``: a file of an older version is read as if it were v1.
    gates : FeatureGates
    """

    allow_unknown_plugins: bool = False
    read_as: str = ""
    gates: FeatureGates = FeatureGates()


DEFAULT_OPTIONS = Options()
