"""bsub -I, -Is and -Ip of jobs that another cluster runs: the terminal or the pipes go by way of the two masters. And blaunch in such jobs."""

import fcntl
import os
import pwd
import signal
import struct
import subprocess
import termios

from rollcall_testing import processes
from rollcall_testing.federation import ALICE, BOB, Federation
from rollcall_testing.files import read
from rollcall_testing.interactive import Bsub, alice_line, expect_a_job_outlives_its_terminal
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.terminal import CTRL_C, PROMPT, Shell
from rollcall_testing.waiting import wait_until

SENDS = "Begin Queue\nQUEUE_NAME = send\nPRIORITY = 30\nSNDJOBS_TO = receive@east\nHOSTS = none\nEnd Queue\n"
RECEIVES = "Begin Queue\nQUEUE_NAME = receive\nPRIORITY = 30\nRCVJOBS_FROM = west\nEnd Queue\n"
MAP = "Begin UserMap\nLOCAL REMOTE DIRECTION\n{row}\nEnd UserMap\n"
HERE, THERE = pwd.getpwuid(ALICE).pw_name, pwd.getpwuid(BOB).pw_name


def two(bench, east=("n2",), mapped=False, **how):
    clusters = Federation(bench, {"west": ("n1",), "east": east}, slots={"east": 4}, queues={"west": SENDS, "east": RECEIVES},
                          params={"west": "DEFAULT_QUEUE = send"}, **how)
    if mapped:
        clusters["west"].write_batch("lsb.users", MAP.format(row=f"{HERE} {THERE}@east export"))
        clusters["east"].write_batch("lsb.users", MAP.format(row=f"{THERE} {HERE}@west import"))
    return clusters


def shared(bench):
    path = bench.fresh_directory("shared")
    os.chmod(path, 0o1777)
    return path


def test_pipes_and_exit_codes_are_as_within_one_cluster(bench):
    with two(bench) as clusters:
        west = clusters["west"]
        done = west.run("bsub", "-I", "cat; echo err >&2; hostname; exit 5", input="line 1\nline 2")
        expect_equal(done.returncode, 5, f"exit code; {done.stderr} {west.logs_text()}")
        expect_equal(done.stdout, "Job <1> is submitted to default queue <send>.\nline 1\nline 2n2\n", "standard output")
        expect_in("err\n", done.stderr, "standard error apart")
        expect_in("<<Starting on n2@east>>\n", done.stderr, "where")
        big = west.run("bsub", "-I", "head -c 3000000 /dev/zero | tr '\\0' x")
        expect_equal(len(big.stdout.split("\n", 1)[1]), 3_000_000, "bytes of a long output")
        taken = west.run("bsub", "-I", "wc -c; exec cat /dev/null", input="y" * 1_000_000)
        expect_equal(taken.stdout.split("\n", 1)[1].strip(), "1000000", "bytes of a long input")
        killed = west.run("bsub", "-I", "kill -9 $$", stdin=subprocess.DEVNULL)
        expect_equal(killed.returncode, 137, f"one that was killed: {killed.stderr}")
        expect_equal(west.wait_for(1, "DONE", "EXIT"), "EXIT", "for bjobs too")
        expect_equal(west.field(1, "exit_code"), "5", "exit code for bjobs")
    bench.saw("input, output and errors of 3 MB and 1 MB, exit codes")


def test_output_is_there_before_the_job_ends_and_input_reaches_it(bench):
    with two(bench) as clusters:
        bsub = Bsub(clusters["west"], "-I", "echo first; read a; echo got $a; read b; exit 3")
        bsub.output.next()
        expect_equal(bsub.output.next(), "first\n", "before anything was typed")
        bsub.type("one")
        expect_equal(bsub.output.next(), "got one\n", "in answer")
        bsub.type("two")
        expect_equal(bsub.wait(60), 3, "its exit code")
    bench.saw("a conversation line by line")


def test_a_terminal_has_keys_signals_and_a_size(bench):
    with two(bench) as clusters:
        west = clusters["west"]
        with Shell(west.environment(), "/") as shell:
            shell.type(f"{alice_line(west)} PS1='remote ' bsub -Is /bin/sh")
            shell.wait_for("<<Starting on n2@east>>", 60)
            shell.type("tty; stty size; echo on $(hostname)")
            shell.wait_for("/dev/pts/", 20)
            shell.wait_for("on n2", 20)
            shell.type("sleep 1000; echo code $?")
            sleeping = lambda: bench.cluster.host("n2").processes(lambda p: p.words == ("sleep", "1000"))
            wait_until(sleeping, lambda: f"sleep on n2: {shell.shown!r}", 20)
            shell.type(CTRL_C)
            wait_until(lambda: not sleeping(), lambda: f"its end: {shell.shown!r}", 20)
            fcntl.ioctl(shell.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 77, 0, 0))
            shell.type("until stty size | grep '33 77'; do sleep 0.1; done; echo chang''ed")  # not as it is echoed
            shell.wait_for("33 77\r\nchanged", 20)
            shell.type("exit 7")
            shell.wait_for(PROMPT, 30)
            expect_equal(shell.exit_code(), 7, "exit code")
            shell.type(f"{alice_line(west)} bsub -Ip 'stty size; exit 4'")
            shell.wait_for("33 77", 60)
            shell.wait_for(PROMPT, 30)
            expect_equal(shell.exit_code(), 4, "exit code of -Ip")
        for job in (1, 2):
            west.wait_for(job, "EXIT")
    bench.saw("a tty of the right size, Ctrl-C, a change of size, exit codes")


