"""What bsub brings to a job's host and back: -f through lsrcp, -is and -Zs; and limits that bmod changes while the job runs."""

import os
import re

from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.files import read
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.terminal import CTRL_C, CTRL_Z, Shell
from rollcall_testing.waiting import wait_until

BOTH = ("n1", "n2")


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def test_lsrcp_copies_both_ways(bench):
    with BatchCluster(bench, BOTH) as batch:
        notes = bench.fresh_directory()
        write(f"{notes}/a b", "x" * 300_000 + "\n")
        os.chmod(f"{notes}/a b", 0o750)
        batch.good("lsrcp", f"{notes}/a b", f"n2:{notes}/$there")
        expect_equal(read(f"{notes}/$there"), read(f"{notes}/a b"), "there")
        expect_equal(os.stat(f"{notes}/$there").st_mode & 0o777, 0o750, "permissions of a new file")
        batch.good("lsrcp", "-a", f"n2:{notes}/$there", f"{notes}/a b")
        expect_equal(os.path.getsize(f"{notes}/a b"), 600_002, "added to what was there")
        before = os.stat(f"{notes}/a b")
        for words in ((f"{notes}/a b", f"n2:{notes}/a b"), (f"n2:{notes}/a b", f"{notes}/a b"), (f"n1:{notes}/a b", f"{notes}/a b")):
            batch.good("lsrcp", "-a", *words)
        expect_equal(os.stat(f"{notes}/a b"), before, "one file that both hosts share")
        for code, words, said in ((1, (f"n2:{notes}/none", f"{notes}/x"), f"lsrcp: n2:{notes}/none: cannot read it: there is no such file\n"),
                                  (1, (f"{notes}/none", f"n2:{notes}/x"), f"lsrcp: {notes}/none: cannot read it: No such file or directory\n"),
                                  (1, (f"n2:{notes}", f"{notes}/x"), f"lsrcp: n2:{notes}: cannot read it: found no regular file"),
                                  (2, (f"{notes}/a b", f"n2:{notes}/none/x"), f"lsrcp: n2:{notes}/none/x: cannot write it")):
            done = batch.user("lsrcp", *words)
            expect_equal((done.returncode, done.stdout), (code, ""), f"lsrcp {words}: {done.stderr}")
            expect_in(said, done.stderr, f"lsrcp {words}")
        batch.kill_daemon("res", "n2")
        away = batch.user("lsrcp", f"{notes}/a b", f"n2:{notes}/y")
        expect_equal(away.returncode, 3, f"without a RES: {away.stderr}")
    bench.saw("both ways, added, one file left alone, four failures, no RES")


def test_files_are_copied_to_the_job_and_back(bench):
    with BatchCluster(bench, BOTH) as batch:
        here, there = bench.fresh_directory("here"), bench.fresh_directory("there")
        write(f"{here}/in", "input\n")
        write(f"{here}/log", "first\n")
        write(f"{here}/both", "before\n")
        command = f"cd {there}; cat in >out; echo second >log; cat both >>out; echo after >both"
        write(f"{there}/same", "shared\n")
        job = batch.bsub(command, "-K", "-m", "n2", "-o", f"{there}/stdout", "-f", f"{here}/in > {there}/in",
                         "-f", f"{here}/out.%J < {there}/out", "-f", f"{here}/log << {there}/log", "-f", f"{here}/both <> {there}/both",
                         "-f", f"{there}/same ><")
        # bsub -K has ended: the files are there.
        expect_equal(read(f"{here}/out.{job}"), "input\nbefore\n", "what came back")
        expect_equal(read(f"{here}/log"), "first\nsecond\n", "what was added")
        expect_equal(read(f"{here}/both"), "after\n", "what went and came")
        expect_equal(read(f"{there}/same"), "shared\n", "what both hosts share")
    bench.saw("all five operators, a shared file left alone, before bsub -K ends")


def test_a_missing_file_is_named(bench):
    with BatchCluster(bench, BOTH, params="MAX_PREEXEC_RETRY = 1") as batch:
        notes = bench.fresh_directory()
        job = batch.bsub(f"touch {notes}/ran", "-m", "n2", "-o", "/dev/null", "-f", f"{notes}/none > {notes}/in")
        wait_until(lambda: batch.field(job) == "PSUSP", lambda: batch.user("bjobs", "-l", str(job)).stdout, 30)
        said = batch.good("bjobs", "-UF", str(job))
        expect_in(f"-f: cannot copy n1:{notes}/none to {notes}/in: it cannot be read", said, "why")
        expect(not os.path.exists(f"{notes}/ran"), "the job has not run")
        batch.good("bkill", str(job))
        job = batch.bsub("true", "-K", "-m", "n2", "-o", "/dev/null", "-e", f"{notes}/err", "-f", f"{notes}/back < {notes}/none")
        expect_equal(batch.wait_for(job, "DONE", "EXIT"), "DONE", "a file that does not come back is no failure of the job")
        expect_in(f"lsrcp: {notes}/none: cannot read it", read(f"{notes}/err"), "the job's error file")
    bench.saw("held after MAX_PREEXEC_RETRY with the file's name; the error file tells what did not come back")


