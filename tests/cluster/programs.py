"""Real MPI programs under pam on four hosts: pam's report says of every task what the program said of itself.

Hydra's own exit code for a rank that ends without MPI_Finalize or by a signal varies from run to run, without pam too
(0, 3, 9 and 255 were seen over four hosts), so there pam's report of that task is what is held fast.
"""

import signal

from rollcall_testing import launchers
from rollcall_testing.job import method_1, pam, requires_pam
from rollcall_testing.processes import is_task
from rollcall_testing.programs import end_of, hold_report_against_notes, ids_in, notes_in, wait_for_ready
from rollcall_testing.runner import cases, expect, expect_equal, expect_in, main

TASKS = 8
HYDRA_VARIES = range(256)
HOSTS = "n1 n1 n2 n2 n3 n3 n4 n4"
WAYS = ("method 1", "wrapper", "mpirun.lsf", "-mpi")


def start(bench, launcher, way, program, conf=None):
    """The job by one of the ways to put pam before it; Method 2 takes the hosts from the batch system's variables."""
    words = launcher.words(TASKS)
    batch = {"LSB_HOSTS": HOSTS, "LSB_MCPU_HOSTS": "n1 2 n2 2 n3 2 n4 2", "LSB_DJOB_NUMPROC": str(TASKS)}
    if way == "method 1":
        return pam(bench, *method_1(words, program), conf=conf)
    if way == "-mpi":
        return pam(bench, "-mpi", *words, *program, conf=conf)
    if way == "wrapper":
        return pam(bench, "-g", launcher.wrapper, *program, environment=batch, conf=conf)
    return via_mpirun_lsf(bench, launcher, program, batch)


def via_mpirun_lsf(bench, launcher, program, batch):
    """mpirun.lsf becomes pam, so pam's options cannot be given: there is no report, the table is read instead."""
    from rollcall_testing.job import Job, site

    values = dict(site(bench), LSF_PJL_TYPE=launcher.pjl_type, **batch)
    return Job(bench, [f"{bench.bin}/mpirun.lsf", *program], environment=values)


def table_rows(stderr):
    """(TID, host, status) of each row of the closing table."""
    lines = stderr.splitlines()
    rule = next((k for k, line in enumerate(lines) if line.startswith("===== ==========")), None)
    expect(rule is not None, f"no table in:\n{stderr}")
    rows = [line for line in lines[rule + 1 :] if line[:5].isdigit()]
    return [(int(line[:5]), line[6:16].strip(), line[35:58].strip()) for line in rows]


def status_of_end(end):
    kind, number = end.split()
    if kind == "exit":
        return "Done" if number == "0" else f"Exit ({number})"
    return f"Signal ({number} {signal.Signals(int(number)).name.removeprefix('SIG')})"


def hold_table_against_notes(job, notes):
    expected = {n.rank: (n.host, n.end) for n in notes_in(notes)}
    rows = table_rows(job.stderr)
    expect_equal([r[0] for r in rows], sorted(expected), f"TIDs of the table in\n{job.stderr}")
    for tid, host, status in rows:
        expect_equal(host, expected[tid][0], f"host of TID {tid}")
        if expected[tid][1] != "any":
            expect_equal(status, status_of_end(expected[tid][1]), f"status of TID {tid}")


def finish(bench, job, notes, code, seconds=30):
    job.expect_exit(code, seconds)
    hold_table_against_notes(job, notes)
    if job.report_file:
        hold_report_against_notes(job.report, notes)
    expect_equal(job.tasks(), [], "tasks alive when pam has ended")
    hosts = sorted({n.host for n in notes_in(notes)})
    bench.saw(f"{len(notes_in(notes))} tasks on {','.join(hosts)}, exit {job.process.returncode}")


def run(bench, way, code, *program, seconds=30):
    launcher, notes = launchers.by_name("", bench), bench.fresh_directory()
    job = start(bench, launcher, way, [bench.mpi_target(launcher.mpi), notes, *program])
    finish(bench, job, notes, code, seconds)
    expect_equal(len(notes_in(notes)), TASKS, "tasks that ran")
    return job, notes


@cases(*WAYS)
def test_allreduce(bench, way):
    job, notes = run(bench, way, 0, "allreduce")
    expect_in(b"allreduce 36\n", job.stdout, "the sum")
    expect_equal(sorted(n.host for n in notes_in(notes)), sorted(HOSTS.split()), "two ranks on each host")


@cases(*WAYS)
def test_rank_2_ends_with_3_after_finalize(bench, way):
    run(bench, way, 3, "ends", "2", "3")


def test_hello(bench):
    job, notes = run(bench, "method 1", 0, "hello")
    said = sorted(job.stdout.decode().split("\n")[:-1])
    expect_equal(said, sorted(f"hello {n.rank} {TASKS} {n.host}" for n in notes_in(notes)), "lines of stdout")


def test_ring(bench):
    job, _ = run(bench, "method 1", 0, "ring")
    expect_in(b"ring 28\n", job.stdout, "the sum")


def test_rank_1_exits_3_without_finalize(bench):
    launcher = launchers.by_name("", bench)
    job, _ = run(bench, "method 1", HYDRA_VARIES if launcher.name == "hydra" else (1, 3), "exits", "1", "3")
    expect_equal(end_of(job.report["tasks"][1]), "exit 3", "the report of rank 1")


