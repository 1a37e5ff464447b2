"""LIMs on four hosts: who is master, and that every host reports to it, whatever happens to the one before.

EXINTERVAL is 1 s, HOST_INACTIVITY_LIMIT 3, MASTER_INACTIVITY_LIMIT 1: a silent master is replaced after 3 to 7 s. The
waits are several times that; what they wait for is printed when it does not come.
"""

import os
import signal
import socket

from rollcall_testing import processes
from rollcall_testing.load_cluster import PORT, LoadCluster
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import seconds_until, wait_until

ALL = ("n1", "n2", "n3", "n4")


def value(cluster, master, host, index):
    answer = cluster.ask(master, "load") or {}
    return answer.get("hosts", {}).get(host, {}).get("values", {}).get(index)


def test_the_first_candidate_is_master_and_hears_of_everybody(bench):
    with LoadCluster(bench, ALL) as cluster:
        cluster.start(*reversed(ALL))
        cluster.wait_for_master("n1")
        for host in ALL:
            wait_until(lambda: value(cluster, "n1", host, "scratch") == 47.5, f"the elim's value of {host}", 20)
            expect(value(cluster, "n1", host, "mem") > 0, f"memory of {host}")
        identity = cluster.ask("n3", "identity")
        expect_equal(identity["master"], "n1", "the master by n3")
        expect_equal((identity["hosts"], identity["cluster"]), (4, "test"), "what n3 knows of the cluster")
        expect_equal(cluster.ask("n3", "load")["refusal"], "NOT_MASTER", "n3 asked for load")
        expect_equal(cluster.ask("n3", "load")["master"], "n1", "and whom it names")
        hosts = cluster.ask("n1", "hosts")["hosts"]
        expect(all(h["ncpus"] > 0 and h["type"] for h in hosts.values()), f"facts: {hosts}")
    bench.saw("n1 master, four hosts ok, an elim's value from each, NOT_MASTER elsewhere")


def test_a_killed_master_is_replaced_at_once_and_takes_over_when_it_is_back(bench):
    with LoadCluster(bench, ALL, patience=60) as cluster:
        cluster.start(*ALL)
        cluster.wait_for_master("n1")
        cluster.kill("n1")
        took = seconds_until(lambda: cluster.master_by("n2") == "n2", "n2 to take over", 30)
        cluster.wait_for_master("n2", ["n2", "n3", "n4"])
        wait_until(lambda: cluster.status("n2").get("n1") == "unavail", "n1 to be unavailable", 20)
        cluster.start("n1")
        cluster.wait_for_master("n1")
    bench.saw(f"its port refused: n2 master after {took:.1f} s, though silence would take 60; n1 again when back")


def test_a_stopped_master_is_replaced_by_silence(bench):
    with LoadCluster(bench, ALL) as cluster:
        cluster.start(*ALL)
        cluster.wait_for_master("n1")
        cluster.send("n1", signal.SIGSTOP)
        took = seconds_until(lambda: cluster.master_by("n2") == "n2", lambda: cluster.log_text("n2"), 60)
        cluster.wait_for_master("n2", ["n2", "n3", "n4"], 60)
        wait_until(lambda: cluster.status("n2").get("n1") == "unavail", "n1 to be unavailable", 30)
        cluster.send("n1", signal.SIGCONT)
        cluster.wait_for_master("n1", seconds=60)
    bench.saw(f"n2 master after {took:.1f} s; n1 again when it went on")


def test_a_cut_off_master_is_replaced_and_shows_its_own_half(bench):
    with LoadCluster(bench, ALL) as cluster:
        cluster.start(*ALL)
        cluster.wait_for_master("n1")
        bench.cluster.cut("n1")
        try:
            cluster.wait_for_master("n2", ["n2", "n3", "n4"], 60)
            wait_until(lambda: cluster.status("n1").get("n3") == "unavail", "n1 to miss n3", 60)
            expect_equal(cluster.status("n1").get("n1"), "ok", "n1 as it sees itself")
        finally:
            bench.cluster.mend("n1")
        cluster.wait_for_master("n1", seconds=90)
    bench.saw("n2 for three hosts, n1 for itself, n1 for all when mended")


