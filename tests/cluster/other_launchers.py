"""Launchers that know nothing of MPI: pdsh and GNU parallel, each over the remote-shell agent.

Nothing is set up for them in pam: the words are counted, TaskStarter goes in before the job, and no task has a rank, so
the table's TIDs are the order of registration.
"""

import os
import shutil
import signal

from rollcall_testing import launchers, processes
from rollcall_testing.flying import FlyingClock
from rollcall_testing.job import method_1, pam, requires_pam
from rollcall_testing.programs import end_of, hold_report_against_notes, notes_in, wait_for_ready
from rollcall_testing.runner import Skip, cases, expect, expect_equal, main
from rollcall_testing.waiting import seconds_until, wait_until

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


# The rules of pam/policy/roll.hpp about tasks on several hosts, with a launcher that knows nothing of MPI.


def test_not_all_hosts_register_in_time(bench):
    """(b): three of four hosts come, and all that was started on them is ended."""
    words, notes = pdsh_words(bench), bench.fresh_directory()
    words[words.index(",".join(HOSTS))] = ",".join(HOSTS[:3])
    clock, conf = FlyingClock(bench), {"LSF_HPC_PJL_LOADENV_TIMEOUT": 300}
    environment = {"LSB_HOSTS": " ".join(HOSTS), **clock.environment}
    job = pam(bench, *method_1(words, [bench.target, notes, "nest"]), environment=environment, conf=conf)
    wait_for_ready(notes, 3, job)
    clock.fly()
    job.expect_exit(124, 25)
    expect_equal(job.tasks(), [], "processes of tasks, on any host")
    expect_equal(len(notes_in(notes)), 3, "tasks that ran")
    job.expect_said("3 of 4 tasks registered within 300 s", "n1 1 of 1, n2 1 of 1, n3 1 of 1, n4 0 of 1")
    bench.saw(next(line for line in job.stderr.splitlines() if "3 of 4" in line))


@cases("on all hosts", "on n3 alone")
def test_a_program_that_is_not_there(bench, where):
    """(c): equal failures are one line with their hosts; what was started on the others is ended."""
    words, notes, places = pdsh_words(bench), bench.fresh_directory(), bench.fresh_directory("places")
    for host in HOSTS if where == "on n3 alone" else ():
        os.mkdir(os.path.join(places, host))
        if host != "n3":
            os.symlink(bench.target, os.path.join(places, host, "target"))
    program = f"{places}/%h/target" if where == "on n3 alone" else "/no/such/program"
    job = pam(bench, "-n", "4", *method_1(words, [program, notes, "nest"])).expect_exit(127, 20)
    expect_equal(job.tasks(), [], "processes of tasks, on any host")
    states = {task["host"]: task["state"] for task in job.report["tasks"]}
    lost = HOSTS if where == "on all hosts" else ["n3"]
    expect_equal(sorted(host for host in HOSTS if states[host] == "not started"), lost, "hosts where none was started")
    ended = sorted(host for host in HOSTS if states[host] == "signal")  # some before they could leave a note
    expect_equal(ended, [host for host in HOSTS if host not in lost], "hosts where one ran and was ended")
    which = "4 of 4 tasks: cannot execute /no/such/program" if len(lost) == 4 else f"1 of 4 tasks: cannot execute {places}/n3/target"
    job.expect_said(f"{which}: No such file or directory ({'hosts n1-n4' if len(lost) == 4 else 'host n3'})")
    bench.saw(said_with(job, "cannot execute"))


# Rule (h) for these launchers: they are killed, and pam is. A killed TaskStarter ends its own task; the others end when
# the launcher does, and these wait for all their hosts.


@cases("pdsh", "parallel")
def test_pam_is_killed(bench, name):
    job, _ = start_nests(bench, name)
    job.signal(signal.SIGKILL)
    took = expect_gone(job, job.tasks)
    job.wait(20)
    bench.saw(f"4 tasks with 2 descendants each gone after {took:.2f} s")


@cases("pdsh", "parallel")
def test_the_launcher_is_killed(bench, name):
    job, front = start_nests(bench, name)
    processes.send(front.pid, signal.SIGKILL)
    took = expect_gone(job, job.tasks)
    expect_equal(job.wait(20), 128 + signal.SIGKILL, f"exit code\n{job.told()}\n")
    job.expect_said(f"(pid {front.pid}) on n1 was killed by signal 9")
    bench.saw(f"gone after {took:.2f} s; {said_with(job, str(front.pid))}")


@cases(*((name, level) for name in ("pdsh", "parallel") for level in ("outer", "inner")))
def test_a_taskstarter_is_killed(bench, what):
    name, level = what
    job, _ = start_nests(bench, name)
    on_n3 = lambda: bench.cluster.host("n3").processes(processes.is_task)
    victim = next(p for p in job.starters(level) if bench.cluster.host("n3").holds(p))
    processes.send(victim.pid, signal.SIGKILL)
    took = expect_gone(job, on_n3)
    said = lambda: str(victim.pid) in job.stderr
    wait_until(said, lambda: f"a line about {victim.pid}\n{job.told()}", 5)
    expect_equal(len(job.tasks()), 9, "processes of the other three tasks")
    job.signal(signal.SIGTERM)
    job.signal(signal.SIGTERM)
    job.wait(20)
    expect_gone(job, job.tasks)
    bench.saw(f"its task gone after {took:.2f} s, the others went on; {said_with(job, str(victim.pid))}")


def start_nests(bench, name):
    """Four tasks with a child and a grandchild each; the job and the launcher's own process."""
    notes = bench.fresh_directory()
    words = pdsh_words(bench) if name == "pdsh" else parallel_words(bench)
    program = [bench.target, notes, "nest"] + ([":::", "1", "2", "3", "4"] if name == "parallel" else [])
    job = pam(bench, "-n", "4", *method_1(words, program))
    wait_for_ready(notes, 4, job)
    expect_equal(len(job.tasks()), 12, "processes of the tasks")
    return job, next(p for p in processes.children_of(job.pid) if any(name in word for word in p.words[:2]))


def expect_gone(job, tasks):
    return seconds_until(lambda: not tasks(), lambda: f"no task alive: {tasks()}\n{job.told()}", 2)


def said_with(job, part):
    return repr(next(line for line in job.stderr.splitlines() if part in line))


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
