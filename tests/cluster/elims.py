"""Elims on four hosts: which host runs the elims of a shared resource, also when hosts go and come back; every fault of an elim on
every host at once; and new files while commands ask."""

import json
import os
import shutil
import threading

from rollcall_testing import processes
from rollcall_testing.load_cluster import LoadCluster
from rollcall_testing.runner import expect, expect_equal, main
from rollcall_testing.waiting import wait_until

ALL = ("n1", "n2", "n3", "n4")
HERE = os.path.dirname(os.path.abspath(__file__))
FAKES = os.path.join(HERE, "..", "fakes", "elims")

# An elim with the documented checking header: it says on which host it runs, and notes what it was started with.
WHERE = """#!/bin/sh
case " $LSF_RESOURCES " in *" {name} "*) ;; *) exit "$ELIM_ABORT_VALUE" ;; esac
host=$(hostname)
while :; do echo "1 {name} ${{host#n}}"; sleep 1; done
"""
NOTES = """#!/bin/sh
echo "$LSF_MASTER $LSF_RESOURCES" >"$ELIM_NOTES.new"
mv "$ELIM_NOTES.new" "$ELIM_NOTES"
while :; do echo "1 scratch 47.5"; sleep 1; done
"""


class ElimCluster(LoadCluster):
    def __init__(self, bench, **how):
        super().__init__(bench, ALL, **how)
        self.more_environment = {"ELIM_NOTES": os.path.join(self.top, "notes.{host}")}

    def index(self, name, location="[default]", kind="Numeric"):
        order = "N" if kind == "Numeric" else "()"
        self.resources.append(f"{name} {kind} 5 {order} (what its elim says)")
        self.map.append(f"{name} {location}")

    def shared(self, asked="n4"):
        """{resource: {hosts: value}} as `lsload -s` has it on a host; {} where it has no answer."""
        done = self.command(asked, "lsload", "-s", "-json")
        found = {}
        for record in json.loads(done.stdout)["RECORDS"] if done.returncode == 0 else ():
            found.setdefault(record["RESOURCE"], {})[" ".join(record["LOCATION"])] = record["VALUE"]
        return found

    def started_with(self, host):
        try:
            with open(os.path.join(self.top, f"notes.{host}"), encoding="utf-8") as file:
                return file.read().strip()
        except FileNotFoundError:
            return None

    def wait_for_shared(self, resource, expected, seconds=40):
        wait_until(lambda: {k: float(v) for k, v in self.shared().get(resource, {}).items() if v != "-"} == expected,
                   lambda: f"{resource} to be {expected}: {self.shared()}", seconds)

    def runs(self, host, elim):
        return [p for p in self.bench.cluster.host(host).processes() if p.words[-1:] and p.words[-1].endswith(elim)]


def test_shared_resources_are_reported_by_the_first_living_host(bench):
    with ElimCluster(bench) as cluster:
        cluster.index("pool", "([n2 n3] [n4])")
        cluster.index("licence", "[all]")
        for name in ("pool", "licence"):
            cluster.write_elim(f"elim.{name}", WHERE.format(name=name))
        cluster.write_elim("elim.scratch", NOTES)
        cluster.write_files()
        cluster.start(*ALL)
        cluster.wait_for_master("n1")
        cluster.wait_for_shared("pool", {"n2 n3": 2, "n4": 4})
        cluster.wait_for_shared("licence", {"n1 n2 n3 n4": 1})
        for host, words in (("n1", "Y scratch licence"), ("n2", "N scratch pool"), ("n3", "N scratch"), ("n4", "N scratch pool")):
            wait_until(lambda h=host, w=words: cluster.started_with(h) == w,
                       lambda h=host, w=words: f"elims of {h} started with {w!r}: {cluster.started_with(h)!r}", 30)
        expect_equal(cluster.runs("n3", "elim.pool"), [], "an elim on a host that has nothing to tell")

        cluster.kill("n2")
        cluster.wait_for_shared("pool", {"n2 n3": 3, "n4": 4})
        cluster.start("n2")
        cluster.wait_for_shared("pool", {"n2 n3": 2, "n4": 4})
        wait_until(lambda: not cluster.runs("n3", "elim.pool"), "the stand-in's elim to end", 30)

        cluster.kill("n1")
        cluster.wait_for_master("n2", ["n2", "n3", "n4"])
        cluster.wait_for_shared("licence", {"n1 n2 n3 n4": 2})
        wait_until(lambda: cluster.started_with("n2") == "Y scratch pool licence",
                   lambda: f"elims of n2, the new master: {cluster.started_with('n2')!r}", 30)
        cluster.start("n1")
        cluster.wait_for_master("n1")
        cluster.wait_for_shared("licence", {"n1 n2 n3 n4": 1})
        wait_until(lambda: cluster.started_with("n2") == "N scratch pool",
                   lambda: f"elims of n2, no master any more: {cluster.started_with('n2')!r}", 30)
        cluster.wait_for_shared("pool", {"n2 n3": 2, "n4": 4})
    bench.saw("pool from n2, n3 while n2 was gone, n2 again; the licence from whoever was master; LSF_MASTER, LSF_RESOURCES")


