"""LIMs that claim to be on another host: a real LIM, and a probe with the cluster's key that makes false claims."""

import json
import os
import subprocess

from rollcall_testing.one_host import CLUSTER, OneHost
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

ELSEWHERE = "192.0.2.2"  # an address reserved for documentation: no host has it


class TwoHosts(OneHost):
    """This host and, as an earlier candidate, the host n2, which does not exist."""

    def __init__(self, bench, more_conf="", hosts=f"{ELSEWHERE} n2\n"):
        super().__init__(bench, more_conf)
        text = CLUSTER.format(admin="root", host=f"n2 ! ! 1 ()\n{self.host}")
        self.write("lsf.cluster.one", text.replace("EXINTERVAL = 1", "EXINTERVAL = 1\nPROBE_TIMEOUT = 1\n"
                                                   "HOST_INACTIVITY_LIMIT = 2\nMASTER_INACTIVITY_LIMIT = 1"))
        self.write("hosts", hosts)

    def start(self):
        self.good("lsf_daemons", "init")
        super().start()
        wait_until(lambda: self.run("lsload").returncode == 0, "this host to be master in place of n2", 60)

    def claim(self, name, *more):
        """The LIM's answer to a probe that claims to be on that host; None where it closed the connection."""
        probe = os.path.join(self.bench.build, "tests", "programs", "lim_probe")
        line = [probe, "--at", f"127.0.0.1:{self.port}", "--key", self.path("cluster.key"), "claim", f"name={name}", *more]
        done = subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)
        expect(done.returncode == 0 or "closed the connection" in done.stderr, f"the probe: {done.stderr}")
        return json.loads(done.stdout) if done.stdout else None

    def log_text(self):
        with open(os.path.join(self.log, f"lim.log.{self.host}"), encoding="utf-8", errors="replace") as file:
            return file.read()


def test_a_caller_from_another_address_is_refused_with_a_line(bench):
    with TwoHosts(bench) as one:
        expect_equal(one.claim("n2"), None, "a claim to be n2 from 127.0.0.1")
        expect_in(f"refused a LIM at 127.0.0.1 that says it is on n2: found the addresses {ELSEWHERE} for it",
                  one.log_text(), "the log")
        for _ in range(50):
            one.claim("n2", "announce")
        expect(one.log_text().count("refused a LIM") <= 25, "who lies again and again does not fill the log")
        one.good("lsload")


def test_a_host_with_several_addresses_is_known_at_each(bench):
    with TwoHosts(bench, hosts=f"{ELSEWHERE} n2\n127.0.0.1 n2-ib n2\n") as one:
        expect_equal(one.claim("n2")["welcome"], one.host, "n2 at its second address")


def test_a_site_behind_nat_switches_it_off_and_a_false_announcement_costs_nothing(bench):
    with TwoHosts(bench, more_conf="ROLLCALL_CHECK_ADDRESSES=N\n") as one:
        wait_until(lambda: "4711" in one.good("lsload", "-l", one.host), "the elim's value")
        told = one.claim("n2", "announce")
        expect_equal((told["welcome"], told["is_master"]), (one.host, True), "after n2 was said to be master")
        expect_in("4711", one.good("lsload", "-l", one.host), "the table of the master")
        expect("master no more" not in one.log_text(), "it never stepped down")


main()
