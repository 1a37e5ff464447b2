"""The b* commands with real daemons of this host: what they show, order and refuse; messages, columns, exit codes."""

import array
import fcntl
import functools
import json
import os
import re
import subprocess
import termios

from lsf_daemons_batch import Site
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

COMMANDS = ("bjobs", "bhosts", "bqueues", "bhist", "bacct", "busers", "bparams", "bclusters", "bmgroup", "bugroup", "bapp", "blimits",
            "bpeek", "bkill", "bstop", "bresume", "bmod", "bswitch", "btop", "bbot", "brequeue", "brun", "bwait")
site = None  # the cluster of the test that runs


def on_a_site(test):
    """The test has a cluster of this host that takes jobs."""
    @functools.wraps(test)
    def run(bench):
        global site
        with Site(bench) as site:
            site.good("lsf_daemons", "start")
            wait_until(site.takes_jobs, lambda: f"the host to take jobs\n{site.logs()}", 60)
            test(bench)
            site.run("bkill", "-u", "all", "0")
            wait_until(lambda: "No unfinished" in site.run("bjobs", "-u", "all").stderr, "the last jobs to end", 60)
    return run


def submit(*words):
    said = site.good("bsub", "-o", "/dev/null", *words)
    return re.match(r"Job <(\d+)> is submitted", said).group(1)


def status(job):
    return site.run("bjobs", "-noheader", "-o", "stat", job).stdout.strip()


def wait_status(job, *states):
    wait_until(lambda: status(job) in states, lambda: f"job {job} to be {states}, it is {status(job)}\n{site.logs()}", 60)


def says(code, out, error, command, *words):
    """Exit status, and patterns of the whole of both outputs."""
    done = site.run(command, *words)
    line = " ".join([command, *words])
    expect_equal(done.returncode, code, f"{line}: exit status; {done.stdout}{done.stderr}")
    expect(re.fullmatch(out, done.stdout), f"{line}: {out!r} does not match {done.stdout!r}")
    expect(re.fullmatch(error, done.stderr), f"{line}: {error!r} does not match {done.stderr!r} on standard error")


def test_help_version_and_wrong_options_need_no_files(bench):
    environment = dict(bench.cluster.environment, LSF_ENVDIR="/nonexistent")
    for name in COMMANDS:
        for option in ("-h", "--help", "-V", "--version"):
            done = subprocess.run([os.path.join(bench.bin, name), option], env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=120, check=False)
            expect_equal((done.returncode, done.stdout), (0, ""), f"{name} {option}")
            expect_in(f"Usage: {name}" if "h" in option else "LSF-compatible, ", done.stderr, f"{name} {option}")
        if name != "bmod":
            done = subprocess.run([os.path.join(bench.bin, name), "-Q"], env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=120, check=False)
            expect_equal(done.returncode, 255, f"{name} -Q")


@on_a_site
def test_elements_are_named_with_their_index(bench):
    job = submit("-H", "-J", "named[1-3]", "true")
    expect_equal(site.good("bjobs", "-noheader", "-o", "jobindex", "-J", "named[2]").split(), ["2"], "bjobs -J")
    says(0, rf"Job <{job}\[3\]> is being terminated\n", "", "bkill", "-J", "named[3]")
    expect_equal(site.good("bjobs", "-noheader", "-o", "jobindex", "-J", "named[1-3]").split(), ["1", "2"], "the others")
    expect_in(f"Job <{job}", site.good("bhist", "-l", "-a", "-J", "named[1]"), "bhist -J")
    says(0, "", r"Job <named\[9\]> is not found\n", "bjobs", "-J", "named[9]")
    site.good("bkill", "-J", "named", "0")


@on_a_site
def test_jobs_that_are_not_there(bench):
    says(0, "", "No unfinished job found\n", "bjobs")
    says(0, "", "No pending job found\n", "bjobs", "-p")
    says(0, "", "No running job found\n", "bjobs", "-r")
    says(0, "", "Job <nosuch> is not found\n", "bjobs", "-J", "nosuch")
    says(255, "", "Job <99999> is not found\n", "bjobs", "99999")
    says(255, "", r"Job <99999\[3\]> is not found\n", "bjobs", "99999[3]")
    says(255, "", "x: Illegal job ID.\n", "bjobs", "x")
    says(255, "", "Job <99999>: No matching job found\n", "bkill", "99999")
    says(255, "", "bjobs: -o: <colour> is not a valid field name\n", "bjobs", "-o", "colour")
    environment = dict(site.environment, LSB_BJOBS_CONSISTENT_EXIT_CODE="Y")
    done = subprocess.run([os.path.join(bench.bin, "bjobs")], env=environment, capture_output=True, text=True, timeout=120,
                          check=False)
    expect_equal((done.returncode, done.stderr), (255, "No unfinished job found\n"), "LSB_BJOBS_CONSISTENT_EXIT_CODE")


