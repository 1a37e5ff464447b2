"""The error rules of "Using Platform LSF HPC 7.3", with a launcher that fails in every way.

The letters are those of the table in pam/policy/roll.hpp. One host, no privilege needed. The launcher is
tests/fakes/fake_launcher, or the shell.
"""

import os
import shutil
import signal
import stat

from rollcall_testing import processes
from rollcall_testing.flying import FlyingClock
from rollcall_testing.job import expect_no_tasks, fake, open_gate, pam, requires_pam, run
from rollcall_testing.programs import end_of, hold_report_against_notes, wait_for_ready
from rollcall_testing.runner import cases, expect, expect_equal, expect_in, main
from rollcall_testing.waiting import seconds_until, wait_until

LONG = {"LSF_HPC_PJL_LOADENV_TIMEOUT": 300}


def ends(job):
    return [end_of(task) for task in job.report["tasks"]]


# (a) the launcher cannot be started


@cases("method 1", "method 2")
def test_a_launcher_missing(bench, way):
    notes = bench.fresh_directory()
    words = ["-g", "1", "no-such-launcher"] if way == "method 1" else ["-g", "no-such-launcher"]
    job = pam(bench, *words, bench.target, notes, "exit", "0").expect_exit(127)
    job.expect_said("no-such-launcher", "No such file or directory")
    expect_equal(os.listdir(notes), [], "what ran")
    bench.saw("127, the word and why")


def test_a_launcher_not_executable(bench):
    notes = bench.fresh_directory()
    path = os.path.join(notes, "launcher")
    open_gate(path)
    job = pam(bench, "-g", "1", path, bench.target, notes, "exit", "0").expect_exit(126)
    job.expect_said(path, "Permission denied")
    expect_equal(os.listdir(notes), ["launcher"], "what ran")
    bench.saw("126, the word and why")


def test_a_launcher_without_its_interpreter(bench):
    path = os.path.join(bench.fresh_directory(), "launcher")
    with open(path, "w", encoding="ascii") as file:
        file.write("#!/no/such/interpreter\n")
    os.chmod(path, stat.S_IRWXU)
    pam(bench, "-g", "1", path, "true").expect_exit((126, 127)).expect_said(path)
    bench.saw("the launcher is named")


# (b) not all tasks register


def test_b_one_task_of_four_never_comes(bench):
    notes = bench.fresh_directory()
    host = bench.cluster.name
    hosts = {"LSB_HOSTS": f"{host} {host} {host} ghost"}
    launcher = fake(bench, "--tasks", 4, "--order", "0,1,3")
    clock = FlyingClock(bench)
    job = run(bench, launcher, [bench.target, notes, "nest"], environment={**hosts, **clock.environment}, conf=LONG)
    wait_for_ready(notes, 3, job)
    clock.fly()
    job.expect_exit(124, 20)
    expect_no_tasks(job, 0.1)
    job.expect_said("3 of 4", "LSF_HPC_PJL_LOADENV_TIMEOUT", f"{host} 3 of 3", "ghost 0 of 1", "missing ranks 2")
    bench.saw("124; counts per host, the missing rank, the parameter; nothing is left")


def test_b_environment_wins_over_lsf_conf(bench):
    notes = bench.fresh_directory()
    launcher = fake(bench, "--order", "", "--never-end")
    environment = {"LSF_HPC_PJL_LOADENV_TIMEOUT": "1"}
    job = run(bench, launcher, [bench.target, notes, "hang"], "-n", "1", environment=environment, conf=LONG)
    job.expect_exit(124, 10).expect_said("0 of 1")
    bench.saw("124 after the environment's second, not lsf.conf's 300")


