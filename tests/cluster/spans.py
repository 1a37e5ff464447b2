"""Jobs on hosts of several clusters at once: a cluster's own hosts, and hosts that others lend it. They start when all hosts have prepared
them, have tasks on each of them, and give a borrowed slot back when nothing of them is left there."""

import os
import re

from rollcall_testing.cluster_links import Cut, MasterKilled
from rollcall_testing.federation import ALICE
from rollcall_testing.mixed_jobs import BOTH, alive, borrow, exports, goes_on, mixed, open_gate, shown, starts_tasks, task_file
from rollcall_testing.munge import needs_users
from rollcall_testing.programs import notes_in
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until


def test_a_job_runs_on_hosts_of_both_clusters(bench):
    with mixed(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        borrow(clusters)
        home, task = west.places[ALICE], task_file(clusters)
        before = len(east.jobs())
        job = west.bsub(f"env >{home}/words; for host in $LSB_HOSTS; do blaunch $host {task} 2>>{home}/errors; done; blaunch {task} 2>>{home}/errors; "
                        f"until [ -e {home}/gate ]; do sleep 0.1; done", "-q", "both", "-n", "4", "-o", "out.%J")
        wait_until(lambda: len(clusters.lines("ran")) == 8, lambda: f"{clusters.lines('ran')} {clusters.lines('errors')} {shown(west, job)()}")
        expect_equal(sorted(clusters.lines("ran")), [f"n1 {job}"] * 4 + [f"n2 {job}"] * 4, "tasks")
        west.wait_for(job, "RUN")
        expect_equal(west.field(job, "exec_host"), "2*n1:2*n2@east", "bjobs in west: its own host is the first one")
        expect_equal(west.host_row("n2@east")[3:6], ["2", "2", "2"], "bhosts in west")
        there = east.jobs()[before]
        expect_equal(east.jobs("source_cluster srcjobid queue exec_host stat")[before], f"west {job} both@west 2*n2 RUN", "bjobs in east")
        words = dict(line.split("=", 1) for line in clusters.lines("words") if "=" in line)
        expect_equal(words["LSB_MCPU_HOSTS"], "n1 2 n2 2 ", "the job's hosts as its processes see them")
        expect("ROLLCALL_KEY_FILE" not in words, "the key is in no environment")
        west.run("bstop", str(job))
        west.wait_for(job, "USUSP")
        east.wait_for(there, "USUSP")
        west.run("bresume", str(job))
        west.wait_for(job, "RUN")
        east.wait_for(there, "RUN")
        waits = west.bsub("true", "-q", "both", "-n", "4", "-o", "/dev/null")
        open_gate(clusters)
        west.wait_for(job, "DONE")
        east.wait_for(there, "DONE")
        west.wait_for(waits, "DONE")
        wait_until(lambda: west.host_row("n2@east")[4] == "0", shown(west))


def test_output_and_usage_are_those_of_all_hosts_without_a_shared_home(bench):
    place = bench.fresh_directory("place")
    os.chmod(place, 0o755)
    with open(f"{place}/holds.py", "w", encoding="utf-8") as file:
        file.write("import signal, socket\nkept = b'x' * 120_000_000\nprint(socket.gethostname(), 'holds', flush=True)\nsignal.pause()\n")
    with mixed(bench, apart=("n2",)) as clusters:
        west = clusters["west"]
        borrow(clusters)
        job = west.bsub(f"blaunch -z 'n1 n2' python3 {place}/holds.py", "-q", "both", "-n", "4", "-o", "out.%J")
        wait_until(lambda: sorted(line for line in west.run("bpeek", str(job)).stdout.splitlines() if line.endswith(" holds")) == ["n1 holds", "n2 holds"],
                   lambda: f"{west.run('bpeek', str(job))} {shown(west, job)()}", 30)
        expect_equal(west.field(job, "exec_host"), "2*n1:2*n2@east", "bjobs in west")

        def megabytes():
            amount = re.match(r"([\d.]+) Mbytes", west.field(job, "mem"))
            return float(amount[1]) if amount else 0

        wait_until(lambda: megabytes() > 200, lambda: f"both hosts' memory: {west.field(job, 'mem')} {shown(west, job)()}", 60)
        west.run("bkill", str(job))
        west.wait_for(job, "EXIT")
        expect_equal(sorted(line for line in clusters.lines(f"out.{job}") if line.endswith(" holds")), ["n1 holds", "n2 holds"], "the output in west")


def test_the_commfail_action_of_the_queue_holds_for_hosts_of_another_cluster(bench):
    with mixed(bench, lent={"east": ("n2", "n3")}, conf="LSF_RES_ALIVE_TIMEOUT=9") as clusters:
        west, east = clusters["west"], clusters["east"]
        ignores = "Begin Queue\nQUEUE_NAME = ignores\nPRIORITY = 40\nHOSTS = all allremote\nDJOB_COMMFAIL_ACTION = \"IGNORE_COMMFAIL\"\nEnd Queue\n"
        west.write_batch("lsb.queues", BOTH.format(own="all") + ignores)
        west.good("badmin", "reconfig", "-f")
        borrow(clusters)
        home, before = west.places[ALICE], len(east.jobs())
        waits = f"until [ -e {home}/gate ]; do sleep 0.2; done"
        jobs = {queue: west.bsub(f"blaunch -z 'n1 n3' 'echo {queue} $(hostname) >>{home}/ran; {waits}' 2>>{home}/errors.{queue}; {waits}", "-q", queue,
                                 "-n", "2", "-R", "span[ptile=1]", "-o", "/dev/null") for queue in ("both", "ignores")}
        wait_until(lambda: len(clusters.lines("ran")) == 4, lambda: f"{clusters.lines('ran')} {shown(west, *jobs.values())()}", 60)
        bench.cluster.cut("n3")
        try:
            west.wait_for(jobs["both"], "EXIT", seconds=90)
        finally:
            bench.cluster.mend("n3")
        expect_in("DJOB_COMMFAIL_ACTION", "\n".join(clusters.lines("errors.both")), "why the job was ended")
        expect_equal(clusters.lines("errors.ignores"), [], "what blaunch says of a host that it waits for")
        wait_until(lambda: west.field(jobs["ignores"]) == "RUN", shown(west, jobs["ignores"]), 60)
        open_gate(clusters)
        west.wait_for(jobs["ignores"], "DONE")
        wait_until(lambda: set(east.jobs("stat")[before:]) <= {"DONE", "EXIT"}, shown(west, *jobs.values()), 60)  # its parts are over too
    bench.saw("one job ended with the borrowed host, the other one went on")


def test_a_kill_ends_all_parts(bench):
    with mixed(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        borrow(clusters)
        home = west.places[ALICE]
        job = west.bsub(f"blaunch -z \"$(echo $LSB_HOSTS | tr ' ' '\\n' | sort -u | tr '\\n' ' ')\" 'echo $(hostname) $$ >>{home}/ran; exec sleep 1000'", "-q", "both", "-n", "4", "-o", "/dev/null")
        wait_until(lambda: len(clusters.lines("ran")) == 2, shown(west, job))
        west.wait_for(job, "RUN")
        there = east.jobs()[-1]
        processes = [line.split()[1] for line in clusters.lines("ran")]
        wait_until(lambda: "MEM: " in west.user("bjobs", "-l", "-UF", str(job)).stdout, shown(west, job), 60)
        west.run("bkill", str(job))
        west.wait_for(job, "EXIT")
        east.wait_for(there, "DONE", "EXIT")
        expect_equal([pid for pid in processes if alive(pid)], [], "processes when the part is over")
        expect_in("TERM_OWNER", west.field(job, "exit_reason"), "bjobs in west")
        # The provider's administrator ends his part: the job ends with it.
        second = west.bsub("blaunch n2 sleep 1000", "-q", "both", "-n", "4", "-o", "/dev/null")
        west.wait_for(second, "RUN")
        east.wait_for(east.jobs()[-1], "RUN")
        east.user("bkill", east.jobs()[-1])
        west.wait_for(second, "EXIT")
        expect_in("n2@east", west.user("bhist", "-l", str(second)).stdout.replace("\n                     ", ""), "bhist says why")


def test_mpi_programs_run_on_hosts_of_both_clusters(bench):
    os.chmod(bench.cluster.environment["TMPDIR"], 0o1777)  # where bsub gives an esub its files
    # The users' homes of the programs have no key: the job has one of its own.
    with mixed(bench) as clusters:
        west, home = clusters["west"], clusters["west"].places[ALICE]
        borrow(clusters)
        for kind in ("openmpi", "mpich"):
            west.run("mkdir", f"{home}/{kind}")
            job = west.bsub(f"mpirun.lsf {bench.mpi_target(kind)} {home}/{kind} allreduce", "-q", "both", "-n", "4", "-a", kind, "-o", f"{kind}.out")
            west.wait_for(job, "DONE", "EXIT", seconds=120)
            said = "\n".join(clusters.lines(f"{kind}.out"))
            expect_equal(west.field(job), "DONE", f"the end of {kind}: {said}\n{west.logs_text()}")
            notes = notes_in(f"{home}/{kind}")
            expect_equal(sorted(note.host for note in notes), ["n1", "n1", "n2", "n2"], f"hosts of the ranks of {kind}")
            expect_equal(len(re.findall(r"^\d{5} +n[12] .* Done ", said, re.M)), 4, f"pam's table of {kind}: {said}")
            bench.saw(kind)


# The masters are on other hosts than the job: only their link is cut.
def test_a_cut_and_killed_daemons_leave_the_job_and_its_slots_alone(bench):
    with mixed(bench, west=("n1", "n2"), own="n2", lent={"east": ("n3", "n4")}) as clusters:
        west, east = clusters["west"], clusters["east"]
        borrow(clusters)
        job = west.bsub(starts_tasks(clusters, "n4"), "-q", "both", "-n", "4", "-o", "out.%J")
        waits = west.bsub("true", "-q", "both", "-n", "4", "-o", "/dev/null")
        wait_until(lambda: len(clusters.lines("ran")) > 1, shown(west, job))
        there = east.jobs()[-1]
        members = list(clusters.members.values())

        for fault in (Cut(bench, members, (west, east)), MasterKilled(bench, members, (west,)), MasterKilled(bench, members, (east,))):
            fault.begin()
            if not isinstance(fault, MasterKilled):
                east.wait_for_connection("west", ": not connected")
                goes_on(clusters, job, waits, f"during {fault}")
            fault.end()
            west.wait_for_connection("east")
            east.wait_for_connection("west")
            goes_on(clusters, job, waits, f"after {fault}")
        for side, host in ((east, "n4"), (west, "n2")):
            side.kill_daemon("res", host)
            side.start_daemon("res", host)
            goes_on(clusters, job, waits, f"after RES of {host} was killed")
        expect_equal(east.field(there), "RUN", "the part")
        # Killed while the masters are cut off: the part ends when they have connected, and its slots come back then.
        cut = Cut(bench, members, (west, east))
        cut.begin()
        east.wait_for_connection("west", ": not connected")
        wait_until(lambda: ": connected" not in west.standing("east"), lambda: west.standing("east"), 60)
        reaches = f"Job <{job}>: the order reaches its part in cluster <east> when that is connected\n"
        expect_equal(west.run("bkill", str(job)).stdout, f"Job <{job}> is being terminated\n{reaches}", "bkill during the cut")
        west.wait_for(job, "EXIT")
        expect_equal(east.field(there), "RUN", "the part during the cut")
        cut.end()
        west.wait_for_connection("east")
        east.wait_for(there, "DONE", "EXIT")
        west.wait_for(waits, "DONE")


def test_a_recalled_part_requeues_the_job(bench):
    with mixed(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        borrow(clusters)
        home, task = west.places[ALICE], task_file(clusters)
        job = west.bsub(f"blaunch n2 {task}; until [ -e {home}/gate ]; do sleep 0.1; done", "-q", "both", "-n", "4", "-o", "/dev/null")
        wait_until(lambda: len(clusters.lines("ran")) == 1, shown(west, job))
        west.wait_for(job, "RUN")
        east.write_batch("lsb.resources", "")
        east.good("badmin", "reconfig", "-f")
        west.wait_for(job, "PEND")
        wait_until(lambda: west.host_row("n2@east") is None, shown(west, job))
        east.write_batch("lsb.resources", exports("n2"))
        east.good("badmin", "reconfig", "-f")
        wait_until(lambda: len(clusters.lines("ran")) == 2, shown(west, job), 60)
        open_gate(clusters)
        west.wait_for(job, "DONE")


def test_hosts_of_two_providers_are_in_one_job(bench):
    with mixed(bench, lent={"east": ("n2",), "south": ("n3",)}) as clusters:
        west = clusters["west"]
        borrow(clusters, 2)
        task = task_file(clusters)
        # Tasks start from the first cluster outwards: a provider has no key for another one's hosts, nor for those of west.
        job = west.bsub(f"blaunch {task}; blaunch n3 blaunch n3 {task}; for to in n1 n2; do blaunch n3 blaunch $to {task}; done; true",
                        "-q", "both", "-n", "6", "-o", "out.%J")
        west.wait_for(job, "DONE", "EXIT")
        expect_equal(sorted(clusters.lines("ran")), [f"n1 {job}"] * 2 + [f"n2 {job}"] * 2 + [f"n3 {job}"] * 3,
                     f"tasks: {clusters.lines(f'out.{job}')} {shown(west, job)()}")
        for host in ("n1", "n2"):
            expect_in(f"host {host}: it is of another cluster", "\n".join(clusters.lines(f"out.{job}")), "a nested blaunch")


def test_a_job_has_hosts_of_two_leases_of_one_provider(bench):
    with mixed(bench, lent={"east": ("n2", "n3")}, lends={"east": ("n2", "n3")}) as clusters:
        west, east = clusters["west"], clusters["east"]
        borrow(clusters, 2)
        expect_equal(len(re.findall(r"^east +IMPORT +ok$", west.user("bclusters").stdout, re.M)), 2, f"leases: {west.user('bclusters').stdout}")
        home, task = west.places[ALICE], task_file(clusters)
        job = west.bsub(f"blaunch {task}; until [ -e {home}/gate ]; do sleep 0.1; done", "-q", "both", "-n", "6", "-o", "out.%J")
        wait_until(lambda: len(clusters.lines("ran")) == 6, lambda: f"{clusters.lines(f'out.{job}')} {shown(west, job)()}")
        expect_equal(sorted(clusters.lines("ran")), [f"n1 {job}"] * 2 + [f"n2 {job}"] * 2 + [f"n3 {job}"] * 2, "tasks")
        west.wait_for(job, "RUN")
        hosts, state = east.jobs("exec_host stat")[-1].split()
        expect_equal((sorted(hosts.split(":")), state), (["2*n2", "2*n3"], "RUN"), "one part at east")
        # One of the leases is recalled: the job is requeued, and the other lease's slots are idle.
        east.write_batch("lsb.resources", exports("n2"))
        east.good("badmin", "reconfig", "-f")
        west.wait_for(job, "PEND")
        wait_until(lambda: west.host_row("n3@east") is None and west.host_row("n2@east")[4] == "0", shown(west, job))
        east.write_batch("lsb.resources", exports("n2", "n3"))
        east.good("badmin", "reconfig", "-f")
        wait_until(lambda: len(clusters.lines("ran")) == 12, shown(west, job), 60)
        # Both of its hosts are borrowed, by two leases: one job there.
        alone = west.bsub(f"blaunch {task}", "-q", "both", "-n", "4", "-m", "n2@east n3@east", "-o", "/dev/null")
        open_gate(clusters)
        west.wait_for(job, "DONE")
        west.wait_for(alone, "DONE")
        expect_equal(sorted(line.split()[0] for line in clusters.lines("ran")[12:]), ["n2", "n2", "n3", "n3"], "its tasks")


def test_a_job_that_must_begin_on_a_borrowed_host_is_not_mixed(bench):
    with mixed(bench) as clusters:
        west = clusters["west"]
        borrow(clusters)
        job = west.bsub("sleep 1000", "-q", "both", "-n", "4", "-m", "n2@east! n1", "-o", "/dev/null")
        reason = "4 slots are free on 2 hosts that fit; on hosts of several clusters a job begins on one of ours"
        wait_until(lambda: reason in west.user("bjobs", "-p", "--why", str(job)).stdout, lambda: west.user("bjobs", "-p", "--why", str(job)).stdout, 60)
        expect_equal(west.field(job), "PEND", "the job")
        west.run("bkill", str(job))
        west.wait_for(job, "EXIT")


def requires(_):
    needs_users()


if __name__ == "__main__":
    main(hosts=4, requires=requires)
