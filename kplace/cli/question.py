"""What every command that asks a what-if has in common: the input, the scheduler, what is placed before."""

import functools
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from kplace.cli.compiling import announce_compiling, needs_compiling
from kplace.cli.console import emit, note
from kplace.cli.errors import Refused
from kplace.cli.options import inputs_argument, percentage_option, quiet_option
from kplace.cli.output import TABLE
from kplace.cli.progress import Work
from kplace.cli.scheduler_options import SchedulerChoice, scheduler_options
from kplace.cli.text import counted

if TYPE_CHECKING:
    import pandas as pd

    from kplace.analysis.trial import Scheduling
    from kplace.api import Cluster

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Question:
    """The cluster and the scheduler that a command line asks about.

    Attributes
    ----------
    inputs : tuple of str
    scheduler : SchedulerChoice
    seed : int
    tie_break : str
    percentage : int or None
    after_place : bool
    """

    inputs: tuple[str, ...]
    scheduler: SchedulerChoice
    seed: int
    tie_break: str
    percentage: int | None
    after_place: bool

    def load(self, work: Work, *, says_waiting: bool = True) -> "tuple[Cluster, Scheduling]":
        """Read the cluster, and place its waiting pods if that is asked for; notes are printed."""
        import kplace

        work.stage("reading")
        compiling = needs_compiling()
        chosen = self.scheduler.load()
        cluster = kplace.read(*self.inputs)
        if compiling:
            announce_compiling()
        scheduling: Scheduling = {
            "config": chosen.config,
            "plugins": chosen.plugins,
            "kube_version": chosen.kube_version,
            "seed": self.seed,
            "tie_break": self.tie_break,
            "percentage_of_nodes_to_score": self.percentage,
            "extenders": "ask",
        }
        if not self.after_place:
            from kplace.api.setup import set_up

            setup = set_up(cluster, chosen.config, chosen.plugins, kube_version=chosen.kube_version, extenders="off")
            for item in setup.notes_on(cluster):
                note(str(item))
            waiting = int(cluster.columns.pods.waiting.sum())
            if waiting and says_waiting:
                note(f"{counted(waiting, 'waiting pod')} left out; --after-place places them first")
            return cluster, scheduling
        work.stage("placing")
        placements = kplace.place(cluster, **scheduling, progress=work.advance)
        for item in placements.notes:
            note(str(item))
        return placements.cluster, scheduling


def question_options(function: F) -> F:
    """The inputs and the options of a `Question`, which the function gets as ``question``."""
    return after_place_option()(placing_options(function))


def after_place_option(text: str = "Place the waiting pods first, as place does by default.") -> Callable[[F], F]:
    """``--after-place``, for a command that asks about a cluster at rest; with what it means there."""
    return click.option("--after-place", is_flag=True, help=text)


def placing_options(function: F) -> F:
    """The same without ``--after-place``, for a command that places the waiting pods itself."""

    @functools.wraps(function)
    def called(
        *args: Any,  # noqa: ANN401 - the function's own
        inputs: tuple[str, ...],
        scheduler: SchedulerChoice,
        seed: int,
        tie_break: str,
        percentage_of_nodes_to_score: int | None,
        after_place: bool = False,
        **rest: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        asked = Question(inputs, scheduler, seed, tie_break, percentage_of_nodes_to_score, after_place)
        return function(*args, question=asked, **rest)

    seed_option = click.option(
        "--seed",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        metavar="N",
        help="Seed of the draws among equal nodes.",
    )
    tie_break_option = click.option(
        "--tie-break",
        type=click.Choice(["random", "first"]),
        default="random",
        show_default=True,
        help="Which of several best nodes is taken.",
    )
    wrapped: Any = called
    options = (inputs_argument, scheduler_options, percentage_option, seed_option, tie_break_option)
    for option in reversed((*options, quiet_option)):
        wrapped = option(wrapped)
    return wrapped


def refuse_unused(ctx: click.Context, options: Mapping[str, str]) -> None:
    """Refuse options that stand on the command line and have no effect there, all of them at once.

    Parameters
    ----------
    ctx : click.Context
    options : dict of str to str
        Parameters without effect, each with what it is for.

    Raises
    ------
    Refused
    """
    given = [p for p in ctx.command.params if ctx.get_parameter_source(p.name or "") is ParameterSource.COMMANDLINE]
    lines = [
        f"{max(parameter.opts, key=len)}: without effect here: it is for {options[parameter.name or '']}"
        for parameter in given
        if parameter.name in options
    ]
    if lines:
        raise Refused(lines[-1], lines[:-1])


def for_rows(form: str, *names: str) -> dict[str, str]:
    """For `refuse_unused`: options that say something of rows, where tables for people are printed."""
    return dict.fromkeys(names, "--format json and csv") if form == TABLE else {}


def format_option(*more: str) -> Callable[[F], F]:
    """``--format`` with a table for people, rows as JSON or CSV, and what else a command knows."""
    return click.option(
        "--format",
        "form",
        type=click.Choice([TABLE, "json", "csv", *more]),
        default=TABLE,
        show_default=True,
        help="Tables for people, or rows on standard output.",
    )


def emit_rows(rows: "pd.DataFrame", form: str) -> None:
    """Write the rows of a table to standard output as JSON or CSV."""

    def write() -> None:
        if form == "csv":
            rows.to_csv(sys.stdout, index=False, lineterminator="\n")
        else:
            rows.to_json(sys.stdout, orient="records", indent=1)
            sys.stdout.write("\n")

    emit(write)
