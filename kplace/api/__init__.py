"""The library's face: read a cluster, place its pods, look at the outcome."""

from kplace.api.cluster import Cluster, read
from kplace.api.configuring import read_config
from kplace.api.explaining import explain
from kplace.api.history import History, HistoryTables, read_history
from kplace.api.importing import read_trace
from kplace.api.placements import Placements, read_placements
from kplace.api.placing import place
from kplace.api.redacting import redact
from kplace.api.scores import Scores
from kplace.api.scoring import score
from kplace.api.simulating import simulate
from kplace.api.synthesizing import synth

__all__ = [
    "Cluster",
    "History",
    "HistoryTables",
    "Placements",
    "Scores",
    "explain",
    "place",
    "read",
    "read_config",
    "read_history",
    "read_placements",
    "read_trace",
    "redact",
    "score",
    "simulate",
    "synth",
]
