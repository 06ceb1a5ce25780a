"""Nodes that ask not to get the pods of a controller: upstream's NodePreferAvoidPods, up to v1beta2."""
