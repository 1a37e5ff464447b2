"""Commands for jobs in another cluster that is out of reach: they wait or are kept, have their effect once, and start no second attempt."""

import os
import pwd
import signal
import subprocess

from forwarding import RECEIVES, SENDS, two
from forwarding_choice import history, long_of
from forwarding_lost import wait_until_gone
from rollcall_testing.cluster_links import Reset
from rollcall_testing.federation import ALICE, BOB
from rollcall_testing.files import read
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

# Each start is a line of its own, and so is the end by a signal; a start beside a run that goes on is told.
STARTS = """if [ -e {0}.pid ] && kill -0 $(cat {0}.pid); then echo beside another run >>{0}; fi
echo $$ >{0}.pid; echo start >>{0}; trap 'echo end >>{0}; exit 1' INT TERM
[ $(grep -c start {0}) -gt 1 ] || {{ sleep 1000 & wait; }}"""


def begin(side, *words):
    """A command of Alice's that runs beside the test."""
    name, group = pwd.getpwuid(ALICE).pw_name, pwd.getpwuid(ALICE).pw_gid
    line = ["setpriv", f"--reuid={ALICE}", f"--regid={group}", "--init-groups", "--", *words]
    environment = side.environment(HOME=side.places[ALICE], USER=name, LOGNAME=name)
    return side.bench.cluster.host(side.names[0]).popen(line, env=environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                                        stderr=subprocess.STDOUT)


def restart_master(side):
    side.kill_daemon("mbatchd", side.names[0])
    side.start_daemon("mbatchd", side.names[0])


def lines_of(west, name):
    return read(f"{west.places[ALICE]}/{name}").split()


def test_brequeue_and_bkill_r_start_nothing_before_the_cut_off_cluster_says_that_the_run_is_over(bench):
    """West has a free slot, and its queue may use it: only the attempt in east keeps the jobs from a second start."""
    queues = {"west": SENDS.format(to="receive@east", hosts="all"), "east": RECEIVES.format(of="west")}
    with two(bench, slots={"west": 2, "east": 2}, queues=queues) as clusters:
        west, east = clusters["west"], clusters["east"]
        own = [west.bsub("sleep 1000", "-q", "send", "-o", "/dev/null", user=BOB) for _ in range(2)]
        for job in own:
            west.wait_for(job, "RUN")
        again, killed = (west.bsub(STARTS.format(name), "-q", "send", "-o", "/dev/null", *options) for name, options in
                         (("again", ()), ("killed", ("-r",))))
        for job, name in ((again, "again"), (killed, "killed")):
            west.wait_for(job, "RUN")
            wait_until(lambda at=f"{west.places[ALICE]}/{name}": os.path.exists(at), f"the first start of {name}")
        cut = Reset(bench, clusters, [west, east])
        cut.begin()
        wait_until_gone(west, "east")
        expect_equal(west.run("brequeue", str(again)).returncode, 0, "brequeue")
        expect_equal(west.run("bkill", "-r", str(killed)).returncode, 0, "bkill -r")
        restart_master(west)
        west.user("bkill", *map(str, own))
        for _ in range(2):  # cycles with free slots
            west.wait_for(west.bsub("true", "-q", "send", "-o", "/dev/null"), "DONE")
        expect_equal([west.field(job, "stat exec_host") for job in (again, killed)], ["RUN n2@east"] * 2, "while the link is cut")
        expect_equal([lines_of(west, name) for name in ("again", "killed")], [["start"]] * 2, "starts")
        cut.end()
        west.wait_for_connection("east")
        west.wait_for(again, "DONE")
        west.wait_for(killed, "EXIT")
        expect_equal(lines_of(west, "again"), ["start", "end", "start"], "the second start behind the end of the first")
        expect_equal(lines_of(west, "killed"), ["start"], "the killed job, though it is rerunnable")
        expect_equal(west.field(again, "exec_host"), "n1", "where it ran again")
    bench.saw("each started once before the link was back; then one second start, of the requeued job")


def test_a_stop_of_a_job_whose_cluster_is_cut_off_is_said_to_wait(bench):
    queues = {"west": SENDS.format(to="receive@east", hosts="none"), "east": RECEIVES.format(of="west")}
    with two(bench, queues=queues) as clusters:
        west, east = clusters["west"], clusters["east"]
        job = west.bsub("sleep 1000", "-q", "send", "-o", "/dev/null")
        west.wait_for(job, "RUN")
        there = west.field(job, "dstjobid")
        cut = Reset(bench, clusters, [west, east])
        cut.begin()
        wait_until_gone(west, "east")
        waits = f"Job <{job}>: the order waits until cluster <east> is connected\n"
        expect_equal(west.run("bstop", str(job)).stdout, f"Job <{job}> is being stopped\n{waits}", "bstop")
        expect_equal((west.field(job), east.field(there)), ("RUN", "RUN"), "it runs on")
        order = "The order to stop the job waits until cluster <east> is connected"
        expect_in(f" WAITING ORDERS:\n {order}", long_of(west, job), "bjobs -l")
        expect_in(f": {order};\n", history(west, job), "bhist -l")
        cut.end()
        west.wait_for_connection("east")
        west.wait_for(job, "USUSP")
        east.user("bstop", there)  # its administrator
        wait_until(lambda: "suspended by LSF admin or root" in long_of(west, job), lambda: long_of(west, job), 30)
        done = west.run("bresume", str(job))
        expect_in("Job was suspended by an administrator of cluster east, and is resumed there", done.stdout + done.stderr, "bresume")
        east.user("bresume", there)
        west.wait_for(job, "RUN")
        west.run("bkill", str(job))
        west.wait_for(job, "EXIT")
    bench.saw("the state as it is known, the order where it is asked for, and what an administrator there has stopped")


