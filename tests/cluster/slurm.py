"""srun as the launcher, under a Slurm of the test's own: exit statuses, signals' deaths, and the killed processes.

slurmstepd is the TaskStarters' parent and belongs to nobody but Slurm; bare srun leaves all its tasks alive when one of
these is killed. That case comes last here, since its node stays in Slurm's state "completing" afterwards.
"""

from rollcall_testing import launchers
from rollcall_testing.host_relays import expect_no_relay, kill_relays_of_two_hosts, wait_for_relays
from rollcall_testing.job import Job, method_1, pam, requires_pam, site
from rollcall_testing.kill_row import kill_one
from rollcall_testing.programs import end_of, hold_report_against_notes, notes_in, wait_for_ready
from rollcall_testing.runner import Skip, cases, expect, expect_equal, main
from rollcall_testing.slurm import Slurm

TASKS = 8
RANK_N_ENDS_WITH_N = 'exec "$0" "$1" exit "$SLURM_PROCID"'
KILLED_PROXY = "proxy of a remote host"

slurm = None  # one for the whole file


def requirements(bench):
    global slurm
    requires_pam(bench)
    slurm = bench.cluster.services.enter_context(Slurm(bench))


def srun_words():
    """Without --kill-on-bad-exit: every task is to end by itself."""
    return [w for w in launchers.SRUN.words(TASKS) if not w.startswith("--kill")]


@cases("method 1", "-mpi")
def test_rank_n_ends_with_n(bench, way):
    notes = bench.fresh_directory()
    program = ["sh", "-c", RANK_N_ENDS_WITH_N, bench.target, notes]
    words = method_1(srun_words(), program) if way == "method 1" else ["-mpi", *srun_words(), *program]
    job = pam(bench, *words, environment=slurm.environment).expect_exit(TASKS - 1)
    hold_report_against_notes(job.report, notes)
    expect_equal(len(notes_in(notes)), TASKS, "tasks that ran")
    bench.saw(f"{TASKS} tasks; the highest code is srun's, and pam's")


@cases("srun_wrapper", "mpirun.lsf")
def test_the_srun_wrapper_tracks_all_tasks(bench, way):
    notes = bench.fresh_directory()
    batch = {"LSB_HOSTS": "n1 n1 n2 n2 n3 n3 n4 n4", "LSB_DJOB_NUMPROC": str(TASKS), "LSF_PJL_TYPE": "slurm"}
    environment = dict(slurm.environment, **batch)
    program = [bench.target, notes, "exit", "0"]
    if way == "srun_wrapper":
        job = pam(bench, "-g", "srun_wrapper", *program, environment=environment).expect_exit(0)
        hold_report_against_notes(job.report, notes)
    else:
        Job(bench, [f"{bench.bin}/mpirun.lsf", *program], environment=dict(site(bench), **environment)).expect_exit(0)
    expect_equal(sorted({n.host for n in notes_in(notes)}), ["n1", "n2", "n3", "n4"], "hosts")
    expect_equal(len(notes_in(notes)), TASKS, "tasks that ran")
    bench.saw(f"{TASKS} tasks on 4 hosts")


@cases("mpich under pmi2", "openmpi under pmix")
def test_an_mpi_program_runs_under_pam(bench, what):
    """A real MPI program whose ranks find each other through Slurm; first without pam, to see whether it can here."""
    mpi, _, plugin = what.split()
    words = [srun_words()[0], f"--mpi={plugin}", *srun_words()[1:]]
    environment = dict(bench.cluster.environment, **slurm.environment)
    program = lambda notes: [bench.mpi_target(mpi), notes, "allreduce"]
    bare = bench.cluster.head.run(["timeout", "30", *words, *program(bench.fresh_directory())], env=environment)
    total = f"allreduce {TASKS * (TASKS + 1) // 2}\n"
    if bare.returncode != 0 or total not in bare.stdout:
        said = (bare.stderr.strip() or bare.stdout.strip()).splitlines()[:1]
        raise Skip(f"Debian's {mpi} does not run under bare srun --mpi={plugin}: exit {bare.returncode}, {said}")
    notes = bench.fresh_directory()
    job = pam(bench, *method_1(words, program(notes)), environment=slurm.environment).expect_exit(0, 40)
    hold_report_against_notes(job.report, notes)
    expect(total in job.stdout.decode(), f"the sum {total!r}\n{job.told()}")
    expect_equal(sorted({n.host for n in notes_in(notes)}), ["n1", "n2", "n3", "n4"], "hosts")
    bench.saw(f"{TASKS} ranks on 4 hosts, {total.strip()}")


@cases(11, 6)
def test_a_task_dies_of_a_signal(bench, number):
    notes = bench.fresh_directory()
    program = ["sh", "-c", f'test "$SLURM_PROCID" = 2 && exec "$0" "$1" signal {number}; exec "$0" "$1" exit 0']
    job = pam(bench, *method_1(srun_words(), [*program, bench.target, notes]), environment=slurm.environment)
    job.expect_exit(128 + number)
    hold_report_against_notes(job.report, notes)
    expect_equal(end_of(job.report["tasks"][2]), f"signal {number}", "rank 2")
    bench.saw(f"rank 2 in the report, srun's own {128 + number} as pam's")


@cases("pam", "launcher", "outer TaskStarter", "inner TaskStarter")
def test_a_killed_process_of_a_job_with_relays_ends_all_tasks(bench, what):
    slurm.wait_until_idle()
    kill_one(bench, launchers.SRUN, what, [bench.target], "nest", dict(slurm.environment, SLURM_NTASKS_PER_NODE="4"), tasks=16,
             in_place=wait_for_relays)
    expect_no_relay(bench)


def test_relays_of_two_hosts(bench):
    slurm.wait_until_idle()
    notes = bench.fresh_directory()
    gate = f"{notes}/gate"
    job = pam(bench, *method_1(launchers.SRUN.words(16), [bench.target, notes, "wait", gate]),
              environment=dict(slurm.environment, SLURM_NTASKS_PER_NODE="4"))
    wait_for_ready(notes, 16, job)
    wait_for_relays(job)
    kill_relays_of_two_hosts(job, 16, notes, gate)


@cases("pam", "launcher", "outer TaskStarter", "inner TaskStarter", KILLED_PROXY)
def test_a_killed_process_ends_all_tasks(bench, what):
    slurm.wait_until_idle()
    kill_one(bench, launchers.SRUN, what, [bench.target], "nest", slurm.environment)


main(hosts=4, requires=requirements)