@on_a_site
def test_a_held_job_in_every_form(_):
    job = submit("-H", "-J", "held_job_of_ours", "-n", "2", "-R", "rusage[mem=1]", "sleep", "1")
    date = r"[A-Z][a-z]{2} [ 123]\d \d\d:\d\d"
    row = rf"{job} +\S+ +PSUSP normal     \S+ +\*b_of_ours {date}\n"
    header = "JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST   JOB_NAME   SUBMIT_TIME\n"
    says(0, header + row, "", "bjobs", job)
    says(0, header + rf"{job} +\S+ +PSUSP normal +\S+ +- +held_job_of_ours {date}\n", "", "bjobs", "-w", job)
    says(0, rf"JOBID .* SLOTS\n{job} .* -  2\n", "", "bjobs", "-W", job)
    says(0, rf"{job} PSUSP held_job_of_ours 2\n", "", "bjobs", "-noheader", "-o", "jobid stat name nreq_slot", job)
    says(0, rf"{job} PSUSP\n", "", "bjobs", "-noheader", "-o", "jobid stat", "-aJ", "*of_ours")
    says(0, r"RUN +SSUSP +USUSP +UNKNOWN +PEND +FWD_PEND *\n0 +0 +0 +0 +2 +0 *\n", "", "bjobs", "-sum")
    says(0, rf"JOBID\^STAT\n{job}\^PSUSP\n", "", "bjobs", "-o", "JobID:9 Stat delimiter='^'", job)
    records = json.loads(site.run("bjobs", "-json", "-o", "jobid stat exit_code", job, "99999").stdout)["RECORDS"]
    expect_equal(records, [{"JOBID": job, "STAT": "PSUSP", "EXIT_CODE": ""},
                           {"JOBID": "99999", "ERROR": "Job <99999> is not found"}], "-json")
    text = site.good("bjobs", "-l", job)
    expect(all(len(line) <= 80 for line in text.splitlines()), f"bjobs -l: 80 columns: {text}")
    flat = text.replace("\n" + " " * 21, "")
    expect_in(f"Job <{job}>, Job Name <held_job_of_ours>, User <", flat, "bjobs -l")
    expect_in("2 Task(s), Requested Resources <rusage[mem=1]>;", flat, "bjobs -l")
    expect_in("Job Name <held_job_of_ours>, User <", site.good("bjobs", "-UF", job).splitlines()[1], "bjobs -UF")
    expect_in(" PENDING REASONS:\n", text, "bjobs -l")
    reasons = site.good("bjobs", "-p", "--no-why", job).splitlines()
    expect(len(reasons) == 3 and re.fullmatch(r" .+;", reasons[2]), f"a reason in LSF's words: {reasons}")
    words = site.good("bjobs", "-p", "--why", job).splitlines()
    expect(len(words) == 3 and not words[2].endswith(";"), f"a reason in words: {words}")
    expect_in(" 1       ", site.good("bhist", job).replace(job, " 1 ", 1), "bhist")
    says(0, rf"Job <{job}> is switched to queue <short>\n", "", "bswitch", "short", job)
    says(0, rf"Parameters of job <{job}> are being changed\n", "", "bmod", "-W", "10", job)
    says(0, rf"{job} short 10.0\n", "", "bjobs", "-noheader", "-o", "jobid queue runtimelimit", job)
    says(0, rf"Job <{job}> is being terminated\n", "", "bkill", job)
    says(255, "", rf"Job <{job}>: Job has already finished\n", "bkill", job)
    expect_in("TERM_OWNER: job killed by owner", site.good("bjobs", "-UF", job), "why it ended")


