"""Daemons are killed, stopped, started again, hosts are cut off and disks filled, at instants drawn from a seed, while jobs
are submitted, run, and are changed by people.

Each job appends one line to a file of its own and ends with a code of its own. At the end every job that bsub has
acknowledged has run exactly once (at least once in the queue `rerun`), has its true exit code, what was acknowledged of it
is so, and no process is left: some jobs leave one behind on purpose.

ROLLCALL_CHAOS_JOBS (2000), ROLLCALL_CHAOS_INSTANTS (200), ROLLCALL_CHAOS_SEED (1; 0: a new one, which is printed).
"""

import os
import random
import re
import shutil
import subprocess
import threading

from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.faults import Faults
from rollcall_testing.runner import expect, expect_equal, main
from rollcall_testing.waiting import wait_until

ALL = ("n1", "n2", "n3", "n4")
ARRAY = 20
SLACK = 4  # how many of its own steps a side may be ahead of the others
PARAMS = "CLEAN_PERIOD = 1000000"  # an hour that is added to the clock takes no job away
LEFT = "sleep 54321"  # what jobs leave behind


def number(name, otherwise):
    return int(os.environ.get(name, otherwise))


def seed_of_the_run():
    return number("ROLLCALL_CHAOS_SEED", 1) or random.SystemRandom().randrange(1, 1 << 30)


class Pace:
    """Keeps the sides of the test together: none is more than SLACK of its steps ahead."""

    def __init__(self, totals):
        self.totals, self.at, self.failed = dict(totals), dict.fromkeys(totals, 0), False
        self.condition = threading.Condition()

    def step(self, side):
        """Waits until this side may go on; False where the other side has failed."""
        with self.condition:
            self.condition.wait_for(lambda: self.failed or not self.ahead(side))
            self.at[side] += 1
            self.condition.notify_all()
            return not self.failed

    def ahead(self, side):
        share = lambda name: self.at[name] / self.totals[name]
        others = [share(name) for name in self.totals if name != side and self.at[name] < self.totals[name]]
        return any(share(side) > other + SLACK / self.totals[side] for other in others)

    def fail(self):
        with self.condition:
            self.failed = True
            self.condition.notify_all()


class Side(threading.Thread):
    """A part of the test beside the others; what it raises is raised again by result()."""

    def __init__(self, pace, name, step):
        super().__init__(name=name, daemon=True)
        self.pace, self.one_step, self.error = pace, step, None
        self.start()

    def run(self):
        try:
            for turn in range(self.pace.totals[self.name]):
                if not self.pace.step(self.name):
                    return
                self.one_step(turn)
        except BaseException as error:  # whatever it is, the others end too
            self.error = error
            self.pace.fail()

    def result(self):
        self.join()
        if self.error:
            raise self.error


class Submitter:
    """Gives jobs to mbatchd by bsub, from any host, and knows what was promised."""

    def __init__(self, batch, notes, draw, prefix):
        self.batch, self.notes, self.draw, self.prefix = batch, notes, draw, prefix
        self.arrays, self.parallel, self.names, self.refused = {}, {}, [], []

    def bsub(self, *words):
        """The number that was acknowledged, or None: then nobody promised anything."""
        name = f"{self.prefix}{len(self.names)}"
        self.names.append(name)
        named = [word.replace("@", name) for word in words]
        try:
            done = self.batch.user("bsub", *named, host=self.draw.choice(ALL), timeout=120)
        except subprocess.TimeoutExpired:
            return None
        found = re.match(r"Job <(\d+)>", done.stdout)
        if not found:
            self.refused.append(done.stderr.strip())
        return int(found.group(1)) if found else None

    def array(self, queue, code, seconds="0.$((LSB_JOBINDEX % 7))", *options):
        leave = f"if [ $((LSB_JOBINDEX % 5)) -eq 0 ]; then setsid {LEFT} & fi"
        command = f"echo ran >>{self.notes}/$LSB_JOBID.$LSB_JOBINDEX; {leave}; sleep {seconds}; exit {code}"
        job = self.bsub("-q", queue, "-J", f"@[1-{ARRAY}]", "-o", "/dev/null", *options, command)
        if job is not None:
            self.arrays[job] = (queue, code)

    def spread(self):
        """A job with a task on each of four hosts. Its exit code is that of blaunch."""
        n = self.notes
        task = f"echo task >>{n}/$LSB_JOBID.tasks; (setsid {LEFT} &) ; sleep 0.3"
        command = (f"echo ran >>{n}/$LSB_JOBID.0; blaunch -z \"$(sort -u $LSB_DJOB_HOSTFILE | xargs)\" '{task}'; code=$?; "
                   f"echo $code >{n}/$LSB_JOBID.code; exit $code")
        job = self.bsub("-n", "4", "-R", "span[ptile=1]", "-J", "@", "-o", "/dev/null", command)
        if job is not None:
            self.parallel[job] = "normal"

    def turn(self, turn):
        queue, code = self.draw.choice(["normal", "normal", "rerun"]), self.draw.choice([0, 0, 0, 3, 77])
        self.array(queue, code)
        if turn % 3 == 0:
            self.spread()