def test_a_launcher_that_starts_fewer_tasks_than_pam_expects(bench):
    launcher, notes = launchers.by_name("", bench), bench.fresh_directory()
    words = method_1(launcher.words(TASKS), [bench.mpi_target(launcher.mpi), notes, "allreduce"])
    job = pam(bench, "-n", str(TASKS + 1), *words).expect_exit(0, 30)
    job.expect_said(f"only {TASKS} of {TASKS + 1} tasks registered before the launcher", f"missing ranks {TASKS}")


@cases(*WAYS[:2])
def test_the_callback_as_one_word(bench, way):
    launcher, notes = launchers.by_name("", bench), bench.fresh_directory()
    program = [bench.mpi_target(launcher.mpi), notes, "allreduce"]
    job = start(bench, launcher, way, program, conf={"ROLLCALL_ONE_WORD_CALLBACK": "Y"})
    finish(bench, job, notes, 0)
    expect_equal(len(notes_in(notes)), TASKS, "tasks that ran")


def test_a_script_with_a_home_of_its_own(bench):
    """The other hosts' TaskStarters have the login's HOME, in which there is no key."""
    launcher, notes = launchers.by_name("", bench), bench.fresh_directory()
    home = bench.fresh_directory("home")
    words = method_1(launcher.words(TASKS), [bench.mpi_target(launcher.mpi), notes, "allreduce"])
    job = pam(bench, *words, environment={"HOME": home})
    finish(bench, job, notes, 0)
    expect_equal(sorted(n.host for n in notes_in(notes)), sorted(HOSTS.split()), "two ranks on each host")


def test_rank_1_deserts_and_the_others_wait_for_it(bench):
    """LSF_PAM_CLEAN_JOB_DELAY ends the job, with the status of the task that failed.

    Bare Hydra waits for ever then; where a process stands between its proxy and the rank it may also end the job itself,
    with 255, and sooner. The status is the task's either way (docs/decisions/0043).
    """
    launcher, notes = launchers.by_name("", bench), bench.fresh_directory()
    program = [bench.mpi_target(launcher.mpi), notes, "deserts", "1", "3"]
    job = pam(bench, *method_1(launcher.words(TASKS), program), conf={"LSF_PAM_CLEAN_JOB_DELAY": 1})
    finish(bench, job, notes, 3)


def test_rank_1_aborts_with_7(bench):
    run(bench, "method 1", 7, "aborts", "1", "7")


def test_rank_1_segfaults(bench):
    launcher = launchers.by_name("", bench)
    job, _ = run(bench, "method 1", HYDRA_VARIES if launcher.name == "hydra" else 139, "segfaults", "1")
    expect_equal(end_of(job.report["tasks"][1]), "signal 11", "the report of rank 1")
    told = [status for _, _, status in table_rows(job.stderr)]
    expect_equal(told.pop(1), "Signal (11 SEGV)", "the row of rank 1")
    expect_equal(told, ["Killed after a failure"] * (TASKS - 1), "the rows of the ranks that the launcher then killed")
    job.expect_said("task 1 ", "failed first, with Signal (11 SEGV); 7 more were killed after it")


def test_every_rank_prints_1_mib(bench):
    """Open MPI tears lines of different ranks apart, Hydra does not; no byte may be missing with either."""
    launcher = launchers.by_name("", bench)
    job, _ = run(bench, "method 1", 0, "prints", str(1 << 20))
    expect_equal(len(job.stdout), TASKS << 20, "bytes of stdout")
    expect_equal(job.stdout.count(b"\n"), TASKS << 14, "lines")
    expect_equal(job.stdout.count(b"z"), TASKS << 14, "letters z, one in each line")
    if launcher.name == "openmpi":
        bench.saw("8 MiB, every byte counted")
        return
    lines = job.stdout.splitlines()
    for rank in range(TASKS):
        mine = [int(line[6:14]) for line in lines if line.startswith(b"%05d " % rank)]
        expect_equal(mine, list(range((1 << 20) // 64)), f"lines of rank {rank}, in order")
    bench.saw("8 MiB, every line of every rank, in order")


def test_ranks_that_leave_a_child_behind(bench):
    _, notes = run(bench, "method 1", 0, "leaves")
    expect_equal(len(ids_in(notes, "left")), TASKS, "processes that were left")
    expect_equal(bench.cluster.processes(is_task), [], "of them alive")
    bench.saw("8 double-forked children ended with their tasks")


def test_ranks_that_ignore_term(bench):
    """TERM to pam: it is passed on, ignored, and JOB_TERMINATE_INTERVAL later the tasks are killed."""
    launcher, notes = launchers.by_name("", bench), bench.fresh_directory()
    program = [bench.mpi_target(launcher.mpi), notes, "ignores-term"]
    job = pam(bench, *method_1(launcher.words(TASKS), program), conf={"JOB_TERMINATE_INTERVAL": 1})
    wait_for_ready(notes, TASKS, job)
    job.signal(signal.SIGTERM)
    expect(job.wait(20) != 0, f"exit code\n{job.told()}")
    expect_equal(job.tasks(), [], "tasks alive when pam has ended")
    bench.saw("all killed after TERM was ignored")


main(hosts=4, requires=requires_pam)
