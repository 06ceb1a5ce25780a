"""Pods of a service or a controller apart by node and zone: upstream's SelectorSpread, up to v1beta2."""