def test_b_zero_is_off(bench):
    """The second task registers later than any default would allow, and is accepted."""
    notes, second = bench.fresh_directory(), os.path.join(bench.fresh_directory(), "second")
    launcher = fake(bench, "--tasks", 2, "--hold", 1, second)
    conf = {"LSF_HPC_PJL_LOADENV_TIMEOUT": 0}
    job = run(bench, launcher, [bench.target, notes, "after-ms", "1"], "-n", "2", conf=conf)
    begun = processes.clock()
    wait_until(lambda: processes.clock() > begun + 3, "three seconds", 5)
    expect(not job.ended(), f"pam waits\n{job.told()}")
    open_gate(second)
    job.expect_exit(0)
    hold_report_against_notes(job.report, notes)
    expect("tasks registered" not in job.stderr, f"a progress line belongs on a terminal\n{job.told()}")
    bench.saw("waits for the second task as long as it takes")


def test_b_timeout_for_the_first_task(bench):
    notes = bench.fresh_directory()
    launcher = fake(bench, "--order", "", "--never-end")
    job = run(bench, launcher, [bench.target, notes, "hang"], "-n", "2", "--timeout-first", "1", conf=LONG)
    job.expect_exit(124, 10)
    bench.saw("124 where none has come")


def test_b_timeout_for_the_first_task_is_met(bench):
    notes, second = bench.fresh_directory(), os.path.join(bench.fresh_directory(), "second")
    launcher = fake(bench, "--tasks", 2, "--hold", 1, second)
    clock, conf = FlyingClock(bench), {"LSF_HPC_PJL_LOADENV_TIMEOUT": 100000}
    words = [bench.target, notes, "after-ms", "10"]
    job = run(bench, launcher, words, "-n", "2", "--timeout-first", "60", environment=clock.environment, conf=conf)
    wait_until(lambda: os.listdir(notes), lambda: f"a task to begin\n{job.told()}", 30)
    clock.fly()
    begun = processes.clock()
    wait_until(lambda: processes.clock() > begun + 1, "a hundred seconds of pam's", 8)
    clock.walk()
    open_gate(second)
    job.expect_exit(0)
    bench.saw("one has come in time, the other may take longer")


def test_b_timers_stand_still_while_pam_is_stopped(bench):
    notes, second = bench.fresh_directory(), os.path.join(bench.fresh_directory(), "second")
    gate = os.path.join(notes, "gate")
    launcher, clock = fake(bench, "--tasks", 2, "--hold", 1, second), FlyingClock(bench)
    words = [bench.target, notes, "wait", gate]
    job = run(bench, launcher, words, "-n", "2", environment=clock.environment, conf=LONG)
    wait_for_ready(notes, 1, job)
    job.signal(signal.SIGSTOP)
    wait_until(lambda: processes.read_process(job.pid).state == "T", "pam to be stopped", 5)
    clock.jump(600)
    job.signal(signal.SIGCONT)
    open_gate(second)
    wait_for_ready(notes, 2, job)
    open_gate(gate)
    job.expect_exit(0)
    bench.saw("stopped for 600 s of a limit of 300 s: not hit")


# (c) a task cannot be started


@cases((127, "No such file or directory"), (126, "Permission denied"))
def test_c_no_task_can_be_started(bench, case):
    code, reason = case
    program = os.path.join(bench.fresh_directory(), "app")
    if code == 126:
        open_gate(program)
    job = run(bench, fake(bench, "--tasks", 4), [program, "x"], "-n", "4")
    job.expect_exit(code, 10)
    job.expect_said(f"4 of 4 tasks: cannot execute {program}: {reason}", "Not started")
    expect_equal([t["state"] for t in job.report["tasks"]], ["not started"] * 4, "states")
    lines = [line for line in job.stderr.splitlines() if reason in line and "4 of 4" in line]
    expect_equal(len(lines), 1, "lines that tell it")
    bench.saw(repr(lines[0].strip()))


def test_c_one_of_three_cannot_be_started(bench):
    """It ends the others, which have started; their grandchildren too."""
    places, notes = bench.fresh_directory("places"), bench.fresh_directory()
    for rank in range(3):
        os.mkdir(os.path.join(places, str(rank)))
        if rank != 1:
            os.symlink(bench.target, os.path.join(places, str(rank), "target"))
    launcher = fake(bench, "--tasks", 3, "--directories", places)
    job = run(bench, launcher, ["./target", notes, "nest"], "-n", "3").expect_exit(127, 10)
    expect_no_tasks(job, 0.1)
    expect_equal([t["state"] for t in job.report["tasks"]][1], "not started", "rank 1")
    job.expect_said("1 of 3 tasks", "./target")
    bench.saw("127, the two that ran are gone with their children")


