"""Forwarded jobs whose other cluster is dead, has an older store, or is taken out of the files: what an administrator says, and what
becomes of them."""

import os
import shutil

from rollcall_testing.federation import ALICE, Federation
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

QUEUES = """Begin Queue
QUEUE_NAME = send
PRIORITY = 30
SNDJOBS_TO = receive@{other}
HOSTS = none
End Queue
Begin Queue
QUEUE_NAME = receive
PRIORITY = 30
RCVJOBS_FROM = {other}
End Queue
"""
PARAMS = "MC_PLUGIN_UPDATE_INTERVAL = 1\nMC_RUSAGE_UPDATE_INTERVAL = 1\nMC_PENDING_REASON_UPDATE_INTERVAL = 1\nMBD_SLEEP_TIME = 2"
DROPPED = "its result is dropped CLEAN_PERIOD after its end, unless the cluster connects before"


def two(bench, slots=2):
    return Federation(bench, {"west": ("n1",), "east": ("n2",)}, slots={"east": slots, "west": 2}, params=dict.fromkeys(("west", "east"), PARAMS),
                      queues={"west": QUEUES.format(other="east"), "east": QUEUES.format(other="west")})


def wait_until_gone(side, other):
    wait_until(lambda: ": connected" not in side.standing(other), lambda: side.standing(other), 60)


