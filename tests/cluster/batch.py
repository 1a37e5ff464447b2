"""Jobs on four hosts, from bsub to their end: where they ran, how they ended, what they left."""

import os
import re

from rollcall_testing import processes
from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.files import read
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

ALL = ("n1", "n2", "n3", "n4")


def test_a_job_runs_and_its_report_is_in_its_output_file(bench):
    with BatchCluster(bench, ALL[:2]) as batch:
        notes = bench.fresh_directory()
        job = batch.bsub("echo hello from $LSB_JOBID; exit 3", "-o", f"{notes}/out.%J", "-J", "first one", host="n2")
        expect_equal(batch.wait_for(job, "DONE", "EXIT"), "EXIT", "its end")
        expect_equal(batch.field(job, "exit_code"), "3", "its exit code")
        path = f"{notes}/out.{job}"
        wait_until(lambda: "Resource usage summary:" in read(path), lambda: f"the report: {read(path)}")
        expect(read(path).startswith(f"hello from {job}\n"), f"output: {read(path)}")
        expect_in("Exited with exit code 3.\n\nResource usage summary:\n", read(path), "the report")
        expect_in(f"Subject: Job {job}: <first one> in cluster <test> Exited", read(path), "the report")
    bench.saw("EXIT, code 3, output first and then the report")


def test_arrays_limits_and_states(bench):
    with BatchCluster(bench, ALL[:2]) as batch:
        notes = bench.fresh_directory()
        job = batch.bsub(f"echo $LSB_JOBINDEX >>{notes}/$LSB_JOBINDEX; exit $((LSB_JOBINDEX == 3))", "-J", "a[1-20]",
                         "-o", "/dev/null")
        wait_until(lambda: set(batch.field(job).split()) <= {"DONE", "EXIT"}, lambda: batch.field(job), 60)
        states = batch.field(job, "jobindex stat").splitlines()
        expect_equal(len(states), 20, "elements")
        expect_equal([line.split() for line in states if "EXIT" in line], [["3", "EXIT"]], "which ended badly")
        expect_equal(sorted(os.listdir(notes), key=int), [str(n) for n in range(1, 21)], "who ran")
        for name in os.listdir(notes):
            expect_equal(read(f"{notes}/{name}"), name + "\n", "once each")
    bench.saw("20 elements, each once, one of them EXIT")


def test_a_job_is_stopped_resumed_and_killed(bench):
    with BatchCluster(bench, ALL[:2]) as batch:
        job = batch.bsub("sleep 1000 & sleep 1000", "-o", "/dev/null")
        batch.wait_for(job, "RUN")
        expect_in(f"Job <{job}> is being stopped", batch.good("bstop", str(job)), "bstop")
        batch.wait_for(job, "USUSP")
        expect_in(f"Job <{job}> is being resumed", batch.good("bresume", str(job)), "bresume")
        batch.wait_for(job, "RUN")
        expect_in(f"Job <{job}> is being terminated", batch.good("bkill", str(job)), "bkill")
        batch.wait_for(job, "EXIT")
        again = batch.user("bkill", str(job))
        expect_equal((again.returncode, again.stderr), (255, f"Job <{job}>: Job has already finished\n"), "bkill again")
        missing = batch.user("bjobs", "999")
        expect_equal((missing.returncode, missing.stdout, missing.stderr), (255, "", "Job <999> is not found\n"), "999")
    bench.saw("USUSP, RUN, EXIT; a finished and an unknown job refused with LSF's words")


def test_a_job_in_vfork_is_stopped_and_goes_on(bench):
    """Its process waits in the kernel until its child, which is stopped, has ended. A shell does so at each command."""
    with BatchCluster(bench, ALL[:2]) as batch:
        notes = bench.fresh_directory()
        gate = os.path.join(notes, "gate")
        job = batch.bsub(f"{bench.target} {notes} vfork {gate}", "-o", "/dev/null")
        batch.wait_for(job, "RUN")
        both = lambda: [p for p in processes.all_processes() if p.words[1:] == (notes, "vfork", gate)]
        wait_until(lambda: sorted(p.state for p in both()) == ["D", "S"], lambda: f"a process in vfork: {both()}")
        batch.good("bstop", str(job))
        batch.wait_for(job, "USUSP")
        wait_until(lambda: all(processes.is_stopped(p.pid) for p in both()), lambda: f"both to be stopped: {both()}")
        expect_equal(sorted(p.state for p in both()), ["D", "T"], "their states")
        with open(gate, "w", encoding="utf-8"):
            pass
        batch.good("bresume", str(job))
        batch.wait_for(job, "DONE")
    bench.saw("the child is stopped, its parent waits for it, and both go on")