# (d) a TaskStarter dies before it reports


@cases("outer", "inner")
def test_d_a_taskstarter_is_killed(bench, which):
    """Its own task and what that forked are gone; the other task goes on, and pam ends when the launcher ends.

    The inner one still reports the end of the task when the outer one is killed; when it is killed itself, the end stays unknown.
    """
    notes = bench.fresh_directory()
    job = run(bench, fake(bench, "--tasks", 2), [bench.target, notes, "nest"], "-n", "2")
    wait_for_ready(notes, 2, job)
    wait_until(lambda: len(job.tasks()) == 6, "2 tasks with 2 descendants each", 5)
    victim = job.starters(which)[0]
    processes.send(victim.pid, signal.SIGKILL)
    took = seconds_until(lambda: len(job.tasks()) <= 3, lambda: f"3 of 6 to be gone: {job.tasks()}\n{job.told()}", 2)
    expect_equal(len(job.tasks()), 3, "processes of the other task")
    expect(not job.ended(), f"the launcher still runs\n{job.told()}")
    said = lambda: str(victim.pid) in job.stderr
    wait_until(said, lambda: f"pam says which TaskStarter was lost: {victim.pid}\n{job.told()}", 5)
    job.signal(signal.SIGTERM)
    job.signal(signal.SIGTERM)
    expect(job.wait(15) != 0, "exit code")
    # Only the inner TaskStarter knows how the task ended.
    expect_in("signal 9" if which == "outer" else "lost", ends(job), "ends in the report")
    job.expect_said("Signal (9 KILL)" if which == "outer" else "Lost")
    bench.saw(f"its task and two descendants gone after {took:.2f} s, the other task lived on")


# (e) the launcher ends before its tasks


def test_e_launcher_exits_first(bench):
    notes = bench.fresh_directory()
    launcher = fake(bench, "--tasks", 2, "--leave", "--exit", 5)
    job = run(bench, launcher, [bench.target, notes, "nest"], "-n", "2", conf={"JOB_TERMINATE_INTERVAL": 5})
    job.expect_exit(5, 20)
    expect_no_tasks(job, 0.1)
    bench.saw("5 is the launcher's, the tasks are gone")


def test_e_tasks_that_ignore_term_are_killed(bench):
    notes, ready = bench.fresh_directory(), os.path.join(bench.fresh_directory(), "leave")
    script = f'"$@" & while [ ! -e {ready} ]; do sleep 0.02; done; exit 0'
    program = ["sh", "-c", script, "sh"]
    task = [bench.target, notes, "ignore-term"]
    job = pam(bench, "-n", "1", "-g", "4", *program, *task, conf={"JOB_TERMINATE_INTERVAL": 2})
    wait_for_ready(notes, 1, job)
    open_gate(ready)
    took = seconds_until(job.ended, lambda: f"pam to end\n{job.told()}", 10)
    job.expect_exit(0)
    expect_no_tasks(job, 0.1)
    expect(took > 1.5, f"TERM was given its 2 seconds, not {took:.1f}")
    expect_equal(ends(job), ["signal 9"], "how it ended")
    bench.saw(f"TERM, and KILL {took:.1f} s later")


def test_e_launcher_dies_of_a_signal(bench):
    """A crash: JOB_TERMINATE_INTERVAL is not waited for."""
    notes = bench.fresh_directory()
    task, conf = [bench.target, notes, "ignore-term"], {"JOB_TERMINATE_INTERVAL": 60}
    job = run(bench, fake(bench, "--tasks", 2), task, "-n", "2", conf=conf)
    wait_for_ready(notes, 2, job)
    launcher = next(p for p in processes.tree_below(job.pid) if p.name == "fake_launcher")
    processes.send(launcher.pid, signal.SIGSEGV)
    job.expect_exit(128 + signal.SIGSEGV, 10)
    expect_no_tasks(job, 0.1)
    job.expect_said("fake_launcher", str(launcher.pid), "SEGV")
    bench.saw("139, the tasks are gone after a second")


