"""Launchers that know nothing of MPI: pdsh and GNU parallel, each over the remote-shell agent.

Nothing is set up for them in pam: the words are counted, TaskStarter goes in before the job, and no task has a rank, so
the table's TIDs are the order of registration.
"""

import shutil

from rollcall_testing import launchers, processes
from rollcall_testing.job import method_1, pam, requires_pam
from rollcall_testing.programs import end_of, hold_report_against_notes, notes_in, wait_for_ready
from rollcall_testing.runner import Skip, cases, expect, expect_equal, main
from rollcall_testing.waiting import wait_until

HOSTS = ["n1", "n2", "n3", "n4"]


def pdsh_words(bench):
    if not shutil.which("pdsh"):
        raise Skip("pdsh is not installed (Debian package pdsh)")
    return ["pdsh", "-S", "-R", "exec", "-w", ",".join(HOSTS), bench.cluster.agent, "%h"]


def parallel_words(bench):
    program = shutil.which("parallel")
    if not program:
        raise Skip("GNU parallel is not installed (Debian package parallel)")
    if "GNU" not in bench.cluster.head.run([program, "--version"], env=bench.cluster.environment).stdout:
        raise Skip("parallel is not GNU parallel here (Debian package parallel)")
    return ["parallel", "--ssh", bench.cluster.agent, "-S", ",".join(HOSTS), "-j1"]


def hold(bench, job, notes, ends):
    hold_report_against_notes(job.report, notes, ranks_known=False)
    expect_equal(sorted(n.host for n in notes_in(notes)), HOSTS, "one task on each host")
    expect_equal(sorted(end_of(t) for t in job.report["tasks"]), sorted(ends), "ends in the report")
    expect_equal([t["tid"] for t in job.report["tasks"]], [0, 1, 2, 3], "TIDs: the order of registration")
    bench.saw(f"4 tasks on 4 hosts: {', '.join(ends)}; exit {job.process.returncode}")


def test_pdsh(bench):
    words, notes = pdsh_words(bench), bench.fresh_directory()
    job = pam(bench, "-n", "4", *method_1(words, [bench.target, notes, "exit", "3"]))
    job.expect_exit(3)
    hold(bench, job, notes, ["exit 3"] * 4)


def test_pdsh_without_a_number_of_tasks(bench):
    """Nobody says how many will come: the roll is closed when no further one has come for two seconds."""
    words, notes = pdsh_words(bench), bench.fresh_directory()
    job = pam(bench, *method_1(words, [bench.target, notes, "exit", "0"]))
    job.expect_exit(0)
    hold(bench, job, notes, ["exit 0"] * 4)


def test_gnu_parallel(bench):
    """Its own exit code is the number of failed jobs."""
    words, notes = parallel_words(bench), bench.fresh_directory()
    job = pam(bench, "-n", "4", *method_1(words, [bench.target, notes, "exit", "{}", ":::", "0", "1", "2", "3"]))
    job.expect_exit(3)
    hold(bench, job, notes, ["exit 0", "exit 1", "exit 2", "exit 3"])


def test_pdsh_with_a_process_in_between_that_is_killed(bench):
    """`timeout` is TaskStarter's parent on each host: one is lost while pdsh lives, so the job ends."""
    words, notes = pdsh_words(bench) + ["timeout", "100"], bench.fresh_directory()
    job = pam(bench, "-n", "4", *method_1(words, [bench.target, notes, "nest"]))
    wait_for_ready(notes, 4, job)
    between = bench.cluster.host("n3").processes(processes.named("timeout"))[0]
    processes.send(between.pid, 9)
    wait_until(lambda: not job.tasks(), lambda: f"no task alive: {job.tasks()}\n{job.told()}", 2)
    expect(job.wait(20) != 0, f"exit code\n{job.told()}")
    job.expect_said("timeout", str(between.pid), "n3")
    bench.saw("no task alive, the lost process is named")


@cases("-mpi", "method 1")
def test_hydra_among_lsfs_variables_without_blaunch(bench, way):
    """Hydra by itself would wait for a blaunch that is not there; nobody has chosen another way for it."""
    launcher, notes = launchers.by_name("hydra", bench), bench.fresh_directory()
    program = [bench.target, notes, "exit", "0"]
    words = ["-mpi", launcher.program, "-np", "4", *program]
    if way == "method 1":
        words = method_1([launcher.program, "-np", "4"], program)
    hosts = {"LSB_MCPU_HOSTS": "n1 1 n2 1 n3 1 n4 1", "LSB_JOBID": "1", "HYDRA_LAUNCHER": None,
             "LSF_BINDIR": bench.fresh_directory("bin")}
    job = pam(bench, "-v", *words, environment=hosts).expect_exit(0, 20)
    job.expect_said("blaunch", "HYDRA_LAUNCHER=ssh")
    expect_equal(sorted(n.host for n in notes_in(notes)), HOSTS, "one task on each host")
    bench.saw(next(line for line in job.stderr.splitlines() if "blaunch" in line))


main(hosts=4, requires=requires_pam)
