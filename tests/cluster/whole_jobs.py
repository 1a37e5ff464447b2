"""One job's exit status, its report, its words and its neighbours, with a launcher that fails on request.

One host, no privilege needed. The launcher is tests/fakes/fake_launcher, or the shell.
"""

import os
import signal
import stat

from rollcall_testing import processes, schema
from rollcall_testing.cluster import own_key_directory
from rollcall_testing.job import Job, expect_no_tasks, fake, method_1, open_gate, pam, requires_pam, run, site
from rollcall_testing.programs import hold_report_against_notes, ids_in, notes_in, wait_for_ready
from rollcall_testing.runner import Skip, cases, expect, expect_equal, main
from rollcall_testing.waiting import wait_until


@cases(0, 1, 42, 255)
def test_exit_code_of_the_launcher(bench, code):
    notes = bench.fresh_directory()
    run(bench, fake(bench, "--exit", code), [bench.target, notes, "exit", "9"], "-n", "1").expect_exit(code)
    bench.saw(f"{code}")


def test_a_task_dies_of_each_signal(bench):
    """The launcher sees the same death as without pam: its own code, 128+n here, comes back."""
    for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL, signal.SIGTERM, signal.SIGUSR1):
        notes = bench.fresh_directory()
        job = run(bench, fake(bench), [bench.target, notes, "signal", str(int(number))], "-n", "1")
        job.expect_exit(128 + number)
        hold_report_against_notes(job.report, notes)
        job.expect_said(f"Signal ({int(number)} {number.name.removeprefix('SIG')})")
    bench.saw("SEGV ABRT KILL TERM USR1: in the report, in the table, and as 128+n from the launcher")


def test_a_reordering_launcher(bench):
    notes = bench.fresh_directory()
    script = 'exec "$0" "$1" exit "$PMI_RANK"'
    launcher = fake(bench, "--tasks", 5, "--order", "4,2,0,3,1", "--delay", 20)
    job = run(bench, launcher, ["sh", "-c", script, bench.target, notes], "-n", "5").expect_exit(4)
    hold_report_against_notes(job.report, notes)
    expect_equal([t["tid"] for t in job.report["tasks"]], [0, 1, 2, 3, 4], "TIDs in the report")
    bench.saw("TID is the rank, whatever the order")


def test_the_same_rank_twice(bench):
    notes = bench.fresh_directory()
    gate = os.path.join(notes, "gate")
    launcher = fake(bench, "--tasks", 2, "--order", "0,1,1")
    job = run(bench, launcher, [bench.target, notes, "wait", gate], "-n", "3")
    wait_for_ready(notes, 3, job)
    open_gate(gate)
    job.expect_exit(0)
    hold_report_against_notes(dict(job.report, tasks=[dict(t, tid=t["rank"]) for t in job.report["tasks"]]), notes)
    expect_equal(sorted(t["tid"] for t in job.report["tasks"]), [0, 1, 2], "TIDs: the order of registration")
    job.expect_said("rank 1")
    bench.saw("both run, pam says so")


def test_more_tasks_than_expected(bench):
    notes = bench.fresh_directory()
    job = run(bench, fake(bench, "--tasks", 5), [bench.target, notes, "after-ms", "300"], "-n", "2").expect_exit(0)
    expect_equal(len(job.report["tasks"]), 5, "tasks in the report")
    bench.saw("2 expected, 5 came, all are in the report")


def test_a_starter_in_the_background(bench):
    """`TaskStarter app &` in a wrapper: its parent leaves by design and the job goes on."""
    notes = bench.fresh_directory()
    gate = os.path.join(notes, "gate")
    script = '("$LSF_TS" $LSF_TS_OPTIONS "$@" &) ; while [ ! -e "$4" ]; do sleep 0.05; done; sleep 0.3'
    job = pam(bench, "-n", "1", "-g", "sh", "-c", script, "sh", bench.target, notes, "wait", gate)
    wait_for_ready(notes, 1, job)
    begun = processes.clock()
    wait_until(lambda: processes.clock() > begun + 2, "two seconds", 4)
    expect(not job.ended() and len(job.tasks()) == 1, f"the job goes on\n{job.told()}")
    open_gate(gate)
    job.expect_exit(0)
    hold_report_against_notes(job.report, notes, ranks_known=False)
    bench.saw("went on for 2 s without its parent, and ended well")


