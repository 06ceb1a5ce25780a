"""``kplace synth``: make up a cluster and write it."""

import click

from kplace.cli.cluster_output import cluster_out_option, plan_cluster_target, tell_cluster, write_cluster
from kplace.cli.console import emit, note, write_text
from kplace.cli.options import quiet_option
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
@click.option("--shapes", metavar="FILE", help="CSV table of more types of machines: name, cpu, memory_gib, ...")
@click.option("--show", is_flag=True, help="Print the description of a preset instead, to start from.")
@quiet_option
def synth(
    *,
    description: str | None,
    out: str,
    seed: int,
    nodes: int | None,
    pods: int | None,
    shapes: str | None,
    show: bool,
) -> None:
    """Make up a cluster from a description, and write it.

    PRESET: small, web, ml-gpu, edge, batch, datacenter-5k, datacenter-100k. FILE: a description of your own (.toml,
    .yaml, .json). The pods of DaemonSets run on their nodes, all others wait: kplace place NAME places them.
    """
    if description is None:
        from kplace.synthesis import PRESETS

        msg = f"expected a preset ({', '.join(PRESETS)}) or a file"
        raise click.UsageError(msg)
    if show:
        from kplace.synthesis import preset_text

        text = preset_text(description)
        emit(lambda: write_text(text))
        return
    target = plan_cluster_target(out, [description])
    with Work() as work:
        work.stage("making")
        import kplace

        cluster = kplace.synth(description, seed=seed, nodes=nodes, pods=pods, shapes=shapes)
        for item in cluster.notes:
            note(str(item))
        work.stage("writing")
        write_cluster(cluster, target)
    tell_cluster(cluster, target)
