"""The page as a whole: one file that needs nothing else, not even a network."""

import json
from html import escape
from importlib.resources import files

from kplace.analysis.report.sections import Subject, figures, sections
from kplace.analysis.report.simulated import about_simulated, simulated_figures, simulated_sections
from kplace.api import Cluster, History, HistoryTables, Placements
from kplace.errors import UsageError
from kplace.io.atomic import Target, writing
from kplace.version import __version__

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<link rel="icon" href="data:,">
<style>{style}</style></head><body>
<a class="skip" href="#main">To the content</a>
<header><h1>{title}</h1><p>{about}</p></header>
<nav aria-label="Sections"><ul>{menu}</ul></nav>
<main id="main">{body}</main>
<footer>kplace {version}</footer>
<script type="application/json" id="figures">{figures}</script>
<script>{script}</script></body></html>
"""


Reported = Cluster | Placements | History | HistoryTables
"""What a page can be about."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""The browser itself keeps the page from asking anybody for anything."""


def report(subject: Reported, *, title: str = "Cluster report") -> str:
    """Make a page about a cluster as it stands, about a run and what it left, or about a simulation.

    Parameters
    ----------
    subject : Cluster, Placements, History or HistoryTables
    title : str

    Returns
    -------
    str
        HTML that holds all it needs. Of many nodes the scatter shows how many there are in each cell, and tables have
        their first 1,000 rows: the page stays small whatever the cluster.

    Raises
    ------
    UsageError
        It is none of these.
    """
    about, numbers, parts = _content(subject)
    menu = "".join(f'<li><a href="#{_anchor(name)}">{escape(name)}</a></li>' for name, _ in parts)
    body = "".join(
        f'<section id="{_anchor(name)}" aria-labelledby="{_anchor(name)}-title">'
        f'<h2 id="{_anchor(name)}-title">{escape(name)}</h2>{content}</section>'
        for name, content in parts
    )
    assets = files("kplace.analysis.report")
    return _PAGE.format(
        title=escape(title),
        policy=_POLICY,
        about=escape(about),
        style=assets.joinpath("style.css").read_text(encoding="utf-8"),
        script=assets.joinpath("script.js").read_text(encoding="utf-8"),
        menu=menu,
        body=body,
        version=__version__,
        figures=json.dumps(numbers).replace("<", "\\u003c"),
    )


def write_report(subject: Reported, target: Target, *, title: str = "Cluster report") -> None:
    """Write a page about a cluster, a run or a simulation; see `report`.

    Raises
    ------
    OutputError
        It cannot be written; nothing is left of it then.
    """
    text = report(subject, title=title)
    with writing(target) as file:
        file.write(text.encode())


def _content(subject: object) -> tuple[str, dict[str, object], list[tuple[str, str]]]:
    """What the page is about, its figures, and its sections."""
    if isinstance(subject, History | HistoryTables):
        return about_simulated(subject), simulated_figures(subject), list(simulated_sections(subject))
    if not isinstance(subject, Cluster | Placements):
        msg = f"report: expected a Cluster, Placements or History, got {type(subject).__name__}"
        raise UsageError(msg)
    about = Subject(subject)
    return _about(about), figures(about), list(sections(about))


def _about(about: Subject) -> str:
    if about.run is None:
        return f"The cluster as it stands: {len(about.nodes):,} nodes."
    told = about.run.run
    return (
        f"After placing the waiting pods on {len(about.nodes):,} nodes as Kubernetes {told.kube_version} would; "
        f"seed {told.seed}, result {about.run.result_hash[:12]}."
    )


def _anchor(name: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in name.lower()).strip("-")
