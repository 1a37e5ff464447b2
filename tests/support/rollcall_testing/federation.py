"""Clusters side by side, each with hosts, masters, files and keys of its own, that forward jobs to one another.

    with Federation(bench, {"west": ("n1",), "east": ("n2",)}, queues={"west": SENDS, "east": RECEIVES}) as clusters:
        job = clusters["west"].bsub("sleep 1")           as the user `alice`, whom MUNGE names

Every cluster has a key with every other one and dials it. The master of each is on its first host.
"""

import contextlib
import os
import pwd
import shutil

from rollcall_testing import processes
from rollcall_testing.batch_cluster import MBD_PORT, BatchCluster
from rollcall_testing.munge import start_munged
from rollcall_testing.waiting import wait_until

ALICE, BOB = 5, 9  # games and news: accounts of every Debian that own nothing; their groups differ from their numbers


class Member(BatchCluster):
    """One of the clusters. Its users' commands run in a directory of theirs, which all clusters see under one name."""

    def __init__(self, bench, places, hosts, **how):
        self.places = places
        super().__init__(bench, hosts, **how)
        os.remove(os.path.join(self.conf, "cluster.key"))
        self.good("lsf_daemons", "init")

    def run(self, *words, user=ALICE, **how):
        name, group = pwd.getpwuid(user).pw_name, pwd.getpwuid(user).pw_gid
        environment = self.environment(HOME=self.places[user], USER=name, LOGNAME=name)
        line = ["setpriv", f"--reuid={user}", f"--regid={group}", "--init-groups", "--", "sh", "-c", 'cd "$HOME" && exec "$@"', "sh",
                *words]
        return self.user(*line, env=environment, **how)

    def bsub(self, command, *options, user=ALICE, **how):
        done = self.run("bsub", *options, command, user=user, **how)
        if done.returncode != 0:
            raise AssertionError(f"bsub in {self.cluster}: {done.stdout}{done.stderr}\n{self.logs_text()}")
        return int(done.stdout.split("<")[1].split(">")[0])

    def logs_text(self):
        """Of all clusters: what one of them did not do, another one often knows."""
        return "\n".join(f"--- cluster {one.cluster}\n{BatchCluster.logs_text(one)}" for one in self.federation.members.values())

    def jobs(self, fields="jobid"):
        """A line for each job that this cluster has, of all users, finished ones too."""
        return self.user("bjobs", "-a", "-u", "all", "-noheader", "-o", fields).stdout.splitlines()

    def host_row(self, name):
        """The columns of bhosts: HOST_NAME STATUS JL/U MAX NJOBS RUN ...; none: it does not name the host."""
        rows = [line.split() for line in self.user("bhosts", "-w").stdout.splitlines()]
        return next((row for row in rows if row[:1] == [name]), None)

    def standing(self, other):
        """The line of showstatus for another cluster."""
        lines = self.user("badmin", "showstatus").stdout.splitlines()
        return next((line for line in lines if line.startswith(f"cluster {other}:")), "")

    def wait_for_connection(self, other, words=": connected, term "):
        wait_until(lambda: words in self.standing(other),
                   lambda: f"{self.cluster} and {other}: {words}: {self.standing(other)}\n{self.logs_text()}", 60)


class Federation(contextlib.ExitStack):
    """`members`: name to hosts. `queues`, `params`, `slots`, `conf` (lines of lsf.conf): by name; what is left out is a BatchCluster's.
    `apart`: hosts that do not have the users' directories. `dials`: address and port at which (one, another) cluster reaches that other
    one's master, where a relay is between them."""

    def __init__(self, bench, members, queues=None, params=None, slots=None, conf=None, apart=(), dials=None):
        super().__init__()
        socket = start_munged(bench)
        bench.cluster.fixtures = processes.named("munged")
        os.chmod(bench.scratch, 0o755)
        places = {}
        for user in (ALICE, BOB):
            places[user] = bench.fresh_directory(f"user{user}")
            os.chown(places[user], user, pwd.getpwuid(user).pw_gid)
            os.chmod(places[user], 0o700)
            for host in apart:
                bench.cluster.host(host).run(["mount", "-t", "tmpfs", "-o", "mode=0700", "none", places[user]], check=True)
        self.members = {}
        for name, hosts in members.items():
            others = [other for other in members if other != name]
            keys = bench.fresh_directory(f"peers.{name}")
            os.chmod(keys, 0o700)
            peers = " ".join(f"{other}={(dials or {}).get((name, other), f'{members[other][0]}:{MBD_PORT}')}" for other in others)
            how = {key: by_name[name] for key, by_name in (("queues", queues), ("params", params), ("slots", slots))
                   if by_name and name in by_name}
            member = Member(bench, places, hosts, cluster=name, others=others,
                            more_conf=f'ROLLCALL_GUEST_UID_MIN=0\nROLLCALL_MUNGE_SOCKET={socket}\nROLLCALL_PEER_KEYS={keys}\nROLLCALL_PEERS="{peers}"\n{(conf or {}).get(name, "")}\n',
                            **how)
            member.keys, member.federation = keys, self
            for other in self.members.values():
                other.good("lsf_daemons", "peerkey", name)
                shutil.copy2(os.path.join(other.keys, name), os.path.join(keys, other.cluster))
            self.members[name] = member

    def lines(self, name):
        """Of a file in the home of ALICE, which all clusters see; none while it is not there."""
        path = os.path.join(next(iter(self.members.values())).places[ALICE], name)
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()

    def __getitem__(self, name):
        return self.members[name]

    def __enter__(self):
        super().__enter__()
        for member in self.members.values():
            self.enter_context(member)
        for member in self.members.values():
            for other in member.clusters[1:]:
                member.wait_for_connection(other)
        return self
