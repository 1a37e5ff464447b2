"""Instances of a shared resource that one cluster lends to another one beside its hosts: licences that no job of either holds twice."""

import json
import os

from rollcall_testing.batch_cluster import QUEUES
from rollcall_testing.cluster_links import each_fault_between
from rollcall_testing.federation import ALICE, Federation
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

BORROWS = QUEUES + """Begin Queue
QUEUE_NAME = borrow
PRIORITY = 40
HOSTS = allremote
End Queue
"""
PARAMS = "MC_RUSAGE_UPDATE_INTERVAL = 1"
HOSTS = """Begin HostExport
PER_HOST = n2 n3
SLOTS = 2
DISTRIBUTION = ([west, 1])
End HostExport
"""
LICENCES = """Begin SharedResourceExport
NAME = lic
NINSTANCES = {count}
DISTRIBUTION = ([west, 1])
End SharedResourceExport
"""
LIC = ("-R", "rusage[lic=1]")


def put_before(member, file, line, text):
    path = os.path.join(member.conf, file)
    with open(path, encoding="utf-8") as old:
        found = old.read()
    with open(path, "w", encoding="utf-8") as new:
        new.write(found.replace(line, f"{text}\n{line}"))


def two(bench, lends, instances="(3@[n2 n3])", kind="()", more_conf=None):
    """west has n1 and no licence; east has n2 and n3, and the licences of both."""
    clusters = Federation(bench, {"west": ("n1",), "east": ("n2", "n3")}, queues={"west": BORROWS}, params={"west": PARAMS, "east": PARAMS},
                          slots={"west": 8, "east": 2}, conf=more_conf)
    for member in clusters.members.values():
        put_before(member, "lsf.shared", "End Resource\n", f"lic Numeric {kind} N (licences)")
    put_before(clusters["east"], "lsf.cluster.east", "End ResourceMap\n", f"lic {instances}")
    clusters["east"].write_batch("lsb.resources", lends)
    return clusters


def shared(side, *words):
    """Rows of bhosts -s: resource, total, reserved, hosts."""
    rows = [line.split() for line in side.user("bhosts", *words, "-s").stdout.splitlines()[1:]]
    return [(row[0], float(row[1]), float(row[2]), " ".join(row[3:])) for row in rows]


def shown(*sides):
    return lambda: "\n".join(f"{shared(side)} {shared(side, '-e')}\n{side.user('bjobs', '-u', 'all', '-lp').stdout}" for side in sides) + sides[0].logs_text()


def holds(clusters, gate, side, *options):
    return side.bsub(f"echo $LSB_JOBID >>ran.{side.cluster}; until [ -e {gate} ]; do sleep 0.1; done", *options, *LIC, "-o", "/dev/null")


def reconfigure(side, resources):
    side.write_batch("lsb.resources", resources)
    side.good("badmin", "reconfig", "-f")


