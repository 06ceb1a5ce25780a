"""Clusters that are made up: from a description and a seed straight to columns."""

from kplace.synthesis.generate import generate
from kplace.synthesis.like import fitted
from kplace.synthesis.load import PRESETS, description_text, load_description, preset_text
from kplace.synthesis.omissions import omissions
from kplace.synthesis.shapes import read_shapes

__all__ = [
    "PRESETS",
    "description_text",
    "fitted",
    "generate",
    "load_description",
    "omissions",
    "preset_text",
    "read_shapes",
]
