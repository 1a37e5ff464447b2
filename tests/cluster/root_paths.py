"""Root's daemons start only where every directory on the way to what they execute or believe is root's alone."""

import os
import shutil

from rollcall_testing import shelter
from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.runner import Skip, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

OTHER = 5  # games


def needs_root():
    if os.geteuid() != 0 or not shelter.users_are_the_machines():
        raise Skip("only root can give files to other users")


def refused(batch, program):
    done = batch.user(os.path.join(batch.etc, program), timeout=30)
    expect_equal(done.returncode, 1, f"{program}: {done.stdout}{done.stderr}")
    return done.stderr


def test_a_daemon_of_roots_names_the_directory_that_others_may_change(bench):
    needs_root()
    os.chmod(bench.scratch, 0o755)
    batch = BatchCluster(bench, ("n1",))
    named = [(program, path) for program in ("lim", "res", "mbatchd") for path in (batch.top, batch.conf, batch.etc)]
    named += [("res", batch.spool), ("mbatchd", batch.work), ("mbatchd", batch.configdir)]
    for program, path in named:
        os.chmod(path, 0o777)
        expect_in(f"{path}: may be written by others than root (mode 0777, group 0), expected by root alone: root believes it",
                  refused(batch, program), f"{program} with an open {path}")
        os.chmod(path, 0o755)
        os.chown(path, OTHER, 0)
        said = refused(batch, program)
        expect_in(f"{path}: belongs to user {OTHER}, expected root: root believes it", said, f"{program} with another's {path}")
        expect_in("give it to root, or name its owner in /etc/rollcall/trusted_owners", said, "what to do")
        os.chown(path, 0, 0)
    bench.saw(f"{len(named)} directories refused by lim, res and mbatchd")


def test_a_program_of_another_owner_is_not_executed(bench):
    needs_root()
    os.chmod(bench.scratch, 0o755)
    batch = BatchCluster(bench, ("n1",))
    with batch:
        shepherd = os.path.join(batch.etc, "shepherd")
        real = os.path.realpath(shepherd)
        os.remove(shepherd)
        shutil.copy(real, shepherd)
        batch.good("lsadmin", "resrestart", "n1")
        batch.wait_for_hosts()
        batch.wait_for(batch.bsub("true"), "DONE")
        os.chown(shepherd, OTHER, 0)
        job = batch.bsub("true")
        told = f"{shepherd}: belongs to user {OTHER}, expected root: root would execute it"
        wait_until(lambda: told in batch.daemon_log_text("res", "n1", 100000), batch.logs_text, 30)
        os.chown(shepherd, 0, 0)
        batch.user("bkill", str(job))
    bench.saw("a shepherd that another user owns is not executed, and the log says whose it is")


def test_a_file_of_roots_names_owners_and_the_log_repeats_what_that_means(bench):
    needs_root()
    os.chmod(bench.scratch, 0o755)
    batch = BatchCluster(bench, ("n1",))
    etc = bench.fresh_directory("machines_etc")  # a host of the test has mounts of its own
    for words in (("cp", "-a", "/etc/.", etc), ("mount", "--bind", etc, "/etc")):
        batch.good(*words)
    os.chmod(etc, 0o755)
    os.makedirs(f"{etc}/rollcall", exist_ok=True)
    trusted, there = "/etc/rollcall/trusted_owners", f"{etc}/rollcall/trusted_owners"
    with open(there, "w", encoding="ascii") as file:
        file.write("# the site's administrator\nuser games\n")
    for path in (batch.etc, batch.conf, batch.top):
        os.chown(path, OTHER, 0)
    with batch:
        batch.wait_for(batch.bsub("true"), "DONE")
        for program in ("res", "mbatchd"):
            expect_in(f"{trusted} trusts user games: whoever can act as this user", batch.daemon_log_text(program, "n1"), program)
        expect_in(f"{trusted} trusts user games", batch.log_text("n1"), "lim")
    os.chown(there, OTHER, 0)
    expect_in(f"{trusted}: belongs to user {OTHER}, expected root: it says whom root trusts", refused(batch, "res"), "another's file")
    os.chown(there, 0, 0)
    with open(there, "w", encoding="ascii") as file:
        file.write("games\n")
    expect_in(f'{trusted}:1: found "games", expected user NAME or group NAME', refused(batch, "res"), "a malformed file")
    bench.saw("a tree of its administrator's serves, and each daemon's log says what it means")


main(hosts=1, patience=10)
