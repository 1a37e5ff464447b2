"""Parameters of lsf.conf and lsb.params that change what users see, each with real daemons on one host."""

import glob
import json
import os

from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.runner import expect_equal, expect_in, main


def test_formats_of_the_site_are_used(bench):
    conf = ("LSB_BHOSTS_FORMAT=host_name max\nLSB_BQUEUES_FORMAT=queue_name prio\nLSB_BUSERS_FORMAT=user njobs\n"
            "LSF_LSLOAD_FORMAT=host_name status\nLSB_UNIT_FOR_JOBS_DISPLAY=K")
    with BatchCluster(bench, ["n1"], more_conf=conf, params="DEFAULT_PROJECT = ours") as batch:
        for line, shown in (("bhosts", "HOST_NAME MAX\nn1 4\n"), ("bqueues normal", "QUEUE_NAME PRIORITY\nnormal 30\n"),
                            ("busers root", "USER NJOBS\nroot 0\n"), ("lsload", "HOST_NAME status\nn1 ok\n")):
            expect_equal(batch.good(*line.split()), shown, line)
        expect_equal(batch.good("bhosts", "-o", "host_name run"), "HOST_NAME RUN\nn1 0\n", "what is asked for goes before")
        for line in ("bhosts -w", "bqueues -w", "busers -w", "lsload -l"):
            header = batch.good(*line.split()).splitlines()[0]
            expect_equal(len(header.split()) > 5, True, f"{line} has its own columns: {header}")
        batch.good("bsub", "-H", "-M", "900000", "-o", "/dev/null", "true")
        expect_equal(batch.field(1, "proj memlimit"), "ours 900000.00 K", "DEFAULT_PROJECT, and the unit of sizes")
    bench.saw("four formats, the unit of sizes, the default project")


def limits_of_a_job(bench, conf):
    with BatchCluster(bench, ["n1"], more_conf=conf) as batch:
        notes = bench.fresh_directory()
        batch.good("bsub", "-K", "-M", "900000", "-c", "10", "-o", f"{notes}/out", "ulimit -v; ulimit -t")
        with open(f"{notes}/out", encoding="ascii") as file:
            return file.read().splitlines()[:2]


def test_memory_and_cpu_limits_hold_for_each_process_or_for_the_job(bench):
    """Of each process the kernel, of the job as a whole its shepherd."""
    expect_equal(limits_of_a_job(bench, "LSB_JOB_MEMLIMIT=N\nLSB_JOB_CPULIMIT=N"), ["900000", "600"], "of each process")
    expect_equal(limits_of_a_job(bench, "LSB_JOB_MEMLIMIT=Y\nLSB_JOB_CPULIMIT=Y"), ["unlimited"] * 2, "of the job alone")
    expect_equal(limits_of_a_job(bench, "LSB_MEMLIMIT_ENFORCE=Y"), ["900000", "600"], "of both")
    bench.saw("the kernel's limits of a job's processes with three settings")


PROFILES = """Begin Application
NAME = solver
RUNLIMIT = 7
TASKLIMIT = 3
RES_REQ = rusage[mem=11]
PRE_EXEC = touch {notes}/prepared
POST_EXEC = touch {notes}/cleaned
JOB_STARTER = export ROUND=starter;
REQUEUE_EXIT_VALUES = 55
MAX_JOB_REQUEUE = 0
ENV_VARS = "SOLVER='flow 1',MODE='b'"
End Application
Begin Application
NAME = plain
CHKPNT_DIR = /nowhere
End Application
"""


