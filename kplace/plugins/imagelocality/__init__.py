"""ImageLocality: nodes that hold a pod's images already."""
