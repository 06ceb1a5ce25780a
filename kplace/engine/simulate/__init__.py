"""A cluster's life on a simulated clock: objects come and go, pods are tried, fail, wait, are bound, evicted, leave."""

from kplace.engine.simulate.history import History
from kplace.engine.simulate.record import AttemptRecord, Quiet, Result, Watcher
from kplace.engine.simulate.scenario import Change, During, Scenario, ScenarioBuilder, Verb
from kplace.engine.simulate.settings import Outcome, Settings, bind_at_once, grace_of
from kplace.engine.simulate.simulation import Simulation

__all__ = [
    "AttemptRecord",
    "Change",
    "During",
    "History",
    "Outcome",
    "Quiet",
    "Result",
    "Scenario",
    "ScenarioBuilder",
    "Settings",
    "Simulation",
    "Verb",
    "Watcher",
    "bind_at_once",
    "grace_of",
]
