"""Bad input: one clear line on stderr, exit 2 for usage and 1 for configuration, and nothing is started."""

import os
import shutil
import stat

from rollcall_testing.job import Job, fake, method_1, requires_pam, site
from rollcall_testing.runner import Skip, cases, expect, expect_equal, main

UNKNOWN = 54329  # a user whom no machine has


def refuse(bench, code, words, *named, environment=None, conf=None):
    """Runs pam with these words; TARGET in them stands for a task that would leave a note."""
    notes = bench.fresh_directory()
    task = [bench.target, notes, "exit", "0"]
    full = [w for word in words for w in (task if word == "TARGET" else fake(bench) if word == "LAUNCHER" else [word])]
    values = dict(site(bench, **(conf or {})), **(environment or {}))
    job = Job(bench, [os.path.join(bench.bin, "pam"), *full], environment=values).expect_exit(code, 10)
    expect_equal(os.listdir(notes), [], "what was started")
    lines = job.stderr.splitlines()
    expect(1 <= len(lines) <= 2, f"one line, or one and a hint\n{job.told()}")
    job.expect_said(*named)
    expect_equal(job.stdout, b"", "stdout")
    bench.saw(repr(lines[0]))


REST = ["-g", "1", "LAUNCHER", "TARGET"]

USAGE = {
    "an unknown option": (["--frobnicate", "-g", "1", "LAUNCHER", "TARGET"], ["--frobnicate"]),
    "an unknown letter": (["-z", "-g", "1", "LAUNCHER", "TARGET"], ["-z"]),
    "-g without a launcher": (["-g"], ["-g"]),
    "-g N without a launcher": (["-g", "1"], ["-g"]),
    "N as many as there are words": (["-g", "2", "LAUNCHER", "job"], ["2"]),
    "N beyond the words": (["-g", "9", "LAUNCHER", "TARGET"], ["9"]),
    "N of 0": (["-g", "0", "LAUNCHER", "TARGET"], ["0"]),
    "N of 1000000000": (["-g", "1000000000", "LAUNCHER", "TARGET"], ["1000000000"]),
    "N that no number holds": (["-g", "99999999999999999999", "LAUNCHER", "TARGET"], ["99999999999999999999"]),
    "-n of 0": (["-n", "0", "-g", "1", "LAUNCHER", "TARGET"], ["-n"]),
    "-n of x": (["-n", "x", "-g", "1", "LAUNCHER", "TARGET"], ["-n", "x"]),
    "-n without its number": (["-n"], ["-n"]),
    "a negative timeout": (["--timeout-first", "-5", "-g", "1", "LAUNCHER", "TARGET"], ["--timeout-first", "-5"]),
    "a timeout that is a word": (["--launcher-grace", "soon", *REST], ["--launcher-grace", "soon"]),
    "--report without a file": (["--report"], ["--report"]),
    "nothing at all": ([], []),
    "-mpi with an unknown option": (["-mpi", "mpirun.openmpi", "--frob", "4", "TARGET"], ["--frob", "-g"]),
    "-mpi without a job": (["-mpi", "mpiexec.hydra", "-np", "4"], []),
    "-mpi with an unknown launcher": (["-mpi", "frobrun", "TARGET"], ["frobrun", "-g"]),
    "-auto_place": (["-mpi", "-auto_place", "TARGET"], ["-auto_place"]),
}


@cases(*USAGE)
def test_a_usage_error_is_one_line(bench, what):
    words, named = USAGE[what]
    refuse(bench, 2, words, *named)


def test_a_directory_with_a_blank_for_method_2(bench):
    directory = os.path.join(bench.fresh_directory(), "with blank")
    os.mkdir(directory)
    refuse(bench, 2, ["-g", "LAUNCHER", "TARGET"], "with blank", environment={"LSF_SERVERDIR": directory})


def conf_file(bench, content, mode=0o644):
    directory = bench.fresh_directory("conf")
    path = os.path.join(directory, "lsf.conf")
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, mode)
    return path, {"LSF_ENVDIR": directory}


