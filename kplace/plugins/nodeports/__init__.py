"""NodePorts: host ports that a pod on the node holds already."""