def test_bmod_and_bswitch_of_a_job_whose_cluster_is_away_wait_and_have_their_effect_once(bench):
    queues = {"west": SENDS.format(to="receive@east", hosts="none") + "Begin Queue\nQUEUE_NAME = own\nHOSTS = n1\nEnd Queue\n",
              "east": RECEIVES.format(of="west")}
    with two(bench, slots={"east": 1}, queues=queues) as clusters:
        west, east = clusters["west"], clusters["east"]
        first = west.bsub("sleep 1000", "-q", "send", "-o", "/dev/null")
        west.wait_for(first, "RUN")
        changed, switched = (west.bsub(f"echo start >>{name}", "-q", "send", "-J", "before", "-o", "/dev/null") for name in
                             ("changed", "switched"))
        for job in (changed, switched):
            wait_until(lambda: west.field(job, "dstjobid") not in ("", "-"), lambda: f"{job} waits in east: {long_of(west, job)}")
        east.kill_daemon("mbatchd", "n2")
        wait_until_gone(west, "east")
        commands = [begin(west, "bmod", "-J", "after", str(changed)), begin(west, "bswitch", "own", str(switched))]
        words = "as job <{}>, which was asked to give it back"
        for job in (changed, switched):
            asked = words.format(west.field(job, "dstjobid"))
            wait_until(lambda: asked in long_of(west, job), lambda: f"{asked}: {long_of(west, job)}", 30)
            expect_in(asked, west.user("bjobs", "-p", str(job)).stdout, "bjobs -p")
        expect_equal([command.poll() for command in commands], [None, None], "bmod and bswitch wait")
        expect_equal([west.field(job, "job_name queue stat") for job in (changed, switched)], ["before send PEND"] * 2, "nothing is done yet")
        east.start_daemon("mbatchd", "n2")
        said = [command.communicate(timeout=120)[0] for command in commands]
        expect_equal([command.returncode for command in commands], [0, 0], f"{said}")
        west.wait_for(switched, "DONE")
        expect_equal(west.field(switched, "queue exec_host"), "own n1", "the switched job")
        wait_until(lambda: west.field(changed, "dstjobid") not in ("", "-"), lambda: f"it is forwarded again: {long_of(west, changed)}", 60)
        expect_equal(west.field(changed, "job_name"), "after", "the changed job")
        west.run("bkill", str(first))
        west.wait_for(changed, "DONE")
        for job, event in ((changed, "Parameters of Job are changed: -J after"), (switched, "Switched to queue <own>")):
            expect_equal(history(west, job).count(event), 1, f"bhist -l: {history(west, job)}")
        expect_equal((lines_of(west, "changed"), lines_of(west, "switched")), (["start"], ["start"]), "each ran once")
    bench.saw("the reason while they wait, and both carried out once when east is back")


def test_an_offer_that_a_restarted_master_repeats_waits_for_the_type_of_the_submission_host(bench):
    """East dies with the offer unread, so that it is repeated, and west's LIM is silent until the clusters are connected again."""
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        west.wait_for(west.bsub("true", "-q", "send", "-o", "/dev/null"), "DONE")
        east.send_daemon("mbatchd", "n2", signal.SIGSTOP)
        job = west.bsub("true", "-q", "send", "-o", "/dev/null")
        wait_until(lambda: west.field(job, "forward_cluster dstjobid") == "east -", lambda: long_of(west, job))
        for side in (west, east):
            side.kill_daemon("mbatchd", side.names[0])
        west.send("n1", signal.SIGSTOP)
        try:
            for side in (east, west):
                side.start_daemon("mbatchd", side.names[0])
            connected = "cluster east is connected"
            wait_until(lambda: read(west.daemon_log("mbatchd", "n1")).count(connected) == 2, west.logs_text, 60)
        finally:
            west.send("n1", signal.SIGCONT)
        west.wait_for(job, "DONE")
        expect_equal(west.field(job, "exec_host"), "n2@east", "where it ran")
    bench.saw("it runs there, and does not wait for a host of no type")


def requires(_):
    needs_users()


if __name__ == "__main__":
    main(hosts=3, requires=requires)
