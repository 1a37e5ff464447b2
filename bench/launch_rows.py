"""The rows of bench/launch: which launchers there are, and the words that each is started with."""

import os
import shutil
from dataclasses import dataclass, field
from typing import Callable

from rollcall_testing import launchers
from rollcall_testing.job import method_1

TRUE = ["/bin/true"]
HOST_NAMES = ("n1", "n2", "n3", "n4")
# Open MPI 4.1.4 hangs in about half of the launches of many short tasks where it spawns from helper threads.
OPEN_MPI_OPTIONS = ["--oversubscribe", "--mca", "odls_base_num_threads", "0"]


@dataclass(frozen=True)
class Row:
    """`words(tasks)` is the whole command line; `reporting(tasks, file)` the same with a report, pam's rows only."""

    name: str
    words: Callable
    environment: dict
    bare: str = ""  # the row that this one is held against
    reporting: Callable = None
    ready: Callable = field(default=lambda: True)  # whether the next run can start


def hydra_words(tasks):
    return launchers.HYDRA.words(tasks, HOST_NAMES)


def open_mpi_words(tasks):
    program, *rest = launchers.OPEN_MPI.words(tasks, HOST_NAMES)
    return [program, *OPEN_MPI_OPTIONS, *rest]


def srun_words(tasks):
    hosts = HOST_NAMES[:tasks]
    return ["srun", "--overcommit", "-N", str(len(hosts)), "-w", ",".join(hosts), "-n", str(tasks)]


def mpi_program(bench, name):
    """The words of a program that starts, sums over all ranks and ends."""
    notes = os.path.join(bench.scratch, "notes")
    os.makedirs(notes, exist_ok=True)
    return [bench.mpi_target("mpich" if name == "Hydra" else "openmpi"), notes, "allreduce"]


def rows(bench, site, slurm, mpi=False):
    """All launchers that are installed, a line for each that is missing. `site`: the environment that pam wants. `mpi`: an MPI program
    in place of `true`, and no other launchers than those of the two MPIs."""
    plain, found = bench.cluster.environment, []
    for name, program, words in (
        ("Hydra", "mpiexec.hydra", hydra_words),
        ("Open MPI", "mpirun.openmpi", open_mpi_words),
    ):
        if shutil.which(program):
            program = mpi_program(bench, name) if mpi else TRUE
            found += [
                bare_row(name, words, plain, program),
                pam_row(bench, name, words, dict(plain, **site), program),
                pam_row(bench, name, words, dict(plain, **site, ROLLCALL_HOST_RELAY="N"), program, ", no relay"),
            ]
        else:
            print(f"{name} is not measured: {program} is not installed")
    if mpi:
        return found
    if slurm:
        there = dict(plain, **slurm.environment)
        found += [
            Row("srun", lambda n: srun_words(n) + TRUE, there, ready=slurm.idle),
            pam_row(bench, "srun", srun_words, dict(there, **site), TRUE, ready=slurm.idle),
            pam_row(bench, "srun", srun_words, dict(there, **site, ROLLCALL_HOST_RELAY="N"), TRUE, ", no relay", ready=slurm.idle),
        ]
    found.append(floor_row(bench))
    return found


def bare_row(name, words, environment, program):
    return Row(name, lambda tasks: words(tasks) + program, environment)


def pam_row(bench, name, words, environment, program, how="", **more):
    pam = os.path.join(bench.bin, "pam")
    under = lambda tasks: method_1(words(tasks), program)
    return Row(
        f"pam + {name}{how}",
        lambda tasks: [pam, "-t", *under(tasks)],
        environment,
        bare=name,
        reporting=lambda tasks, file: [pam, "-t", "--report", file, *under(tasks)],
        **more,
    )


def floor_row(bench):
    """The floor: as many processes as tasks, started on one host, by the cheapest parent that there is."""

    def words(tasks):
        numbers = os.path.join(bench.scratch, f"numbers.{tasks}")
        with open(numbers, "w", encoding="ascii") as file:
            file.writelines(f"{number}\n" for number in range(tasks))
        return ["xargs", "-a", numbers, "-n", "1", "-P", str(tasks)] + TRUE

    return Row("xargs -P, 1 host", words, bench.cluster.environment)
