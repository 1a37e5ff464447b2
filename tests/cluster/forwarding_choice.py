"""Which queue of another cluster a job goes to, how often it comes back, and what of a job counts where: on real daemons."""

import os
import re
import struct

from forwarding import PARAMS, RECEIVES, SENDS, forwarded_because, two
from rollcall_testing.federation import ALICE, BOB, Federation
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

RESOURCE_ONLY = PARAMS + "\nMC_PLUGIN_SCHEDULE_ENHANCE = RESOURCE_ONLY"
AHEAD, BEHIND = 300, -300  # seconds


def long_of(side, job):
    return side.user("bjobs", "-l", "-UF", str(job)).stdout


def came_back(side, job):
    return re.search(r"the job came back \d times; next try when its counters differ", long_of(side, job))


def history(side, job):
    return side.user("bhist", "-l", str(job)).stdout.replace("\n                     ", "")


def returns_to_send(times):
    """A sending queue whose jobs come back after so many seconds, since MBD_SLEEP_TIME is 1."""
    return SENDS.format(to="receive@east", hosts="none").replace("End Queue", f"MAX_RSCHED_TIME = {times}\nEnd Queue")


def mixed(bench, seconds, change):
    """`change(member)`: what its hosts are, before anything is started."""
    clusters = Federation(bench, {"west": ("n1",), "east": ("n2", "n3")}, slots={"east": 2},
                          queues={"west": returns_to_send(seconds), "east": RECEIVES.format(of="west")},
                          params={"west": RESOURCE_ONLY + "\nMBD_SLEEP_TIME = 1", "east": PARAMS})
    for member in clusters.members.values():
        change(member)
        member.write_files()
    return clusters


def wait_for_figures(west):
    """A choice before the first update would say nothing of free slots."""
    wait_until(lambda: " free (" in forwarded_because(west), lambda: west.good("bclusters", "-l") + west.logs_text(), 60)


def test_a_queue_of_a_cluster_that_sends_no_updates_comes_last_and_the_reason_says_so(bench):
    queues = {"west": SENDS.format(to="receive@east receive@north", hosts="none"), "east": RECEIVES.format(of="west"),
              "north": RECEIVES.format(of="west")}
    params = {"west": PARAMS + "\nMC_PLUGIN_SCHEDULE_ENHANCE = COUNT_PREEMPTABLE", "east": "", "north": PARAMS}
    with Federation(bench, {"west": ("n1",), "east": ("n2",), "north": ("n3",)}, queues=queues, params=params,
                    slots={"east": 8, "north": 1}) as clusters:
        west = clusters["west"]
        wait_until(lambda: "receive@north: 1 free" in forwarded_because(west), lambda: forwarded_because(west) + west.logs_text(), 60)
        because = forwarded_because(west)
        expect_in("receive@east: no update has come yet", because, "without MC_PLUGIN_UPDATE_INTERVAL")
        expect_in("Forwarded job to cluster north", because, "bhist -l")
        bench.saw(next(line for line in because.splitlines() if "Forwarded" in line))


