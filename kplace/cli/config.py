"""``kplace config``: what a scheduler configuration comes to."""

import json
import sys

import click

from kplace.cli.config_file import ConfigFile
from kplace.cli.config_options import load_plugins, options_of, plugin_option, read_config, reading_options, tell
from kplace.cli.console import emit, is_quiet
from kplace.cli.console import show as show_on_console
from kplace.cli.options import kube_version_option, quiet_option
from kplace.cli.output import TABLE

_FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice([TABLE, "json"]),
    default=TABLE,
    show_default=True,
    help="Tables for people, or JSON on standard output, then also of a configuration that is refused.",
)
_KIND = ConfigFile()


@click.group(short_help="Show or compare what scheduler configurations come to.")
def config() -> None:
    """Read scheduler configurations as kube-scheduler 1.34 does, and show what they come to.

    A configuration is a KubeSchedulerConfiguration of v1, or of v1beta1 to v1beta3 by the rules of its time, a
    ConfigMap that holds one, a Policy, or the name of an algorithm provider.
    """


@config.command(short_help="Show the resolved configuration.")
@click.argument("file", required=False, type=_KIND)
@plugin_option
@reading_options
@kube_version_option
@_FORMAT
@quiet_option
def show(
    *,
    file: str | None,
    plugin: tuple[str, ...],
    allow_unknown_plugins: bool,
    read_as: str | None,
    feature_gates: str | None,
    kube_version: str,
    form: str,
) -> None:
    """Show per profile and extension point which plugins run, in their order, with weights and arguments.

    Each plugin is told by where it comes from: a default, multiPoint, or named at the point itself (explicit). Without
    FILE, what kube-scheduler runs without a configuration.
    """
    options = options_of(
        allow_unknown_plugins=allow_unknown_plugins,
        read_as=read_as,
        feature_gates=feature_gates,
        kube_version=kube_version,
    )
    reading = read_config(file, options, load_plugins(plugin))
    tell(reading)
    if form != TABLE:
        from kplace.config import to_json

        record = to_json(reading)
        emit(lambda: _print_json(record))
    configuration = reading.require()
    if form == TABLE and not is_quiet():
        from kplace.cli.render_config import render_config

        show_on_console(lambda console: render_config(console, reading, configuration))


@config.command(short_help="Compare two resolved configurations.")
@click.argument("first", type=_KIND)
@click.argument("second", type=_KIND)
@plugin_option
@reading_options
@kube_version_option
@_FORMAT
@quiet_option
def diff(  # noqa: PLR0913 - one parameter an option
    *,
    first: str,
    second: str,
    plugin: tuple[str, ...],
    allow_unknown_plugins: bool,
    read_as: str | None,
    feature_gates: str | None,
    kube_version: str,
    form: str,
) -> None:
    """Show in what two configurations differ once they are resolved, however they are written.

    Profiles are compared by their scheduler names.
    """
    options = options_of(
        allow_unknown_plugins=allow_unknown_plugins,
        read_as=read_as,
        feature_gates=feature_gates,
        kube_version=kube_version,
    )
    plugins = load_plugins(plugin)
    readings = [read_config(source, options, plugins) for source in (first, second)]
    for reading in readings:
        tell(reading)
    from kplace.cli.config_diff import differences
    from kplace.config.reading import require_all

    require_all(readings)

    found = differences(*readings)
    if form != TABLE:
        emit(lambda: _print_json([{"where": one.where, "first": one.first, "second": one.second} for one in found]))
    elif not is_quiet():
        from kplace.cli.render_config import render_differences

        show_on_console(lambda console: render_differences(console, found, (first, second)))


def _print_json(record: object) -> None:
    json.dump(record, sys.stdout, indent=2)
    sys.stdout.write("\n")
