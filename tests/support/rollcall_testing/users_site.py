"""A batch system whose daemons are root's on one host, munged, and commands and held connections of other users there."""

import os
import pwd
import subprocess

from rollcall_testing import processes
from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.munge import start_munged

MALLORY, BOB = 5, 9  # games and news: accounts of every Debian that own nothing
HOST = "n1"


class UsersSite:
    """`with site.batch` starts it."""

    def __init__(self, bench, more_conf="", **how):
        self.bench = bench
        socket = start_munged(bench)
        bench.cluster.fixtures = processes.named("munged", "connection_holder")
        os.chmod(bench.scratch, 0o755)
        self.batch = BatchCluster(bench, (HOST,), more_conf=f"ROLLCALL_MUNGE_SOCKET={socket}\n{more_conf}", **how)
        self.key = os.path.join(self.batch.conf, "cluster.key")
        os.remove(self.key)
        self.batch.good("lsf_daemons", "init")  # with the public half, which users read
        self.homes = {}
        for user in (MALLORY, BOB, 0):
            self.homes[user] = bench.fresh_directory(f"home{user}")
            os.chown(self.homes[user], user, -1)

    def words(self, user, *words):
        group = pwd.getpwuid(user).pw_gid
        return ["setpriv", f"--reuid={user}", f"--regid={group}", "--init-groups", "--", "sh", "-c", 'cd "$HOME" && exec "$@"', "sh",
                *words]

    def environment(self, user):
        name = pwd.getpwuid(user).pw_name
        return self.batch.environment(HOME=self.homes[user], USER=name, LOGNAME=name)

    def run(self, user, *words, **how):
        return self.batch.user(*self.words(user, *words), env=self.environment(user), **how)

    def begin(self, user, *words, **how):
        return self.bench.cluster.host(HOST).popen(self.words(user, *words), env=self.environment(user), **how)

    def hold(self, user, port, silent, handshaken):
        """Connections with that port until the test is over: see tests/programs/connection_holder.cpp."""
        program = os.path.join(self.bench.build, "tests", "programs", "connection_holder")
        holder = self.begin(user, program, "--public", f"{self.key}.pub", "--port", str(port), "--silent", str(silent),
                            "--handshaken", str(handshaken), "--again", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.bench.cluster.services.callback(lambda: (holder.kill(), holder.wait()))
        return holder

    def blaunch_at_once(self, user, count, timeout=120):
        """A job of that user that starts so many blaunch at once; gives how many tasks ran, and what was said."""
        ran = os.path.join(self.homes[user], "ran")
        script = os.path.join(self.homes[user], "many.sh")
        with open(script, "w", encoding="ascii") as file:
            file.write(f"i=0\nwhile [ $i -lt {count} ]; do blaunch {HOST} sh -c 'echo x >>{ran}' & i=$((i+1)); done\nwait\n")
        os.chmod(script, 0o755)
        said = self.run(user, "bsub", "-n", "1", "-o", "many.out", "-e", "many.err", "sh", script)
        if said.returncode != 0:
            raise AssertionError(f"bsub: {said.stderr}")
        job = int(said.stdout.split("<")[1].split(">")[0])
        self.batch.wait_for(job, "DONE", "EXIT", seconds=timeout)
        with open(os.path.join(self.homes[user], "many.err"), encoding="utf-8") as file:
            errors = file.read()
        if not os.path.exists(ran):
            return 0, errors
        with open(ran, encoding="ascii") as file:
            return len(file.readlines()), errors