@on_a_site
def test_a_running_job_is_peeked_at_stopped_resumed_and_ended(_):
    job = submit("-o", os.path.join(site.top, "output"), "echo words of the job; exec sleep 600")
    wait_status(job, "RUN")
    wait_until(lambda: "words of the job" in site.run("bpeek", job).stdout, "the job's output", 60)
    expect(site.good("bpeek", job).startswith("<< output from stdout >>\n"), "bpeek's title")
    says(0, rf"Job <{job}> is being stopped\n", "", "bstop", job)
    wait_status(job, "USUSP")
    says(0, rf"Job <{job}> is being resumed\n", "", "bresume", job)
    wait_status(job, "RUN")
    says(0, rf"Job <{job}> is being requeued\n", "", "brequeue", job)
    wait_until(lambda: site.good("bhist", "-l", job).count("Dispatched") == 2, "its second start", 60)
    wait_status(job, "RUN")
    says(0, rf"Job <{job}> is being signaled\n", "", "bkill", "-s", "URG", job)
    says(0, rf"Job <{job}> is being terminated\n", "", "bkill", job)
    wait_status(job, "EXIT")
    says(0, "", "", "bwait", "-w", f"ended({job})")
    says(255, "", rf"Job <{job}> : Already finished.\n", "bpeek", job)
    history = site.good("bhist", "-l", job).replace("\n" + " " * 21, "")
    for line in ("Submitted from host <", "Started", "Starting (Pid ", "Running with execution home <",
                 "Suspended by the user or administrator;", "Completed <exit>; TERM_OWNER: job killed by owner;",
                 "Summary of time in seconds spent in various states by  "):
        expect_in(line if line != "Started" else "Dispatched 1 Task(s) on Host(s) <", history, "bhist -l")
    accounts = site.good("bacct", "-l", job).replace("\n" + " " * 21, "")
    expect_in(f"Job <{job}>, User <", accounts, "bacct -l")
    expect_in(" Total number of done jobs:       0      Total number of exited jobs:     1\n", accounts, "bacct -l")


@on_a_site
def test_accounts_and_hosts_that_fail(_):
    for _ in range(3):
        wait_status(submit("-J", "fails", "exit 7"), "EXIT")
    says(255, "", "There is no exceptional host found\n", "bhosts", "-x")
    rates = os.path.join(site.conf, "lsbatch", "mycluster", "configdir", "lsb.params")
    with open(rates, encoding="utf-8") as file:
        text = file.read()
    for allowed, shown in (("2", True), ("3", False)):
        with open(rates, "w", encoding="utf-8") as file:
            file.write(text.replace("End Parameters", f"GLOBAL_EXIT_RATE = {allowed}\nEnd Parameters"))
        site.good("badmin", "reconfig")
        wait_until(lambda: (site.run("bhosts", "-x").returncode == 0) == shown, lambda: f"bhosts -x with {allowed}: {site.run('bhosts', '-x')}", 30)
    with open(rates, "w", encoding="utf-8") as file:
        file.write(text)
    job = submit("i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")
    wait_status(job, "DONE")

    def cpu(*options):
        said = site.good("bacct", *options, job)
        return float(re.search(r"Total CPU time consumed: +([0-9.]+)", said).group(1))

    measured = cpu()
    expect(measured >= 0.1, f"CPU time of job {job}: {measured}")
    names, host, *_ = (line.split() for line in site.good("lshosts", "-w").splitlines())
    factor = float(host[names.index("cpuf")])  # the job ran there
    slow = cpu("-N", str(factor / 10))
    expect(abs(slow - 10 * measured) <= 0.11 * 10, f"at a tenth of the speed: {slow}, measured {measured}, CPU factor {factor}")
    expect_in(f"Job <{job}>", site.good("bacct", "-l", job), "bacct -l")
    expect(f"Job <{job}>" not in site.good("bacct", "-b", "-l", job), "bacct -b: the sums alone")
    says(255, "", r"bacct: -N: found \"nosuch\", expected a host, a host model or a CPU factor above 0\n", "bacct", "-N", "nosuch", job)
    says(0, "", "No backfill window meets these requirements at this time\n", "bslots", "-R", "select[CN]")


def links_of(parameter):
    """Connections that the daemon on this port has accepted and not closed."""
    with open(os.path.join(site.conf, "lsf.conf"), encoding="utf-8") as file:
        port = int(re.search(rf"{parameter}=(\d+)", file.read()).group(1))
    rows = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(table, encoding="ascii") as file:
            rows += [line.split() for line in file.readlines()[1:]]
    return sum(1 for row in rows if row[1].endswith(f":{port:04X}") and row[3] == "01")


