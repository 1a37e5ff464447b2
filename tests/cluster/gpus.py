"""bsub -gpu with a site's elim that counts GPUs which are not there: jobs get devices of their own, and wait where none is left."""

import re

from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.files import read_if_there
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

ELIM = "#!/bin/sh\nwhile :; do echo '1 ngpus 2'; sleep 1; done\n"


def with_gpus(bench, hosts, **how):
    batch = BatchCluster(bench, hosts, **how)
    batch.resources.append("ngpus Numeric 5 N (GPUs)")
    batch.map.append("ngpus [default]")
    batch.write_elim("elim.gpus", ELIM)
    batch.write_files()
    return batch


def counted(batch, names):
    """Waits until every host has told how many it has."""
    def all_of_them():
        rows = [line.split() for line in batch.user("lsload", "-I", "ngpus").stdout.splitlines()[1:]]
        return {row[0] for row in rows if len(row) > 2 and row[2].startswith("2")} >= set(names)

    wait_until(all_of_them, lambda: f"GPUs to be counted: {batch.user('lsload', '-I', 'ngpus')}", 30)


def test_two_jobs_have_different_devices_and_the_third_waits(bench):
    with with_gpus(bench, ("n1",)) as batch:
        counted(batch, ("n1",))
        notes = bench.fresh_directory()
        hold = f"echo devices=$CUDA_VISIBLE_DEVICES; until [ -e {notes}/$LSB_JOBID.go ]; do sleep 0.1; done"
        jobs = [batch.bsub(hold, "-gpu", "num=1:mode=exclusive_process", "-o", f"{notes}/out.%J") for _ in range(3)]
        for job in jobs[:2]:
            batch.wait_for(job, "RUN")
            wait_until(lambda: "devices=" in read_if_there(f"{notes}/out.{job}"), "its first line")
        devices = [re.search(r"devices=(.*)", read_if_there(f"{notes}/out.{job}")).group(1) for job in jobs[:2]]
        expect_equal(sorted(devices), ["0", "1"], "devices of the two")
        expect_equal(batch.field(jobs[0], "galloc"), f"n1 {devices[0]}", "bjobs -o gpu_alloc")
        plain = batch.bsub("true", "-o", "/dev/null")  # a job without GPUs starts before it
        batch.wait_for(plain, "DONE")
        expect_equal(batch.field(jobs[2]), "PEND", "the third")
        why = batch.good("bjobs", "-p", "--why", str(jobs[2]))
        expect_in("ngpus", why, "what it waits for")
        # The devices of each job are in the store: a restarted mbatchd gives none of them to another job.
        batch.kill_daemon("mbatchd", "n1")
        batch.start_daemon("mbatchd", "n1")
        batch.wait_for_hosts()
        expect_equal(batch.field(jobs[2]), "PEND", "the third, after a restart")
        open(f"{notes}/{jobs[0]}.go", "w", encoding="ascii").close()
        batch.wait_for(jobs[2], "RUN")
        wait_until(lambda: f"devices={devices[0]}" in read_if_there(f"{notes}/out.{jobs[2]}"), "the device that became free")
        for job in jobs[1:]:
            open(f"{notes}/{job}.go", "w", encoding="ascii").close()
            batch.wait_for(job, "DONE")
    bench.saw(f"devices {devices}, the third job waited for ngpus and got {devices[0]}")


def test_every_host_and_every_task_has_its_own(bench):
    with with_gpus(bench, ("n1", "n2")) as batch:
        counted(batch, ("n1", "n2"))
        notes = bench.fresh_directory()
        job = batch.bsub("echo first $CUDA_VISIBLE_DEVICES; for h in n1 n2; do blaunch $h 'echo $(hostname) $CUDA_VISIBLE_DEVICES'; done",
                         "-n", "2", "-R", "span[ptile=1]", "-gpu", "num=2", "-o", f"{notes}/out", "-K")
        lines = read_if_there(f"{notes}/out").splitlines()[:3]
        expect_equal([lines[0], *sorted(lines[1:])], ["first 0,1", "n1 0,1", "n2 0,1"], f"devices of job {job}")
        each = batch.bsub("true", "-n", "2", "-R", "span[hosts=1]", "-gpu", "num=2/task", "-o", "/dev/null")
        two = batch.bsub("echo $CUDA_VISIBLE_DEVICES", "-n", "2", "-R", "span[hosts=1]", "-gpu", "num=1/task", "-o", f"{notes}/two", "-K")
        expect_equal(read_if_there(f"{notes}/two").splitlines()[0], "0,1", f"two tasks of job {two}")
        expect_equal(batch.field(each), "PEND", "four devices on one host")
        batch.good("bkill", str(each))
    bench.saw("num=2 on two hosts: both devices of each; num=1/task: one for each slot")


def test_bmod_takes_no_device_from_a_job_that_runs(bench):
    with with_gpus(bench, ("n1",)) as batch:
        counted(batch, ("n1",))
        job = batch.bsub("sleep 1000", "-R", "rusage[ngpus=1]", "-o", "/dev/null")
        batch.wait_for(job, "RUN")
        for wanted, code in (("ngpus=2", 255), ("mem=1", 255), ("ngpus=1,mem=1", 0)):
            done = batch.user("bmod", "-R", f"rusage[{wanted}]", str(job))
            expect_equal(done.returncode, code, f"bmod -R {wanted}: {done.stdout}{done.stderr}")
            expect("its GPUs cannot be changed" in done.stderr or code == 0, done.stderr)
        expect_equal(batch.field(job, "galloc"), "n1 0", "its device")
        batch.good("bkill", str(job))
    bench.saw("more or fewer refused, memory beside them taken")


def test_gpu_jobs_are_refused_where_no_elim_counts_gpus(bench):
    with BatchCluster(bench, ("n1",)) as batch:
        done = batch.user("bsub", "-gpu", "num=1", "true")
        expect_equal((done.returncode, done.stdout), (255, ""), "bsub -gpu")
        expect(re.fullmatch(r"-gpu: found no host that counts GPUs, expected .+\. Job not submitted\.\n", done.stderr), done.stderr)
    bench.saw("refused with the names of what would count them")


if __name__ == "__main__":
    main(hosts=2)
