"""InterPodAffinity: pods that want to be near, or far from, other pods."""
