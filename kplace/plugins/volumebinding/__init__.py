"""VolumeBinding: which nodes a pod's volumes can be reached from, and what its claims are bound to there."""