class Person:
    """Changes jobs of their own while daemons die: what a command has said to be done is done, once and for good."""

    def __init__(self, submitter, draw):
        self.submitter, self.batch, self.draw = submitter, submitter.batch, draw
        self.killed, self.held = {}, {}

    def says_done(self, *words):
        try:
            return self.batch.user(*words, host=self.draw.choice(ALL), timeout=60).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def until(self, job, field, expected, *words):
        """Repeats the command until it says that it is done, or an earlier one, whose answer was lost, has done it."""
        wait_until(lambda: self.says_done(*words, str(job)) or self.batch.field(job, field) in expected,
                   lambda: f"{words} {job}: {self.batch.field(job, field)}\n{self.batch.logs_text()}", 120)

    def turn(self, turn):
        self.one_that_is_held() if turn % 2 else self.one_that_is_killed()

    def one_that_is_killed(self):
        notes = self.submitter.notes
        job = self.submitter.bsub("-J", "@", "-o", "/dev/null", f"echo ran >>{notes}/$LSB_JOBID.0; exec {LEFT}")
        if job is None:
            return
        orders = [["bstop"], ["bresume"], ["brequeue"], ["bmod", "-W", "600"], ["btop"], ["bkill", "-s", "URG"]]
        chosen = self.draw.sample(orders, self.draw.randrange(4))
        for words in chosen:
            self.says_done(*words, str(job))
        self.until(job, "stat", ("EXIT",), "bkill")
        self.killed[job] = 1 + (["brequeue"] in chosen)

    def one_that_is_held(self):
        notes = self.submitter.notes
        code = self.draw.choice([0, 5])
        job = self.submitter.bsub("-H", "-J", "@", "-o", "/dev/null", f"echo ran >>{notes}/$LSB_JOBID.0; exit {code}")
        if job is None:
            return
        minutes = self.draw.randrange(10, 100)
        self.until(job, "runtimelimit", (f"{minutes}.0",), "bmod", "-W", str(minutes))
        self.until(job, "queue", ("priority",), "bswitch", "priority")
        self.until(job, "stat", ("PEND", "RUN", "DONE", "EXIT"), "bresume")
        self.held[job] = (minutes, code)


def ran(notes, job, index=0):
    try:
        with open(f"{notes}/{job}.{index}", encoding="ascii") as file:
            return file.read().count("ran\n")
    except FileNotFoundError:
        return 0


