"""``kplace bench``: what plugins cost."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kplace.cli.compiling import announce_compiling, needs_compiling
from kplace.cli.console import emit, is_quiet, note, show, write_text
from kplace.cli.options import check_there, quiet_option
from kplace.cli.output import TABLE, Output, check_outputs
from kplace.cli.progress import Work
from kplace.cli.scheduler_options import SchedulerChoice, scheduler_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from kplace.analysis.bench import BenchReport
    from kplace.analysis.scheduler_perf import Workload


@click.group(short_help="Measure what plugins cost, and throughput.")
def bench() -> None:
    """Measure what plugins cost, and how many pods a second go through."""


@bench.command(short_help="Measure each plugin at each extension point.")
@click.option(
    "--nodes",
    "sizes",
    metavar="N,N,...",
    default="1000,10000,100000",
    show_default=True,
    help="Sizes of the clusters that are made up to measure in.",
)
@click.option("--input", "source", metavar="INPUT", help="Measure in this cluster instead, with its waiting pods.")
@click.option(
    "--only", multiple=True, metavar="PLUGIN", help="Show this plugin only. May be repeated; all are measured."
)
@scheduler_options
@click.option(
    "--rounds", type=click.IntRange(min=2), default=7, show_default=True, help="How often everything is measured."
)
@click.option("--against", metavar="FILE", help="A file of --out of another run: say what got slower since.")
@click.option(
    "--out", multiple=True, metavar="FILE", help="Also write the figures (.json) or a picture (.svg). May be repeated."
)
@click.option(
    "--format",
    "form",
    type=click.Choice([TABLE, "json", "csv"]),
    default=TABLE,
    show_default=True,
    help="Tables for people, or the figures on standard output.",
)
@click.option("--fail-on-slower", is_flag=True, help="Exit with code 1 if --against finds something slower.")
@quiet_option
@click.pass_context
def plugins(  # noqa: PLR0913 - one parameter an option
    ctx: click.Context,
    *,
    sizes: str,
    source: str | None,
    only: tuple[str, ...],
    scheduler: SchedulerChoice,
    rounds: int,
    against: str | None,
    out: tuple[str, ...],
    form: str,
    fail_on_slower: bool,
) -> None:
    """Measure each plugin of a profile at each extension point whose work grows with the cluster.

    For each of them: nanoseconds per node, nodes per second, the share of a pod's time, and how far the rounds lie
    apart. The figures are those of the pod that takes the longest there.
    """
    if fail_on_slower and against is None:
        msg = "only says what --against FILE comes to; there is no --against"
        raise click.BadParameter(msg, param_hint="'--fail-on-slower'")
    numbers = _sizes(sizes)
    check_there("--against", [against] if against else [], "what kplace bench plugins --out FILE.json has written")
    targets = [_target(name) for name in out]
    inputs = scheduler.files if source is None else (source, *scheduler.files)
    check_outputs([Output("--out", target) for target in targets], inputs)
    with Work() as work:
        work.stage("reading")
        import kplace
        from kplace.analysis.bench import BenchReport
        from kplace.analysis.bench import bench as measure

        before = None if against is None else BenchReport.read(against)
        compiling = needs_compiling()
        chosen = scheduler.load()
        cluster = None if source is None else kplace.read(source)
        if compiling:
            announce_compiling()
        work.stage("measuring")
        report = measure(
            nodes=numbers,
            cluster=cluster,
            config=chosen.config,
            plugins=chosen.plugins,
            kube_version=chosen.kube_version,
            rounds=rounds,
            progress=work.advance_named,
        )
    if only:
        report = report.only(_known(report, only))
    for target in targets:
        _write(report, target)
    if form != TABLE:
        emit(lambda: _print(report, form))
    slower = _show(report, before, is_shown=form == TABLE and not is_quiet())
    if fail_on_slower and slower:
        ctx.exit(1)


def _show(report: "BenchReport", before: "BenchReport | None", *, is_shown: bool) -> int:
    """Print what was measured, and what has changed; returns how much got slower."""
    from kplace.analysis.bench import compare
    from kplace.cli.render_bench import render_bench, render_changes

    if is_shown:
        show(lambda console: render_bench(console, report))
    if before is None:
        return 0
    if before.version != report.version:
        note(f"the other run is one of kplace {before.version}, this is {report.version}")
    changes = compare(report, before)
    if is_shown:
        show(lambda console: render_changes(console, changes, report, before))
    else:
        for change in changes:
            if change.verdict == "slower":
                cost = change.now
                note(f"slower: {cost.plugin} {cost.point} at {cost.nodes:,} nodes, by a factor of {change.factor:.2f}")
    return sum(change.verdict == "slower" for change in changes)


def _sizes(text: str) -> list[int]:
    try:
        sizes = [int(part) for part in text.replace("_", "").split(",")]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < 1:
        msg = f"expected numbers of nodes, parted by commas, such as 1000,5000; got {text!r}"
        raise click.BadParameter(msg, param_hint="'--nodes'")
    return sorted(set(sizes))


def _target(name: str) -> Path:
    path = Path(name)
    if path.suffix not in {".json", ".svg"}:
        msg = f"{path}: the ending says nothing; known are .json and .svg"
        raise click.BadParameter(msg, param_hint="'--out'")
    return path


def _known(report: "BenchReport", only: tuple[str, ...]) -> frozenset[str]:
    known = {cost.plugin for cost in report.costs}
    unknown = [name for name in only if name not in known]
    if unknown:
        msg = f"nothing was measured of {', '.join(unknown)}; there is {', '.join(sorted(known))}"
        raise click.BadParameter(msg, param_hint="'--only'")
    return frozenset(only)


def _write(report: "BenchReport", path: Path) -> None:
    if path.suffix == ".json":
        report.to_json(path)
        return
    from kplace.analysis.bench.picture import picture
    from kplace.io.atomic import writing

    with writing(path) as file:
        file.write(picture(report).encode())


def _print(report: "BenchReport", form: str) -> None:
    import io

    if form == "csv":
        text = io.StringIO()
        report.table.to_csv(text, index=False, lineterminator="\n")
        write_text(text.getvalue())
    else:
        rows = io.BytesIO()
        report.to_json(rows)
        write_text(rows.getvalue().decode())


@bench.command(short_help="Run throughput workloads of scheduler_perf.")
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(dir_okay=False))
@click.option(
    "--only", multiple=True, metavar="TEXT", help="Workloads whose CASE/NAME holds this text. May be repeated."
)
@click.option(
    "--labels",
    default="performance",
    show_default=True,
    metavar="A,-B",
    help="Workloads that have label A and lack B, as upstream chooses them; empty for all.",
)
@click.option("--list", "lists", is_flag=True, help="List what would be run, and run nothing.")
@click.option("--repeat", type=click.IntRange(min=1), default=1, show_default=True, help="The fastest of so many runs.")
@click.option(
    "--format",
    "form",
    type=click.Choice([TABLE, "json", "csv"]),
    default=TABLE,
    show_default=True,
    help="A table for people, or a row per workload on standard output.",
)
@quiet_option
def workloads(
    *, files: tuple[str, ...], only: tuple[str, ...], labels: str, lists: bool, repeat: int, form: str
) -> None:
    """Run workloads of scheduler_perf's performance-config.yaml, and print pods per second beside their thresholds.

    FILE is read as upstream writes it, with the templates that it names. Workloads that need what kplace does not do,
    such as claims for devices or pods scheduled in groups, are left out, and it is said why. Without one, kplace's own
    descriptions of the well-known workloads are run, at the sizes that upstream has published. Upstream's figures have
    an API server in the loop, kplace's have none.
    """
    with Work() as work:
        work.stage("reading")
        from kplace.analysis.scheduler_perf import own_workloads, read_workloads, run_workload
        from kplace.cli.render_workloads import rows_of

        found = [item for name in files for item in read_workloads(Path(name))] if files else own_workloads()
        chosen = _chosen(found, only, labels)
        if lists:
            rows = rows_of([(workload, None) for workload in chosen])
            for workload in chosen:
                _tell_obstacles(workload)
        else:
            if needs_compiling():
                announce_compiling()
            measured = []
            for number, workload in enumerate(chosen):
                work.advance_named(workload.title, number, len(chosen))
                if not _tell_obstacles(workload):
                    measured.append((workload, run_workload(workload, repeat=repeat)))
            rows = rows_of(measured)
            for text in dict.fromkeys(text for _, item in measured for text in item.notes):
                note(text)
    if form != TABLE:
        emit(lambda: _print_rows(rows, form))
    elif lists:
        from kplace.cli.render_workloads import render_list

        show(lambda console: render_list(console, chosen))
    elif not is_quiet():
        from kplace.cli.render_workloads import render_workloads

        show(lambda console: render_workloads(console, rows))


def _tell_obstacles(workload: "Workload") -> bool:
    """Whether a workload cannot be run; says why."""
    if workload.obstacles:
        note(f"{workload.title} is left out: {'; '.join(workload.obstacles)}")
    return bool(workload.obstacles)


def _chosen(found: "Sequence[Workload]", only: tuple[str, ...], labels: str) -> "list[Workload]":
    """The workloads that a label filter and texts leave."""
    asked = [label.strip() for label in labels.split(",") if label.strip()]
    chosen = [
        workload
        for workload in found
        if all(_has(workload, label) for label in asked) and (not only or any(text in workload.title for text in only))
    ]
    if not chosen:
        known = ", ".join(sorted({label for workload in found for label in workload.labels})) or "none"
        msg = f"no workload of {len(found):,} is left by --only and --labels; there are the labels {known}"
        raise click.UsageError(msg)
    return chosen


def _has(workload: "Workload", label: str) -> bool:
    if label.startswith("-"):
        return label[1:] not in workload.labels
    return label.removeprefix("+") in workload.labels


def _print_rows(rows: "pd.DataFrame", form: str) -> None:
    if form == "csv":
        write_text(rows.to_csv(index=False, lineterminator="\n"))
    else:
        write_text(rows.to_json(orient="records", indent=1) + "\n")
