"""``kplace redact``: a cluster that can be shown to others."""

from typing import TYPE_CHECKING

import click

from kplace.cli.cluster_output import (
    ClusterTarget,
    cluster_out_option,
    plan_cluster_target,
    tell_cluster,
    write_cluster,
)
from kplace.cli.console import note, say
from kplace.cli.errors import Refused
from kplace.cli.options import inputs_argument, quiet_option
from kplace.cli.progress import Work

if TYPE_CHECKING:
    from kplace.api import Cluster


@click.command(short_help="Hash every name of a cluster, so that it can be shared.")
@inputs_argument
@cluster_out_option
@click.option(
    "--key", metavar="TEXT", help="The same key gives the same hashes.  [default: a new random one, kept nowhere]"
)
@click.option(
    "--verify", is_flag=True, help="Place the pods before and after, and write only if the outcome is the same."
)
@quiet_option
def redact(*, inputs: tuple[str, ...], out: str, key: str | None, verify: bool) -> None:
    """Hash every name, label value and image of a cluster; its pods are placed as before.

    INPUT: what place takes. Only what placing depends on comes through: no commands, no environment, no annotations
    but those that rules read. Standard output is JSON if the first input is, else YAML.
    """
    target = plan_cluster_target(out, inputs)
    if target.path is None and inputs[0].lower().removesuffix(".gz").removesuffix(".zst").endswith(".json"):
        target = ClusterTarget(None, "json")
    with Work() as work:
        work.stage("reading")
        import kplace

        cluster = kplace.read(*inputs)
        for item in cluster.notes:
            note(str(item))
        work.stage("redacting")
        hidden = kplace.redact(cluster, key=key)
        if verify:
            work.stage("placing")
            _verify(cluster, hidden)
        work.stage("writing")
        write_cluster(hidden, target)
    tell_cluster(hidden, target)


def _verify(cluster: "Cluster", hidden: "Cluster") -> None:
    import kplace

    before, after = kplace.place(cluster).result_hash, kplace.place(hidden).result_hash
    if before != after:
        msg = f"redacted, it is placed differently (result {after[:12]}, not {before[:12]}): nothing was written"
        raise Refused(msg)
    say(f"both are placed alike: result {before[:12]}")