def test_the_mapped_user_has_the_job_and_the_submitter_the_terminal(bench):
    with two(bench, mapped=True) as clusters:
        west, east = clusters["west"], clusters["east"]
        done = west.run("bsub", "-I", "id -un; cat", input="typed\n")
        expect_equal((done.returncode, done.stdout.split("\n", 1)[1]), (0, f"{THERE}\ntyped\n"), f"{done.stderr} {west.logs_text()}")
        expect_equal(east.jobs("user"), [THERE], "whose job it is in east")
    bench.saw(f"{HERE} types, {THERE} runs")


def test_a_cut_ends_the_terminal_and_the_job_goes_on(bench):
    with two(bench) as clusters:
        said = expect_a_job_outlives_its_terminal(clusters["west"], clusters["east"], shared(bench))
        expect_in("bsub: n2@east: cluster east: the connection ended; job 1 goes on without its terminal\n", said, "the one line")
    bench.saw("one line, and the job's own exit code")


def test_a_bsub_that_is_killed_ends_its_job(bench):
    with two(bench) as clusters:
        west = clusters["west"]
        bsub = Bsub(west, "-I", "echo begun; exec sleep 1000", start_new_session=True)
        bsub.output.next()
        expect_equal(bsub.output.next(), "begun\n", "its output")
        os.killpg(bsub.process.pid, signal.SIGKILL)
        bsub.wait()
        expect_equal(west.wait_for(1, "EXIT", "DONE", seconds=60), "EXIT", west.logs_text())
    bench.saw("it does not run on")


def test_blaunch_starts_tasks_on_the_hosts_of_a_job_in_another_cluster(bench):
    with two(bench, east=("n2", "n3"), mapped=True) as clusters:
        west = clusters["west"]
        place = shared(bench)
        lines = ["for h in n2 n3; do blaunch $h 'echo $(hostname) $(id -un) $LSB_JOBID'; done", "echo input | blaunch n3 cat",
                 "blaunch n3 exit 9; echo code $?", "blaunch n1 hostname; echo other $?"]
        job = west.bsub("(" + "; ".join(lines) + f") >{place}/said 2>{place}/errors", "-n", "2", "-R", "span[ptile=1]", "-o", "/dev/null")
        west.wait_for(job, "DONE", "EXIT")
        expect_equal(read(f"{place}/said"), f"n2 {THERE} {job}\nn3 {THERE} {job}\ninput\ncode 9\nother 255\n",
                     f"{read(f'{place}/errors')} {west.logs_text()}")
        within = west.run("bsub", "-I", "-n", "2", "-R", "span[ptile=1]", "for h in n2 n3; do blaunch $h hostname; done", input="")
        expect_equal(within.stdout.split("\n", 1)[1], "n2\nn3\n", f"under bsub -I: {within.stderr} {west.logs_text()}")
        # bsub ends with the output. The second host is released after the job's end, by daemons that must live until then.
        shepherds = lambda: bench.cluster.processes(processes.named("shepherd"))
        wait_until(lambda: not shepherds(), lambda: f"the hosts to be released: {shepherds()} {west.logs_text()}", 20)
    bench.saw("both hosts, as the mapped user; a host outside is refused")


def test_files_of_an_interactive_job_are_those_of_the_submission(bench):
    with two(bench, apart=("n2",)) as clusters:
        west = clusters["west"]
        home = west.places[ALICE]
        script = "cat; hostname; echo err >&2; exit 5"
        west.run("sh", "-c", "echo brought >in")
        for option in ("-I", "-Ip"):
            done = west.run("bsub", option, "-i", "in", "-o", f"{home}/out{option}", "-e", f"err{option}", script, input="typed\n")
            expect_equal(done.returncode, 5, f"exit code of {option}: {done.stderr} {west.logs_text()}")
            expect("typed" not in done.stdout and "err\n" not in done.stderr, f"{option}: {done.stdout} {done.stderr}")
            expect_equal(read(f"{home}/out{option}"), "brought\nn2\n", f"{option} -o, as soon as bsub has ended")
            expect_equal(read(f"{home}/err{option}"), "err\n", f"{option} -e")
        done = west.run("bsub", "-I", "-o", "alone", script, input="typed\n")
        expect_equal(read(f"{home}/alone"), "typed\nn2\n", f"-o alone: {done.stderr} {west.logs_text()}")
        expect_in("err\n", done.stderr, "standard error stays bsub's")
        lost = west.run("bsub", "-I", "-i", "none", "true", stdin=subprocess.DEVNULL)
        expect(lost.returncode != 0, "an input that is missing")
        expect_in(f"-i: n1:{home}/none", lost.stderr, "why")
    bench.saw("-i, -o and -e without a shared home, there when bsub ends; what has no file is bsub's")


def requires(_):
    needs_users()


if __name__ == "__main__":
    main(hosts=3, requires=requires)
