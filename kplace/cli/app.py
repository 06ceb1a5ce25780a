"""The group of all commands; a command's module is imported when it is asked for."""

from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from kplace import __version__
from kplace.cli.errors import refusals
from kplace.cli.options import quiet_option
from kplace.cli.plugin_errors import plugin_refusals

COMMANDS = {
    "place": "kplace.cli.place:place",
    "explain": "kplace.cli.explain:explain",
    "simulate": "kplace.cli.simulate:simulate",
    "synth": "kplace.cli.synth:synth",
    "import": "kplace.cli.import_:import_",
    "redact": "kplace.cli.redact:redact",
    "capacity": "kplace.cli.capacity:capacity",
    "provision": "kplace.cli.provision:provision",
    "drain": "kplace.cli.drain:drain",
    "compare": "kplace.cli.compare:compare",
    "why": "kplace.cli.why:why",
    "rescore": "kplace.cli.rescore:rescore",
    "stability": "kplace.cli.stability:stability",
    "sampling": "kplace.cli.sampling:sampling",
    "report": "kplace.cli.report:report",
    "config": "kplace.cli.config:config",
    "score": "kplace.cli.score:score",
    "tune": "kplace.cli.tune:tune",
    "sweep": "kplace.cli.sweep:sweep",
    "bench": "kplace.cli.bench:bench",
    "warmup": "kplace.cli.warmup:warmup",
    "completion": "kplace.cli.completion:completion",
}
"""Where each command is, in the order of the help text. The modules import click and nothing heavy."""


class LazyGroup(click.Group):
    """A group whose commands are looked up in `COMMANDS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the commands, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a misspelt one is answered with the nearest."""
        near = get_close_matches(args[0], COMMANDS, n=1)
        if args[0] not in COMMANDS and near:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - whatever the command returns
        """Run the command; what kplace raises on purpose, or a plugin does wrong, becomes a message and exit code 2."""

        def invoked() -> click.Command | None:
            return self.get_command(ctx, ctx.invoked_subcommand or "")

        with refusals(invoked), plugin_refusals():
            return super().invoke(ctx)


@click.group(
    "kplace",
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Exit codes: 0 done, pods that stay pending included; 1 only with --fail-on-pending and something pending; "
    "2 bad input, configuration or usage; 70 a bug in kplace; 130 interrupted.",
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@quiet_option
def cli() -> None:
    """Place the waiting pods of a Kubernetes cluster exactly as kube-scheduler would, and see why.

    Reads manifests and kubectl dumps; needs no cluster. Begin with: kplace place FOLDER
    """