def test_input_and_script_are_copied_at_submission(bench):
    with BatchCluster(bench, BOTH[:1]) as batch:
        notes = bench.fresh_directory()
        write(f"{notes}/in", "as it was\n")
        write(f"{notes}/job.sh", "#!/bin/bash\necho as it was $1 $# ${BASH_VERSION:+bash}; cat\n")
        os.chmod(f"{notes}/job.sh", 0o755)
        job = batch.good("bsub", "-H", "-o", f"{notes}/out", "-is", f"{notes}/in", "-Zs", f"{notes}/job.sh", "a  b", "c")
        number = re.search(r"<(\d+)>", job).group(1)
        write(f"{notes}/in", "changed\n")
        write(f"{notes}/job.sh", "echo changed\n")
        batch.good("bresume", number)
        batch.wait_for(number, "DONE", "EXIT")
        expect(read(f"{notes}/out").startswith("as it was a b 2 bash\nas it was\n"), read(f"{notes}/out"))
        missing = batch.user("bsub", "-is", f"{notes}/none", "cat")
        expect_equal((missing.returncode, missing.stderr),
                     (255, f"bsub: -is: {notes}/none: No such file or directory. Job not submitted.\n"), "no such file")
    bench.saw("-is and -Zs: what was there at submission")


def test_bmod_changes_limits_of_a_running_job(bench):
    with BatchCluster(bench, BOTH) as batch:
        job = batch.bsub("sleep 1000", "-W", "60", "-c", "10", "-o", "/dev/null", "-m", "n2")
        batch.wait_for(job, "RUN")

        def seconds_of_cpu():
            for process in bench.cluster.host("n2").processes(lambda p: p.words == ("sleep", "1000")):
                return re.search(r"Max cpu time +(\S+) +(\S+)", read(f"/proc/{process.pid}/limits")).groups()
            return None

        wait_until(seconds_of_cpu, "the job's sleep")
        expect_equal(seconds_of_cpu()[0], "600", "-c 10 as the kernel keeps it")
        batch.good("bmod", "-c", "20", str(job))
        wait_until(lambda: seconds_of_cpu()[0] == "1200", lambda: f"bmod -c 20 to reach the process: {seconds_of_cpu()}")
        expect_equal(batch.good("bmod", "-M", "900GB", str(job)), f"Parameters of job <{job}> are being changed\n", "bmod -M")
        refused = batch.user("bmod", "-S", "5000", str(job))
        expect_equal(refused.returncode, 255, "bmod -S")
        expect_in("Job has already started: only -c -M -p -T -v -W ", refused.stderr, "bmod -S")
        expect_equal(batch.field(job), "RUN", "it goes on")
        batch.good("bmod", "-p", "1", str(job))  # a shell and its sleep are two
        expect_equal(batch.wait_for(job, "EXIT", "DONE"), "EXIT", "its end")
        wait_until(lambda: "TERM_PROCESSLIMIT" in batch.good("bjobs", "-UF", str(job)), "the reason")
    bench.saw("bmod -p 1 reaches the shepherd: TERM_PROCESSLIMIT; -S is refused")


def test_a_running_job_gives_back_what_it_reserves(bench):
    with BatchCluster(bench, BOTH[:1]) as batch:
        wait_until(lambda: "47.5" in batch.user("lsload", "-I", "scratch").stdout, "the elim's number", 30)
        first = batch.bsub("sleep 1000", "-R", "rusage[scratch=40]", "-o", "/dev/null")
        batch.wait_for(first, "RUN")
        second = batch.bsub("sleep 1000", "-R", "rusage[scratch=20]", "-o", "/dev/null")
        why = lambda: batch.good("bjobs", "-p", str(second))
        wait_until(lambda: "scratch" in why(), lambda: f"what it waits for: {why()}")
        refused = batch.user("bmod", "-o", "/tmp/other", str(first))
        expect_equal(refused.returncode, 255, "bmod -o")
        expect_in("its output goes directly to its files", refused.stderr, "why")
        batch.good("bmod", "-R", "rusage[scratch=10]", str(first))
        batch.wait_for(second, "RUN")
        expect_in("rusage[scratch=10", batch.good("bjobs", "-UF", str(first)), "bjobs tells it")
        batch.good("bkill", "0")
    bench.saw("bmod -R of a running job: the next one has room")


def test_the_stop_key_of_a_terminal(bench):
    with BatchCluster(bench, BOTH) as batch:
        prefix = " ".join(bench.cluster.host("n1").entering())
        on_n2 = bench.cluster.host("n2")

        def state():
            found = on_n2.processes(lambda p: p.words == ("sleep", "1000"))
            return found[0].state if found else None

        with Shell(batch.environment(), "/") as shell:
            shell.type(f"{prefix} bsub -Ip -m n2 'echo ready; sleep 1000; exit 3'")
            shell.wait_for("ready")
            wait_until(lambda: state() == "S", "the sleep on n2")
            shell.type(CTRL_Z)
            shell.wait_for("<prompt>")  # the shell has its terminal back
            wait_until(lambda: state() == "T", lambda: f"it to stop: {state()}")
            shell.type("fg")
            wait_until(lambda: state() == "S", lambda: f"it to go on: {state()}")
            shell.type(CTRL_C)
            shell.wait_for("<prompt>")
    bench.saw("Ctrl-Z stops the job on n2 and bsub, fg lets both go on")


main(hosts=2)
