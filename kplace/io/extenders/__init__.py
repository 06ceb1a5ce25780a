"""Extenders over HTTP, with the JSON of ``k8s.io/kube-scheduler/extender/v1``."""

from kplace.io.extenders.http_extender import HTTPExtender, make_extenders

__all__ = ["HTTPExtender", "make_extenders"]