def test_jobs_hold_lent_licences_and_no_more(bench):
    with two(bench, HOSTS + LICENCES.format(count=2)) as clusters:
        west, east = clusters["west"], clusters["east"]
        wait_until(lambda: shared(east, "-e") == [("lic", 2.0, 0.0, "n2 n3")], shown(east))
        expect_equal(shared(east), [("lic", 1.0, 0.0, "n2 n3")], "what is left in east from the moment of the export")
        expect_equal(shared(west), [], "west has none before it asks")
        gates = {name: f"{west.places[ALICE]}/gate.{name}" for name in ("first", "rest")}
        first = holds(clusters, gates["first"], west, "-q", "borrow")
        second, third = (holds(clusters, gates["rest"], west, "-q", "borrow") for _ in range(2))
        wait_until(lambda: len(clusters.lines("ran.west")) == 2, shown(west, east))
        wait_until(lambda: shared(west) == [("lic", 0.0, 2.0, "n2@east n3@east")], shown(west, east))
        expect_equal(west.field(third), "PEND", "a job beyond what is lent, with free slots")
        wait_until(lambda: "lic" in west.user("bjobs", "-lp", str(third)).stdout, shown(west, east))
        row = json.loads(west.good("bhosts", "-s", "-json"))["RECORDS"][0]
        expect_equal((row["RESOURCE"], row["TOTAL"], row["RESERVED"], row["LOCATION"]), ("lic", "0.0", "2.0", "n2@east n3@east"), "bhosts -s -json in west")
        wait_until(lambda: shared(east, "-e") == [("lic", 2.0, 2.0, "n2 n3")], shown(west, east))
        row = json.loads(east.good("bhosts", "-e", "-s", "-json"))["RECORDS"][0]
        expect_equal((row["CONSUMER"], row["TOTAL"], row["RESERVED"], row["LOCATION"]), ("west", "2", "2.0", "n2 n3"), "bhosts -e -s -json")
        own, waits = (holds(clusters, gates["rest"], east) for _ in range(2))
        east.wait_for(own, "RUN")
        expect_equal(shared(east), [("lic", 0.0, 1.0, "n2 n3")], "its own job in east")
        expect_equal(east.field(waits), "PEND", "a second job of east: two of three are lent")
        without = west.bsub("true", "-q", "borrow", "-o", "/dev/null")
        west.wait_for(without, "DONE")  # slots are free
        for fault in each_fault_between(bench, clusters, west, east):
            west.wait_for(first, "RUN")
            west.wait_for(second, "RUN")
            wait_until(lambda: shared(west) == [("lic", 0.0, 2.0, "n2@east n3@east")], shown(west, east))
            wait_until(lambda: shared(east) == [("lic", 0.0, 1.0, "n2 n3")], shown(west, east))
            expect_equal((west.field(third), east.field(waits)), ("PEND", "PEND"), f"two licences of west and one of east after {fault}")
            expect_equal((len(clusters.lines("ran.west")), len(clusters.lines("ran.east"))), (2, 1), f"jobs that ran by then after {fault}")
        with open(gates["first"], "w", encoding="utf-8"):
            pass
        west.wait_for(first, "DONE")
        west.wait_for(third, "RUN")
        expect_equal(east.field(waits), "PEND", "an instance of west goes to no job of east")
        with open(gates["rest"], "w", encoding="utf-8"):
            pass
        for side, number in ((west, second), (west, third), (east, own), (east, waits)):
            side.wait_for(number, "DONE")
        expect_equal(sorted(clusters.lines("ran.west")), sorted(map(str, (first, second, third))), "each ran once")
        bench.saw(" ".join(map(str, shared(west)[0])))


def test_a_changed_policy_takes_licences_back(bench):
    with two(bench, HOSTS + LICENCES.format(count=9)) as clusters:
        west, east = clusters["west"], clusters["east"]
        gate = f"{west.places[ALICE]}/gate"
        jobs = []
        for count in (1, 2, 3):
            jobs.append(holds(clusters, gate, west, "-q", "borrow"))
            wait_until(lambda: len(clusters.lines("ran.west")) == count, shown(west, east))
            west.wait_for(jobs[-1], "RUN")
        expect_equal(shared(east, "-e"), [("lic", 3.0, 3.0, "n2 n3")], "there are 3, and not the 9 of the policy")
        reconfigure(east, HOSTS + LICENCES.format(count=1))
        for job in jobs[1:]:
            west.wait_for(job, "PEND")  # the most recently started ones
        west.wait_for(jobs[0], "RUN")
        wait_until(lambda: shared(west) == [("lic", 0.0, 1.0, "n2@east n3@east")], shown(west, east))
        wait_until(lambda: shared(east) == [("lic", 2.0, 0.0, "n2 n3")], shown(west, east))
        expect_equal(len(clusters.lines("ran.west")), 3, "attempts")
        reconfigure(east, HOSTS)
        west.wait_for(jobs[0], "PEND")
        wait_until(lambda: shared(west) == [] and shared(east, "-e") == [], shown(west, east))
        expect_equal(shared(east), [("lic", 3.0, 0.0, "n2 n3")], "all are back")
        reconfigure(east, LICENCES.format(count=2))  # without a HostExport it has no effect
        wait_until(lambda: west.host_row("n2@east") is None, shown(west, east))
        expect_equal((shared(east, "-e"), shared(east)), ([], [("lic", 3.0, 0.0, "n2 n3")]), "no lease, no licence")
        reconfigure(east, HOSTS + LICENCES.format(count=3))
        wait_until(lambda: len(clusters.lines("ran.west")) == 6, shown(west, east))
        with open(gate, "w", encoding="utf-8"):
            pass
        for job in jobs:
            west.wait_for(job, "DONE")


