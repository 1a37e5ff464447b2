"""Three clusters of two hosts each that lend in a ring, west to east, east to north and north to west, while links between them are cut,
slow or lossy, masters and RES are killed, and export policies change under running jobs.

A scene is drawn from its seed. Each job writes down that it runs, and counts which of the jobs that did so on its host are alive: more than
the host may have slots is a slot in two hands. Some jobs have a task on each slot of their own cluster's and of a borrowed host, and some of these
are MPI programs that talk over both. A policy that takes slots kills jobs, and they run again, so a job may begin once more for each time that its
slots were taken back by a cluster whose policy has changed; one that is not of several tasks ends by itself as often at most. After each scene all
jobs are done, both sides of each lease agree, no host is lent twice, and no slot, process or directory of a job is left.

`short` has 10 scenes on two sets of clusters side by side. `long` has ROLLCALL_SCENES (100), whose faults may last until the masters
notice that a silent connection is gone. ROLLCALL_SCENES_FIRST chooses the first seed. A scene that fails prints its seed and faults.
"""

import contextlib
import json
import os
import random
import re
import time

from rollcall_testing.batch_cluster import QUEUES
from rollcall_testing.cluster_links import MasterFault, drawn_faults
from rollcall_testing.federation import ALICE, Federation
from rollcall_testing.homes import give_homes
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import expect, expect_equal, main
from rollcall_testing.scenes import number_of, play_all
from rollcall_testing.waiting import wait_until

LANES = 2  # sets of clusters, side by side
CLUSTERS = ("west", "east", "north")
BORROWER = {"west": "east", "east": "north", "north": "west"}  # of each cluster's hosts
LENDER = {borrower: lender for lender, borrower in BORROWER.items()}
HOSTS_OF_EACH = 2
SLOTS = 2  # of a host
SECONDS = 150  # a dial that failed is repeated after at most 30 s, and a silent connection is given up after 30 s
JOBS = 10
LONGEST_FAULT = {"short": 1.5, "long": 40}  # seconds
BORROWS = QUEUES + """Begin Queue
QUEUE_NAME = borrow
PRIORITY = 40
HOSTS = allremote
End Queue
Begin Queue
QUEUE_NAME = both
PRIORITY = 40
HOSTS = all allremote
End Queue
"""
# Hosts of two clusters that no master is on: a link that is reset ends the streams of tasks, too.
SPANS = """Begin Queue
QUEUE_NAME = span
PRIORITY = 40
HOSTS = {own} {borrowed}
End Queue
"""
RECEIVES = "Begin RemoteClusters\nCLUSTERNAME RECV_FROM\n{others}End RemoteClusters\n"
PARAMS = "MC_RUSAGE_UPDATE_INTERVAL = 1\nMC_RECLAIM_DELAY = 0"
EXPORT = "Begin HostExport\n{what}\nDISTRIBUTION = ([{to}, 1])\nEnd HostExport\n"
# Whole hosts: jobs of both clusters together have the host's own slots. Named hosts: slots are added for the other cluster.
WHOLE = ("RES_SELECT = type==any\nNHOSTS = 1", "RES_SELECT = type==any\nNHOSTS = 2", "")
NAMED = ("PER_HOST = {hosts}\nSLOTS = 2", "PER_HOST = {hosts}\nSLOTS = 1", "PER_HOST = {last}\nSLOTS = 2\nTYPE = shared", "")
JOB = """#!/bin/sh
# NAME SECONDS PLACE [MPI_PROGRAM]
name=$1 seconds=$2 place=$3 program=${4-}
here=$place/on.$(hostname)
slots=$place/slots.$(hostname) # a line whenever that number changes
from=$(wc -l <"$slots")
alive() { # PID START: a process that is no zombie, and the one that was meant
  # shellcheck disable=SC2046
  set -- "$2" $(sed 's/(.*)/x/' "/proc/$1/stat" 2>/dev/null)
  [ $# -gt 22 ] && [ "$4" != Z ] && [ "${23}" = "$1" ]
}
# shellcheck disable=SC2046
set -- $(sed 's/(.*)/x/' /proc/$$/stat)
echo "$$ ${22}" >"$here.$name.new.$$"
mv "$here.$name.new.$$" "$here.run.$name.$$"
count=0 who=
for file in "$here".run.*; do
  read -r pid start <"$file" || continue
  if alive "$pid" "$start"; then count=$((count + 1)) who="$who ${file##*.run.}"; fi
done
most=$(tail -n "+$from" "$slots" | sort -n | tail -n 1)
[ "$count" -le "$most" ] || echo "$count jobs on $most slots of $(hostname):$who" >>"$place/doubled"
if [ -n "$program" ]; then
  mkdir -p "$place/notes.$name"
  (sleep "$seconds"; : >"$place/open.$name") &
  "$program" "$place/notes.$name" waits "$place/open.$name" || exit
  wait
else
  sleep "$seconds"
fi
echo "$name" >>"$place/ended"
"""
# Why a job pends again, as bhist says it without blanks, and the cluster that has taken slots back. A host that has gone before it had the
# order is no cause for another attempt: the job did not run there.
RECALL = re.compile(r"n\d+@(\w+)(?:weretakenback(?!:n\d+hasgone)|:itsslotsaretakenback)")


