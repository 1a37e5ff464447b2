"""A cluster of this host as `lsf_daemons setup` makes it, with the real daemons, and commands run on it."""

import os
import pwd
import socket
import subprocess

from rollcall_testing.runner import expect_equal, expect_in
from rollcall_testing.site import without_munge_warning
from rollcall_testing.waiting import wait_until


class OwnCluster:
    """A context manager that stops its daemons at the end. HOME of its commands is a directory of its own. `user`: whose it is,
    a number; None: the caller's."""

    def __init__(self, bench, name="mycluster", user=None):
        self.bench, self.host, self.as_user = bench, socket.gethostname(), []
        if user is not None:
            self.as_user = ["setpriv", f"--reuid={user}", f"--regid={pwd.getpwuid(user).pw_gid}", "--clear-groups", "--"]
        self.home = bench.fresh_directory(name)
        os.chmod(self.home, 0o755)
        os.chown(self.home, -1 if user is None else user, -1)
        self.top = os.path.join(self.home, "cluster")
        self.conf = os.path.join(self.top, "conf")
        self.environment = dict(bench.cluster.environment, LSF_ENVDIR=self.conf, HOME=self.home)
        self.environment.pop("XDG_RUNTIME_DIR", None)
        owner = pwd.getpwuid(os.geteuid() if user is None else user).pw_name
        expect_in(f"made the files of the cluster {name} in {self.top}: host {self.host}, administrator {owner}, ports ",
                  self.good("lsf_daemons", "setup", self.top, name), "setup")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run("lsf_daemons", "stop")

    def run(self, command, *words, **how):
        how.setdefault("env", self.environment)
        line = [*self.as_user, os.path.join(self.bench.bin, command), *words]
        done = subprocess.run(line, capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL,
                              cwd=self.home, **how)
        done.stderr, done.stdout = without_munge_warning(done.stderr), without_munge_warning(done.stdout)
        return done

    def good(self, command, *words, **how):
        done = self.run(command, *words, **how)
        expect_equal((done.returncode, done.stderr), (0, ""), f"{command} {' '.join(words)}: {done.stdout}")
        return done.stdout

    def path(self, *names):
        return os.path.join(self.top, *names)

    def append(self, name, text):
        with open(self.path("conf", name), "a", encoding="ascii") as file:
            file.write(text)

    def start(self):
        self.good("lsf_daemons", "start")
        self.wait_for_host("ok")

    def host_status(self):
        lines = self.run("bhosts", "-w").stdout.splitlines()
        return lines[1].split()[1] if len(lines) > 1 else ""

    def wait_for_host(self, status, patience=60):
        wait_until(lambda: self.host_status() == status,
                   lambda: f"the host to be {status}, it is {self.host_status()!r}\n{self.logs()}", patience)

    def pid(self, name):
        with open(self.path("log", f"{name}.{self.host}.pid"), encoding="ascii") as file:
            return int(file.readline() or 0)

    def submit(self, *words):
        said = self.good("bsub", "-o", "/dev/null", *words)
        return int(said[said.index("<") + 1:said.index(">")])

    def job_status(self, job):
        words = self.run("bjobs", "-a", "-w", "-noheader", str(job)).stdout.split()
        return words[2] if len(words) > 2 else ""

    def logs(self):
        text = ""
        for name in sorted(os.listdir(self.path("log"))):
            if ".log." in name:
                with open(self.path("log", name), encoding="utf-8", errors="replace") as file:
                    text += f"--- {name}\n{file.read()[-1500:]}"
        return text