def test_starters_from_a_child_that_leaves(bench):
    """A launcher whose helper starts the tasks and ends well: no loss, and nothing of the job is ended for it.

    The helper may be gone before a TaskStarter has looked who its parent is, or after that.
    """
    notes = bench.fresh_directory()
    launcher = fake(bench, "--tasks", 2, "--background", "--tail", 1500, "--exit", 0)
    job = run(bench, launcher, [bench.target, notes, "after-ms", "700"], "-n", "2").expect_exit(0)
    hold_report_against_notes(job.report, notes)
    expect("while the launcher lives" not in job.stderr, f"nothing was lost\n{job.told()}")
    bench.saw("both tasks outlive their parent, exit 0")


@cases("USR2", "QUIT")
def test_a_launcher_that_catches_a_signal_gets_it(bench, name):
    """A script with a trap of its own; a launcher without one would die of these, and is spared them."""
    notes, caught = bench.fresh_directory(), os.path.join(bench.fresh_directory(), "caught")
    script = f'trap "echo once >>$0" {name}; "$LSF_TS" $LSF_TS_OPTIONS "$@" & while kill -0 $!; do wait $!; done; exit 5'
    job = pam(bench, "-n", "1", "-g", "sh", "-c", script, caught, bench.target, notes, "signals", conf={"JOB_TERMINATE_INTERVAL": 1})
    wait_for_ready(notes, 1, job)
    job.signal(getattr(signal, f"SIG{name}"))
    wait_until(lambda: os.path.exists(caught) and os.path.getsize(caught), lambda: f"the trap\n{job.told()}", 10)
    job.signal(signal.SIGTERM)
    job.wait()
    with open(caught, encoding="ascii") as file:
        expect_equal(file.read(), "once\n", "what the launcher caught")
    bench.saw(f"{name} once")


def test_processes_that_a_task_leaves_behind_are_ended(bench):
    notes = bench.fresh_directory()
    job = run(bench, fake(bench, "--tasks", 3), [bench.target, notes, "leave"], "-n", "3").expect_exit(0)
    expect_equal(len(ids_in(notes, "left")), 3, "processes that were left")
    expect_no_tasks(job, 0.1)
    bench.saw("3 double-forked children ended with their tasks")


def test_every_report_fits_its_schema(bench):
    """All reports that these tests read are checked against docs/report.schema.json; here: that the check finds spoilt reports."""
    notes = bench.fresh_directory()
    job = run(bench, fake(bench, "--tasks", 2), [bench.target, notes, "exit", "3"], "-n", "2").expect_exit(3)
    report = job.report
    expect_equal(schema.problems(report), [], "problems of a good one")
    first = report["tasks"][0]
    spoilt = {
        "$: without why": {k: v for k, v in report.items() if k != "why"},
        "$.exit_code: found 256": dict(report, exit_code=256),
        "$.exit_code: found True": dict(report, exit_code=True),
        "$.more: in no schema": dict(report, more=1),
        "$.tasks[0]: without state": dict(report, tasks=[{k: v for k, v in first.items() if k != "state"}]),
        "$.tasks[0].state: found 'gone'": dict(report, tasks=[dict(first, state="gone")]),
        "$.tasks[0].host: found 7": dict(report, tasks=[dict(first, host=7)]),
        "$.job.command[0]: found None": dict(report, job={"command": [None]}),
    }
    for problem, bad in spoilt.items():
        expect(any(p.startswith(problem) for p in schema.problems(bad)), f"{problem}: {schema.problems(bad)}")
    described = set(schema.read()["properties"]["tasks"]["items"]["properties"])
    expect_equal(described - set(first), {"error", "signal", "core_dumped", "killed_after_failure"}, "fields that an ended task has not")
    bench.saw(f"{len(spoilt)} spoilt reports found out; {len(first)} fields of a task")


# Several at once


def test_several_pams_at_once_in_one_directory(bench):
    directory, jobs = bench.fresh_directory("together"), []
    for code in range(6):
        notes = bench.fresh_directory()
        words = method_1(fake(bench, "--tasks", 2), [bench.target, notes, "exit", str(code)])
        jobs.append((code, notes, pam(bench, "-n", "2", *words, directory=directory)))
    for code, notes, job in jobs:
        job.expect_exit(code)
        hold_report_against_notes(job.report, notes)
    expect_equal(os.listdir(directory), [], "files in the directory they share")
    bench.saw("6 at once, each with its own tasks and code; nothing written where they ran")


