"""Resolved configurations and their differences as tables."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from kplace.cli.config_diff import Difference, args_in_effect, flow
from kplace.cli.render import plain_table, title
from kplace.config import Configuration, ExtensionPoint, Origin, PluginRef, Reading, ResolvedProfile
from kplace.config.go import print_duration

_MARKS = {Origin.DEFAULT: "", Origin.MULTI_POINT: "multiPoint", Origin.EXPLICIT: "explicit"}
_STYLES = {Origin.DEFAULT: "", Origin.MULTI_POINT: "cyan", Origin.EXPLICIT: "green"}


def render_config(console: Console, reading: Reading, configuration: Configuration) -> None:
    """Print a configuration: settings, profiles, extenders."""
    title(console, "settings", f"read as {reading.read_as}" if reading.read_as else "")
    table = plain_table(header=False)
    for name, value in _settings(configuration):
        table.add_row(name, value)
    console.print(table)
    args = args_in_effect(reading)
    for profile in configuration.profiles:
        _render_profile(console, profile, args[profile.scheduler_name])
    if configuration.extenders:
        _render_extenders(console, configuration)


def _settings(configuration: Configuration) -> Iterator[tuple[str, str]]:
    yield "percentageOfNodesToScore", _percentage(configuration.percentage_of_nodes_to_score)
    yield "podInitialBackoffSeconds", str(configuration.pod_initial_backoff_seconds)
    yield "podMaxBackoffSeconds", str(configuration.pod_max_backoff_seconds)


def _percentage(percentage: int) -> str:
    return f"{percentage}" if percentage else "0 (adapts to the number of nodes)"


def _render_profile(console: Console, profile: ResolvedProfile, args: Mapping[str, Any]) -> None:
    own = profile.percentage_of_nodes_to_score
    title(
        console,
        f"profile {profile.scheduler_name}",
        "" if own is None else f"percentageOfNodesToScore {_percentage(own)}",
    )
    table = plain_table()
    table.add_column("point", no_wrap=True)
    table.add_column("plugins in their order; unmarked ones are defaults")
    for point in ExtensionPoint:
        refs = profile.points[point]
        table.add_row(point.value, Text(", ").join(map(_plugin, refs)) if refs else Text("none", style="dim"))
    console.print(table)
    if args:
        console.print()
        table = plain_table()
        table.add_column("plugin", no_wrap=True)
        table.add_column("arguments", overflow="fold")
        for name in sorted(args):
            table.add_row(name, _shown(args[name]))
        console.print(table)


def _plugin(ref: PluginRef) -> Text:
    mark = _MARKS[ref.origin]
    weight = f" {ref.weight}" if ref.weight else ""
    return Text(f"{ref.name}{weight}", style=_STYLES[ref.origin]).append(f" ({mark})" if mark else "")


def _shown(args: object) -> str:
    """Arguments in one line: the fields of an object without its braces."""
    return (flow(args)[1:-1] if isinstance(args, dict) else flow(args)) or "none"


def _render_extenders(console: Console, configuration: Configuration) -> None:
    title(console, "extenders", "in the order in which they are called")
    table = plain_table()
    for heading in ("url", "verbs", "weight", "timeout", "resources"):
        table.add_column(heading, overflow="fold")
    for extender in configuration.extenders:
        verbs = {
            "filter": extender.filter_verb,
            "prioritize": extender.prioritize_verb,
            "preempt": extender.preempt_verb,
            "bind": extender.bind_verb,
        }
        table.add_row(
            extender.url_prefix,
            ", ".join(name for name, verb in verbs.items() if verb) or "none",
            str(extender.weight),
            print_duration(extender.http_timeout) + (", ignorable" if extender.ignorable else ""),
            ", ".join(resource.name for resource in extender.managed_resources) or "all pods",
        )
    console.print(table)


def render_differences(console: Console, found: Sequence[Difference], sources: tuple[str, str]) -> None:
    """Print what differs, the first configuration's side after a minus, the second's after a plus."""
    if not found:
        console.print("no difference")
        return
    for mark, source in zip("-+", sources, strict=True):
        console.print(Text(f"{mark * 3} {source}", style="bold"))
    for one in found:
        title(console, one.where)
        for mark, side, style in (("-", one.first, "red"), ("+", one.second, "green")):
            if side:
                table = plain_table(header=False)
                table.add_row(Text(mark, style=style), Text(side, style=style))
                console.print(table)
