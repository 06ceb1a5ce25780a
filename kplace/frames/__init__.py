"""Columns as DataFrames, and DataFrames as a cluster: the only layer below the API that knows pandas."""
