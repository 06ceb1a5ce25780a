"""The pages under docs/reference, each made from the code by one module of this package."""