# When the file is mended, the jobs still run.
def test_a_slip_in_the_file_takes_nothing_back(bench):
    with two(bench, HOSTS + LICENCES.format(count=2)) as clusters:
        west, east = clusters["west"], clusters["east"]
        gate = f"{west.places[ALICE]}/gate"
        job = holds(clusters, gate, west, "-q", "borrow")
        west.wait_for(job, "RUN")
        lent = [("lic", 2.0, 1.0, "n2 n3")]
        wait_until(lambda: shared(east, "-e") == lent, shown(west, east))
        right = LICENCES.format(count=2)
        for slip in (right.replace("lic", "lci"), LICENCES.format(count="two"), right.replace("west", "wset")):
            east.write_batch("lsb.resources", HOSTS + slip)
            expect_in("stays exported as before", east.good("badmin", "reconfig", "-f"), slip)
            expect_equal(shared(east, "-e"), lent, f"what is lent after {slip}")
        east.good("badmin", "mbdrestart", "-f")
        wait_until(lambda: shared(east, "-e") == lent, shown(west, east))
        west.wait_for(job, "RUN")
        east.write_batch("lsb.resources", HOSTS + right)
        expect("stays exported" not in east.good("badmin", "reconfig"), "mended files")
        with open(gate, "w", encoding="utf-8"):
            pass
        west.wait_for(job, "DONE")
        expect_equal(clusters.lines("ran.west"), [str(job)], "it ran once")


# An elim asks the licence server, which counts jobs of both clusters and of nobody's.
def test_a_value_that_an_elim_reports_takes_no_licence_back(bench):
    with two(bench, HOSTS + LICENCES.format(count=2), instances="[n2 n3]", kind="1") as clusters:
        west, east = clusters["west"], clusters["east"]
        free, gate = f"{east.top}/free", f"{west.places[ALICE]}/gate"

        def tell(count):
            with open(f"{free}.new", "w", encoding="utf-8") as file:
                file.write(f"{count}\n")
            os.rename(f"{free}.new", free)

        tell(1)
        east.write_elim("elim.lic", f'#!/bin/sh\nwhile :; do echo "1 lic $(cat {free})"; sleep 1; done\n')
        wait_until(lambda: shared(east, "-e") == [("lic", 1.0, 0.0, "n2 n3")], shown(east))
        first, second, third = (holds(clusters, gate, west, "-q", "borrow") for _ in range(3))
        west.wait_for(first, "RUN")
        expect_equal(west.field(second), "PEND", "there is one, which the job may have to check out yet")
        tell(2)  # one more than the lease has
        wait_until(lambda: shared(east, "-e") == [("lic", 2.0, 2.0, "n2 n3")], shown(west, east))
        tell(0)  # somebody else has more than were left
        wait_until(lambda: shared(east)[0][1] == 0.0, shown(east))
        west.wait_for(second, "RUN")
        west.wait_for(first, "RUN")
        expect_equal(west.field(third), "PEND", "two are lent")
        reconfigure(east, HOSTS + LICENCES.format(count=1))
        west.wait_for(second, "PEND")
        west.wait_for(first, "RUN")
        with open(gate, "w", encoding="utf-8"):
            pass
        for job in (first, second, third):
            west.wait_for(job, "DONE")


def requires(_):
    needs_users()


if __name__ == "__main__":
    main(hosts=3, requires=requires)
