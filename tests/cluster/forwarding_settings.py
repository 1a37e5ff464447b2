"""Settings that change which of two clusters a job is forwarded to, how many wait there, and how many go at once: on real daemons."""

import json
import os

from forwarding import PARAMS, SENDS, two
from forwarding_choice import history, long_of
from rollcall_testing.federation import BOB, Federation
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

SLOTS = {"east": 2, "north": 4}
HOSTS = {"west": ("n1",), "east": ("n2",), "north": ("n3",)}
RECEIVES = """Begin Queue
QUEUE_NAME = receive
PRIORITY = {priority}
RCVJOBS_FROM = west
PREEMPTION = PREEMPTIVE[low]
End Queue
Begin Queue
QUEUE_NAME = plain
PRIORITY = 30
RCVJOBS_FROM = west
{more}
End Queue
Begin Queue
QUEUE_NAME = low
PRIORITY = {low}
PREEMPTION = PREEMPTABLE[receive]
End Queue
"""
COUNTED = "MC_PLUGIN_SCHEDULE_ENHANCE = COUNT_PREEMPTABLE"


def sending(name, to):
    return SENDS.format(to=to, hosts="none").replace("QUEUE_NAME = send", f"QUEUE_NAME = {name}")


def three(bench, east="", north="", west_params=""):
    """East has fewer slots and comes first, its receiving queue has the higher priority, and its low queue the lower one. `east`,
    `north`: lines of their queue `plain`."""
    west = (sending("send", "receive@east receive@north") + sending("mixed", "plain@east receive@north") +
            sending("plain", "plain@east plain@north"))
    queues = {"west": west, "east": RECEIVES.format(priority=60, low=10, more=east),
              "north": RECEIVES.format(priority=50, low=20, more=north)}
    return Federation(bench, HOSTS, queues=queues, params=dict.fromkeys(HOSTS, PARAMS) | {"west": f"{PARAMS}\n{west_params}"}, slots=SLOTS)


def set_params(side, words):
    """The line in place of an older one of that parameter, and of MC_PLUGIN_SCHEDULE_ENHANCE."""
    path = os.path.join(side.configdir, "lsb.params")
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file.read().splitlines() if line.split(" ")[0] not in ("MC_PLUGIN_SCHEDULE_ENHANCE", words.split(" ")[0])]
    side.write_batch("lsb.params", "\n".join(lines).replace("End Parameters", f"{words}\nEnd Parameters\n"))


def reconfigure(side, params="", conf=""):
    """MC_PLUGIN_SCHEDULE_ENHANCE, and lines of lsf.conf, in place of those of before."""
    set_params(side, params)
    side.write_files(conf)
    side.good("badmin", "reconfig", "-f")


def told(west):
    """{queue@cluster: (available, pending)} as west knows them."""
    records = json.loads(west.good("bclusters", "-l", "-json"))["RECORDS"]
    return {f"{row['REMOTE']}@{row['CLUSTER']}": (row["AVAIL"], row["PEND"]) for row in records if row["JOB_FLOW"] == "send"}


def wait_for_figures(west, **available):
    """Until nothing pends there, and so many slots are available in each cluster."""
    wait_until(lambda: all(row == (str(available[name.split("@")[1]]), "0") for name, row in told(west).items()),
               lambda: f"{available}: {told(west)}\n{west.logs_text()}", 30)


def sent_to(clusters, queue, state):
    """A job of west's, where it went, and why; ended before the next one is chosen for."""
    west = clusters["west"]
    job = west.bsub("sleep 100", "-q", queue, "-o", "/dev/null")
    wait_until(lambda: west.field(job, "dstjobid") not in ("", "-"), lambda: f"{west.user('bjobs', '-l', str(job)).stdout}{west.logs_text()}", 30)
    west.wait_for(job, state)
    cluster = west.field(job, "forward_cluster")
    because = history(west, job)
    west.run("bkill", str(job))
    west.wait_for(job, "EXIT")
    clusters[cluster].wait_for(west.field(job, "dstjobid"), "EXIT")
    return cluster, because


