"""``kplace synth``: make up a cluster and write it."""

import click

from kplace.cli.cluster_output import cluster_out_option, plan_cluster_target, tell_cluster, write_cluster
from kplace.cli.console import emit, note, write_text
from kplace.cli.options import check_there, quiet_option
from kplace.cli.progress import Work


@click.command(short_help="Make up a cluster of any size.")
@click.argument("description", required=False, metavar="[PRESET|FILE]")
@cluster_out_option
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Seed of all draws.",
)
@click.option("--nodes", type=click.IntRange(min=0), metavar="N", help="Nodes in all; pools keep their proportions.")
@click.option("--pods", type=click.IntRange(min=0), metavar="N", help="Pods in all, those of DaemonSets aside.")
@click.option(
    "--like",
    multiple=True,
    metavar="INPUT",
    help="Fit a description to a cluster (what place takes) in the place of one; may be repeated.",
)
@click.option("--scale", type=float, default=1.0, show_default=True, metavar="X", help="X times the nodes and pods.")
@click.option("--shapes", metavar="FILE", help="CSV table of more types of machines: name, cpu, memory_gib, ...")
@click.option("--show", is_flag=True, help="Print a preset, or what is fitted to --like, as a description instead.")
@quiet_option
def synth(  # noqa: PLR0913 - one parameter an option
    *,
    description: str | None,
    out: str,
    seed: int,
    nodes: int | None,
    pods: int | None,
    like: tuple[str, ...],
    scale: float,
    shapes: str | None,
    show: bool,
) -> None:
    """Make up a cluster from a description, and write it.

    PRESET: small, web, ml-gpu, edge, batch, datacenter-5k, datacenter-100k. FILE: a description of your own (.toml,
    .yaml, .json). The pods of DaemonSets run on their nodes, all others wait: kplace place NAME places them.
    """
    if description is None and not like:
        from kplace.synthesis import PRESETS

        msg = f"expected a preset ({', '.join(PRESETS)}) or a file"
        raise click.UsageError(msg)
    check_there("--like", like, "a cluster: what kplace place takes")
    if show:
        text = _shown(description, like)
        emit(lambda: write_text(text))
        return
    target = plan_cluster_target(out, [name for name in (description, shapes, *like) if name])
    with Work() as work:
        work.stage("making")
        import kplace

        model = kplace.read(*like) if like else None
        cluster = kplace.synth(description, like=model, scale=scale, seed=seed, nodes=nodes, pods=pods, shapes=shapes)
        for item in cluster.notes:
            note(str(item))
        work.stage("writing")
        write_cluster(cluster, target)
    tell_cluster(cluster, target)


def _shown(description: str | None, like: tuple[str, ...]) -> str:
    from kplace.synthesis import description_text, fitted, omissions, preset_text

    if description is not None:
        return preset_text(description)
    import kplace

    columns = kplace.read(*like).columns
    for item in omissions(columns):
        note(str(item))
    return description_text(fitted(columns))
