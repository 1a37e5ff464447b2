"""A cluster of this one host with a LIM of its own, started by lsf_daemons, and the ls* commands run on it."""

import json
import os
import pwd
import shutil
import socket
import subprocess

from rollcall_testing.runner import Skip, expect_equal
from rollcall_testing.site import free_port, without_munge_warning
from rollcall_testing.waiting import wait_until

OTHER = 54321  # a user that no machine has

SHARED = """Begin Cluster
ClusterName
one
End Cluster
Begin Resource
RESOURCENAME TYPE INTERVAL INCREASING DESCRIPTION
scratch Numeric 1 N (Free space in /tmp)
bigmem Boolean () () (Much memory)
rack String () () (Where it stands)
End Resource
"""

CLUSTER = """Begin Parameters
EXINTERVAL = 1
ELIM_POLL_INTERVAL = 1
End Parameters
Begin ClusterAdmins
ADMINISTRATORS = {admin}
End ClusterAdmins
Begin Host
HOSTNAME model type server RESOURCES
{host} ! ! 1 (bigmem)
End Host
Begin ResourceMap
RESOURCENAME LOCATION
scratch [default]
rack (left@[all])
End ResourceMap
"""

ELIM = '#!/bin/sh\nwhile :; do echo "1 scratch 4711" || exit 1; sleep 1; done\n'


class OneHost:
    """A context manager: its LIM runs within."""

    def __init__(self, bench, more_conf=""):
        self.bench, self.host, self.port = bench, socket.gethostname(), free_port()
        self.top = bench.fresh_directory("one")
        os.chmod(self.top, 0o755)
        self.conf, self.log, self.etc = (os.path.join(self.top, name) for name in ("conf", "log", "etc"))
        for directory in (self.conf, self.log, self.etc, os.path.join(self.top, "jobs")):
            os.mkdir(directory, 0o755)
        places = f"LSF_LOGDIR={self.log}\nLSF_SERVERDIR={self.etc}\nROLLCALL_JOBDIR={self.top}/jobs\n"
        self.write("lsf.conf", f"LSF_LIM_PORT={self.port}\n{places}{more_conf}")
        self.write("lsf.shared", SHARED)
        self.write("lsf.cluster.one", CLUSTER.format(admin=pwd.getpwuid(os.geteuid()).pw_name, host=self.host))
        elim = os.path.join(self.etc, "elim.scratch")
        with open(elim, "w", encoding="ascii") as file:
            file.write(ELIM)
        os.chmod(elim, 0o755)
        self.environment = dict(bench.cluster.environment, LSF_ENVDIR=self.conf)

    def path(self, name):
        return os.path.join(self.conf, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        # limshutdown may have ended it already.
        subprocess.run(self.words("lsf_daemons", "stop"), env=self.environment, timeout=120, check=False,
                       stdin=subprocess.DEVNULL, capture_output=True)

    def start(self):
        self.good("lsf_daemons", "start")
        wait_until(lambda: self.run("lsid").returncode == 0, "a master")

    def words(self, command, *words):
        return [os.path.join(self.bench.bin, command), *words]

    def run(self, command, *words, user=None, **how):
        """The completed process; text in stdout and stderr."""
        line = self.words(command, *words)
        if user is not None:
            line = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *line]
        how.setdefault("env", self.environment)
        how.setdefault("stdout", subprocess.PIPE)
        if "input" not in how:
            how.setdefault("stdin", subprocess.DEVNULL)
        done = subprocess.run(line, stderr=subprocess.PIPE, text=True, timeout=120, check=False, **how)
        done.stderr = without_munge_warning(done.stderr)
        if words == ("ckconfig",) and done.stdout:
            done.stdout = without_munge_warning(done.stdout)
        return done

    def good(self, command, *words, **how):
        """What the command printed; fails unless it ends with 0 and without a message on stderr."""
        done = self.run(command, *words, **how)
        expect_equal((done.returncode, done.stderr), (0, ""), " ".join([command, *words]))
        return done.stdout

    def refused(self, command, *words, code=255, **how):
        """What the command said on stderr; fails unless it was refused."""
        done = self.run(command, *words, **how)
        expect_equal(done.returncode, code, f"{' '.join([command, *words])} said {done.stderr!r}, exit status")
        return done.stderr

    def json(self, command, *words):
        return json.loads(self.good(command, *words, "-json"))

    def status(self):
        return self.json("lsload")["RECORDS"][0]["STATUS"]


class Munged:
    """A munged with a key and a socket of its own; a context manager."""

    def __init__(self, bench):
        self.program = shutil.which("munged", path="/usr/sbin:/usr/bin")
        if not self.program:
            raise Skip("munged is not installed (Debian package munge)")
        self.home = bench.fresh_directory("munge")
        os.chmod(self.home, 0o755)
        self.socket = os.path.join(self.home, "socket")
        with open(os.path.join(self.home, "key"), "wb", opener=lambda p, f: os.open(p, f, 0o600)) as file:
            file.write(os.urandom(64))

    def __enter__(self):
        files = [f"--{name}-file={os.path.join(self.home, name)}" for name in ("key", "pid", "log", "seed")]
        with open(os.path.join(self.home, "said"), "wb") as said:
            self.process = subprocess.Popen([self.program, "--foreground", "--force", f"--socket={self.socket}", *files],
                                            stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        try:
            wait_until(self.answers, "munged to listen")
        except BaseException:
            self.__exit__()
            raise
        return self

    def answers(self):
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(self.socket) == 0

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)
