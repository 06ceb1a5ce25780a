"""Configurations by the names that a command line gives them."""

from pathlib import Path

from kplace.config.catalogue import Catalogue
from kplace.config.older.provider import PROVIDERS, read_provider
from kplace.config.options import Options
from kplace.config.read import read_configuration
from kplace.config.reading import Reading


def load_configuration(source: str | Path, catalogue: Catalogue, options: Options | None = None) -> Reading:
    """Read a configuration from a file, or the algorithm provider of that name.

    Parameters
    ----------
    source : str or Path
        A file; ``DefaultProvider`` or ``ClusterAutoscalerProvider``, unless there is a file of that name.
    catalogue : Catalogue
        The plugins that it may name.
    options : Options, optional

    Raises
    ------
    OSError
        The file cannot be read.
    """
    path = Path(source)
    if str(source) in PROVIDERS and not path.exists():
        return read_provider(str(source), catalogue, options)
    return read_configuration(path.read_bytes(), catalogue, source=str(source), options=options)
