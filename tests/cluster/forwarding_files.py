"""What a job in another cluster writes: read from where it was submitted, by way of the two masters."""

import os

from rollcall_testing.federation import ALICE, BOB, Federation
from rollcall_testing.files import read
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

SENDS = "Begin Queue\nQUEUE_NAME = send\nPRIORITY = 30\nSNDJOBS_TO = receive@east\nHOSTS = none\nEnd Queue\n"
RECEIVES = "Begin Queue\nQUEUE_NAME = receive\nPRIORITY = 30\nRCVJOBS_FROM = west\nEnd Queue\n"


def two(bench, **how):
    return Federation(bench, {"west": ("n1",), "east": ("n2",)}, slots={"east": 4}, queues={"west": SENDS, "east": RECEIVES},
                      params={"west": "DEFAULT_QUEUE = send"}, **how)


def begun(west, job, name="begun"):
    wait_until(lambda: os.path.exists(f"{west.places[ALICE]}/{name}"), lambda: f"the job to begin: {west.logs_text()}")
    west.wait_for(job, "RUN")


def test_bpeek_shows_what_the_job_has_written_in_the_other_cluster(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        job = west.bsub("echo first; head -c 200000 /dev/zero | tr '\\0' x; echo; echo wrong >&2; touch begun; sleep 1000", "-e", "err.%J")
        begun(west, job)
        expect_equal(west.run("bpeek", str(job)).stdout,
                     "<< output from stdout >>\nfirst\n" + "x" * 200_000 + "\n\n<< output from stderr >>\nwrong\n", "bpeek")
        other = west.run("bpeek", str(job), user=BOB)
        expect_equal((other.returncode, other.stdout), (255, ""), "bpeek of another user")
        expect_in("no such job of yours runs in cluster east", other.stderr, "bpeek of another user")
        expect_in("first\n", west.user("bpeek", str(job)).stdout, "bpeek of root")
        east.kill_daemon("mbatchd", "n2")
        wait_until(lambda: ": connected" not in west.standing("east"), lambda: west.standing("east"), 60)
        away = west.run("bpeek", str(job))
        expect_equal(away.returncode, 255, "while the other master is away")
        expect_in("cluster east is not connected", away.stderr, "while the other master is away")
        east.start_daemon("mbatchd", "n2")
        west.wait_for_connection("east")
        west.run("bkill", str(job))
        west.wait_for(job, "EXIT")
    bench.saw("both streams, 200 KB, others refused, a master that is away named")


def test_bpeek_follows_a_job_through_the_death_of_a_master(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        home = west.places[ALICE]
        job = west.bsub("echo first; touch begun; while [ ! -e go ]; do sleep 0.1; done; echo last; while [ ! -e end ]; do sleep 0.1; done")
        begun(west, job)
        west.run("sh", "-c", f"(bpeek -f {job}; echo code $?) >followed 2>&1 </dev/null &")
        followed = lambda: read(f"{home}/followed")
        wait_until(lambda: "first" in followed(), lambda: f"bpeek -f to begin: {followed()}")
        east.kill_daemon("mbatchd", "n2")
        wait_until(lambda: "Please wait" in followed(), lambda: f"bpeek -f to wait: {followed()}", 60)
        east.start_daemon("mbatchd", "n2")
        west.wait_for_connection("east")
        open(f"{home}/go", "w").close()
        wait_until(lambda: "last" in followed(), lambda: f"bpeek -f to go on: {followed()}", 60)
        open(f"{home}/end", "w").close()
        west.wait_for(job, "DONE")
        wait_until(lambda: "code" in followed(), lambda: f"bpeek -f to end: {followed()}", 60)
        shown = [line for line in followed().splitlines() if "Please wait" not in line]
        expect_equal(shown, ["<< output from stdout >>", "first", "last", "code 0"], "what it showed")
    bench.saw("each line once")


def requires(_):
    needs_users()


if __name__ == "__main__":
    main(hosts=2, requires=requires)