def fill(side):
    """Its own low jobs take all its slots."""
    jobs = [side.bsub("sleep 1000", "-q", "low", "-o", "/dev/null", user=BOB) for _ in range(SLOTS[side.cluster])]
    for job in jobs:
        side.wait_for(job, "RUN")
    return jobs


def expect_choice(clusters, setting, queue, where, words, state="RUN"):
    cluster, because = sent_to(clusters, queue, state)
    expect_equal(cluster, where, f"{setting or 'no setting'}: {because}")
    expect_in(words, because, setting)


def test_each_setting_of_the_choice_changes_the_cluster(bench):
    with three(bench) as clusters:
        west, east, north = clusters["west"], clusters["east"], clusters["north"]
        wait_for_figures(west, east=2, north=4)
        expect_choice(clusters, "", "send", "east", "receive@east: in the order of SNDJOBS_TO")
        reconfigure(west, conf="MC_PLUGIN_REMOTE_RESOURCE=y")
        wait_for_figures(west, east=2, north=4)
        expect_choice(clusters, "MC_PLUGIN_REMOTE_RESOURCE", "send", "north", "receive@north: 4 available")
        reconfigure(west, COUNTED)
        wait_for_figures(west, east=2, north=4)
        expect_choice(clusters, "COUNT_PREEMPTABLE", "send", "north", "receive@north: 4 free (4 available - 0 pending)")
        reconfigure(west, COUNTED + " HIGH_QUEUE_PRIORITY")
        wait_for_figures(west, east=2, north=4)
        expect_choice(clusters, "HIGH_QUEUE_PRIORITY", "send", "east", "receive@east: 2 free (2 available - 0 pending)")

        here, there = fill(east), fill(north)
        reconfigure(west, COUNTED)
        for setting, conf, queue, where, words, state in (
                ("", "", "send", "north", "receive@north: 4 by preemption", "RUN"),
                (" PREEMPTABLE_QUEUE_PRIORITY", "", "send", "east", "2 by preemption (2 preemptable - 0 pending), from priority 10 up", "RUN"),
                ("", "", "mixed", "north", "receive@north: 4 by preemption", "RUN"),
                ("", "ROLLCALL_FORWARD_ROOM_FIRST=y", "mixed", "east", "plain@east: may wait there: 0 free", "PEND"),
                ("", "", "plain", "east", "plain@east: may wait there: 0 free", "PEND")):
            reconfigure(west, COUNTED + setting, conf)
            wait_for_figures(west, east=0, north=0)
            expect_choice(clusters, f"COUNT_PREEMPTABLE{setting} {conf}", queue, where, words, state)
            for side, jobs in ((east, here), (north, there)):
                for job in jobs:
                    side.wait_for(job, "RUN")  # those that were preempted go on

        reconfigure(west, COUNTED + " PENDING_WHEN_NOSLOTS")
        wait_for_figures(west, east=0, north=0)
        job = west.bsub("sleep 1", "-q", "plain", "-o", "/dev/null")
        wait_until(lambda: long_of(west, job).count("PENDING_WHEN_NOSLOTS is set") == 2, lambda: long_of(west, job) + west.logs_text(), 30)
        expect_equal(west.field(job, "stat forward_cluster"), "PEND -", "no slots anywhere")
        north.user("bkill", str(there[0]))
        west.wait_for(job, "DONE")
        expect_equal(west.field(job, "exec_host"), "n3@north", "where a slot was free at last")
        east.user("bkill", "-u", "all", "0")
        north.user("bkill", "-u", "all", "0")
    bench.saw("each of HIGH_QUEUE_PRIORITY, PREEMPTABLE_QUEUE_PRIORITY, PENDING_WHEN_NOSLOTS, MC_PLUGIN_REMOTE_RESOURCE and "
              "ROLLCALL_FORWARD_ROOM_FIRST sends the job to the other cluster, or keeps it")