def federation(bench, lane):
    first = 1 + lane * len(CLUSTERS) * HOSTS_OF_EACH
    hosts = {name: tuple(f"n{first + at * HOSTS_OF_EACH + k}" for k in range(HOSTS_OF_EACH)) for at, name in enumerate(CLUSTERS)}
    queues = {name: BORROWS + SPANS.format(own=hosts[name][-1], borrowed=f"{hosts[LENDER[name]][-1]}@{LENDER[name]}") for name in CLUSTERS}
    clusters = Federation(bench, hosts, queues=queues, params=dict.fromkeys(CLUSTERS, PARAMS), slots=dict.fromkeys(CLUSTERS, SLOTS))
    for name, side in clusters.members.items():
        with open(f"{side.conf}/lsf.cluster.{name}", "a", encoding="utf-8") as file:
            file.write(RECEIVES.format(others="".join(f"{other} Y\n" for other in CLUSTERS if other != name)))
    return clusters


class ResKilled:
    def __init__(self, side, host):
        self.side, self.host = side, host

    def __str__(self):
        return f"ResKilled {self.host}"

    def begin(self):
        self.side.kill_daemon("res", self.host)

    def end(self):
        self.side.start_daemon("res", self.host)


class Scene:
    def __init__(self, bench, clusters, seed, longest_fault):
        self.bench, self.clusters, self.members, self.seed = bench, clusters, list(clusters.members.values()), seed
        self.draw, self.longest_fault = random.Random(seed), longest_fault
        self.jobs, self.done, self.borrowed, self.spans, self.mpi_spans, self.killed, self.lowered = {}, [], 0, 0, 0, 0, 0
        self.of_tasks, self.of_mpi = set(), set()
        home = self.members[0].places[ALICE]
        self.place = os.path.join(home, f"scene.{seed}")
        os.mkdir(self.place)
        os.chmod(self.place, 0o777)
        self.job = os.path.join(self.place, "job")
        with open(self.job, "w", encoding="utf-8") as file:
            file.write(JOB)
        os.chmod(self.job, 0o755)
        self.policies = self.draw.choice((WHOLE, NAMED))
        self.exported, self.changed = dict.fromkeys(CLUSTERS), set()  # the policy of each cluster; clusters whose policy has changed
        self.slots = {}  # of each host: jobs that may run there at once, of both clusters
        for host in (host for side in self.members for host in side.names):
            self.allow(host, SLOTS)

    def allow(self, host, slots):
        self.slots[host] = slots
        with open(f"{self.place}/slots.{host}", "a", encoding="utf-8") as file:
            file.write(f"{slots}\n")

    def wanted_slots(self, side, host):
        """Of both clusters on this host, under the policy that is in force."""
        words = self.exported[side.cluster] or ""
        named = re.search(r"PER_HOST = (.*)\nSLOTS = (\d)", words)
        return SLOTS + (int(named[2]) if named and host in named[1].split() else 0)

    def lower_slots(self):
        """As soon as neither cluster can have more: what the other one has, and jobs and slots of its own."""
        for side in self.members:
            rows = self.leases_of(side)
            for host in side.names:
                own, wanted = side.host_row(host), self.wanted_slots(side, host)
                if rows is None or own is None:  # it is no time to ask
                    continue
                lent = [max(int(row["HELD"]), int(row["NJOBS"])) for row in rows if row["HOST_NAME"] == host]
                if self.slots[host] > wanted >= max(int(own[3]), int(own[4])) + sum(lent):
                    self.allow(host, wanted)
                    self.lowered += 1

    @staticmethod
    def leases_of(side):
        """The rows of its bhosts -e. None: bhosts has failed, as it may just after mbatchd was started."""
        done = side.user("bhosts", "-e", "-json")
        return json.loads(done.stdout)["RECORDS"] if done.returncode == 0 else None

    def export(self, side, policy):
        words = policy.format(hosts=" ".join(side.names), last=side.names[-1])
        if self.exported[side.cluster] not in (None, words):
            self.changed.add(side.cluster)
        self.exported[side.cluster] = words
        for host in side.names:
            if self.wanted_slots(side, host) > self.slots[host]:
                self.allow(host, self.wanted_slots(side, host))
        side.write_batch("lsb.resources", EXPORT.format(what=words, to=BORROWER[side.cluster]) if words else "")
        side.good("badmin", "reconfig", "-f")
        self.done.append(f"{side.cluster} exports {words!r}")

    def submit(self):
        side, name = self.draw.choice(self.members), f"{self.seed}.{len(self.jobs)}"
        queue = self.draw.choice(("borrow", "borrow", "both", "normal", "span", "span"))
        command = f"{self.job} {name} {self.draw.uniform(0, 3):.1f} {self.place}"
        options = ("-o", "/dev/null")
        if queue == "span":  # a task on each slot that it gets
            command, options = self.of_several_tasks(name, command)
        self.jobs[name] = (side, side.bsub(command, "-q", queue, *options))

    def of_several_tasks(self, name, command):
        self.of_tasks.add(name)
        least = self.draw.choice((1, 3))  # three need both hosts
        options = ("-n", f"{least},4", "-o", f"{self.place}/out.{name}")
        kind = self.draw.choice((None, None, "openmpi", "mpich"))
        if kind is None:
            return f"blaunch {command}", options
        self.of_mpi.add(name)
        return f"mpirun.lsf {command} {self.bench.mpi_target(kind)}", ("-a", kind, *options)

    def break_something(self):
        faults = drawn_faults(self.draw, self.bench, self.members)
        if self.draw.random() < 0.5:
            side = self.draw.choice(self.members)
            faults.append(ResKilled(side, self.draw.choice(side.names)))
        length = self.draw.uniform(0.05, self.longest_fault) if self.draw.random() < 0.2 else self.draw.uniform(0.05, 1.5)
        self.done.append(f"{' and '.join(map(str, faults))} for {length:.1f} s")
        begun = []
        try:
            for fault in faults:
                fault.begin()
                begun.append(fault)
            if self.draw.random() < 0.5:
                self.change_a_policy(faults)
            time.sleep(length)  # how long the fault lasts
        finally:
            for fault in reversed(begun):
                fault.end()

    def change_a_policy(self, faults=()):
        away = [fault.side for fault in faults if isinstance(fault, MasterFault)]
        sides = [side for side in self.members if side not in away]
        self.export(self.draw.choice(sides), self.draw.choice(self.policies))

    def play(self):
        for side in self.members:
            self.export(side, self.policies[0])
        while len(self.jobs) < JOBS:
            for _ in range(min(self.draw.randint(1, 3), JOBS - len(self.jobs))):
                self.submit()
            self.draw.choice((self.break_something, self.break_something, self.change_a_policy))()
            self.lower_slots()
        self.break_something()
        for side in self.members:
            self.export(side, self.policies[0])
            # Both hosts of `span` may be out of reach now: the own one is lent as a whole, and the other host is borrowed. No link breaks any more.
            side.run("bswitch", "-q", "span", "both", "0")
        self.check()

    # --- what is true at the end

    def check(self):
        for side in self.members:
            for other in side.clusters[1:]:
                side.wait_for_connection(other)
        tasks = 0
        for name, (side, job) in self.jobs.items():
            side.wait_for(job, "DONE", "EXIT", seconds=SECONDS)
            expect_equal(side.field(job), "DONE", f"job {name}: {self.lines_of(f'out.{name}')} {side.user('bhist', '-l', str(job)).stdout}")
            hosts = side.field(job, "exec_host").split(":")
            here = sum("@" in host for host in hosts)
            self.borrowed += here > 0
            self.spans += 0 < here < len(hosts)
            self.mpi_spans += 0 < here < len(hosts) and name in self.of_mpi
            tasks += sum(int(host.split("*")[0]) if "*" in host else 1 for host in hosts)
        expect_equal(self.lines_of("doubled"), [], "slots in two hands")
        ended = self.lines_of("ended")
        expect_equal(sorted(set(ended)), sorted(self.jobs), "jobs that ended by themselves")
        began = [name.split(".run.")[1].rsplit(".", 1)[0] for name in os.listdir(self.place) if ".run." in name]
        self.killed = len(began) - tasks
        for name, (side, job) in self.jobs.items():
            self.check_attempts(side, job, name, began.count(name), ended.count(name))
        wait_until(lambda: all(self.is_clean(side) for side in self.members), self.left, SECONDS)
        for side in self.members:
            self.check_leases(side)

    def check_attempts(self, side, job, name, began, ended):
        """Another attempt runs only where slots were taken back, by a cluster whose policy has changed. Of one that is killed between its
        last words and its end the next says them again."""
        said = side.good("bhist", "-l", str(job))
        together = "".join(said.split())  # it breaks lines within words
        recalls = [lender for lender in RECALL.findall(together) if lender in self.changed]
        ran = together.count("Runningwithexecutionhome") if name in self.of_tasks else began
        expect(ran <= 1 + len(recalls), f"job {name} ran {ran} times, and its slots were taken back by {recalls}: {said}")
        if name not in self.of_tasks:
            expect(ended <= 1 + len(recalls), f"job {name} ended {ended} times, and its slots were taken back by {recalls}: {said}")

    def check_leases(self, side):
        """A host is lent by its own cluster alone, once, to the next one of the ring, which has as much of it."""
        rows = []

        def agree():
            rows[:] = self.leases_of(side) or []
            held = {f"{row['HOST_NAME']}@{side.cluster}": row["HELD"] for row in rows if row["STATE"] == "active"}
            return rows and all(row["STATE"] in ("active", "offered") for row in rows) and held == self.borrowed_by(BORROWER[side.cluster])

        wait_until(agree, lambda: f"{side.cluster} and {BORROWER[side.cluster]} to agree: {rows} {self.left()}", SECONDS)
        expect_equal(len(rows), 1 if self.policies is WHOLE else HOSTS_OF_EACH, f"hosts that {side.cluster} lends: {rows}")
        lent = [row["HOST_NAME"] for row in rows if row["MAX"] not in ("0", "-")]
        expect_equal(sorted(set(lent)), sorted(lent), f"{side.cluster} lends a host once")
        expect({row["HOST_NAME"] for row in rows} <= set(side.names), f"{side.cluster} lends hosts of its own alone: {rows}")
        expect({row["CONSUMER"] for row in rows} <= {BORROWER[side.cluster]}, f"{side.cluster} lends to the next cluster alone: {rows}")

    def borrowed_by(self, cluster):
        """Slots of each borrowed host, by its name. None: bhosts has failed."""
        done = self.clusters[cluster].user("bhosts", "-w")
        rows = [line.split() for line in done.stdout.splitlines()[1:]]
        return {row[0]: row[3] for row in rows if "@" in row[0]} if done.returncode == 0 else None

    def lines_of(self, name):
        path = os.path.join(self.place, name)
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()

    def is_clean(self, side):
        busy = [line.split() for line in side.user("bhosts", "-w").stdout.splitlines()[1:]]
        return not side.user("bjobs", "-u", "all", "-noheader").stdout and not self.directories(side) and \
            all(row[1] in ("ok", "closed_Full") and row[4] == "0" for row in busy)

    def directories(self, side):
        return [path for host in side.names for path in os.listdir(os.path.join(side.spool, host)) if re.fullmatch(r"\d+\.\d+\.\d+", path)]

    def left(self):
        lines = [f"{side.cluster}: {side.user('bjobs', '-u', 'all').stdout}{side.user('bhosts', '-w').stdout}{self.directories(side)}" for side in
                 self.members]
        return "nothing to be left: " + "\n".join(lines) + self.members[0].logs_text()