def test_one_after_another_in_one_job(bench):
    """A batch script with three steps, each with a pam of its own."""
    notes = bench.fresh_directory()
    program = os.path.join(bench.bin, "pam")
    launcher = " ".join(fake(bench, "--tasks", 2))
    step = f'"{program}" -t -n 2 -g 3 {launcher} "{bench.target}" "{notes}" exit'
    done = bench.cluster.popen(
        ["sh", "-c", f"{step} 0 && {step} 0 && {step} 7"], env=bench.cluster.environment, stdin=-3, stdout=-3
    )
    expect_equal(done.wait(30), 7, "the last one's code")
    expect_equal(len(notes_in(notes)), 6, "tasks that ran")
    bench.saw("three pams in one script, 7 from the last")


# The words around


def test_words_stay_as_they_were(bench):
    """Empty words, blanks, quotes, newlines and words like options reach the task byte for byte."""
    words = ["", " ", "a  b", 'say "hi"', "it's", "$HOME", "-n", "--", "new\nline", "\t", "\\", "*", "-g", "ä", "-p"]
    script = 'printf "%s\\0" "$@"'
    job = pam(bench, "-t", "-n", "1", "-g", "1", "env", "sh", "-c", script, "sh", *words).expect_exit(0)
    expect_equal(job.stdout.decode().split("\0")[:-1], words, "words that the task got")
    bench.saw(f"{len(words)} odd words")


def test_the_table_can_be_left_out(bench):
    notes = bench.fresh_directory()
    job = run(bench, fake(bench), [bench.target, notes, "exit", "0"], "-n", "1", "-t").expect_exit(0)
    expect("TID" not in job.stderr and "HOST_NAME" not in job.stderr, f"no table\n{job.told()}")
    bench.saw("no table with -t")


def test_usage_is_a_second_table(bench):
    notes = bench.fresh_directory()
    job = run(bench, fake(bench, "--tasks", 2), [bench.target, notes, "exit", "0"], "-n", "2", "-t", "--usage")
    job.expect_exit(0)
    table = [line.split() for line in job.stderr.splitlines()]
    expect_equal([row[0] for row in table], ["TID", "=====", "00000", "00001", "total"], f"rows\n{job.told()}")
    memory = [t["peak_memory_bytes"] / 1024**2 for t in job.report["tasks"]]
    expect_equal([row[6] for row in table[2:4]], [f"{m:.1f}" for m in memory], "MiB, as in the report")
    bench.saw(" ".join(table[-1]))


def test_v_says_which_rule_counts(bench):
    notes = bench.fresh_directory()
    launcher = fake(bench, "--tasks", 2)
    environment = {"LSB_DJOB_NUMPROC": "2"}
    job = run(bench, launcher, [bench.target, notes, "exit", "0"], "-v", environment=environment).expect_exit(0)
    job.expect_said("LSB_DJOB_NUMPROC")
    bench.saw("-v names LSB_DJOB_NUMPROC")


def without_own_key():
    """The words before a command that hide the key of whoever runs the tests."""
    directory = own_key_directory()
    if not os.path.exists(os.path.join(directory, "key")):
        return []
    if os.geteuid() != 0:
        raise Skip(f"{directory}/key would be taken, and only root can hide it")
    return ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', directory]


def pam_of_another_home(bench, home, *words):
    own = dict(site(bench), HOME=home)
    return Job(bench, [*without_own_key(), os.path.join(bench.bin, "pam"), *words], environment=own)


def test_the_key_is_made_for_the_user_alone(bench):
    home = bench.fresh_directory("home")
    notes = bench.fresh_directory()
    words = method_1(fake(bench), [bench.target, notes, "exit", "0"])
    pam_of_another_home(bench, home, "-n", "1", *words).expect_exit(0)
    key = os.path.join(home, ".rollcall", "key")
    expect_equal(stat.S_IMODE(os.stat(key).st_mode), 0o600, "mode of the key")
    expect_equal(stat.S_IMODE(os.stat(os.path.dirname(key)).st_mode), 0o700, "mode of its directory")
    bench.saw("~/.rollcall/key 0600 in a directory 0700")


