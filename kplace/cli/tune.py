"""``kplace tune``: what other weights and scoring strategies would come to."""

import io
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kplace.cli.compiling import announce_compiling, needs_compiling
from kplace.cli.console import emit, is_quiet, show, write_text
from kplace.cli.options import inputs_argument, quiet_option
from kplace.cli.output import TABLE, Output, check_apart, check_outputs
from kplace.cli.progress import Work
from kplace.cli.scheduler_options import SchedulerChoice, scheduler_options

if TYPE_CHECKING:
    import pandas as pd

_STRATEGIES = ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")
_OBJECTIVES = (
    *("pending", "nodes_used", "utilisation_cpu", "utilisation_memory"),
    *("imbalance", "fragmentation", "violations"),
)


@click.command(short_help="Try many weights and scoring strategies on one cluster.")
@inputs_argument
@click.option(
    "--vectors", type=click.IntRange(min=0), default=100, show_default=True, help="Random weight vectors to try."
)
@click.option(
    "--max-weight",
    type=click.IntRange(min=1, max=2**31 - 1),
    default=10,
    show_default=True,
    help="The largest random weight.",
)
@click.option(
    "--weights",
    multiple=True,
    metavar="PLUGIN=W,...",
    help="A vector to try as well; plugins that it leaves out keep their weights. May be repeated.",
)
@click.option(
    "--strategy",
    "strategies",
    multiple=True,
    type=click.Choice(_STRATEGIES),
    help="A scoring strategy of NodeResourcesFit to try with every vector. May be repeated.",
)
@click.option(
    "--objective",
    "objectives",
    multiple=True,
    type=click.Choice(_OBJECTIVES),
    help="What the Pareto front is about. May be repeated.  [default: pending, nodes_used, imbalance, fragmentation, "
    "violations]",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of vectors and draws.")
@scheduler_options
@click.option(
    "--journal", metavar="FILE", help="Keep the outcomes there; a later run with the same cluster goes on from it."
)
@click.option("--out", metavar="FILE", help="Write a row per candidate (.csv, .parquet).")
@click.option(
    "--format",
    "form",
    type=click.Choice([TABLE, "json", "csv"]),
    default=TABLE,
    show_default=True,
    help="The Pareto front for people, or a row per candidate on standard output.",
)
@quiet_option
def tune(  # noqa: PLR0913 - one parameter an option
    *,
    inputs: tuple[str, ...],
    vectors: int,
    max_weight: int,
    weights: tuple[str, ...],
    strategies: tuple[str, ...],
    objectives: tuple[str, ...],
    seed: int,
    scheduler: SchedulerChoice,
    journal: str | None,
    out: str | None,
    form: str,
) -> None:
    """Place the waiting pods under many weight vectors, and say which of them nothing beats in every respect.

    For each candidate: pods that stay pending, nodes in use and how full they are, how uneven the nodes are, what is
    free but stranded, and topology spread constraints that are broken. INPUT is what place takes. Of a configuration
    with several profiles the first one is tuned; the pods of the others are placed too, with the weights they have.
    """
    target = None if out is None else _target(out)
    outs = [] if target is None else [Output("--out", target)]
    journals = [] if journal is None else [Output("--journal", Path(journal))]
    files = [*(name for name in inputs if not Path(name).is_dir()), *scheduler.files]
    check_outputs(outs, [*inputs, *scheduler.files])
    # A journal may lie in a folder that is read, and is gone on from there; one that is none is refused when opened.
    check_outputs(journals, files)
    check_apart([*outs, *journals])
    given = [_vector(text) for text in weights]
    with Work() as work:
        work.stage("reading")
        import kplace
        from kplace.analysis.tuning.sweep import DEFAULT_OBJECTIVES

        compiling = needs_compiling()
        chosen = scheduler.load()
        cluster = kplace.read(*inputs)
        if compiling:
            announce_compiling()
        work.stage("placing")
        tuning = kplace.tune(
            cluster,
            vectors=vectors,
            max_weight=max_weight,
            weights=given,
            strategies=strategies,
            objectives=objectives or DEFAULT_OBJECTIVES,
            seed=seed,
            config=chosen.config,
            plugins=chosen.plugins,
            kube_version=chosen.kube_version,
            journal=journal,
            progress=work.advance,
        )
    if target is not None:
        _write(tuning.table, target)
    if form != TABLE:
        emit(lambda: write_text(_text(tuning.table, form)))
    elif not is_quiet():
        from kplace.cli.render_tune import render_tune

        show(lambda console: render_tune(console, tuning))


def _vector(text: str) -> dict[str, int]:
    try:
        pairs = [part.split("=") for part in text.split(",")]
        return {name.strip(): int(weight) for name, weight in pairs}
    except ValueError:
        msg = f"expected PLUGIN=WEIGHT, parted by commas, got {text!r}"
        raise click.BadParameter(msg, param_hint="'--weights'") from None


def _target(name: str) -> Path:
    path = Path(name)
    if path.suffix not in {".csv", ".parquet"}:
        msg = f"{path}: the ending says nothing; known are .csv and .parquet"
        raise click.BadParameter(msg, param_hint="'--out'")
    return path


def _write(table: "pd.DataFrame", path: Path) -> None:
    from kplace.io.atomic import writing
    from kplace.io.chunks import write_parquet_pieces

    if path.suffix == ".parquet":
        write_parquet_pieces([table], path)
        return
    with writing(path) as file:
        file.write(_text(table, "csv").encode())


def _text(table: "pd.DataFrame", form: str) -> str:
    text = io.StringIO()
    if form == "csv":
        table.to_csv(text, index=False, lineterminator="\n")
    else:
        table.to_json(text, orient="records", indent=1)
        text.write("\n")
    return text.getvalue()
