"""Faults of the link between the masters of two clusters, and of a master, that last from begin() to end().

    fault = drawn_fault(random.Random(seed), bench, clusters)
    fault.begin(); ...; fault.end()

A link is named by the hosts of both mbatchds; links to other clusters and within a cluster stay as they are. The kernel of the test
machines has no netem, so a slow link is a narrow one: what is sent waits for what was sent before.
"""

import signal

NARROW = "40kbit"


class LinkFault:
    """Rules of iptables on both masters' hosts, or on one of them."""

    target = ("DROP",)
    match = ()
    both = True

    def __init__(self, bench, clusters, sides):
        self.names = [one.cluster for one in sides]
        self.hosts = [bench.cluster.host(one.names[0]) for one in sides]

    def __str__(self):
        return f"{type(self).__name__} {'-'.join(self.names)}"

    @staticmethod
    def root(host, *words):
        done = host.run(list(words))
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(words)} on {host.name}: {done.stderr}")

    def rules(self):
        pairs = [(self.hosts[0], self.hosts[1]), (self.hosts[1], self.hosts[0])]
        for at, other in pairs if self.both else pairs[:1]:
            yield at, ("INPUT", "-p", "tcp", "-s", other.address, *self.match, "-j", *self.target)

    def begin(self):
        for at, rule in self.rules():
            self.root(at, "iptables", "-I", *rule)

    def end(self):
        for at, rule in self.rules():
            self.root(at, "iptables", "-D", *rule)


class Cut(LinkFault):
    """Silently: both sides take the connection for open."""


class HalfOpen(LinkFault):
    both = False


class Reset(LinkFault):
    """A firewall that ends connections and lets no new one through. The resets themselves pass."""

    match = ("!", "--tcp-flags", "RST", "RST")
    target = ("REJECT", "--reject-with", "tcp-reset")


class Lossy(LinkFault):
    match = ("-m", "statistic", "--mode", "random", "--probability", "0.3")


class Slow(LinkFault):
    def rules(self):
        for at, other in ((self.hosts[0], self.hosts[1]), (self.hosts[1], self.hosts[0])):
            yield at, ("POSTROUTING", "-t", "mangle", "-d", other.address, "-j", "CLASSIFY", "--set-class", "1:10")

    def begin(self):
        for at in self.hosts:
            self.root(at, "tc", "qdisc", "add", "dev", "eth0", "root", "handle", "1:", "htb")
            self.root(at, "tc", "class", "add", "dev", "eth0", "parent", "1:", "classid", "1:10", "htb", "rate", NARROW)
        super().begin()

    def end(self):
        super().end()
        for at in self.hosts:
            self.root(at, "tc", "qdisc", "del", "dev", "eth0", "root")


class MasterFault:
    def __init__(self, bench, clusters, sides):
        self.side = sides[0]
        self.host = self.side.names[0]

    def __str__(self):
        return f"{type(self).__name__} {self.side.cluster}"


class MasterKilled(MasterFault):
    def begin(self):
        self.side.kill_daemon("mbatchd", self.host)

    def end(self):
        self.side.start_daemon("mbatchd", self.host)


class MasterFrozen(MasterFault):
    def begin(self):
        self.side.send_daemon("mbatchd", self.host, signal.SIGSTOP)

    def end(self):
        self.side.send_daemon("mbatchd", self.host, signal.SIGCONT)


FAULTS = (Cut, HalfOpen, Reset, Reset, Lossy, Slow, MasterKilled, MasterKilled, MasterFrozen)


def each_fault_between(bench, clusters, one, other):
    """A cut between two clusters, then the death of each one's mbatchd: gives each fault when both are connected again."""
    members = list(clusters.members.values())
    for fault in (Cut(bench, members, (one, other)), MasterKilled(bench, members, (one,)), MasterKilled(bench, members, (other,))):
        fault.begin()
        if isinstance(fault, Cut):
            other.wait_for_connection(one.cluster, ": not connected")
        fault.end()
        one.wait_for_connection(other.cluster)
        other.wait_for_connection(one.cluster)
        yield fault


def drawn_fault(draw, bench, clusters):
    """Of any kind, between any two clusters."""
    kind = draw.choice(FAULTS)
    return kind(bench, clusters, draw.sample(clusters, 2))


def drawn_faults(draw, bench, clusters):
    """One fault, or two at once that do not touch the same device or daemon."""
    faults = [drawn_fault(draw, bench, clusters)]
    if draw.random() < 0.4:
        second = drawn_fault(draw, bench, clusters)
        if type(second) is not type(faults[0]) and isinstance(second, MasterFault) != isinstance(faults[0], MasterFault):
            faults.append(second)
    return faults
