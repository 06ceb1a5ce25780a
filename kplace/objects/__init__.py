"""The Kubernetes objects as typed structs of just the fields that placing pods needs.

Unknown fields are skipped while decoding, ``null`` means absent. Field names are upstream's, in Python's spelling.
"""
