"""``kplace simulate``: let a cluster live on a clock of its own, and show what came of it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kplace.cli.compiling import announce_compiling, needs_compiling
from kplace.cli.config_file import ConfigFile
from kplace.cli.config_options import load_plugins, plugin_option
from kplace.cli.console import is_quiet, note, show
from kplace.cli.durations import Duration
from kplace.cli.options import inputs_argument, kube_version_option, quiet_option
from kplace.cli.output import Output, check_outputs
from kplace.cli.progress import Work

if TYPE_CHECKING:
    from kplace.api import History

DURATION = Duration()


@click.command(short_help="Let pods arrive, run and leave on a simulated clock.")
@inputs_argument
@click.option("--arrivals", metavar="FILE", help="Table of pods that arrive (.csv, .parquet, .jsonl): at, lasts, ...")
@click.option(
    "--process", metavar="FILE", help="Table of kinds of pods that arrive by chance: pod, rate, swing, lasts, ..."
)
@click.option("--node-events", metavar="FILE", help="Table of what is done to nodes: at, node, action.")
@click.option("--events", metavar="FILE", help="JSON lines of objects that are added, updated and deleted.")
@click.option("--replay", is_flag=True, help="The input's pods arrive at their creationTimestamp, without a node.")
@click.option("--until", type=DURATION, metavar="TIME", help="Where it ends.  [default: once all is done and at rest]")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Seed of the draws among equal nodes and of bindings.",
)
@click.option(
    "--tie-break",
    type=click.Choice(["random", "first"]),
    default="random",
    show_default=True,
    help="Which of several best nodes is taken: any of them, as kube-scheduler does, or the first found.",
)
@click.option("--config", metavar="FILE", type=ConfigFile(), help="A scheduler configuration.")
@plugin_option
@click.option("--no-preemption", is_flag=True, help="Pods of a lower priority do not leave for others.")
@click.option("--bind-delay", type=DURATION, metavar="TIME", help="How long a binding takes at least.")
@click.option("--bind-jitter", type=DURATION, metavar="TIME", default=0.0, help="How much longer it takes on average.")
@click.option(
    "--bind-failures", type=click.FloatRange(0, 1), metavar="SHARE", default=0.0, help="Share of bindings that fail."
)
@click.option(
    "--provision-delay", type=DURATION, metavar="TIME", help="How long volumes take at least; without, none are made."
)
@click.option(
    "--provision-jitter", type=DURATION, metavar="TIME", default=0.0, help="How much longer they take on average."
)
@click.option(
    "--grace",
    type=DURATION,
    metavar="TIME",
    help="From a pod's eviction to its end.  [default: as its spec says, or 30s]",
)
@click.option("--cycle-time", type=DURATION, metavar="TIME", help="How long an attempt takes.")
@click.option("--recreate", is_flag=True, help="Pods of controllers come back if they are evicted or lost.")
@click.option("--feature-gates", metavar="A=true,...", help="SchedulerPopFromBackoffQ, SchedulerAsyncPreemption.")
@kube_version_option
@click.option(
    "--engine",
    type=click.Choice(["batch", "cycle"]),
    default="batch",
    show_default=True,
    help="One compiled loop, or the readable engine, plugin by plugin. Both give the same history.",
)
@click.option("--step", type=DURATION, metavar="TIME", help="Time between two rows of the timeline.")
@click.option("--log", metavar="FILE", help="Write the record of attempts, moves and queues as JSON (.gz by name).")
@click.option("--out", metavar="DIR", help="Write placements, events, pods and timeline as Parquet files.")
@click.option("--checkpoint", metavar="FILE", help="Write now and then what --resume goes on from.")
@click.option("--resume", metavar="FILE", help="Go on from a checkpoint; all else must be as it was.")
@quiet_option
def simulate(  # noqa: PLR0913 - one parameter an option
    *,
    inputs: tuple[str, ...],
    arrivals: str | None,
    process: str | None,
    node_events: str | None,
    events: str | None,
    replay: bool,
    until: float | None,
    seed: int,
    tie_break: str,
    config: str | None,
    plugin: tuple[str, ...],
    no_preemption: bool,
    bind_delay: float | None,
    bind_jitter: float,
    bind_failures: float,
    provision_delay: float | None,
    provision_jitter: float,
    grace: float | None,
    cycle_time: float | None,
    recreate: bool,
    feature_gates: str | None,
    kube_version: str,
    engine: str,
    step: float | None,
    log: str | None,
    out: str | None,
    checkpoint: str | None,
    resume: str | None,
) -> None:
    """Let pods arrive, be tried, wait, run and leave on a simulated clock.

    INPUT: a timeline (a JSON file with objects and events), or the cluster at the start: what place takes.
    """
    tables = (arrivals, process, node_events, events, config)
    # A run may go on from a checkpoint and keep its own in the same place.
    read = (*inputs, *tables, resume if resume != checkpoint else None)
    named = (("--out", out), ("--log", log), ("--checkpoint", checkpoint))
    outputs = [Output(option, Path(path), is_folder=option == "--out") for option, path in named if path]
    check_outputs(outputs, [name for name in read if name])
    with Work() as work:
        work.stage("reading")
        import kplace

        if needs_compiling():
            announce_compiling()
        source = inputs[0] if len(inputs) == 1 else kplace.read(*inputs)
        work.stage("simulating")
        history = kplace.simulate(
            source,
            arrivals=arrivals,
            process=process,
            node_events=node_events,
            events=events,
            replay=replay,
            until=until,
            seed=seed,
            tie_break=tie_break,
            config=config,
            plugins=load_plugins(plugin),
            preemption=not no_preemption,
            bind_delay=bind_delay,
            bind_jitter=bind_jitter,
            bind_failures=bind_failures,
            provision_delay=provision_delay,
            provision_jitter=provision_jitter,
            grace=grace,
            cycle_time=cycle_time,
            recreate=recreate,
            feature_gates=gates_of(feature_gates or ""),
            kube_version=kube_version,
            engine=engine,
            step=step,
            log=log,
            checkpoint=checkpoint,
            resume=resume,
            progress=work.advance_time,
        )
        if out:
            work.stage("writing")
            history.to_parquet(out)
    _tell(history)


def _tell(history: "History") -> None:
    for item in history.notes:
        note(str(item))
    if not is_quiet():
        from kplace.cli.render_history import render_history

        show(lambda console: render_history(console, history))


def gates_of(text: str) -> dict[str, bool]:
    """Feature gates as kube-scheduler takes them.

    Examples
    --------
    >>> gates_of("A=true,B=false")
    {'A': True, 'B': False}
    """
    gates = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, _, value = part.partition("=")
        if value.lower() not in ("true", "false"):
            msg = f"{part!r}: expected NAME=true or NAME=false"
            raise click.BadParameter(msg, param_hint="'--feature-gates'")
        gates[name.strip()] = value.lower() == "true"
    return gates
