"""A store that was made anew or replaced by an older one: the reason why hosts refuse it, and the command that ends that."""

import os
import shutil

from rollcall_testing import processes
from rollcall_testing.own_cluster import OwnCluster
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until


def is_alive(pid):
    process = processes.read_process(pid)
    return bool(process and process.alive)


def running_job(own):
    """A job that runs until it is killed; its number and pid."""
    note = own.path("pid")
    if os.path.exists(note):
        os.remove(note)
    job = own.submit(f"echo $$ >{note}.new; mv {note}.new {note}; exec sleep infinity")
    wait_until(lambda: os.path.exists(note), lambda: f"the job to run\n{own.logs()}", 60)
    with open(note, encoding="ascii") as file:
        return job, int(file.read())


def grow_term(own):
    """Every start of mbatchd is a new term."""
    for _ in range(3):
        own.good("lsf_daemons", "restart", "mbatchd")
        own.wait_for_host("ok")


def store(own):
    return own.path("work", os.listdir(own.path("work"))[0])


def remove_store(own):
    for name in os.listdir(store(own)):
        if name.startswith("jobs.db"):
            os.remove(os.path.join(store(own), name))


def wait_for_reason(own):
    wait_until(lambda: "HOST IS NOT TAKEN: the RES of" in own.run("bhosts", "-l").stdout,
               lambda: f"the reason in bhosts -l: {own.run('bhosts', '-l')}\n{own.logs()}", 60)
    said = own.good("bhosts", "-l")
    expect_in(f'its store was made anew or put back to an older one; "badmin hforget {own.host}" ends the jobs', said, "bhosts -l")
    expect_in(f"hosts with orders of another store: {own.host}", own.good("badmin", "showstatus"), "badmin showstatus")


def test_hforget_ends_the_jobs_of_a_new_store(bench):
    with OwnCluster(bench) as own:
        own.start()
        job, pid = running_job(own)
        grow_term(own)
        own.good("lsf_daemons", "stop", "mbatchd")
        remove_store(own)
        own.good("lsf_daemons", "start", "mbatchd")
        wait_for_reason(own)
        new = own.submit("true")
        expect_equal(new, job, "the number is used again")
        expect_equal((own.job_status(new), is_alive(pid)), ("PEND", True), "before anybody has said so, nothing ends")

        done = own.run("badmin", "hforget")
        expect_equal(done.returncode, 255, "no host")
        expect_in("no host is named", done.stderr, "no host")
        done = own.run("badmin", "hforget", own.host)  # its input ends before an answer
        expect_equal(done.returncode, 255, "no answer")
        expect_in(f"and has 1 jobs: {job}; what runs of them is killed, and no mbatchd learns how they ended", done.stdout,
                  "what is lost")
        expect(is_alive(pid), "nothing was done")

        said = own.good("badmin", "hforget", "-f", own.host)
        expect_in(f"RES on {own.host} ends its jobs and forgets them\n", said, "hforget")
        wait_until(lambda: not is_alive(pid), lambda: f"the job of the older store to end\n{own.logs()}", 30)
        own.wait_for_host("ok")
        expect("NOT TAKEN" not in own.good("bhosts", "-l"), "no reason any more")
        wait_until(lambda: own.job_status(new) == "DONE", lambda: f"the new job: {own.job_status(new)}\n{own.logs()}", 60)
        done = own.run("badmin", "hforget", "-f", own.host)
        expect_equal(done.returncode, 255, "a host that is taken")
        expect_in("there is nothing to forget", done.stdout, "a host that is taken")


def test_hforget_ends_the_jobs_of_a_restored_store(bench):
    with OwnCluster(bench) as own:
        own.start()
        job, pid = running_job(own)
        own.good("lsf_daemons", "stop", "mbatchd")
        backup = own.path("backup")
        shutil.copytree(store(own), backup)
        own.good("lsf_daemons", "start", "mbatchd")
        own.wait_for_host("ok")
        grow_term(own)
        own.good("lsf_daemons", "stop", "mbatchd")
        remove_store(own)
        shutil.copytree(backup, store(own), dirs_exist_ok=True)
        own.good("lsf_daemons", "start", "mbatchd")
        wait_for_reason(own)
        own.good("badmin", "hforget", "-f", "all")
        own.wait_for_host("ok")
        wait_until(lambda: own.job_status(job) == "EXIT", lambda: f"the job that is lost: {own.job_status(job)}\n{own.logs()}", 60)
        expect(not is_alive(pid), "its process")
        other, _ = running_job(own)
        own.good("bkill", str(other))
        wait_until(lambda: own.job_status(other) == "EXIT", "the end of a job after it", 60)


if __name__ == "__main__":
    main()