def test_a_job_for_mixed_booleans_pends_after_three_returns_until_the_counters_differ(bench):
    def change(member):
        member.resources.append("big Boolean () () (much memory)")
        if member.cluster == "east":
            member.named = {"n2": "big"}

    with mixed(bench, 2, change) as clusters:
        west, east = clusters["west"], clusters["east"]
        wait_for_figures(west)
        job = west.bsub("true", "-q", "send", "-o", "/dev/null", "-n", "4", "-R", "select[big]")
        wait_until(lambda: history(west, job).count("Forwarded job to cluster east") == 3, lambda: history(west, job) + west.logs_text(), 90)
        # From here on the time alone would keep it for long.
        west.write_batch("lsb.queues", returns_to_send(1000))
        west.good("badmin", "reconfig", "-f")
        west.run("bmod", "-J", "third", str(job))  # asks it back
        wait_until(lambda: came_back(west, job),
                   lambda: long_of(west, job) + history(west, job) + west.logs_text(), 60)
        expect_equal(west.field(job), "PEND", "the job")
        forwards = history(west, job).count("Forwarded job to cluster east")
        # A job that was never there is forwarded meanwhile: the queue itself is not closed.
        other = west.bsub("true", "-q", "send", "-o", "/dev/null")
        wait_until(lambda: "Forwarded job to cluster east" in history(west, other), lambda: history(west, other) + west.logs_text(), 60)
        expect_equal(history(west, job).count("Forwarded job to cluster east"), forwards, "forwards of the job that came back")
        west.wait_for(other, "DONE")
        forwards = history(west, job).count("Forwarded job to cluster east")  # one more where an update came while the other one ran
        filler = fills_n3(east)
        wait_until(lambda: history(west, job).count("Forwarded job to cluster east") == forwards + 1,
                   lambda: long_of(west, job) + history(west, job) + west.logs_text(), 60)
        bench.saw(f"{forwards} forwards, then one more when its slots were no longer free")
        west.run("bkill", str(job))
        west.wait_for(job, "EXIT")
        east.user("bkill", filler)
        east.wait_for(filler, "EXIT")


def fills_n3(east):
    """A job of east alone that takes the slots of n3, so that four are no longer free."""
    filler = east.bsub("sleep 100", "-q", "receive", "-o", "/dev/null", "-n", "2", "-m", "n3", user=9)
    east.wait_for(filler, "RUN")
    return str(filler)


def test_a_job_for_mixed_host_types_pends_after_three_returns_until_max_rsched_time_has_passed(bench):
    def change(member):
        if member.cluster == "east":
            member.types = {"n3": "AARCH64"}

    with mixed(bench, 3, change) as clusters:
        west = clusters["west"]
        wait_for_figures(west)
        job = west.bsub("true", "-q", "send", "-o", "/dev/null", "-n", "4", "-R", "select[type==any] same[type]")
        wait_until(lambda: came_back(west, job), lambda: long_of(west, job) + history(west, job) + west.logs_text(), 90)
        expect_in("its hosts are of several types", history(west, job), "the verdict")
        wait_until(lambda: history(west, job).count("Forwarded job to cluster east") > 3, lambda: history(west, job), 60)
        west.run("bkill", str(job))
        west.wait_for(job, "EXIT")


def test_a_job_goes_where_the_value_is_that_it_asks_for(bench):
    queues = {"west": SENDS.format(to="receive@east receive@north", hosts="none"), "east": RECEIVES.format(of="west"),
              "north": RECEIVES.format(of="west")}
    criteria = PARAMS + "\nMC_RESOURCE_MATCHING_CRITERIA = licver os"
    clusters = Federation(bench, {"west": ("n1",), "east": ("n2",), "north": ("n3",)}, queues=queues,
                          params={"west": RESOURCE_ONLY, "east": criteria, "north": criteria}, slots={"east": 4, "north": 4})
    named = {"east": {"n2": "licver=3 os=rhel7"}, "north": {"n3": "licver=5 os=rhel8"}}
    for member in clusters.members.values():
        member.resources += ["licver Numeric () () (version)", "os String () () (system)"]
        member.named = named.get(member.cluster, {})
        member.write_files()
    with clusters:
        west = clusters["west"]
        wait_until(lambda: re.search(r"receive@east: \d free.*receive@north: \d free", forwarded_because(west)), west.logs_text, 60)
        job = west.bsub("true", "-q", "send", "-o", "/dev/null", "-R", "select[licver>=9]")
        wait_until(lambda: long_of(west, job).count("no host with licver>=9") == 2, lambda: long_of(west, job) + west.logs_text(), 60)
        for asked, where in (("licver>=4", "n3@north"), ("os==rhel7", "n2@east"), ("licver<5 && os!=rhel8", "n2@east")):
            one = west.bsub("sleep 0.5", "-q", "send", "-o", "/dev/null", "-R", f"select[{asked}]")
            west.wait_for(one, "DONE")
            expect_equal(west.field(one, "exec_host"), where, asked)
        west.run("bkill", str(job))
        west.wait_for(job, "EXIT")


