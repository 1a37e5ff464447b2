"""The clock of a host is set by an hour, forth and back, while LIM, MELIM and elims run: nothing starts again, nothing is
late, no value gets older than it is; and what goes by the clock, a run window, does.

Each host has a clock of its own: a library in its programs adds what the test says (tests/programs/stepped_clock.c).
"""

import os
import struct
import time

from rollcall_testing import processes
from rollcall_testing.load_cluster import LoadCluster
from rollcall_testing.runner import expect, expect_equal, main
from rollcall_testing.waiting import wait_until

HOUR = 3600
HOSTS = ("n1", "n2")
COUNTS = "#!/bin/sh\nn=0\nwhile :; do n=$((n + 1)); echo \"1 scratch $n\"; sleep 1; done\n"
# One that comes back every second, and one that says by how many hours the clock of its host is off.
DIES = "#!/bin/sh\necho '1 lives '$$\nexit 3\n"
TELLS = "#!/bin/sh\nbegun={begun}\nwhile :; do echo \"1 hours $((($(date +%s) - begun) / 1800))\"; sleep 1; done\n"


class ClockCluster(LoadCluster):
    def __init__(self, bench, **how):
        super().__init__(bench, HOSTS, **how)
        self.clocks = {name: os.path.join(self.top, f"clock.{name}") for name in HOSTS}
        for name in HOSTS:
            self.set_clock(name, 0)
        library = os.path.join(bench.build, "tests", "programs", "libstepped_clock.so")
        expect(os.path.exists(library), f"{library} is there")
        self.more_environment = {"LD_PRELOAD": library, "STEPPED_CLOCK": os.path.join(self.top, "clock.{host}")}
        for index in ("lives", "hours"):
            self.resources.append(f"{index} Numeric 1 N (what its elim says)")
            self.map.append(f"{index} [default]")
        self.write_elim("elim.scratch", COUNTS)
        self.write_elim("elim.dies", DIES)
        self.write_elim("elim.tells", TELLS.format(begun=int(time.time())))
        self.write_files()

    def set_clock(self, name, seconds):
        flags = os.O_WRONLY | os.O_CREAT  # never shorter than before, since programs read it all the time
        with open(os.open(self.clocks[name], flags, 0o644), "wb", buffering=0) as file:
            file.write(struct.pack("=q", seconds))

    def start_all(self):
        self.start(*HOSTS)
        self.wait_for_master("n1")
        wait_until(lambda: all(self.value(name, "scratch") for name in HOSTS), "both elims to count", 30)

    def value(self, host, index):
        return self.loads("n1").get(host, {}).get("LOAD", {}).get(index)

    def daemons(self):
        """The processes that must survive: each LIM, its MELIM, and the two elims that do not end."""
        found = set()
        for lim in self.lims.values():
            below = processes.tree_below(lim.pid)
            keepers = {p.pid for p in below if p.name == "melim-keeper"}
            found |= {lim.pid} | {p.pid for p in below if p.name == "melim"}
            # One that has not called exec yet looks like its keeper.
            elims = [p for p in below if p.parent in keepers and p.pid not in keepers]
            found |= {p.pid for p in elims if p.words[-1:] and not p.words[-1].endswith("elim.dies")}
        return found

    def lines_about_masters(self):
        texts = []
        for name in HOSTS:
            with open(self.log(name), encoding="utf-8", errors="replace") as file:
                texts += [f"{name}: {line.rstrip()}" for line in file if "master" in line]
        return texts


def sound(record):
    """Nothing is wrong with the host, as it is shown now."""
    expect_equal(record["STATUS"], "ok", f"status of {record['HOST_NAME']}")
    for index in ("scratch", "lives", "hours", "mem"):
        age = record["AGE_MS"].get(index)
        expect(age is not None and age < 60_000, f"age of {index} of {record['HOST_NAME']}: {age} ms")


def test_an_hour_forth_and_two_back(bench):
    with ClockCluster(bench) as cluster:
        cluster.start_all()
        living, said = cluster.daemons(), cluster.lines_about_masters()
        expect_equal(len(living), 8, "two LIMs, two MELIMs, four elims")
        for where, step in (("n1", HOUR), ("n2", -HOUR), ("n1", -HOUR), ("n2", HOUR)):
            before = cluster.loads("n1")
            cluster.set_clock(where, step)
            # Longer than a host may be silent here.
            goal = {name: before[name]["LOAD"]["scratch"] + 4 for name in HOSTS}
            restarts = {name: restarts_of(before[name], "elim.dies") for name in HOSTS}

            def went_on():
                now = cluster.loads("n1")
                expect_equal(sorted(now), ["n1", "n2"], f"hosts that the master shows, {where} set to {step}")
                for name in HOSTS:
                    sound(now[name])
                return (all(now[name]["LOAD"]["scratch"] >= goal[name] for name in HOSTS)
                        and all(restarts_of(now[name], "elim.dies") > restarts[name] for name in HOSTS)
                        and now[where]["LOAD"]["hours"] in hours_of(step) and now)

            now = wait_until(went_on, lambda: f"the elims to go on, {where} set to {step}: {cluster.loads('n1')}", 60)
            for name in HOSTS:
                expect_equal(restarts_of(now[name], "elim.scratch"), 0, f"restarts of elim.scratch on {name}")
        # A MELIM that starts elim.dies anew is two processes for a moment.
        wait_until(lambda: cluster.daemons() == living, lambda: f"the same processes as before: {cluster.daemons()}, {living}", 5)
        expect_equal(cluster.master_by("n2"), "n1", "the master")
        expect_equal(cluster.lines_about_masters(), said, "what the logs say of masters")
    bench.saw("four steps: values on time, ages small, the one that dies came back each second, no other start")


