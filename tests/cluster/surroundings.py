"""Faulty surroundings: streams closed or full, few descriptors, odd names, a record that breaks.

One host. The job is to run as without all that, or pam is to say in one line why it cannot.
"""

import fcntl
import os
import re
import resource
import signal
import socket
import threading
import xml.etree.ElementTree

from rollcall_testing import processes
from rollcall_testing.job import Job, fake, method_1, open_gate, pam, requires_pam, run, site
from rollcall_testing.programs import hold_report_against_notes, notes_in, wait_for_ready
from rollcall_testing.runner import Skip, cases, expect, expect_equal, main
from rollcall_testing.waiting import seconds_until, wait_until

RANKS = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID")


def pam_in_shell(bench, script, *words, **how):
    """pam started by a shell that sets something up first: `script` ends with exec "$@"."""
    program = os.path.join(bench.bin, "pam")
    return Job(bench, ["sh", "-c", script, "sh", program, *words], environment=site(bench), **how)


# Streams


def test_a_closed_stderr_does_not_get_into_the_report(bench):
    notes, report = bench.fresh_directory(), os.path.join(bench.fresh_directory(), "report.json")
    words = ["-v", "--report", report, "-n", "2", *method_1(fake(bench, "--tasks", 2), [bench.target, notes, "exit", "0"])]
    job = pam_in_shell(bench, 'exec "$@" 2>&-', *words)
    job.report_file = report
    job.expect_exit(0)
    hold_report_against_notes(job.report, notes)
    bench.saw("a whole JSON report, and nothing else in its file")


@cases("0", "1", "2")
def test_a_closed_stream_stays_closed_for_the_launcher(bench, number):
    seen = os.path.join(bench.fresh_directory(), "seen")
    script = f'if [ -e /proc/$$/fd/{number} ]; then echo open >"$1"; else echo closed >"$1"; fi; exec "$LSF_TS" $LSF_TS_OPTIONS true'
    words = ["-t", "-n", "1", "-g", "sh", "-c", script, "sh", seen]
    closing = f"{number}<&-" if number == "0" else f"{number}>&-"
    pam_in_shell(bench, f'exec "$@" {closing}', *words).expect_exit(0)
    with open(seen, encoding="ascii") as file:
        expect_equal(file.read(), "closed\n", f"descriptor {number} of the launcher")
    bench.saw(f"descriptor {number} was closed, and is")


def test_a_dry_run_to_a_full_device(bench):
    job = pam_in_shell(bench, 'exec "$@" >/dev/full', "--dry-run", "-g", "1", "mpirun", "job")
    expect(job.wait(10) != 0, f"exit code\n{job.told()}")
    job.expect_said("standard output", "No space left on device")
    bench.saw(job.stderr.strip())


def test_a_report_into_a_fifo_without_a_reader(bench):
    notes, fifo = bench.fresh_directory(), os.path.join(bench.fresh_directory(), "fifo")
    os.mkfifo(fifo)
    words = ["--report", fifo, "-n", "1", *method_1(fake(bench), [bench.target, notes, "exit", "0"])]
    job = Job(bench, [os.path.join(bench.bin, "pam"), *words], environment=site(bench)).expect_exit(1, 10)
    job.expect_said(fifo)
    expect_equal(os.listdir(notes), [], "what was started")
    bench.saw(job.stderr.strip())


def test_a_stderr_that_does_not_block(bench):
    """Somebody else's O_NONBLOCK on the pipe that is our stderr: a table that does not fit comes whole all the same."""
    notes, tasks = bench.fresh_directory(), 120
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    fcntl.fcntl(writing, fcntl.F_SETFL, fcntl.fcntl(writing, fcntl.F_GETFL) | os.O_NONBLOCK)
    words = method_1(fake(bench, "--tasks", tasks), [bench.target, notes, "exit", "0"])
    job = pam(bench, "--full-table", "-n", str(tasks), *words, stderr=writing)
    os.close(writing)
    wait_until(lambda: len(notes_in(notes)) == tasks, f"{tasks} tasks", 20)
    told = b""
    while data := os.read(reading, 65536):
        told += data
    os.close(reading)
    job.expect_exit(0)
    rows = [line for line in told.decode().splitlines() if line[:5].isdigit()]
    expect_equal([int(row[:5]) for row in rows], list(range(tasks)), "rows")
    expect(all(len(row) == len(rows[0]) for row in rows), f"whole rows: {rows}")
    bench.saw(f"{len(told)} bytes through a pipe of 4096 that does not block")


