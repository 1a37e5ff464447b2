"""Root's daemons start only where every directory on the way to what they execute or believe is root's alone."""

import os
import shutil

from rollcall_testing import processes, shelter
from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.runner import Skip, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

OTHER = 5  # games


def needs_root():
    if os.geteuid() != 0 or not shelter.users_are_the_machines():
        raise Skip("only root can give files to other users")


def refused(batch, program):
    done = batch.user(os.path.join(batch.etc, program), timeout=120)
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


def test_programs_and_files_are_checked_again_when_they_are_used(bench):
    """mbatchd executes itself anew, LIM starts MELIM, MELIM (root's here) starts elims; mbatchd reads its files anew."""
    needs_root()
    os.chmod(bench.scratch, 0o755)
    batch = BatchCluster(bench, ("n1",))
    for program in ("mbatchd", "melim"):
        real = os.path.realpath(f"{batch.etc}/{program}")
        os.remove(f"{batch.etc}/{program}")
        shutil.copy(real, f"{batch.etc}/{program}")
    with batch:
        os.chown(f"{batch.etc}/mbatchd", OTHER, 0)
        refused_by = lambda what, done: expect_in(f"{what}: belongs to user {OTHER}, expected root", done.stdout + done.stderr, what)
        refused_by(f"{batch.etc}/mbatchd", batch.user("badmin", "mbdrestart"))
        os.chown(f"{batch.etc}/mbatchd", 0, 0)
        with open(f"{batch.configdir}/lsb.applications", "w", encoding="ascii") as file:
            file.write("Begin Application\nNAME = fluent\nEnd Application\n")
        for name in ("lsb.queues", "lsb.applications"):  # both name what runs as other users
            os.chown(f"{batch.configdir}/{name}", OTHER, 0)
            for words in (("badmin", "reconfig"), ("badmin", "mbdrestart")):
                refused_by(f"{batch.configdir}/{name}", batch.user(*words))
            os.chown(f"{batch.configdir}/{name}", 0, 0)
        os.chmod(f"{batch.conf}/cluster.key", 0o644)
        done = batch.user("badmin", "mbdrestart")
        expect_equal(done.returncode, 255, f"mbdrestart with a key that others may read: {done}")
        expect_in("cluster.key", done.stdout + done.stderr, "why there is no restart")
        os.chmod(f"{batch.conf}/cluster.key", 0o600)
        batch.good("badmin", "reconfig")

        elim, melim = f"{batch.etc}/elim.scratch", f"{batch.etc}/melim"
        read = lambda name: open(f"{batch.logs}/{name}", encoding="utf-8", errors="replace").read()
        log = lambda: read("lim.log.n1") + read("melim.log.n1")
        for path, name in ((elim, "elim.scratch"), (melim, "melim")):
            os.chown(path, OTHER, 0)
            for process in bench.cluster.host("n1").processes(lambda p: name in " ".join(p.words)):
                processes.send(process.pid, 9)
            # Either check may report it first: that of the path before a start, or that of the server directory.
            told = (f"{path}: belongs to user {OTHER}, expected root", f"{name}: found owner {OTHER}, expected root")
            wait_until(lambda: any(line in log() for line in told), lambda: f"{path} in the log: {log()[-3000:]}", 30)
            os.chown(path, 0, 0)
        wait_until(lambda: bench.cluster.host("n1").processes(lambda p: "elim.scratch" in " ".join(p.words)), "the elim to run again", 30)
    bench.saw("mbatchd's program and files, its key, MELIM and an elim are checked each time")


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
