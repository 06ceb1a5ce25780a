"""The library's face: read a cluster, place its pods, look at the outcome."""

from kplace.api.cluster import Cluster, read
from kplace.api.explaining import explain
from kplace.api.placing import place
from kplace.api.placements import Placements, read_placements

__all__ = ["Cluster", "Placements", "explain", "place", "read", "read_placements"]
