"""Jobs of two users besides root, whom MUNGE names: each acts on their own, and nothing of theirs is touched as root."""

import os
import pwd
import secrets
import shutil
import stat
import subprocess

from rollcall_testing import processes, shelter
from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.runner import Skip, expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

ALICE, BOB = 5, 9  # games and news: accounts of every Debian that own nothing; their groups differ from their numbers
HOSTS = ("n1", "n2")


def needs(bench):
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
    out = open(os.path.join(directory, "out"), "wb")
    daemon = bench.cluster.head.popen(words, env=bench.cluster.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    out.close()
    bench.cluster.services.callback(lambda: (daemon.kill(), daemon.wait()))
    wait_until(lambda: os.path.exists(there["socket"]), "munged's socket")
    return there["socket"]


class Users:
    """A batch system whose daemons are root's, and a directory for each user."""

    def __init__(self, bench):
        self.bench = bench
        self.socket = start_munged(bench)
        bench.cluster.fixtures = processes.named("munged")
        os.chmod(bench.scratch, 0o755)
        self.batch = BatchCluster(bench, HOSTS, more_conf=f"ROLLCALL_MUNGE_SOCKET={self.socket}")
        os.remove(os.path.join(self.batch.conf, "cluster.key"))
        self.batch.good("lsf_daemons", "init")  # with the public half, which users read
        self.places = {}
        for user in (ALICE, BOB):
            self.places[user] = bench.fresh_directory(f"user{user}")
            os.chown(self.places[user], user, group_of(user))
            os.chmod(self.places[user], 0o700)

    def run(self, user, *words, **how):
        name = name_of(user)
        environment = self.batch.environment(HOME=self.places[user], USER=name, LOGNAME=name)
        line = ["setpriv", f"--reuid={user}", f"--regid={group_of(user)}", "--init-groups", "--", "sh", "-c",
                'cd "$HOME" && exec "$@"', "sh", *words]
        return self.batch.user(*line, env=environment, **how)

    def bsub(self, user, command, *options):
        done = self.run(user, "bsub", *options, command)
        expect_equal(done.returncode, 0, f"bsub as {user}: {done.stderr}\n{self.batch.logs_text()}")
        return int(done.stdout.split("<")[1].split(">")[0])


def name_of(user):
    return pwd.getpwuid(user).pw_name


def group_of(user):
    return pwd.getpwuid(user).pw_gid


def unwrapped(batch, job):
    return batch.user("bjobs", "-UF", str(job)).stdout


def test_a_job_is_its_users_and_so_is_all_it_touches(bench):
    needs(bench)
    users = Users(bench)
    with users.batch as batch:
        place = users.places[ALICE]
        job = users.bsub(ALICE, "id -u; id -g; id -G; umask; pwd; echo secret >made; env | grep -c MUNGE", "-o", "out", "-n", "1")
        batch.wait_for(job, "DONE", "EXIT")
        lines = open(f"{place}/out", encoding="utf-8").read().splitlines()
        expect_equal(lines[:2], [str(ALICE), str(group_of(ALICE))], "user and group of the job")
        expect("0" not in lines[2].split(), f"groups {lines[2]}")
        expect_equal(lines[4], place, "its directory")
        for name in ("out", "made"):
            facts = os.stat(f"{place}/{name}")
            expect_equal((facts.st_uid, facts.st_gid), (ALICE, group_of(ALICE)), f"owner of {name}")
        expect_equal(batch.field(job, "user"), name_of(ALICE), "whose it is, as MUNGE says")
    bench.saw("user, group, groups, directory and files are the user's")


def test_a_user_acts_on_their_own_jobs_alone(bench):
    needs(bench)
    users = Users(bench)
    with users.batch as batch:
        job = users.bsub(ALICE, "echo mine; sleep 1000", "-o", "out")
        batch.wait_for(job, "RUN")
        for words in (("bkill",), ("bstop",), ("brequeue",), ("bkill", "-s", "USR1"), ("bmod", "-J", "x"), ("bswitch", "priority"),
                      ("btop",)):
            done = users.run(BOB, *words, str(job))
            expect(done.returncode != 0, f"{words} of a stranger: {done.stdout}{done.stderr}")
        expect_equal(batch.field(job, "stat job_name").split()[0], "RUN", "what strangers have done to it")
        peeked = users.run(BOB, "bpeek", str(job))
        expect("mine" not in peeked.stdout, f"bpeek of a stranger: {peeked.stdout}")
        refused = users.run(BOB, "badmin", "qclose", "normal")
        expect(refused.returncode != 0, "badmin by a user")
        expect_in(f"<{job}>", users.run(BOB, "bjobs", "-u", "all").stdout.replace(str(job), f"<{job}>"), "everybody sees it")
        hidden = users.run(BOB, "bjobs", "-l", str(job)).stdout
        expect("HOME=" not in hidden, "another's environment")
        expect_equal(users.run(ALICE, "bkill", str(job)).returncode, 0, "its owner")
        batch.wait_for(job, "EXIT")
        second = users.bsub(BOB, "sleep 1000", "-o", "/dev/null")
        batch.wait_for(second, "RUN")
        batch.good("bkill", str(second))
        batch.wait_for(second, "EXIT")
        wait_until(lambda: "TERM_ADMIN" in batch.good("bhist", "-l", str(second)) + batch.good("bjobs", "-l", str(second)),
                   "the administrator named as who ended it")
    bench.saw("seven requests, bpeek and badmin refused; owner and root may")


def test_paths_of_a_user_are_touched_as_the_user(bench):
    needs(bench)
    users = Users(bench)
    with users.batch as batch:
        place = users.places[ALICE]
        roots = os.path.join(bench.scratch, "roots_file")
        with open(roots, "w", encoding="ascii") as file:
            file.write("untouched\n")
        os.chmod(roots, 0o600)
        os.symlink(roots, f"{place}/out")
        job = users.bsub(ALICE, "echo over", "-o", "out")
        wait_until(lambda: "Could not be started: cannot open" in unwrapped(batch, job), lambda: unwrapped(batch, job))
        expect_equal(open(roots, encoding="ascii").read(), "untouched\n", "root's file behind a user's link")
        bobs = users.places[BOB]
        into = users.bsub(ALICE, "echo over", "-o", f"{bobs}/out")
        wait_until(lambda: "Could not be started: cannot open" in unwrapped(batch, into), lambda: unwrapped(batch, into))
        batch.good("bkill", str(job), str(into))
        expect_equal(os.listdir(bobs), [], "another user's directory")
        for directory, folders, files in os.walk(batch.work):
            for name in folders + files:
                facts = os.lstat(os.path.join(directory, name))
                readable = name in ("lsb.events", "lsb.acct", "logdir", "test") or name.startswith(("lsb.events", "lsb.acct"))
                expect(readable or not facts.st_mode & stat.S_IROTH, f"{directory}/{name} is for everybody: {facts.st_mode:o}")
    bench.saw("a link to root's file and another's directory are not written; the store is root's alone")


def test_blaunch_is_for_the_jobs_owner(bench):
    needs(bench)
    users = Users(bench)
    with users.batch as batch:
        job = users.bsub(ALICE, "for h in $(sort -u $LSB_DJOB_HOSTFILE); do blaunch $h 'hostname; id -u'; done; sleep 1000", "-n", "2", "-R",
                         "span[ptile=1]", "-o", "out")
        batch.wait_for(job, "RUN")
        place = users.places[ALICE]
        seen = lambda: open(f"{place}/out", encoding="utf-8").read().splitlines() if os.path.exists(f"{place}/out") else []
        wait_until(lambda: len(seen()) >= 4, lambda: f"two hosts: {seen()}\n{batch.logs_text()}", 30)
        expect_equal(seen()[:4], ["n1", str(ALICE), "n2", str(ALICE)], "where and as whom")
        stranger = users.run(BOB, "env", f"LSB_JOBID={job}", "LSB_JOBINDEX=0", "LSB_HOSTS=n1 n2", "LSB_MCPU_HOSTS=n1 1 n2 1",
                             "blaunch", "n2", "id -u")
        expect(stranger.returncode != 0 and str(ALICE) not in stranger.stdout, f"a stranger in the job: {stranger}")
        users.run(ALICE, "bkill", str(job))
        batch.wait_for(job, "EXIT")
    bench.saw("tasks on both hosts are the user's; a stranger with the job's number gets none")


if __name__ == "__main__":
    main(hosts=2, patience=10)
