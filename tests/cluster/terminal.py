"""On a terminal and in a pipe a command behaves under pam as it does without: stdin, stdout, Ctrl-C, Ctrl-Z, &.

The launcher stays in pam's process group, so the terminal's signals reach it as well as pam; a task still gets each of
them once. One host, no privilege needed.
"""

import os
import re
import shlex
import signal
import subprocess

from rollcall_testing import launchers, processes
from rollcall_testing.job import Job, fake, method_1, pam, requires_pam, site
from rollcall_testing.programs import ids_in, wait_for_ready
from rollcall_testing.runner import cases, expect, expect_equal, expect_in, expect_one_of, main
from rollcall_testing.terminal import CTRL_C, CTRL_D, CTRL_Z, PROMPT, Shell
from rollcall_testing.waiting import wait_until

EVERY_BYTE = bytes(range(256)) * 4096  # 1 MiB, all values


def launcher_words(bench, name, count=2):
    return fake(bench, "--tasks", str(count)) if name == "fake" else launchers.by_name(name).local_words(count)


def environment_of(bench):
    mpi = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return dict(bench.cluster.environment, **site(bench), **mpi)


def shell_of(bench):
    return Shell(environment_of(bench), bench.fresh_directory("shell"))


def pam_line(bench, launcher_words_, job_words, *options):
    words = [os.path.join(bench.bin, "pam"), *options, *method_1(launcher_words_, job_words)]
    return " ".join(map(shlex.quote, words))


def named_states(shell, wanted):
    return [p.state for p in processes.tree_below(shell.pid) if wanted(p)]


def lines_of(notes, pid):
    with open(os.path.join(notes, f"signals.{pid}"), encoding="ascii") as file:
        return [line.split()[0] for line in file]


@cases("fake", "hydra", "openmpi")
def test_ctrl_c_reaches_each_task_once(bench, name):
    notes = bench.fresh_directory()
    with shell_of(bench) as shell:
        shell.type(pam_line(bench, launcher_words(bench, name), [bench.target, notes, "signals"], "-t"))
        wait_for_ready(notes, 2)
        shell.type(CTRL_C)
        pids = ids_in(notes, "ready")
        wait_until(
            lambda: all("INT" in lines_of(notes, p) for p in pids),
            lambda: f"INT in each task; {[lines_of(notes, p) for p in pids]}; shown {shell.shown!r}",
            5,
        )
        begun = processes.clock()
        wait_until(lambda: processes.clock() > begun + 1, "a late second copy", 3)
        expect_equal([lines_of(notes, p).count("INT") for p in pids], [1, 1], "how often INT came")
        for _ in range(2):
            for process in processes.tree_below(shell.pid):
                if process.name == "pam":
                    processes.send(process.pid, signal.SIGTERM)
        shell.wait_for(PROMPT, 20)
    bench.saw("INT once in each of 2 tasks")


@cases("fake", "hydra", "openmpi")
def test_ctrl_c_ends_a_plain_job(bench, name):
    notes = bench.fresh_directory()
    with shell_of(bench) as shell:
        shell.type(pam_line(bench, launcher_words(bench, name), [bench.target, notes, "hang"], "-t"))
        wait_for_ready(notes, 2)
        shell.type(CTRL_C)
        shell.wait_for(PROMPT, 15)
        if name != "hydra":  # bare Hydra ends with 0 in 4 of 10 runs after Ctrl-C, and its code is pam's
            expect(shell.exit_code() != 0, "a job that was interrupted does not end with 0")
        expect(not named_states(shell, processes.is_task), "no task is left")
    bench.saw("the prompt is back, no task left")


@cases("fake", "hydra", "openmpi")
def test_ctrl_z_and_fg(bench, name):
    """The shell sees the job stop, every task is stopped; fg, and all go on to their end."""
    notes = bench.fresh_directory()
    gate = os.path.join(notes, "gate")
    with shell_of(bench) as shell:
        shell.type(pam_line(bench, launcher_words(bench, name), [bench.target, notes, "wait", gate], "-t"))
        wait_for_ready(notes, 2)
        shell.type(CTRL_Z)
        shell.wait_for("Stopped", 5)
        tasks = lambda: named_states(shell, processes.is_task)
        wait_until(lambda: tasks() == ["T", "T"], lambda: f"both tasks stopped: {tasks()}", 5)
        shell.type("fg")
        wait_until(lambda: "T" not in tasks(), lambda: f"both tasks go on: {tasks()}", 5)
        with open(gate, "w", encoding="ascii"):
            pass
        shell.wait_for(PROMPT, 5)  # the one after "Stopped"
        said = shell.wait_for(PROMPT, 15)
        expect("--launcher-grace" not in said, f"the launcher ended by itself\n{said}")
        expect_equal(shell.exit_code(), 0, "exit code after fg")
    bench.saw("stopped with the job, resumed by fg, exit 0")


