"""A client whose hosts file leads the name of one host to the address of another: nothing runs, and nothing ends, there.

n1 is master. In /etc/hosts of n2, where the commands are called, n3 has the address of n1.
"""

import os

from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

WRONG = 'a request for host "n3" has reached host n1'


def lead_n3_to_n1(bench):
    """The file is mounted: it is written in place."""
    path = os.path.join(bench.scratch, "hosts.n2")
    with open(path, "r+", encoding="ascii") as file:
        text = file.read()
        expect_in("10.77.0.3 n3", text, "the hosts file of n2")
        file.seek(0)
        file.write(text.replace("10.77.0.3 n3", "10.77.0.1 n3"))
        file.truncate()


def expect_refused(done, marks, words):
    expect(done.returncode != 0, f"{words}: {done}")
    expect_in(WRONG, done.stderr + done.stdout, f"what {words} says")
    expect(not os.path.exists(marks), f"{words} ran on {open(marks, encoding='ascii').read() if os.path.exists(marks) else ''}")


def test_a_wrong_address_leads_to_a_refusal(bench):
    with BatchCluster(bench, ["n1", "n2", "n3"]) as batch:
        place = bench.fresh_directory("place")
        marks = os.path.join(place, "marks")
        line = ["sh", "-c", f"hostname >>{marks}"]
        batch.good("lsrun", "-m", "n3", *line, host="n2")
        expect_equal(open(marks, encoding="ascii").read(), "n3\n", "where lsrun -m n3 runs before")
        os.unlink(marks)

        lead_n3_to_n1(bench)
        for words in (["lsrun", "-m", "n3"], ["lsgrun", "-m", "n3"], ["lsgrun", "-p", "-m", "n3"]):
            expect_refused(batch.user(*words, *line, host="n2"), marks, words)
        job = batch.bsub(f"blaunch n3 hostname >>{marks}.ran 2>{place}/why; echo $? >{place}/status", "-n", "2", "-R", "span[ptile=1]",
                         "-m", "n2! n3", "-o", f"{place}/out")
        batch.wait_for(job, "DONE", "EXIT")
        expect_in(WRONG, open(f"{place}/why", encoding="utf-8").read(), "what blaunch says")
        expect_equal(open(f"{marks}.ran", encoding="ascii").read(), "", "what ran of blaunch")

        for words in (["badmin", "hshutdown", "-f", "n3"], ["lsadmin", "resshutdown", "-f", "n3"], ["lsadmin", "limshutdown", "-f", "n3"],
                      ["lsadmin", "limrestart", "-f", "n3"], ["lsadmin", "limdebug", "n3"]):
            expect_refused(batch.user(*words, host="n2"), marks, words)
        for name in ("n1", "n3"):
            expect(batch.daemons["res", name].poll() is None, f"RES of {name} goes on")
            expect(batch.lims[name].poll() is None, f"LIM of {name} goes on")
        batch.good("lsrun", "-m", "n1", *line, host="n2")
        expect_equal(open(marks, encoding="ascii").read(), "n1\n", "n1 by its own name")

        # Orders of mbatchd go to the RES that has proved which host it is, whatever a hosts file says.
        there = batch.bsub(f"hostname >>{place}/there", "-m", "n3", "-o", "/dev/null")
        batch.wait_for(there, "DONE")
        wait_until(lambda: os.path.exists(f"{place}/there"), "the job's mark")
        expect_equal(open(f"{place}/there", encoding="ascii").read(), "n3\n", "where the job for n3 ran")
    bench.saw("lsrun, lsgrun, blaunch, badmin and lsadmin meant n3, reached n1 and were refused; both RES go on")


main(hosts=3, patience=10)