BROKEN = {
    "a line without =": (b"# fine\nLSF_HPC_PJL_LOADENV_TIMEOUT 5\n", 2),
    "a number that is none": (b"\n\nLSF_HPC_PJL_LOADENV_TIMEOUT=soon\n", 3),
    "a negative number": (b"LSF_HPC_PJL_LOADENV_TIMEOUT=-1\n", 1),
    "a number that nothing holds": (b"LSF_PAM_CLEAN_JOB_DELAY=99999999999999999999\n", 1),
    "a quote that does not end": (b'LSF_LIBDIR="/usr\n', 1),
    "bytes of no text": (b"\x00\x01\xff\xfe=\x00\n", 1),
}


@cases(*BROKEN)
def test_errors_of_lsf_conf_name_file_and_line(bench, what):
    """File, line, found, expected."""
    content, line = BROKEN[what]
    path, environment = conf_file(bench, content)
    refuse(bench, 1, ["-n", "1", *REST], f"{path}:{line}", "expected", environment=environment)


def test_lsf_conf_must_not_be_a_directory(bench):
    directory = bench.fresh_directory("conf")
    os.mkdir(os.path.join(directory, "lsf.conf"))
    words = ["-n", "1", "-g", "1", "LAUNCHER", "TARGET"]
    refuse(bench, 1, words, os.path.join(directory, "lsf.conf"), environment={"LSF_ENVDIR": directory})


def test_fifos_as_files_are_refused_at_once(bench):
    """Opening a FIFO without a writer would block pam for ever and without a message."""
    directory = bench.fresh_directory()
    fifo = os.path.join(directory, "lsf.conf")
    os.mkfifo(fifo)
    words = ["-n", "1", "-g", "1", "LAUNCHER", "TARGET"]
    refuse(bench, 1, words, fifo, "no regular file", environment={"LSF_ENVDIR": directory})
    refuse(bench, 1, words[2:], fifo, "cannot read it", environment={"LSB_DJOB_HOSTFILE": fifo})


def test_a_pam_without_its_taskstarter(bench):
    """An incomplete installation: on every host the launcher would try to start a program that is missing."""
    program = os.path.join(bench.fresh_directory("bin"), "pam")
    shutil.copy(os.path.join(bench.bin, "pam"), program)
    notes = bench.fresh_directory()
    words = [program, "-n", "1", *method_1(fake(bench), [bench.target, notes, "exit", "0"])]
    job = Job(bench, words, environment=site(bench)).expect_exit(1, 10)
    job.expect_said(os.path.join(os.path.dirname(program), "TaskStarter"), "No such file", "beside pam")
    expect_equal(os.listdir(notes), [], "what was started")
    bench.saw(repr(job.stderr.strip()))


def as_user(bench, user, words, environment):
    """pam as a user whom the machine need not know; root alone can be another one."""
    words = [os.path.join(bench.bin, "pam"), *words]
    if os.geteuid() == 0:
        words = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *words]
    job = Job(bench, words, environment=environment)
    if job.wait(10) in (126, 127):
        raise Skip(f"an ordinary user may not run {bench.bin}/pam: {job.stderr.strip()}")
    return job


def test_a_user_without_a_home(bench):
    """A container's user of a bare number: the key has no place, and none is made at the root of the file system."""
    if os.geteuid() != 0:
        raise Skip("only root can be a user whom nobody knows")
    _, environment = conf_file(bench, b"")
    job = as_user(bench, UNKNOWN, ["-n", "1", "-g", "1", "true", "job"], dict(environment, HOME=None))
    job.expect_exit(1).expect_said("HOME: found nothing", str(UNKNOWN), "ROLLCALL_KEY_FILE")
    expect_equal(len(job.stderr.splitlines()), 1, f"lines\n{job.told()}\n")
    bench.saw(repr(job.stderr.strip()))


