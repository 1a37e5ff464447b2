"""The table of bench/launch and its targets, from the runs alone: nothing here asks the machine."""

from statistics import median

HEAD = ("launcher", "tasks", "wall s", "to bare", "to srun", "CPU ms/task", "over bare", "hangs")
JUDGED_AT, MPI_JUDGED_AT = 256, 64
HYDRA_TO_SRUN, HYDRA_CPU_MS, OPEN_MPI_TO_BARE = 0.55, 0.7, 1.20
MPI_TO_BARE = 1.03


def median_of(runs, name, tasks, what):
    """The median over the runs that ended; None where there is none."""
    values = [getattr(run, what) for run in runs.get((name, tasks), ()) if not run.hung]
    return median(values) if values else None


def ratio(runs, name, other, tasks):
    """Of the median wall times."""
    own, base = (median_of(runs, n, tasks, "wall") for n in (name, other))
    return own / base if own and base else None


def cpu_ms(runs, name, tasks):
    """Milliseconds of CPU time per task."""
    seconds = median_of(runs, name, tasks, "cpu")
    return None if seconds is None else 1000 * seconds / tasks


def cpu_ms_over(runs, name, other, tasks):
    own, base = (cpu_ms(runs, n, tasks) for n in (name, other))
    return own - base if own is not None and base is not None else None


def hangs(runs, name, tasks):
    return sum(run.hung for run in runs.get((name, tasks), ()))


def cells(row, tasks, runs):
    bare, name = row.bare, row.name
    return (
        name,
        str(tasks),
        number(median_of(runs, name, tasks, "wall"), 3),
        number(ratio(runs, name, bare, tasks), 2) if bare else "",
        number(ratio(runs, name, "srun", tasks), 2),
        number(cpu_ms(runs, name, tasks), 2),
        number(cpu_ms_over(runs, name, bare, tasks), 2) if bare else "",
        str(hangs(runs, name, tasks)) if (name, tasks) in runs else "-",
    )


def number(value, digits):
    return "-" if value is None else f"{value:.{digits}f}"


def table(rows, tasks, runs):
    lines = [HEAD] + [cells(row, count, runs) for count in tasks for row in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    text = []
    for line in lines:
        shown = [cell.ljust(w) if k == 0 else cell.rjust(w) for k, (cell, w) in enumerate(zip(line, widths))]
        text.append("  ".join(shown).rstrip())
    text.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(text)


def targets(rows, runs, mpi):
    """One line per target: what, the figure, whether it is met. `mpi`: the tasks were ranks of an MPI program."""
    under_pam = {row.name for row in rows if row.bare}
    hung = sum(run.hung for (name, _), some in runs.items() if name in under_pam for run in some)
    count = sum(len(some) for (name, _), some in runs.items() if name in under_pam)
    verdict = "missed" if hung else "met" if count else "not measured"
    judged = _targets_of_mpi(runs) if mpi else _targets_of_true(runs)
    return judged + [f"target: no run under pam hangs: {hung} of {count}: {verdict}"]


def _targets_of_true(runs):
    at = f"at {JUDGED_AT} tasks"
    over = cpu_ms_over(runs, "pam + Hydra", "Hydra", JUDGED_AT)
    to_srun = ratio(runs, "pam + Hydra", "srun", JUDGED_AT)
    to_bare = ratio(runs, "pam + Open MPI", "Open MPI", JUDGED_AT)
    return [
        target(f"{at}: pam + Hydra, wall time to srun's, at most {HYDRA_TO_SRUN}", to_srun, HYDRA_TO_SRUN),
        target(f"{at}: pam + Hydra, CPU ms per task over bare Hydra, at most {HYDRA_CPU_MS}", over, HYDRA_CPU_MS),
        target(f"{at}: pam + Open MPI, wall time to bare's, at most {OPEN_MPI_TO_BARE:.2f}", to_bare, OPEN_MPI_TO_BARE),
    ]


def _targets_of_mpi(runs):
    return [target(f"at {MPI_JUDGED_AT} ranks: pam + {name}, wall time to bare's, at most {MPI_TO_BARE}",
                   ratio(runs, f"pam + {name}", name, MPI_JUDGED_AT), MPI_TO_BARE) for name in ("Hydra", "Open MPI")]


def target(what, found, limit):
    verdict = "not measured" if found is None else f"{found:.2f}: " + ("met" if found <= limit else "missed")
    return f"target {what}: {verdict}"
