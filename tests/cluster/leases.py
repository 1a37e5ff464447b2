"""Hosts that one cluster lends to another one: jobs there are placed by the consumer, run once, and never on more slots than are lent."""

import json
import os
import re
import subprocess

from rollcall_testing.batch_cluster import QUEUES
from rollcall_testing.cluster_links import Cut, each_fault_between
from rollcall_testing.federation import ALICE, Federation
from rollcall_testing.homes import give_homes
from rollcall_testing.munge import needs_users
from rollcall_testing.programs import notes_in
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BORROWS = QUEUES + """Begin Queue
QUEUE_NAME = borrow
PRIORITY = 40
HOSTS = allremote
End Queue
Begin Queue
QUEUE_NAME = again
PRIORITY = 40
HOSTS = allremote
RERUNNABLE = yes
End Queue
"""
LENDS = """Begin HostExport
PER_HOST = {host}
SLOTS = {slots}
DISTRIBUTION = ([west, 1])
End HostExport
"""
CHOOSES = """Begin HostExport
RES_SELECT = type==any
NHOSTS = 1
DISTRIBUTION = ([west, 1])
End HostExport
"""
SHARES = """Begin HostExport
PER_HOST = {hosts}
SLOTS = {slots}
TYPE = shared
DISTRIBUTION = ([west, 1])
End HostExport
"""
PARAMS = "MC_RUSAGE_UPDATE_INTERVAL = 1"


def two(bench, lends=LENDS.format(host="n2", slots=2), east=("n2",), params=""):
    clusters = Federation(bench, {"west": ("n1",), "east": east}, queues={"west": BORROWS}, params={"west": PARAMS, "east": PARAMS + params},
                          slots={"west": 4, "east": 1})  # MXJ of west is an upper limit of a borrowed host, too
    clusters["east"].write_batch("lsb.resources", lends)
    return clusters


def borrowed(side, name="n2@east"):
    return side.host_row(name)


def borrow_once(side):
    """A job asks for the lease, and runs on it."""
    side.wait_for(side.bsub("true", "-q", "borrow", "-o", "/dev/null"), "DONE")


def kill(*jobs):
    """Each is (cluster, job)."""
    for side, job in jobs:
        side.run("bkill", str(job))
        side.wait_for(job, "EXIT")


def shown(side):
    return lambda: f"{side.user('bhosts', '-w').stdout}\n{side.logs_text()}"


