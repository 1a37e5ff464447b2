"""Hosts for tests: network namespaces joined by a bridge, each with a host name and an /etc/hosts of its own.

The bridge is in the network namespace of the shelter, so names and addresses never meet those of another run, and all
of it goes when the last process does. A host is a sleeping process that keeps its namespaces alive; a command enters
it with nsenter (never with `ip netns exec`, which mounts a fresh /sys where the cgroups are missing). The hosts share
files, PIDs and users. As on a Debian machine at home, each host's own name is 127.0.1.1 in its own /etc/hosts.

    n1 10.77.0.1 --- v1 [bridge rc0] v2 --- 10.77.0.2 n2   ...
"""

import contextlib
import os
import pwd
import socket
import stat
import subprocess
import sys

from rollcall_testing import processes
from rollcall_testing.waiting import wait_until

NETWORK = "10.77.0"


def base_environment(scratch):
    """What a user's login gives; nothing of the environment that the tests were started from but how sanitizers report."""
    environment = {
        "HOME": os.path.join(scratch, "home"),
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        "TMPDIR": os.path.join(scratch, "tmp"),
        "LANG": "C.UTF-8",
        "SHELL": "/bin/sh",
        "USER": "tester",
        "LOGNAME": "tester",
        **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")},  # of a preset asan
    }
    for name in ("HOME", "TMPDIR"):
        os.makedirs(environment[name], exist_ok=True)
    return environment


def own_key_directory():
    """Where whoever runs the tests may have a key, whatever HOME says."""
    return os.path.join(pwd.getpwuid(os.geteuid()).pw_dir, ".rollcall")


class Host:
    """One host of a cluster. Commands started on it are children of the test, under their own PID."""

    def __init__(self, name, address, scratch, hosts_file):
        self.name, self.address = name, address
        self.scratch = scratch
        # A key that whoever runs the tests has at home would serve every program that has another HOME. The hosts share a home.
        keys = os.path.join(scratch, "keys")
        for directory in (keys, own_key_directory()):
            os.makedirs(directory, mode=0o700, exist_ok=True)
        script = ('hostname "$1" && mount --bind "$2" /etc/hosts && mount --bind "$3" "$4" && '
                  "echo ready && exec sleep infinity")
        words = ["unshare", "--net", "--uts", "--mount", "sh", "-c", script, "host", name, hosts_file, keys, own_key_directory()]
        self.keeper = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        if self.keeper.stdout.readline() != b"ready\n":
            raise RuntimeError(f"host {name} was not made")
        self.network = os.readlink(f"/proc/{self.keeper.pid}/ns/net")

    def entering(self, directory=None):
        """The words before a command that make it run on this host."""
        space = f"/proc/{self.keeper.pid}/ns"
        words = ["nsenter", f"--net={space}/net", f"--uts={space}/uts", f"--mount={space}/mnt"]
        return words + [f"--wdns={directory or self.scratch}", "--"]

    def popen(self, words, directory=None, **how):
        return subprocess.Popen(self.entering(directory) + list(words), **how)

    def run(self, words, **how):
        how.setdefault("timeout", 120)
        return subprocess.run(self.entering() + list(words), capture_output=True, text=True, **how)

    def holds(self, process):
        return process.network == self.network

    def processes(self, wanted=lambda process: True):
        """Live processes on this host, without the one that keeps it."""
        everybody = processes.all_processes()
        return [p for p in everybody if self.holds(p) and p.alive and p.pid != self.keeper.pid and wanted(p)]