def test_a_reconfig_changes_hosts_and_resources_and_broken_files_are_refused(bench):
    with LoadCluster(bench, ALL) as cluster:
        cluster.start(*ALL)
        cluster.wait_for_master("n1")
        good = open(os.path.join(cluster.conf, "lsf.cluster.test"), encoding="utf-8").read()
        wrong_rows = good.replace("n3 ! ! 1 ()", "n3 ! ! maybe ()\nn1 ! ! 1 ()")
        cluster.write("lsf.cluster.test", wrong_rows + "Begin ResourceMap\n")
        refused = cluster.ask("n1", "reconfig")
        expect_equal(refused["refusal"], "BAD_CONFIGURATION", f"the answer {refused}")
        expect_in("lsf.cluster.test:", refused["text"], "the lines")
        expect(len(refused["text"].splitlines()) >= 2, f"every line: {refused['text']}")
        expect_equal(set(cluster.status("n1").values()), {"ok"}, "hosts after the broken set")
        cluster.write("lsf.cluster.test", wrong_rows)
        expect("done" in cluster.ask("n1", "reconfig"), "a set with wrong rows is used without them")
        expect_equal(set(cluster.status("n1").values()), {"ok"}, "hosts without the wrong rows")

        cluster.resources.append("spare Numeric 5 N (something more)")
        cluster.map.append("spare [default]")
        cluster.write_elim("elim.spare", "#!/bin/sh\nwhile :; do echo '1 spare 3'; sleep 1; done\n")
        cluster.write_files()
        for host in ALL:
            expect("done" in cluster.ask(host, "reconfig"), f"reconfig of {host}")
        cluster.wait_for_master("n1")
        for host in ALL:
            wait_until(lambda: value(cluster, "n1", host, "spare") == 3, f"the new index of {host}", 30)
            expect_equal(value(cluster, "n1", host, "scratch"), 47.5, f"the old index of {host}")
    bench.saw("a broken set: every line, nothing changed; a good one: a new index from all four hosts")


def test_locks_levels_restarts_and_ends(bench):
    with LoadCluster(bench, ["n1", "n2"]) as cluster:
        cluster.start("n1", "n2")
        cluster.wait_for_master("n1")
        cluster.ask("n2", "lock")
        wait_until(lambda: cluster.status("n1").get("n2") == "lockU", "the lock to show", 20)
        cluster.ask("n2", "unlock")
        wait_until(lambda: cluster.status("n1").get("n2") == "ok", "the lock to go", 20)
        expect_equal(cluster.ask("n2", "debug", "text=nonsense")["refusal"], "FAILED", "a level that is none")
        pid = cluster.lims["n2"].pid
        cluster.write("lsf.cluster.test", "Begin Host\n")
        refused = cluster.ask("n2", "restart")
        expect_equal(refused["refusal"], "BAD_CONFIGURATION", "a restart with files that cannot be read")
        cluster.write_files()
        expect("done" in cluster.ask("n2", "restart"), "restart")
        wait_until(lambda: cluster.log_text("n2").count("notice: LIM ") >= 2, "its second beginning", 20)
        cluster.wait_for_master("n1")
        expect(processes.read_process(pid).alive, "it is the same process")
        expect("done" in cluster.ask("n2", "shutdown"), "shutdown")
        expect_equal(cluster.lims.pop("n2").wait(20), 0, "exit code")
        wait_until(lambda: cluster.status("n1").get("n2") == "unavail", "n2 to be unavailable", 20)
    bench.saw("lockU and back, restarted in place, ended with 0 and unavailable at once")


def test_a_killed_melim_is_started_again_and_its_values_stay(bench):
    with LoadCluster(bench, ["n1"]) as cluster:
        cluster.start("n1")
        wait_until(lambda: value(cluster, "n1", "n1", "scratch") == 47.5, "the elim's value", 30)
        melims = lambda: [p for p in bench.cluster.host("n1").processes(processes.named("melim"))]
        first = [p for p in melims() if p.parent == cluster.lims["n1"].pid]
        expect_equal(len(first), 1, "one MELIM below LIM")
        processes.send(first[0].pid, signal.SIGKILL)
        wait_until(
            lambda: [p for p in melims() if p.parent == cluster.lims["n1"].pid and p.pid != first[0].pid],
            "another MELIM", 20,
        )
        expect_equal(value(cluster, "n1", "n1", "scratch"), 47.5, "the value meanwhile")
    bench.saw("another MELIM, the value stayed")


def test_garbage_and_silence_at_the_port_disturb_no_client(bench):
    with LoadCluster(bench, ["n1", "n2"]) as cluster:
        cluster.start("n1", "n2")
        cluster.wait_for_master("n1")
        script = (
            "import socket, sys, time\n"
            "all = [socket.create_connection(('n1', int(sys.argv[1]))) for _ in range(700)]\n"
            "for i, s in enumerate(all):\n"
            "  if i % 2: s.sendall(b'\\0\\0\\0\\x20' + bytes(32))\n"
            "print('there', flush=True); sys.stdin.read()\n"
        )
        host = bench.cluster.host("n2")
        flood = host.popen(["python3", "-c", script, str(PORT)], stdin=-1, stdout=-1, text=True)
        try:
            expect_equal(flood.stdout.readline(), "there\n", "700 strangers")
            wait_until(lambda: cluster.status("n1").get("n2") == "ok", "n1 to answer beside them", 30)
        finally:
            flood.communicate("")
        expect_equal(cluster.log_text("n1").count("closed a connection from"), 1, "lines about them")
    bench.saw("700 strangers, half of them silent: the master answers, one line for their address")


main(hosts=4)