class Ends:
    """How every job has ended, as bjobs tells it; asked once for all of them."""

    FIELDS = "jobid jobindex stat exit_code queue runtimelimit job_name delimiter='^'"

    def __init__(self, batch, notes):
        self.batch, self.notes = batch, notes
        wait_until(lambda: "No unfinished job found" in batch.user("bjobs", "-u", "all").stderr, self.who_has_not, 180)
        said = batch.user("bjobs", "-a", "-u", "all", "-noheader", "-o", self.FIELDS, timeout=120)
        self.rows = {(int(w[0]), int(w[1])): w[2:] for w in (line.split("^") for line in said.stdout.splitlines())}

    def who_has_not(self):
        return f"all jobs to end: {self.batch.user('bjobs', '-u', 'all', '-l').stdout[:4000]}\n{self.batch.logs_text()}"

    def elements(self, job):
        return {index: row for (id_, index), row in self.rows.items() if id_ == job}

    def told(self, job, index=0):
        return f"{self.batch.user('bhist', '-l', f'{job}[{index}]' if index else str(job)).stdout}\n{self.batch.logs_text()}"

    def once(self, job, index, queue, code):
        state, exit_code = self.rows[job, index][:2]
        times = ran(self.notes, job, index)
        expect(times == 1 or (queue == "rerun" and times > 1),
               f"{job}[{index}] of {queue} ran {times} times, {state}\n{self.told(job, index)}")
        expected = ("DONE", "-") if code == 0 else ("EXIT", str(code))
        if (state, exit_code) != expected:
            raise AssertionError(f"the end of {job}[{index}]: {(state, exit_code)}, expected {expected}\n{self.told(job, index)}")

    def nobody_twice(self):
        """One call of bsub made one job at most, whatever became of its answers."""
        ids = {}
        for (job, _), row in self.rows.items():
            ids.setdefault(row[4].split("[")[0], set()).add(job)
        twice = {name: found for name, found in ids.items() if len(found) > 1}
        expect(not twice, f"submitted twice: {twice}")


def check(ends, submitter, person):
    for job, (queue, code) in submitter.arrays.items():
        expect_equal(len(ends.elements(job)), ARRAY, f"elements of {job}")
        for index in ends.elements(job):
            ends.once(job, index, queue, code)
    for job, queue in submitter.parallel.items():
        expect_equal(len(ends.elements(job)), 1, f"job {job}")
        with open(f"{ends.notes}/{job}.code", encoding="ascii") as file:
            ends.once(job, 0, queue, int(file.read()))
    for job, most in person.killed.items():
        state = ends.rows[job, 0][0]
        times = ran(ends.notes, job)
        expect(state == "EXIT" and times <= most, f"killed job {job}: {state}, ran {times} times\n{ends.told(job)}")
    for job, (minutes, code) in person.held.items():
        ends.once(job, 0, "normal", code)
        expect_equal(ends.rows[job, 0][2:4], ["priority", f"{minutes}.0"], f"queue and limit of {job}, as acknowledged")
    ends.nobody_twice()


def left_behind(bench):
    """Processes of jobs that are over, shepherds too, while every daemon runs."""
    return bench.cluster.processes(lambda p: p.words == tuple(LEFT.split()) or p.name == "shepherd")


def wait_until_nothing_is_left(bench, batch):
    def who():
        return f"what jobs left to be gone: {', '.join(map(str, left_behind(bench)))}\n{batch.logs_text()}"

    wait_until(lambda: not left_behind(bench), who, 30)


