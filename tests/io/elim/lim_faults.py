"""A real LIM on this host, its MELIM, and elims that break in every way: what lsload shows of them and of their neighbour."""

import os
import pwd
import re
import signal
import urllib.request

from rollcall_testing import processes
from rollcall_testing.one_host import CLUSTER, SHARED, OneHost
from rollcall_testing.runner import Skip, expect, expect_equal, expect_in, main
from rollcall_testing.site import free_port
from rollcall_testing.waiting import wait_until

# What each says first is a good value, where it says one at all.
FAULTS = {
    "hangs": "trap '' TERM\nwhile :; do sleep 1000; done\n",
    "floods": "echo '1 floods 5'\nexec yes '1 floods 5'\n",
    "dies": "echo '1 dies 5'\nkill -9 $$\n",
    "lies": "while :; do echo '1 lies NaN'; echo '2 lies'; echo '1 nosuch 3'; echo '1 lies 1e400'; sleep 1; done\n",
    "stops": "echo '1 stops 5'\nprintf '2 stops 6 oth'\nexec sleep 1000\n",
    "binary": "head -c 200000 /dev/urandom\nexec sleep 1000\n",
    "longline": "echo '1 longline 5'\nhead -c 50000000 /dev/zero | tr '\\0' 7\n",
    "errs": "echo '1 errs 5'\nwhile :; do echo nonsense >&2; done\n",
}
COUNT = "n=0\nwhile :; do n=$((n + 1)); echo \"1 scratch $n\"; sleep 1; done\n"


