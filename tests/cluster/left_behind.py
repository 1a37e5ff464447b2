"""Directories of jobs that are over, with what two users have left there: each user's part is removed as that user."""

import os
import shutil

from users import ALICE, BOB, HOSTS, Users, group_of
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

DEEP = """
import os
for i in range(5000):
    os.mkdir("d"); os.chdir("d")
"""
# The job's own part of its directory is the folder of its host file.
OWN = 'cd "$(dirname "$LSB_DJOB_HOSTFILE")"'


def directories_there(batch):
    """Those of jobs on both hosts, by name."""
    return {name: f"{batch.spool}/{host}/{name}" for host in HOSTS for name in os.listdir(f"{batch.spool}/{host}")
            if os.path.isdir(f"{batch.spool}/{host}/{name}")}


def shared_directory(users):
    """Alice's, where Bob may make files, next to the jobs: so it can be moved there."""
    shared = os.path.join(users.batch.spool, "shared")
    os.mkdir(shared)
    os.makedirs(f"{shared}/data/bobs")
    with open(f"{shared}/data/bobs/thesis", "w", encoding="ascii") as file:
        file.write("years of work\n")
    for path, user in ((shared, ALICE), (f"{shared}/data", ALICE), (f"{shared}/data/bobs", BOB), (f"{shared}/data/bobs/thesis", BOB)):
        os.chown(path, user, group_of(user))
    return shared


def test_what_a_user_moved_into_a_jobs_directory_is_not_removed_as_root(bench):
    needs_users()
    users = Users(bench)
    with users.batch as batch:
        roots = os.path.join(bench.scratch, "roots")
        os.mkdir(roots)
        open(f"{roots}/file", "w", encoding="ascii").close()
        shared = shared_directory(users)
        theft = users.bsub(ALICE, f"{OWN}; mv {shared}/data . && ln -s {roots} link && ln -s / data/root && mkdir -p mine/below", "-o", "out", "-m", "n1")
        batch.wait_for(theft, "DONE")
        deep = users.bsub(BOB, f"{OWN}; python3 -c '{DEEP}'; mkdir closed; touch closed/file; chmod 0 closed", "-o", "out", "-m", "n1")
        batch.wait_for(deep, "DONE")
        stays = f"gone.left.{theft}.0.1"
        wait_until(lambda: list(directories_there(batch)) == [stays],
                   lambda: f"all but Bob's files removed: {directories_there(batch)}\n{batch.logs_text()}", 30)
        own = directories_there(batch)[stays] + "/u"
        expect_equal(open(f"{own}/data/bobs/thesis", encoding="ascii").read(), "years of work\n", "Bob's file")
        expect_equal(os.listdir(own), ["data"], "what is Alice's is gone")
        expect(os.path.exists(f"{roots}/file"), "root's file behind a link")
        log = batch.logs_text()
        expect_in(f"{stays} stays: user {ALICE} could not remove what is in it", log, "log of RES")
        expect_in("data/bobs/thesis", log, "what stays, in the log")
        told = f"FILES OF ENDED JOBS COULD NOT BE REMOVED: 1 directory, {batch.spool}/n1/gone.left.*"
        shown = lambda: " ".join(batch.good("bhosts", "-l", "n1").split())
        wait_until(lambda: told in shown(), lambda: f"bhosts -l to say so: {shown()}\n{batch.logs_text()}")
        expect_in("data/bobs/thesis", shown(), "what stays, in bhosts -l")
        expect_in("files left behind on: n1\n", batch.good("badmin", "showstatus"), "showstatus")
        expect("COULD NOT BE REMOVED" not in batch.good("bhosts", "-l", "n2"), "nothing of n2")
        batch.good("lsadmin", "resrestart", "n1")
        wait_until(lambda: "1 directories of earlier jobs stay" in batch.logs_text(), batch.logs_text)
        expect_equal(list(directories_there(batch)), [stays], "what the next RES does with it")
        wait_until(lambda: told in shown(), lambda: f"bhosts -l to say so after RES was started anew: {shown()}")
        later = users.bsub(BOB, "true", "-o", "out", "-m", "n1")
        batch.wait_for(later, "DONE")
        shutil.rmtree(directories_there(batch)[stays])
        wait_until(lambda: "COULD NOT BE REMOVED" not in shown(), lambda: f"nothing to be told any more: {shown()}", 30)
    bench.saw("a directory of another's files stays and is named; links are not followed; 5,000 levels and a closed directory go; bhosts -l tells until it is removed")


main(hosts=2, patience=10)
