"""Which nodes to add so that everything fits."""

from kplace.analysis.provision.ask import provision
from kplace.analysis.provision.result import Plan, Provision

__all__ = ["Plan", "Provision", "provision"]
