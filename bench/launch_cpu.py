"""CPU time of a launch, of every process that belonged to it, by the kernel's own accounts: a cgroup.

The rusage of the front end misses what it did not wait for: Open MPI's daemons leave their parents, and Slurm's tasks
are the children of its own daemons. A cgroup keeps what all its members used, dead ones too, in nanoseconds. Version 2
(cpu.stat is there without a controller) and version 1 (cpuacct) both serve. Without either, the rusage has to do.
"""

import os
import time

ROOT_NAME = "rollcall-bench"


class Account:
    """One cgroup. Whoever enters it and all that he starts from then on is counted there."""

    def __init__(self, directory):
        self.directory = directory
        os.mkdir(directory)

    def enter(self):
        _enter(self.directory)

    def take(self, pid):
        """That process; what it has started already stays where it is."""
        _enter(self.directory, pid)

    def seconds(self):
        """User and system time of all members until now."""
        stat = os.path.join(self.directory, "cpu.stat")
        if os.path.exists(stat):
            with open(stat, encoding="ascii") as file:
                return int(dict(line.split() for line in file)["usage_usec"]) / 1e6
        with open(os.path.join(self.directory, "cpuacct.usage"), encoding="ascii") as file:
            return int(file.read()) / 1e9

    def remove(self):
        _remove(self.directory)


class Accounts:
    """`launches` for what a launcher's front end starts, `daemons` for what runs already when a launch begins; or others."""

    what = "of all processes of a launch, by cgroup (srun: and of Slurm's daemons meanwhile)"

    def __init__(self, home, names):
        self.home = home
        self.root = os.path.join(home, f"{ROOT_NAME}.{os.getpid()}")
        os.mkdir(self.root)
        self.accounts = {name: Account(os.path.join(self.root, name)) for name in names}

    launches = property(lambda self: self.of("launches"))
    daemons = property(lambda self: self.of("daemons"))

    def of(self, name):
        return self.accounts[name]

    def leave(self):
        _enter(self.home)

    def remove(self):
        for account in self.accounts.values():
            account.remove()
        _remove(self.root)


class NoAccount:
    def enter(self):
        pass

    def take(self, pid):
        pass

    def seconds(self):
        return None


class NoAccounts:
    """Stands in where no cgroup can be made: seconds() is None, and a run takes the rusage of its front end."""

    launches = daemons = NoAccount()

    def of(self, name):
        return self.launches

    def __init__(self, reason):
        self.what = f"only of what the front end waited for, none of daemons: no cgroup can be made ({reason})"

    def leave(self):
        pass

    def remove(self):
        pass


LAUNCH = ("launches", "daemons")


def make_accounts(names=LAUNCH):
    reason = "none is mounted"
    for home in _own_cgroups():
        try:
            return Accounts(home, names)
        except OSError as error:
            reason = str(error)
    return NoAccounts(reason)


def _own_cgroups():
    """The directories of this process's cgroups that can account for CPU time, version 2 first."""
    own = {}
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        for line in file:
            _, controllers, path = line.rstrip("\n").split(":", 2)
            own[controllers] = path
    found = []
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        for line in file:
            mount, _, kind = line.partition(" - ")
            root, point = mount.split()[3:5]
            kind, _, options = kind.split()
            for controllers, path in own.items():
                version_1 = kind == "cgroup" and "cpuacct" in controllers and controllers in options
                if (kind == "cgroup2" and not controllers) or version_1:
                    found.append((kind == "cgroup", os.path.normpath(f"{point}/{os.path.relpath(path, root)}")))
    return [directory for _, directory in sorted(found)]


def _enter(directory, pid=0):
    with open(os.path.join(directory, "cgroup.procs"), "w", encoding="ascii") as file:
        file.write(str(pid))


def _remove(directory):
    """A killed process may be a moment on its way out of its cgroup."""
    deadline = time.monotonic() + 5
    while True:
        try:
            return os.rmdir(directory)
        except FileNotFoundError:
            return None
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