@cases("fake", "hydra", "openmpi")
def test_a_terminal_that_goes_away(bench, name):
    """A window that is closed, a login that is cut: HUP reaches the tasks, and nothing of the job stays behind."""
    notes = bench.fresh_directory()
    ours = lambda p: processes.is_task(p) or p.name in ("pam", "TaskStarter")
    with shell_of(bench) as shell:
        shell.type(pam_line(bench, launcher_words(bench, name), [bench.target, notes, "hang"], "-t"))
        wait_for_ready(notes, 2)
        os.close(shell.terminal)
        shell.terminal = os.open(os.devnull, os.O_RDONLY)
        left = lambda: bench.cluster.processes(ours)
        wait_until(lambda: not left(), lambda: f"pam and its tasks to end: {left()}", 15)
    bench.saw("the tasks and pam are gone")


def test_a_task_reads_the_terminal(bench):
    """A launcher that becomes its only task: it must stay in the terminal's foreground group."""
    with shell_of(bench) as shell:
        shell.type(pam_line(bench, ["env"], ["sh", "-c", 'read line; echo "got $line"; cat'], "-t", "-n", "1"))
        wait_until(lambda: "sh" in [p.name for p in processes.tree_below(shell.pid)], "the task", 5)
        shell.type("hello from a person")
        shell.wait_for("got hello from a person", 5)
        shell.type("more")
        shell.wait_for("more\r\nmore\r\n", 5)
        shell.type(CTRL_D)
        shell.wait_for(PROMPT, 10)
        expect_equal(shell.exit_code(), 0, "exit code")
    bench.saw("two lines typed, read, and Ctrl-D ends it")


def test_in_the_background(bench):
    """`pam ... &`: the prompt is there at once, the terminal stays the shell's, `wait` gives the exit code."""
    notes = bench.fresh_directory()
    gate = os.path.join(notes, "gate")
    with shell_of(bench) as shell:
        line = pam_line(bench, fake(bench, "--exit", "5"), [bench.target, notes, "wait", gate], "-t")
        shell.type(line + " &")
        shell.wait_for(PROMPT, 5)
        wait_for_ready(notes, 1)
        expect_equal(shell.foreground(), shell.pid, "whose terminal it is")
        expect_one_of(named_states(shell, processes.is_task), (["S"], ["R"]), "the task, which is not stopped")
        with open(gate, "w", encoding="ascii"):
            pass
        _, code = shell.run("wait %1")
        expect_equal(code, 5, "exit code by `wait`")
    bench.saw("runs on without the terminal, 5 by `wait`")


def test_a_background_job_that_reads_the_terminal_is_stopped(bench):
    with shell_of(bench) as shell:
        shell.type(pam_line(bench, ["env"], ["sh", "-c", "read line; echo got $line"], "-t", "-n", "1") + " &")
        shell.wait_for(PROMPT, 5)
        readers = lambda: named_states(shell, lambda p: p.name == "sh")
        wait_until(lambda: readers() == ["T"], lambda: f"the reader is stopped: {readers()}; {shell.shown!r}", 5)
        shell.type("fg")
        wait_until(lambda: readers() == ["S"], lambda: f"the reader goes on: {readers()}; {shell.shown!r}", 5)
        shell.type("a line")
        shell.wait_for("got a line", 5)
    bench.saw("stopped like any reader in the background; fg, a line, its end")


@cases("pipe", "file")
def test_binary_data_through_stdin_and_stdout(bench, source):
    path = os.path.join(bench.fresh_directory(), "bytes")
    with open(path, "wb") as file:
        file.write(EVERY_BYTE)
    words = [os.path.join(bench.bin, "pam"), "-t", "-n", "1", "-g", "1", "env", "cat"]
    environment = environment_of(bench)
    if source == "file":
        with open(path, "rb") as file:
            done = subprocess.run(words, env=environment, stdin=file, capture_output=True, timeout=120)
    else:
        done = subprocess.run(words, env=environment, input=EVERY_BYTE, capture_output=True, timeout=120)
    expect_equal(done.returncode, 0, f"exit code; stderr {done.stderr!r}")
    expect(done.stdout == EVERY_BYTE, f"1 MiB of every byte unchanged, {len(done.stdout)} bytes came")
    bench.saw("1 MiB of every byte value unchanged")