def test_a_killed_blaunch_leaves_nothing(bench):
    with BatchCluster(bench, ALL[:2]) as batch:
        notes = bench.fresh_directory()
        # The shell that RES starts dies by HUP; what it leaves ignores HUP and TERM.
        with open(f"{notes}/task", "w", encoding="utf-8") as file:
            file.write(f"trap '' HUP TERM\necho $$ >{notes}/$(hostname).new\nmv {notes}/$(hostname).new {notes}/$(hostname).pid\n"
                       "while :; do sleep 1; done\n")
        job = batch.bsub(f"blaunch -z 'n1 n2' 'sh {notes}/task; true' & echo $! >{notes}/blaunch; wait; sleep 1000", "-n", "2", "-R",
                         "span[ptile=1]", "-o", "/dev/null")
        files = [f"{notes}/{name}.pid" for name in ALL[:2]]
        wait_until(lambda: all(map(os.path.exists, files)), lambda: f"tasks: {os.listdir(notes)}")
        tasks = [int(read(file)) for file in files]
        os.kill(int(read(f"{notes}/blaunch")), 9)
        wait_until(lambda: not any(os.path.exists(f"/proc/{task}") for task in tasks), lambda: f"{tasks} live on", 20)
        expect_equal(batch.field(job), "RUN", "the job")
        batch.good("bkill", str(job))
        batch.wait_for(job, "EXIT")
    bench.saw("what ignored HUP and TERM is gone on both hosts; the job goes on")


def test_a_parallel_job_gets_the_hosts_it_asked_for(bench):
    with BatchCluster(bench, ALL) as batch:
        notes = bench.fresh_directory()
        job = batch.bsub("echo $LSB_HOSTS; echo $LSB_MCPU_HOSTS; cat $LSB_DJOB_HOSTFILE", "-n", "8", "-R",
                         "span[ptile=2]", "-o", f"{notes}/out")
        batch.wait_for(job, "DONE")
        hosts, pairs, *file = read(f"{notes}/out").splitlines()[:10]
        expect_equal(sorted(hosts.split()), sorted(ALL * 2), "LSB_HOSTS")
        expect_equal(sorted(pairs.split()[0::2]), list(ALL), "LSB_MCPU_HOSTS")
        expect_equal(pairs.split()[1::2], ["2"] * 4, "slots")
        expect_equal(sorted(file), sorted(ALL * 2), "the host file")
    bench.saw("two slots on each of four hosts, told alike in three ways")


