"""What a job in another cluster reads and writes: shown and brought to where it was submitted, by way of the two masters."""

import os

from rollcall_testing.federation import ALICE, BOB, Federation
from rollcall_testing.files import read
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

SENDS = "Begin Queue\nQUEUE_NAME = send\nPRIORITY = 30\nSNDJOBS_TO = receive@east\nHOSTS = none\nEnd Queue\n"
RECEIVES = "Begin Queue\nQUEUE_NAME = receive\nPRIORITY = 30\nRCVJOBS_FROM = west\nEnd Queue\n"


def two(bench, **how):
    return Federation(bench, {"west": ("n1",), "east": ("n2",)}, slots={"east": 4}, queues={"west": SENDS, "east": RECEIVES},
                      params={"west": "DEFAULT_QUEUE = send"}, **how)


def begun(west, job, name="begun"):
    wait_until(lambda: os.path.exists(f"{west.places[ALICE]}/{name}"), lambda: f"the job to begin: {west.logs_text()}")
    west.wait_for(job, "RUN")


def test_bpeek_shows_what_the_job_has_written_in_the_other_cluster(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        job = west.bsub("echo first; head -c 200000 /dev/zero | tr '\\0' x; echo; echo wrong >&2; touch begun; sleep 1000", "-e", "err.%J")
        begun(west, job)
        expect_equal(west.run("bpeek", str(job)).stdout,
                     "<< output from stdout >>\nfirst\n" + "x" * 200_000 + "\n\n<< output from stderr >>\nwrong\n", "bpeek")
        other = west.run("bpeek", str(job), user=BOB)
        expect_equal((other.returncode, other.stdout), (255, ""), "bpeek of another user")
        expect_in("no such job of yours runs in cluster east", other.stderr, "bpeek of another user")
        expect_in("first\n", west.user("bpeek", str(job)).stdout, "bpeek of root")
        east.kill_daemon("mbatchd", "n2")
        wait_until(lambda: ": connected" not in west.standing("east"), lambda: west.standing("east"), 60)
        away = west.run("bpeek", str(job))
        expect_equal(away.returncode, 255, "while the other master is away")
        expect_in("cluster east is not connected", away.stderr, "while the other master is away")
        east.start_daemon("mbatchd", "n2")
        west.wait_for_connection("east")
        west.run("bkill", str(job))
        west.wait_for(job, "EXIT")
    bench.saw("both streams, 200 KB, others refused, a master that is away named")


def test_bpeek_follows_a_job_through_the_death_of_a_master(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        home = west.places[ALICE]
        job = west.bsub("echo first; touch begun; while [ ! -e go ]; do sleep 0.1; done; echo last; while [ ! -e end ]; do sleep 0.1; done")
        begun(west, job)
        west.run("sh", "-c", f"(bpeek -f {job}; echo code $?) >followed 2>&1 </dev/null &")
        followed = lambda: read(f"{home}/followed")
        wait_until(lambda: "first" in followed(), lambda: f"bpeek -f to begin: {followed()}")
        east.kill_daemon("mbatchd", "n2")
        wait_until(lambda: "Please wait" in followed(), lambda: f"bpeek -f to wait: {followed()}", 60)
        east.start_daemon("mbatchd", "n2")
        west.wait_for_connection("east")
        open(f"{home}/go", "w").close()
        wait_until(lambda: "last" in followed(), lambda: f"bpeek -f to go on: {followed()}", 60)
        open(f"{home}/end", "w").close()
        west.wait_for(job, "DONE")
        wait_until(lambda: "code" in followed(), lambda: f"bpeek -f to end: {followed()}", 60)
        shown = [line for line in followed().splitlines() if "Please wait" not in line]
        expect_equal(shown, ["<< output from stdout >>", "first", "last", "code 0"], "what it showed")
    bench.saw("each line once")


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chown(path, ALICE, -1)


def test_input_and_output_are_those_of_the_submission_without_a_shared_home(bench):
    with two(bench, apart=("n2",)) as clusters:
        west = clusters["west"]
        home = west.places[ALICE]
        write(f"{home}/in", "brought\n")
        for _ in range(2):  # -o and -e append
            job = west.bsub("cat; hostname; head -c 300000 /dev/zero | tr '\\0' x; echo; echo wrong >&2", "-i", "in", "-o", f"{home}/out",
                            "-e", "err")
            west.wait_for(job, "DONE", "EXIT")
        out = read(f"{home}/out")
        expect(out.startswith("brought\nn2\n" + "x" * 300_000 + "\n") and "\n------" in out, f"out: {out[:40]} {west.logs_text()}")
        expect_equal(out.count("brought\nn2\nxxx"), 2, "both, one after the other")
        expect_equal(out.count("Successfully completed."), 2, "reports")
        expect_equal(read(f"{home}/err"), "wrong\nwrong\n", "-e")
        expect_equal(os.stat(f"{home}/out").st_uid, ALICE, "whose it is")
        job = west.bsub("echo anew", "-oo", "out", "-J", "arr[2]")
        west.wait_for(job, "DONE")
        expect(read(f"{home}/out").startswith("anew\n"), "-oo")
        job = west.bsub("echo %J", "-o", "numbered.%J.%I", "-J", "arr[3]")
        west.wait_for(job, "DONE")
        expect(os.path.exists(f"{home}/numbered.{job}.3"), f"numbers: {os.listdir(home)}")
        job = west.bsub("cat >ran", "-i", "none", "-o", "out2")
        expect_equal(west.wait_for(job, "DONE", "EXIT"), "EXIT", "without its input")
        said = west.user("bjobs", "-l", "-UF", str(job)).stdout
        expect_in(f"-i: n1:{home}/none: cannot read it: there is no such file", said, "why")
        expect("the output" not in said, f"its output is not to blame: {said}")
        expect_in("there is no such file; the job was not run.", read(f"{home}/out2"), "the report")
    bench.saw("-i, -o, -e, -oo, %J and %I; a missing input named")


def test_transfers_cross_without_a_shared_home_and_leave_a_shared_file_alone(bench):
    with two(bench, apart=("n2",)) as clusters:
        west = clusters["west"]
        home, there = west.places[ALICE], bench.fresh_directory("there")
        os.chmod(there, 0o777)
        write(f"{home}/in", "brought\n")
        write(f"{home}/log", "first\n")
        write(f"{there}/same", "shared\n")
        job = west.bsub(f"cat {there}/in >{there}/out; echo second >{there}/log", "-o", "/dev/null", "-f", f"in > {there}/in",
                        "-f", f"out.%J < {there}/out", "-f", f"log << {there}/log", "-f", f"{there}/same >< {there}/same")
        expect_equal(west.wait_for(job, "DONE", "EXIT"), "DONE", west.logs_text())
        expect_equal(read(f"{home}/out.{job}"), "brought\n", "what came back")
        expect_equal(read(f"{home}/log"), "first\nsecond\n", "what was added")
        expect_equal(read(f"{there}/same"), "shared\n", "what both see")
        job = west.bsub("true", "-o", "/dev/null", "-f", f"none > {there}/x")
        wait_until(lambda: "cannot copy n1@west:" in west.user("bjobs", "-l", "-UF", str(job)).stdout,
                   lambda: west.user("bjobs", "-l", "-UF", str(job)).stdout + west.logs_text(), 30)
        west.run("bkill", str(job))
    bench.saw("there, back, added, shared; a missing file named")


def test_output_waits_for_the_master_and_is_kept_where_it_cannot_be_returned(bench):
    with two(bench, apart=("n2",)) as clusters:
        west, east = clusters["west"], clusters["east"]
        home, there = west.places[ALICE], bench.fresh_directory("there")
        os.chmod(there, 0o777)
        job = west.bsub(f"touch {there}/begun; while [ ! -e {there}/go ]; do sleep 0.1; done; head -c 1000000 /dev/zero | tr '\\0' y; touch {there}/done",
                        "-o", "late")
        wait_until(lambda: os.path.exists(f"{there}/begun"), west.logs_text)
        west.kill_daemon("mbatchd", "n1")
        open(f"{there}/go", "w").close()
        wait_until(lambda: os.path.exists(f"{there}/done"), east.logs_text)
        west.start_daemon("mbatchd", "n1")
        west.wait_for_connection("east")
        west.wait_for(job, "DONE", seconds=90)
        expect(read(f"{home}/late").startswith("y" * 1_000_000), "all of it is there")
        os.mkdir(f"{home}/closed", 0o700)  # root's
        job = west.bsub("echo kept", "-o", f"{home}/closed/out")
        west.wait_for(job, "DONE", "EXIT")
        said = west.user("bjobs", "-l", "-UF", str(job)).stdout
        expect_in(" on n2, cluster west did not take it: lsrcp: @:output: cannot write it", said, "why")
        path = said.split("the output is in ")[1].split(" on n2")[0]
        expect_in("kept\n", read(path), path)
        os.remove(path)
    bench.saw("1 MB behind the death of a master; what cannot be returned is kept and named")


def test_files_of_a_submission_are_for_the_user_of_the_job_alone(bench):
    with two(bench, apart=("n2",)) as clusters:
        west, east = clusters["west"], clusters["east"]
        write(f"{west.places[ALICE]}/in", "secret\n")
        there = bench.fresh_directory("there")
        os.chmod(there, 0o777)
        # The job tries what its submission does not name.
        job = west.bsub(f"exec >{there}/said 2>&1; for f in errors f0 f9 ../in; do lsrcp @:$f {there}/got; lsrcp {there}/said @:$f; done;"
                        f" lsrcp {there}/said @:input; echo $ROLLCALL_LOCAL_JOBID >{there}/id; touch {there}/begun; sleep 1000",
                        "-i", "in", "-o", "/dev/null")
        wait_until(lambda: os.path.exists(f"{there}/begun"), lambda: west.logs_text())
        said = read(f"{there}/said")
        expect_equal(said.count("the job has no such file to read or to write"), 7, f"refusals: {said}")
        expect_equal(read(f"{west.places[ALICE]}/in"), "secret\n", "the input")
        expect(not os.path.exists(f"{there}/got"), "nothing was read")
        number = read(f"{there}/id").strip()
        for user, words in ((BOB, "no such job of yours"), (0, "no such job of yours")):
            done = east.user("sh", "-c", f"ROLLCALL_LOCAL_JOBID={number} lsrcp @:input {there}/stolen{user}", as_user=user)
            expect_equal(done.returncode, 1, f"of user {user}: {done.stderr}")
            expect_in(words, done.stderr, f"of user {user}")
        west.run("bkill", str(job))
        west.wait_for(job, "EXIT")
        late = east.user("sh", "-c", f"ROLLCALL_LOCAL_JOBID={number} lsrcp @:input {there}/late", as_user=ALICE)
        expect_in("the job is over", late.stderr, "behind its end")
    bench.saw("7 refusals of the submission, another user, root, and a job that is over")


def requires(_):
    needs_users()


if __name__ == "__main__":
    main(hosts=2, requires=requires)
