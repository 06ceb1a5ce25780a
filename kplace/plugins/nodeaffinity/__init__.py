"""NodeAffinity: the nodes a pod asks for by their labels and names, and those it prefers."""
