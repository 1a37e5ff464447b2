"""srun as the launcher, under a Slurm of the test's own: exit statuses, signals' deaths, and the killed processes.

slurmstepd is the TaskStarters' parent and belongs to nobody but Slurm; bare srun leaves all its tasks alive when one of
these is killed. That case comes last here, since its node stays in Slurm's state "completing" afterwards.
"""

from rollcall_testing import launchers
from rollcall_testing.job import method_1, pam, requires_pam
from rollcall_testing.kill_row import kill_one
from rollcall_testing.programs import end_of, hold_report_against_notes, notes_in
from rollcall_testing.runner import cases, expect_equal, main
from rollcall_testing.slurm import Slurm
from rollcall_testing.waiting import wait_until

TASKS = 8
RANK_N_ENDS_WITH_N = 'exec "$0" "$1" exit "$SLURM_PROCID"'
KILLED_PROXY = "proxy of a remote host"

slurm = None  # one for the whole file; made by requirements(), ends with the shelter


def requirements(bench):
    global slurm
    requires_pam(bench)
    slurm = Slurm(bench)
    slurm.__enter__()


def start(bench, way, program):
    words = launchers.SRUN.words(TASKS)
    if way == "method 1":
        return pam(bench, *method_1(words, program), environment=slurm.environment)
    if way == "-mpi":
        return pam(bench, "-mpi", *words, *program, environment=slurm.environment)
    hosts = {"LSB_HOSTS": "n1 n1 n2 n2 n3 n3 n4 n4", "LSB_DJOB_NUMPROC": str(TASKS)}
    return pam(bench, "-g", "srun_wrapper", *program, environment=dict(slurm.environment, **hosts))


@cases("method 1", "wrapper", "-mpi")
def test_rank_n_ends_with_n(bench, way):
    notes = bench.fresh_directory()
    job = start(bench, way, ["sh", "-c", RANK_N_ENDS_WITH_N, bench.target, notes])
    code = job.wait(30)
    if way != "wrapper":
        expect_equal(code, TASKS - 1, f"srun's code is the highest\n{job.told()}\n")
        hold_report_against_notes(job.report, notes)
        expect_equal(len(notes_in(notes)), TASKS, "tasks that ran")
    bench.saw(f"{len(notes_in(notes))} tasks, exit {code}")


@cases(11, 6)
def test_a_task_dies_of_a_signal(bench, number):
    notes = bench.fresh_directory()
    program = ["sh", "-c", f'test "$SLURM_PROCID" = 2 && exec "$0" "$1" signal {number}; exec "$0" "$1" exit 0']
    words = [w for w in launchers.SRUN.words(TASKS) if not w.startswith("--kill")]
    job = pam(bench, *method_1(words, [*program, bench.target, notes]), environment=slurm.environment)
    job.expect_exit(128 + number)
    hold_report_against_notes(job.report, notes)
    expect_equal(end_of(job.report["tasks"][2]), f"signal {number}", "rank 2")
    bench.saw(f"rank 2 in the report, srun's own {128 + number} as pam's")


@cases("pam", "launcher", "outer TaskStarter", "inner TaskStarter", KILLED_PROXY)
def test_killed(bench, what):
    wait_until(slurm.idle, lambda: f"all nodes to be idle again: {slurm.states()}", 60)
    kill_one(bench, launchers.SRUN, what, [bench.target], "nest", slurm.environment)


main(hosts=4, requires=requirements)
