"""What users and administrators of the consumer have of borrowed hosts: lsload, interactive jobs, and what their queues say of jobs there."""

import json
import os
import pwd

from rollcall_testing.batch_cluster import QUEUES
from rollcall_testing.cluster_links import Cut, Reset
from rollcall_testing.federation import ALICE, BOB, Federation
from rollcall_testing.files import read
from rollcall_testing.interactive import Bsub, alice_line, expect_a_job_outlives_its_terminal
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.terminal import PROMPT, Shell
from rollcall_testing.waiting import wait_until

BORROWS = QUEUES + "Begin Queue\nQUEUE_NAME = borrow\nPRIORITY = 40\nHOSTS = allremote\nEnd Queue\n"
LENDS = "Begin HostExport\nPER_HOST = n2\nSLOTS = 2\nDISTRIBUTION = ([west, 1])\nEnd HostExport\n"
PARAMS = "MC_RUSAGE_UPDATE_INTERVAL = 1"


def two(bench):
    clusters = Federation(bench, {"west": ("n1",), "east": ("n2",)}, queues={"west": BORROWS}, params={"west": PARAMS, "east": PARAMS},
                          slots={"west": 4, "east": 1})
    clusters["east"].write_batch("lsb.resources", LENDS)
    return clusters


def shown(side):
    return lambda: f"{side.user('bhosts', '-w').stdout}\n{side.logs_text()}"


def loads(side, *names):
    return json.loads(side.good("lsload", "-json", *names))["RECORDS"]