@cases("another", "no")
def test_a_taskstarter_with_home(bench, which):
    """pam tells where it found its key."""
    notes, nowhere = bench.fresh_directory(), bench.fresh_directory("nowhere")
    change = f"HOME={nowhere}" if which == "another" else "unset HOME;"
    script = f'{change} exec "$LSF_TS" $LSF_TS_OPTIONS "$@"'
    pam(bench, "-n", "1", "-g", "sh", "-c", script, "sh", bench.target, notes, "exit", "0").expect_exit(0, 15)


def test_a_key_of_the_home_directory_needs_no_name_service(bench):
    """HOME is another directory, so pam tells where the key is."""
    if os.geteuid() != 0:
        raise Skip("only root can put a key into its home directory for one test")
    home, notes = bench.fresh_directory("home"), bench.fresh_directory()
    keep = 'mount -t tmpfs none "$0" && printf "%064d\\n" 7 >"$0/key" && chmod 600 "$0/key" && exec "$@"'
    hidden = ["unshare", "--mount", "sh", "-c", keep, own_key_directory()]
    script = 'PATH=/nonexistent exec "$LSF_TS" $LSF_TS_OPTIONS "$@"'
    words = ["-n", "1", "-g", "sh", "-c", script, "sh", bench.target, notes, "exit", "0"]
    os.makedirs(own_key_directory(), mode=0o700, exist_ok=True)
    Job(bench, [*hidden, os.path.join(bench.bin, "pam"), *words], environment=dict(site(bench), HOME=home)).expect_exit(0, 15)
    expect(not os.path.exists(f"{home}/.rollcall"), "no key is made in the other directory")
    bench.saw("the key of the home directory serves, though getent cannot be run")


def test_a_taskstarter_without_the_key(bench):
    """On a host that does not have the directory with the key: the line names the files and the host, nothing runs."""
    notes, nowhere, home = bench.fresh_directory(), bench.fresh_directory("nowhere"), bench.fresh_directory("home")
    script = f'mount -t tmpfs none {home} && HOME={nowhere} exec "$LSF_TS" $LSF_TS_OPTIONS "$@"'
    words = ["unshare", "--mount", "sh", "-c", script, "sh", bench.target, notes, "exit", "0"]
    job = pam_of_another_home(bench, home, "-n", "1", "-g", *words)
    job.expect_exit(125, 15)
    job.expect_said(f"{home}/.rollcall/key", f"nor {nowhere}/.rollcall/key", bench.cluster.name)
    expect_equal(os.listdir(notes), [], "what ran")
    bench.saw("125, files and host named, nothing ran")


def test_a_taskstarter_whose_home_nobody_knows(bench):
    """The line says that the home directory was asked for, too."""
    notes, nowhere, home = bench.fresh_directory(), bench.fresh_directory("nowhere"), bench.fresh_directory("home")
    script = f'mount -t tmpfs none {home} && PATH=/nonexistent HOME={nowhere} exec "$LSF_TS" $LSF_TS_OPTIONS "$@"'
    words = ["unshare", "--mount", "sh", "-c", script, "sh", bench.target, notes, "exit", "0"]
    job = pam_of_another_home(bench, home, "-n", "1", "-g", *words)
    job.expect_exit(125, 15)
    job.expect_said(f"nor {nowhere}/.rollcall/key; the name services tell no home directory of user {os.geteuid()}")
    bench.saw("125, and why the home directory was not tried")


def test_a_port_that_is_another_pams(bench):
    """A TaskStarter with another user's key, in effect: the listener cannot prove itself, so no task runs."""
    notes, home = bench.fresh_directory(), bench.fresh_directory("home")
    key = os.path.join(home, ".rollcall", "key")
    os.mkdir(os.path.dirname(key), 0o700)
    with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
        file.write("42" * 32 + "\n")
    script = f'ROLLCALL_KEY_FILE={key} exec "$LSF_TS" $LSF_TS_OPTIONS "$@"'
    job = pam(bench, "-n", "1", "-g", "sh", "-c", script, "sh", bench.target, notes, "exit", "0")
    job.expect_exit(125, 15)
    expect_equal(os.listdir(notes), [], "what ran")
    expect(not job.tasks(), "no task")
    bench.saw("125, nothing ran")


main(requires=requires_pam)
