"""The commands that show: what single options of them add, against real daemons of this host; and LSF's options that they
refuse by name."""

import os
import pty
import re
import subprocess

import b_commands
from b_commands import on_a_site, says, submit, wait_status
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

SHOWING = ("bjobs", "bhosts", "bqueues", "bhist", "bacct", "busers", "bparams", "bclusters", "bmgroup", "bugroup", "bapp", "blimits", "bslots")
REFUSED = "Options of LSF's that are refused, with the reason:"


def alone(bench, command, *words):
    """A command without any files."""
    return subprocess.run([os.path.join(bench.bin, command), *words], env={"PATH": "/usr/bin:/bin", "LSF_ENVDIR": "/nonexistent"},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)


def test_refused_options_are_named(bench):
    refused = {}
    for command in SHOWING:
        for line in alone(bench, command, "-h").stderr.splitlines():
            if line.startswith(REFUSED):
                refused[command] = line[len(REFUSED):].split()
    expect_in("-aff", refused["bjobs"], "bjobs")
    for command, options in refused.items():
        for option in options:
            done = alone(bench, command, option)
            expect_equal((done.returncode, done.stdout), (255, ""), f"{command} {option}")
            expect(re.fullmatch(rf"{command}: {option}: .{{10,}}\n", done.stderr), f"{command} {option}: {done.stderr!r}")
    done = alone(bench, "bjobs", "-nosuch")
    expect_in('found the option "-nosuch"', done.stderr, "a word that nobody knows")
    bench.saw(f"{sum(map(len, refused.values()))} options of {len(refused)} commands")


