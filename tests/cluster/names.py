"""Hosts whose user databases differ: users are known by name; a uid that belongs to another user elsewhere gives no right there.

n1 has the machine's own accounts. On n2 games has another number, its number on n1 is mallory's, and news is unknown.
"""

import os

from users import ALICE, BOB, Users, group_of, name_of, unwrapped
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

MOVED = 4005  # what games is on n2


def give_other_numbers(bench, host):
    path = os.path.join(bench.scratch, "passwd.other")
    with open("/etc/passwd", encoding="utf-8") as old, open(path, "w", encoding="utf-8") as new:
        for line in old:
            words = line.rstrip("\n").split(":")
            if words[0] == name_of(ALICE):
                new.write(":".join([words[0], "x", str(MOVED), *words[3:]]) + "\n")
                new.write(f"mallory:x:{ALICE}:{group_of(ALICE)}::/tmp:/bin/sh\n")
            elif words[0] != name_of(BOB):
                new.write(":".join(words) + "\n")
    os.chmod(path, 0o644)
    mounted = bench.cluster.host(host).run(["mount", "--bind", path, "/etc/passwd"])
    expect_equal(mounted.returncode, 0, f"/etc/passwd of {host}: {mounted.stderr}")


def test_a_job_runs_as_its_users_name(bench):
    needs_users()
    users = Users(bench)
    give_other_numbers(bench, "n2")
    place = bench.fresh_directory("shared")
    os.chmod(place, 0o1777)
    with users.batch as batch:
        ran = users.bsub(ALICE, f"(id -u; id -un) >{place}/ran", "-m", "n2", "-cwd", place, "-o", "/dev/null")
        batch.wait_for(ran, "DONE", "EXIT")
        seen = open(f"{place}/ran", encoding="utf-8").read().split()
        expect_equal(seen, [str(MOVED), name_of(ALICE)], "whose the job is on n2")

        # n2 does not have this name: the job must not run there under the number alone.
        unknown = users.bsub(BOB, f"id >{place}/unknown", "-m", "n2", "-cwd", place, "-o", "/dev/null")
        wait_until(lambda: f'n2: this host has no user "{name_of(BOB)}"' in unwrapped(batch, unknown),
                   lambda: f"the reason: {unwrapped(batch, unknown)}\n{batch.logs_text()}", 30)
        expect_equal(batch.field(unknown), "PEND", "the job of an unknown name")
        expect(not os.path.exists(f"{place}/unknown"), "nothing of it has run")
        batch.good("bkill", str(unknown))

        job = users.bsub(ALICE, "echo hers; sleep 1000", "-m", "n2", "-cwd", place, "-o", f"{place}/out")
        batch.wait_for(job, "RUN")
        for words in (["bpeek", str(job)], ["env", f"LSB_JOBID={job}", "LSB_JOBINDEX=0", "LSB_HOSTS=n2", "LSB_MCPU_HOSTS=n2 1",
                                            "blaunch", "n2", "id"]):
            done = batch.user("setpriv", f"--reuid={ALICE}", f"--regid={group_of(ALICE)}", "--clear-groups", "--", *words, host="n2",
                              env=batch.environment(HOME="/tmp", USER="mallory", LOGNAME="mallory"))
            expect(done.returncode != 0 and "hers" not in done.stdout and "uid=" not in done.stdout, f"{words} of mallory: {done}")
        done = batch.user("setpriv", f"--reuid={ALICE}", f"--regid={group_of(ALICE)}", "--clear-groups", "--", "lsrun", "-L", "-m", "n2",
                          "id", "-un", host="n2", env=batch.environment(HOME="/tmp", USER="mallory", LOGNAME="mallory"))
        expect_equal(done.stdout.strip(), "mallory", f"a task of lsrun is the one's who asks: {done.stderr}")
        expect_equal(batch.field(job), "RUN", "the job")
        batch.good("bkill", str(job))
        batch.wait_for(job, "EXIT")
    bench.saw("games' job on n2 is games' there and not mallory's, who has her number; news' job pends with the reason")


main(hosts=2, patience=10)
