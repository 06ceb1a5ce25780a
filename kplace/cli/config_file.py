"""Files of configurations on the command line."""

from pathlib import Path

import click

EXPECTED = "expected a KubeSchedulerConfiguration (a file, or - for standard input)"


class ConfigFile(click.Path):
    """A file that may hold a configuration, ``-``, or the name of an algorithm provider.

    What is no readable file, or holds results of kplace, is refused by the name of the option.
    """

    def __init__(self) -> None:
        super().__init__(allow_dash=True)

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check what was given."""
        name = str(super().convert(value, param, ctx))  # type: ignore[arg-type]
        if name != "-":
            self._check(name, param, ctx)
        return name

    def _check(self, name: str, param: click.Parameter | None, ctx: click.Context | None) -> None:
        from kplace.config.older.provider import PROVIDERS

        path = Path(name)
        if path.exists() and not path.is_file() and not path.is_dir():
            return  # A pipe can be read but once.
        try:
            data = path.read_bytes()
        except OSError as error:
            if name in PROVIDERS and not path.exists():
                return
            self.fail(f"{name}: {error.strerror or error}: {EXPECTED}", param, ctx)
        from kplace.io.foreign import ROWS, what_else

        if what_else(data) == ROWS:
            self.fail(f"{name}: holds result rows of kplace: {EXPECTED}", param, ctx)
