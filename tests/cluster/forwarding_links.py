"""Three clusters of two hosts each forward jobs to one another, while links between them are cut, slow or lossy and masters are killed.

A scene is drawn from its seed: where jobs are submitted, which faults happen between and during it, and for how long. Each job
appends its name to a file; a parallel one has a task on both hosts of the cluster that runs it, and each task writes its own line. While
a link is cut or a master away one job is killed, another one stopped, and that one resumed during a later fault. After each scene every job
ran once, ended where it was submitted as it should, and stands once in the accounts of both clusters; no slot, process or directory of
a job is left.

`short` has 10 scenes on two sets of clusters side by side. `long` has ROLLCALL_SCENES (100), whose faults may last until the masters
notice that a silent connection is gone. ROLLCALL_SCENES_FIRST chooses the first seed. A scene that fails prints its seed and faults.
"""

import contextlib
import os
import random
import re
import shlex
import time

from rollcall_testing import processes
from rollcall_testing.cluster_links import MasterFault, drawn_faults
from rollcall_testing.federation import ALICE, Federation
from rollcall_testing.files import read, read_if_there
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import expect, expect_equal, main
from rollcall_testing.scenes import number_of, play_all
from rollcall_testing.waiting import wait_until

LANES = 2  # sets of clusters, side by side
CLUSTERS = ("west", "east", "north")
HOSTS_OF_EACH = 2
SECONDS = 120  # a dial that failed is repeated after at most 30 s, and a silent connection is given up after 30 s
QUEUES = """Begin Queue
QUEUE_NAME = send
PRIORITY = 30
SNDJOBS_TO = {to}
HOSTS = none
End Queue
Begin Queue
QUEUE_NAME = both
PRIORITY = 30
SNDJOBS_TO = {to}
End Queue
Begin Queue
QUEUE_NAME = receive
PRIORITY = 30
RCVJOBS_FROM = allclusters
End Queue
"""
PARAMS = "MC_PLUGIN_UPDATE_INTERVAL = 1\nMC_RUSAGE_UPDATE_INTERVAL = 1\nMC_PENDING_REASON_UPDATE_INTERVAL = 1"
JOBS = 8  # of a scene, beside those that are killed and stopped
TASK = """#!/bin/sh
echo "$1 $(hostname)" >>{tasks}
"""
LONGEST_FAULT = {"short": 1.5, "long": 40}  # seconds
FIELDS = "jobid stat exit_code forward_cluster dstjobid source_cluster srcjobid delimiter=','"
# In the log of RES: a shepherd that was lost, and one that RES has killed. The word is the job.
LOST = re.compile(r"job (\S+): .*(?:was|were) killed on")
DOES_NOT_READ = re.compile(r"job (\S+): its shepherd does not take the order to kill")


def queues_of(name):
    return QUEUES.format(to=" ".join(f"receive@{other}" for other in CLUSTERS if other != name))


def federation(bench, lane):
    first = 1 + lane * len(CLUSTERS) * HOSTS_OF_EACH
    hosts = {name: tuple(f"n{first + at * HOSTS_OF_EACH + k}" for k in range(HOSTS_OF_EACH)) for at, name in enumerate(CLUSTERS)}
    return Federation(bench, hosts, queues={name: queues_of(name) for name in CLUSTERS}, params=dict.fromkeys(CLUSTERS, PARAMS),
                      slots=dict.fromkeys(CLUSTERS, 2))


