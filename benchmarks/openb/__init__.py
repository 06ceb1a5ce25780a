"""The OpenB trace under three policies: ``python -m benchmarks.openb --data FOLDER``.

FOLDER holds the trace's tables (``openb_node_list_*.csv``, ``openb_pod_list_*.csv``). docs/explanation/openb.md
discusses what comes out.
"""
