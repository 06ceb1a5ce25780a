"""What is wrong with a study that is well formed: names that nothing has, values that make no sense."""

import re
from collections.abc import Iterable, Iterator

from kplace.analysis.measures import refusal
from kplace.api.arguments import PREEMPTION_WORDS
from kplace.api.extending import EXTENDERS
from kplace.api.placing import TIE_BREAKS
from kplace.config.misfits import suggestion
from kplace.config.versions import behaviour_of
from kplace.errors import UsageError
from kplace.io.shape import join_path, key_step
from kplace.sweeps.description import DEFAULT, GRID, LISTED, NOTHING, SAMPLES, Range, Study
from kplace.sweeps.sampling import AXES, SETTING, Axis, axes_of

Problem = tuple[str, str]
"""A path and what is wrong there."""

FRAMES = ("pods", "nodes", "reasons", "preemptions")
ORDERS = ("input", "drawn")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def faults_of(study: Study) -> list[Problem]:
    """Everything that is wrong with a study, apart from the files that it names."""
    return [*_whole(study), *_axes(study), *_points(study), *_report(study)]


def _whole(study: Study) -> Iterator[Problem]:
    if study.name and not NAME.fullmatch(study.name):
        yield "name", f'expected letters, digits, ".", "_" and "-", got "{study.name}"'
    if not study.inputs:
        yield "inputs", "expected at least one"
    for path, word, known in (
        ("sample", study.sample, SAMPLES),
        ("extenders", study.extenders, EXTENDERS),
        ("load.order", study.load.order, ORDERS),
    ):
        yield from _known(path, word, known)
    for i, name in enumerate(study.frames):
        yield from _known(f"frames[{i}]", name, FRAMES)
    for i, name in enumerate(study.metrics):
        if message := refusal(name):
            yield f"metrics[{i}]", message
    for name in study.configurations:
        if name == DEFAULT:
            yield join_path("configurations", name), "is what runs without a configuration: give it another name"
    for name, what_if in study.what_if.items():
        if name == NOTHING:
            yield join_path("what_if", name), "is the cluster as it is: give it another name"
        if what_if.copies < 1:
            yield join_path(f"what_if.{name}", "copies"), f"must not be less than 1, got {what_if.copies}"
    yield from _sample(study)


def _sample(study: Study) -> Iterator[Problem]:
    if study.sample not in (GRID, LISTED) and not (study.points and study.points > 0):
        yield "points", f"a {study.sample} sample has to have a number of points"
    if study.sample in (GRID, LISTED) and study.points is not None:
        yield "points", f"a sample by {study.sample} has as many points as follow from it"
    if study.sample == LISTED and not study.run:
        yield "run", "a list has to have at least one [[run]]"


def _axes(study: Study) -> Iterator[Problem]:
    for axis in axes_of(study):
        path = "axes." + axis.name if not axis.name.startswith(SETTING) else _setting_path(axis)
        problems = list(_range(axis, study)) if isinstance(axis.given, Range) else []
        if not isinstance(axis.given, Range) and not axis.given:
            problems.append(("", "expected at least one value"))
        if isinstance(axis.given, Range) and not problems:
            problems = [("", message) for value in (axis.at(0), axis.at(1)) for message in _wrong(axis, value, study)]
        elif not isinstance(axis.given, Range):
            for i, value in enumerate(axis.given):
                problems += [(f"[{i}]", message) for message in _wrong(axis, value, study)]
        yield from ((path + step, message) for step, message in problems)


def _setting_path(axis: Axis) -> str:
    return join_path("axes.settings", key_step(axis.name.removeprefix(SETTING)))


def _range(axis: Axis, study: Study) -> Iterator[Problem]:
    spread = axis.given
    assert isinstance(spread, Range)
    if spread.low > spread.high:
        yield ".low", f"must not be above high, {spread.high}, got {spread.low}"
    if spread.log and spread.low <= 0:
        yield ".low", f"must be above 0 for a range by logarithms, got {spread.low}"
    if spread.step is not None and spread.step <= 0:
        yield ".step", f"must be above 0, got {spread.step}"
    if spread.count is not None and spread.count < 1:
        yield ".count", f"must not be less than 1, got {spread.count}"
    if spread.step is not None and (spread.log or spread.count is not None):
        yield ".step", "cannot stand beside log or count"
    crossed = study.sample in (GRID, LISTED) or axis.name == "seed"
    if crossed and spread.step is None and spread.count is None:
        yield "", "a range needs a step or a count here"


def _points(study: Study) -> Iterator[Problem]:
    for i, point in enumerate(study.run):
        for name in AXES:
            value = getattr(point, name)
            if value is not None:
                yield from ((f"run[{i}].{name}", text) for text in _wrong(Axis(name, (value,)), value, study))


def _wrong(axis: Axis, value: object, study: Study) -> Iterator[str]:
    """What is wrong with a value of an axis."""
    match axis.name, value:
        case "input", str():
            yield from (text for _, text in _known("", value, study.inputs))
        case "configuration", str():
            yield from (text for _, text in _known("", value, (*study.configurations, DEFAULT)))
        case "what_if", str():
            yield from (text for _, text in _known("", value, (*study.what_if, NOTHING)))
        case "tie_break", str():
            yield from (text for _, text in _known("", value, TIE_BREAKS))
        case "preemption", str():
            yield from (text for _, text in _known("", value, PREEMPTION_WORDS.values()))
        case "kube_version", str():
            try:
                behaviour_of(value)
            except UsageError as error:
                yield str(error).removeprefix("kube_version: ")
        case (("node_scale" | "load"), int() | float()) if value <= 0:
            yield f"must be above 0, got {value}"
        case "seed", int() if value < 0:
            yield f"must not be negative, got {value}"
        case "percentage_of_nodes_to_score", int() if not 0 <= value <= 100:
            yield f"must be from 0 to 100, got {value}"
        case _:
            return


def _report(study: Study) -> Iterator[Problem]:
    report = study.report
    names = [axis.name for axis in axes_of(study)]
    for path, name in (("report.x", report.x), ("report.by", report.by)):
        if name:
            yield from _known(path, name, names)
    listed = [(f"report.metrics[{i}]", name) for i, name in enumerate(report.metrics)]
    listed += [(f"report.pareto[{i}]", name) for i, name in enumerate(report.pareto)]
    for path, name in [*listed, ("report.best", report.best)]:
        if name and (message := refusal(name)):
            yield path, message
        elif name and not {name, name.partition(":")[0]} & set(study.metrics):
            yield path, f'the study does not keep the metric "{name}"'
    if report.pareto and len(report.pareto) < 2:
        yield "report.pareto", "expected at least two metrics"


def _known(path: str, word: str, known: Iterable[str]) -> Iterator[Problem]:
    names = list(known)
    if word not in names:
        yield path, f'there is no "{word}"{suggestion(word, names)} (there are {", ".join(names)})'
