"""munged for a test cluster, and what a test of several users needs."""

import os
import secrets
import shutil
import subprocess

from rollcall_testing import shelter
from rollcall_testing.runner import Skip
from rollcall_testing.waiting import wait_until


def needs_users():
    if os.geteuid() != 0 or not shelter.users_are_the_machines():
        raise Skip("only root can act as other users")
    if not shutil.which("munged", path="/usr/sbin:/usr/bin"):
        raise Skip("munged is not installed (Debian package munge)")


def start_munged(bench):
    """One munged for all hosts, which share files; gives its socket."""
    directory = bench.fresh_directory("munge")
    os.chmod(directory, 0o755)
    key = os.path.join(directory, "key")
    with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
        file.write(secrets.token_bytes(128))
    there = {n: os.path.join(directory, n) for n in ("socket", "pid", "log", "seed")}
    words = ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={there['socket']}",
             f"--pid-file={there['pid']}", f"--log-file={there['log']}", f"--seed-file={there['seed']}"]
    with open(os.path.join(directory, "out"), "wb") as out:
        daemon = bench.cluster.head.popen(words, env=bench.cluster.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    bench.cluster.services.callback(lambda: (daemon.kill(), daemon.wait()))
    wait_until(lambda: os.path.exists(there["socket"]), "munged's socket")
    return there["socket"]