@on_a_site
def test_bpeek_says_nothing_above_a_refusal_and_bears_a_slow_reader(bench):
    path, size = os.path.join(site.top, "long"), 30_000_000  # more than the sockets between them hold
    job = submit("-o", path, f"head -c {size} /dev/zero | tr '\\0' x; exec sleep 600")
    wait_status(job, "RUN")
    wait_until(lambda: os.path.exists(path) and os.path.getsize(path) == size, "the output", 60)
    slow = subprocess.Popen([os.path.join(bench.bin, "bpeek"), job], env=site.environment, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)
    wait_until(lambda: links_of("LSF_RES_PORT") == 1, "bpeek's connection")
    wait_until(lambda: links_of("LSF_RES_PORT") == 0, "RES to give up a reader that takes nothing", 60)
    out, error = slow.communicate(timeout=120)
    expect_equal((slow.returncode, error, len(out)), (0, b"", len("<< output from stdout >>\n") + size), "what it has read then")
    os.remove(path)
    says(255, "", f".*{path}: No such file or directory\n", "bpeek", job)
    site.run("bkill", job)


def unread_in(pipe):
    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


def sockets_of(pid):
    count = 0
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            count += os.readlink(f"/proc/{pid}/fd/{name}").startswith("socket:")
        except FileNotFoundError:
            pass  # closed meanwhile
    return count


@on_a_site
def test_bjobs_bears_a_slow_reader(bench):
    job = submit("-H", "-J", "long[1-1000]", "echo " + "x" * 30_000)
    slow = subprocess.Popen([os.path.join(bench.bin, "bjobs"), "-UF", job], env=site.environment, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)
    wait_until(lambda: unread_in(slow.stdout) > 0, "its first lines")
    wait_until(lambda: sockets_of(slow.pid) == 0, "it to have the whole answer, while nobody reads", 60)
    out, error = slow.communicate(timeout=120)
    expect_equal((slow.returncode, error, out.count(b"Job <")), (0, b"", 1000), "what it has read then")
    site.run("bkill", job)


