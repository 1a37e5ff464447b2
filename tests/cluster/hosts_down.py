"""Orders to all hosts when some are known to be down: those are skipped with one line each; a host that is named is asked.

n3 is cut off silently: its packets are dropped. The LIM of n2 is killed, and its RES lives.
"""

from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

SKIPPED = 'skipped: the master LIM calls it unavailable; "{} {}" asks it all the same'


def expect_lines(done, title, outcomes):
    expect_equal(done.returncode, 255, f"where something was not done: {done}")
    lines = [line for line in done.stdout.splitlines() if line.startswith(title)]
    expect_equal(lines, [f"{title} <{host}> ...... {outcome}" for host, outcome in outcomes], "a line for each host, in order")


def test_hosts_that_are_down_are_skipped_unless_they_are_named(bench):
    cluster = bench.cluster
    with BatchCluster(bench, ["n1", "n2", "n3"]) as batch:
        batch.kill("n2")
        cluster.cut("n3")
        try:
            down = lambda: {host: word for host, word in batch.status("n1").items() if host != "n1"}
            wait_until(lambda: set(down().values()) == {"unavail"}, lambda: f"n2 and n3 to be unavailable: {batch.status('n1')}", 60)
            for words, title in ((("lsadmin", "resdebug", "-o", "all"), "Set the log level of RES on"),
                                 (("lsadmin", "resrestart", "-f", "all"), "Restart RES on"),
                                 (("badmin", "hrestart", "-f", "all"), "Restart slave batch daemon on")):
                command = " ".join(words[:2])
                expect_lines(batch.user(*words), title,
                             [("n1", "done")] + [(host, SKIPPED.format(command, host)) for host in ("n2", "n3")])
            for words, by_name in ((("lsadmin", "reconfig", "-f"), "lsadmin limrestart"), (("lsadmin", "limrestart", "-f", "all"), "lsadmin limrestart")):
                expect_lines(batch.user(*words), "Restart LIM on",
                             [("n1", "done")] + [(host, SKIPPED.format(by_name, host)) for host in ("n2", "n3")])
                wait_until(lambda: set(down().values()) == {"unavail"}, lambda: f"n2 and n3 to be unavailable: {batch.status('n1')}", 60)
            expect_equal(batch.good("lsadmin", "resrestart", "n2"), "Restart RES on <n2> ...... done\n", "RES where LIM alone is down")
            wait_until(lambda: "starts again" in batch.daemon_log_text("res", "n2"), "RES of n2 to start again")
            batch.good("lsrun", "-m", "n2", "true")  # waits until it answers
            expect_equal(batch.good("badmin", "hrestart", "n2"), "Restart slave batch daemon on <n2> ...... done\n", "the same by badmin")
            done = batch.user("lsadmin", "limrestart", "n3")
            expect("skipped" not in done.stdout and "n3" in done.stdout, f"n3 was asked: {done}")
            expect_in("LIM is down", done.stdout, "what came of it")
        finally:
            cluster.mend("n3")
    bench.saw("5 orders to all skipped n2 and n3; RES of n2 was started anew by its name")


main(hosts=3, patience=10)