def test_lsf_conf_that_may_not_be_read(bench):
    """By an ordinary user: root reads everything."""
    path, environment = conf_file(bench, b"LSF_PAM_CLEAN_JOB_DELAY=1\n", 0o000)
    job = as_user(bench, UNKNOWN, ["-n", "1", "-g", "1", "true", "job"], environment)
    job.expect_exit(1).expect_said(path, "Permission denied")
    expect_equal(len(job.stderr.splitlines()), 1, f"lines\n{job.told()}\n")
    bench.saw(repr(job.stderr.strip()))


ENVIRONMENT = {
    "a timeout that is a word": {"LSF_HPC_PJL_LOADENV_TIMEOUT": "soon"},
    "a negative timeout": {"LSF_HPC_PJL_LOADENV_TIMEOUT": "-1"},
    "geometry with a gap": {"LSB_PJL_TASK_GEOMETRY": "{(1)(2)}"},
    "a number of slots that is a word": {"LSB_DJOB_NUMPROC": "many"},
    "a host name with odd bytes": {"LSB_HOSTS": "n1 n\x01\x1b[31m2"},
    "a host file that is missing": {"LSB_DJOB_HOSTFILE": "/no/such/hosts"},
    "a host file without an end": {"LSB_DJOB_HOSTFILE": "/dev/zero"},
    "a host name with a quote": {"LSB_MCPU_HOSTS": "n1;reboot 2"},
}


@cases(*ENVIRONMENT)
def test_invalid_variables_are_refused(bench, what):
    values = ENVIRONMENT[what]
    refuse(bench, 1, ["-g", "1", "LAUNCHER", "TARGET"], *values, environment=values)


KEYS = {
    "open to others": (b"41" * 32 + b"\n", 0o644),
    "too short": (b"4142\n", 0o600),
    "no hex digits": (b"zz" * 32 + b"\n", 0o600),
}


@cases(*KEYS)
def test_an_invalid_key_is_refused(bench, what):
    content, mode = KEYS[what]
    path = os.path.join(bench.fresh_directory("key"), "key")
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, mode)
    expect_equal(stat.S_IMODE(os.stat(path).st_mode), mode, "mode")
    refuse(bench, 1, ["-n", "1", "-g", "1", "LAUNCHER", "TARGET"], path, environment={"ROLLCALL_KEY_FILE": path})


def test_a_report_that_cannot_be_written(bench):
    """Said before anything is started: a job's report must not turn out impossible hours later."""
    notes = bench.fresh_directory()
    words = ["--report", "/no/such/directory/report", *method_1(fake(bench), [bench.target, notes, "exit", "0"])]
    job = Job(bench, [os.path.join(bench.bin, "pam"), "-n", "1", *words], environment=site(bench))
    expect(job.wait(10) in (1, 2), f"exit code\n{job.told()}")
    job.expect_said("/no/such/directory/report")
    expect_equal(os.listdir(notes), [], "what was started")
    bench.saw(repr(job.stderr.splitlines()[0]))


def test_dry_run_starts_nothing(bench):
    notes = bench.fresh_directory()
    words = ["--dry-run", *method_1(fake(bench), [bench.target, notes, "exit", "0", "", "a b"])]
    job = Job(bench, [os.path.join(bench.bin, "pam"), *words], environment=site(bench)).expect_exit(0)
    expect_equal(os.listdir(notes), [], "what was started")
    expect(":0" in job.stdout.decode() and "TaskStarter" in job.stdout.decode(), f"the words with port 0: {job.stdout}")
    bench.saw(f"{len(job.stdout.splitlines())} words shown, nothing started")


@cases("-h", "-V")
def test_help_and_version(bench, option):
    job = Job(bench, [os.path.join(bench.bin, "pam"), option], environment=site(bench)).expect_exit(0)
    expect(job.stderr.strip(), "something is said on stderr, as LSF's commands do")
    bench.saw(repr(job.stderr.splitlines()[0]))


main(requires=requires_pam)
