"""What the test programs wrote about themselves (tests/programs/note.h), held against pam's report."""

import os
from dataclasses import dataclass

from rollcall_testing.waiting import wait_until


@dataclass(frozen=True)
class Note:
    host: str
    pid: int
    ppid: int
    rank: int
    end: str  # "exit 3", "signal 11", "any"


def notes_in(directory):
    """Every task's note, in the order of ranks."""
    found = []
    for name in os.listdir(directory):
        if name.startswith("task.") and not name.endswith(".draft"):
            with open(os.path.join(directory, name), encoding="utf-8") as file:
                values = dict(line.rstrip("\n").split(" ", 1) for line in file)
            numbers = {k: int(values[k]) for k in ("pid", "ppid", "rank")}
            found.append(Note(host=values["host"], end=values["end"], **numbers))
    return sorted(found, key=lambda n: (n.rank, n.pid))


def ids_in(directory, kind):
    """The numbers N of the files KIND.N there."""
    names = (n.split(".") for n in os.listdir(directory))
    return sorted(int(parts[1]) for parts in names if parts[0] == kind and len(parts) == 2)


def wait_for_ready(directory, count, job=None, seconds=20):
    """Waits until `count` tasks have said that they are set up; fails early when `job` has ended."""

    def all_ready():
        if job is not None and job.ended() and len(ids_in(directory, "ready")) < count:
            raise AssertionError(f"the job ended before {count} tasks were ready\n{job.told()}")
        return len(ids_in(directory, "ready")) >= count

    wait_until(
        all_ready,
        lambda: f"{count} ready tasks, {len(ids_in(directory, 'ready'))} are\n{job.told() if job else ''}",
        seconds,
    )
    return ids_in(directory, "ready")


def end_of(task):
    """A task of the report in a note's words."""
    if "signal" in task and task["signal"] is not None:
        return f"signal {task['signal']}"
    if "exit" in task and task["exit"] is not None:
        return f"exit {task['exit']}"
    return task["state"]


def hold_report_against_notes(report, directory, ranks_known=True):
    """Fails where pam's report tells of other tasks, hosts, ranks, PIDs or ends than the programs did themselves."""
    notes = {n.pid: n for n in notes_in(directory)}
    tasks = report["tasks"]
    problems = []
    if len(tasks) != len(notes):
        problems.append(f"{len(tasks)} tasks in the report, {len(notes)} ran")
    for task in tasks:
        note = notes.get(task["pid"])
        if note is None:
            problems.append(f"no task ran with the PID of {task}")
            continue
        if task["host"] != note.host:
            problems.append(f"pid {note.pid}: host {task['host']}, ran on {note.host}")
        if ranks_known and task.get("rank") != note.rank:
            problems.append(f"pid {note.pid}: rank {task.get('rank')}, was {note.rank}")
        if ranks_known and task["tid"] != note.rank:
            problems.append(f"pid {note.pid}: TID {task['tid']}, rank was {note.rank}")
        if note.end not in ("any", end_of(task)):
            problems.append(f"pid {note.pid}: {end_of(task)}, the program said {note.end}")
        problems += _problems_of_state(task) + _problems_of_usage(task)
    if problems:
        raise AssertionError("the report and the programs differ:\n  " + "\n  ".join(problems))


def _problems_of_state(task):
    fits = {
        "done": task.get("exit") == 0,
        "exit": task.get("exit") not in (None, 0),
        "signal": task.get("signal") not in (None, 0),
        "not started": True,
        "lost": True,
    }
    if not fits.get(task["state"], False):
        return [f"state {task['state']!r} does not fit {task}"]
    return []


def _problems_of_usage(task):
    """Every task used some memory and was switched to; times are not negative; it ended after it started."""
    if task["state"] in ("not started", "lost"):
        return []
    problems = []
    for field in ("user_seconds", "system_seconds", "involuntary_switches", "read_bytes", "written_bytes"):
        if not task[field] >= 0:
            problems.append(f"{field} of {task}")
    if not task["peak_memory_bytes"] > 100_000:
        problems.append(f"peak_memory_bytes of {task}")
    if task["end"] < task["start"]:
        problems.append(f"ended before it started: {task}")
    return problems
