"""The in-tree plugins, one folder each, under upstream's names."""
