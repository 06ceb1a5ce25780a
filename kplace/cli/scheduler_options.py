"""Options of every command that schedules pods: by which configuration, and with which plugins."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kplace.cli.config_options import load_plugins, options_of, plugin_option, read_config, reading_options, tell

if TYPE_CHECKING:
    from kplace.api.plugins import Plugins
    from kplace.config import Configuration

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Scheduler:
    """What the configuration and the plugins on the command line come to.

    Attributes
    ----------
    config : Configuration or None
        None: the command line names none.
    plugins : list of type
    """

    config: "Configuration | None"
    plugins: "Plugins"


@dataclass(frozen=True, slots=True)
class SchedulerChoice:
    """What the command line says of the scheduler."""

    config: str | None
    plugin: tuple[str, ...]
    allow_unknown_plugins: bool
    read_as: str | None
    feature_gates: str | None

    def load(self) -> Scheduler:
        """Import the plugins and read the configuration; its notes are printed.

        Raises
        ------
        KplaceError
            They cannot be used.
        """
        options = options_of(
            allow_unknown_plugins=self.allow_unknown_plugins, read_as=self.read_as, feature_gates=self.feature_gates
        )
        plugins = load_plugins(self.plugin)
        if self.config is None:
            self._check_unused()
            return Scheduler(None, plugins)
        reading = read_config(self.config, options, plugins)
        if reading.configuration is None:
            tell(reading)
        return Scheduler(reading.require(), plugins)

    def _check_unused(self) -> None:
        for given, option in (
            (self.allow_unknown_plugins, "--allow-unknown-plugins"),
            (self.read_as, "--read-as"),
            (self.feature_gates, "--feature-gates"),
        ):
            if given:
                msg = "only says how --config FILE is read; there is no --config"
                raise click.BadParameter(msg, param_hint=f"'{option}'")


def scheduler_options(function: F) -> F:
    """``--config``, ``--plugin`` and how a configuration is read; the function gets a `SchedulerChoice` ``scheduler``."""

    @functools.wraps(function)
    def called(  # noqa: PLR0913 - one parameter an option
        *args: Any,  # noqa: ANN401 - the function's own
        config: str | None,
        plugin: tuple[str, ...],
        allow_unknown_plugins: bool,
        read_as: str | None,
        feature_gates: str | None,
        **rest: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        choice = SchedulerChoice(config, plugin, allow_unknown_plugins, read_as, feature_gates)
        return function(*args, scheduler=choice, **rest)

    config_option = click.option(
        "--config",
        metavar="FILE",
        type=click.Path(allow_dash=True),
        help="A KubeSchedulerConfiguration, as kube-scheduler takes it with its own --config; see kplace config show.  "
        "[default: as the input says, or kube-scheduler's defaults]",
    )
    return config_option(plugin_option(reading_options(called)))  # type: ignore[return-value]
