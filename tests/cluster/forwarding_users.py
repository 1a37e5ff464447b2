"""Jobs whose user has another name in the cluster that runs them (UserMap of lsb.users): as whom they run, who sees and commands them."""

import os
import pwd

from rollcall_testing.federation import ALICE, BOB, Federation
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

SENDS = """Begin Queue
QUEUE_NAME = send
PRIORITY = 30
SNDJOBS_TO = receive@east
HOSTS = none
End Queue
"""
RECEIVES = """Begin Queue
QUEUE_NAME = receive
PRIORITY = 30
RCVJOBS_FROM = west
{more}
End Queue
"""
MAP = "Begin UserMap\nLOCAL REMOTE DIRECTION\n{rows}\nEnd UserMap\n"
PARAMS = "MC_PLUGIN_UPDATE_INTERVAL = 1\nMC_RUSAGE_UPDATE_INTERVAL = 1\nMC_PENDING_REASON_UPDATE_INTERVAL = 1"
HERE, THERE = pwd.getpwuid(ALICE).pw_name, pwd.getpwuid(BOB).pw_name


def two(bench, west_rows, east_rows, more="", apart=()):
    clusters = Federation(bench, {"west": ("n1",), "east": ("n2",)}, slots={"east": 4}, params={"west": PARAMS, "east": PARAMS},
                          queues={"west": SENDS, "east": RECEIVES.format(more=more)}, apart=apart)
    clusters["west"].write_batch("lsb.users", MAP.format(rows=west_rows))
    clusters["east"].write_batch("lsb.users", MAP.format(rows=east_rows))
    return clusters


def shared(bench):
    """A directory where the accounts of both clusters may write."""
    path = bench.fresh_directory("shared")
    os.chmod(path, 0o1777)
    return path