class Scene:
    def __init__(self, bench, clusters, seed, longest_fault):
        self.bench, self.members, self.seed = bench, list(clusters.members.values()), seed
        self.clusters, self.draw, self.longest_fault = clusters, random.Random(seed), longest_fault
        self.jobs = {}  # name -> (cluster, number)
        self.done = []  # the faults, in words
        self.forwarded = 0  # jobs
        self.parallel = set()  # names
        place = self.members[0].places[ALICE]
        self.ran, self.tasks, self.task = (os.path.join(place, name) for name in ("ran", "tasks", f"task.{seed}"))
        self.gate, self.pid = (os.path.join(place, f"{name}.{seed}") for name in ("gate", "pid"))
        with open(self.task, "w", encoding="utf-8") as file:
            file.write(TASK.format(tasks=self.tasks))
        os.chmod(self.task, 0o755)

    def submit_those_with_orders(self):
        """One only ends when it is killed, the other one when its gate is open."""
        side, other = self.draw.choice(self.members), self.draw.choice(self.members)
        self.killed = side, side.bsub(f"echo {self.seed}.killed >>{self.ran}; sleep 1000", "-q", "send", "-o", "/dev/null")
        name = f"{self.seed}.stopped"
        stopped = other.bsub(f"echo $$ >{self.pid}; echo {name} >>{self.ran}; until [ -e {self.gate} ]; do sleep 0.1; done", "-q", "send", "-o",
                             "/dev/null")
        self.jobs[name] = other, stopped
        self.orders = [("bkill", side, self.killed[1]), ("bstop", other, stopped), ("bresume", other, stopped)]

    def submit(self):
        side = self.draw.choice(self.members)
        name = f"{self.seed}.{len(self.jobs)}"
        queue = self.draw.choice(("send", "send", "both"))
        command, options = f"echo {name} >>{self.ran}; sleep {self.draw.uniform(0, 1):.1f}", []
        if self.draw.random() < 0.4:
            self.parallel.add(name)
            command, options = f"{command}; blaunch {self.task} {name}", ["-n", "2", "-R", "span[ptile=1]"]
        self.jobs[name] = (side, side.bsub(command, "-q", queue, "-o", "/dev/null", *options))

    def recall(self):
        """bswitch asks back what waits elsewhere; it may have begun or ended by now."""
        if self.jobs:
            side, job = self.draw.choice(sorted(self.jobs.values(), key=lambda one: (one[0].cluster, one[1])))
            side.run("bswitch", "both", str(job))

    def break_something(self):
        faults = drawn_faults(self.draw, self.bench, self.members)
        length = self.draw.uniform(0.05, self.longest_fault) if self.draw.random() < 0.2 else self.draw.uniform(0.05, 1.5)
        self.done.append(f"{' and '.join(map(str, faults))} for {length:.1f} s")
        begun, given = [], None
        try:
            for fault in faults:
                fault.begin()
                begun.append(fault)
            given = self.give_an_order(faults)
            time.sleep(length)  # how long the fault lasts
        finally:
            for fault in reversed(begun):
                fault.end()
        if given and given[0] == "bstop":
            wait_until(lambda: self.is_stopped(*given[1:]), lambda: f"job {given[2]} to be stopped: {self.not_stopped(*given[1:])}", SECONDS)
            with open(self.gate, "w", encoding="utf-8"):
                pass

    def is_stopped(self, side, job):
        """Where it is: that cluster shows the order before the job's host has it."""
        state, cluster, there = side.field(job, "stat forward_cluster dstjobid").split()
        if cluster != "-":
            state = "-" if there == "-" else self.clusters[cluster].field(there)
        return state == "PSUSP" or (state == "USUSP" and self.has_no_running_process())

    def not_stopped(self, side, job):
        """For the failure message: what is known of a job that should be stopped and is not."""
        pid = read_if_there(self.pid).strip()
        lines = [f"process {pid}: {processes.read_process(int(pid)) if pid else 'none'}; lines of {self.ran}: {self.lines_of(self.ran)}"]
        cluster, there = side.field(job, "forward_cluster dstjobid").split()
        for one, number in ((side, job), *([(self.clusters[cluster], there)] if there != "-" else [])):
            lines += [f"{one.cluster}:", one.user("bjobs", "-l", str(number)).stdout, one.user("bhist", "-l", str(number)).stdout]
        return "\n".join((*lines, self.left()))

    def has_no_running_process(self):
        """The job that is stopped: it is, or it has not begun."""
        pid = read_if_there(self.pid).strip()
        return not pid or processes.is_stopped(int(pid))

    def give_an_order(self, faults):
        """During the faults; none to a master that is away itself."""
        if not self.orders or any(isinstance(fault, MasterFault) and fault.side is self.orders[0][1] for fault in faults):
            return None
        order, side, job = given = self.orders.pop(0)
        done = side.run(order, str(job))
        expect_equal(done.returncode, 0, f"{order} {job} in {side.cluster}: {done.stdout}{done.stderr}")
        self.done[-1] += f", {order} in {side.cluster}"
        return given

    def play(self):
        self.submit_those_with_orders()
        while len(self.jobs) <= JOBS:
            for _ in range(min(self.draw.randint(1, 3), JOBS + 1 - len(self.jobs))):
                self.submit()
            self.draw.choice((self.break_something, self.break_something, self.recall))()
        self.break_something()
        while self.orders:
            self.break_something()
        self.check()

    # --- what is true at the end

    def check(self):
        for name, (side, job) in self.jobs.items():
            side.wait_for(job, "DONE", seconds=SECONDS)
        side, job = self.killed
        side.wait_for(job, "EXIT", seconds=SECONDS)
        ran = self.lines_of(self.ran)
        expect(ran.count(f"{self.seed}.killed") <= 1, f"the killed job ran at most once: {ran}")
        expect_equal(sorted(line for line in ran if not line.endswith(".killed")), sorted(self.jobs), "jobs that ran")
        self.check_tasks()
        self.check_shepherds()
        wait_until(lambda: all(self.is_clean(side) for side in self.members), self.left, SECONDS)
        self.check_accounts()

    def lines_of(self, path):
        with open(path, encoding="utf-8") as file:
            return [line for line in file.read().splitlines() if line.startswith(f"{self.seed}.")]

    def check_shepherds(self):
        """No shepherd was killed, unless by RES because it did not read the order to kill that job."""
        for side in self.members:
            for name in side.names:
                log = read(side.daemon_log("res", name))
                lost, allowed = set(LOST.findall(log)), set(DOES_NOT_READ.findall(log))
                expect(lost <= allowed, f"no shepherd of jobs {lost - allowed} of {side.cluster} was killed on {name}: {log}")

    def check_tasks(self):
        where = {name: [] for name in self.parallel}
        for line in self.lines_of(self.tasks) if self.parallel else []:
            name, host = line.split()
            where[name].append(host)
        hosts = [sorted(side.names) for side in self.members]
        for name, tasks in where.items():
            expect(sorted(tasks) in hosts, f"a task on each host of one cluster, job {name}: {tasks}")

    def is_clean(self, side):
        busy = [line.split() for line in side.user("bhosts", "-w").stdout.splitlines()[1:]]
        return not side.user("bjobs", "-u", "all", "-noheader").stdout and all(row[1] == "ok" and row[4] == "0" for row in busy) and not \
            self.directories(side)

    def directories(self, side):
        return [path for host in side.names for path in os.listdir(os.path.join(side.spool, host)) if re.fullmatch(r"\d+\.\d+\.\d+", path)]

    def left(self):
        lines = [f"{side.cluster}: {side.user('bjobs', '-u', 'all').stdout}{side.user('bhosts').stdout}{self.directories(side)}" for side in
                 self.members]
        return "nothing to be left: " + "\n".join(lines) + self.members[0].logs_text()

    def check_accounts(self):
        rows = {side.cluster: {row[0]: row for row in (line.split(",") for line in side.jobs(FIELDS))} for side in self.members}
        ends = {side.cluster: ends_in_accounts(side) for side in self.members}
        for side, job in (*self.jobs.values(), self.killed):
            row = rows[side.cluster][str(job)]
            what = f"job {job} of {side.cluster}: {row}"
            expect_equal(ends[side.cluster].get(str(job)), 1, f"JOB_FINISH in its cluster, {what}")
            if "-" in row[3:5]:  # it ran here, or was killed before it had been accepted
                continue
            self.forwarded += 1
            there = rows[row[3]][row[4]]
            expect_equal(there[1:3], row[1:3], f"its state and exit code there, {what}")
            expect_equal(there[5:7], [side.cluster, str(job)], f"where it came from, {what}")
            expect_equal(ends[row[3]].get(row[4]), 1, f"JOB_FINISH there, {what}")
            if row[1] != "DONE":
                continue
            attempts = [one for one in rows[row[3]].values() if one[5:7] == [side.cluster, str(job)] and one[1] == "DONE"]
            expect_equal(len(attempts), 1, f"its attempts that are done there, {what}")


