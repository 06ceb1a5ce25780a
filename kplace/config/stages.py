"""All stages of reading, one after another, for a document of a known version."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kplace.config.build import Built, build, leader_elector_problem
from kplace.config.catalogue import Catalogue, PluginSpec
from kplace.config.decode import Decoded
from kplace.config.defaults import Defaulted, undefaulted, with_defaults
from kplace.config.faulting import Faults, without_source
from kplace.config.fields import FieldError
from kplace.config.gates import FeatureGates
from kplace.config.points import MULTI_POINT, ExtensionPoint
from kplace.config.reading import Stage, StageError
from kplace.config.resolve import resolve
from kplace.config.resolved import Configuration
from kplace.config.schema import zero
from kplace.config.validate import validate
from kplace.config.wire import INTERNAL, KubeSchedulerConfiguration

_NOTHING = zero(KubeSchedulerConfiguration)
_WITHOUT_EFFECT = {
    "leader_election": "leaderElection",
    "client_connection": "clientConnection",
    "parallelism": "parallelism",
    "enable_profiling": "enableProfiling",
    "enable_contention_profiling": "enableContentionProfiling",
    "delay_cache_until_active": "delayCacheUntilActive",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the stages left.

    Attributes
    ----------
    errors : tuple of StageError
        Those of the first stage that failed.
    later : tuple of StageError
        Those of later ones, as upstream would have said them: one only for each stage after validation.
    defaulted, built
        None if decoding failed for good.
    configuration : Configuration or None
        None if there are errors.
    """

    errors: tuple[StageError, ...] = ()
    later: tuple[StageError, ...] = ()
    defaulted: Defaulted | None = None
    built: Built | None = None
    configuration: Configuration | None = None
    unknown_plugins: tuple[str, ...] = ()
    stand_ins: Mapping[str, str] = field(default_factory=dict)


def run_stages(
    decoded: Decoded,
    catalogue: Catalogue,
    gates: FeatureGates,
    faults: Faults,
    *,
    api_version: str,
    allow_unknown_plugins: bool,
) -> Outcome:
    """Default, validate and build a decoded configuration.

    Parameters
    ----------
    faults : Faults
        Told everything that is wrong, for people.
    """
    is_internal = api_version == INTERNAL
    defaulted = undefaulted(decoded.config) if is_internal else with_defaults(decoded, catalogue, gates)
    invalid = validate(defaulted, catalogue, gates, api_version)
    misfit_errors = decode_errors(decoded, faults)
    if not decoded.is_usable:
        for error in invalid:
            if not faults.is_implied(error, decoded.misfits):
                faults.of_field(error)
        return Outcome(errors=misfit_errors)
    outcome = run_late_stages(
        defaulted, invalid, misfit_errors, catalogue, gates, faults, allow_unknown_plugins=allow_unknown_plugins
    )
    if outcome.configuration is None:
        return outcome
    notes = (*_notes(decoded.config), *outcome.configuration.notes)
    return replace(outcome, configuration=replace(outcome.configuration, notes=notes))


def run_late_stages(
    defaulted: Defaulted,
    invalid: Sequence[FieldError],
    misfit_errors: tuple[StageError, ...],
    catalogue: Catalogue,
    gates: FeatureGates,
    faults: Faults,
    *,
    allow_unknown_plugins: bool,
) -> Outcome:
    """Build a configuration of which it is known what is wrong with it so far."""
    for error in invalid:
        faults.of_field(error)
    unknown = _unknown_plugins(defaulted, catalogue)
    if allow_unknown_plugins:
        catalogue = catalogue.with_plugins(_stand_ins(defaulted, unknown))
    built = build(defaulted.profiles, defaulted.settings.extenders, catalogue, gates)
    elector = leader_elector_problem(defaulted.settings.leader_election)
    for problem in (*built.problems, *([elector] if elector else [])):
        faults.of_problem(problem)
    stages = [
        misfit_errors,
        tuple(StageError(Stage.VALIDATE, str(error), error) for error in invalid),
        tuple(StageError(Stage.BUILD, str(problem)) for problem in built.problems[:1]),
        tuple(StageError(Stage.LEADER_ELECTOR, str(problem)) for problem in [elector] if problem),
    ]
    failed = [errors for errors in stages if errors]
    stand_ins = _described(defaulted, unknown) if allow_unknown_plugins else {}
    configuration = None
    if not failed:
        notes = tuple(f"{name}: {does}" for name, does in stand_ins.items())
        configuration = resolve(defaulted.settings, built.profiles, catalogue)
        inert = frozenset(name for name, spec in catalogue.plugins.items() if spec.gate and not gates.is_on(spec.gate))
        configuration = replace(configuration, unknown_plugins=frozenset(stand_ins), inert_plugins=inert, notes=notes)
    return Outcome(
        errors=failed[0] if failed else (),
        later=tuple(error for errors in failed[1:] for error in errors),
        defaulted=defaulted,
        built=built,
        configuration=configuration,
        unknown_plugins=unknown,
        stand_ins=stand_ins,
    )


def decode_errors(decoded: Decoded, faults: Faults) -> tuple[StageError, ...]:
    """The errors of the first stage, which are told to ``faults`` as well."""
    stage = Stage.DECODE_STRICT if decoded.is_usable else Stage.DECODE
    return tuple(StageError(stage, without_source(faults.of_misfit(misfit))) for misfit in decoded.misfits)


def _unknown_plugins(defaulted: Defaulted, catalogue: Catalogue) -> tuple[str, ...]:
    names = {name for profile in defaulted.profiles for name in profile.plugins.enabled_names()}
    return tuple(sorted(names - catalogue.plugins.keys()))


def _stand_ins(defaulted: Defaulted, unknown: tuple[str, ...]) -> Iterator[PluginSpec]:
    """Plugins that implement the points at which a profile names them."""
    for name in unknown:
        yield PluginSpec(name, frozenset(map(ExtensionPoint, _named_at(defaulted, name) - {MULTI_POINT})))


def _named_at(defaulted: Defaulted, name: str) -> set[str]:
    return {
        set_name
        for profile in defaulted.profiles
        for set_name, merged in profile.plugins.sets.items()
        if any(member.name == name for member in merged.enabled)
    }


def _described(defaulted: Defaulted, unknown: tuple[str, ...]) -> dict[str, str]:
    described = {}
    for name in unknown:
        named = _named_at(defaulted, name)
        points = [point for point in ExtensionPoint if point in named]
        text = "not in-tree, so it does nothing"
        if points:
            text += f" at {', '.join(points)}"
        if MULTI_POINT in named:
            text += "; at which points multiPoint would have it run is not known"
        if ExtensionPoint.QUEUE_SORT in named:
            text += "; pods are sorted by priority instead"
        described[name] = text
    return described


def _notes(config: KubeSchedulerConfiguration) -> Iterator[str]:
    given = [
        name
        for attribute, name in _WITHOUT_EFFECT.items()
        if getattr(config, attribute) != getattr(_NOTHING, attribute)
    ]
    if given:
        yield f"without effect here: {', '.join(given)}"
