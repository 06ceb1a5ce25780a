"""The library's face: read a cluster, place its pods, look at the outcome."""

from kplace.api.cluster import Cluster, read
from kplace.api.explaining import explain
from kplace.api.placements import Placements, read_placements
from kplace.api.placing import place

__all__ = ["Cluster", "Placements", "explain", "place", "read", "read_placements"]
