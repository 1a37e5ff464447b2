"""Orders to jobs, with real daemons on one host: signals of bkill, states, what is refused by name, a pre-execution that ends
its job, a job that is no longer remembered."""

import os
import re

from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

STUBBORN = "trap '' INT TERM; echo ready >{path}; while :; do sleep 0.1; done"


def test_a_kill_by_name_does_not_wait(bench):
    with BatchCluster(bench, ["n1"], params="JOB_TERMINATE_INTERVAL = 3600") as batch:
        notes = bench.fresh_directory()
        job = batch.bsub(STUBBORN.format(path=f"{notes}/ready"), "-o", "/dev/null")
        wait_until(lambda: os.path.exists(f"{notes}/ready"), "the job's first line")
        expect_equal(batch.good("bkill", "-s", "KILL", str(job)), f"Job <{job}> is being terminated\n", "its words")
        expect_equal(batch.wait_for(job, "EXIT", "DONE"), "EXIT", "its end, an hour before bkill alone would send KILL")
        expect_equal(batch.field(job, "exit_code"), "137", "exit code")
        expect_in("TERM_OWNER", batch.good("bjobs", "-UF", str(job)), "the reason")
    bench.saw("KILL at once, 137, TERM_OWNER")


def test_orders_that_do_not_fit_a_jobs_state_are_refused(bench):
    with BatchCluster(bench, ["n1"]) as batch:
        runs = batch.bsub("sleep 1000", "-o", "/dev/null")
        held = batch.bsub("sleep 1000", "-o", "/dev/null", "-H")
        batch.wait_for(runs, "RUN")
        expect_equal(batch.good("bkill", "-stat", "pend"), f"Job <{held}> is being terminated\n", "bkill -stat pend")
        expect_equal((batch.wait_for(held, "EXIT"), batch.field(runs)), ("EXIT", "RUN"), "the other one goes on")
        batch.good("bstop", "-a", str(runs))
        batch.wait_for(runs, "USUSP")
        for words, said in ((("bkill", "-stat", "done"), "-stat: found \"done\", expected run, pend or susp"),
                            (("bkill", "-cname", str(runs)), "-cname: a command is given in the cluster where the job was submitted"),
                            (("bswitch", "-a", "x", "priority", str(runs)), "-a: esubs run when a job is submitted"),
                            (("badmin", "perfmon", "view"), "perfmon: not supported in this release"),
                            (("brun", "-b", "-m", "n1", str(runs)), "-b: jobs are not checkpointed")):
            done = batch.user(*words)
            expect_equal((done.returncode, done.stdout), (255, ""), f"{words}")
            expect_in(said, done.stderr, f"{words}")
        expect_equal(batch.good("bkill", "-stat", "susp"), f"Job <{runs}> is being terminated\n", "bkill -stat susp")
        batch.wait_for(runs, "EXIT")
    bench.saw("pend and susp by state; five refused by name")


def test_a_pre_execution_that_ends_its_job(bench):
    with BatchCluster(bench, ["n1"]) as batch:
        notes = bench.fresh_directory()
        job = batch.bsub(f"touch {notes}/ran", "-o", "/dev/null", "-E", f"echo x >>{notes}/tries; exit $LSB_EXIT_PRE_ABORT")
        expect_equal(batch.wait_for(job, "EXIT", "DONE"), "EXIT", "its end")
        expect_equal(batch.field(job, "exit_code"), "99", "exit code")
        with open(f"{notes}/tries", encoding="ascii") as file:
            expect_equal(file.read(), "x\n", "how often it was tried")
        expect(not os.path.exists(f"{notes}/ran"), "nothing of the job ran")
    bench.saw("EXIT 99 after one try")


def test_a_job_that_was_cleaned_is_found_where_it_is_wanted(bench):
    """Programs that look seldom find their job gone after CLEAN_PERIOD; ROLLCALL_BJOBS_HISTORY has bjobs ask the store."""
    with BatchCluster(bench, ["n1"], params="CLEAN_PERIOD = 1") as batch:
        job = str(batch.bsub("exit 5", "-o", "/dev/null"))

        def asked(**more):
            return batch.user("bjobs", "-noheader", "-o", "jobid stat exit_code", job, env=batch.environment(**more))

        wait_until(lambda: asked().returncode == 255, lambda: f"it to be cleaned: {asked()}", 30)
        expect_equal((asked().stdout, asked().stderr), ("", f"Job <{job}> is not found\n"), "as LSF has it")
        expect_equal(asked(ROLLCALL_BJOBS_HISTORY="Y").stdout, f"{job} EXIT 5\n", "from the store")
    bench.saw("gone after CLEAN_PERIOD; there with ROLLCALL_BJOBS_HISTORY=Y")


