"""tables.md: the columns of every DataFrame."""

from kplace.analysis import schema as analysis
from kplace.frames import schema
from kplace.sweeps import schema as sweeps
from reference.markdown import code, page, table

UNITS = ", ".join(code(schema.resource_column(name)) for name in ("cpu", "memory", "ephemeral-storage"))

INTRODUCTION = f"""
Schema version {schema.SCHEMA_VERSION}. The version is raised when a column changes its name, its dtype or its
meaning; a new column does not raise it. Every table carries its name and the version in `frame.attrs`
(`kplace_table`, `kplace_schema`), and `kplace.frames.schema.describe()` gives this page as a DataFrame.

- Nodes are categoricals with the same categories everywhere: all nodes, in snapshot order. Categories of two
  clusters differ, so compare nodes of two runs as texts: `placements.pods["node"].astype("str")`.
- What is not there is NA, in whatever form the dtype has it: NaN in a category or a text, `<NA>` in an Int64, NaT
  in a time.
- A name with `{{resource}}` or `{{plugin}}` stands for one column for each. Resources are called {UNITS}, which name
  their unit, and by Kubernetes' name otherwise (`pods`, `nvidia.com/gpu`, `hugepages-2Mi`). All are exact integers.
"""

WHERE = {
    "nodes": "`Cluster.nodes`",
    "pods": "`Cluster.pods`",
    "placements.pods": "`Placements.pods`; the rows of `--format` and of `--out` with `.parquet`, `.json`, `.csv`",
    "explain": "`kplace.explain`; the rows of `kplace explain --format`",
    **analysis.WHERE,
    **sweeps.WHERE,
}


def make() -> str:
    """The page."""
    parts = [INTRODUCTION]
    for item in (*schema.TABLES, *analysis.TABLES, *sweeps.TABLES):
        member = f"`{item.name[0].upper()}{item.name[1:]}`; in Parquet and JSON files as well"
        where = f"Where: {WHERE.get(item.name, member)}."
        rows = ((code(column.name), code(column.dtype), column.meaning) for column in item.columns)
        parts += [f"## {item.name}", where, f"A row: {item.rows[0].lower()}{item.rows[1:]}"]
        parts.append(table(("column", "dtype", "meaning"), rows))
    return page("Tables", *parts)