@cases("hydra", "openmpi")
def test_stdin_goes_to_rank_0(bench, name):
    """Rank 1 must not read: bare Hydra never tells it that there is nothing."""
    text = b"line one\nline two\n" * 500
    script = 'test "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 0 || exit 0; exec cat'
    words = [os.path.join(bench.bin, "pam"), "-t", *method_1(launcher_words(bench, name), ["sh", "-c", script])]
    done = subprocess.run(words, env=environment_of(bench), input=text, capture_output=True, timeout=120)
    expect_equal(done.returncode, 0, f"exit code; stderr {done.stderr!r}")
    expect(done.stdout == text, f"rank 0 alone got it all: {len(done.stdout)} of {len(text)} bytes")
    bench.saw("once, complete")


def first_words_of_rows(text):
    return [line.split()[0] for line in text.splitlines() if re.match(r"\d{5}[- ]", line)]


def test_a_table_of_more_than_64_is_folded_on_a_terminal_only(bench):
    def rows(shell, tasks, *options, end=""):
        job = [bench.target, bench.fresh_directory(), "exit", "0"]
        words = fake(bench, "--tasks", str(tasks))
        shown, code = shell.run(pam_line(bench, words, job, "-n", str(tasks), *options) + end, 40)
        expect_equal(code, 0, f"exit code\n{shown}")
        return first_words_of_rows(shown)

    each = [f"{tid:05}" for tid in range(65)]
    with shell_of(bench) as shell:
        expect_equal(rows(shell, 65), ["00000-00064"], "rows of 65 on a terminal")
        expect_equal(rows(shell, 64), each[:64], "rows of 64 on a terminal")
        expect_equal(rows(shell, 65, "--full-table"), each, "rows of 65 with --full-table")
        expect_equal(rows(shell, 65, end=" 2>&1 | cat; (exit ${PIPESTATUS[0]})"), each, "rows of 65 in a pipe")
        expect_equal(rows(shell, 2, "--fold", end=" 2>&1 | cat"), ["00000-00001"], "rows of 2 with --fold")
    bench.saw("65 tasks: one row on a terminal, 65 in a pipe and with --full-table; 64: 64; --fold anywhere")


def shown_within_a_second(shell, line):
    """What a command shows that lasts less than a second; on a busy machine it is tried again."""
    for _ in range(30):
        begun = processes.clock()
        shown, _ = shell.run(line)
        if processes.clock() < begun + 1:
            return shown
    raise AssertionError(f"30 times a second and more for {line}\n{shown!r}")


def test_a_launch_of_over_a_second_shows_its_progress(bench):
    """The line is overwritten in place, and removed when all tasks have registered."""
    notes, second = bench.fresh_directory(), os.path.join(bench.fresh_directory(), "second")
    launcher = fake(bench, "--tasks", "2", "--hold", "1", second)
    with shell_of(bench) as shell:
        shell.type(pam_line(bench, launcher, [bench.target, notes, "after-ms", "1"], "-n", "2"))
        shell.wait_for("\r\x1b[Kpam: 1 of 2 tasks registered, 1 hosts, 1 tasks ended, ", 10)
        with open(second, "w", encoding="ascii"):
            pass
        after = shell.wait_for(PROMPT, 15)
        expect("\r\x1b[KJob  " in after, f"the line is gone before the table: {after!r}")
        expect_equal(shell.exit_code(), 0, "exit code")
        quick = pam_line(bench, fake(bench), [bench.target, notes, "exit", "0"], "-n", "1")
        shown = shown_within_a_second(shell, quick)
        expect("registered" not in shown, f"a quick launch shows none: {shown!r}")
    bench.saw("1 of 2 tasks, hosts, ended, seconds; cleared; none for a quick launch")


def test_pam_writes_nothing_to_stdout(bench):
    notes = bench.fresh_directory()
    job = pam(bench, "-v", *method_1(fake(bench, "--tasks", "3"), [bench.target, notes, "exit", "2"]))
    job.expect_exit(2)
    expect_equal(job.stdout, b"", "stdout")
    expect_in("TID   HOST_NAME", job.stderr, "the table is on stderr")
    bench.saw("stdout is the tasks' alone")


def test_a_closed_stdout_ends_only_its_writer(bench):
    """`pam ... | head -1`: the task gets SIGPIPE or EPIPE as without pam, and the job ends."""
    notes = bench.fresh_directory()
    line = pam_line(bench, fake(bench), [bench.target, notes, "flood", str(8 << 20)], "-t") + " | head -1"
    job = Job(bench, ["bash", "-c", f"{line}; exit ${{PIPESTATUS[0]}}"], environment=environment_of(bench))
    expect(job.wait(20) != 0, "the writer did not end with 0")
    expect_equal(len(job.stdout), 64, "bytes that head let through")
    bench.saw("ended, one line out")


main(requires=requires_pam)