class Faulty(OneHost):
    """Its elims are `elims`, name -> script; each reports an index of its name. elim.scratch counts."""

    def __init__(self, bench, elims, admin=None, more_conf=""):
        super().__init__(bench, more_conf)
        rows = "".join(f"{name} Numeric 1 N (what it says)\n" for name in elims if name != "scratch")
        self.write("lsf.shared", SHARED.replace("bigmem Boolean", rows + "bigmem Boolean"))
        text = CLUSTER.format(admin=admin or pwd.getpwuid(os.geteuid()).pw_name, host=self.host)
        text = text.replace("EXINTERVAL = 1", "EXINTERVAL = 1\nROLLCALL_ELIM_RESTART_INTERVAL = 1")
        maps = "".join(f"{name} [default]\n" for name in elims if name != "scratch")
        self.write("lsf.cluster.one", text.replace("rack (left", maps + "rack (left"))
        for name, script in {"scratch": COUNT, **elims}.items():
            self.elim(name, script)

    def elim(self, name, script):
        path = os.path.join(self.etc, f"elim.{name}")
        with open(path + ".new", "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(path + ".new", 0o755)
        os.rename(path + ".new", path)

    def record(self):
        return self.json("lsload", "-l")["RECORDS"][0]

    def value(self, name):
        return self.record()["LOAD"][name]

    def elim_of(self, name):
        return {e["NAME"]: e for e in self.record().get("ELIMS", [])}.get(f"elim.{name}", {})

    def counts_on(self):
        """The neighbour says two more values."""
        before = self.value("scratch") or 0
        wait_until(lambda: (self.value("scratch") or 0) >= before + 2, "the neighbour's next values", 30)

    def log_text(self, program="lim"):
        with open(os.path.join(self.log, f"{program}.log.{self.host}"), encoding="utf-8", errors="replace") as file:
            return file.read()


def test_every_fault_at_once_and_the_neighbour_counts_on(bench):
    with Faulty(bench, FAULTS) as one:
        for name in ("dies", "floods", "stops", "longline"):
            wait_until(lambda name=name: one.elim_of(name).get("RESTARTS", 0) >= 1, f"elim.{name} to be started again", 60)
        for name in ("lies", "binary"):
            wait_until(lambda name=name: one.elim_of(name).get("ERRORS", 0) >= 1, f"an error of elim.{name}", 60)
        one.counts_on()
        record = one.record()
        for name in ("dies", "stops", "errs"):
            expect_equal(record["LOAD"][name], 5, f"the last value of elim.{name} stays")
        for name in ("hangs", "lies", "binary"):
            expect_equal(record["LOAD"][name], None, f"elim.{name} never said a value")
        expect_equal(one.elim_of("hangs")["STATE"], "running", "one that is silent is no fault")
        expect_equal(one.elim_of("scratch")["RESTARTS"], 0, "the neighbour was never started again")
        expect(record["AGE_MS"]["scratch"] < 10_000, f"the neighbour's value is new: {record['AGE_MS']}")
        expect_equal(one.status(), "ok", "the host")
        expect(os.path.getsize(os.path.join(one.log, f"melim.log.{one.host}")) < 4_000_000, "MELIM's log is bounded")
    wait_until(lambda: not [p for p in bench.cluster.strangers() if one.etc in " ".join(p.words)],
               "every elim to be gone with its LIM")


def test_a_replaced_elim_and_a_replaced_directory(bench):
    with Faulty(bench, {"mended": "echo '1 mended 1'\nexec sleep 1000\n"}) as one:
        wait_until(lambda: one.value("mended") == 1, "the first version's value")
        one.elim("mended", "echo '1 mended 2'\nexec sleep 1000\n")
        wait_until(lambda: one.value("mended") == 2, "the second version's value")
        one.counts_on()
        os.rename(one.etc, one.etc + ".old")
        os.mkdir(one.etc, 0o755)
        one.elim("mended", "echo '1 mended 3'\nexec sleep 1000\n")
        wait_until(lambda: one.value("mended") == 3, "the value from the directory that was put in its place")


def test_a_killed_melim_comes_back_and_its_values_stay(bench):
    with Faulty(bench, {}) as one:
        one.counts_on()
        melim = [p for p in bench.cluster.strangers() if p.words and os.path.basename(p.words[0]) == "melim"]
        mine = [p.pid for p in melim if p.parent == lim_pid(one)]
        expect_equal(len(mine), 1, "one MELIM below LIM")
        processes.send(mine[0], signal.SIGKILL)
        expect(one.value("scratch") is not None, "the value meanwhile")
        one.counts_on()
        with open(os.path.join(one.log, f"lim.log.{one.host}"), encoding="utf-8", errors="replace") as file:
            told = [line for line in file if "melim ended" in line.lower()]
        expect_equal(len(told), 1, f"lines about its end: {told}")
        expect_in("melim ended (signal 9); its values are kept, it is started again", told[0], "the line")


def is_alive(pid):
    process = processes.read_process(pid)
    return bool(process and process.alive)


def lim_pid(one):
    with open(os.path.join(one.log, f"lim.{one.host}.pid"), encoding="ascii") as file:
        return int(file.readline())


def test_elims_run_as_the_first_administrator(bench):
    if os.geteuid() != 0:
        raise Skip("only root starts elims as another user")
    os.chmod(bench.scratch, 0o755)
    nobody = pwd.getpwnam("nobody")
    with Faulty(bench, {"who": "while :; do echo \"1 who $(id -u)\"; sleep 1; done\n"}, admin="nobody root") as one:
        wait_until(lambda: one.value("who") == nobody.pw_uid, lambda: f"elims of nobody: {one.record()}", 30)
        expect_equal(os.stat(f"/proc/{lim_pid(one)}").st_uid, 0, "LIM itself")


def metrics(port):
    """{family: {labels: value}} as anybody may ask for it."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=120) as answer:
        lines = answer.read().decode().splitlines()
    found = {}
    for line in lines:
        if not line.startswith("#"):
            family, labels, value = re.fullmatch(r"(\w+)\{(.*)\} (\S+)", line).groups()
            found.setdefault(family, {})[labels] = float(value)
    return found


def test_metrics_of_a_real_master(bench):
    port = free_port()
    with Faulty(bench, {"dies": FAULTS["dies"], "lies": FAULTS["lies"]}, more_conf=f"ROLLCALL_HTTP={port}\n") as one:
        for name, key in (("dies", "RESTARTS"), ("lies", "ERRORS")):
            wait_until(lambda name=name, key=key: one.elim_of(name).get(key, 0) >= 1, f"{key} of elim.{name}", 30)
        one.counts_on()
        found = metrics(port)
        host = f'host="{one.host}"'
        expect_in(f'cluster="one",master="{one.host}"', next(iter(found["rollcall_cluster_info"])), "the cluster")
        expect_equal(found["rollcall_host_up"], {host: 1}, "hosts that are up")
        expect_equal(found["rollcall_host_status"], {f'{host},status="ok"': 1}, "status")
        for index in ("r1m", "ut", "mem", "tmp"):
            expect_in(f'{host},index="{index}"', found["rollcall_load"], "the built-in indices")
        scratch = f'{host},index="scratch"'
        expect(found["rollcall_load"][scratch] >= 2, "the elim's value")
        expect(0 <= found["rollcall_load_age_seconds"][scratch] < 60, "its age")
        expect(found["rollcall_elim_restarts_total"][f'{host},elim="elim.dies"'] >= 1, "restarts")
        expect(found["rollcall_elim_errors_total"][f'{host},elim="elim.lies"'] >= 1, "errors")
        expect_equal(found["rollcall_elim_state"][f'{host},elim="elim.scratch",state="running"'], 1, "the neighbour")
        wait_until(lambda: metrics(port)["rollcall_load"][scratch] > found["rollcall_load"][scratch], "a newer value")
        addresses = listening_at(port)
        expect_equal(addresses, {"0100007F"}, "where it listens: on the loopback alone")
        one.write("lsf.conf", one.read("lsf.conf").replace(f"ROLLCALL_HTTP={port}\n", ""))
        one.good("lsadmin", "reconfig", "-f")
        expect_equal(listening_at(port), set(), "where it listens once it is not asked for")


def listening_at(port):
    found = set()
    for name in ("tcp", "tcp6"):
        with open(f"/proc/net/{name}", encoding="ascii") as file:
            for line in list(file)[1:]:
                address, _, number = line.split()[1].rpartition(":")
                if int(number, 16) == port and line.split()[3] == "0A":
                    found.add(address)
    return found


def test_rates_are_known_soon_after_the_start(bench):
    with OneHost(bench) as one:
        # Two samples half a second apart; the next would be 15 s later.
        load = lambda: one.json("lsload", "-l")["RECORDS"][0]["LOAD"]
        wait_until(lambda: all(load()[name] is not None for name in ("ut", "pg", "io")), lambda: f"ut, pg and io: {load()}", 10)


def test_limdebug_and_limstartup_by_another_program_than_ssh(bench):
    one = OneHost(bench)
    agent, told = os.path.join(one.top, "agent"), os.path.join(one.top, "told")
    with open(agent, "w", encoding="ascii") as file:
        file.write(f"#!/bin/sh\nprintf '%s\\n' \"$@\" >>{told}\nexec sh -c \"$2\"\n")
    os.chmod(agent, 0o755)
    one.write("lsf.conf", one.read("lsf.conf") + f"LSF_RSH={agent}\n")
    one.write("lsf.cluster.one", CLUSTER.format(admin="root", host=f"{one.host} ! ! 1 ()\nn2"))
    one.write("hosts", "192.0.2.2 n2\n")
    one.good("lsf_daemons", "init")
    with one:
        log = os.path.join(one.log, f"lim.log.{one.host}")
        text = lambda: open(log, encoding="utf-8", errors="replace").read()
        expect("debug:" not in text(), "debug lines before")
        expect_in("done", one.good("lsadmin", "limdebug", one.host), "limdebug")
        wait_until(lambda: "debug:" in text(), "debug lines")
        expect_in("done", one.good("lsadmin", "limdebug", "-o", one.host), "limdebug -o")
        one.good("lsload")
        lines = text().count("debug:")
        one.good("lsload")
        expect_equal(text().count("debug:"), lines, "debug lines after -o")
        one.good("lsadmin", "limshutdown")
        expect_in("done", one.good("lsadmin", "limstartup", "n2"), "limstartup on n2")
        with open(told, encoding="utf-8") as file:
            host, words = file.read().splitlines()
        expect_equal(host, "n2", "the agent's host")
        expect(words.startswith(f"env 'LSF_ENVDIR={one.conf}' ") and words.endswith("/lsf_daemons start lim"), f"its words: {words}")
        wait_until(lambda: one.run("lsid").returncode == 0, "the LIM that it started")


def test_a_lim_that_ends_reads_no_files_any_more(bench):
    one = Faulty(bench, {"hangs": FAULTS["hangs"]}, more_conf="LSF_LOG_MASK=LOG_NOTICE\n")
    with one:
        wait_until(lambda: one.elim_of("hangs").get("STATE") == "running", "the elim that ignores TERM")
        pid = lim_pid(one)
        os.kill(pid, signal.SIGTERM)
        wait_until(lambda: "notice: TERM" in one.log_text(), "LIM to begin its end")
        processes.send(pid, signal.SIGHUP)
        expect_in("LIM is down", one.refused("lsid"), "lsid while it ends")
        wait_until(lambda: not is_alive(pid), "LIM to end", 30)
        expect("HUP" not in one.log_text(), f"it read no files: {one.log_text()}")
        expect_equal(one.run("lsf_daemons", "status").stdout, "lim: not running\n", "status")


if __name__ == "__main__":
    main()