def test_a_limit_of_file_sizes(bench):
    """bsub -F, ulimit -f: a report that does not fit is told of, and the job's exit status is what it was."""
    notes, report = bench.fresh_directory(), os.path.join(bench.fresh_directory(), "report.json")
    launcher = fake(bench, "--tasks", 4, "--exit", 7)
    words = ["-t", "--report", report, "-n", "4", *method_1(launcher, [bench.target, notes, "exit", "0"])]
    job = pam_in_shell(bench, 'ulimit -f 1; exec "$@"', *words).expect_exit(7)  # 512 bytes
    job.expect_said(f"{report}: cannot write the report: File too large")
    bench.saw(job.stderr.strip())


def test_the_plot_has_the_times_of_the_report(bench):
    """The picture is well-formed, and each row's numbers are those that the report has, from the launcher's start on."""
    notes, plot = bench.fresh_directory(), os.path.join(bench.fresh_directory(), "launch.svg")
    task = [bench.target, notes, "exit", "0"]
    job = pam(bench, "-t", "--plot", plot, "-n", "4", *method_1(fake(bench, "--tasks", 4), task)).expect_exit(0)
    told = job.report
    rows = [title.text for title in xml.etree.ElementTree.parse(plot).iter("{http://www.w3.org/2000/svg}title")]
    expect_equal(len(rows), 4, "rows of the plot")
    for entry in told["tasks"]:
        row = next(text for text in rows if f"(pid {entry['pid']})" in text)
        times = [float(number) for number in re.findall(r"(-?[0-9.]+) s", row)]
        expected = [entry[name] - told["job"]["start"] for name in ("start", "registered", "end")]
        expect(all(abs(a - b) < 0.00001 for a, b in zip(times, expected)), f"{row}, the report says {expected}")
        expect(0 <= times[0] <= times[2] and times[0] <= times[1], f"the order of {row}")
    bench.saw(rows[0])


def test_a_full_disk_for_the_plot(bench):
    words = ["-t", "--plot", "/dev/full", "-n", "1", *method_1(fake(bench, "--exit", 7), [bench.target, bench.fresh_directory(), "exit", "0"])]
    job = pam_in_shell(bench, 'exec "$@"', *words).expect_exit(7)
    job.expect_said("/dev/full: cannot write the plot: No space left on device")
    bench.saw(job.stderr.strip())


def test_a_full_disk_for_the_report(bench):
    notes = bench.fresh_directory()
    launcher = fake(bench, "--exit", 7)
    words = ["-t", "--report", "/dev/full", "-n", "1", *method_1(launcher, [bench.target, notes, "exit", "0"])]
    job = pam_in_shell(bench, 'exec "$@"', *words).expect_exit(7)
    job.expect_said("/dev/full: cannot write the report: No space left on device")
    bench.saw(job.stderr.strip())


def test_a_stderr_without_a_reader_does_not_keep_pam_from_ending(bench):
    """A pager at its first page: pam waits with its table, but hears the TERM that is to end it."""
    notes = bench.fresh_directory()
    reading, writing = os.pipe()
    job = pam(bench, "-n", "1", *method_1(fake(bench), [bench.target, notes, "hang"]), stderr=writing)
    wait_for_ready(notes, 1, job)
    fill(writing)
    job.signal(signal.SIGTERM)
    wait_until(lambda: not job.tasks(), lambda: f"the task's end\n{job.told()}", 10)
    wait_until(lambda: waits_for_room(job.pid), "pam to wait for the reader", 10)
    job.signal(signal.SIGTERM)
    expect(job.wait(10) != 0, f"exit code\n{job.told()}")
    for end in (reading, writing):
        os.close(end)
    bench.saw("waited with its table, ended by a second TERM")