class ThisHost:
    """The machine as it is, behind the same interface: for tests that need no second host."""

    def __init__(self, scratch):
        self.scratch = scratch
        self.name = socket.gethostname()
        self.address = "127.0.0.1"
        self.hosts = [self]
        self.environment = base_environment(scratch)
        self.fixtures = processes.named()

    head = property(lambda self: self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def popen(self, words, directory=None, **how):
        return subprocess.Popen(list(words), cwd=directory or self.scratch, **how)

    def strangers(self):
        """Live processes that a test started, or that fell to the shelter's keeper."""
        mine = os.getpid()
        return [p for p in processes.tree_below(os.getppid()) if p.pid != mine and not self.fixtures(p)]

    def processes(self, wanted=lambda process: True):
        return [p for p in self.strangers() if wanted(p)]


class Cluster:
    """`count` hosts n1, n2, ... A context manager; programs run on `head`, which is n1."""

    def __init__(self, scratch, count):
        self.scratch = scratch
        self.names = [f"n{k}" for k in range(1, count + 1)]
        self.environment = base_environment(scratch)
        self.environment.update(
            OMPI_ALLOW_RUN_AS_ROOT="1",
            OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
            OMPI_MCA_plm_rsh_agent=self.agent,
            HYDRA_LAUNCHER="rsh",
            HYDRA_LAUNCHER_EXEC=self.agent,
        )
        self.fixtures = processes.named()
        self.services = contextlib.ExitStack()  # daemons for a whole file; ended before the hosts
        self.hosts = []

    @property
    def agent(self):
        return os.path.join(self.scratch, "remote_shell")

    @property
    def agent_log(self):
        return self.agent + ".log"

    @property
    def head(self):
        return self.hosts[0]

    def host(self, name):
        return self.hosts[self.names.index(name)]

    def __enter__(self):
        try:
            for number, name in enumerate(self.names, 1):
                self.hosts.append(Host(name, f"{NETWORK}.{number}", self.scratch, self._hosts_file(name)))
            self._join()
            self._write_agent()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.services.close()
        for process in self.strangers():
            processes.send(process.pid, 9)
        for host in self.hosts:
            host.keeper.kill()
            host.keeper.wait()
            host.keeper.stdout.close()

    def _hosts_file(self, own):
        path = os.path.join(self.scratch, f"hosts.{own}")
        with open(path, "w", encoding="ascii") as file:
            file.write(f"127.0.0.1 localhost\n127.0.1.1 {own}\n")
            for number, name in enumerate(self.names, 1):
                if name != own:
                    file.write(f"{NETWORK}.{number} {name}\n")
        return path

    def _join(self):
        links = ["link set lo up", "link add rc0 type bridge", "link set rc0 up"]
        for number, host in enumerate(self.hosts, 1):
            links.append(f"link add v{number} type veth peer name eth0 netns {host.keeper.pid}")
            links.append(f"link set v{number} master rc0 up")
        _ip_batch([], links)
        for host in self.hosts:
            address = f"address add {host.address}/24 dev eth0"
            _ip_batch(host.entering(), ["link set lo up", address, "link set eth0 up"])

    def _write_agent(self):
        """A remote shell as ssh is one: the words are joined and given to a shell there, without our environment."""
        kept = " ".join(f"{k}='{v}'" for k, v in base_environment(self.scratch).items())
        cases = "\n".join(f"  {h.name}) set -- {' '.join(h.entering())} ;;" for h in self.hosts)
        script = f"""#!/bin/sh
# remote_shell HOST [--] COMMAND...
while :; do case $1 in -l) shift 2 ;; -*) shift ;; *) break ;; esac; done
host=$1; shift; [ "${{1-}}" != -- ] || shift; command=$*
case $host in
{cases}
  *) echo "remote_shell: no host $host" >&2; exit 255 ;;
esac
echo "$$ $host $command" >>{self.agent_log}
exec "$@" env -i {kept} sh -c "$command"
"""
        with open(self.agent, "w", encoding="utf-8") as file:
            file.write(script)
        os.chmod(self.agent, stat.S_IRWXU)

    def strangers(self):
        """Live processes that a test started: all but the hosts' keepers, the test and its fixtures (daemons)."""
        known = {h.keeper.pid for h in self.hosts} | {os.getpid()}
        return [p for p in processes.tree_below(os.getppid()) if p.pid not in known and not self.fixtures(p)]

    def processes(self, wanted=lambda process: True):
        """Live processes on any host."""
        return [p for host in self.hosts for p in host.processes(wanted)]

    def host_of(self, process):
        return next((h.name for h in self.hosts if h.holds(process)), "none")

    def cut(self, name):
        """Takes the host off the network, without a word to either side."""
        _ip_batch([], [f"link set v{self.names.index(name) + 1} down"])

    def mend(self, name):
        _ip_batch([], [f"link set v{self.names.index(name) + 1} up"])
        wait_until(lambda: self._reaches(name), f"{name} to answer again", 10)

    def _reaches(self, name):
        """True once the bridge forwards to that host again: a port that refuses us is an answer."""
        probe = (
            "import socket, sys; s = socket.socket(); s.settimeout(0.3)\n"
            "sys.exit(s.connect_ex((sys.argv[1], 9)) != 111)"
        )
        there = self.host(name) if name != self.head.name else self.hosts[1]
        asked_from = self.head if name != self.head.name else self.host(name)
        return asked_from.run([sys.executable, "-c", probe, there.address]).returncode == 0


def _ip_batch(entering, lines):
    words, text = entering + ["ip", "-batch", "-"], "\n".join(lines) + "\n"
    done = subprocess.run(words, input=text, text=True, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f"ip: {done.stderr}")
