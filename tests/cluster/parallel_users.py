"""Parallel jobs of two users on four hosts, and a munged that hangs or dies under them."""

import glob
import os
import re
import signal
import subprocess

from users import ALICE, BOB, Users, group_of, name_of
from rollcall_testing import processes
from rollcall_testing.files import read
from rollcall_testing.homes import give_homes
from rollcall_testing.munge import needs_users
from rollcall_testing.programs import notes_in
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

ALL = ("n1", "n2", "n3", "n4")


def exec_hosts(words):
    """The hosts of "2*n1:1*n3", one for each slot."""
    found = []
    for part in words.split(":"):
        count, _, host = part.rpartition("*")
        found += [host] * int(count or 1)
    return found


def test_ranks_are_on_the_hosts_that_the_job_was_given(bench):
    """Two users at a time, each with two jobs of each MPI, of five tasks: hosts differ in how many they get."""
    needs_users()
    os.chmod(bench.cluster.environment["TMPDIR"], 0o1777)  # where bsub gives an esub its files
    users = Users(bench, hosts=ALL, slots=4)
    give_homes(bench, users.places)
    with users.batch as batch:
        jobs = []
        for kind in ("openmpi", "mpich"):
            for user, where in ((ALICE, "n4 n2 n3"), (BOB, "n1 n3 n2")):
                place = os.path.join(users.places[user], kind)
                os.mkdir(place)
                os.chown(place, user, group_of(user))
                command = f"echo $LSB_HOSTS >{place}/hosts; mpirun.lsf {bench.mpi_target(kind)} {place} allreduce"
                job = users.bsub(user, command, "-n", "5", "-a", kind, "-R", "span[ptile=2]", "-m", where, "-o", f"{kind}.out")
                jobs.append((job, user, place, where))
        for job, user, place, where in jobs:
            batch.wait_for(job, "DONE", "EXIT", seconds=120)
            text = read(place + ".out")
            expect_equal(batch.field(job), "DONE", f"the end of {job}; {text}\n{batch.logs_text()}")
            expect_in("allreduce 15\n", text, "the sum")
            given = read(f"{place}/hosts").split()
            expect_equal(exec_hosts(batch.field(job, "exec_host")), given, f"bjobs and LSB_HOSTS of {job}")
            expect(set(given) == set(where.split()) and max(given.count(h) for h in given) == 2, f"asked for two of each: {given}")
            notes = notes_in(place)
            expect_equal([note.rank for note in notes], [0, 1, 2, 3, 4], f"ranks of {job}")
            expect_equal([note.host for note in notes], given, f"hosts of the ranks of {job}")
            table = re.findall(r"^(\d{5}) +(\w+) .* Done ", text, re.M)
            expect_equal(table, [(f"{rank:05}", host) for rank, host in enumerate(given)], f"pam's table of {job}: {text}")
            owners = {os.stat(os.path.join(place, name)).st_uid for name in os.listdir(place) if name.startswith("task.")}
            expect_equal(owners, {user}, f"whose the tasks of {job} were")
    bench.saw("four jobs of two users: every rank on the host of its slot, as LSB_HOSTS, bjobs and pam's table say")


def munged(bench, users):
    """Every test has one of its own; a thread of it is no process."""
    found = bench.cluster.processes(lambda p: p.name == "munged" and f"--socket={users.socket}" in p.words)
    return found[0] if found else None


def start_again(bench, words):
    daemon = bench.cluster.head.popen(words, env=bench.cluster.environment, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    bench.cluster.services.callback(lambda: (daemon.kill(), daemon.wait()))


def forget_ticket(users, user):
    kept = glob.glob(os.path.join(users.places[user], ".rollcall", "ticket.*"))
    expect_equal(len(kept), 1, f"tickets of {user}: {kept}")
    os.remove(kept[0])


def test_a_munged_that_hangs_or_dies_costs_no_job(bench):
    needs_users()
    users = Users(bench, hosts=ALL[:2], more_conf="ROLLCALL_TICKET_LIFE=300")
    with users.batch as batch:
        place = users.places[ALICE]
        before = users.bsub(ALICE, "until [ -e go ]; do sleep 0.1; done; exit 3", "-o", "out")
        batch.wait_for(before, "RUN")
        daemon = munged(bench, users)
        processes.send(daemon.pid, signal.SIGSTOP)
        his = users.begin(BOB, "bsub", "-o", "/dev/null", "exit 4")
        # mbatchd answers others while it asks munged for him: root has the key, and she has a ticket by now.
        roots = batch.bsub("exit 5", "-o", "/dev/null")
        batch.wait_for(roots, "EXIT")
        batch.wait_for(users.bsub(ALICE, "exit 6", "-o", "/dev/null"), "EXIT")
        expect(his.poll() is None, "he waits for munged")
        processes.send(daemon.pid, signal.SIGCONT)
        said, _ = his.communicate(timeout=120)
        expect(re.match(r"Job <\d+> is submitted", said), f"his, when munged goes on: {said}\n{batch.logs_text()}")
        processes.send(daemon.pid, signal.SIGKILL)
        wait_until(lambda: not munged(bench, users), "its end")
        forget_ticket(users, BOB)
        refused = users.run(BOB, "bsub", "true")
        expect(refused.returncode != 0 and refused.stdout == "", f"without munged: {refused}")
        expect_in("cannot authenticate you: MUNGE: munged does not answer", refused.stderr, "without munged")
        with open(os.path.join(place, "go"), "w", encoding="ascii"):
            pass
        batch.wait_for(before, "EXIT")
        expect_equal(batch.field(before, "exit_code"), "3", "a job that ran all the time")
        start_again(bench, daemon.words)
        wait_until(lambda: users.run(BOB, "bjobs", "-a").returncode == 0, "munged to answer again", 30)
        expect_equal(batch.field(users.bsub(BOB, "true", "-K", "-o", "/dev/null")), "DONE", "his job")
        mine = batch.user("bjobs", "-a", "-noheader", "-u", name_of(ALICE), "-o", "exit_code").stdout.split()
        expect_equal(sorted(mine), ["3", "6"], "hers, once each")
        his = batch.user("bjobs", "-a", "-noheader", "-u", name_of(BOB), "-o", "exit_code").stdout.split()
        expect_equal(sorted(his), ["-", "4"], "his, once each")
    bench.saw("root's job and one by a ticket ran while munged was stopped; his was accepted when it went on; one that ran was "
              "not touched by its end")


if __name__ == "__main__":
    main(hosts=4, patience=10)
