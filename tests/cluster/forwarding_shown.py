"""What users and administrators are shown of forwarding: why clusters and queues refuse, where jobs and elements of arrays are, the report."""

import os
import re
import shutil
import signal

from rollcall_testing.federation import ALICE, Federation
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

SENDS = """Begin Queue
QUEUE_NAME = send
SNDJOBS_TO = receive@east
HOSTS = none
End Queue
Begin Queue
QUEUE_NAME = lost
SNDJOBS_TO = nowhere@east
HOSTS = none
End Queue
Begin Queue
QUEUE_NAME = both
SNDJOBS_TO = nowhere@east
End Queue
"""
RECEIVES = """Begin Queue
QUEUE_NAME = receive
RCVJOBS_FROM = west
End Queue
"""
NOWHERE = RECEIVES.replace("receive", "nowhere")
PARAMS = "MC_PLUGIN_UPDATE_INTERVAL = 1\nMC_RUSAGE_UPDATE_INTERVAL = 1"


def two(bench, **how):
    how.setdefault("slots", {"west": 0, "east": 1})
    return Federation(bench, {"west": ("n1",), "east": ("n2",)}, queues={"west": SENDS, "east": RECEIVES},
                      params={"west": PARAMS + "\nDEFAULT_QUEUE = send", "east": PARAMS}, **how)


def row(side, queue):
    """The words of the queue's line of bclusters -l: what stands in STATUS, and what behind AGE."""
    line = next((line for line in side.good("bclusters", "-l").splitlines() if line.startswith(queue + " ")), "")
    found = re.match(r"\S+ +\S+ +\S+ +\S+ +(\S+)(?: +\S+){9} *(.*)", line)
    return found.groups() if found else (line, "")


def wait_for_row(side, queue, status, words=""):
    wait_until(lambda: row(side, queue)[0] == status and words in row(side, queue)[1],
               lambda: f"{queue} of {side.cluster} to be {status}: {words}: {row(side, queue)}\n{side.logs_text()}", 60)


def restart(side):
    side.kill_daemon("mbatchd", side.names[0])
    side.start_daemon("mbatchd", side.names[0])