FAULTS = ("crash", "dies", "abort", "fatal", "hang", "flood", "drip", "gigabyte", "half", "unended", "binary", "nan", "huge",
          "count", "names", "errors", "chatter", "stubborn", "daemons")
LANGUAGES = {"sound": 3, "perl": 2000, "python": 0.01, "myrsc": 0}  # index: what it is at the least


def faulty_cluster(bench):
    cluster = ElimCluster(bench)
    cluster.more_environment["ELIM_NOTES"] = os.path.join(cluster.top, "notes.{host}")
    for host in ALL:
        os.mkdir(os.path.join(cluster.top, f"notes.{host}"))
    for mode in (*FAULTS, "sound"):
        shutil.copy(os.path.join(FAKES, "liar"), os.path.join(cluster.etc, f"elim.{mode}"))
        cluster.index(mode)
    for name in ("perl", "python"):
        shutil.copy(os.path.join(FAKES, f"elim.{name}"), os.path.join(cluster.etc, f"elim.{name}"))
        cluster.index(name)
    cluster.index("perl_word", kind="String")
    shutil.copy(os.path.join(bench.build, "tests", "elim_c_example"), os.path.join(cluster.etc, "elim.c_example"))
    cluster.index("myrsc")
    cluster.write_files()
    path = os.path.join(cluster.conf, "lsf.cluster.test")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    # Each of them comes twice or so in this test: nineteen faults on four hosts are enough for one machine.
    cluster.write("lsf.cluster.test", text.replace("ROLLCALL_ELIM_RESTART_INTERVAL = 1", "ROLLCALL_ELIM_RESTART_INTERVAL = 20"))
    return cluster


def elims_of(record):
    return {e["NAME"]: e for e in record.get("ELIMS", [])}


def neighbours_go_on(cluster, asked, hosts):
    """elim.sound of each host says five more values, and was never started again."""
    before = cluster.loads(asked)
    goals = {host: (before[host]["LOAD"]["sound"] or 0) + 5 for host in hosts}

    def reached():
        now = cluster.loads(asked)
        return now and all((now[h]["LOAD"]["sound"] or 0) >= goals[h] for h in hosts) and now

    now = wait_until(reached, lambda: f"the neighbours' values {goals}: {cluster.loads(asked)}", 60)
    for host in hosts:
        expect_equal(now[host]["STATUS"], "ok", f"status of {host}")
        expect_equal(elims_of(now[host])["elim.sound"]["RESTARTS"], 0, f"restarts of elim.sound on {host}")
    return now


