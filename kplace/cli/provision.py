"""``kplace provision``: which nodes to add, and how many, so that everything fits."""

from collections.abc import Callable

import click

from kplace.cli.console import is_quiet, note, show
from kplace.cli.errors import Refused
from kplace.cli.main import PENDING
from kplace.cli.output import TABLE
from kplace.cli.progress import Work
from kplace.cli.question import Question, emit_rows, for_rows, format_option, question_options, refuse_unused
from kplace.cli.text import one_line

ROWS = ("plans", "nodes", "pods", "candidates")


def _named_numbers(option: str, example: str) -> Callable[..., dict[str, str]]:
    """Callback of an option that is given as NAME=NUMBER any number of times."""

    def read(_ctx: click.Context, _parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
        found: dict[str, str] = {}
        wrong = []
        for text in given:
            name, sign, number = text.rpartition("=")
            if not sign or not name:
                wrong.append(f"{option}: expected NAME=NUMBER such as {example}, got {text!r}")
            elif name in found:
                wrong.append(f"{option}: expected one number for {name}, got {found[name]!r} and {number!r}")
            else:
                found[name] = number
        if wrong:
            raise Refused(one_line(wrong[-1]), [one_line(line) for line in wrong[:-1]])
        return found

    return read


@click.command(short_help="Say which nodes to add, and how many, so that everything fits.")
@question_options
@click.option("--pods", multiple=True, metavar="FILE", help="A file with pods or controllers that have to fit as well.")
@click.option("--like", multiple=True, metavar="NS/NAME", help="A workload or pod of which more have to fit.")
@click.option(
    "--copies",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="How many pods of each kind that --pods and --like name.",
)
@click.option("--without-waiting", is_flag=True, help="Leave out the pods that wait in the input.")
@click.option("--node", "nodes", multiple=True, metavar="FILE", help="Candidates: each Node manifest is a template.")
@click.option("--pools", is_flag=True, help="Candidates: the kinds of nodes that the cluster has.")
@click.option(
    "--shapes",
    multiple=True,
    metavar="CSV",
    help="Candidates: types of machines, in each zone; built-in stands for kplace's own table.",
)
@click.option("--nodepool", "nodepools", multiple=True, metavar="FILE", help="Candidates: Karpenter's NodePools.")
@click.option(
    "--zone",
    "zones",
    multiple=True,
    metavar="NAME",
    help="Zones of the machines of --shapes and --nodepool.  [default: those of the cluster]",
)
@click.option("--prices", metavar="CSV", help="What nodes cost: instance_type, price, maybe zone and capacity_type.")
@click.option(
    "--price",
    multiple=True,
    metavar="NAME=N",
    callback=_named_numbers("--price", "m5.large=0.096"),
    help="What one node costs, by its name or its instance type; goes before --prices.",
)
@click.option(
    "--rate",
    "rates",
    multiple=True,
    metavar="RESOURCE=N",
    callback=_named_numbers("--rate", "cpu=0.03"),
    help="What a core, a GiB of memory, one of another resource costs: for nodes without a price.",
)
@click.option("--unit", default="", metavar="TEXT", help="What prices are in, for the summary: $/h.")
@click.option(
    "--each",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    metavar="K",
    help="Show beside the best mix the best plans of one kind of node, of the K kinds that promise most.",
)
@click.option(
    "--effort",
    type=click.IntRange(min=0),
    default=100,
    show_default=True,
    metavar="N",
    help="Placings that may go into making a mix cheaper.",
)
@click.option(
    "--rows",
    type=click.Choice(ROWS),
    default=ROWS[0],
    show_default=True,
    help="Which rows --format json and csv have; nodes and pods are those of the best plan.",
)
@click.option("--fail-on-pending", is_flag=True, help="Exit with code 1 if the best plan leaves a pod pending.")
@format_option()
@click.pass_context
def provision(  # noqa: PLR0913 - one parameter an option
    ctx: click.Context,
    *,
    question: Question,
    pods: tuple[str, ...],
    like: tuple[str, ...],
    copies: int,
    without_waiting: bool,
    nodes: tuple[str, ...],
    pools: bool,
    shapes: tuple[str, ...],
    nodepools: tuple[str, ...],
    zones: tuple[str, ...],
    prices: str | None,
    price: dict[str, str],
    rates: dict[str, str],
    unit: str,
    each: int,
    effort: int,
    rows: str,
    fail_on_pending: bool,
    form: str,
) -> None:
    """Say which nodes to add, and how many, so that all pods that wait find one; the cheapest plan comes first.

    Waiting pods are placed in the cluster as it stands. For those that find no node, numbers of new nodes are tried, by
    placing for real, with the pods of DaemonSets on every new node. A lower bound says how far from the optimum a plan
    can be at most.
    """
    if not (nodes or pools or shapes or nodepools):
        msg = "Say what could be added: --node, --pools, --shapes or --nodepool."
        raise click.UsageError(msg)
    if without_waiting and not (pods or like):
        msg = "Without the waiting pods, say which have to fit: --pods or --like."
        raise click.UsageError(msg)
    unused = for_rows(form, "rows") if form == TABLE else {"unit": "--format table"}
    if not (pods or like):
        unused["copies"] = "--pods and --like"
    if not (shapes or nodepools):
        unused["zones"] = "--shapes and --nodepool"
    refuse_unused(ctx, unused)
    with Work() as work:
        cluster, scheduling = question.load(work, says_waiting=False)
        work.stage("trying nodes")
        from kplace.analysis.provision import provision as ask

        found = ask(
            cluster,
            pods=pods,
            like=like,
            copies=copies,
            waiting=not without_waiting,
            nodes=nodes,
            pools=pools,
            shapes=shapes,
            nodepools=nodepools,
            zones=zones,
            prices=prices,
            price=price,
            rates=rates or None,
            each=each,
            effort=effort,
            progress=work.advance,
            **scheduling,
        )
    for item in found.notes:
        note(str(item))
    if form != TABLE:
        tables = {"plans": found.table, "nodes": found.best.nodes, "pods": found.pods, "candidates": found.candidates}
        emit_rows(tables[rows], form)
    elif not is_quiet():
        from kplace.cli.render_provision import render_provision

        show(lambda console: render_provision(console, found, unit))
    if fail_on_pending and found.pending:
        ctx.exit(PENDING)