def test_the_speed_of_its_host_goes_with_a_job(bench):
    """A cluster of slow and fast hosts: JOB_START, lsb.acct, bacct -N, bjobs -l and -N know which a job has run on."""
    batch = BatchCluster(bench, ALL[:2])
    batch.models = {"n1": "PC", "n2": "FAST"}
    batch.write_files()
    logs = os.path.join(batch.work, "test", "logdir")
    burn = "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done"
    with batch:
        for host, factor in (("n1", 2.0), ("n2", 8.0)):
            job = batch.bsub(burn, "-m", host, "-o", "/dev/null")
            batch.wait_for(job, "DONE")
            for name, found in (("lsb.events", rf'"JOB_START" \S+ \d+ {job} 4 0 0 {factor:.2f} 1 "{host}"'),
                                ("lsb.acct", rf'"JOB_FINISH" \S+ \d+ {job} .* 64 {factor:.2f} "')):
                path = os.path.join(logs, name)
                wait_until(lambda: re.search(found, read(path)), lambda: f"{found} in {name}: {read(path)}")

            def seconds(*words):
                lines = batch.good("bacct", "-l", *words, str(job)).splitlines()
                at = next(i for i, line in enumerate(lines) if line.split()[:2] == ["CPU_T", "WAIT"])
                return float(lines[at + 1].split()[0])

            own = seconds()
            expect(own >= 0.1, f"the job computed: {own} s")
            expect(abs(seconds("-N", "4") - own * factor / 4) < 0.02, f"bacct -N 4 of {own} s: {seconds('-N', '4')}, at {factor}")
            expect(abs(seconds("-N", host) - own) < 0.02, f"bacct -N {host} of {own} s: {seconds('-N', host)}")

            def shown(*words):
                text = re.sub(r"\n {21}", "", batch.good("bjobs", "-l", *words, str(job)))
                used = re.search(r"CPU time used is ([0-9.]+) seconds", text)
                expect(used, f"the CPU time in bjobs -l {words}: {text}")
                return float(used[1])

            expect(abs(shown() - own) < 0.1, f"bjobs -l of {own} s: {shown()}")
            expect(abs(shown("-N", "4") - own * factor / 4) < 0.1, f"bjobs -l -N 4 of {own} s: {shown('-N', '4')}, at {factor}")
            other, of_other = ("FAST", 8.0) if host == "n1" else ("PC", 2.0)
            expect(abs(shown("-N", other) - own * factor / of_other) < 0.1, f"bjobs -l -N {other} of {own} s: {shown('-N', other)}")
    bench.saw("factors 2 and 8 in JOB_START, in lsb.acct and in what bacct -N, bjobs -l and bjobs -l -N make of the CPU time")


def mpi_job(bench, batch, kind, mpi, launcher_words):
    notes = bench.fresh_directory()
    job = batch.bsub(f"{launcher_words} {bench.mpi_target(mpi)} {notes} allreduce", "-n", "8", "-a", kind, "-R",
                     "span[ptile=2]", "-o", f"{notes}/out.%J")
    batch.wait_for(job, "DONE", "EXIT", seconds=120)
    text = read(f"{notes}/out.{job}")
    expect_equal(batch.field(job), "DONE", f"its end; {text}\n{batch.logs_text()}")
    expect_in("allreduce 36\n", text, "the sum")
    seen = re.findall(r"^\d{5} +(\w+) ", text, re.M)
    expect_equal(sorted(seen), sorted(ALL * 2), f"hosts in pam's table: {text}")


def test_open_mpi_under_pam_on_the_hosts_of_its_job(bench):
    with BatchCluster(bench, ALL) as batch:
        mpi_job(bench, batch, "openmpi", "openmpi", "mpirun.lsf")
        expect(not os.path.exists(bench.cluster.agent_log), "no remote shell was used: blaunch was")
    bench.saw("8 ranks, two on each host, the sum right, pam's table, no remote shell")


def test_mpich_under_pam_on_the_hosts_of_its_job(bench):
    with BatchCluster(bench, ALL) as batch:
        mpi_job(bench, batch, "mpich", "mpich", "mpirun.lsf")
        expect(not os.path.exists(bench.cluster.agent_log), "no remote shell was used: blaunch was")
    bench.saw("8 ranks, two on each host, the sum right, pam's table, no remote shell")


def test_badmin_writes_the_event_file_again(bench):
    with BatchCluster(bench, ALL[:1]) as batch:
        job = batch.bsub("true", "-o", "/dev/null")
        batch.wait_for(job, "DONE")
        path = os.path.join(batch.work, "test", "logdir", "lsb.events")
        wait_until(lambda: '"JOB_STATUS"' in read(path), lambda: read(path))
        before = read(path)
        with open(path, "w", encoding="utf-8") as file:
            file.write("spoilt\n")
        expect_equal(batch.good("badmin", "mbdrebuild"), "lsb.events is written anew\n", "badmin mbdrebuild")
        wait_until(lambda: read(path).startswith(before), lambda: read(path))
    bench.saw(f"{len(before.splitlines())} lines, as they were")


if __name__ == "__main__":
    main(hosts=4, patience=10)
