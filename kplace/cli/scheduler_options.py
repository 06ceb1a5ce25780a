"""Options of every command that schedules pods: by which configuration, and with which plugins."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kplace.cli.config_file import ConfigFile
from kplace.cli.config_options import load_plugins, options_of, plugin_option, read_config, reading_options, tell
from kplace.cli.options import kube_version_option

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
    kube_version : str
    """

    config: "Configuration | None"
    plugins: "Plugins"
    kube_version: str


@dataclass(frozen=True, slots=True)
class SchedulerChoice:
    """What the command line says of the scheduler."""

    config: str | None
    plugin: tuple[str, ...]
    allow_unknown_plugins: bool
    read_as: str | None
    feature_gates: str | None
    kube_version: str

    @property
    def files(self) -> tuple[str, ...]:
        """What is read: the configuration, if one is named."""
        return () if self.config is None else (self.config,)

    def load(self) -> Scheduler:
        """Import the plugins and read the configuration; its notes are printed.

        Raises
        ------
        KplaceError
            They cannot be used.
        """
        options = options_of(
            allow_unknown_plugins=self.allow_unknown_plugins,
            read_as=self.read_as,
            feature_gates=self.feature_gates,
            kube_version=self.kube_version,
        )
        plugins = load_plugins(self.plugin)
        if self.config is None:
            self._check_unused()
            return Scheduler(None, plugins, self.kube_version)
        reading = read_config(self.config, options, plugins)
        if reading.configuration is None:
            tell(reading)
        return Scheduler(reading.require(), plugins, self.kube_version)

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
    """``--config``, how it is read, ``--plugin`` and ``--kube-version``; the function gets them as ``scheduler``."""

    @functools.wraps(function)
    def called(
        *args: Any,  # noqa: ANN401 - the function's own
        config: str | None,
        plugin: tuple[str, ...],
        allow_unknown_plugins: bool,
        read_as: str | None,
        feature_gates: str | None,
        kube_version: str,
        **rest: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        choice = SchedulerChoice(config, plugin, allow_unknown_plugins, read_as, feature_gates, kube_version)
        return function(*args, scheduler=choice, **rest)

    config_option = click.option(
        "--config",
        metavar="FILE",
        type=ConfigFile(),
        help="A KubeSchedulerConfiguration, as kube-scheduler takes it with its own --config; see kplace config show.  "
        "[default: as the input says, or kube-scheduler's defaults]",
    )
    return config_option(plugin_option(reading_options(kube_version_option(called))))  # type: ignore[return-value]


def extender_options(function: F) -> F:
    """``--extenders`` and ``--mend-extender-scores``."""
    extenders = click.option(
        "--extenders",
        type=click.Choice(["call", "ask", "off"]),
        default="call",
        show_default=True,
        help="Call the extenders of the configuration as it says; ask them all the same but have them bind nothing; or "
        "call none. What an extender binds stays bound in the cluster that it works for.",
    )
    mend = click.option(
        "--mend-extender-scores",
        is_flag=True,
        help="Score nodes that an extender sent back as objects by what is on them. Since v1.33 kube-scheduler scores "
        "them as if they were idle (kubernetes/kubernetes#141781).",
    )
    return extenders(mend(function))
