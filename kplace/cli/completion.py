"""``kplace completion``: the script that teaches a shell to complete kplace's commands and options."""

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")

_HELP = """Print the script that makes SHELL complete kplace's commands and options.

\b
bash   kplace completion bash > ~/.local/share/bash-completion/completions/kplace
zsh    kplace completion zsh > ~/.zfunc/_kplace    (or another folder in $fpath)
fish   kplace completion fish > ~/.config/fish/completions/kplace.fish
"""


@click.command(help=_HELP, short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell."""
    completer = get_completion_class(shell)
    assert completer is not None
    click.echo(completer(ctx.find_root().command, {}, "kplace", "_KPLACE_COMPLETE").source())