@on_a_site
def test_queues_hosts_and_the_rest(_):
    header = "QUEUE_NAME      PRIO STATUS          MAX JL/U JL/P JL/H NJOBS  PEND   RUN  SUSP \n"
    text = site.good("bqueues", "-w")
    expect(text.startswith(header), text)
    expect_in("normal           30  Open:Active ", text, "bqueues")
    expect_in("\nQUEUE: normal\n  -- ", site.good("bqueues", "-l", "normal"), "bqueues -l")
    says(0, r"normal\n", "", "bqueues", "-o", "QUEUE_NAME", "-noheader", "normal")
    says(255, "", "nosuch: No such queue\n", "bqueues", "nosuch")
    says(255, "", "nosuch: No such user or user group\n", "bqueues", "-u", "nosuch")
    says(255, "", "nosuch: No such user or user group\n", "busers", "nosuch")
    says(255, r"USER/GROUP .*\nroot .*\n", "nosuch: No such user or user group\n", "busers", "nosuch", "root")
    says(255, "", "nosuch: No such application profile\n", "bjobs", "-app", "nosuch")
    says(255, "", "nosuch: No such user group\n", "bjobs", "-G", "nosuch")
    says(255, "", "nosuch: Bad host specification. Job not submitted.\n", "bsub", "-c", "1:00/nosuch", "true")
    says(255, "", r'bsub: -J: found "a\[1-".*expected a \] behind the indices. Job not submitted.\n', "bsub", "-J", "a[1-", "true")
    says(0, r"Queue <normal> is closed\n", "", "badmin", "qclose", "normal")
    says(255, "", "normal: Queue has been closed. Job not submitted.\n", "bsub", "-q", "normal", "true")
    says(0, r"Queue <normal> is opened\n", "", "badmin", "qopen", "normal")
    says(0, r"Close <\S+> ...... done\n", "", "badmin", "hclose")
    expect_in(" closed_Adm ", site.good("bhosts", "-w"), "bhosts -w")
    expect_in(" closed  ", site.good("bhosts"), "bhosts")
    says(0, r"Open <\S+> ...... done\n", "", "badmin", "hopen")
    expect(re.search(r"Host <\S+> closed by administrator <\S+>\.\n", site.good("badmin", "hhist")), "hhist")
    expect_in("CURRENT LOAD USED FOR SCHEDULING:", site.good("bhosts", "-l"), "bhosts -l")
    expect_equal(json.loads(site.good("bhosts", "-json"))["HOSTS"], 1, "bhosts -json")
    lines = site.good("badmin", "showconf", "mbd", "all").splitlines()
    expect(all(" =" in line for line in lines[1:]) and any(line.startswith("LSB_SHAREDIR = ") for line in lines), lines)
    expect_in("No errors found.", site.good("badmin", "ckconfig"), "ckconfig")
    expect_in("Reconfiguration initiated", site.good("badmin", "reconfig"), "reconfig")
    queues = os.path.join(site.conf, "lsbatch", "mycluster", "configdir", "lsb.queues")
    with open(queues, encoding="utf-8") as file:
        whole = file.read()
    try:
        with open(queues, "a", encoding="utf-8") as file:
            file.write("Begin Queue\nQUEUE_NAME = odd\nRES_REQ = select[mem>\nEnd Queue\n")
        for subcommand in ("ckconfig", "reconfig"):
            done = site.run("badmin", subcommand)
            expect_equal(done.returncode, 255, f"{subcommand} with a requirement that cannot be read")
            expect_in(f"{queues}:{whole.count(chr(10)) + 3}: RES_REQ: found the end, expected", done.stdout, subcommand)
            expect_in("There is 1 error.\n", done.stdout, subcommand)
    finally:
        with open(queues, "w", encoding="utf-8") as file:
            file.write(whole)
    check_directories_and_modes(site)
    check_cut_files(site)
    check_empty_documents(site)
    check_users_of_files(site)
    check_exports(site)
    says(255, "", "No host is exported to another cluster\n", "bhosts", "-e")
    says(255, "", "No shared resource is exported to another cluster\n", "bhosts", "-e", "-s")
    for shared, count in (((), "HOSTS"), (("-s",), "RESOURCES")):
        expect_equal(json.loads(site.good("bhosts", "-e", *shared, "-json"))[count], 0, f"bhosts -e -json with {shared}")
    says(255, "", "nosuch: Bad host name, host group name or compute unit\n", "bhosts", "-e", "nosuch")
    says(255, "", "bhosts: -R does not go with -e\n", "bhosts", "-e", "-R", "mem > 5")
    expect(site.good("bparams").startswith("Default Queues:  normal"), "bparams")
    expect_in("    MBD_SLEEP_TIME = ", site.good("bparams", "-a"), "bparams -a")
    expect_equal(site.good("busers").splitlines()[0].split()[:3], ["USER/GROUP", "JL/P", "MAX"], "busers")
    expect_in(f"Job <{submit('-H', 'true')}> is being terminated\n", site.good("bkill", "0"), "bkill 0")


class Changed:
    """A context manager: a file of the configuration with another text."""

    def __init__(self, site, name, change):
        self.path, self.change = os.path.join(site.conf, name), change

    def __enter__(self):
        with open(self.path, encoding="utf-8") as file:
            self.whole = file.read()
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(self.change(self.whole))

    def __exit__(self, *_):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(self.whole)


# What mbatchd would refuse, or would make anew, at its next start on this host.
def check_directories_and_modes(site):
    with Changed(site, "lsf.conf", lambda text: text + "LSB_SHAREDIR=/nonexistent/share\nLSF_STRIP_DOMAIN=\n"):
        said = site.good("badmin", "ckconfig")
    expect_in('warning: LSB_SHAREDIR: found "/nonexistent/share", expected a directory that exists on this host\n', said, "ckconfig")
    expect_in("warning: LSF_STRIP_DOMAIN: found no value, expected one; it counts as not set\n", said, "ckconfig")
    key = os.path.join(site.conf, "cluster.key")
    os.chmod(key, 0o644)
    try:
        done = site.run("badmin", "ckconfig")
    finally:
        os.chmod(key, 0o600)
    expect_equal(done.returncode, 255, "ckconfig with a key that others can read")
    expect_in(f"cluster key {key}: ", done.stdout, "ckconfig with a key that others can read")
    if os.geteuid() != 0:
        return
    queues = os.path.join(site.conf, "lsbatch", "mycluster", "configdir", "lsb.queues")
    os.chmod(queues, 0o666)
    try:
        for command in ("badmin", "lsadmin"):
            done = site.run(command, "ckconfig")
            expect_equal(done.returncode, 255 if command == "badmin" else 0, f"{command} ckconfig: {done.stdout}")
            expect_in(f"{queues}: may be written by others than root (mode 0666", done.stdout, f"{command} ckconfig")
        expect_in(f"{queues}: may be written by others than root (mode 0666", site.run("badmin", "reconfig").stderr, "mbatchd itself")
    finally:
        os.chmod(queues, 0o644)
    expect_in("No errors found.", site.good("badmin", "ckconfig"), "ckconfig")