def test_the_limit_of_an_array_counts_where_it_was_submitted(bench):
    with two(bench, slots={"east": 4}) as clusters:
        west, east = clusters["west"], clusters["east"]
        job = west.bsub("mkdir run.$LSB_JOBINDEX; ls -d run.* | wc -l >>counts; sleep 0.5; rmdir run.$LSB_JOBINDEX", "-q", "send", "-J",
                        "arr[1-6]%2", "-o", "/dev/null")
        wait_until(lambda: west.user("bjobs", "-a", "-noheader", "-o", "stat", str(job)).stdout.split() == ["DONE"] * 6,
                   lambda: west.user("bjobs", "-a", str(job)).stdout + west.logs_text(), 60)
        counts = [int(line) for line in open(f"{west.places[ALICE]}/counts", encoding="utf-8")]
        expect(max(counts) <= 2 and len(counts) == 6, f"elements that ran at once: {counts}")
        expect_equal(len(east.jobs()), 6, "jobs of east")


def test_a_forwarded_job_preempts_and_is_preempted_in_the_cluster_that_runs_it(bench):
    receives = RECEIVES.format(of="west").replace("End Queue", "PREEMPTION = PREEMPTIVE[low] PREEMPTABLE[high]\nEnd Queue")
    east_queues = receives + "".join(f"Begin Queue\nQUEUE_NAME = {name}\nPRIORITY = {priority}\nPREEMPTION = {words}\nEnd Queue\n" for
                                     name, priority, words in (("low", 10, "PREEMPTABLE"), ("high", 50, "PREEMPTIVE")))
    with two(bench, slots={"east": 1}, queues={"west": SENDS.format(to="receive@east", hosts="none"), "east": east_queues}) as clusters:
        west, east = clusters["west"], clusters["east"]
        place = west.places[ALICE]
        low = east.bsub("sleep 600", "-q", "low", "-o", "/dev/null", user=BOB)
        east.wait_for(low, "RUN")
        guest = west.bsub(f"echo begun >>ran; until [ -e {place}/go ]; do sleep 0.1; done; echo end >>ran", "-q", "send", "-o", "/dev/null")
        west.wait_for(guest, "RUN")
        there = west.field(guest, "dstjobid")
        expect_equal(east.field(low), "SSUSP", "the low job of east, which the forwarded one has stopped")
        expect_in(f"job {there} started on its slots", east.user("bjobs", "-l", "-UF", "--why", str(low)).stdout, "bjobs --why in east")
        high = east.bsub("sleep 600", "-q", "high", "-o", "/dev/null", user=BOB)
        east.wait_for(high, "RUN")
        east.wait_for(there, "SSUSP")
        west.wait_for(guest, "SSUSP")
        expect_equal(west.field(guest, "exec_host dstjobid"), f"n2@east {there}", "where it is stopped")
        expect_in("The job was preempted by a job of a higher priority queue", long_of(west, guest), "bjobs -l in west")
        expect_in("The job was preempted by a job of a higher priority queue", history(west, guest), "bhist -l in west")
        east.user("bkill", str(high))
        west.wait_for(guest, "RUN")
        expect_equal((east.field(there), east.field(low)), ("RUN", "SSUSP"), "the forwarded job goes on before the low one")
        open(f"{place}/go", "w", encoding="ascii").close()
        west.wait_for(guest, "DONE")
        east.wait_for(low, "RUN")
        with open(f"{place}/ran", encoding="ascii") as file:
            expect_equal(file.read(), "begun\nend\n", "one run")
        east.user("bkill", str(low))
    bench.saw("a low job of east stops for it; it stops for a high one, shown as SSUSP in west, and goes on")