def test_a_queue_that_rejects_jobs_is_named_with_the_reason(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        wait_for_row(west, "send", "ok")
        wait_for_row(west, "lost", "reject", "it does not receive jobs of this cluster (RCVJOBS_FROM there)")
        expect_in("lost            send       nowhere    east       reject\n", west.good("bclusters"), "bclusters")
        jobs = [west.bsub("true", "-q", queue, "-o", "/dev/null") for queue in ("lost", "both")]
        line = " Not forwarded to queue <nowhere> of cluster <east>: it does not receive jobs of this cluster (RCVJOBS_FROM there);\n"
        wait_until(lambda: west.run("bjobs", "-p", "--no-why").stdout.count(line) == 2,
                   lambda: west.run("bjobs", "-p", "--no-why").stdout + west.logs_text(), 30)
        alone = west.run("bjobs", "-p", "--no-why", str(jobs[0])).stdout
        expect_equal(alone.splitlines()[2:], line.splitlines(), "the only reason where no host of this cluster counts")
        expect(len(west.run("bjobs", "-p", "--no-why", str(jobs[1])).stdout.splitlines()) > 3, "beside those of this cluster's hosts")
        expect_equal(east.jobs(), [], "nothing was offered")
        east.write_batch("lsb.queues", RECEIVES + NOWHERE)
        east.good("badmin", "reconfig", "-f")
        wait_for_row(west, "lost", "ok")
        for job in jobs:
            west.wait_for(job, "DONE")


# Figures are told each second here, and each takes a refusal of the queue back.
def test_a_closed_queue_is_offered_nothing_until_it_opens(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        wait_for_row(west, "send", "ok")
        east.good("badmin", "qclose", "receive")
        wait_for_row(west, "send", "closed", "it is closed in its cluster (badmin qopen there opens it)")
        expect_in("send            send       receive    east       closed\n", west.good("bclusters"), "bclusters")
        job = west.bsub("true", "-q", "send", "-o", "/dev/null")
        line = " Not forwarded to queue <receive> of cluster <east>: it is closed in its cluster (badmin qopen there opens it);\n"
        wait_until(lambda: line in west.run("bjobs", "-p", "--no-why").stdout, lambda: west.run("bjobs", "-p").stdout + west.logs_text(), 30)
        expect("orward" not in west.run("bhist", "-l", str(job)).stdout, "nothing was offered")
        east.good("badmin", "qopen", "receive")
        west.wait_for(job, "DONE")
        wait_for_row(west, "send", "ok")


def test_clusters_without_a_key_or_that_refuse_say_why(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        kept = os.path.join(bench.scratch, "kept")
        shutil.move(os.path.join(east.keys, "west"), kept)
        restart(east)
        wait_for_row(west, "send", "reject", "it does not take our call: it has no key for cluster west, or another one")
        wait_for_row(east, "receive", "reject", "no key (lsf_daemons peerkey west, then badmin mbdrestart)")
        expect_in("there is no key for cluster west, so it is not connected", east.daemon_log_text("mbatchd", "n2"), "log of east")
        wait_until(lambda: "cluster east is not reached: it does not take our call" in west.daemon_log_text("mbatchd", "n1"),
                   lambda: west.daemon_log_text("mbatchd", "n1"), 30)
        job = west.bsub("true", "-q", "send", "-o", "/dev/null")
        wait_until(lambda: "Not forwarded to queue <receive> of cluster <east>: its cluster is not connected" in west.run("bjobs", "-p").stdout,
                   lambda: west.run("bjobs", "-p").stdout, 30)
        shutil.move(kept, os.path.join(east.keys, "west"))
        restart(east)
        west.wait_for(job, "DONE")
        leave_west_out(east)
        restart(east)
        wait_for_row(west, "send", "reject", "or leaves that cluster out of its lsf.shared or RemoteClusters")
        expect_in("refused: it does not take our call", west.standing("east"), "badmin showstatus")


def leave_west_out(east):
    """Its key stays where mbatchd finds it, and mbatchd takes no call of west."""
    with open(os.path.join(east.conf, "lsf.cluster.east"), "a", encoding="utf-8") as file:
        file.write("Begin RemoteClusters\nCLUSTERNAME\neast\nEnd RemoteClusters\n")
    path = os.path.join(east.conf, "lsf.conf")
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("ROLLCALL_PEERS=")]
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines)


def test_commands_say_where_elements_and_jobs_are(bench):
    with two(bench) as clusters:
        west = clusters["west"]
        array = west.bsub("sleep 60", "-q", "send", "-J", "arr[1-4]", "-o", "/dev/null")
        waiting = lambda: west.run("bjobs", "-A", "-noheader").stdout.split()[4:8]
        wait_until(lambda: waiting() == ["3", "0", "1", "0"], lambda: west.run("bjobs", "-A").stdout + west.logs_text(), 60)
        lines = west.run("bjobs", "-fwd", str(array)).stdout.splitlines()
        expect_equal(lines[0], "JOBID   USER    STAT  QUEUE      EXEC_HOST   JOB_NAME   CLUSTER    FORWARD_TIME", "bjobs -fwd")
        expect_equal([line.split()[2] for line in lines[1:]], ["RUN", "PEND", "PEND", "PEND"], "states")
        expect_in("pending: 3\nrunning: 1\n", west.user("badmin", "showstatus").stdout, "badmin showstatus")
        expect(re.fullmatch(rf"{array} +games +RUN +send +n2@east +arr\[1\] +east +\w\w\w +\d+ \d\d:\d\d", lines[1]), lines[1])
        expect_in("-fwd cannot be combined with -A", west.run("bjobs", "-fwd", "-A").stderr, "as LSF has it")
        expect_in("Job waits in cluster east, which has an order of its own", said(west.run("btop", f"{array}[3]")), "btop")
        west.run("bkill", str(array))
        wait_until(lambda: not west.run("bjobs", "-noheader").stdout, lambda: west.run("bjobs").stdout, 60)


def test_a_command_that_waits_for_a_frozen_cluster_says_so(bench):
    """mbatchd of this cluster answers before its client gives up on it."""
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        first = west.bsub("sleep 60", "-q", "send", "-o", "/dev/null")
        west.wait_for(first, "RUN")
        job = west.bsub("true", "-q", "send", "-o", "/dev/null")
        wait_until(lambda: west.field(job, "dstjobid") not in ("", "-"), "it is accepted")
        expect_in("Job waits in cluster east, and is started there", said(west.user("brun", "-m", "n1", str(job))), "brun")
        east.send_daemon("mbatchd", "n2", signal.SIGSTOP)
        try:
            for words in (("bmod", "-J", "other", str(job)), ("bswitch", "lost", str(job))):
                done = west.run(*words)
                expect(done.returncode != 0, f"{words} of a job that is not here")
                expect_in("another cluster was asked to give a job back, and has not answered yet: no job is modified, "
                          "but that one will pend here again when the cluster answers; repeat the command then", said(done), words)
            expect_equal(west.field(job, "job_name"), "true", "the name")
        finally:
            east.send_daemon("mbatchd", "n2", signal.SIGCONT)
        west.run("bkill", str(first), str(job))
        for each in (first, job):
            west.wait_for(each, "EXIT")


def test_the_report_of_a_forwarded_job_names_both_clusters(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        east.run("bsub", "-o", "/dev/null", "-q", "receive", "true")  # so that the two ids differ
        job = west.bsub("true", "-q", "send", "-o", "report.%J")
        west.wait_for(job, "DONE")
        with open(f"{west.places[ALICE]}/report.{job}", encoding="utf-8") as file:
            report = file.read()
        expect_in(f"Subject: Job {job}: <true> in cluster <west> Done\n", report, "its id is the user's")
        expect_in("Job <true> was submitted from host <n1> by user <games> in cluster <west> at ", report, "where it was submitted")
        expect_in("Job was executed on host(s) <n2>, in queue <receive>, as user <games> in cluster <east> at ", report, "where it ran")


def said(done):
    return done.stdout + done.stderr


def requires(_):
    needs_users()


if __name__ == "__main__":
    main(hosts=2, requires=requires)