def test_a_loss_ends_the_job_though_stderr_has_no_reader(bench):
    """pam ends the job all the same, in its time, and tells of it when it is read again."""
    notes = bench.fresh_directory()
    reading, writing = os.pipe()
    words = method_1(fake(bench, "--tasks", 2), [bench.target, notes, "ignore-term"])
    job = pam(bench, "-n", "2", *words, conf={"JOB_TERMINATE_INTERVAL": 300}, stderr=writing)
    wait_for_ready(notes, 2, job)
    fill(writing)
    launcher = next(p for p in processes.tree_below(job.pid) if p.name == "fake_launcher")
    processes.send(launcher.pid, signal.SIGKILL)
    took = seconds_until(lambda: not job.tasks(), lambda: f"the tasks' end\n{job.told()}", 5)
    os.close(writing)
    told = b""
    while data := os.read(reading, 65536):
        told += data.lstrip(b"x")
    os.close(reading)
    job.expect_exit(137)
    lines = told.decode().splitlines()
    expect("was killed by signal 9 (KILL)" in lines[0], f"the first line: {lines}")
    expect_equal(sum("Signal (9 KILL)" in line for line in lines), 2, f"rows of the table: {lines}")
    bench.saw(f"gone after {took:.1f} s; {lines[0]!r}")


def fill(pipe):
    """Fills the pipe by a descriptor of its own, since pam's blocks."""
    filling = os.open(f"/proc/self/fd/{pipe}", os.O_WRONLY | os.O_NONBLOCK)
    try:
        while os.write(filling, b"x" * 4096):
            pass
    except BlockingIOError:
        pass
    os.close(filling)


def waits_for_room(pid):
    """True when pam has no process below it and sleeps."""
    return not processes.tree_below(pid) and processes.read_process(pid).state == "S"


# Descriptors


def test_four_descriptors_are_too_few_and_it_is_said(bench):
    notes = bench.fresh_directory()
    words = ["-n", "1", *method_1(fake(bench), [bench.target, notes, "exit", "0"])]
    job = pam_in_shell(bench, 'ulimit -n 4; exec "$@"', *words).expect_exit(1, 10)
    job.expect_said("Too many open files")
    expect_equal(os.listdir(notes), [], "what was started")
    bench.saw(job.stderr.strip())


def test_thirty_tasks_on_24_descriptors(bench):
    """Not all connections fit at once: those that come later wait, and every task runs and is reported."""
    notes, report = bench.fresh_directory(), os.path.join(bench.fresh_directory(), "report.json")
    task = [bench.target, notes, "after-ms", "200"]
    raised = ["sh", "-c", 'ulimit -n 24; exec "$@"', "sh"]
    words = ["--report", report, "-n", "30", *method_1(fake(bench, "--tasks", 30), task)]
    job = Job(bench, [*raised, os.path.join(bench.bin, "pam"), *words], environment=site(bench, ROLLCALL_HOST_RELAY="N"))
    job.report_file = report
    job.expect_exit(0, 40)
    hold_report_against_notes(job.report, notes)
    expect_equal(len(job.report["tasks"]), 30, "tasks in the report")
    job.expect_said("the hard limit of descriptors is 24")
    bench.saw("30 tasks, all reported")


def test_the_launcher_gets_back_the_limit_that_pam_raised(bench):
    """pam takes all descriptors that it may have; the launcher and the tasks have the limit that the user had."""
    notes, gate = bench.fresh_directory(), os.path.join(bench.fresh_directory(), "gate")
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    script = 'ulimit -Sn >"$0/launcher"; exec "$LSF_TS" $LSF_TS_OPTIONS sh -c \'ulimit -Sn >"$0/task"; exec "$@"\' "$0" "$@"'
    words = ["-n", "1", "-g", "sh", "-c", script, notes, bench.target, notes, "wait", gate]
    job = pam_in_shell(bench, 'ulimit -Sn 100; exec "$@"', *words)
    wait_for_ready(notes, 1, job)
    with open(f"/proc/{job.pid}/limits", encoding="ascii") as file:
        own = next(line.split()[3] for line in file if line.startswith("Max open files"))
    open_gate(gate)
    job.expect_exit(0)
    expect_equal(own, str(hard), "pam's own soft limit")
    for who in ("launcher", "task"):
        with open(os.path.join(notes, who), encoding="ascii") as file:
            expect_equal(file.read(), "100\n", f"soft limit of the {who}")
    bench.saw(f"100 before and below, {hard} in pam")