def test_bjobs_with_the_id_of_an_array_shows_the_elements_of_both_clusters(bench):
    queues = {"west": SENDS.format(to="receive@east", hosts="all"), "east": RECEIVES.format(of="west")}
    with two(bench, slots={"west": 1, "east": 2}, queues=queues) as clusters:
        west = clusters["west"]
        job = west.bsub("sleep 100", "-q", "send", "-J", "arr[1-4]", "-o", "/dev/null")
        hosts = ["-", "n1", "n2@east", "n2@east"]
        wait_until(lambda: sorted(west.user("bjobs", "-noheader", "-o", "exec_host", str(job)).stdout.split()) == hosts,
                   lambda: west.user("bjobs", str(job)).stdout + west.logs_text(), 60)
        west.run("bkill", str(job))
        wait_until(lambda: west.user("bjobs", "-a", "-noheader", "-o", "stat", str(job)).stdout.split() == ["EXIT"] * 4,
                   lambda: west.user("bjobs", "-a", str(job)).stdout, 60)


def test_a_dependency_holds_a_job_before_it_is_forwarded(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        gate = f"{west.places[ALICE]}/gate"
        first = west.bsub(f"while [ ! -e {gate} ]; do sleep 0.1; done", "-q", "send", "-o", "/dev/null")
        west.wait_for(first, "RUN")
        second = west.bsub("true", "-q", "send", "-o", "/dev/null", "-w", f"done({first})")
        free = west.bsub("true", "-q", "send", "-o", "/dev/null")  # forwarded after it
        west.wait_for(free, "DONE")
        expect_equal(west.field(second, "stat dstjobid"), "PEND -", "the job that waits for the first")
        expect_equal(len(east.jobs()), 2, "jobs of east")
        with open(gate, "w", encoding="utf-8"):
            pass
        west.wait_for(second, "DONE")
        expect_equal(west.field(second, "exec_host"), "n2@east", "where it ran")


def test_no_time_is_negative_between_clocks_that_are_five_minutes_apart(bench):
    for seconds in (AHEAD, BEHIND):
        clusters = two(bench)
        west, east = clusters["west"], clusters["east"]
        clock = os.path.join(east.top, "clock")
        step_clock(clock, seconds)
        library = os.path.join(bench.build, "tests", "programs", "libstepped_clock.so")
        expect(os.path.exists(library), f"{library} is there")
        east.more_environment = {"LD_PRELOAD": library, "STEPPED_CLOCK": clock}
        with clusters:
            job = west.bsub("sleep 2", "-q", "send", "-o", "/dev/null")
            west.wait_for(job, "RUN")
            check_times(west, job, "while it runs")
            west.wait_for(job, "DONE")
            check_times(west, job, "at its end")
            shown = "".join(west.user(*words).stdout for words in (("bacct", "-l", str(job)), ("bhist", "-l", str(job)), ("bjobs", "-l", str(job))))
            expect_in("Completed <done>", shown, "bacct -l")
            expect(not re.search(r"(^|\s)-\d", shown), f"negative numbers: {shown}")


def step_clock(path, seconds):
    with open(path, "wb") as file:
        file.write(struct.pack("=q", seconds))


def check_times(west, job, when):
    """The commands are static programs, so only the daemons of east have the other clock: what west shows of the job is looked at."""
    said = west.field(job, "run_time pend_time")
    numbers = [int(word) for word in said.split() if word.lstrip("-").isdigit()]
    expect(len(numbers) == 2 and all(0 <= number < 100 for number in numbers), f"run and pend time {when}: {said!r}")
    said = west.user("bhist", str(job)).stdout
    expect(all(0 <= int(word) < 100 for word in said.splitlines()[-1].split()[-7:]), f"bhist {when}: {said}")


def requires(_):
    needs_users()


if __name__ == "__main__":
    main(hosts=3, requires=requires)