def test_every_fault_on_every_host_and_elims_in_four_languages(bench):
    with faulty_cluster(bench) as cluster:
        cluster.start(*ALL)
        cluster.wait_for_master("n1", seconds=60)
        languages = lambda record: all((record["LOAD"][index] or -1) >= least or (least == 0 and record["LOAD"][index] == 0)
                                       for index, least in LANGUAGES.items())
        wait_until(lambda: sum(languages(r) for r in cluster.loads("n1").values()) == 4,
                   lambda: f"sh, Perl, Python and C on four hosts: { {h: {i: r['LOAD'][i] for i in LANGUAGES} for h, r in cluster.loads('n1').items()} }", 60)
        expect_equal({r["LOAD"]["perl_word"] for r in cluster.loads("n1").values()}, {"w2000"}, "the String of the one in Perl")
        # A flood is so many bytes in ten seconds, which an unoptimised MELIM does not read.
        floods = () if bench.sanitized else ("flood", "errors")
        faults = lambda record: all(elims_of(record).get(f"elim.{mode}", {}).get("LAST_ERROR") for mode in
                                    ("crash", "gigabyte", "half", "binary", "nan", "huge", "count", "names", *floods))
        wait_until(lambda: sum(faults(r) for r in cluster.loads("n1").values()) == 4,
                   lambda: f"every fault to be told: { {h: elims_of(r) for h, r in cluster.loads('n1').items()} }", 90)
        now = neighbours_go_on(cluster, "n3", ALL)
        for host in ALL:
            elims = elims_of(now[host])
            expect_equal(elims["elim.abort"]["STATE"], "aborted", f"elim.abort on {host}")
            expect_equal(elims["elim.hang"]["STATE"], "running", f"elim.hang on {host}: silence is no fault")
            for mode in ("crash", "half", "nan", "huge", "count"):
                expect(now[host]["LOAD"][mode] in (1, 5), f"the last value of elim.{mode} on {host}: {now[host]['LOAD'][mode]}")

        cluster.kill("n1")  # with all of its elims, whatever they ignore
        cluster.wait_for_master("n2", ["n2", "n3", "n4"], 60)
        neighbours_go_on(cluster, "n4", ALL[1:])
        wait_until(lambda: not [p for p in bench.cluster.host("n1").processes() if cluster.etc in " ".join(p.words)],
                   lambda: f"nothing to be left on n1: {[str(p) for p in bench.cluster.host('n1').processes()]}", 30)
    bench.saw(f"{len(FAULTS)} faults on 4 hosts at once; sh, Perl, Python, C beside them; the master killed among them")


class Askers:
    """Commands on every host, again and again, until it is left; what they said is judged at the end."""

    def __init__(self, cluster):
        self.cluster, self.ended, self.answers, self.odd = cluster, threading.Event(), 0, []
        self.threads = [threading.Thread(target=self._ask, args=(host,)) for host in ALL]

    def _ask(self, host):
        while not self.ended.is_set():
            done = self.cluster.command(host, "lsload", "-l", "-json")
            if done.returncode == 0:
                records = {r["HOST_NAME"]: r for r in json.loads(done.stdout)["RECORDS"]}
                whole = sorted(records) == list(ALL) and all("scratch" in r["LOAD"] for r in records.values())
                if not whole:
                    self.odd.append(f"{host}: {sorted(records)}")
                self.answers += 1
            else:  # beside it a command may warn of the broken file that it has read itself
                told = [line for line in done.stderr.splitlines() if not line.startswith("lsload: warning: ")]
                if len(told) != 1 or not told[0].startswith("lsload: "):
                    self.odd.append(f"{host}: {done.stderr}")

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join()


def test_new_files_while_commands_ask(bench):
    with ElimCluster(bench) as cluster:
        cluster.index("more")
        cluster.write_elim("elim.scratch", "#!/bin/sh\nn=0\nwhile :; do n=$((n + 1)); echo \"1 scratch $n\"; sleep 1; done\n")
        cluster.write_files()
        cluster.start(*ALL)
        cluster.wait_for_master("n1")
        value = lambda host: (cluster.loads("n1").get(host, {}).get("LOAD", {}).get("scratch") or 0)
        wait_until(lambda: all(value(h) for h in ALL), "four elims to count", 30)
        elims = lambda: {h: sorted(p.pid for p in cluster.runs(h, "elim.scratch") if of_keeper(p)) for h in ALL}
        before = elims()
        with Askers(cluster) as askers:
            for turn in range(5):
                cluster.write("lsf.shared", cluster_text(cluster, "lsf.shared") + "Begin Resource\n")
                for host in ALL:
                    expect_equal(cluster.ask(host, "reconfig")["refusal"], "BAD_CONFIGURATION", f"a broken file, {host}")
                cluster.write_files(f"# turn {turn}\n")
                for host in ALL:
                    expect("done" in cluster.ask(host, "reconfig"), f"reconfig of {host}")
                goal = {h: value(h) for h in ALL}
                wait_until(lambda: all(value(h) > goal[h] for h in ALL), "a value of each after it", 30)
        expect_equal(askers.odd, [], "answers that were neither whole nor one line of refusal")
        expect(askers.answers >= 20, f"answers: {askers.answers}")
        expect_equal(elims(), before, "the elims: new files that change nothing for them start none anew")
        cluster.wait_for_master("n1")
    bench.saw(f"ten reconfigurations, five of them broken, beside {askers.answers} whole answers")


def of_keeper(process):
    parent = processes.read_process(process.parent)
    return parent is not None and parent.name == "melim-keeper"


def cluster_text(cluster, name):
    with open(os.path.join(cluster.conf, name), encoding="utf-8") as file:
        return file.read()


main(hosts=4)
