"""Homes of the test's users that they may write: pam keeps a key there."""

import os

from rollcall_testing.runner import expect_equal


def give_homes(bench, places, names=None):
    """`places`: directory by uid. /etc/passwd of every host, or of those that are named, says that the users live there."""
    path = os.path.join(bench.fresh_directory("homes"), "passwd")
    with open("/etc/passwd", encoding="utf-8") as old, open(path, "w", encoding="utf-8") as new:
        for line in old:
            words = line.rstrip("\n").split(":")
            if int(words[2]) in places:
                words[5:] = [places[int(words[2])], "/bin/sh"]
            new.write(":".join(words) + "\n")
    for host in bench.cluster.hosts if names is None else map(bench.cluster.host, names):
        mounted = host.run(["mount", "--bind", path, "/etc/passwd"])
        expect_equal(mounted.returncode, 0, f"/etc/passwd of {host.name}: {mounted.stderr}")
