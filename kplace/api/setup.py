"""What a run is set up with: the profiles of a configuration, its settings, and what is to be said of it."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kplace.api.cluster import Cluster
from kplace.api.configuring import ConfigSource, reading_of, with_plugins
from kplace.api.extending import CALL, extenders_of, notes_after, notes_before
from kplace.api.plugins import KnownPlugins, Plugins
from kplace.columns import Note
from kplace.columns.ruled import under_rules
from kplace.config import Configuration, Options
from kplace.config.versions import DEFAULT_VERSION, V1_34, Behaviour, behaviour_of
from kplace.errors import UsageError
from kplace.framework import Profile
from kplace.io.report import foreign_notes
from kplace.plugins.defaults import default_configuration
from kplace.plugins.profiles import build_profiles

if TYPE_CHECKING:
    from kplace.io.extenders import HTTPExtender

FOREIGN = "other-schedulers"
"""Topic of the notes on pods that no profile is for."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What decides how pods are scheduled, beside the cluster.

    Attributes
    ----------
    configuration : Configuration
    profiles : tuple of Profile
    extenders : tuple of HTTPExtender
        To be closed when the run is over.
    percentage_of_nodes_to_score : int
        The global setting.
    notes : tuple of Note
        What a person should know of the configuration.
    behaviour : Behaviour
        That of the release.
    """

    configuration: Configuration
    profiles: tuple[Profile, ...]
    extenders: "tuple[HTTPExtender, ...]"
    percentage_of_nodes_to_score: int
    notes: tuple[Note, ...]
    behaviour: Behaviour

    def view_of(self, cluster: Cluster) -> Cluster:
        """Give the cluster with its pods as the release sees them."""
        columns = under_rules(cluster.columns, self.behaviour.pods)
        return cluster if columns is cluster.columns else Cluster(columns, cluster.case)

    def profile_for(self, scheduler: str) -> Profile:
        """The profile of a scheduler name; the first one for a name that has none."""
        return next((item for item in self.profiles if item.scheduler_name == scheduler), self.profiles[0])

    def notes_on(self, cluster: Cluster) -> tuple[Note, ...]:
        """The notes on the cluster, on pods that no profile is for, on the configuration, and on calls of extenders."""
        profiles = [profile.scheduler_name for profile in self.profiles]
        kept = [note for note in cluster.notes if note.topic != FOREIGN]
        return (*kept, *foreign_notes(cluster.columns, profiles), *self.notes, *notes_after(self.extenders))


def set_up(  # noqa: PLR0913 - most are left alone
    cluster: Cluster,
    config: ConfigSource | Configuration | None = None,
    plugins: Plugins = (),
    percentage_of_nodes_to_score: int | None = None,
    *,
    extenders: str = CALL,
    mend_extender_scores: bool = False,
    kube_version: str = DEFAULT_VERSION,
    behaviour: Behaviour | None = None,
) -> Setup:
    """Set up a run.

    Parameters
    ----------
    config : path, mapping or Configuration, optional
        None: that of the golden case which the cluster was read from, else the default profile with the plugins that
        are given, each at all points that it implements.
    plugins : mapping or iterable
        Out-of-tree plugins.
    percentage_of_nodes_to_score : int, optional
        Takes the place of every such setting of the configuration.
    extenders : {"call", "ask", "off"}
    mend_extender_scores : bool
    kube_version : str
        See `kplace.place`.
    behaviour : Behaviour, optional
        In the place of the release's: something between two releases.

    Raises
    ------
    ConfigError
        The configuration cannot be used.
    PluginError
        A plugin is none, or cannot be made.
    UsageError
        An argument cannot be used.
    """
    known = KnownPlugins(plugins)
    behaviour = behaviour_of(kube_version) if behaviour is None else behaviour
    configuration = _configuration(cluster, config, known, behaviour)
    known.import_installed(name for profile in configuration.profiles for name in profile.plugin_names)
    built = build_profiles(configuration, known.entries, behaviour)
    profiles, percentage = built.profiles, configuration.percentage_of_nodes_to_score
    if percentage_of_nodes_to_score is not None:
        percentage = _percentage(percentage_of_nodes_to_score)
        profiles = tuple(replace(profile, percentage_of_nodes_to_score=None) for profile in profiles)
    notes = (*configuration.notes, *_not_enabled(configuration, known))
    mends = mend_extender_scores or not behaviour.scores_bare_nodes
    asked = extenders_of(configuration, extenders, mend_scores=mends)
    return Setup(
        configuration=configuration,
        profiles=profiles,
        extenders=asked,
        percentage_of_nodes_to_score=percentage,
        notes=(*(Note("configuration", text) for text in notes), *notes_before(configuration, asked)),
        behaviour=behaviour,
    )


def _configuration(
    cluster: Cluster, config: ConfigSource | Configuration | None, known: KnownPlugins, behaviour: Behaviour
) -> Configuration:
    options = Options(gates=behaviour.gates)
    if isinstance(config, Configuration):
        return config
    if config is not None:
        return reading_of(config, known, options).require()
    if cluster.case is not None and cluster.case.config:
        return reading_of(cluster.case.config, known, options, "<golden case>").require()
    if known.given:
        return reading_of(with_plugins(known.given.values()), known, options, "<plugins>").require()
    return default_configuration() if behaviour == V1_34 else reading_of({}, known, options, "<defaults>").require()


def _not_enabled(configuration: Configuration, known: KnownPlugins) -> list[str]:
    """What to say of plugins that were given but do not run."""
    enabled = {name for profile in configuration.profiles for name in profile.plugin_names}
    return [
        f"plugin {name} is given, but the configuration does not enable it"
        for name in known.given
        if name not in enabled
    ]


def _percentage(given: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given <= 100:
        msg = f"percentage_of_nodes_to_score: expected a whole number from 0 to 100, got {given!r}"
        raise UsageError(msg)
    return given