def test_lsload_shows_borrowed_hosts_with_the_age_of_their_values(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        expect_in("n2@east: no lease of this cluster has this host now", west.user("lsload", "n2@east").stderr, "before the lease is made")
        west.wait_for(west.bsub("true", "-q", "borrow", "-o", "/dev/null"), "DONE")
        wait_until(lambda: loads(west, "n2@east")[0]["STATUS"] == "ok", lambda: f"{loads(west, 'n2@east')} {shown(west)()}", 30)
        row = loads(west, "n2@east")[0]
        expect_equal(row["HOST_NAME"], "n2@east", "lsload -json in west")
        there = loads(east, "n2")[0]
        expect(row["LOAD"]["mem"] and abs(row["LOAD"]["mem"] - there["LOAD"]["mem"]) < 0.5 * there["LOAD"]["mem"], f"memory: {row} {there}")
        expect(0 <= row["AGE_MS"]["mem"] < 120_000, f"ages: {row['AGE_MS']}")
        table = west.good("lsload", "n1", "n2@east").splitlines()
        expect_equal(table[0].split()[-1], "age", "the last column")
        expect_equal([line.split()[:2] for line in table[1:]], [["n1", "ok"], ["n2@east", "ok"]], "a host of ours and a borrowed one")
        expect(len(table[2].split()) == len(table[0].split()) and table[2].split()[-1].isdigit(), f"the age in seconds: {table[2]}")
        expect_equal(west.good("lsload", "-o", "host_name delimiter=','", "all@east").splitlines()[1:], ["n2@east"], "all@east")
        expect_equal(west.good("lsload", "-R", "mem>999999999", "n2@east").splitlines()[1:], [], "a requirement that it does not meet")
        expect_in("-n is for hosts of this cluster", west.user("lsload", "-n", "1", "n2@east").stderr, "lsload -n")
        facts = json.loads(west.good("lshosts", "-json", "n1", "n2@east"))["RECORDS"]
        expect_equal([one["HOST_NAME"] for one in facts], ["n1", "n2@east"], "lshosts in west")
        expect_equal(facts[0].keys(), facts[1].keys(), "what lshosts tells of each")
        cut = Cut(bench, list(clusters.members.values()), (west, east))
        cut.begin()
        west.wait_for_connection("east", ": not connected")
        expect_equal(loads(west, "n2@east")[0]["STATUS"], "unavail", "while the clusters are cut off")
        cut.end()
        west.wait_for_connection("east")
        wait_until(lambda: loads(west, "n2@east")[0]["STATUS"] == "ok", lambda: f"{loads(west, 'n2@east')}", 30)
    bench.saw("values, ages and status, and what a cut does to them")


def test_the_provider_alone_shuts_its_hosts_down(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        west.wait_for(west.bsub("true", "-q", "borrow", "-o", "/dev/null"), "DONE")
        for order in ("hshutdown", "hrestart"):
            done = west.user("badmin", order, "-f", "n2@east")
            expect(done.returncode != 0, f"{order} in west: {done.stdout}{done.stderr}")
        expect_equal(east.host_row("n2")[1], "ok", "bhosts in east")
        west.wait_for(west.bsub("true", "-q", "borrow", "-o", "/dev/null"), "DONE")
        east.good("badmin", "hshutdown", "-f", "n2")
        wait_until(lambda: west.host_row("n2@east")[1] == "unreach", shown(west), 60)
        east.start_daemon("res", "n2")
        west.wait_for(west.bsub("true", "-q", "borrow", "-o", "/dev/null"), "DONE")
    bench.saw("refused there, done here, and seen there")


def test_interactive_jobs_run_on_borrowed_hosts(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        done = west.run("bsub", "-I", "-q", "borrow", "cat; echo err >&2; hostname; exit 5", input="line 1\nline 2")
        expect_equal(done.returncode, 5, f"exit code; {done.stderr} {west.logs_text()}")
        expect_equal(done.stdout, "Job <1> is submitted to queue <borrow>.\nline 1\nline 2n2\n", "standard output")
        expect_in("err\n", done.stderr, "standard error apart")
        expect_in("<<Starting on n2@east>>\n", done.stderr, "where")
        expect_equal(west.wait_for(1, "DONE", "EXIT"), "EXIT", "for bjobs too")
        with Shell(west.environment(), "/") as shell:
            shell.type(f"{alice_line(west)} PS1='remote ' bsub -Is -q borrow /bin/sh")
            shell.wait_for("<<Starting on n2@east>>", 60)
            shell.type("tty; echo on $(hostname)")
            shell.wait_for("/dev/pts/", 20)
            shell.wait_for("on n2", 20)
            shell.type("exit 7")
            shell.wait_for(PROMPT, 30)
            expect_equal(shell.exit_code(), 7, "exit code of -Is")
        waited = west.run("bsub", "-K", "-q", "borrow", "-o", "/dev/null", "exit 3")
        expect_equal(waited.returncode, 3, f"exit code of -K: {waited.stdout}{waited.stderr}")
        expect_in("<<Job is finished>>", waited.stdout + waited.stderr, "-K")
        long = Bsub(west, "-I", "-q", "borrow", "echo begun; exec sleep 1000")
        long.output.next()
        expect_equal(long.output.next(), "begun\n", "its output")
        west.run("bkill", "4")
        expect_equal(long.wait(60), 130, "the exit code of one that was killed")
        west.wait_for(4, "EXIT")
        east.wait_for(east.jobs()[-1], "EXIT")
    bench.saw("-I, -Is, -K and a kill")


def test_a_cut_ends_the_terminal_and_the_job_goes_on(bench):
    place = bench.fresh_directory("place")
    os.chmod(place, 0o1777)
    with two(bench) as clusters:
        said = expect_a_job_outlives_its_terminal(clusters["west"], clusters["east"], place, "-q", "borrow")
    bench.saw(said.splitlines()[-1])


def test_the_queue_of_the_consumer_dresses_jobs_on_borrowed_hosts(bench):
    place = bench.fresh_directory("place")
    os.chmod(place, 0o1777)
    with open(f"{place}/starter", "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\nid -un >>{place}/started\nexec \"$@\"\n")
    os.chmod(f"{place}/starter", 0o755)
    note = f"(id -un; hostname; echo $LSB_QUEUE) >>{place}/"
    dressed = (f"Begin Queue\nQUEUE_NAME = dressed\nPRIORITY = 40\nHOSTS = allremote\nPRE_EXEC = {note}pre\nPOST_EXEC = {note}post\n"
               f"JOB_STARTER = {place}/starter\nNICE = 7\nDJOB_COMMFAIL_ACTION = KILL_TASKS\n"
               f"JOB_CONTROLS = SUSPEND[id -un >>{place}/suspended] TERMINATE[id -un >>{place}/terminated; kill -9 $LSB_JOBPIDS]\nEnd Queue\n")
    here, there = (pwd.getpwuid(user).pw_name for user in (ALICE, BOB))
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        west.write_batch("lsb.queues", BORROWS + dressed)
        for side, row in ((west, f"{here} {there}@east export"), (east, f"{there} {here}@west import")):
            side.write_batch("lsb.users", f"Begin UserMap\nLOCAL REMOTE DIRECTION\n{row}\nEnd UserMap\n")
            side.good("badmin", "reconfig", "-f")
        job = west.bsub(f"echo $LSB_DJOB_COMMFAIL_ACTION $(nice) >{place}/ran; sleep 1000", "-q", "dressed", "-o", "/dev/null")
        west.wait_for(job, "RUN")
        wait_until(lambda: os.path.exists(f"{place}/ran") and read(f"{place}/ran"), lambda: f"the job's line {shown(west)()}", 30)
        expect_equal(read(f"{place}/ran"), "KILL_TASKS 7\n", "DJOB_COMMFAIL_ACTION and NICE of the queue in west")
        west.run("bstop", str(job))
        wait_until(lambda: os.path.exists(f"{place}/suspended") and read(f"{place}/suspended"), lambda: f"SUSPEND {shown(west)()}", 30)
        west.run("bkill", str(job))
        west.wait_for(job, "EXIT")
        wait_until(lambda: os.path.exists(f"{place}/post") and read(f"{place}/post").count("\n") == 3, lambda: f"POST_EXEC {shown(west)()}", 30)
        for name in ("pre", "post", "started", "suspended", "terminated"):
            expect_equal(read(f"{place}/{name}").splitlines()[0], there, f"whose {name} it is")
        for name in ("pre", "post"):
            expect_equal(read(f"{place}/{name}").splitlines()[1:], ["n2", "dressed@west"], f"where {name} ran")
    bench.saw("starter, hooks and controls, as the mapped user")


def test_orders_wait_until_the_provider_is_connected(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        job = west.bsub("sleep 1000", "-q", "borrow", "-o", "/dev/null")
        west.wait_for(job, "RUN")
        there = east.jobs()[-1]
        cut = Reset(bench, list(clusters.members.values()), (west, east))
        waits = f"Job <{job}>: the order waits until cluster <east> is connected\n"

        def ordered_in_a_cut(*orders):
            cut.begin()
            wait_until(lambda: ": connected" not in west.standing("east"), lambda: west.standing("east"), 60)
            before = east.field(there)
            for command, done, what in orders:
                expect_equal(west.run(command, str(job)).stdout, f"Job <{job}> is being {done}\n{waits}", command)
                expect_in(west.field(job), (before, "UNKWN", "ZOMBI"), f"the state after {command} is what is known")
                order = f"The order {what} the job waits until cluster <east> is connected"
                expect_in(order, west.user("bjobs", "-l", "-UF", str(job)).stdout, "bjobs -l")
                expect_in(f": {order};\n", west.user("bhist", "-l", str(job)).stdout.replace("\n                     ", ""), "bhist -l")
            expect_equal(east.field(there), before, "where it runs")
            cut.end()
            west.wait_for_connection("east")

        ordered_in_a_cut(("bstop", "stopped", "to stop"))
        expect("WAITING ORDERS" not in west.user("bjobs", "-l", "-UF", str(job)).stdout, "an order waits while east is connected")
        west.wait_for(job, "USUSP")
        east.wait_for(there, "USUSP")
        ordered_in_a_cut(("bresume", "resumed", "to resume"))
        west.wait_for(job, "RUN")
        east.wait_for(there, "RUN")
        ordered_in_a_cut(("bstop", "stopped", "to stop"), ("bresume", "resumed", "to resume"), ("bkill", "terminated", "to kill"))
        west.wait_for(job, "EXIT")
        east.wait_for(there, "EXIT")
        expect_in("TERM_OWNER", west.field(job, "exit_reason"), "bjobs in west")
    bench.saw("the state as it is known, and each order carried out when east was back")


def requires(_):
    needs_users()


if __name__ == "__main__":
    main(hosts=2, requires=requires)
