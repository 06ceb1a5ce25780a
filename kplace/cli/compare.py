"""``kplace compare``: two schedulers, two clusters or several releases, and what they disagree on."""

from typing import TYPE_CHECKING

import click

from kplace.cli.config_file import ConfigFile
from kplace.cli.console import is_quiet, note, show
from kplace.cli.options import check_there, checked_version
from kplace.cli.output import TABLE
from kplace.cli.progress import Work
from kplace.cli.question import Question, after_place_option, emit_rows, format_option, placing_options, refuse_unused

if TYPE_CHECKING:
    import kplace
    from kplace.analysis.compare import Comparison


@click.command(short_help="Place twice, and say what differs and why.")
@after_place_option(
    "Place the waiting pods first, the same for both runs, which then place only what is left. Without it, both runs "
    "place all that waits."
)
@placing_options
@click.option("--with-config", metavar="FILE", type=ConfigFile(), help="The configuration of the second run.")
@click.option("--with-kube-version", metavar="1.N", callback=checked_version, help="The release of the second run.")
@click.option("--with-seed", type=click.IntRange(min=0), metavar="N", help="The seed of the second run.")
@click.option("--with-input", multiple=True, metavar="INPUT", help="The cluster of the second run.")
@click.option("--versions", metavar="1.N..1.M", help="Several releases instead, each against the one before.")
@click.option(
    "--preemption",
    type=click.Choice(["queue", "immediate", "dry-run", "off"]),
    default="off",
    show_default=True,
    help="Whether pods push others out; where they do, causes are told only of these.",
)
@format_option()
@click.pass_context
def compare(  # noqa: PLR0913 - one parameter an option
    ctx: click.Context,
    *,
    question: Question,
    with_config: str | None,
    with_kube_version: str | None,
    with_seed: int | None,
    with_input: tuple[str, ...],
    versions: str | None,
    preemption: str,
    form: str,
) -> None:
    """Place the waiting pods twice: pods that moved and the plugin that decided, pods that wait now, metrics.

    Both runs do as the other options say; what is different in the second one is named by --with-... With --versions
    the cluster is placed as several releases would, and the rules that make a difference are named.
    """
    second: dict[str, object] = {}
    for key, value in (("config", with_config), ("kube_version", with_kube_version), ("seed", with_seed)):
        if value is not None:
            second[key] = value
    if versions and (second or with_input):
        msg = "goes with no --with-... option"
        raise click.BadParameter(msg, param_hint="'--versions'")
    if not versions and not second and not with_input:
        msg = "Say what is different: --with-config, --with-kube-version, --with-seed, --with-input or --versions."
        raise click.UsageError(msg)
    check_there("--with-input", with_input, "a cluster: what kplace place takes")
    if versions and preemption != "off":
        msg = "goes not with --versions"
        raise click.BadParameter(msg, param_hint="'--preemption'")
    if versions:
        from kplace.config.versions import listed_versions

        listed_versions(versions)
        refuse_unused(ctx, {"kube_version": "a single release, and --versions names several"})
    with Work() as work:
        cluster, scheduling = question.load(work, says_waiting=False)
        work.stage("comparing")
        from kplace.analysis import compare as ask

        if versions:
            releases = ask.compare_versions(cluster, versions, progress=work.advance, **scheduling)
        else:
            found = ask.compare(cluster, _read(with_input), second=second, preemption=preemption, **scheduling)
            _tell_notes(found)
    if form != TABLE:
        emit_rows(releases if versions else found.pods, form)
    elif not is_quiet():
        from kplace.cli.render_compare import render_compare, render_versions

        show(lambda console: render_versions(console, releases) if versions else render_compare(console, found))


def _tell_notes(found: "Comparison") -> None:
    """Print what there is to say of the second run alone; what is to be said of the first was said when it was read."""
    known = set(found.before.notes)
    for item in found.after.notes:
        if item not in known:
            note(f"second run: {item}")


def _read(inputs: tuple[str, ...]) -> "kplace.Cluster | None":
    import kplace

    return kplace.read(*inputs) if inputs else None