def test_application_profiles_have_their_effect(bench):
    notes = bench.fresh_directory()
    os.chmod(notes, 0o777)
    with BatchCluster(bench, ["n1"]) as batch:
        unknown = batch.user("bsub", "-app", "solver", "true")
        expect_equal((unknown.returncode, unknown.stderr), (255, "solver: No such application profile. Job not submitted.\n"), "no file")
        batch.write_batch("lsb.applications", PROFILES.format(notes=notes))
        with open(f"{batch.configdir}/lsb.params", encoding="utf-8") as file:
            params = file.read()
        batch.write_batch("lsb.params", params.replace("End Parameters", "DEFAULT_APPLICATION = plain\nEnd Parameters"))
        batch.good("badmin", "reconfig")
        said = batch.user("badmin", "ckconfig", "-v")
        expect_in("CHKPNT_DIR of application profile \"plain\" has no effect", said.stdout + said.stderr, "what does nothing")
        expect_in("DEFAULT_APPLICATION = plain", batch.good("bparams", "-a"), "bparams")

        job = batch.bsub("echo $SOLVER/$MODE/$ROUND; ls", "-app", "solver", "-cwd", notes, "-o", f"{notes}/out")
        expect_equal(batch.wait_for(job, "DONE", "EXIT"), "DONE", "the job of a profile")
        with open(f"{notes}/out", encoding="utf-8") as file:
            words = file.read().split("\n")
        expect_equal((words[0], "prepared" in words), ("flow 1/b/starter", True), "environment, starter, pre-execution")
        held = batch.bsub("true", "-H", "-app", "solver", "-n", "2")
        default = batch.bsub("true", "-H")
        expect_equal(batch.field(held, "app runtimelimit"), "solver 7.0", "fields")
        expect_in("rusage[mem=11", batch.field(held, "combined_resreq"), "the requirement of the profile")
        expect_in("Application <solver>", batch.good("bjobs", "-l", str(held)), "bjobs -l")
        expect_equal(batch.good("bjobs", "-noheader", "-o", "jobid", "-app", "solver").split(), [str(held)], "bjobs -app")
        expect_equal(batch.field(default, "app"), "plain", "DEFAULT_APPLICATION")
        many = batch.user("bsub", "-app", "solver", "-n", "4", "true")
        expect_in("Too many processors requested. Job not submitted.", many.stderr, "TASKLIMIT of the profile")

        rows = {r["APP_NAME"]: r for r in json.loads(batch.good("bapp", "-json"))["RECORDS"]}
        expect_equal((rows["solver"]["PEND"], rows["plain"]["NJOBS"]), ("2", "1"), "bapp counts slots")
        expect_in("RUNLIMIT:  7", batch.good("bapp", "-l", "solver"), "bapp -l")
        expect_in(str(job), batch.good("bacct", "-l", "-app", "solver"), "bacct -app")
        (events,) = glob.glob(f"{batch.work}/*/logdir/lsb.events")
        with open(events, encoding="utf-8") as file:
            new = [line for line in file if line.startswith('"JOB_NEW"') and f" {held} " in line]
        expect_in('"solver"', new[0], "JOB_NEW")

        batch.kill_daemon("mbatchd", "n1")
        batch.start_daemon("mbatchd", "n1")
        batch.wait_for_hosts()
        expect_equal(batch.field(held, "app"), "solver", "after a restart")
        batch.write_batch("lsb.applications", "Begin Application\nNAME = plain\nEnd Application\n")
        batch.good("badmin", "reconfig")
        batch.good("bresume", str(held))
        expect_in("The application profile of the job is not configured", batch.good("bjobs", "-p", str(held)), "a profile that is gone")
        expect_equal(batch.field(held), "PEND", "its job waits")
        batch.good("bmod", "-appn", str(held))
        expect_equal(batch.wait_for(held, "DONE", "EXIT"), "DONE", "bmod -appn lets it go on")
        batch.good("bmod", "-app", "plain", "-n", "1", str(default))
        batch.good("bkill", "0")
    bench.saw("profiles: refusals, limits, programs, counts, a restart, a profile that is gone")


def json_of(batch, *words):
    document = json.loads(batch.good(*words))
    expect_equal((document["COMMAND"], list(document)[2]), (words[0], "RECORDS"), str(words))
    expect_equal(document[list(document)[1]], len(document["RECORDS"]), f"{words}: how many")
    return document["RECORDS"]


def test_json_output_is_valid(bench):
    with BatchCluster(bench, ["n1"]) as batch:
        job = batch.bsub("true", "-o", "/dev/null")
        batch.wait_for(job, "DONE")
        held = batch.bsub("true", "-H")
        expect_equal([(r["JOBID"], r["STAT"]) for r in json_of(batch, "bhist", "-json", str(held))], [(str(held), "PSUSP")], "bhist")
        expect_equal([(r["JOBID"], r["STATUS"]) for r in json_of(batch, "bacct", "-json", str(job))], [(str(job), "done")], "bacct")
        expect_equal(json_of(batch, "bacct", "-json", "-b", str(job))[0]["DONE_JOBS"], "1", "sums of bacct")
        values = {r["NAME"]: r["VALUE"] for r in json_of(batch, "bparams", "-json")}
        expect_equal(values["MBD_SLEEP_TIME"], "10", "bparams")
        expect_equal(batch.user("bapp", "-json").returncode, 255, "no profile: as without -json")
        batch.good("bkill", "0")
    bench.saw("JSON of bhist, bacct, bparams")


if __name__ == "__main__":
    main(hosts=1, patience=10)
