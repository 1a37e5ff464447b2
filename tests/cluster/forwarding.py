"""Jobs that one cluster forwards to another one's queue: where they run, what is shown on both sides, and that they run once."""

import json
import os
import re
import shlex

from rollcall_testing.batch_cluster import QUEUES
from rollcall_testing.federation import ALICE, BOB, Federation
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SENDS = """Begin Queue
QUEUE_NAME = send
PRIORITY = 30
SNDJOBS_TO = {to}
HOSTS = {hosts}
End Queue
"""
RECEIVES = """Begin Queue
QUEUE_NAME = receive
PRIORITY = 30
RCVJOBS_FROM = {of}
End Queue
"""
PARAMS = "MC_PLUGIN_UPDATE_INTERVAL = 1\nMC_RUSAGE_UPDATE_INTERVAL = 1\nMC_PENDING_REASON_UPDATE_INTERVAL = 1"


def two(bench, more_params=None, **how):
    how.setdefault("slots", {"east": 2})
    how.setdefault("queues", {"west": SENDS.format(to="receive@east", hosts="none"), "east": RECEIVES.format(of="west")})
    return Federation(
        bench, {"west": ("n1",), "east": ("n2",)},
        params={"west": PARAMS + "\nDEFAULT_QUEUE = send", "east": PARAMS + (more_params or {}).get("east", "")}, **how)


