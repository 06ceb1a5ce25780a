"""NodeName: pods that name their node."""