def test_e_launcher_dies_early(bench):
    """Half of its tasks have not been started yet; the others are to be gone with it."""
    notes = bench.fresh_directory()
    script = '"$@" & until [ -e "$0"/ready.* ]; do sleep 0.02; done; kill -KILL $$'
    launcher, task = ["sh", "-c", script, notes], [bench.target, notes, "nest"]
    job = run(bench, launcher, task, "-n", "4", conf=LONG)
    job.expect_exit(128 + signal.SIGKILL, 10)
    expect_no_tasks(job, 0.1)
    expect_equal(len(job.report["tasks"]), 1, "tasks in the report")
    job.expect_said("the launcher sh", "KILL")
    bench.saw("137, the one task that ran is gone with what it forked")


@cases("with a task", "before any task")
def test_e_a_launcher_that_crashes_by_itself(bench, when):
    notes = bench.fresh_directory()
    options = ["--die", "USR1"] + (["--order", ""] if when == "before any task" else [])
    job = run(bench, fake(bench, *options), [bench.target, notes, "hang"], "-n", "1", conf=LONG)
    job.expect_exit(128 + signal.SIGUSR1, 10)
    expect_no_tasks(job, 0.1)
    job.expect_said("the launcher fake_launcher", "USR1")
    bench.saw("138, nothing is left")


# TERM to pam


def test_a_second_term_shortens_the_wait(bench):
    """The interval is far beyond this test: without the second TERM nothing would end here."""
    notes = bench.fresh_directory()
    conf = {"JOB_TERMINATE_INTERVAL": 300}
    job = run(bench, fake(bench, "--tasks", 2), [bench.target, notes, "ignore-term"], "-n", "2", conf=conf)
    wait_for_ready(notes, 2, job)
    job.signal(signal.SIGTERM)
    begun = processes.clock()
    wait_until(lambda: processes.clock() > begun + 2, "two seconds", 4)
    expect(not job.ended() and len(job.tasks()) == 2, f"the first TERM is waited upon\n{job.told()}")
    job.signal(signal.SIGTERM)
    expect(job.wait(10) != 0, f"exit code\n{job.told()}")
    expect_no_tasks(job, 0.1)
    expect_equal(ends(job), ["signal 9"] * 2, "how the tasks ended")
    bench.saw("300 s to wait after one TERM, killed a second after two")


# (f) all tasks have ended and the launcher has not


def test_f_launcher_lingers(bench):
    notes = bench.fresh_directory()
    launcher = fake(bench, "--tasks", 2, "--never-end")
    job = run(bench, launcher, [bench.target, notes, "exit", "3"], "-n", "2", "--launcher-grace", "1")
    job.expect_exit(3, 10).expect_said("--launcher-grace")
    bench.saw("ended after its grace; 3, the highest task status")


def test_f_the_parameter_is_named(bench):
    """The same parameter is the time that the task has to register: the clock flies when it has."""
    notes, clock = bench.fresh_directory(), FlyingClock(bench)
    launcher = fake(bench, "--tasks", 1, "--never-end", "--ignore", "TERM")
    words = [bench.target, notes, "exit", "0"]
    job = run(bench, launcher, words, "-n", "1", environment=clock.environment, conf=LONG)
    wait_until(lambda: os.listdir(notes), lambda: f"a task to begin\n{job.told()}", 30)
    clock.fly()
    job.expect_exit(0, 20).expect_said("LSF_HPC_PJL_LOADENV_TIMEOUT")
    bench.saw("the line names LSF_HPC_PJL_LOADENV_TIMEOUT; a launcher that ignores TERM is killed")


