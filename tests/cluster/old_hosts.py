"""RES, shepherd and TaskStarter of the release before, under this mbatchd, these commands and this pam.

ROLLCALL_OLD_BUILD names a build folder of the release before; without one the file is skipped. tests/nightly/old_build.sh makes
one from the commit that the tag or the word in tests/nightly/release_before names, and runs this.
"""

import dataclasses
import os
import subprocess

from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.files import read
from rollcall_testing.job import open_gate
from rollcall_testing.programs import wait_for_ready
from rollcall_testing.runner import Skip, cases, expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

OF_THE_HOSTS = ("res", "shepherd")  # what an old host runs beside its jobs


def old_build(_bench=None):
    folder = os.environ.get("ROLLCALL_OLD_BUILD", "")
    if not folder:
        raise Skip("ROLLCALL_OLD_BUILD names no build of the release before")
    for program in (*OF_THE_HOSTS, "TaskStarter"):
        expect(os.path.exists(os.path.join(folder, "bin", program)), f"ROLLCALL_OLD_BUILD={folder}: no bin/{program}")
    return os.path.abspath(folder)


def mixed_build(bench):
    """A build folder whose programs are this build's but TaskStarter, which pam takes from beside itself."""
    top = bench.fresh_directory("mixed")
    for name in os.listdir(bench.build):
        if name != "bin":
            os.symlink(os.path.join(bench.build, name), os.path.join(top, name))
    subprocess.run(["cp", "-a", bench.bin, os.path.join(top, "bin")], check=True)
    subprocess.run(["cp", "-a", os.path.join(old_build(), "bin", "TaskStarter"), os.path.join(top, "bin")], check=True)
    return dataclasses.replace(bench, build=top)


class OldHosts(BatchCluster):
    def __init__(self, bench):
        super().__init__(mixed_build(bench), ["n1", "n2"])
        for program in OF_THE_HOSTS:
            place = os.path.join(self.etc, program)
            os.unlink(place)
            os.symlink(os.path.join(old_build(), "bin", program), place)


def test_jobs_run_end_and_are_signalled(bench):
    with OldHosts(bench) as batch:
        notes = bench.fresh_directory()
        done = batch.bsub("echo out of $LSB_JOBID; exit 3", "-m", "n2", "-o", f"{notes}/out", "-W", "5", "-M", "500MB")
        expect_equal(batch.wait_for(done, "DONE", "EXIT"), "EXIT", "a job that exits 3")
        expect_equal(batch.field(done, "exit_code"), "3", "its exit code")
        expect_in(f"out of {done}", read(f"{notes}/out"), "its output")
        long = batch.bsub("sleep 300", "-m", "n2", "-o", "/dev/null")
        expect_equal(batch.wait_for(long, "RUN"), "RUN", "a long job")
        batch.good("bstop", str(long))
        expect_equal(batch.wait_for(long, "USUSP"), "USUSP", "after bstop")
        batch.good("bresume", str(long))
        expect_equal(batch.wait_for(long, "RUN"), "RUN", "after bresume")
        batch.good("bkill", str(long))
        expect_equal(batch.wait_for(long, "DONE", "EXIT"), "EXIT", "after bkill")
        limited = batch.bsub("sleep 300", "-m", "n2", "-o", "/dev/null", "-W", "1")
        array = batch.good("bsub", "-J", "many[1-5]", "-o", "/dev/null", "test $LSB_JOBINDEX -ne 3")
        number = array.split("<")[1].split(">")[0]

        def states():
            return sorted(batch.user("bjobs", "-a", "-noheader", "-o", "stat", number).stdout.split())

        wait_until(lambda: states() == ["DONE"] * 4 + ["EXIT"], lambda: f"the array to end: {states()}", 60)
        batch.good("bkill", str(limited))
    bench.saw("exit codes, output, bstop, bresume, bkill, an array")


def test_a_parallel_job_runs_over_blaunch(bench):
    with OldHosts(bench) as batch:
        notes = bench.fresh_directory()
        job = batch.bsub("blaunch hostname", "-n", "2", "-R", "span[ptile=1]", "-o", f"{notes}/out")
        expect_equal(batch.wait_for(job, "DONE", "EXIT"), "DONE", f"blaunch over two hosts\n{batch.logs_text()}")
        lines = read(f"{notes}/out").split("\n")
        expect("n1" in lines and "n2" in lines, f"hosts of the tasks: {lines}")
    bench.saw("a task on each of two hosts")


@cases("openmpi", "mpich")
def test_a_job_under_pam_runs_with_old_task_starters(bench, kind):
    with OldHosts(bench) as batch:
        notes = bench.fresh_directory()
        gate = os.path.join(notes, "gate")
        job = batch.bsub(f"mpirun.lsf {bench.mpi_target(kind)} {notes} waits {gate}", "-a", kind, "-n", "2",
                         "-R", "span[ptile=1]", "-o", f"{notes}/out", "-e", f"{notes}/errors")
        wait_for_ready(notes, 2, seconds=60)
        open_gate(gate)
        expect_equal(batch.wait_for(job, "DONE", "EXIT"), "DONE", read(f"{notes}/out") + read(f"{notes}/errors"))
        expect_in("TID", read(f"{notes}/errors"), "pam's table")
    bench.saw(f"{kind}: both tasks registered, and pam's table")


def test_jobs_outlive_a_restart_of_mbatchd(bench):
    with OldHosts(bench) as batch:
        notes = bench.fresh_directory()
        job = batch.bsub(f"while [ ! -e {notes}/gate ]; do sleep 0.2; done; exit 4", "-m", "n2", "-o", "/dev/null")
        expect_equal(batch.wait_for(job, "RUN"), "RUN", "the job")
        batch.kill_daemon("mbatchd", "n1")
        batch.kill_daemon("res", "n2")
        batch.start_daemon("res", "n2")
        batch.start_daemon("mbatchd", "n1")
        batch.wait_for_hosts()
        expect_equal(batch.field(job), "RUN", "the job after both were killed")
        open_gate(f"{notes}/gate")
        expect_equal(batch.wait_for(job, "DONE", "EXIT"), "EXIT", "its end")
        expect_equal(batch.field(job, "exit_code"), "4", "its exit code")
    bench.saw("mbatchd and RES killed, the job's end known")


if __name__ == "__main__":
    main(hosts=2, requires=old_build)