# Names and variables


def test_an_odd_host_name(bench):
    notes = bench.fresh_directory()
    if os.geteuid() != 0:
        raise Skip("only root can give a host another name")
    rename = 'import os, socket, sys; socket.sethostname(b"n 1\\n\\x1b[31m\\xff"); os.execvp(sys.argv[1], sys.argv[1:])'
    script = 'exec unshare --uts python3 -c "$0" "$LSF_TS" $LSF_TS_OPTIONS "$@"'
    job = pam(bench, "-n", "1", "-g", "sh", "-c", script, rename, bench.target, notes, "exit", "0").expect_exit(0)
    expect_equal(job.report["tasks"][0]["host"], "n?1???31m?", "host in the report")
    expect("\x1b" not in job.stderr, f"no escape on the terminal\n{job.told()}")
    bench.saw(job.report["tasks"][0]["host"])


@cases("method 1", "method 2")
def test_an_odd_name_of_pams_own_host(bench, way):
    """Its addresses serve; no byte of the name reaches a command line or a terminal."""
    notes, seen = bench.fresh_directory(), os.path.join(bench.fresh_directory(), "seen")
    if os.geteuid() != 0:
        raise Skip("only root can give a host another name")
    rename = 'import os, socket, sys; socket.sethostname(b"n 1,\\x1b[31m"); os.execvp(sys.argv[1], sys.argv[1:])'
    record = 'printf "%s\\n" "$LSF_TS_OPTIONS" "$@" >"$0"; '
    words = [seen, bench.target, notes, "signal", "9"]
    if way == "method 1":
        words = ["-n", "1", "-g", "4", "sh", "-c", record + 'exec "$@"', *words]
    else:
        words = ["-n", "1", "-g", "sh", "-c", record + 'exec "$LSF_TS" $LSF_TS_OPTIONS "$@"', *words]
    job = pam_in_shell(bench, f"exec unshare --uts python3 -c '{rename}' \"$@\"", *words).expect_exit(137)
    with open(seen, encoding="utf-8") as file:
        told = file.read()
    expect("n 1" not in told and "\x1b" not in told + job.stderr, f"the name in {told!r} or\n{job.told()}")
    job.expect_said("the launcher sh", "n?1???31m")
    bench.saw(next(line for line in job.stderr.splitlines() if "the launcher" in line))


def test_an_odd_program_name(bench):
    """A program name with newlines and escapes is shown as one line without control characters."""
    words = ["-n", "1", "-g", "1", "env", "/no/such\n\x1b[31mapp"]
    job = pam_in_shell(bench, 'exec "$@"', *words).expect_exit(127)
    job.expect_said("pam: 1 of 1 tasks: cannot execute /no/such  [31mapp: No such file or directory (host ")
    expect("\x1b" not in job.stderr, f"no escape\n{job.told()}")
    bench.saw(job.stderr.splitlines()[0])


def test_pams_own_rank_is_not_its_tasks(bench):
    """pam as a task of an outer job: its tasks do not take the outer rank for theirs."""
    notes = bench.fresh_directory()
    script = "env | grep -E '^(OMPI_COMM_WORLD_RANK|PMIX_RANK|PMI_RANK|SLURM_PROCID|OUTER)='; exec \"$@\""
    launcher = fake(bench, "--tasks", 2, "--no-ranks")
    outer = dict({name: "7" for name in RANKS}, OUTER="kept")
    job = run(bench, launcher, ["sh", "-c", script, "sh", bench.target, notes, "exit", "0"], "-n", "2", environment=outer)
    job.expect_exit(0)
    expect_equal(job.stdout.split(), [b"OUTER=kept"] * 2, "of these variables")
    expect_equal([t.get("rank") for t in job.report["tasks"]], [None, None], "ranks in the report")
    bench.saw("none of the four reaches the tasks")


