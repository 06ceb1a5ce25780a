"""DefaultBinder: binds pods through the API server."""
