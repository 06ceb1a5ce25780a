"""``kplace import``: a published trace as a cluster."""

import click

from kplace.cli.cluster_output import cluster_out_option, plan_cluster_target, tell_cluster, write_cluster
from kplace.cli.console import note
from kplace.cli.options import quiet_option
from kplace.cli.progress import Work

FORMATS = ("openb", "alibaba-2018", "azure-packing", "google-2019", "table")


@click.command("import", short_help="Make a cluster of a published trace, or of any tables.")
@click.argument("form", metavar="FORMAT", type=click.Choice(FORMATS))
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path())
@cluster_out_option
@click.option("--nodes", type=click.IntRange(min=0), metavar="N", help="Machines, for azure-packing.  [default: 1000]")
@click.option("--limit", type=click.IntRange(min=0), metavar="N", help="Only the first N pods by their time.")
@quiet_option
def import_(*, form: str, files: tuple[str, ...], out: str, nodes: int | None, limit: int | None) -> None:
    """Make a cluster of a published trace: machines become nodes, what ran on them becomes waiting pods.

    FORMAT: openb (node and pod lists), alibaba-2018 (machine_meta, container_meta, batch_task), azure-packing (sqlite),
    google-2019 (machine_events, instance_events, collection_events; CSV or JSON lines), or table (a mapping in TOML).
    Pods have their times: kplace simulate NAME --replay.
    """
    target = plan_cluster_target(out, files)
    with Work() as work:
        work.stage("reading")
        import kplace

        cluster = kplace.read_trace(form, *files, nodes=nodes, limit=limit)
        for item in cluster.notes:
            note(str(item))
        work.stage("writing")
        write_cluster(cluster, target)
    tell_cluster(cluster, target)