def test_no_job_is_lost_run_twice_or_left(bench):
    seed = seed_of_the_run()
    jobs, instants = number("ROLLCALL_CHAOS_JOBS", 2000), number("ROLLCALL_CHAOS_INSTANTS", 200)
    notes = bench.fresh_directory()
    batch = BatchCluster(bench, ALL, slots=8, params=PARAMS)
    faults = Faults(bench, batch, random.Random(seed))
    faults.give_disks()
    with batch:
        submitter = Submitter(batch, notes, random.Random(f"jobs {seed}"), "c")
        person = Person(Submitter(batch, notes, random.Random(f"changed {seed}"), "p"), random.Random(f"changes {seed}"))
        rounds = max(1, jobs // ARRAY)
        pace = Pace({"faults": instants, "jobs": rounds, "changes": max(1, rounds // 4)})
        sides = [Side(pace, "faults", lambda _: faults.one()), Side(pace, "jobs", submitter.turn),
                 Side(pace, "changes", person.turn)]
        for side in sides:
            side.join()
        print(f"     seed {seed}: {len(submitter.arrays)} arrays of {ARRAY}, faults: {', '.join(faults.done)}")
        if submitter.refused:
            print(f"     {len(submitter.refused)} submissions were not accepted: {set(submitter.refused)}")
        for side in sides:
            side.result()
        expect(len(submitter.arrays) > rounds / 2, f"{len(submitter.arrays)} of {rounds} arrays were accepted: {submitter.refused}")
        kinds = {"parallel": submitter.parallel, "killed": person.killed, "changed": person.held}
        if rounds >= 100:
            expect(all(kinds.values()), f"expected acknowledged jobs of each kind, found {({k: len(v) for k, v in kinds.items()})}")
        batch.wait_for_hosts(seconds=90)
        check(Ends(batch, notes), submitter, person)
        wait_until_nothing_is_left(bench, batch)
    count = len(submitter.arrays) * ARRAY + len(submitter.parallel) + len(person.killed) + len(person.held)
    bench.saw(f"{count} jobs ({len(submitter.parallel)} parallel, {len(person.killed)} killed, {len(person.held)} changed), "
              f"{len(faults.done)} faults, seed {seed}")


def lose_unsynced(batch, host, draw):
    """Of the jobs that ran there some directories were never written to the disk; how a job ended was."""
    top = os.path.join(batch.spool, host)
    for name in os.listdir(top):
        path = os.path.join(top, name)
        if re.fullmatch(r"\d+\.\d+\.\d+", name) and not os.path.exists(f"{path}/end") and draw.random() < 0.5:
            shutil.rmtree(path)


def test_hosts_that_lose_power(bench):
    seed = seed_of_the_run()
    draw = random.Random(f"power {seed}")
    notes = bench.fresh_directory()
    with BatchCluster(bench, ALL, slots=8, params=PARAMS) as batch:
        faults, submitter = Faults(bench, batch, draw), Submitter(batch, notes, draw, "c")
        hosts = draw.sample(ALL, len(ALL)) + ["n1", draw.choice(ALL)]
        for boot, host in enumerate(hosts, 1):
            for queue in ("normal", "rerun"):
                submitter.array(queue, draw.choice([0, 3]), 1)
            # One of these runs there when the power goes, of each queue in its turn.
            submitter.array(("normal", "rerun")[boot % 2], 0, "$((LSB_JOBINDEX < 3 ? 3 : 0))", "-m", host)
            there = bench.cluster.host(host)
            wait_until(lambda: there.processes(lambda p: p.words == ("sleep", "3")), lambda: f"jobs on {host}\n{batch.logs_text()}", 60)
            faults.power_off(host)
            lose_unsynced(batch, host, draw)
            faults.power_on(host, boot)
        batch.wait_for_hosts(seconds=90)
        ends, lost, again = Ends(batch, notes), 0, 0
        for job, (queue, code) in submitter.arrays.items():
            expect_equal(len(ends.elements(job)), ARRAY, f"elements of {job}")
            for index, row in ends.elements(job).items():
                again += queue == "rerun" and ran(notes, job, index) > 1
                if queue == "normal" and "lost on its host" in unwrapped(batch, job, index, row):
                    lost += 1
                    times = ran(notes, job, index)
                    expect(times <= 1 and row[0] == "EXIT", f"lost {job}[{index}] ran {times} times, {row}")
                else:
                    ends.once(job, index, queue, code)
        ends.nobody_twice()
        expect(lost > 0 and again > 0, f"jobs that ran when the power went: {lost} lost, {again} ran again; seed {seed}")
        wait_until_nothing_is_left(bench, batch)
    bench.saw(f"{len(submitter.arrays) * ARRAY} jobs, {len(hosts)} hosts lost power: {lost} jobs are said to be lost, {again} ran again, seed {seed}")


def unwrapped(batch, job, index, row):
    """What bjobs -l says of one that may have been lost; "" for all others, which it is not asked about."""
    return batch.user("bjobs", "-UF", f"{job}[{index}]").stdout if row[:2] == ["EXIT", "137"] else ""


if __name__ == "__main__":
    main(hosts=4, patience=10)