def wait_in(west, job, cluster):
    wait_until(lambda: west.field(job, "forward_cluster dstjobid").split()[:1] == [cluster] and west.field(job, "dstjobid") != "-",
               lambda: f"job {job} in {cluster}: {long_of(west, job)}{history(west, job)}{west.logs_text()}", 30)


def wait_for_words(west, job, *words):
    wait_until(lambda: all(one in long_of(west, job) for one in words),
               lambda: f"{words}: {long_of(west, job)}{history(west, job)}{west.logs_text()}", 30)


def test_a_full_backlog_sends_a_job_to_the_other_cluster_or_keeps_it(bench):
    with three(bench, east="IMPT_JOBBKLG = 1", north="IMPT_SLOTBKLG = 3", west_params="MBD_SLEEP_TIME = 2") as clusters:
        west, east, north = clusters["west"], clusters["east"], clusters["north"]
        for side in (east, north):
            fill(side)
        first, second, third = (west.bsub("sleep 1", "-q", "plain", "-n", slots, "-o", "/dev/null") for slots in ("1", "2", "2"))
        wait_in(west, first, "east")
        wait_in(west, second, "north")
        expect_in("Pending: queue plain has 1 pending jobs of other clusters (IMPT_JOBBKLG)", history(west, second), "why not in east")
        wait_for_words(west, third, "Could not be started: pending jobs of other clusters ask for 2 slots of queue plain (IMPT_SLOTBKLG)")
        expect_equal(west.field(third, "stat dstjobid"), "PEND -", "the job that neither cluster takes")
        reconfigure(west, COUNTED)
        wait_for_words(west, third, "no room under IMPT_JOBBKLG", "room for 1 slot under IMPT_SLOTBKLG")
        west.run("bkill", str(first))
        wait_in(west, third, "east")
        for side in (west, east, north):
            side.user("bkill", "-u", "all", "0")
    bench.saw("IMPT_JOBBKLG is full, IMPT_SLOTBKLG has no room for two slots, and both")


def test_a_session_offers_as_many_jobs_as_lsb_max_forward_per_session_says(bench):
    """A session of ten minutes: what is offered then grows with the parameter alone, whatever is scheduled meanwhile."""
    own = "Begin Queue\nQUEUE_NAME = own\nHOSTS = n1\nEnd Queue\n"
    with two(bench, queues={"west": sending("send", "receive@east") + own, "east": RECEIVES.format(priority=30, low=10, more="")},
             conf={"west": "LSB_MAX_FORWARD_PER_SESSION=2"}) as clusters:
        west, east = clusters["west"], clusters["east"]
        set_params(west, "MBD_SLEEP_TIME = 600")
        west.good("badmin", "reconfig", "-f")
        jobs = [west.bsub("true", "-q", "send", "-o", "/dev/null") for _ in range(5)]
        for most in (2, 4):
            west.more_conf = west.more_conf.replace("PER_SESSION=2", f"PER_SESSION={most}")
            reconfigure(west, "MBD_SLEEP_TIME = 600")
            for job in jobs[:most]:
                west.wait_for(job, "DONE")
            west.wait_for(west.bsub("true", "-q", "own", "-o", "/dev/null"), "DONE")  # a cycle, and what is offered behind it
            expect_equal([west.field(job) for job in jobs], ["DONE"] * most + ["PEND"] * (5 - most), f"{most} jobs for a session")
        reconfigure(west, "MBD_SLEEP_TIME = 1")
        west.wait_for(jobs[4], "DONE")
        expect_equal(len(east.jobs()), 5, "jobs of east")
    bench.saw("2 jobs, 2 more when the parameter is 4, and the fifth in the next session")


def requires(_):
    needs_users()


if __name__ == "__main__":
    main(hosts=3, requires=requires)