def test_a_job_runs_on_a_borrowed_host(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        expect(borrowed(west) is None, "no lease is made before a job asks")
        held = west.bsub("true", "-H", "-q", "borrow", "-o", "/dev/null")
        done = west.run("bmod", "-m", "n2@east", str(held))
        expect(done.returncode != 0, f"bmod -m before the lease is made: {done.stdout}{done.stderr}")
        expect_in("n2@east", done.stderr, "what bmod says of a host that no lease has")
        barred = west.bsub("true", "-q", "borrow", "-n", "2", "-o", "/dev/null")
        why = lambda: west.user("bjobs", "-p", str(barred)).stdout
        wait_until(lambda: "Hosts of cluster <east> are not usable to parallel jobs;" in why(), why)
        kill((west, barred))
        job = west.bsub("hostname; echo $LSB_JOBID $LSB_QUEUE", "-q", "borrow", "-o", "out.%J")
        west.wait_for(job, "DONE")
        expect_in(f"n2\n{job} borrow@west\n", "\n".join(clusters.lines(f"out.{job}")) + "\n", "output")
        expect_equal(west.field(job, "exec_host"), "n2@east", "bjobs in west")
        row = wait_until(lambda: borrowed(west), shown(west))
        expect_equal(row[1:4], ["ok", "-", "2"], "bhosts in west")
        there = east.jobs("source_cluster srcjobid queue exec_host stat")
        expect_equal(there, [f"west {job} borrow@west n2 DONE"], "bjobs in east")
        done = west.run("bmod", "-m", "n2@east", str(held))
        expect_equal(done.returncode, 0, f"bmod -m on the lease: {done.stdout}{done.stderr}")
        west.run("bresume", str(held))
        west.wait_for(held, "DONE")
        expect_equal(west.field(held, "exec_host"), "n2@east", "where the job of bmod -m ran")
        bench.saw(" ".join(row))


def test_both_clusters_use_their_own_slots(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        gate = f"{west.places[ALICE]}/gate"
        jobs = [west.bsub(f"echo $LSB_JOBID >>ran; until [ -e {gate} ]; do sleep 0.1; done", "-q", "borrow", "-o", "/dev/null")
                for _ in range(4)]
        wait_until(lambda: len(clusters.lines("ran")) == 2, shown(west))
        wait_until(lambda: (borrowed(west) or ["", ""])[1].startswith("closed"), shown(west))
        own = east.bsub("true", "-o", "/dev/null")  # PER_HOST adds slots to those of the provider
        east.wait_for(own, "DONE")
        row = borrowed(east, "n2")
        expect_equal(row[3:6], ["1", "0", "0"], "bhosts in east: jobs of the lease are not counted there")
        expect_equal(len(clusters.lines("ran")), 2, "jobs on two slots")
        with open(gate, "w", encoding="utf-8"):
            pass
        for job in jobs:
            west.wait_for(job, "DONE")
        expect_equal(sorted(clusters.lines("ran")), sorted(str(job) for job in jobs), "each ran once")


def test_orders_reach_a_job_on_a_borrowed_host(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        job = west.bsub("echo began >>ran; while :; do sleep 0.2; done", "-q", "borrow", "-o", "/dev/null")
        wait_until(lambda: clusters.lines("ran") == ["began"], shown(west))
        west.wait_for(job, "RUN")
        there = east.jobs()[0]
        west.run("bstop", str(job))
        east.wait_for(there, "USUSP")
        west.wait_for(job, "USUSP")
        west.run("bresume", str(job))
        east.wait_for(there, "RUN")
        west.wait_for(job, "RUN")
        west.run("bkill", str(job))
        west.wait_for(job, "EXIT")
        east.wait_for(there, "EXIT")
        expect_in("TERM_OWNER", west.field(job, "exit_reason"), "bjobs in west")
        bad = west.bsub("exit 7", "-q", "borrow", "-o", "/dev/null")
        west.wait_for(bad, "EXIT")
        expect_equal(west.field(bad, "exit_code"), "7", "exit code")
        at_home = west.bsub("sleep 1000", "-q", "borrow", "-o", "/dev/null")
        west.wait_for(at_home, "RUN")
        east.user("bkill", east.jobs()[-1])  # the provider's administrator, by the local id
        west.wait_for(at_home, "EXIT")


def test_a_changed_policy_requeues_jobs(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        own = east.bsub("sleep 1000", "-o", "/dev/null")
        job = west.bsub("echo $LSB_JOBID >>ran; sleep 1000", "-q", "borrow", "-o", "/dev/null")
        wait_until(lambda: len(clusters.lines("ran")) == 1, shown(west))
        west.wait_for(job, "RUN")
        east.wait_for(own, "RUN")
        east.write_batch("lsb.resources", "")
        east.good("badmin", "reconfig", "-f")
        west.wait_for(job, "PEND")
        wait_until(lambda: borrowed(west) is None, shown(west))
        expect_equal(len(clusters.lines("ran")), 1, "it ran once so far")
        east.write_batch("lsb.resources", LENDS.format(host="n2", slots=1))
        east.good("badmin", "reconfig", "-f")
        west.wait_for(job, "RUN")
        wait_until(lambda: len(clusters.lines("ran")) == 2, shown(west))
        expect_equal(east.field(own, "stat exec_host"), "RUN n2", "the provider's own job on the host")
        kill((west, job), (east, own))


def test_a_job_that_comes_while_the_provider_is_away_waits_for_it(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        borrow_once(west)
        east.kill_daemon("mbatchd", "n2")
        wait_until(lambda: ": connected" not in west.standing("east"), lambda: west.standing("east"), 60)
        job = west.bsub("echo $LSB_JOBID >>ran", "-q", "borrow", "-o", "/dev/null")
        wait_until(lambda: "n2@east" in west.user("bjobs", "-lp", str(job)).stdout, lambda: west.user("bjobs", "-lp", str(job)).stdout)
        expect_equal((west.field(job), clusters.lines("ran")), ("PEND", []), "a job while no mbatchd of the provider is there")
        east.start_daemon("mbatchd", "n2")
        west.wait_for(job, "DONE")
        expect_equal(clusters.lines("ran"), [str(job)], "it ran once")


def test_a_whole_host_is_the_consumers(bench):
    with two(bench, lends="", east=("n2", "n3")) as clusters:
        west, east = clusters["west"], clusters["east"]
        east.write_batch("lsb.resources", CHOOSES)
        east.good("badmin", "reconfig", "-f")
        expect_in("neither cluster can use n2: cluster west has not asked for lease", east.user("bhosts", "-e").stderr, "bhosts -e of a wasted host")
        job = west.bsub("hostname >>ran; sleep 1000", "-q", "borrow", "-o", "/dev/null")
        west.wait_for(job, "RUN")
        wait_until(lambda: len(clusters.lines("ran")) == 1, shown(west))
        lent = clusters.lines("ran")[0]
        kept = "n3" if lent == "n2" else "n2"
        own = [east.bsub("sleep 1000", "-o", "/dev/null") for _ in range(2)]
        east.wait_for(own[0], "RUN")
        expect_equal(east.field(own[0], "exec_host"), kept, "the host that is not lent")
        expect_equal(east.field(own[1]), "PEND", "no slot of the lent host is left to its own cluster")
        expect_equal(borrowed(west, f"{lent}@east")[3], "1", "slots of the lent host")
        kill((west, job), (east, own[0]), (east, own[1]))


def test_idle_slots_of_a_shared_lease_change_sides(bench):
    with two(bench, lends=SHARES.format(hosts="n2", slots=3), params="\nMC_RECLAIM_DELAY = 0") as clusters:
        west, east = clusters["west"], clusters["east"]
        wait_until(lambda: borrowed(east, "n2")[3] == "3", shown(east))  # its own slot, and two of three: one is reserved
        gate = f"{west.places[ALICE]}/gate"
        jobs = [west.bsub(f"echo $LSB_JOBID >>ran; until [ -e {gate} ]; do sleep 0.1; done", "-q", "borrow", "-o", "/dev/null")
                for _ in range(3)]
        wait_until(lambda: len(clusters.lines("ran")) == 3, shown(west), 30)  # idle slots of east go to west
        expect_equal(borrowed(west)[3], "3", "slots of the consumer")
        wait_until(lambda: borrowed(east, "n2")[3] == "1", shown(east))
        with open(gate, "w", encoding="utf-8"):
            pass
        for job in jobs:
            west.wait_for(job, "DONE")
        wait_until(lambda: borrowed(east, "n2")[3] == "3", shown(east), 30)  # and come back, but for the reserved one


def test_a_host_of_a_shared_lease_is_known_while_east_has_its_slots(bench):
    with two(bench, lends=SHARES.format(hosts="n2 n3", slots=2), east=("n2", "n3"), params="\nMC_RECLAIM_DELAY = 0") as clusters:
        west, east = clusters["west"], clusters["east"]
        wait_until(lambda: [borrowed(east, host)[3] for host in ("n2", "n3")] == ["2", "3"], shown(east))  # one of n2 is reserved
        command = "until [ -e {}/gate ]; do sleep 0.1; done"
        own = [east.bsub(command.format(east.places[ALICE]), "-o", "/dev/null") for _ in range(5)]
        for job in own:
            east.wait_for(job, "RUN")  # no slot of east is idle, so none changes sides
        expect(west.run("bsub", "-q", "borrow", "-m", "n3@east", "true").returncode != 0, "bsub -m before the lease is granted")
        first = west.bsub(command.format(west.places[ALICE]), "-q", "borrow", "-o", "/dev/null")
        west.wait_for(first, "RUN")
        expect_equal(west.field(first, "exec_host"), "n2@east", "the reserved slot")
        row = borrowed(west, "n3@east")
        expect_equal((row or [])[1:5], ["closed_Full", "-", "0", "0"], "bhosts in west")
        second = west.bsub("true", "-q", "borrow", "-m", "n3@east", "-o", "/dev/null")
        held = west.bsub("true", "-q", "borrow", "-H", "-o", "/dev/null")
        done = west.run("bmod", "-m", "n3@east", str(held))
        expect_equal(done.returncode, 0, f"bmod -m: {done.stdout}{done.stderr}")
        wait_until(lambda: "Not enough job slots: 1 host" in west.run("bjobs", "-p", str(second)).stdout,
                   lambda: west.run("bjobs", "-lp", str(second)).stdout)
        with open(f"{east.places[ALICE]}/gate", "w", encoding="utf-8"):
            pass
        west.run("bresume", str(held))
        for job in (second, held):
            west.wait_for(job, "DONE")
            expect_equal(west.field(job, "exec_host"), "n3@east", "where the slots have come to")
        with open(f"{west.places[ALICE]}/gate", "w", encoding="utf-8"):
            pass
        west.wait_for(first, "DONE")
        wait_until(lambda: borrowed(west, "n3@east")[3] == "0", shown(west), 30)  # idle slots come back, and the host stays
        east.write_batch("lsb.resources", SHARES.format(hosts="n2", slots=2))
        east.good("badmin", "reconfig", "-f")
        wait_until(lambda: borrowed(west, "n3@east") is None, shown(west))
        expect("n3@east" not in west.user("bhosts", "east").stdout, "a host that has left the lease")


def test_a_cut_and_dead_masters_double_no_slot(bench):
    with two(bench, lends=LENDS.format(host="n2", slots=1)) as clusters:
        west, east = clusters["west"], clusters["east"]
        gate = f"{west.places[ALICE]}/gate"
        command = f"echo $LSB_JOBID >>ran; until [ -e {gate} ]; do sleep 0.1; done"
        first, second = (west.bsub(command, "-q", queue, "-o", "/dev/null") for queue in ("again", "again"))
        wait_until(lambda: len(clusters.lines("ran")) == 1, shown(west))
        west.wait_for(first, "RUN")
        for fault in each_fault_between(bench, clusters, west, east):
            west.wait_for(first, "RUN")
            expect_equal(west.field(second), "PEND", f"one slot after {fault}")
            expect_equal(len(clusters.lines("ran")), 1, f"jobs on one slot after {fault}")
        with open(gate, "w", encoding="utf-8"):
            pass
        for job in (first, second):
            west.wait_for(job, "DONE")
        expect_equal(sorted(clusters.lines("ran")), sorted(map(str, (first, second))), "each ran once")


# The consumer cannot acknowledge: the provider raises the number, and RES says that it holds nothing older.
def test_a_slot_comes_back_from_a_consumer_that_is_cut_off(bench):
    with two(bench, lends="", east=("n2", "n3")) as clusters:
        west, east = clusters["west"], clusters["east"]
        east.write_batch("lsb.resources", CHOOSES)
        east.good("badmin", "reconfig", "-f")
        job = west.bsub("echo $(hostname) $$ >>ran; sleep 1000", "-q", "borrow", "-o", "/dev/null")
        west.wait_for(job, "RUN")
        wait_until(lambda: len(clusters.lines("ran")) == 1, shown(west))
        lent, process = clusters.lines("ran")[0].split()
        own = [east.bsub(f"grep -s State: /proc/{process}/status >>beside.$LSB_JOBID; sleep 1000", "-o", "/dev/null") for _ in range(2)]
        east.wait_for(own[0], "RUN")
        expect(east.field(own[0], "exec_host") != lent, "the host that is not lent")
        cut = Cut(bench, list(clusters.members.values()), (west, east))
        cut.begin()
        east.wait_for_connection("west", ": not connected")
        west.wait_for(job, "UNKWN")
        east.kill_daemon("res", lent)
        east.write_batch("lsb.resources", "")
        east.good("badmin", "reconfig", "-f")
        wait_until(lambda: (borrowed(east, lent) or ["", ""])[1] == "unreach", shown(east), 30)
        row = json.loads(east.good("bhosts", "-e", "-json"))["RECORDS"][0]
        expect_equal((row["HOST_NAME"], row["STATE"], row["MAX"], row["HELD"], row["NJOBS"]), (lent, "recalling", "0", "1", "1"),
                     "the slot is the consumer's: no RES has said that it is free")
        expect_equal(east.field(own[1]), "PEND", "a job for that slot")
        expect(os.path.exists(f"/proc/{process}"), "the borrowed job runs on")
        east.start_daemon("res", lent)
        east.wait_for(own[1], "RUN")
        expect_equal(east.field(own[1], "exec_host"), lent, "the host that came back")
        wait_until(lambda: os.path.exists(f"{west.places[ALICE]}/beside.{own[1]}"), shown(east))
        expect_equal(clusters.lines(f"beside.{own[1]}"), [], "processes of the borrowed job when its slot was used again")
        west.wait_for(job, "UNKWN")  # only the provider's word ends the attempt
        cut.end()
        west.wait_for_connection("east")
        west.wait_for(job, "PEND")
        expect_equal(len(clusters.lines("ran")), 1, "attempts that ran")
        wait_until(lambda: borrowed(west, f"{lent}@east") is None, shown(west))
        kill((west, job), (east, own[0]), (east, own[1]))


def test_closing_a_borrowed_host_closes_the_slots_of_one_consumer(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        borrow_once(west)
        west.good("badmin", "hclose", "n2@east")
        wait_until(lambda: borrowed(west)[1] == "closed_Adm", shown(west))
        job = west.bsub("true", "-q", "borrow", "-o", "/dev/null")
        wait_until(lambda: "Closed by LSF administrator" in west.user("bjobs", "-p", str(job)).stdout, lambda: west.user("bjobs", "-p", str(job)).stdout)
        expect_equal(borrowed(east, "n2")[1], "ok", "the provider does not know of it")
        east.wait_for(east.bsub("true", "-o", "/dev/null"), "DONE")
        west.good("badmin", "hopen", "n2@east")
        west.wait_for(job, "DONE")
        east.good("badmin", "hclose", "n2")  # by its own administrator: no new start of any consumer
        wait_until(lambda: borrowed(west)[1].startswith("closed"), shown(west), 30)
        job = west.bsub("true", "-q", "borrow", "-o", "/dev/null")
        wait_until(lambda: "n2@east" in west.user("bjobs", "-lp", str(job)).stdout, lambda: west.user("bjobs", "-lp", str(job)).stdout)
        expect_equal(west.field(job), "PEND", "a job while the provider has closed the host")
        east.good("badmin", "hopen", "n2")
        west.wait_for(job, "DONE")


def test_requeues_count_on_borrowed_hosts(bench):
    with two(bench) as clusters:
        west = clusters["west"]
        west.write_batch("lsb.queues", BORROWS + "Begin Queue\nQUEUE_NAME = few\nHOSTS = allremote\nREQUEUE_EXIT_VALUES = 7\nMAX_JOB_REQUEUE = 1\nEnd Queue\n")
        west.good("badmin", "reconfig", "-f")
        job = west.bsub("echo $LSB_JOBID >>ran; exit 7", "-q", "few", "-o", "/dev/null")
        west.wait_for(job, "EXIT")
        expect_equal(clusters.lines("ran"), [str(job)] * 2, "it ran, and once again")
        expect_equal(west.field(job, "exit_code"), "7", "exit code")


def test_both_sides_show_the_lease(bench):
    with two(bench, lends=LENDS.format(host="n2", slots=2)) as clusters:
        west, east = clusters["west"], clusters["east"]
        expect_in("east            IMPORT         conn", west.good("bclusters"), "bclusters in west before a job asks")
        expect_in("west            EXPORT         conn", east.good("bclusters"), "bclusters in east before a job asks")
        expect_equal(exported(east), ["n2", "2", "0", "0", "0", "0", "0"], "bhosts -e before a job asks")
        job = west.bsub("sleep 1000", "-q", "borrow", "-o", "/dev/null")
        west.wait_for(job, "RUN")
        expect_in("east            IMPORT         ok", west.good("bclusters"), "bclusters in west")
        expect_in("west            EXPORT         ok", east.good("bclusters"), "bclusters in east")
        wait_until(lambda: exported(east) == ["n2", "2", "1", "1", "0", "0", "0"], lambda: str(exported(east)), 30)
        row = json.loads(east.good("bhosts", "-e", "-json"))["RECORDS"][0]
        expect_equal((row["HOST_NAME"], row["CONSUMER"], row["STATE"], row["MAX"], row["HELD"], row["RUN"]),
                     ("n2", "west", "active", "2", "2", "1"), "bhosts -e -json")
        expect_in("No shared resource", east.user("bhosts", "-e", "-s").stderr + east.user("bhosts", "-e", "-s").stdout, "bhosts -e -s")
        long = east.good("bclusters", "-l")
        expect_in("active    exclusive", long, "bclusters -l")
        lease = json.loads(west.good("bclusters", "-json"))["LEASES"][0]
        expect_equal((lease["REMOTE_CLUSTER"], lease["RESOURCE_FLOW"], lease["STATUS"]), ("east", "IMPORT", "ok"), "bclusters -json")
        record = json.loads(east.user("bjobs", "-a", "-u", "all", "-o", "from_host queue stat", "-json").stdout)["RECORDS"][0]
        expect_equal((record["FROM_HOST"], record["QUEUE"], record["STAT"]), (f"n1@west:{job}", "borrow@west", "RUN"), "bjobs -json in east")
        west.run("bstop", str(job))
        west.wait_for(job, "USUSP")
        wait_until(lambda: exported(east)[5] == "1", lambda: str(exported(east)), 30)
        cut = Cut(bench, list(clusters.members.values()), (west, east))
        cut.begin()
        wait_until(lambda: "east            IMPORT         disc" in west.good("bclusters"), lambda: west.good("bclusters"), 60)
        west.wait_for(job, "UNKWN")
        expect_equal(borrowed(west)[1], "unreach", "bhosts in west while the clusters are cut off")
        cut.end()
        west.wait_for_connection("east")
        west.wait_for(job, "USUSP")
        west.run("bkill", str(job))
        west.wait_for(job, "EXIT")


def exported(side):
    """The first host of bhosts -e: HOST_NAME MAX NJOBS RUN SSUSP USUSP RSV."""
    return side.good("bhosts", "-e").splitlines()[1].split()


def test_the_admin_guide_lends_ten_hosts(bench):
    """The files, and each line once, as they stand in the section, on the host of its prompt; east has two hosts. A reader waits for the job."""
    with open(os.path.join(ROOT, "docs", "admin.md"), encoding="utf-8") as file:
        section = file.read().split("\n## Lend ten hosts to the other department\n")[1].split("\n## ")[0]
    east_resources, west_queues = re.findall(r"```\n(.*?)```", section, re.S)
    typed = re.search(r"```sh\n(.*?)```", section, re.S).group(1).splitlines()
    with Federation(bench, {"west": ("n1",), "east": ("n2", "n3")}, params={"west": PARAMS, "east": PARAMS},
                    slots={"west": "!", "east": "()"}) as clusters:
        west, east = clusters["west"], clusters["east"]
        west.write_batch("lsb.queues", QUEUES + west_queues)
        east.write_batch("lsb.resources", east_resources)
        said = []
        for line in typed:
            side, as_who = {"n1": west, "e1": east}[line[:2]], line[2:4]
            run = {"# ": side.user, "$ ": side.run}[as_who]
            done = run("sh", "-c", line[4:], stdin=subprocess.DEVNULL)
            expect_equal(done.returncode, 0, f"{line}: {done.stdout}{done.stderr}")
            said.append(done.stdout)
            if " bsub " in line:
                wait_until(lambda: west.user("bjobs", "-a", "-u", "all", "-noheader", "-o", "stat").stdout.split() == ["RUN"],
                           lambda: west.user("bjobs", "-a", "-u", "all").stdout + west.logs_text(), 60)
        expect_equal(len(typed), 8, "lines")
        expect(re.search(r"RUN +n[23]@east\n", said[3] + "\n"), f"{typed[3]}: {said[3]}")
        expect_in("east            IMPORT         ok", said[4], typed[4])
        expect_in("n2@east", said[5], typed[5])
        expect_in("n3@east", said[5], typed[5])
        cpus = east.good("lshosts", "-w", "n2").splitlines()[1].split()[4]
        expect_equal(borrowed(west)[3], cpus, "slots of a host without MXJ")
        expect_in("n3", said[6], typed[6])
        expect_in("n1@west:", said[7], typed[7])
        expect_in("lent@west", said[7], typed[7])
        west.run("bkill", "0")
        wait_until(lambda: not west.user("bjobs", "-u", "all", "-noheader").stdout, "all are over", 60)
        wait_until(lambda: not east.user("bjobs", "-u", "all", "-noheader").stdout, "all are over", 60)


def test_files_of_a_job_on_a_borrowed_host_are_those_of_its_cluster(bench):
    clusters = Federation(bench, {"west": ("n1",), "east": ("n2",)}, queues={"west": BORROWS}, params={"west": PARAMS, "east": PARAMS},
                          slots={"west": 4, "east": 1}, apart=("n2",))
    clusters["east"].write_batch("lsb.resources", LENDS.format(host="n2", slots=2))
    with clusters:
        west, home = clusters["west"], clusters["west"].places[ALICE]
        with open(f"{home}/in", "w", encoding="utf-8") as file:
            file.write("said by west\n")
        gate = f"{bench.fresh_directory('gate')}/open"
        os.chmod(os.path.dirname(gate), 0o755)
        job = west.bsub(f"cat; echo began; until [ -e {gate} ]; do sleep 0.1; done; echo ended", "-q", "borrow",
                        "-i", f"{home}/in", "-o", f"{home}/out")
        west.wait_for(job, "RUN")
        wait_until(lambda: "said by west\nbegan\n" in west.run("bpeek", str(job)).stdout, lambda: f"{west.run('bpeek', str(job))} {shown(west)()}")
        with open(gate, "w", encoding="utf-8"):
            pass
        west.wait_for(job, "DONE")
        expect_in("said by west\nbegan\nended\n", "\n".join(clusters.lines("out")) + "\n", "the output in west")
        place = bench.fresh_directory("place")
        os.chmod(place, 0o1777)
        done = west.run("bsub", "-q", "borrow", "-o", f"{home}/out.script", "-e", f"{home}/err", "-cwd", place, "-f", f"{home}/in > {place}/sent",
                        "-f", f"{home}/returned < {place}/left", input=f"#!/bin/sh\npwd\ncat {place}/sent\necho complains >&2\necho left there >{place}/left\n")
        script = int(re.search(r"Job <(\d+)>", done.stdout)[1])
        west.wait_for(script, "DONE")
        expect_in(f"{place}\nsaid by west\n", "\n".join(clusters.lines("out.script")) + "\n", "the output of a script on standard input")
        expect_equal(clusters.lines("err"), ["complains"], "-e in west")
        expect_equal(clusters.lines("returned"), ["left there"], "a file that -f has returned")
        made = west.bsub("pwd", "-q", "borrow", "-cwd", f"{place}/run.%J/in", "-o", f"{home}/out.made")
        west.wait_for(made, "DONE", "EXIT")
        expect_in(f"{place}/run.{made}/in", clusters.lines("out.made"), "a directory with the job's number, which is made there")


# One order to the provider, which starts it as a parallel job of its own: two steps, a shepherd on each host, blaunch and pam between them.
def test_a_parallel_job_runs_on_several_borrowed_hosts(bench):
    with two(bench, lends=LENDS.format(host="n2 n3", slots=1), east=("n2", "n3")) as clusters:
        west, east = clusters["west"], clusters["east"]
        receive_parallel_jobs(west)
        home, gate = west.places[ALICE], f"{west.places[ALICE]}/gate"
        with open(f"{home}/task", "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\necho $(hostname) $LSB_JOBID >>{home}/ran\n")
        os.chmod(f"{home}/task", 0o755)
        job = west.bsub(f"for host in $LSB_HOSTS; do blaunch $host {home}/task 2>>{home}/errors; done; until [ -e {gate} ]; do sleep 0.1; done",
                        "-q", "borrow", "-n", "2", "-o", "out.%J")
        waits = west.bsub("true", "-q", "borrow", "-o", "/dev/null")
        wait_until(lambda: sorted(clusters.lines("ran")) == [f"n2 {job}", f"n3 {job}"], lambda: f"{clusters.lines('ran')} {clusters.lines('errors')} {shown(west)()}")
        west.wait_for(job, "RUN")
        expect_equal(sorted(west.field(job, "exec_host").split(":")), ["n2@east", "n3@east"], "bjobs in west")
        expect_equal(west.field(waits), "PEND", "both borrowed slots are in use")
        wait_until(lambda: [borrowed(west, f"{host}@east")[5] for host in ("n2", "n3")] == ["1", "1"], shown(west))
        there = east.jobs()[0]
        expect_equal(sorted(east.field(there, "exec_host").split(":")), ["n2", "n3"], "bjobs in east")
        west.run("bstop", str(job))
        east.wait_for(there, "USUSP")
        west.wait_for(job, "USUSP")
        west.run("bresume", str(job))
        west.wait_for(job, "RUN")
        wait_until(lambda: "n3@east" in west.user("bjobs", "-l", "-UF", str(job)).stdout and "MEM: " in west.user("bjobs", "-l", "-UF", str(job)).stdout,
                   lambda: west.user("bjobs", "-l", "-UF", str(job)).stdout, 60)
        with open(gate, "w", encoding="utf-8"):
            pass
        for number in (job, waits):
            west.wait_for(number, "DONE")
        killed = west.bsub("blaunch -z \"$LSB_HOSTS\" sleep 1000", "-q", "borrow", "-n", "2", "-o", "/dev/null")
        west.wait_for(killed, "RUN")
        east.wait_for(east.jobs()[-1], "RUN")
        west.run("bkill", str(killed))
        west.wait_for(killed, "EXIT")


def test_mpi_programs_run_over_borrowed_hosts(bench):
    os.chmod(bench.cluster.environment["TMPDIR"], 0o1777)  # where bsub gives an esub its files
    clusters = two(bench, lends=LENDS.format(host="n2 n3", slots=2), east=("n2", "n3"))
    give_homes(bench, clusters["west"].places)
    with clusters:
        west, home = clusters["west"], clusters["west"].places[ALICE]
        receive_parallel_jobs(west)
        jobs = []
        for kind in ("openmpi", "mpich"):
            west.run("mkdir", f"{home}/{kind}")
            jobs.append((kind, west.bsub(f"mpirun.lsf {bench.mpi_target(kind)} {home}/{kind} allreduce", "-q", "borrow", "-n", "2", "-a", kind, "-R",
                                         "span[ptile=1]", "-o", f"{kind}.out")))
        for kind, job in jobs:
            west.wait_for(job, "DONE", "EXIT", seconds=120)
            said = "\n".join(clusters.lines(f"{kind}.out"))
            expect_equal(west.field(job), "DONE", f"the end of {kind}: {said}\n{west.logs_text()}")
            expect_in("allreduce 3\n", said + "\n", f"the sum of {kind}")
            notes = notes_in(f"{home}/{kind}")
            expect_equal(sorted(note.host for note in notes), ["n2", "n3"], f"hosts of the ranks of {kind}")
            expect_equal(len(re.findall(r"^\d{5} +n[23] .* Done ", said, re.M)), 2, f"pam's table of {kind}: {said}")
            bench.saw(kind)


def receive_parallel_jobs(side):
    with open(f"{side.conf}/lsf.cluster.{side.cluster}", "a", encoding="utf-8") as file:
        file.write("Begin RemoteClusters\nCLUSTERNAME RECV_FROM\neast Y\nEnd RemoteClusters\n")
    side.good("badmin", "reconfig", "-f")


# Its RES is killed: no master of another cluster can see it but by the word of the provider.
def test_a_lost_host_of_the_provider_makes_its_jobs_unknown(bench):
    sends = BORROWS + "Begin Queue\nQUEUE_NAME = send\nSNDJOBS_TO = take@east\nHOSTS = none\nEnd Queue\n"
    takes = QUEUES + "Begin Queue\nQUEUE_NAME = take\nRCVJOBS_FROM = west\nHOSTS = n3\nEnd Queue\n"
    clusters = Federation(bench, {"west": ("n1",), "east": ("n2", "n3")}, queues={"west": sends, "east": takes},
                          params={"west": PARAMS, "east": PARAMS}, slots={"west": 4, "east": 1})
    clusters["east"].write_batch("lsb.resources", LENDS.format(host="n3", slots=1))
    with clusters:
        west, east = clusters["west"], clusters["east"]
        gate = f"{west.places[ALICE]}/gate"
        command = f"echo $(hostname) >>ran; until [ -e {gate} ]; do sleep 0.1; done"
        jobs = [west.bsub(command, "-q", queue, "-o", "/dev/null") for queue in ("borrow", "send")]
        for job in jobs:
            west.wait_for(job, "RUN")
        wait_until(lambda: clusters.lines("ran") == ["n3", "n3"], shown(west))
        east.kill_daemon("res", "n3")
        for job in jobs:
            west.wait_for(job, "UNKWN")
        expect_equal(borrowed(west, "n3@east")[1], "unreach", "the host in west")
        east.start_daemon("res", "n3")
        for job in jobs:
            west.wait_for(job, "RUN")
        with open(gate, "w", encoding="utf-8"):
            pass
        for job in jobs:
            west.wait_for(job, "DONE")
        expect_equal(clusters.lines("ran"), ["n3", "n3"], "each ran once")


def requires(_):
    needs_users()


if __name__ == "__main__":
    main(hosts=3, requires=requires)
