"""Two clusters of one ordinary user on one machine: a job goes from one to the other where the receiving cluster allows it."""

import os
import shutil

from rollcall_testing.federation import ALICE
from rollcall_testing.own_cluster import OwnCluster
from rollcall_testing.runner import expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

SEND = "Begin Queue\nQUEUE_NAME = send\nHOSTS = none\nSNDJOBS_TO = receive@east\nEnd Queue\n"
RECEIVE = "Begin Queue\nQUEUE_NAME = receive\nRCVJOBS_FROM = west\nEnd Queue\n"


def user():
    """Root is no ordinary user."""
    return ALICE if os.geteuid() == 0 else None


def port_of(side):
    with open(side.path("conf", "lsf.conf"), encoding="ascii") as file:
        return next(line.split("=")[1].strip() for line in file if line.startswith("LSB_MBD_PORT="))


def know_each_other(west, east):
    for one, other in ((west, "east"), (east, "west")):
        path = one.path("conf", "lsf.shared")
        with open(path, encoding="ascii") as file:
            text = file.read()
        with open(path, "w", encoding="ascii") as file:
            file.write(text.replace("End Cluster", f"{other}\nEnd Cluster", 1))
    for one, name, other in ((west, "east", east), (east, "west", west)):
        one.append("lsf.conf", f'ROLLCALL_PEER_KEYS={one.path("keys")}\nROLLCALL_PEERS="{name}={other.host}:{port_of(other)}"\n')
    west.good("lsf_daemons", "peerkey", "east")
    shutil.copytree(west.path("keys"), east.path("keys"))
    os.rename(east.path("keys", "east"), east.path("keys", "west"))
    for path in (east.path("keys"), east.path("keys", "west")):
        shutil.copystat(west.path("keys", "east") if path.endswith("west") else west.path("keys"), path)
        if user() is not None:
            os.chown(path, user(), -1)
    west.append("lsbatch/west/configdir/lsb.queues", SEND)
    east.append("lsbatch/east/configdir/lsb.queues", RECEIVE)


def test_jobs_of_one_user_cross_where_the_receiving_cluster_allows_it(bench):
    with OwnCluster(bench, "west", user()) as west, OwnCluster(bench, "east", user()) as east:
        know_each_other(west, east)
        for one in (west, east):
            one.start()
        job = west.submit("-q", "send", "true")
        words = "ROLLCALL_GUEST_OWN_USER=Y"
        wait_until(lambda: words in west.run("bjobs", "-p", str(job)).stdout,
                   lambda: west.run("bjobs", "-l", str(job)).stdout + west.logs() + east.logs(), 60)
        line = west.run("bjobs", "-p", "--no-why", str(job)).stdout
        expect_in("Not forwarded to queue <receive> of cluster <east>: it has refused jobs of user ", line, "bjobs -p")
        expect_in(" in this MBD_SLEEP_TIME: mbatchd there is run by user ", line, "bjobs -p")
        east.append("lsf.conf", "ROLLCALL_GUEST_OWN_USER=Y\n")
        east.good("badmin", "reconfig", "-f")
        wait_until(lambda: west.job_status(job) == "DONE",
                   lambda: west.run("bjobs", "-l", str(job)).stdout + west.logs() + east.logs(), 90)
        expect_equal(west.run("bjobs", "-a", "-noheader", "-o", "forward_cluster", str(job)).stdout, "east\n", "where it ran")


if __name__ == "__main__":
    main()