def contents(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def long_form(side, job):
    return side.user("bjobs", "-l", "-UF", str(job)).stdout


def wait_for_reason(side, job, words):
    wait_until(lambda: words in long_form(side, job), lambda: f"{words}: {long_form(side, job)}\n{side.logs_text()}", 60)


def test_a_job_runs_as_the_user_that_both_clusters_say(bench):
    with two(bench, f"{HERE} (nobody@east {THERE}@east) export", f"({THERE} mail) {HERE}@west import") as clusters:
        west, east = clusters["west"], clusters["east"]
        place = shared(bench)
        job = west.bsub(f"id -un >{place}/who; echo $USER $HOME >>{place}/who", "-q", "send", "-o", f"{place}/out")
        west.wait_for(job, "DONE")
        expect_equal(contents(f"{place}/who"), f"{THERE}\n{THERE} {pwd.getpwuid(BOB).pw_dir}\n", "the account and its home")
        expect_equal(os.stat(f"{place}/out").st_uid, BOB, "owner of the output")
        bench.saw(contents(f"{place}/who").splitlines()[0])


def test_both_sides_show_both_names_and_each_user_commands_their_own(bench):
    with two(bench, f"{HERE} {THERE}@east export", f"{THERE} {HERE}@west import") as clusters:
        west, east = clusters["west"], clusters["east"]
        job = west.bsub("sleep 100", "-q", "send", "-o", "/dev/null")
        west.wait_for(job, "RUN")
        there = west.field(job, "dstjobid")
        expect_equal((west.field(job, "user"), east.field(there, "user")), (HERE, THERE), "bjobs -o user")
        expect_in(f"User <{HERE}>, Mapped to <{THERE}@east>", long_form(west, job), "bjobs -l in west")
        expect_in(f"User <{THERE}>, Mapped from <{HERE}@west>", long_form(east, there), "bjobs -l in east")
        expect_in("User permission denied", denied(east.run("bkill", there, user=ALICE)), "the submission user's name, in east")
        expect_in("User permission denied", denied(west.run("bkill", str(job), user=BOB)), "the mapped user's name, in west")
        expect_equal(east.field(there), "RUN", "it runs on")
        west.run("bstop", str(job))
        east.wait_for(there, "USUSP")
        west.run("bresume", str(job))
        east.wait_for(there, "RUN")
        expect_equal(east.run("bkill", there, user=BOB).returncode, 0, "the mapped user ends it in east")
        west.wait_for(job, "EXIT")
        again = west.bsub("sleep 100", "-q", "send", "-o", "/dev/null")
        west.wait_for(again, "RUN")
        expect_equal(west.run("bkill", str(again)).returncode, 0, "the submission user ends it in west")
        west.wait_for(again, "EXIT")


def denied(done):
    expect(done.returncode != 0, f"not refused: {done.stdout}")
    return done.stdout + done.stderr


def test_a_map_of_one_side_alone_or_to_root_keeps_the_job_pending(bench):
    with two(bench, f"{HERE} {THERE}@east export", f"mail {THERE}@west import") as clusters:
        west, east = clusters["west"], clusters["east"]
        proposed = west.bsub("true", "-q", "send", "-o", "/dev/null")
        wait_for_reason(west, proposed, f"user {HERE}@west has no row in UserMap of lsb.users here (DIRECTION import)")
        expected = west.bsub("true", "-q", "send", "-o", "/dev/null", user=BOB)
        wait_for_reason(west, expected, f"accepts no account that west proposes for user {THERE}@west")
        expect_equal(east.jobs(), [], "jobs of east")
        east.write_batch("lsb.users", MAP.format(rows=f"root {HERE}@west import"))
        east.good("badmin", "reconfig", "-f")
        west.write_batch("lsb.users", MAP.format(rows=f"{HERE} root@east export"))
        west.good("badmin", "reconfig", "-f")
        west.run("bkill", str(proposed))
        root = west.bsub("true", "-q", "send", "-o", "/dev/null")
        wait_for_reason(west, root, "do not run as root or as an administrator")
        expect_equal([line for line in east.jobs("jobid user") if "root" in line], [], "jobs of root in east")
        west.wait_for(expected, "DONE")
        expect_equal(east.jobs("user"), [THERE], "who is in no row has one name in both clusters")


def test_hooks_and_limits_of_the_receiving_queue_are_the_mapped_users(bench):
    place = shared(bench)
    note = f"(id -un; echo $LSB_QUEUE) >>{place}/"
    with open(f"{place}/starter", "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\nid -un >>{place}/started\nexec \"$@\"\n")
    os.chmod(f"{place}/starter", 0o755)
    more = (f"PRE_EXEC = {note}pre\nPOST_EXEC = {note}post\nJOB_STARTER = {place}/starter\nNICE = 7\nRUNLIMIT = 10\n"
            f"JOB_CONTROLS = SUSPEND[id -un >>{place}/suspended]")
    with two(bench, f"{HERE} {THERE}@east export", f"{THERE} {HERE}@west import", more) as clusters:
        west, east = clusters["west"], clusters["east"]
        job = west.bsub(f"nice >{place}/nice; echo \"${{CUDA_VISIBLE_DEVICES-none}} $LSF_ENVDIR\" >{place}/env; sleep 100", "-q", "send",
                        "-o", "/dev/null")
        west.wait_for(job, "RUN")
        wait_until(lambda: os.path.exists(f"{place}/env") and contents(f"{place}/env"), "the job's line", 30)
        west.run("bstop", str(job))
        wait_until(lambda: os.path.exists(f"{place}/suspended") and contents(f"{place}/suspended"), "JOB_CONTROLS", 30)
        west.run("bkill", str(job))
        west.wait_for(job, "EXIT")
        wait_until(lambda: os.path.exists(f"{place}/post") and contents(f"{place}/post").count("\n") == 2, "POST_EXEC", 30)
        for name in ("pre", "post", "started", "suspended"):
            expect_equal(contents(f"{place}/{name}").splitlines()[0], THERE, name)
        expect_equal(contents(f"{place}/nice").strip(), "7", "NICE of the receiving queue")
        expect_equal(contents(f"{place}/env").split(), ["none", east.conf], "LSF_ENVDIR of the executing cluster, no devices")
        long = west.bsub("true", "-q", "send", "-W", "600", "-o", "/dev/null")
        wait_for_reason(west, long, "RUNLIMIT")
        expect_equal(len(east.jobs()), 1, "jobs of east")


def test_files_and_bpeek_are_the_submitters_where_another_user_runs_the_job(bench):
    with two(bench, f"{HERE} {THERE}@east export", f"{THERE} {HERE}@west import", apart=("n2",)) as clusters:
        west, east = clusters["west"], clusters["east"]
        home, place = west.places[ALICE], shared(bench)
        for name, text in (("in", "brought\n"), ("sent", "there\n")):
            with open(f"{home}/{name}", "w", encoding="utf-8") as file:
                file.write(text)
            os.chown(f"{home}/{name}", ALICE, -1)
        job = west.bsub(f"cat; id -un; cat {place}/sent; echo back >{place}/made; echo wrong >&2; touch {place}/begun;"
                        f" while [ ! -e {place}/go ]; do sleep 0.1; done; echo last; while [ ! -e {place}/end ]; do sleep 0.1; done", "-q", "send", "-i", "in", "-o", "out", "-e", "err",
                        "-f", f"sent > {place}/sent", "-f", f"got < {place}/made")
        wait_until(lambda: os.path.exists(f"{place}/begun"), lambda: f"the job to begin: {long_form(west, job)} {west.logs_text()}", 60)
        west.wait_for(job, "RUN")
        expect_equal(west.run("bpeek", str(job)).stdout,
                     f"<< output from stdout >>\nbrought\n{THERE}\nthere\n\n<< output from stderr >>\nwrong\n", "bpeek of the submitter")
        there = west.field(job, "dstjobid")
        expect_in("no such job of yours runs in cluster east", denied(west.run("bpeek", str(job), user=BOB)), "the mapped user's name, in west")
        expect_in(f"brought\n{THERE}\n", east.user("bpeek", there, as_user=BOB).stdout, "the mapped user, in east")
        expect(east.user("bpeek", there, as_user=ALICE).returncode != 0, "the submitter's name, in east")
        west.run("sh", "-c", f"(bpeek -f {job}; echo code $?) >followed 2>&1 </dev/null &")
        wait_until(lambda: "there" in contents(f"{home}/followed"), lambda: f"bpeek -f to begin: {contents(f'{home}/followed')}")
        open(f"{place}/go", "w").close()
        wait_until(lambda: "last" in contents(f"{home}/followed"), lambda: f"bpeek -f to go on: {contents(f'{home}/followed')}", 60)
        open(f"{place}/end", "w").close()
        expect_equal(west.wait_for(job, "DONE", "EXIT"), "DONE", f"{long_form(west, job)} {west.logs_text()}")
        wait_until(lambda: "\ncode " in contents(f"{home}/followed"), lambda: f"bpeek -f to end: {contents(f'{home}/followed')}", 60)
        followed = contents(f"{home}/followed")  # with the report where the job's host wrote it before bpeek's last look
        expect("there\nlast\n" in followed and followed.endswith("\ncode 0\n"), followed)
        expect(contents(f"{home}/out").startswith(f"brought\n{THERE}\nthere\nlast\n"), contents(f"{home}/out"))
        expect_equal(contents(f"{home}/err"), "wrong\n", "-e")
        expect_equal(contents(f"{home}/got"), "back\n", "-f back")
        expect_equal([os.stat(f"{home}/{name}").st_uid for name in ("out", "err", "got")], [ALICE] * 3, "whose the files are")
        expect_equal(os.stat(f"{place}/sent").st_uid, BOB, "whose the file is that was sent there")
        # What the mapped user may read where it runs is no right on the submission host, and the other way round.
        os.chmod(f"{home}/in", 0)
        closed = west.bsub("cat", "-q", "send", "-i", "in", "-o", "out2")
        expect_equal(west.wait_for(closed, "DONE", "EXIT"), "EXIT", "an input that the submitter may not read")
    bench.saw(f"{HERE}'s files, {THERE}'s processes")


def requires(_):
    needs_users()


if __name__ == "__main__":
    main(hosts=2, requires=requires)