def play(bench, count, longest_fault):
    first = number_of("ROLLCALL_SCENES_FIRST", 1)
    seeds = range(first, first + count)
    os.chmod(bench.cluster.environment["TMPDIR"], 0o1777)  # where bsub gives an esub its files
    sets = [federation(bench, lane) for lane in range(min(LANES, count))]
    for clusters in sets:
        give_homes(bench, clusters["west"].places, [name for side in clusters.members.values() for name in side.names])
    with contextlib.ExitStack() as stack:
        for clusters in sets:
            stack.enter_context(clusters)
        ready = time.monotonic()
        scenes = play_all(lambda clusters, seed: Scene(bench, clusters, seed, longest_fault), sets, seeds)
    borrowed, spans, mpi_spans, killed, lowered = (sum(getattr(scene, what) for scene in scenes) for what in
                                                   ("borrowed", "spans", "mpi_spans", "killed", "lowered"))
    expect_equal(len(scenes), count, "scenes that were played")
    expect(borrowed >= count, f"{borrowed} jobs ran on borrowed hosts: too few to see")
    expect(spans > 0, "no job ran on hosts of two clusters at once")
    expect(mpi_spans > 0 or count < 10, "no MPI program ran on hosts of two clusters at once")
    bench.saw(f"seeds {first} to {seeds[-1]}; {count * JOBS} jobs, {borrowed} of them on borrowed hosts, {spans} of two clusters, {mpi_spans} of these MPI programs; {killed} tasks were killed by a policy; "
              f"{lowered} times a host had fewer slots; "
              f"scenes {time.monotonic() - ready:.0f} s")


def test_short_scenes_put_no_slot_into_two_hands(bench):
    play(bench, number_of("ROLLCALL_SCENES", 10), LONGEST_FAULT["short"])


def test_long_scenes_put_no_slot_into_two_hands(bench):
    play(bench, number_of("ROLLCALL_SCENES", 100), LONGEST_FAULT["long"])


def requires(_):
    needs_users()


if __name__ == "__main__":
    main(hosts=LANES * len(CLUSTERS) * HOSTS_OF_EACH, requires=requires)
