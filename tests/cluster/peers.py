"""Two clusters of this host, west and east, with a key of their own: they connect, and stay apart where they must."""

import os
import re
import shutil
import subprocess

from rollcall_testing import documents
from rollcall_testing.own_cluster import OwnCluster
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

SECONDS = 60
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Pair:
    """A context manager: both clusters with their daemons, and one key. `dials`: the clusters that dial the other one. `keyed`: false
    where west has neither ROLLCALL_PEER_KEYS nor a key yet, nor ROLLCALL_PEERS."""

    def __init__(self, bench, dials, keyed=True):
        self.west, self.east = OwnCluster(bench, "west"), OwnCluster(bench, "east")
        self.port = {side: self.setting(side, "LSB_MBD_PORT") for side in self.sides()}
        for side, name, other in ((self.west, "west", "east"), (self.east, "east", "west")):
            shared = side.path("conf", "lsf.shared")
            with open(shared, encoding="ascii") as file:
                text = file.read()
            expect_in(f"{name}\n", text, "lsf.shared as setup makes it")
            with open(shared, "w", encoding="ascii") as file:
                file.write(text.replace(f"{name}\n", f"{name}\n{other}\n", 1))
            place = f"127.0.0.1:{self.port[self.other(side)]}" if name in dials else "none"
            if keyed or side is self.east:
                side.append("lsf.conf", f"ROLLCALL_PEER_KEYS={side.path('peers')}\nROLLCALL_PEERS={other}={place}\n")
        os.mkdir(self.east.path("peers"), 0o700)
        if not keyed:
            return
        made = self.west.good("lsf_daemons", "peerkey", "east")
        expect_in(f"made {self.west.path('peers', 'east')}; copy it", made, "peerkey")
        shutil.copy2(self.west.path("peers", "east"), self.east.path("peers", "west"))

    def sides(self):
        return self.west, self.east

    def other(self, side):
        return self.east if side is self.west else self.west

    @staticmethod
    def setting(side, name):
        with open(side.path("conf", "lsf.conf"), encoding="ascii") as file:
            return dict(line.rstrip("\n").split("=", 1) for line in file if "=" in line and not line.startswith("#"))[name]

    def __enter__(self):
        for side in self.sides():
            side.start()
        return self

    def __exit__(self, *_):
        for side in self.sides():
            side.run("lsf_daemons", "stop")

    @staticmethod
    def standing(side):
        """The line of showstatus for the other cluster."""
        return next((line for line in side.run("badmin", "showstatus").stdout.splitlines() if line.startswith("cluster ")), "")

    def expect_standing(self, side, words):
        wait_until(lambda: words in self.standing(side), lambda: f"{words}: {self.standing(side)}", SECONDS)

    def expect_connected(self):
        for side in self.sides():
            self.expect_standing(side, ": connected, term ")


def test_clusters_with_a_key_connect_whoever_dials(bench):
    for dials in (("west",), ("east",), ("west", "east")):
        with Pair(bench, dials) as pair:
            pair.expect_connected()
            for side in pair.sides():
                side.good("bsub", "-o", "/dev/null", "true")


def test_a_master_that_comes_again_is_connected_again(bench):
    with Pair(bench, ("west",)) as pair:
        pair.expect_connected()
        pair.east.good("lsf_daemons", "stop", "mbatchd")
        pair.expect_standing(pair.west, ": not connected: ")
        pair.east.good("lsf_daemons", "start", "mbatchd")
        pair.expect_connected()


def test_a_store_put_back_is_refused_until_an_administrator_says_so(bench):
    with Pair(bench, ("west",)) as pair:
        pair.expect_connected()
        pair.east.good("lsf_daemons", "stop", "mbatchd")
        shutil.copytree(pair.east.path("work"), pair.east.path("backup"))
        for _ in range(2):
            pair.east.good("lsf_daemons", "start", "mbatchd")
            pair.expect_connected()
            pair.east.good("lsf_daemons", "stop", "mbatchd")
            pair.expect_standing(pair.west, ": not connected: ")
        shutil.rmtree(pair.east.path("work"))
        shutil.copytree(pair.east.path("backup"), pair.east.path("work"))
        pair.east.good("lsf_daemons", "start", "mbatchd")
        pair.expect_standing(pair.west, ": refused: cluster east has a store that was put back to an older state")
        pair.expect_standing(pair.east, ": refused: it refuses us: ")
        done = pair.west.run("badmin", "hforget", "@nobody", "-f")
        expect(done.returncode != 0, f"a cluster that is not there: {done.stdout}")
        pair.west.good("badmin", "hforget", "-f", "@east")
        pair.expect_connected()


def test_a_key_is_changed_while_both_run(bench):
    with Pair(bench, ("west", "east")) as pair:
        pair.expect_connected()
        for side, name in ((pair.west, "east"), (pair.east, "west")):
            if side is pair.west:
                expect_in("/east.next; copy it", side.good("lsf_daemons", "peerkey", name), "the successor")
            else:
                shutil.copy2(pair.west.path("peers", "east.next"), side.path("peers", "west.next"))
            side.good("lsf_daemons", "restart", "mbatchd")
            pair.expect_connected()
        for side, name in ((pair.east, "west"), (pair.west, "east")):
            os.rename(side.path("peers", f"{name}.next"), side.path("peers", name))
            side.good("lsf_daemons", "restart", "mbatchd")
            pair.expect_connected()


def test_the_admin_guide_connects_two_clusters(bench):
    """The lines of "Other clusters" as they stand, but for the directories, the way to the other host and its port."""
    lines = [line.text for line in documents.commands(ROOT, set(os.listdir(bench.bin)))
             if (line.document, line.title) == ("admin.md", "Other clusters") and line.host]
    expect_equal(len(lines), 7, "lines that are prompted for")
    with Pair(bench, ("west",), keyed=False) as pair:
        for line in lines:
            there = re.sub(r"^ssh e1 (.*)/opt/rollcall", rf"\1{pair.east.top}", line).replace("e1:/opt/rollcall", pair.east.top)
            there = there.replace("=east=e1", f"=east=127.0.0.1:{pair.port[pair.east]}")
            typed = there.replace("scp -p", "cp -p").replace("/opt/rollcall", pair.west.top)
            done = subprocess.run(["sh", "-c", typed], cwd=pair.west.top, capture_output=True, text=True, timeout=120, check=False,
                                  env=dict(pair.west.environment, PATH=f"{bench.bin}:{os.environ['PATH']}"))
            expect_equal(done.returncode, 0, f"{line}: {done.stdout}{done.stderr}")
            if line == "badmin mbdrestart":  # "both"
                pair.east.good("badmin", "mbdrestart")
        pair.expect_connected()


def test_other_keys_and_wrong_words_are_told(bench):
    pair = Pair(bench, ("west",))
    expect_equal(pair.west.run("lsf_daemons", "peerkey").returncode, 2, "peerkey without a cluster")
    done = pair.west.run("lsf_daemons", "peerkey", "west")
    expect_in('found cluster "west", expected another one than west of lsf.shared', done.stderr, "its own name")
    os.remove(pair.east.path("peers", "west"))
    pair.east.good("lsf_daemons", "peerkey", "west")
    with pair:
        pair.expect_standing(pair.west, ": not connected: ")
        pair.expect_standing(pair.east, ": not connected")
        pair.east.append("lsf.conf", "ROLLCALL_PEERS=moon=here\n")
        expect_in("expected clusters of lsf.shared", pair.east.run("badmin", "ckconfig", "-v").stdout, "an unknown cluster")


if __name__ == "__main__":
    main()
