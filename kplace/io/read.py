"""Read a cluster: from files to columns."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from msgspec import Struct

from kplace.columns.builder import ClusterBuilder, subject_of
from kplace.columns.cluster import ClusterColumns
from kplace.errors import Fault
from kplace.io.decode import read_into
from kplace.io.reading import Position, ReadingReport
from kplace.io.sources import Argument, find_sources
from kplace.io.validate import CHECKS, time_problem
from kplace.objects.core import Pod


@dataclass(frozen=True, slots=True)
class _BuilderSink:
    """Hands objects to a builder; checks what the builder does not look at in every single pod."""

    builder: ClusterBuilder
    position: Position

    def add(self, kind: str, api_version: str, obj: Struct, raw: memoryview, source: str) -> None:
        self.builder.add(kind, obj, raw, source)
        if isinstance(obj, Pod):
            meta, started = obj.metadata, obj.status.start_time
            created, deleted = meta.creation_timestamp, meta.deletion_timestamp
            self._check_time(obj, "metadata.creationTimestamp", created, source)
            if deleted:
                self._check_time(obj, "metadata.deletionTimestamp", deleted, source)
            if started != created:
                self._check_time(obj, "status.startTime", started, source)

    def _check_time(self, pod: Pod, path: str, time: str | None, source: str) -> None:
        if message := time_problem(time):
            subject = subject_of("Pod", pod.metadata, str(self.position))
            self.builder.faults.append(Fault(source, subject, path, message))


def read_builder(*arguments: Argument) -> tuple[ClusterBuilder, ReadingReport]:
    """Read everything into a builder that is not finished yet.

    Parameters
    ----------
    *arguments : str or path
        Files, folders, patterns, or ``-``; see `kplace.io.sources.find_sources`.

    Returns
    -------
    builder : ClusterBuilder
        With all objects, with the notes on what was passed over, and with all faults in the order of the sources.
    report : ReadingReport
        Among other things the settings of golden cases.
    """
    found = find_sources(arguments)
    report = ReadingReport(faults=list(found.faults), skipped=found.skipped)
    builder = ClusterBuilder(CHECKS, position=report.position.__str__)
    read_into(found.sources, _BuilderSink(builder, report.position), report)
    order = {source.name: i for i, source in enumerate(found.sources)}
    faults = list(_counted([*report.faults, *builder.faults]))
    if not faults and found.sources and len(report.without_objects) == len(found.sources):
        # Each file alone may well hold none, but somebody has asked about a cluster.
        faults = [Fault(", ".join(map(str, arguments)), "", "", "none of its files holds a Kubernetes object")]
    builder.faults = sorted(faults, key=lambda fault: order.get(fault.source, -1))
    builder.notes = [*report.notes(), *builder.notes]
    return builder, report


def _counted(faults: Iterable[Fault]) -> Iterator[Fault]:
    """Each fault once; what is found several times under one name says how often."""
    for fault, number in Counter(faults).items():
        yield replace(fault, message=f"{fault.message} ({number:,} times)") if number > 1 else fault


def read_cluster(*arguments: Argument) -> ClusterColumns:
    """Read a cluster as it stands in the input; controllers are not expanded.

    Parameters
    ----------
    *arguments : str or path
        Files, folders, patterns, or ``-``; see `kplace.io.sources.find_sources`.

    Raises
    ------
    InputError
        With every fault of every file.
    """
    builder, _ = read_builder(*arguments)
    return builder.finish()