def on_a_terminal(bench, *words):
    """What a command writes to a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([os.path.join(bench.bin, words[0]), *words[1:]], env=b_commands.site.environment, stdin=subprocess.DEVNULL,
                          stdout=theirs, stderr=subprocess.PIPE) as process:
        os.close(theirs)
        text = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            text += part
        os.close(ours)
        expect_equal(process.wait(timeout=120), 0, f"{words} on a terminal: {process.stderr.read()}")
    return text.decode().replace("\r\n", "\n")


@on_a_site
def test_why_jobs_wait(bench):
    site = b_commands.site
    held = submit("-H", "-J", "held", "-Jd", "lake survey", "sleep", "1")
    waits = submit("-J", "waits", "-R", "rusage[mem=1]", "-w", f"done({held})", "sleep", "1")
    much = submit("-J", "much", "-R", "select[mem>900000000]", "sleep", "1")
    wait_until(lambda: "New job" not in site.run("bjobs", "-p", much).stdout, "a scheduling cycle", 60)

    def jobs(*options):
        return site.run("bjobs", "-noheader", "-o", "jobid", *options).stdout.split()
    expect_equal(jobs("-pe"), [much], "-pe")
    expect_equal(jobs("-pi"), [held, waits], "-pi")
    expect_equal(jobs("-pe", "-pi"), [held, waits, much], "-pe -pi")
    expect_equal(jobs("-rusage", "mem"), [waits], "-rusage")
    expect_equal(jobs("-Jd", "lake*"), [held], "-Jd")
    says(0, "", "No matching job found\n", "bjobs", "-fwd")
    says(0, "", "No unfinished job found\n", "bjobs", "-sla", "gold")
    text = site.good("bjobs", "-psum")
    expect(re.match(r"Pending reason summary: published \S.*\nSummarizing 3 pending jobs in cluster \(\S+\):\n\n"
                    r" +JOBS +HOSTS +OCCURRENCES  PENDING REASON\n( +\d+ +(\d+|-) +\d+  \S.*\n)+$", text), text)
    expect_equal(sum(int(row.split()[0]) for row in text.splitlines()[4:]) >= 3, True, text)
    rows = site.good("bjobs", "-p1", much).splitlines()
    expect_equal(len(rows), 3, f"-p1: a header, a row, a reason: {rows}")
    plain, shown = site.good("bjobs", "-p", much), on_a_terminal(bench, "bjobs", "-p", much)
    expect(plain.endswith(";\n"), f"LSF's text where no terminal is: {plain}")
    expect(plain != shown and not shown.endswith(";\n"), f"words to act on, on a terminal: {shown}")
    expect_equal(on_a_terminal(bench, "bjobs", "-p", "--no-why", much), plain, "--no-why on a terminal")
    expect_equal(site.good("bjobs", "-p", "--why", much), shown, "--why where no terminal is")
    for option in ("-a", "-d", "-s"):
        expect_equal(held in jobs(option), option != "-d", f"bjobs {option}")


@on_a_site
def test_a_job_s_own_texts_and_times(bench):
    site = b_commands.site
    script = "#!/bin/sh\n#BSUB -J scripted\n#BSUB -W 10\nexec sleep 600\n"
    environment = dict(site.environment, OWN_WORD="two words")
    said = subprocess.run([os.path.join(bench.bin, "bsub"), "-o", "/dev/null"], input=script, env=environment, capture_output=True,
                          text=True, timeout=120, check=True).stdout
    job = re.match(r"Job <(\d+)>", said).group(1)
    other = submit("-H", "echo other")
    says(0, re.escape(script), "", "bjobs", "-script", job)
    expect_in("\nOWN_WORD=two words\n", "\n" + site.good("bjobs", "-env", job), "-env")
    both = site.good("bjobs", "-script", job, other)
    expect(re.fullmatch(rf"-+\nJob <{job}>:\n{re.escape(script)}-+\nJob <{other}>:\necho other\n", both), both)
    says(255, "", "bjobs: -script: found no job, expected the ID of one\n", "bjobs", "-script")
    says(255, "", "bjobs: found -env with -l, expected one of them\n", "bjobs", "-env", "-l", job)
    says(255, "", "Job <99999> is not found\n", "bjobs", "-env", "99999")
    wait_status(job, "RUN")
    row = rf"{job} .* RUN +normal .* scripted +[A-Z][a-z]{{2}} [ 123]\d \d\d:\d\d  "
    for option, title, value in (("-WF", "FINISH_TIME", r"[A-Z][a-z]{2} [ 123]\d \d\d:\d\d L"), ("-WL", "TIME_LEFT", r"0:\d\d L"),
                                 ("-WP", "%COMPLETE", r"\d+\.\d\d% L")):
        says(0, rf"JOBID .* SUBMIT_TIME  {title}\n{row}{value}\n", "", "bjobs", option, job)
    says(255, "", "bjobs: found -gpu alone, expected -l or -UF with it\n", "bjobs", "-gpu", job)
    expect("GPU" not in site.good("bjobs", "-l", "-gpu", job), "a job without GPUs")
    site.good("bkill", job)
    wait_status(job, "EXIT")
    events = site.good("bhist", "-t", job).replace("\n" + " " * 21, "").splitlines()
    expect(all(f": Job <{job}>: " in line for line in events) and len(events) >= 4, events)
    expect_in(f"Job <{job}>: Submitted from host <", events[0], "bhist -t")
    expect_equal(site.good("bhist", "-b", "-l", job).splitlines()[1].split()[0], "JOBID", "bhist -b")
    says(255, "", r"bhist: -n: found \"x\", expected how many event files, or MIN,MAX\n", "bhist", "-n", "x")
    says(255, "", r"bhist: -f: \S+: No such file or directory\n", "bhist", "-f", os.path.join(site.top, "nosuch"), job)
    says(255, "", r"bacct: -f: \S+: Is a directory\n", "bacct", "-f", site.top, job)
    own = os.path.join(next(line.split()[-1] for line in site.good("badmin", "showconf", "mbd", "all").splitlines()
                            if line.split()[:1] == ["LSB_SHAREDIR"]), site.good("lsid").split("cluster name is ")[1].split()[0], "logdir")
    # A file elsewhere, written by this cluster, with one invalid line: bhist reads the file and does not ask mbatchd.
    for name in ("lsb.events", "lsb.acct"):
        copy = os.path.join(site.top, name)
        with open(os.path.join(own, name), encoding="utf-8") as file, open(copy, "w", encoding="utf-8") as to:
            to.write('"JOB_NEW" "10.1" broken\n' + re.sub(rf'(?m)^("JOB_\w+" "10.1" \d+) {job} ', r"\1 77001 ", file.read()))
        command = "bhist" if name == "lsb.events" else "bacct"
        broken = r"b\w+: -f: \S+: line 1: field 3: found \"broken\", expected a number; it was passed over\n"
        says(0, r"(?s).*Job <77001>, Job Name <scripted>, User <.*", broken, command, "-f", copy, "-l", "77001")
        block = site.run(command, "-f", copy, "-l", "77001").stdout
        if command == "bhist":
            for words in (r"Submitted from host <", r"Dispatched 1 Task\(s\) on Host\(s\) <", r"Signal <KILL> requested by user",
                          r"Exited"):
                expect(re.search(words, block.replace("\n" + " " * 21, "")), f"{words} in {block}")
        else:
            expect_in("TERM_OWNER: job killed by owner", block.replace("\n" + " " * 21, ""), block)
        says(255, "", broken + ("Job <77002> is not found" if command == "bhist" else "No matching job found") + "\n",
             command, "-f", copy, "77002")
    hosts = os.path.join(site.top, "hosts")
    with open(hosts, "w", encoding="utf-8") as file:
        file.write(f"# ours\n{site.good('bjobs', '-noheader', '-o', 'first_host', job).strip()}\n")
    expect_in("Total number of exited jobs:     1", site.good("bacct", "-M", hosts, job), "bacct -M")
    with open(hosts, "w", encoding="utf-8") as file:
        file.write("nosuch\n")
    says(255, "", "No matching job found\n", "bacct", "-M", hosts, job)
    says(255, "", "bacct: -M: /nonexistent: No such file or directory\n", "bacct", "-M", "/nonexistent")
    says(255, "", "No matching job found\n", "bacct", "-app", "nosuch", job)


@on_a_site
def test_jobs_that_are_not_as_their_queue_expects(_):
    site = b_commands.site
    path = os.path.join(site.conf, "lsbatch", "mycluster", "configdir", "lsb.queues")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    soon = submit("-q", "normal", "true")
    wait_status(soon, "DONE")
    says(255, "", "No matching job found\n", "bacct", "-x", soon)
    changed = re.sub(r"(QUEUE_NAME *= *normal\n)", r"\1JOB_UNDERRUN = 5\n", text)
    expect(changed != text, f"{path}: a queue normal")
    with open(path, "w", encoding="utf-8") as file:
        file.write(changed)
    site.good("badmin", "reconfig")
    wait_until(lambda: "JOB EXCEPTION PARAMETERS" in site.run("bqueues", "-l", "normal").stdout, "the new files", 60)
    expect_equal(site.good("bjobs", "-noheader", "-o", "exception_status", soon), "underrun\n", "exception_status")
    expect_equal(site.good("bjobs", "-noheader", "-d", "-x", "-o", "jobid").split(), [soon], "bjobs -d -x")
    says(0, "", "No matching job found\n", "bjobs", "-x")
    expect_in("Total number of done jobs:       1", site.good("bacct", "-x", soon), "bacct -x")
    with open(path, "w", encoding="utf-8") as file:
        file.write(changed.replace("JOB_UNDERRUN = 5", "JOB_UNDERRUN = soon"))
    said = site.run("badmin", "ckconfig")
    expect_in("JOB_UNDERRUN", said.stdout + said.stderr, "a value that cannot be meant")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


@on_a_site
def test_queues_hosts_users_and_limits(_):
    site = b_commands.site
    expect_equal(site.good("bqueues", "-r", "normal"), site.good("bqueues", "-l", "normal"), "bqueues -r")
    for command in ("bqueues", "bhosts", "busers"):
        expect_equal(site.good(command, "-alloc"), site.good(command), f"{command} -alloc")
    expect_equal(site.good("bhosts", "-a", "-X"), site.good("bhosts"), "bhosts -a -X")
    says(255, "", "No GPU is counted on these hosts\n", "bhosts", "-gpu")
    says(0, "the log level is LOG_DEBUG\n", "", "badmin", "mbddebug")
    says(0, "the log level is LOG_WARNING\n", "", "badmin", "mbddebug", "-o")  # LSF_LOG_MASK is not set
    says(255, "", "nosuch: No such user group. Job not submitted.\n", "bsub", "-G", "nosuch", "true")
    says(0, r"\S+ \d\S* 0M \d\S*\n", "", "bhosts", "-noheader", "-o", "host_name available_mem reserved_mem total_mem")
    expect_equal(site.good("busers", "-w").splitlines()[0].split()[-3:], ["MPEND", "PJOBS", "MPJOBS"], "busers -w")
    says(255, "", "nosuch: No such host\n", "blimits", "-m", "nosuch")


if __name__ == "__main__":
    main()
