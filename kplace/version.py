"""The version of kplace, in a place that every layer may ask."""

__version__ = "0.1.0.dev0"