# A connection that breaks


class Between(threading.Thread):
    """A proxy on 127.0.0.1 to pam's port. Its first connection's bytes to pam are spoilt from when `spoil` is set."""

    def __init__(self, pam_port):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port, self.pam_port = self.listener.getsockname()[1], pam_port
        self.spoil, self.served = threading.Event(), 0

    def run(self):
        try:
            while True:
                client, _ = self.listener.accept()
                self.served += 1
                server = socket.create_connection(("127.0.0.1", self.pam_port))
                first = self.served == 1
                threading.Thread(target=self.pump, args=(client, server, first), daemon=True).start()
                threading.Thread(target=self.pump, args=(server, client, False), daemon=True).start()
        except OSError:
            pass  # closed: the test is over

    def pump(self, source, sink, first):
        try:
            while data := source.recv(65536):
                sink.sendall(data[:-1] + bytes([data[-1] ^ 1]) if first and self.spoil.is_set() else data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def test_a_broken_record_on_an_open_connection(bench):
    """pam refuses the connection; TaskStarter comes again, and nothing of the job is lost.

    The record is the one by which TaskStarter tells that the shell that started it has gone.
    """
    notes, gate, way = bench.fresh_directory(), os.path.join(bench.fresh_directory(), "gate"), bench.fresh_directory()
    script = (
        'echo "$LSF_TS_OPTIONS" >"$0/draft"; mv "$0/draft" "$0/options"; until [ -e "$0/port" ]; do :; done; '
        'read port <"$0/port"; ("$LSF_TS" -p "127.0.0.1:$port" "$@" & until [ -e "$0/leave" ]; do sleep 0.05; done); '
        'until [ -e "$4" ]; do sleep 0.05; done; sleep 0.3'
    )
    job = pam(bench, "-n", "1", "-g", "sh", "-c", script, way, bench.target, notes, "wait", gate)
    options = os.path.join(way, "options")
    wait_until(lambda: os.path.exists(options), lambda: f"the options\n{job.told()}", 10)
    with open(options, encoding="ascii") as file:
        words = file.read().split()
    between = Between(int(words[words.index("-p") + 1].rsplit(":", 1)[1]))
    between.start()
    with open(os.path.join(way, "draft"), "w", encoding="ascii") as file:
        file.write(f"{between.port}\n")
    os.rename(os.path.join(way, "draft"), os.path.join(way, "port"))
    wait_for_ready(notes, 1, job)
    between.spoil.set()
    open_gate(os.path.join(way, "leave"))
    wait_until(lambda: between.served == 2, lambda: f"a second connection\n{job.told()}", 10)
    open_gate(gate)
    job.expect_exit(0, 20)
    between.listener.close()
    hold_report_against_notes(job.report, notes, ranks_known=False)
    job.expect_said("refused a connection from 127.0.0.1")
    expect_equal(between.served, 2, "connections")
    bench.saw(next(line for line in job.stderr.splitlines() if "refused" in line))


def test_a_hundred_addresses_have_lines_of_their_own(bench):
    """More are refused as well, but do not fill the log."""
    notes = bench.fresh_directory()
    gate = os.path.join(notes, "gate")
    job = pam(bench, "-n", "1", *method_1(fake(bench), [bench.target, notes, "wait", gate]))
    wait_for_ready(notes, 1, job)
    port = job.port()
    for number in range(1, 131):
        with socket.create_connection(("127.0.0.1", port), 10, (f"127.0.1.{number}", 0)) as stranger:
            stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
            stranger.settimeout(10)
            try:
                expect_equal(stranger.recv(1), b"", "answer")
            except ConnectionError:
                pass
    open_gate(gate)
    job.expect_exit(0)
    lines = [line for line in job.stderr.splitlines() if "refused a connection from 127.0.1." in line]
    expect_equal(len(lines), 100, "lines")
    bench.saw("130 addresses, 100 lines, one job that went on")


main(requires=requires_pam)
