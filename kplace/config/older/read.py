"""Reading by the rules of its time what kube-scheduler 1.34 refuses."""

from collections.abc import Iterator
from dataclasses import replace

from kplace.config.catalogue import Catalogue
from kplace.config.decode import Header, decode_configuration
from kplace.config.document import POLICY, Document
from kplace.config.faulting import Faults, without_source
from kplace.config.merge import ALL, MergedPlugins
from kplace.config.misfits import Misfit, Misfits
from kplace.config.older.policy import policy_configuration, read_policy
from kplace.config.older.versions import ALL_VERSIONS, BY_API_VERSION, V1BETA1, OlderVersion
from kplace.config.options import Options
from kplace.config.points import MULTI_POINT, ExtensionPoint
from kplace.config.reading import Reading, Stage, StageError
from kplace.config.resolved import Configuration, ResolvedProfile
from kplace.config.stages import Outcome, run_late_stages, run_stages
from kplace.config.wire import KIND, V1

_POLICY_VERSIONS = ("v1", V1)


def can_read(header: Header) -> bool:
    """Whether a document is of an older version, or a policy."""
    if header.kind == POLICY:
        return header.api_version in _POLICY_VERSIONS
    return header.kind == KIND and header.api_version in BY_API_VERSION


def read_older(
    document: Document, header: Header, catalogue: Catalogue, options: Options, faults: Faults, refusal: StageError
) -> Reading:
    """Read an older version or a policy.

    Parameters
    ----------
    faults : Faults
        Told what keeps it from being used.
    refusal : StageError
        What kube-scheduler 1.34 says of it.

    Returns
    -------
    Reading
        With the refusal as its error. It has a configuration nevertheless, unless there are faults.
    """
    if header.kind == POLICY:
        read_as, version = POLICY, V1BETA1
        outcome = _read_policy(document, version.catalogue(catalogue), options, faults)
    else:
        version = BY_API_VERSION[header.api_version]
        read_as = version.name
        outcome = _read_version(document, version, catalogue, options, faults)
    return older_reading(outcome, faults, version.catalogue(catalogue), read_as, refusal, header.api_version)


def _read_version(
    document: Document, version: OlderVersion, catalogue: Catalogue, options: Options, faults: Faults
) -> Outcome:
    of_its_time = version.catalogue(catalogue)
    decoded = decode_configuration(document, version.read, of_its_time, ALL_VERSIONS)
    return run_stages(
        decoded,
        of_its_time,
        options.gates,
        faults,
        api_version=version.api_version,
        allow_unknown_plugins=options.allow_unknown_plugins,
    )


def _read_policy(document: Document, catalogue: Catalogue, options: Options, faults: Faults) -> Outcome:
    misfits = Misfits([Misfit(one.line, one.key, "is given twice", False) for one in document.duplicates])
    policy = read_policy(document.root, misfits)
    stage = Stage.DECODE if any(misfit.is_fatal for misfit in misfits.found) else Stage.DECODE_STRICT
    errors = tuple(StageError(stage, without_source(faults.of_misfit(misfit))) for misfit in misfits.found)
    if stage is Stage.DECODE:
        return Outcome(errors=errors)
    defaulted, invalid = policy_configuration(policy, catalogue, options.gates)
    return run_late_stages(
        defaulted,
        invalid,
        errors,
        catalogue,
        options.gates,
        faults,
        allow_unknown_plugins=options.allow_unknown_plugins,
    )


def older_reading(
    outcome: Outcome, faults: Faults, catalogue: Catalogue, read_as: str, refusal: StageError, api_version: str
) -> Reading:
    """Make a reading of what the stages left of an older version."""
    configuration = None
    if outcome.configuration is not None:
        configuration = _of_its_time(outcome, outcome.configuration, catalogue, read_as)
    return Reading(
        source=faults.source,
        errors=(refusal,),
        later_errors=(*outcome.errors, *outcome.later),
        faults=faults.all,
        configuration=configuration,
        api_version=api_version if outcome.defaulted is not None else "",
        note=f"kplace reads it by the rules of {read_as}, with the plugins of v1.34",
        read_as=read_as,
        defaulted=outcome.defaulted,
        built=outcome.built,
        unknown_plugins=outcome.unknown_plugins,
        stand_ins=outcome.stand_ins,
    )


def _of_its_time(outcome: Outcome, configuration: Configuration, catalogue: Catalogue, read_as: str) -> Configuration:
    assert outcome.built is not None
    profiles = tuple(
        replace(profile, implied=dict(_implied(profile, built.profile.plugins, catalogue)))
        for profile, built in zip(configuration.profiles, outcome.built.profiles, strict=True)
    )
    note = f"read by the rules of {read_as}; kube-scheduler 1.34 refuses it"
    return replace(configuration, profiles=profiles, read_as=read_as, notes=(note, *configuration.notes))


def _implied(
    profile: ResolvedProfile, plugins: MergedPlugins, catalogue: Catalogue
) -> Iterator[tuple[ExtensionPoint, tuple[str, ...]]]:
    """Where today's plugins must run as well to do what those of the time did; with multiPoint they do anyway."""
    if MULTI_POINT in catalogue.defaults:
        return
    for point, of in (
        (ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER),
        (ExtensionPoint.PRE_SCORE, ExtensionPoint.SCORE),
    ):
        disabled = plugins.at(point).disabled
        left_out = {ref.name for ref in profile.points[point]} | set(disabled)
        names = tuple(
            ref.name for ref in profile.points[of] if ref.name not in left_out and catalogue.implements(ref.name, point)
        )
        if names and ALL not in disabled:
            yield point, names