def test_job_parameters_of_lsf_conf_have_their_effect(bench):
    conf = "LSF_UNIT_FOR_LIMITS=MB\nLSB_USE_SEQUENTIAL_SIGNAL=Y\nLSB_SIGSTOP=USR1\nLSB_BSUB_PARSE_SCRIPT=N"
    # However slow the machine is, TERM does not overtake the job's answer to INT.
    with BatchCluster(bench, ["n1"], more_conf=conf, params="JOB_TERMINATE_INTERVAL = 60") as batch:
        notes = bench.fresh_directory()
        done = batch.user("bsub", "-H", "-M", "100", "-v", "1G", "-o", "/dev/null", "-R", "rusage[mem=50]", "--verbose", "true")
        for part in ("Memory limit: 100 MB.", "Swap limit: 1 GB.", "Reserves: rusage[mem=50]."):
            expect_in(part, done.stderr, "the effective limits, at submission")
        batch.good("bmod", "-M", "200", "1")
        expect(re.search(r"MEMLIMIT +SWAPLIMIT *\n 200 M +1 G", batch.good("bjobs", "-l", "1")), batch.good("bjobs", "-l", "1"))
        traps = f"trap 'exit 7' INT; trap 'touch {notes}/stopped' USR1; touch {notes}/ready; while :; do sleep 0.1; done"
        job = batch.bsub(traps, "-n", "2", "-o", "/dev/null")
        wait_until(lambda: os.path.exists(f"{notes}/ready"), "the job's first line")
        batch.good("bstop", str(job))
        wait_until(lambda: os.path.exists(f"{notes}/stopped"), "USR1 instead of STOP")
        batch.good("bresume", str(job))
        batch.wait_for(job, "RUN")
        batch.good("bkill", str(job))
        expect_equal((batch.wait_for(job, "EXIT", "DONE"), batch.field(job, "exit_code")), ("EXIT", "7"), "INT before KILL, of a parallel job")
        path = os.path.join(notes, "job.sh")
        with open(path, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n#BSUB -J of_the_script\ntrue\n")
        os.chmod(path, 0o755)
        batch.good("bsub", "-K", "-o", "/dev/null", path)
        expect_equal(batch.field(job + 1, "name"), path, "a file that is never a script")
    bench.saw("units, INT first for a parallel job, the signal of bstop, files that are no scripts")


def test_signals_of_bkill_by_the_number_of_slots(bench):
    """LSB_USE_SEQUENTIAL_SIGNAL: with N (LSF's default) a job of 2 slots is killed at once; with Y (the templates) it cleans up."""
    trap = "trap 'touch {n}/cleaned.{k}; exit 7' INT; touch {n}/ready.{k}; while :; do sleep 0.1; done"
    for setting, slots, code in (("N", 2, "137"), ("N", 1, "7"), ("Y", 2, "7")):
        # However slow the machine is, TERM does not overtake the job's answer to INT.
        with BatchCluster(bench, ["n1"], more_conf=f"LSB_USE_SEQUENTIAL_SIGNAL={setting}", params="JOB_TERMINATE_INTERVAL = 60") as batch:
            notes = bench.fresh_directory()
            job = batch.bsub(trap.format(n=notes, k=slots), "-n", str(slots), "-o", "/dev/null")
            wait_until(lambda: os.path.exists(f"{notes}/ready.{slots}"), "the job's first line")
            batch.good("bkill", str(job))
            expect_equal((batch.wait_for(job, "EXIT", "DONE"), batch.field(job, "exit_code")), ("EXIT", code), f"{setting}, {slots} slots")
            expect_equal(os.path.exists(f"{notes}/cleaned.{slots}"), code == "7", "whether it could clean up")
            if (setting, slots) == ("Y", 2):  # a program that catches the signal and succeeds
                good = batch.bsub(trap.format(n=notes, k="good").replace("exit 7", "exit 0"), "-n", "2", "-o", "/dev/null")
                wait_until(lambda: os.path.exists(f"{notes}/ready.good"), "the job's first line")
                batch.good("bkill", str(good))
                expect_equal(batch.wait_for(good, "EXIT", "DONE"), "DONE", "0 is success, also behind bkill")
    bench.saw("KILL alone with N and 2 slots; else INT first; exit 0 is DONE")


def test_output_that_has_no_place_is_told_of(bench):
    """A -o that cannot be opened, and output to mail without a mail program: bjobs -l, bhist -l and the log say where it is."""
    tmp = bench.fresh_directory("tmp")
    with BatchCluster(bench, ["n1"], more_conf=f"LSB_MAILPROG=/nonexistent/mailer\nLSF_TMPDIR={tmp}") as batch:
        lost = batch.bsub("echo of the first", "-o", "/nonexistent/folder/out")
        mailed = batch.bsub("echo of the second")
        quiet = batch.bsub("true")
        for job in (lost, mailed, quiet):
            expect_equal(batch.wait_for(job, "DONE", "EXIT"), "DONE", "its end")
        for job, text in ((lost, "of the first"), (mailed, "of the second")):
            where = f"the output is in {tmp}/{job}.out on n1"
            with open(f"{tmp}/{job}.out", encoding="utf-8") as file:
                expect(file.read().startswith(f"{text}\n"), f"the output of {job}")
            expect_in(where, batch.good("bjobs", "-UF", str(job)), "bjobs -l")
            expect_in(where, re.sub(r"\n {21}", "", batch.good("bhist", "-l", str(job))), "bhist -l")
            expect_in(where, batch.daemon_log_text("res", "n1"), "RES's log")
        expect("output is" not in batch.good("bjobs", "-UF", str(quiet)), "a job that has written nothing")
        expect(not os.path.exists(f"{tmp}/{quiet}.out"), "a file of nothing")
    bench.saw("both files, in three places")


if __name__ == "__main__":
    main(hosts=1, patience=10)
