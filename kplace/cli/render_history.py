"""What ``kplace simulate`` prints for people."""

import pandas as pd
from rich.console import Console
from rich.text import Text

from kplace.api import History
from kplace.cli.render import percent, plain_table, shorten, title
from kplace.cli.text import counted, one_line
from kplace.frames.durations import shown_duration

MOST_WAITING = 10


def render_history(console: Console, history: History) -> None:
    """Print a simulation at a glance: what became of the pods, how long they waited, who waits still."""
    _outcome(console, history)
    _times(console, history.pods)
    _use(console, history.timeline)
    _waiting(console, history)
    console.print()


def _outcome(console: Console, history: History) -> None:
    pods, attempts = history.pods, history.placements
    bound, waiting = int(pods["bound"].notna().sum()), _still_waiting(history)
    preempted = int((history.events["reason"] == "Preempted").sum())
    parts = [Text(f"{bound:,} bound", style="bold green" if bound else "bold")]
    parts += [Text(f"{len(waiting):,} waiting", style="bold yellow")] if waiting else []
    parts += [Text(f"{preempted:,} preempted", style="bold magenta")] if preempted else []
    console.print(Text("  ").join(parts))
    failed = len(attempts) - int((attempts["result"] == "scheduled").sum())
    facts = [
        f"{shown_duration(history.run.until)} simulated",
        f"{counted(len(attempts), 'attempt')}, {failed:,} of them failed",
        f"seed {history.run.seed}" if history.run.tie_break == "random" else "first of equal nodes",
    ]
    console.print(Text(", ".join(facts), style="dim"))


def _times(console: Console, pods: pd.DataFrame) -> None:
    latency = pods["latency"].dropna()
    if latency.empty:
        return
    title(console, "Scheduling latency", "from the active queue to the binding")
    table = plain_table()
    shares = {"median": 0.5, "90 %": 0.9, "99 %": 0.99, "longest": 1.0}
    for name in shares:
        table.add_column(name, justify="right")
    table.add_row(*(shown_duration(float(latency.quantile(share))) for share in shares.values()))
    console.print(table)


def _use(console: Console, timeline: pd.DataFrame) -> None:
    named = [str(name) for name in timeline.columns]
    columns = [name for name in named if name.startswith("utilisation_") and timeline[name].notna().any()]
    if not columns:
        return
    title(console, "Utilisation", "requested of allocatable over time")
    table = plain_table()
    table.add_column("resource")
    for heading in ("mean", "highest", "at the end"):
        table.add_column(heading, justify="right")
    for name in columns:
        share = timeline[name].fillna(0)
        label = one_line(name.removeprefix("utilisation_"))
        table.add_row(label, percent(share.mean()), percent(share.max()), percent(share.iloc[-1]))
    console.print(table)


def _waiting(console: Console, history: History) -> None:
    waiting = _still_waiting(history)
    if not waiting:
        return
    last = history.placements.assign(key=lambda rows: rows["namespace"].astype(str) + "/" + rows["pod"])
    messages = last.drop_duplicates("key", keep="last").set_index("key")["message"]
    title(console, "Waiting", f"{counted(len(waiting), 'pod')} without a node at the end")
    table = plain_table()
    for name in ("pod", "queue", "attempts", "why"):
        table.add_column(name, overflow="fold")
    for key in waiting[:MOST_WAITING]:
        end = history.end[key]
        why = str(messages.get(key, ""))
        table.add_row(shorten(key, 40), str(end["queue"]), str(end["attempts"]), one_line(why))
    console.print(table)
    if len(waiting) > MOST_WAITING:
        console.print(Text(f"and {len(waiting) - MOST_WAITING:,} more", style="dim"))


def _still_waiting(history: History) -> list[str]:
    return [key for key, end in history.end.items() if "node" not in end]
