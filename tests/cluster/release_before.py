"""What the release before has left: its store under this mbatchd, its event files under these commands.

The files are those of tests/fixtures/release_before; make.py there says how they were made.
"""

import importlib.util
import os
import shutil

from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.runner import expect_equal, main
from rollcall_testing.waiting import wait_until

LONG_KEPT = "CLEAN_PERIOD = 1000000000\n"  # seconds: the finished jobs of the fixture get older every day
FIXTURE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "release_before")


def made_by():
    spec = importlib.util.spec_from_file_location("make", os.path.join(FIXTURE, "make.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def recorded(name):
    with open(os.path.join(FIXTURE, name), encoding="utf-8") as file:
        return file.read()


def test_every_job_of_its_store_is_here_with_its_fields(bench):
    batch = BatchCluster(bench, ["n1", "n2"], params=LONG_KEPT)
    os.mkdir(os.path.join(batch.work, "test"), 0o700)
    store = shutil.copy(os.path.join(FIXTURE, "jobs.db"), os.path.join(batch.work, "test"))
    os.chmod(store, 0o600)
    batch.start()
    batch.wait_for_master("n1")
    batch.start_daemon("mbatchd", "n1")  # and no RES, so no job changes
    try:
        jobs = lambda: batch.user("bjobs", "-a", "-u", "all", "-noheader", "-o", f"{made_by().FIELDS} delimiter='|'")
        wait_until(lambda: jobs().returncode == 0, lambda: f"mbatchd to answer: {jobs()}\n{batch.logs_text()}", 30)
        expect_equal(jobs().stdout, recorded("jobs.txt"), "the jobs of the store")
        next_job = batch.bsub("true", "-H", "-o", "/dev/null")
        expect_equal(next_job, 11, "the number of the next job")
    finally:
        batch.stop_all()
    bench.saw("13 jobs in every state, and the next number")


def test_its_event_files_are_read_as_before(bench):
    with BatchCluster(bench, ["n1"]) as batch:
        for name, words in made_by().HISTORIES.items():
            said = batch.good(*(word.format(files=FIXTURE) for word in words), env=batch.environment(TZ="UTC"))
            expect_equal(said, recorded(name), " ".join(words))
    bench.saw("bhist and bacct of its files")


if __name__ == "__main__":
    main(hosts=2)