def restarts_of(record, elim):
    return {e["NAME"]: e["RESTARTS"] for e in record["ELIMS"]}[elim]


def hours_of(step):
    """What elim.tells may say: half hours since the test began, cut towards zero, and the test lasts minutes."""
    return (step // 1800, step // 1800 + (1 if step < 0 else 0))


def test_a_lock_of_some_seconds_ends_and_one_of_an_hour_does_not(bench):
    with ClockCluster(bench) as cluster:
        cluster.start_all()
        cluster.ask("n2", "lock", "seconds=1800")
        wait_until(lambda: cluster.status("n1").get("n2") == "lockU", "the lock to show", 20)
        cluster.set_clock("n2", HOUR)
        before = cluster.value("n2", "scratch")
        wait_until(lambda: cluster.value("n2", "scratch") >= before + 3, "three more values", 30)
        expect_equal(cluster.status("n1").get("n2"), "lockU", "half an hour is not over")
        cluster.ask("n2", "unlock")
        cluster.ask("n2", "lock", "seconds=2")
        cluster.set_clock("n2", -HOUR)
        wait_until(lambda: cluster.status("n1").get("n2") == "ok", "two seconds to be over", 30)
    bench.saw("half an hour stays with the clock an hour on; two seconds end with it an hour back")


def test_a_run_window_goes_by_the_clock_of_its_host(bench):
    with ClockCluster(bench) as cluster:
        minutes = time.localtime().tm_hour * 60 + time.localtime().tm_min
        word = lambda m: f"{m % 1440 // 60}:{m % 60:02}"
        text = open(os.path.join(cluster.conf, "lsf.cluster.test"), encoding="utf-8").read()
        text = text.replace("server RESOURCES", "server RUNWINDOW RESOURCES").replace("n1 ! ! 1 ()", "n1 ! ! 1 () ()")
        cluster.write("lsf.cluster.test", text.replace("n2 ! ! 1 ()", f"n2 ! ! 1 ({word(minutes - 20)}-{word(minutes + 20)}) ()"))
        cluster.start("n1", "n2")
        cluster.wait_for_master("n1")
        for step, status in ((HOUR, "lockW"), (0, "ok"), (-HOUR, "lockW"), (0, "ok")):
            cluster.set_clock("n2", step)
            wait_until(lambda: cluster.status("n1").get("n2") == status, f"n2 to be {status}, its clock set to {step}", 30)
            expect_equal(cluster.status("n1").get("n1"), "ok", "n1, which has none")
    bench.saw("lockW an hour later and an hour earlier, ok between")


def test_conditions_of_the_files_are_decided_when_their_hour_comes(bench):
    with ClockCluster(bench) as cluster:
        # Both hosts have the same hour; from half an hour on a host is busy whatever it does.
        now = time.localtime().tm_hour * 60 + time.localtime().tm_min
        word = lambda m: f"{m % 1440 // 60}:{m % 60:02}"
        text = open(os.path.join(cluster.conf, "lsf.cluster.test"), encoding="utf-8").read()
        before, rows = text.split("HOSTNAME model type server RESOURCES\n")
        rows = rows.replace("n1 ! ! 1 ()", "n1 ! ! 1 () ()")
        late = f"#if time({word(now + 30)}-{word(now + 90)})\nn2 ! ! 1 999999999 ()\n#else\nn2 ! ! 1 () ()\n#endif"
        cluster.write("lsf.cluster.test", before + "HOSTNAME model type server mem RESOURCES\n" + rows.replace("n2 ! ! 1 ()", late))
        cluster.start(*HOSTS)
        cluster.wait_for_master("n1")
        cluster.write("lsf.cluster.test", "half edited\n")  # without a reconfig LIM must not read it
        for step, status in ((HOUR, "busy"), (0, "ok"), (HOUR, "busy")):
            for name in HOSTS:
                cluster.set_clock(name, step)
            wait_until(lambda: cluster.status("n1").get("n2") == status,
                       lambda: f"n2 to be {status}, the clock set to {step}: {cluster.log_text('n2')}", 30)
            expect_equal(cluster.status("n1").get("n1"), "ok", "n1, of which the files say the same at all hours")
        cluster.write_files()
    bench.saw("busy in its hour, ok before and after, by the text that was read; a file half edited was not read")


main(hosts=2)
