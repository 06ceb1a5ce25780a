"""Scheduler configurations: reading KubeSchedulerConfiguration as kube-scheduler does, in all its stages."""

from kplace.config.catalogue import ArgsSpec, Catalogue, DefaultPlugin, PluginSpec
from kplace.config.gates import FeatureGates, parse_feature_gates
from kplace.config.load import load_configuration
from kplace.config.merge import Origin
from kplace.config.options import Options
from kplace.config.points import ExtensionPoint
from kplace.config.read import read_configuration
from kplace.config.reading import ConfigurationError, Reading, Stage, StageError
from kplace.config.report import to_json
from kplace.config.resolved import Configuration, PluginRef, ResolvedProfile
from kplace.config.wire import Extender, ManagedResource, TLSConfig

__all__ = [
    "ArgsSpec",
    "Catalogue",
    "Configuration",
    "ConfigurationError",
    "DefaultPlugin",
    "Extender",
    "ExtensionPoint",
    "FeatureGates",
    "ManagedResource",
    "Options",
    "Origin",
    "PluginRef",
    "PluginSpec",
    "Reading",
    "ResolvedProfile",
    "Stage",
    "StageError",
    "TLSConfig",
    "load_configuration",
    "parse_feature_gates",
    "read_configuration",
    "to_json",
]