def test_f_a_launcher_that_pam_knows_has_ten_seconds(bench):
    """Started directly, nothing follows its last task; LSF_HPC_PJL_LOADENV_TIMEOUT would be five minutes."""
    notes, directory = bench.fresh_directory(), bench.fresh_directory("bin")
    known = os.path.join(directory, "mpiexec.hydra")
    shutil.copy(fake(bench)[0], known)
    words = [known, "--tasks", "1", "--never-end"]
    job = run(bench, words, [bench.target, notes, "exit", "3"], "-n", "1", conf=LONG)
    job.expect_exit(3, 30).expect_said("mpiexec.hydra has not within 10 s", "--launcher-grace")
    bench.saw("ended after 10 s, by its name alone; 3, the highest task status")


def test_f_a_new_step_cancels_the_timer(bench):
    """Each step's task takes longer than the grace that began with the end of the one before."""
    notes = bench.fresh_directory()
    launcher = fake(bench, "--tasks", 1, "--steps", 3, "--delay", 0)
    job = run(bench, launcher, [bench.target, notes, "after-ms", "3500"], "-n", "1", "--launcher-grace", "3")
    job.expect_exit(0, 25)
    expect_equal(ends(job), ["exit 0"] * 3, "the steps' tasks")
    bench.saw("3 steps of 3.5 s with a grace of 3 s")


def test_f_a_serial_tail(bench):
    notes = bench.fresh_directory()
    launcher = fake(bench, "--tasks", 1, "--tail", 700, "--exit", 6)
    job = run(bench, launcher, [bench.target, notes, "exit", "0"], "-n", "1", "--launcher-grace", "10")
    job.expect_exit(6, 10)
    bench.saw("the launcher's own 6")


# (g) a task fails


def test_g_clean_job_delay(bench):
    notes = bench.fresh_directory()
    script = 'test "$PMI_RANK" = 1 && exec "$0" "$1" exit 3; exec "$0" "$1" nest'
    program = ["sh", "-c", script, bench.target, notes]
    job = run(bench, fake(bench, "--tasks", 3), program, "-n", "3", conf={"LSF_PAM_CLEAN_JOB_DELAY": 1})
    job.expect_exit(3, 15)
    expect_no_tasks(job, 0.1)
    bench.saw("one ended with 3, the others were ended a second later; 3")


def test_g_the_status_counts_also_where_the_launcher_is_faster(bench):
    notes = bench.fresh_directory()
    script = 'test "$PMI_RANK" = 1 && exec "$0" "$1" exit 3; exec "$0" "$1" exit 0'
    launcher = fake(bench, "--tasks", 3, "--exit", 9)
    program = ["sh", "-c", script, bench.target, notes]
    job = run(bench, launcher, program, "-n", "3", conf={"LSF_PAM_CLEAN_JOB_DELAY": 600})
    job.expect_exit(3, 15)
    job.expect_said("a task ended with Exit (3), then the launcher with Exit (9): the task's status counts")
    run(bench, launcher, program, "-n", "3").expect_exit(9, 15)
    bench.saw("3 where LSF_PAM_CLEAN_JOB_DELAY is set, the launcher's 9 where it is not")


def test_g_without_it_the_launcher_decides(bench):
    notes = bench.fresh_directory()
    gate = os.path.join(notes, "gate")
    script = 'test "$PMI_RANK" = 1 && exec "$0" "$1" exit 3; exec "$0" "$1" wait "$2"'
    job = run(bench, fake(bench, "--tasks", 3), ["sh", "-c", script, bench.target, notes, gate], "-n", "3")
    wait_for_ready(notes, 2, job)
    begun = processes.clock()
    wait_until(lambda: processes.clock() > begun + 1.5, "a second and a half", 3)
    expect(not job.ended(), f"the others go on\n{job.told()}")
    open_gate(gate)
    job.expect_exit(3)
    hold_report_against_notes(job.report, notes)
    bench.saw("the others ended by themselves; 3 is the launcher's")


main(requires=requires_pam)
