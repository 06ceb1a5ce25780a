"""``--out`` of the commands that give a cluster: a file, a folder, a snapshot, or standard output."""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kplace.cli.console import emit, is_quiet, say
from kplace.cli.output import Output, check_outputs

if TYPE_CHECKING:
    from kplace.api import Cluster

F = TypeVar("F", bound=Callable[..., Any])

STDOUT = "-"
_ENDINGS = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class ClusterTarget:
    """A place that a cluster is written to.

    Attributes
    ----------
    path : Path or None
        None for standard output.
    form : str
        ``json``, ``yaml``, ``folder`` (of JSON, a file a kind) or ``snapshot`` (a folder of Parquet files).
    """

    path: Path | None
    form: str


def cluster_out_option(function: F) -> F:
    """``--out``."""
    return click.option(
        "--out",
        default=STDOUT,
        metavar="FILE|DIR",
        help="Kubernetes objects (.yaml, .json, also .gz or .zst; or a folder: DIR/), or a snapshot, which is read in "
        "seconds (a folder whose name ends in .parquet).  [default: YAML on standard output]",
    )(function)


def plan_cluster_target(name: str, inputs: Sequence[str]) -> ClusterTarget:
    """Decide what ``--out`` means, and refuse at once what could not be written.

    Parameters
    ----------
    name : str
    inputs : sequence of str
        What is read: it is not written over.

    Raises
    ------
    click.BadParameter

    Examples
    --------
    >>> plan_cluster_target("big.parquet", []).form, plan_cluster_target("-", []).form
    ('snapshot', 'yaml')
    """
    if name == STDOUT:
        return ClusterTarget(None, "yaml")
    path = Path(name)
    bare = path.name.lower().removesuffix(".gz").removesuffix(".zst")
    if bare.endswith(".parquet"):
        form = "snapshot"
    elif name.endswith(("/", os.sep)) or path.is_dir() or "." not in bare.strip("."):
        form = "folder"
    elif bare.endswith(_ENDINGS):
        form = "json" if bare.endswith(".json") else "yaml"
    else:
        msg = f"{path}: the ending says nothing; known are {', '.join(_ENDINGS)}, .parquet and DIR/"
        raise click.BadParameter(msg, param_hint="'--out'")
    check_outputs([Output("--out", path, is_folder=form in {"snapshot", "folder"})], inputs)
    return ClusterTarget(path, form)


def write_cluster(cluster: "Cluster", target: ClusterTarget) -> None:
    """Write a cluster: whole, or not at all."""
    path = target.path
    if path is None:
        emit(lambda: cluster.to_manifests(sys.stdout.buffer, form=target.form))
    elif target.form == "snapshot":
        cluster.to_snapshot(path)
    else:
        cluster.to_manifests(path, form=target.form)


def tell_cluster(cluster: "Cluster", target: ClusterTarget) -> None:
    """Say on standard error what was written where."""
    if target.path is None or is_quiet():
        return
    pods, nodes = len(cluster.columns.pods), len(cluster.columns.nodes)
    waiting = int(cluster.columns.pods.waiting.sum())
    say(f"{target.path}: {nodes:,} nodes, {pods:,} pods, {waiting:,} of them waiting")