def test_a_job_runs_in_the_other_cluster_and_its_end_comes_back(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        good = west.bsub("hostname; id -un; echo $LSB_JOBID", "-q", "send", "-o", "out.%J")
        west.wait_for(good, "DONE")
        with open(f"{west.places[ALICE]}/out.{good}", encoding="utf-8") as file:
            said = file.read()
        expect_in("n2\ngames\n", said, "output")
        bad = west.run("bsub", "-K", "-q", "send", "-o", "/dev/null", "sleep 0.5; exit 7")
        expect_equal(bad.returncode, 7, f"exit code: {bad.stdout}{bad.stderr}")
        expect_in("<<Starting on n2@east>>", bad.stdout + bad.stderr, "bsub -K")
        expect_equal(len(east.jobs()), 2, "jobs of east")
        bench.saw(said.splitlines()[0])


def test_both_sides_say_where_the_job_is(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        job = west.bsub("sleep 60", "-q", "send", "-o", "/dev/null", "-J", "guest")
        west.wait_for(job, "RUN")
        here = west.field(job, "exec_host from_host forward_cluster dstjobid first_host")
        there = here.split()[3]
        expect_equal(here, f"n2@east n1 east {there} n2@east", "bjobs in west")
        expect_equal(east.field(there, "exec_host from_host source_cluster srcjobid queue user"),
                     f"n2 n1@west:{job} west {job} receive games", "bjobs in east")
        peeked = west.run("bpeek", str(job))
        expect_equal((peeked.stdout, peeked.stderr), ("<< output from stdout >>\n", ""), "bpeek of a job that writes to /dev/null")
        expect_equal(west.user("bjobs", "-fwd", "-u", "all", "-noheader", "-o", "jobid").stdout.split(), [str(job)], "bjobs -fwd")
        looked_at = json.loads(west.user("bjobs", "-json", "-o", "remote_queues", str(job)).stdout)["RECORDS"][0]["REMOTE_QUEUES"]
        expect_equal([(row["QUEUE"], row["CLUSTER"], row["OFFER"]) for row in looked_at], [("receive", "east", 1)], "bjobs -json")
        expect_in("receive@east: ", west.user("bjobs", "-noheader", "-o", "remote_queues:-200", str(job)).stdout, "bjobs -o remote_queues")
        west_long = west.user("bjobs", "-l", "-UF", str(job)).stdout
        expect_in(f"Job <{job}> forwarded to cluster <east>, queue <receive>, as job <{there}>; receive@east: ", west_long, "bjobs -l")
        expect_in("Started 1 Task(s) on Host(s) <n2@east>", west_long, "bjobs -l")
        expect_in("n1@west:" + str(job), east.user("bjobs", "-w", there).stdout, "bjobs -w")
        history = west.user("bhist", "-l", str(job)).stdout.replace("\n                     ", "")
        for words in ("Forwarded job to cluster east, queue <receive>; receive@east: ", f"Accepted by cluster east as job <{there}>",
                      "Dispatched 1 Task(s) on Host(s) <n2@east>"):
            expect_in(words, history, "bhist -l")
        for words in (f"Submitted from host <n1@west:{job}>, to Queue <receive>", f"Accepted from cluster west as its job <{job}>, queue <receive>"):
            expect_in(words, east.user("bhist", "-l", "-UF", f"{job}@west").stdout, "bhist -l in east, by the id of the submission")
        for place in ("east", "n2@east"):
            expect_equal(west.user("bjobs", "-u", "all", "-m", place, "-noheader", "-o", "jobid").stdout.split(), [str(job)], f"bjobs -m {place}")
        expect_in("is not found", east.user("bjobs", f"{job + 1}@west").stderr, "bjobs of a job that is not there")
        expect_equal(east.user("bjobs", "-noheader", "-o", "jobid", f"{job}@west").stdout.split(), [there], "bjobs by the id of the submission")
        west.run("bkill", str(job))
        west.wait_for(job, "EXIT")
        east.wait_for(there, "EXIT")
        expect_in("TERM_OWNER", west.field(job, "exit_reason"), "bjobs in west")
        lines = event_lines(west, "lsb.events")
        expect(any(words[0] == "JOB_FORWARD" and words[3] == str(job) and "east" in words for words in lines), f"JOB_FORWARD: {lines}")
        expect(any(words[:1] == ["JOB_ACCEPT"] and words[3:5] == [str(job), there] for words in lines), f"JOB_ACCEPT: {lines}")
        came = [words[3:6] for words in event_lines(east, "lsb.events") if words[:1] == ["JOB_ACCEPT"]]
        expect_equal(came, [[there, str(job), "west"]], "JOB_ACCEPT of east")
        for side, number, cluster in ((west, str(job), "east"), (east, there, "west")):
            done = [words for words in event_lines(side, "lsb.acct") if words[3] == number]
            expect_equal(len(done), 1, f"JOB_FINISH in {side.cluster}")
            expect(cluster in done[0], f"JOB_FINISH of {side.cluster} names {cluster}: {done[0]}")
            expect_in("Total number of exited jobs:     1", side.user("bacct", "-u", "all").stdout, f"bacct in {side.cluster}")


def test_commands_reach_the_job_from_where_it_was_submitted(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        job = west.bsub("trap 'echo got >>signals' USR1; touch begun; while :; do sleep 0.2; done", "-q", "send", "-o", "/dev/null")
        wait_until(lambda: os.path.exists(f"{west.places[ALICE]}/begun"), "the job has begun")
        there = west.field(job, "dstjobid")
        west.wait_for(job, "RUN")
        expect_in(f"Job <{job}> is being stopped", west.run("bstop", str(job)).stdout, "bstop")
        east.wait_for(there, "USUSP")
        west.wait_for(job, "USUSP")
        west.run("bresume", str(job))
        east.wait_for(there, "RUN")
        west.wait_for(job, "RUN")
        west.run("bkill", "-s", "USR1", str(job))
        wait_until(lambda: os.path.exists(f"{west.places[ALICE]}/signals"), "the signal")
        east.user("bstop", there)  # its administrator
        west.wait_for(job, "USUSP")
        east.user("bresume", there)
        west.wait_for(job, "RUN")
        done = west.run("bmod", "-J", "other", str(job))
        expect_in("Job has started in cluster east: only -c -M -p -T -v -W can be changed from here", done.stdout + done.stderr,
                  "bmod of a job that runs there")
        expect_in("are being changed", west.run("bmod", "-W", "30", str(job)).stdout, "bmod -W of a job that runs there")
        limited = west.bsub("sleep 1000", "-q", "send", "-o", "/dev/null")
        west.wait_for(limited, "RUN")
        expect_in("are being changed", west.run("bmod", "-p", "1", str(limited)).stdout, "bmod -p")  # a shell and its sleep are two
        expect_equal(west.wait_for(limited, "EXIT", "DONE"), "EXIT", "it is ended there")
        wait_until(lambda: "TERM_PROCESSLIMIT" in west.user("bjobs", "-UF", "-l", str(limited)).stdout,
                   lambda: west.user("bjobs", "-UF", "-l", str(limited)).stdout, 30)
        west.run("bkill", "-r", str(job))
        west.wait_for(job, "EXIT")
        east.wait_for(there, "EXIT")


def test_the_post_execution_in_the_other_cluster_is_waited_for(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        go = f"{west.places[ALICE]}/go"
        job = west.bsub("true", "-q", "send", "-o", "/dev/null", "-Ep", f"while [ ! -e {go} ]; do sleep 0.1; done; exit 3")

        def states():
            return [words[4] for words in event_lines(west, "lsb.events") if words[0] == "JOB_STATUS" and words[3] == str(job)]

        west.wait_for(job, "DONE")
        wait_until(lambda: "64" in states(), "the end in lsb.events")
        expect("192" not in states() and "320" not in states(), f"states in west while the post-execution runs: {states()}")
        west.kill_daemon("mbatchd", "n1")
        west.start_daemon("mbatchd", "n1")
        open(go, "w", encoding="utf-8").close()
        expect_equal(west.run("bwait", "-t", "1", "-w", f"post_err({job})").returncode, 0, "bwait")
        wait_until(lambda: states()[-1] == "320", "the failed post-execution in lsb.events")
        other = west.bsub("true", "-q", "send", "-o", "/dev/null", "-Ep", f"touch {go}.begun; sleep 600")
        wait_until(lambda: os.path.exists(f"{go}.begun"), "the post-execution has begun")
        west.wait_for(other, "DONE")
        expect_equal(east.user("bkill", f"{other}@west").returncode, 0, "bkill in east by the id of the submission")
        expect_equal(west.run("bwait", "-t", "1", "-w", f"post_err({other})").returncode, 0, "bwait")


def test_a_job_that_waits_there_is_changed_and_comes_back_with_bmod_and_bswitch(bench):
    queues = {"west": SENDS.format(to="receive@east", hosts="none") + "Begin Queue\nQUEUE_NAME = own\nHOSTS = n1\nEnd Queue\n",
              "east": RECEIVES.format(of="west")}
    with two(bench, slots={"east": 1}, queues=queues) as clusters:
        west, east = clusters["west"], clusters["east"]
        first = west.bsub("sleep 100", "-q", "send", "-o", "/dev/null")
        west.wait_for(first, "RUN")
        job = west.bsub("echo $LSB_JOBID >ran; echo $LSB_QUEUE >>ran", "-q", "send", "-o", "/dev/null")
        wait_until(lambda: west.field(job, "dstjobid") not in ("", "-"), "it is accepted")
        expect_equal(west.field(job), "PEND", "it waits there")
        reasons = west.user("bjobs", "-p", str(job)).stdout
        expect_in("forwarded to cluster <east>, queue <receive>", reasons, "bjobs -p")
        there = west.field(job, "dstjobid")
        west.run("bstop", str(job))
        west.wait_for(job, "PSUSP")
        east.wait_for(there, "PSUSP")
        west.run("bresume", str(job))
        east.wait_for(there, "PEND")
        expect_in("are being changed", west.run("bmod", "-J", "named", str(job)).stdout, "bmod")
        east.wait_for(there, "EXIT")
        expect_in("is switched to queue <own>", west.run("bswitch", "own", str(job)).stdout, "bswitch")
        west.wait_for(job, "DONE")
        expect_equal(open(f"{west.places[ALICE]}/ran", encoding="utf-8").read(), f"{job}\nown\n", "once, here")
        expect_equal(west.field(job, "job_name exec_host"), "named n1", "as it was changed")
        west.run("bkill", str(first))
        west.wait_for(first, "EXIT")


def test_elements_of_an_array_go_one_by_one_with_their_numbers(bench):
    with two(bench) as clusters:
        west = clusters["west"]
        job = west.bsub("echo $LSB_JOBID $LSB_JOBINDEX $LSB_JOBINDEX_END >>ran; sleep 0.2", "-q", "send", "-J", "arr[1-6]%1",
                        "-o", "out.%J.%I")
        wait_until(lambda: west.user("bjobs", "-a", "-noheader", "-o", "stat", str(job)).stdout.split() == ["DONE"] * 6,
                   lambda: west.user("bjobs", "-a", str(job)).stdout + west.logs_text(), 60)
        ran = sorted(open(f"{west.places[ALICE]}/ran", encoding="utf-8").read().splitlines())
        expect_equal(ran, [f"{job} {index} 6" for index in range(1, 7)], "numbers of the submission")
        outs = sorted(name for name in os.listdir(west.places[ALICE]) if name.startswith("out."))
        expect_equal(outs, [f"out.{job}.{index}" for index in range(1, 7)], "files")


def test_masters_that_die_and_a_cut_link_leave_one_run(bench):
    """Each job appends a line: none is missing and none is there twice, whatever was killed."""
    with two(bench, slots={"east": 4}) as clusters:
        west, east = clusters["west"], clusters["east"]
        jobs = [west.bsub(f"echo {n} >>ran; sleep 1", "-q", "send", "-o", "/dev/null") for n in range(12)]
        for step in ("east", "west", "link", "east", "west"):
            if step == "link":
                bench.cluster.cut("n2")
                wait_until(lambda: ": connected" not in west.standing("east"), lambda: west.standing("east"), 60)
                bench.cluster.mend("n2")
            else:
                clusters[step].kill_daemon("mbatchd", clusters[step].names[0])
                clusters[step].start_daemon("mbatchd", clusters[step].names[0])
            west.wait_for_connection("east")
        for job in jobs:
            west.wait_for(job, "DONE", seconds=120)
        ran = sorted(int(line) for line in open(f"{west.places[ALICE]}/ran", encoding="utf-8"))
        expect_equal(ran, list(range(12)), "each once")
        wait_until(lambda: len(east.jobs("jobid stat")) == 12, "as many jobs in east")


def test_while_the_other_master_is_away_the_job_stays_forwarded(bench):
    with two(bench, slots={"east": 1}) as clusters:
        west, east = clusters["west"], clusters["east"]
        runs = west.bsub("sleep 3; echo $LSB_JOBID >>ran", "-q", "send", "-o", "/dev/null")
        west.wait_for(runs, "RUN")
        waits = west.bsub("echo $LSB_JOBID >>ran", "-q", "send", "-o", "/dev/null")
        wait_until(lambda: west.field(waits, "dstjobid") not in ("", "-"), "it is accepted")
        expect_equal(west.user("bjobs", "-sum", "-u", "all").stdout.splitlines()[1].split(), ["1", "0", "0", "0", "0", "1"], "bjobs -sum")
        east.kill_daemon("mbatchd", "n2")
        wait_until(lambda: ": connected" not in west.standing("east"), "west notices")
        expect_equal((west.field(runs), west.field(waits)), ("RUN", "PEND"), "both stay")
        west.run("bkill", str(waits))
        west.run("bkill", "-r", str(runs))
        expect(west.field(waits) == "PEND", "no end before the other cluster has said so")
        later = west.bsub("true", "-q", "send", "-o", "/dev/null")
        expect_in("its cluster is not connected", west.user("bjobs", "-l", "-UF", str(later)).stdout, "the table of queues")
        shown = west.user("bjobs", "-json", "-o", "stat fwd_queues", str(later)).stdout
        row = json.loads(shown)["RECORDS"][0]["REMOTE_QUEUES"][0]
        expect_equal((row["CONNECTED"], row["OFFER"], row["WHY"]), (False, None, "its cluster is not connected"), shown)
        east.start_daemon("mbatchd", "n2")
        west.wait_for(waits, "EXIT")
        west.wait_for(runs, "EXIT", "DONE")
        west.wait_for(later, "DONE")


def test_a_job_goes_to_the_queue_with_free_slots(bench):
    params = {"west": PARAMS + "\nMC_PLUGIN_SCHEDULE_ENHANCE = COUNT_PREEMPTABLE", "east": PARAMS, "north": PARAMS}
    queues = {"west": SENDS.format(to="receive@east receive@north", hosts="none"), "east": RECEIVES.format(of="west"),
              "north": RECEIVES.format(of="allclusters")}
    with Federation(bench, {"west": ("n1",), "east": ("n2",), "north": ("n3",)}, queues=queues, params=params,
                    slots={"east": 1, "north": 3}) as clusters:
        west = clusters["west"]
        wait_until(lambda: "receive@north: 3 free" in forwarded_because(west), lambda: forwarded_because(west) + west.logs_text(), 60)
        jobs = [west.bsub("sleep 100", "-q", "send", "-o", "/dev/null") for _ in range(4)]
        for job in jobs:
            west.wait_for(job, "RUN")
        where = sorted(west.field(job, "exec_host") for job in jobs)
        expect_equal(where, ["n2@east", "n3@north", "n3@north", "n3@north"], "hosts")
        for job in jobs:
            west.run("bkill", str(job))
            west.wait_for(job, "EXIT")


def test_a_job_whose_pre_execution_fails_there_comes_back(bench):
    with two(bench, more_params={"east": "\nREMOTE_MAX_PREEXEC_RETRY = 1"}) as clusters:
        west, east = clusters["west"], clusters["east"]
        job = west.bsub("true", "-q", "send", "-E", f"echo tried >>{west.places[ALICE]}/tried; exit 1", "-o", "/dev/null")
        words = "the job came back 3 times"
        wait_until(lambda: words in west.user("bjobs", "-l", "-UF", str(job)).stdout,
                   lambda: west.user("bjobs", "-l", "-UF", str(job)).stdout + west.logs_text(), 60)
        expect_equal(west.field(job), "PEND", "bjobs")
        with open(f"{west.places[ALICE]}/tried", encoding="ascii") as file:
            expect_equal(file.read(), "tried\n" * 3, "one pre-execution each time")
        expect_equal([line.split()[0] for line in east.jobs("stat")], ["EXIT"] * 3, "bjobs in east")
        west.run("bkill", str(job))
        west.wait_for(job, "EXIT")


def test_clusters_tell_each_other_their_application_profiles(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        expect_in("No application profiles of remote clusters are known", west.good("bclusters", "-app"), "bclusters -app")
        east.write_batch("lsb.applications", "Begin Application\nNAME = fluent\nDESCRIPTION = the flow solver\nEnd Application\n")
        east.good("badmin", "reconfig", "-f")
        wait_until(lambda: "fluent" in west.good("bclusters", "-app"), lambda: west.good("bclusters", "-app"), 30)
        expect_in("east            fluent          the flow solver\n", west.good("bclusters", "-app"), "bclusters -app")
        told = json.loads(west.good("bclusters", "-app", "-json"))
        expect_equal((told["APPS"], told["RECORDS"][0]["APP_NAME"]), (1, "fluent"), "bclusters -app -json")


def test_who_and_what_may_not_cross_stays_with_a_reason(bench):
    queues = {"west": SENDS.format(to="receive@east", hosts="none") + "Begin Queue\nQUEUE_NAME = few\nHOSTS = none\nFWD_USERS = news\n"
                      "SNDJOBS_TO = receive@east\nEnd Queue\nBegin Queue\nQUEUE_NAME = lost\nHOSTS = none\nSNDJOBS_TO = nowhere@east\n"
                      "End Queue\n",
              "east": RECEIVES.format(of="west")}
    with two(bench, queues=queues) as clusters:
        west, east = clusters["west"], clusters["east"]
        root = west.user("bsub", "-q", "send", "-o", "/dev/null", "true").stdout.split("<")[1].split(">")[0]
        wait_until(lambda: "a job of root stays in its cluster" in west.user("bjobs", "-l", "-UF", root).stdout,
                   lambda: west.user("bjobs", "-l", "-UF", root).stdout, 30)
        barred = west.bsub("true", "-q", "few", "-o", "/dev/null")
        wait_until(lambda: "FWD_USERS" in west.user("bjobs", "-l", "-UF", str(barred)).stdout,
                   lambda: west.user("bjobs", "-l", "-UF", str(barred)).stdout, 30)
        may = west.bsub("true", "-q", "few", "-o", "/dev/null", user=BOB)
        west.wait_for(may, "DONE")
        lost = west.bsub("true", "-q", "lost", "-o", "/dev/null")
        wait_until(lambda: "does not receive jobs of this cluster" in west.user("bjobs", "-l", "-UF", str(lost)).stdout,
                   lambda: west.user("bjobs", "-l", "-UF", str(lost)).stdout, 30)
        expect_equal(len(east.jobs()), 1, "jobs of east")


def test_the_admin_guide_sends_overflow_to_the_other_department(bench):
    """The files and the lines of the section as they stand; the jobs do not sleep."""
    with open(os.path.join(ROOT, "docs", "admin.md"), encoding="utf-8") as file:
        section = file.read().split("\n## Send overflow to the other department\n")[1].split("\n## ")[0]
    west_queues, east_queues = re.findall(r"```\n(.*?)```", section, re.S)
    typed = re.search(r"```sh\n(.*?)```", section, re.S).group(1).splitlines()
    with Federation(bench, {"west": ("n1",), "east": ("n2",)}, slots={"west": 1}) as clusters:
        west, east = clusters["west"], clusters["east"]
        west.write_batch("lsb.queues", QUEUES + west_queues)
        east.write_batch("lsb.queues", QUEUES + east_queues)
        east.good("badmin", "reconfig", "-f")
        said = []
        for line in typed:
            place, words = line.split("#" if line.startswith("n1#") else "$", 1)[0], line[3:].split("   #")[0].strip()
            words = words.replace("badmin reconfig", "badmin reconfig -f").replace("/tmp/", "")
            side = {"n1": west, "e1": east}[place]
            done = side.user("sh", "-c", words) if line[2] == "#" else side.run("sh", "-c", words)
            expect_equal(done.returncode, 0, f"{line}: {done.stdout}{done.stderr}")
            said.append(done.stdout)
            if " bsub " in line:  # the first one fills west
                side.run("sh", "-c", words)
                wait_until(lambda: west.user("bjobs", "-a", "-u", "all", "-noheader", "-o", "stat").stdout.split() == ["RUN", "RUN"],
                           lambda: west.user("bjobs", "-a", "-u", "all").stdout + west.logs_text(), 60)
        expect_equal(len(typed), 6, "lines")
        expect_in("n2@east", said[2], typed[2])
        expect_in("cluster <east>, queue <guests>", said[3].replace("\n                     ", ""), typed[3])
        expect_in("@west:", said[5], typed[5])
        expect_in("SEND_JOBS_TO:  guests@east\n", west.good("bqueues", "-l", "overflow"), "bqueues -l")
        expect_in("RECEIVE_JOBS_FROM:  west\nIMPT_JOBBKLG:  20\n", east.good("bqueues", "-l", "guests"), "bqueues -l")
        expect_in("overflow        send       guests     east       ok", west.good("bclusters"), "bclusters")
        expect_in("guests          recv       -          west       ok", east.good("bclusters"), "bclusters")
        expect_equal(json.loads(west.good("bclusters", "-json"))["RECORDS"][0]["STATUS"], "ok", "bclusters -json")
        west.run("bkill", "0")
        wait_until(lambda: not west.user("bjobs", "-u", "all", "-noheader").stdout, "all are over", 60)
        east.kill_daemon("mbatchd", "n2")
        wait_until(lambda: "disc" in west.good("bclusters"), lambda: west.good("bclusters"), 30)
        east.start_daemon("mbatchd", "n2")


def event_lines(side, name):
    """The fields of each line of an event file, once it has caught up with mbatchd."""
    with open(os.path.join(side.work, side.cluster, "logdir", name), encoding="utf-8") as file:
        return [shlex.split(line.replace('""', '" "')) for line in file if line.startswith('"')]


def forwarded_because(west):
    """Submits a short job; what it was forwarded for."""
    job = west.bsub("true", "-q", "send", "-o", "/dev/null")
    west.wait_for(job, "DONE")
    return west.user("bhist", "-l", str(job)).stdout.replace("\n                     ", "")


def requires(_):
    needs_users()


if __name__ == "__main__":
    main(hosts=3, requires=requires)