def ends_in_accounts(side):
    """{job: lines of lsb.acct}."""
    count = {}
    with open(os.path.join(side.work, side.cluster, "logdir", "lsb.acct"), encoding="utf-8") as file:
        for line in file:
            words = shlex.split(line.replace('""', '" "'))
            if words[0] == "JOB_FINISH":
                count[words[3]] = count.get(words[3], 0) + 1
    return count


def breaks_told(side):
    """How often its mbatchd lost another cluster."""
    with open(side.daemon_log("mbatchd", side.names[0]), encoding="utf-8", errors="replace") as file:
        return sum("is not connected any more" in line for line in file)


def play(bench, count, longest_fault):
    first = number_of("ROLLCALL_SCENES_FIRST", 1)
    seeds = range(first, first + count)
    begun = time.monotonic()
    sets = [federation(bench, lane) for lane in range(min(LANES, count))]
    with contextlib.ExitStack() as stack:
        for clusters in sets:
            stack.enter_context(clusters)
        ready = time.monotonic()
        scenes = play_all(lambda clusters, seed: Scene(bench, clusters, seed, longest_fault), sets, seeds)
        breaks = sum(breaks_told(side) for clusters in sets for side in clusters.members.values())
    forwarded = sum(scene.forwarded for scene in scenes)
    expect_equal(len(scenes), count, "scenes that were played")
    expect(forwarded >= count and breaks >= count / 2, f"{forwarded} jobs were forwarded, and {breaks} connections broke: too few to see")
    bench.saw(f"seeds {first} to {seeds[-1]}; {count * (JOBS + 2)} jobs, {forwarded} of them forwarded; {breaks} breaks were told; clusters up in "
              f"{ready - begun:.0f} s, scenes {time.monotonic() - ready:.0f} s")


def test_short_scenes_run_each_job_once(bench):
    play(bench, number_of("ROLLCALL_SCENES", 10), LONGEST_FAULT["short"])


def test_long_scenes_run_each_job_once(bench):
    play(bench, number_of("ROLLCALL_SCENES", 100), LONGEST_FAULT["long"])


def requires(_):
    needs_users()


if __name__ == "__main__":
    main(hosts=LANES * len(CLUSTERS) * HOSTS_OF_EACH, requires=requires)
