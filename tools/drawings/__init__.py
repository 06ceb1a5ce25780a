"""The pictures of the documentation, each drawn by one module as SVG that needs no other file."""
