"""A cluster's files in a directory of their own, with fake daemons, and lsf_daemons run on them."""

import os
import random
import shutil
import socket
import subprocess

from rollcall_testing.runner import expect_equal, expect_in


def without_munge_warning(text):
    """What a program of root's said on a host without munged, without the warning that there is none."""
    return "".join(line for line in text.splitlines(keepends=True) if "munged does not run on this host" not in line)


def own_directory(conf):
    """Where the pid files and logs of this user's configuration are that has no LSF_LOGDIR: the mark is FNV-1a."""
    mark = 0xCBF29CE484222325
    for byte in os.path.realpath(conf).encode():
        mark = (mark ^ byte) * 0x100000001B3 % 2**64
    return f"/tmp/rollcall-{os.geteuid()}-{mark:016x}"


_taken = []  # tells other tests which ports this one has: held until it ends


def free_port():
    """A port that no other test of this machine gets while this one runs, and that the kernel gives to no outgoing connection."""
    while True:
        port = random.randrange(10000, 32768)
        mark = socket.socket(socket.AF_UNIX)
        try:
            mark.bind(f"\0rollcall-test-port-{port}")
            with socket.socket() as here:
                here.bind(("", port))
        except OSError:
            mark.close()
            continue
        _taken.append(mark)
        return port


class Site:
    """The files of one cluster in a directory of its own, with the fake as its lim; batch: as its res and mbatchd too."""

    def __init__(self, bench, hosts=(), log=True, server=True, batch=False):
        self.bench = bench
        self.top = bench.fresh_directory("site")
        os.chmod(self.top, 0o755)
        self.port, self.res_port, self.mbd_port = free_port(), free_port(), free_port()
        self.conf, self.log, self.etc = (os.path.join(self.top, d) for d in ("conf", "log", "etc"))
        for directory in (self.conf, self.log, self.etc):
            os.mkdir(directory)
        fake = os.path.join(bench.build, "tests", "programs", "fake_daemon")
        for name in ("lim", "res", "mbatchd") if batch else ("lim",):
            shutil.copy(fake, os.path.join(self.etc, name))
        lines = [f"LSF_LIM_PORT={self.port}"]
        if batch:
            lines += [f"LSF_RES_PORT={self.res_port}", f"LSB_MBD_PORT={self.mbd_port}"]
        if log:
            lines.append(f"LSF_LOGDIR={self.log}")
        if server:
            lines.append(f"LSF_SERVERDIR={self.etc}")
        self.write("lsf.conf", "\n".join(lines) + "\n")
        self.write("lsf.shared", "Begin Cluster\nClusterName\nc1\nEnd Cluster\n"
                   "Begin HostType\nTYPENAME\nX86_64\nEnd HostType\n"
                   "Begin HostModel\nMODELNAME CPUFACTOR\nPC 10\nEnd HostModel\n")
        rows = "".join(f"{name} ! ! 1\n" for name in (socket.gethostname(), *hosts))
        self.write("lsf.cluster.c1", f"Begin Host\nHOSTNAME model type server\n{rows}End Host\n")

    key = property(lambda self: os.path.join(self.conf, "cluster.key"))
    pid_file = property(lambda self: os.path.join(self.log, f"lim.{socket.gethostname()}.pid"))
    log_file = property(lambda self: os.path.join(self.log, f"lim.log.{socket.gethostname()}"))

    def read(self, name):
        with open(os.path.join(self.conf, name), encoding="utf-8") as file:
            return file.read()

    def write(self, name, text):
        with open(os.path.join(self.conf, name), "w", encoding="utf-8") as file:
            file.write(text)

    def mode(self, text):
        self.write("mode", text)

    def words(self, *words, program=None):
        return [program or os.path.join(self.bench.bin, "lsf_daemons"), "-d", self.conf, *words]

    def run(self, *words, program=None, user=None, before=(), munge_warning=False, **how):
        line = [*before, *self.words(*words, program=program)]
        if user is not None:
            line = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *line]
        how.setdefault("env", self.bench.cluster.environment)
        # The pipes end when no process holds them: the test would wait for ever for a daemon that did.
        done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, **how)
        expect_in("\n", (done.stdout + done.stderr) or "nothing was said", " ".join(words))
        if not munge_warning:
            done.stderr = without_munge_warning(done.stderr)
        return done

    def good(self, *words, **how):
        done = self.run(*words, **how)
        expect_equal((done.returncode, done.stderr), (0, ""), " ".join(words))
        return done.stdout

    def refused(self, *words, code=1, **how):
        done = self.run(*words, **how)
        expect_equal(done.returncode, code, f"{' '.join(words)}: {done.stderr}")
        return done.stderr

    def status(self, code, *names, **how):
        done = self.run("status", *names, **how)
        expect_equal((done.returncode, done.stderr), (code, ""), f"status: {done.stdout}")
        return done.stdout

    def pid(self, name="lim", host=None):
        with open(os.path.join(self.log, f"{name}.{host or socket.gethostname()}.pid"), encoding="ascii") as file:
            return int(file.readline())

    def lims(self):
        return [p for p in self.bench.cluster.strangers() if os.path.join(self.etc, "lim") in p.words]

    def daemons(self):
        return [p for p in self.bench.cluster.strangers() if any(w.startswith(self.etc + "/") for w in p.words)]
