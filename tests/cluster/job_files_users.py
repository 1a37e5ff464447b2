"""Files of jobs (bsub -f) of two users whom MUNGE names: a file is read and written by its user's right, on both hosts."""

import os

from users import ALICE, BOB, Users, group_of, unwrapped
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until


def write(path, text, user, mode):
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, mode), "w", encoding="ascii") as file:
        file.write(text)
    os.chown(path, user, group_of(user))


def test_a_file_is_copied_by_its_users_right(bench):
    needs_users()
    users = Users(bench)
    with users.batch as batch:
        alices, bobs = users.places[ALICE], users.places[BOB]
        write(f"{alices}/own", "of Alice\n", ALICE, 0o600)
        write(f"{bobs}/secret", "of Bob\n", BOB, 0o600)
        job = users.bsub(ALICE, "id -u; cat there; cp there back", "-m", "n2", "-o", "out", "-K", "-f", "own > there", "-f", "returned < back")
        expect_equal(open(f"{alices}/out", encoding="utf-8").read().splitlines()[:2], [str(ALICE), "of Alice"], f"job {job}")
        for name in ("there", "returned"):
            facts = os.stat(f"{alices}/{name}")
            expect_equal((facts.st_uid, facts.st_gid, facts.st_mode & 0o777), (ALICE, group_of(ALICE), 0o600), name)
        theft = users.bsub(ALICE, "cat stolen", "-m", "n2", "-o", "theft.out", "-f", f"{bobs}/secret > stolen")
        wait_until(lambda: "it cannot be read" in unwrapped(batch, theft), lambda: unwrapped(batch, theft), 30)
        batch.good("bkill", str(theft))
        expect(not os.path.exists(f"{alices}/stolen"), "Bob's file with Alice")
        into = users.bsub(ALICE, "true", "-m", "n2", "-o", "into.out", "-e", "into.err", "-K", "-f", f"{bobs}/planted < own")
        expect_in("cannot write it", open(f"{alices}/into.err", encoding="utf-8").read(), f"job {into}")
        expect_equal(sorted(os.listdir(bobs)), ["secret"], "Bob's directory")
    bench.saw("Alice's file goes and returns as hers; Bob's is neither read nor joined by another")


main(hosts=2, patience=10)
