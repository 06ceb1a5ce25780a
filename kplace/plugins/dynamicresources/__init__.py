"""DynamicResources: claims for devices."""
