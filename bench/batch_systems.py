"""The two systems of bench/batch behind one interface: submit, wait, and what that took of wall and of CPU time.

A command is started by posix_spawn, so that what starts it costs next to nothing, and waited for with its usage. The CPU
time of daemons and of the jobs below them is that of their cgroups (launch_cpu).
"""

import glob
import json
import os
import pwd
import re
import shutil
import subprocess
import time
import traceback
from dataclasses import dataclass

from rollcall_testing.waiting import wait_until

SECONDS = 600
OTHER_USER = "daemon"  # somebody who may not read the cluster's key: who they are, MUNGE says


@dataclass(frozen=True)
class Took:
    """Seconds of wall time, and of CPU time in user and kernel."""

    wall: float
    cpu: float


def timed(words, environment):
    """One command: what it took, and what it said."""
    path = shutil.which(words[0], path=environment["PATH"])
    said = os.memfd_create("said")
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, said, 1),
        (os.POSIX_SPAWN_DUP2, said, 2),
    ]
    begun = time.monotonic()
    child = os.posix_spawn(path, words, environment, file_actions=actions)
    _, status, used = os.wait4(child, 0)
    took = Took(time.monotonic() - begun, used.ru_utime + used.ru_stime)
    os.lseek(said, 0, os.SEEK_SET)
    with os.fdopen(said, encoding="utf-8") as file:
        text = file.read()
    if status != 0:
        raise RuntimeError(f"{words}: exit {os.waitstatus_to_exitcode(status)}: {text}")
    return took, text


def by_user(name, function):
    """What function() gives, as JSON can hold it, called in a process of that user; None: of our own."""
    if name is None:
        return function()
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            who = pwd.getpwnam(name)
            os.initgroups(name, who.pw_gid)
            os.setgid(who.pw_gid)
            os.setuid(who.pw_uid)
            os.write(theirs, json.dumps(function()).encode())
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    os.close(theirs)
    with os.fdopen(ours) as file:
        text = file.read()
    os.waitpid(child, 0)
    if not text:
        raise RuntimeError(f"nothing came from what ran as {name}")
    return json.loads(text)


class System:
    """`accounts`: by the names `master` and `hosts`. What is of one system alone is in its class below."""

    def __init__(self, environment, accounts):
        self.environment, self.accounts = environment, accounts

    def run(self, *words):
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=SECONDS)
        if done.returncode != 0:
            raise RuntimeError(f"{words}: exit {done.returncode}: {done.stderr}")
        return done.stdout

    def submit(self, command, *options):
        took, text = timed(self.submission(command, *options), self.environment)
        return took, self.number(text)

    def one(self, user=None, first=False):
        """One job of `true`, submitted and waited for: what the submission took. `first`: the user was never here before."""
        environment = self.environment if user is None else self.environment_of(user)

        def submit():
            if first:
                self.forget(environment)
            if user is not None:
                timed(["true"], environment)  # a process that was just forked copies its pages in its first command
            took, text = timed(self.submission("true"), environment)
            return took.wall, took.cpu, self.number(text)

        wall, cpu, job = by_user(user, submit)
        self.ended(job)
        return Took(wall, cpu)

    def environment_of(self, user):
        """With a home of his own, as everybody has one."""
        home = os.path.join(os.path.dirname(self.environment["HOME"]), "home." + user)
        if not os.path.isdir(home):
            os.mkdir(home, 0o700)
            os.chown(home, pwd.getpwnam(user).pw_uid, -1)
        return dict(self.environment, HOME=home, USER=user, LOGNAME=user)

    def forget(self, environment):
        """What a user's commands keep for the next ones."""

    def array(self, size):
        """Seconds to the end of the last, and CPU seconds of the master's daemon and of all hosts meanwhile."""
        before = self.used()
        begun = time.monotonic()
        self.ended(self.submit("true", *self.as_array(size))[1])
        wall = time.monotonic() - begun
        after = self.used()
        return wall, {n: None if after[n] is None else after[n] - before[n] for n in after}

    def used(self):
        return {name: account.seconds() for name, account in self.accounts.items()}

    def start(self, note):
        """When bsub was begun, in seconds since 1970; the job writes when it began."""
        begun = time.time()
        self.ended(self.submit(f"date +%s.%N >{note}")[1])
        return begun


class Ours(System):
    name = "rollcall"

    def submission(self, command, *options):
        return ["bsub", "-o", "/dev/null", *options, command]

    def number(self, text):
        return re.match(r"Job <(\d+)>", text).group(1)

    def as_array(self, size):
        return ["-J", f"a[1-{size}]"]

    def forget(self, environment):
        for ticket in glob.glob(os.path.join(glob.escape(environment["HOME"]), ".rollcall", "ticket.*")):
            os.unlink(ticket)

    def ended(self, job):
        self.run("bwait", "-w", f"ended({job})")


class Slurm(System):
    name = "slurm"

    def submission(self, command, *options):
        return ["sbatch", "--parsable", "-o", "/dev/null", *options, f"--wrap={command}"]

    def number(self, text):
        return text.strip()

    def as_array(self, size):
        return [f"--array=1-{size}"]

    def ended(self, job):
        wait_until(lambda: not self.run("squeue", "-h"), "an empty squeue", SECONDS)


def start_times(system, scratch, runs):
    times = []
    for number in range(runs):
        note = os.path.join(scratch, f"start.{system.name}.{number}")
        begun = system.start(note)
        with open(note, encoding="ascii") as file:
            times.append(float(file.read()) - begun)
    return times