# mbatchd goes on, and is asked: on the first host of lsf.cluster, since lsf.conf has no LSF_MASTER_LIST.
def check_cut_files(site):
    warning = (r"bqueues: warning: the configuration files have errors \(lsadmin ckconfig shows them\); the daemons are asked all "
               r"the same\n")
    with Changed(site, "lsf.shared", lambda text: text.rstrip().rsplit("\n", 1)[0] + "\n"):
        says(0, r"(.*\n)*normal .*\n(.*\n)*", warning, "bqueues")
    with Changed(site, "lsf.cluster.mycluster", lambda text: ""):
        says(255, "", warning + r"bqueues: cannot tell which host has mbatchd: the configuration files have errors \(lsadmin ckconfig "
             r"shows them\), and lsf.conf names no host in ROLLCALL_MBD_HOST\n", "bqueues")


# Where there is nothing to show, -json prints a document without records; the exit code stays.
def check_empty_documents(site):
    for line, count, said in (("bhosts -s", "RESOURCES", "No shared resources defined"),
                              ("bapp", "APPS", "No application profile found"),
                              ("blimits -n nosuch", "LIMITS", "No resource usage found."),
                              ("bhosts -x", "HOSTS", "There is no exceptional host found")):
        says(255, "", f"{said}\n", *line.split())
        done = site.run(*line.split(), "-json")
        expect_equal((done.returncode, done.stderr), (255, ""), f"{line} -json")
        document = json.loads(done.stdout)
        expect_equal((document[count], document["RECORDS"]), (0, []), f"{line} -json")


# A user of lsb.users whom this host does not know.
def check_users_of_files(site):
    users = os.path.join(site.conf, "lsbatch", "mycluster", "configdir", "lsb.users")
    try:
        with open(users, "w", encoding="utf-8") as file:
            file.write("Begin User\nUSER_NAME MAX_JOBS\nnosuch 3\nroot 5\nEnd User\n")
        expect_in(f'{users}:3: warning: USER_NAME: found "nosuch", which is no user or group here', site.good("badmin", "ckconfig"),
                  "ckconfig")
        site.good("badmin", "reconfig")
        says(0, r"USER/GROUP .*\nnosuch .* 3 .*\nroot .* 5 .*\n", "", "busers", "all")
        says(255, "", "nosuch: No such user or user group\n", "busers", "nosuch")
    finally:
        os.remove(users)
    site.good("badmin", "reconfig")


# A host in two export policies of which one selects hosts: refused, with the line.
def check_exports(site):
    host = site.good("bhosts", "-noheader").split()[0]
    resources = os.path.join(site.conf, "lsbatch", "mycluster", "configdir", "lsb.resources")
    policy = "Begin HostExport\n{}\nDISTRIBUTION = ([west, 1])\nEnd HostExport\n"
    try:
        with open(resources, "w", encoding="utf-8") as file:
            file.write(policy.format(f"PER_HOST = {host}\nSLOTS = 1") + policy.format("RES_SELECT = type==any\nNHOSTS = 1"))
        for subcommand in ("ckconfig", "reconfig"):
            done = site.run("badmin", subcommand)
            expect_equal(done.returncode, 255, f"{subcommand} with a host in two policies")
            expect_in(f"{resources}:7: RES_SELECT: host \"{host}\" is also in PER_HOST at {resources}:1", done.stdout, subcommand)
            expect_in("neither cluster can use the hosts that it gets", done.stdout, subcommand)
    finally:
        os.remove(resources)


if __name__ == "__main__":
    main()