def test_an_administrator_writes_off_a_dead_cluster(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        lost = west.bsub("sleep 1000", "-q", "send", "-o", "/dev/null")
        again = west.bsub("echo run >>ran; test $(wc -l <ran) -gt 1 || sleep 1000", "-q", "send", "-r", "-o", "/dev/null")
        theirs = east.bsub("sleep 1000", "-q", "send", "-o", "/dev/null")
        for side, job in ((west, lost), (west, again), (east, theirs)):
            side.wait_for(job, "RUN")
        waits = west.bsub("true", "-q", "send", "-o", "/dev/null")
        wait_until(lambda: west.field(waits, "dstjobid") not in ("", "-"), "it waits in east")
        guest, there = east.field(theirs, "dstjobid"), west.field(lost, "dstjobid")
        done = west.user("badmin", "hforget", "-f", "-jobs", "@east")
        expect(done.returncode != 0, f"a cluster that is connected: {done.stdout}")
        expect_in("cluster east is connected: its jobs are not lost", done.stdout + done.stderr, "hforget -jobs")
        east.kill_daemon("mbatchd", "n2")
        wait_until_gone(west, "east")
        done = west.run("badmin", "hforget", "-f", "-jobs", "@east")
        expect_in("User permission denied", done.stdout + done.stderr, "a user")
        said = west.good("badmin", "hforget", "-f", "-jobs", "@east")
        for line in (f"Job <{lost}> runs in cluster <east> as job <{there}>: its result is lost, it ends as EXIT\n",
                     f"Job <{again}> runs in cluster <east> as job <{west_there(said, again)}>: its result is lost, it pends here again\n",
                     f"Job <{waits}> waits in cluster <east> as job <{west_there(said, waits)}>: it pends here again\n",
                     f"Job <{guest}>, which is job <{theirs}> of cluster <east>, runs on: {DROPPED}\n",
                     "The jobs are written off.\n"):
            expect_in(line, said, "what becomes of each")
        expect_equal([west.field(job) for job in (lost, again, waits, guest)], ["EXIT", "PEND", "PEND", "RUN"], "jobs in west")
        expect_in("cluster east was written off by an administrator", west.user("bjobs", "-l", "-UF", str(lost)).stdout, "bjobs -l")
        expect_in("TERM_ZOMBIE", west.field(lost, "exit_reason"), "exit_reason")
        expect_in("Jobs of host <@east> written off by administrator <root>", west.good("badmin", "hhist", "@east"), "badmin hhist")
        west.good("badmin", "hforget", "-f", "@east")
        expect_in("Store of host <@east> accepted by administrator <root>", west.good("badmin", "hhist", "@east"), "badmin hhist")
        east.start_daemon("mbatchd", "n2")
        west.wait_for_connection("east")
        east.wait_for(there, "EXIT")
        west.wait_for(again, "DONE")
        west.wait_for(waits, "DONE")
        expect_equal(west.field(lost), "EXIT", "what came later does not count")
        with open(f"{west.places[ALICE]}/ran", encoding="utf-8") as file:
            expect_equal(file.read(), "run\n" * 2, "the run that was written off was ended, and one more")
        east.run("bkill", str(theirs))
        east.wait_for(theirs, "EXIT")
        west.wait_for(guest, "EXIT")


def west_there(said, job):
    """The number in east, of the line of a job."""
    line = next((line for line in said.splitlines() if line.startswith(f"Job <{job}> ")), "")
    return line.rsplit("as job <", 1)[-1].split(">")[0]


def test_a_store_put_back_while_jobs_were_forwarded_is_refused_until_they_are_given_up(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        backup = bench.fresh_directory("backup")
        east.kill_daemon("mbatchd", "n2")
        wait_until_gone(west, "east")
        shutil.copytree(os.path.join(east.work, "east"), f"{backup}/east")
        for _ in range(2):  # two terms that the other cluster sees
            east.start_daemon("mbatchd", "n2")
            west.wait_for_connection("east")
            east.kill_daemon("mbatchd", "n2")
            wait_until_gone(west, "east")
        east.start_daemon("mbatchd", "n2")
        west.wait_for_connection("east")
        job = west.bsub("sleep 1000", "-q", "send", "-o", "/dev/null")
        west.wait_for(job, "RUN")
        east.kill_daemon("mbatchd", "n2")
        wait_until_gone(west, "east")
        shutil.rmtree(os.path.join(east.work, "east"))
        shutil.copytree(f"{backup}/east", os.path.join(east.work, "east"))
        east.start_daemon("mbatchd", "n2")
        west.wait_for_connection("east", ": refused: cluster east has a store that was put back to an older state")
        expect_equal(west.field(job), "RUN", "nothing is decided yet")
        said = west.good("badmin", "hforget", "-f", "@east")
        expect_in("1 jobs are there and 0 of its jobs are here", said, "hforget")
        west.wait_for_connection("east")
        west.wait_for(job, "EXIT")
        expect_in("cluster east knows nothing of the job any longer", west.user("bjobs", "-l", "-UF", str(job)).stdout, "bjobs -l")
        east.user("badmin", "hforget", "-f", "n2")  # its RES knows the later store
        wait_until(lambda: "ok" in east.user("bhosts", "n2").stdout, lambda: east.user("bhosts", "-l", "n2").stdout + east.logs_text(), 60)


def test_a_cluster_that_leaves_the_files_gets_no_job_and_what_runs_runs_on(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        job = west.bsub("sleep 2; echo done >>ran", "-q", "send", "-o", "/dev/null")
        west.wait_for(job, "RUN")
        shared = os.path.join(west.conf, "lsf.shared")
        with open(shared, encoding="ascii") as file:
            before = file.read()
        with open(shared, "w", encoding="ascii") as file:
            file.write("\n".join(line for line in before.split("\n") if line.split()[:1] != ["east"]))
        with open(os.path.join(west.conf, "lsf.conf"), encoding="ascii") as file:
            conf = file.read()
        with open(os.path.join(west.conf, "lsf.conf"), "w", encoding="ascii") as file:
            file.write("\n".join(line for line in conf.split("\n") if not line.startswith("ROLLCALL_PEERS=")))
        west.good("badmin", "reconfig", "-f")
        wait_until(lambda: ": it is not in lsf.shared, or left out of RemoteClusters; jobs there: 1," in west.standing("east"), lambda: west.standing("east") + west.logs_text(), 60)
        later = west.bsub("true", "-q", "send", "-o", "/dev/null")
        wait_until(lambda: os.path.exists(f"{west.places[ALICE]}/ran"), "it runs to its end in east", 60)
        east.wait_for(west.field(job, "dstjobid"), "DONE")
        expect_equal((west.field(job), west.field(later)), ("RUN", "PEND"), "what is there stays, what is new waits")
        for name, text in (("lsf.shared", before), ("lsf.conf", conf)):
            with open(os.path.join(west.conf, name), "w", encoding="ascii") as file:
                file.write(text)
        west.good("badmin", "reconfig", "-f")
        west.wait_for(job, "DONE", seconds=90)
        west.wait_for(later, "DONE", seconds=90)


def test_a_receiving_queue_that_is_removed_gives_what_waits_in_it_back(bench):
    with two(bench, slots=1) as clusters:
        west, east = clusters["west"], clusters["east"]
        first = west.bsub("sleep 1000", "-q", "send", "-o", "/dev/null")
        west.wait_for(first, "RUN")
        job = west.bsub("true", "-q", "send", "-o", "/dev/null")
        wait_until(lambda: west.field(job, "dstjobid") not in ("", "-"), "it waits in east")
        there = west.field(job, "dstjobid")
        path = os.path.join(east.configdir, "lsb.queues")
        with open(path, encoding="utf-8") as file:
            queues = file.read()
        east.write_batch("lsb.queues", queues.replace("QUEUE_NAME = receive", "QUEUE_NAME = other"))
        said = east.good("badmin", "reconfig", "-f")
        expect_in("queue receive is removed: the jobs of other clusters that waited in it are given back (1 of cluster west)", said, "reconfig")
        wait_until(lambda: "queue receive was removed there" in west.user("bjobs", "-l", "-UF", str(job)).stdout,
                   lambda: west.user("bjobs", "-l", "-UF", str(job)).stdout + west.logs_text(), 30)
        expect_equal((west.field(job, "stat dstjobid"), west.field(first)), ("PEND -", "RUN"), "what runs there runs on")
        expect_in("Pending: queue receive was removed there", west.user("bhist", "-l", str(job)).stdout.replace("\n                     ", ""), "bhist")
        finished = east.user("bacct", "-u", "all", there)
        expect_in("No matching job found", finished.stdout + finished.stderr, "it is no finished job of east")
        west.run("bkill", str(job), str(first))
        for one in (job, first):
            west.wait_for(one, "EXIT")
    bench.saw("the administrator is told, and the user has the reason at once")


def drop(side, other, how):
    """Takes a cluster out of the files of another one: of lsf.shared, or of RemoteClusters alone."""
    side.clusters = (side.cluster, "moon") if how == "lsf.shared" else (side.cluster, other, "moon")
    side.more_conf = "\n".join(line for line in side.more_conf.split("\n") if not line.startswith("ROLLCALL_PEERS="))
    side.write_files()
    if how == "RemoteClusters":
        with open(os.path.join(side.conf, f"lsf.cluster.{side.cluster}"), "a", encoding="ascii") as file:
            file.write("Begin RemoteClusters\nCLUSTERNAME\nmoon\nEnd RemoteClusters\n")
    side.good("badmin", "reconfig", "-f")


def put_back(side, other, more_conf):
    side.clusters, side.more_conf = (side.cluster, other), more_conf
    side.write_files()
    side.good("badmin", "reconfig", "-f")


def runs_until(side, gate, name):
    job = side.bsub(f"echo {name} >>ran; until [ -e {gate} ]; do sleep 0.1; done; echo {name}.end >>ran", "-q", "send", "-o", "/dev/null")
    side.wait_for(job, "RUN")
    return job


def open_gate(gate):
    with open(gate, "w", encoding="ascii"):
        pass


def test_jobs_of_a_cluster_that_the_executing_one_drops_run_on_and_their_results_wait(bench):
    with two(bench, slots=4) as clusters:
        west, east = clusters["west"], clusters["east"]
        place, more_conf = west.places[ALICE], east.more_conf
        for how in ("lsf.shared", "RemoteClusters"):
            gate = f"{place}/gate.{how}"
            job = runs_until(west, gate, how)
            there = west.field(job, "dstjobid")
            drop(east, "west", how)
            wait_until(lambda: ": it is not in lsf.shared, or left out" in east.standing("west"), lambda: east.standing("west") + east.logs_text(), 60)
            wait_until_gone(west, "east")
            later = west.bsub("true", "-q", "send", "-o", "/dev/null")
            open_gate(gate)
            east.wait_for(there, "DONE")
            expect_in("its cluster is not connected", west.user("bjobs", "-l", "-UF", str(later)).stdout, "the new job")
            expect_equal((west.field(job), west.field(later, "stat dstjobid")), ("RUN", "PEND -"), f"{how}: the result waits, and no new job goes")
            put_back(east, "west", more_conf)
            west.wait_for_connection("east")
            west.wait_for(job, "DONE")
            west.wait_for(later, "DONE")

        lost, gate = runs_until(west, f"{place}/gate", "lost"), f"{place}/gate"
        there = west.field(lost, "dstjobid")
        drop(east, "west", "lsf.shared")
        wait_until_gone(west, "east")
        said = east.good("badmin", "hforget", "-f", "-jobs", "@west")
        expect_in(f"Job <{there}>, which is job <{lost}> of cluster <west>, runs on: {DROPPED}\n", said, "in east")
        said = west.good("badmin", "hforget", "-f", "-jobs", "@east")
        expect_in(f"Job <{lost}> runs in cluster <east> as job <{there}>: its result is lost, it ends as EXIT\n", said, "in west")
        expect_equal((west.field(lost), east.field(there)), ("EXIT", "RUN"), "written off by both, it runs on")
        open_gate(gate)
        east.wait_for(there, "DONE")
        put_back(east, "west", more_conf)
        west.wait_for_connection("east")
        after = west.bsub("true", "-q", "send", "-o", "/dev/null")
        west.wait_for(after, "DONE")
        expect_equal(west.field(lost), "EXIT", "what is told now does not count")
        with open(f"{place}/ran", encoding="ascii") as file:
            runs = file.read().split()
        expect_equal(runs, [one for name in ("lsf.shared", "RemoteClusters", "lost") for one in (name, f"{name}.end")], "each ran once to its end")
    bench.saw("left out of lsf.shared and of RemoteClusters: they run on, results wait, no new jobs; badmin hforget -jobs on both sides")


def requires(_):
    needs_users()


if __name__ == "__main__":
    main(hosts=2, requires=requires)
