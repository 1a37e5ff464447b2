"""Conversations of programs that drive LSF: their command lines, and their own ways of reading what comes back.

One test for each program; where several ask in the same way, one stands for them. What is taken from a program is what it
passes and what it expects, written anew here.
"""

import json
import os
import re

from rollcall_testing import processes
from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.runner import expect, expect_equal, main
from rollcall_testing.waiting import wait_until

STATES = "PEND|PSUSP|RUN|USUSP|SSUSP|DONE|EXIT|UNKWN|WAIT|ZOMBI|PROV"
batch = None  # one cluster for all of them: they are guests


def ready(bench):
    global batch
    if batch is None:
        batch = BatchCluster(bench, ["n1"], slots=8)
        batch.resources, batch.map = [], []  # no elim, whose processes would be taken for a client's
        batch.write_files()
        bench.cluster.services.enter_context(batch)
        bench.cluster.fixtures = processes.named("lim", "melim", "res", "mbatchd")
    return bench.fresh_directory("client")


def sh(line, notes, **more):
    """As a program with shell=True does it; gives stdout."""
    environment = batch.environment(D=notes, **more)
    done = batch.user("sh", "-c", line, env=environment)
    return done


def out(line, notes, **more):
    done = sh(line, notes, **more)
    expect_equal(done.returncode, 0, f"exit code of {line!r}; {done.stderr}{batch.logs_text()}")
    return done.stdout


def match(pattern, text, flags=0):
    found = re.search(pattern, text, flags)
    expect(found, f"{pattern!r} does not match {text!r}")
    return found


def wait_done(job, *states):
    return batch.wait_for(job, *(states or ("DONE", "EXIT")))


def script(notes, text, name="job.sh"):
    path = os.path.join(notes, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)
    return path


def test_snakemake_executor_plugin(bench):
    notes = ready(bench)
    uuid = "7e0f2c9a-5d1b-4c3e-9a51-0d6f1c2b3a4d"
    name = f"Snakemake_rule_a:wild=x,y=2___({uuid})"
    said = out(f"bsub -J '{name}' -o $D/log -e $D/log -env all -P p1 -W 10 -n 1 -R rusage[mem=10] -R span[hosts=1] "
               f"-cwd $D 'true'", notes)
    job = match(r"Job <(\d+)>", said).group(1)
    wait_done(job)
    rows = out(f"bjobs -noheader -o 'jobid stat' -aJ '*{uuid}*'", notes).split("\n")
    expect_equal([r.split() for r in rows if r], [[job, "DONE"]], "two columns")
    match(r"Project <([^<>]+)>", out(f"bhist -l {job} | grep Project", notes))
    conf = out("badmin showconf mbd", notes).splitlines()[1:]
    values = dict(re.split(r" = ", line.strip(), maxsplit=1) for line in conf if " = " in line)
    cluster = out("lsclusters -w", notes).splitlines()[1].split()[0]
    path = os.path.join(values["LSB_SHAREDIR"], cluster, "logdir", "lsb.events")
    wait_until(lambda: f" {job} 192 " in open(path, encoding="utf-8").read(), "the end in lsb.events")
    numbers, submissions = set(), 0
    for line in open(path, encoding="utf-8"):
        f = [quoted or plain for plain, quoted in re.findall(r'([^ "]+)|("(?:[^"]|"")*")', line.strip())]
        if f[0] == '"JOB_NEW"' and f[3] == job:
            expect_equal(f[4], str(os.geteuid()), "$5")
            expect(uuid in f[41], f"$42: {f[41]}")
            submissions += 1
        if f[0] == '"JOB_STATUS"' and f[3] == job and f[4] != "192":
            numbers.add(int(f[4]))
    expect_equal(submissions, 1, f"JOB_NEW of job {job} in lsb.events")
    expect(numbers <= {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 32768, 65536, 131072}, f"status numbers {numbers}")
    expect(64 in numbers, "64 when it is done")
    bench.saw("id, two columns, project, LSB_SHAREDIR, lsb.events by its awk")


def test_snakemake_profile(bench):
    notes = ready(bench)
    path = script(notes, "#!/bin/sh\nexit 1\n")
    said = out(f'bsub -M 100 -n 1 -R "select[mem>1] rusage[mem=1] span[hosts=1]" -W 5 -o "$D/o" -e "$D/e" '
               f'-J "rule.wild=x" {path}', notes, LSF_UNIT_FOR_LIMITS="MB")
    job = match(r"Job <(\d+)> is submitted", said).group(1)
    wait_done(job)
    state = out(f"bjobs -o 'stat' -noheader {job}", notes)
    expect(re.fullmatch(f"({STATES}|POST_DONE|POST_ERR)\n", state), f"stdout is a status word: {state!r}")
    wait_until(lambda: "Resource usage summary:" in open(f"{notes}/o").read(), "the report")
    lines = open(f"{notes}/o").read().splitlines()[-30:]
    at = lines.index("Resource usage summary:")
    expect(lines[at - 2].startswith("Exited with exit code"), f"two lines above the summary: {lines[at - 2]!r}")
    bench.saw("a status word; two lines above the usage summary")


def test_nextflow(bench):
    notes = ready(bench)
    text = ("#!/bin/bash\n#BSUB -o $D/.command.log\n#BSUB -n 1\n#BSUB -R \"span[hosts=1]\"\n#BSUB -W 00:10\n"
            "#BSUB -M 1024MB\n#BSUB -R \"select[mem>=1MB] rusage[mem=1MB]\"\n#BSUB -J nf-x_(1)\nsleep 300\n")
    text = text.replace("$D", notes)
    said = out(f"bsub < {script(notes, text)}", notes)
    job = match(r"Job <(\d+)> is submitted", said).group(1)
    batch.wait_for(job, "RUN")
    lines = out("bjobs -w", notes).splitlines()
    columns = lines[0].split()
    expect("JOBID" in columns and "STAT" in columns, f"columns {columns}")
    rows = {r.split()[columns.index("JOBID")]: r.split()[columns.index("STAT")] for r in lines[1:]}
    expect_equal(rows.get(job), "RUN", "the state")
    for line in open(os.path.join(batch.conf, "lsf.conf")):
        match(r"^[A-Z_0-9]+=.*", line) if line.strip() else None
    out(f"bkill -d {job}", notes)
    wait_done(job)
    bench.saw("a script on stdin, columns by their headers, bkill")


def test_parsl(bench):
    notes = ready(bench)
    path = script(notes, "#!/bin/bash\n#BSUB -W 10\n#BSUB -J parsl.x\n#BSUB -o o\n#BSUB -e e\n#BSUB -n 2\n"
                         "#BSUB -R \"span[ptile=2]\"\ntrue\n")
    for line in (f"bsub {path}", f"bsub < {path}"):
        said = out(line, notes)
        job = [w.strip("<>") for s in said.splitlines() if s.lower().startswith("job") and "is submitted to" in s
               for w in [s.split()[1]]][0]
        wait_done(job)
        done = sh(f"bjobs -noheader -o 'jobid stat' {job}", notes)
        expect_equal((done.returncode, done.stdout.split()), (0, [job, "DONE"]), "exit code and columns")
    bench.saw("a path and stdin, exit 0, two columns")


def test_radical_saga(bench):
    notes = ready(bench)
    for name in ("bqueues", "bjobs", "bsub", "bkill"):
        done = sh(f"{name} -V 2>&1", notes)
        expect(done.returncode == 0 and done.stdout.splitlines(), f"{name} -V")
    path = script(notes, "\n#!/bin/bash\n#BSUB -q normal\n#BSUB -J s\n#BSUB -W 0:10\n#BSUB -o o\n#BSUB -e e\nexit 2\n")
    job = match(r"Job <(.+)> is submitted to.+queue", out(f"bsub {path}", notes)).group(1)
    wait_done(job)
    fields = "exit_code stat exec_host submit_time start_time finish_time job_name command"
    row = out(f"bjobs -noheader -o '{fields} delimiter=\",\"' {job}", notes).rstrip("\n").split(",")
    expect_equal(row[:3], ["2", "EXIT", "n1"], "code, state, host")
    words = out(f"bjobs -noheader {job}", notes).split()
    expect_equal((words[2], words[5]), ("EXIT", "n1"), "STAT and EXEC_HOST")
    expect_equal(sh("bkill abc", notes).returncode, 255, "an id that is none")
    expect("Illegal job ID" in sh("bkill abc", notes).stderr, "its words")
    bench.saw("-V of each, a blank line before #!, fields with a comma")


def test_clustermq_and_batchtools(bench):
    notes = ready(bench)
    text = ("#BSUB-J cmq5[1-3]\n#BSUB-n 1   # one slot\n#BSUB-o $D/o.%I\n#BSUB-M 102400\n#BSUB-R rusage[mem=1]\n"
            "#BSUB-R span[ptile=1]\nsleep 300\n").replace("$D", notes)
    out(f"bsub < {script(notes, text)}", notes)
    wait_until(lambda: out("bjobs -w -J cmq5 | grep -c RUN || true", notes).strip() == "3", "three elements")
    out("bkill -J cmq5", notes)
    wait_until(lambda: sh("bjobs -J cmq5", notes).stdout == "", "no unfinished one")
    expect_equal(sh("bjobs -J cmq5", notes).stderr, "Job <cmq5> is not found\n", "its words")
    bench.saw("#BSUB without a blank, comments behind, bkill -J")


def test_batchspawner(bench):
    notes = ready(bench)
    text = "#!/bin/sh\n#BSUB -R \"select[type==any]\"    # comment\n#BSUB -o /dev/null\nsleep 300\n"
    said = out(f"bsub < {script(notes, text)}", notes)
    job = said.split(" ")[1].strip("<>")
    batch.wait_for(job, "RUN")
    row = out(f'bjobs -a -noheader -o "STAT EXEC_HOST" {job}', notes)
    expect_equal((row.split(" ")[0], row.split(" ")[1].split(":")[0].strip()), ("RUN", "n1"), "split at one blank")
    out(f"bkill {job}", notes)
    wait_done(job)
    bench.saw("one blank between two columns")


def test_maestro(bench):
    notes = ready(bench)
    path = script(notes, "#!/bin/bash\n#BSUB -J m\n#BSUB -o o\n#BSUB -e e\nexit 5\n")
    job = match(r"[0-9]+", out(f"bsub -cwd {notes} < {path}", notes)).group()
    wait_done(job)
    text = out("bjobs -a -u $(id -un) -o \"jobid:7 stat:5 exit_code:10 exit_reason:50 delimiter='|'\"", notes)
    rows = [[c.strip() for c in line.split("|")] for line in text.splitlines()[1:]]
    expect([job, "EXIT", "5", "-"] in rows or [job, "EXIT", "5", ""] in rows, f"its row in {rows}")
    bench.saw("the first digits, a row with four fields")


def test_cylc_and_drivers_of_cylcs_kind(bench):
    notes = ready(bench)
    path = script(notes, "#BSUB -J c.1\n#BSUB -o o\n#BSUB -e e\n#BSUB -W 10\nsleep 300\n")
    job = match(r"^Job <(?P<id>\d+)>", out(f"bsub < {path}", notes)).group("id")
    expect(job in [line.split()[0] for line in out("bjobs", notes).splitlines()[1:]], "bjobs shows it at once")
    out(f"bkill '{job}'", notes)
    wait_done(job)
    bench.saw("poll and kill")


def test_galaxy(bench):
    notes = ready(bench)
    path = script(notes, "#!/bin/sh\n#BSUB -o /dev/null\ntrue\n")
    job = out(f"bsub <{path} | awk '{{ print $2}}' | sed 's/[<>]//g'", notes).strip()
    wait_done(job)
    rows = [r.split() for r in out('bjobs -a -o "id stat" -noheader', notes).splitlines()]
    expect([job, "DONE"] in rows, f"two columns: {rows}")
    gone = sh("bjobs -o stat -noheader 999999", notes)
    expect_equal(gone.stdout, "", "nothing on stdout for a job that is forgotten")
    match(rf"Job <{job}>", out(f"bjobs -l {job}", notes))
    bench.saw("awk's second word; an unknown job says nothing on stdout")


def test_cromwell(bench):
    notes = ready(bench)
    path = script(notes, "sleep 300\n", "script")
    said = out(f"bsub -J cromwell_1 -cwd $D -o $D/stdout -e $D/stderr /usr/bin/env bash {path}", notes)
    job = match(r"Job <(\d+)>.*", said).group(1)
    expect_equal(sh(f"bjobs {job}", notes).returncode, 0, "alive")
    out(f"bkill {job}", notes)
    wait_done(job)
    expect(sh("bjobs 999999", notes).returncode != 0, "an unknown one is not alive")
    bench.saw("alive by exit code")


def test_wr(bench):
    notes = ready(bench)
    text = out("bqueues -l", notes)
    expect(re.findall(r"^QUEUE: (\S+)", text, re.M)[:1], f"queues: {text}")
    match(r"^PRIO NICE STATUS +MAX JL/U", text, re.M)
    match(r"^USERS: +(\S+)", text, re.M)
    match(r"^HOSTS: +(\S+)", text, re.M)
    out("bmgroup -w || true", notes)
    checked = sh("bsub -q normal -M 100 -R 'select[mem>1] rusage[mem=1] span[hosts=1]' true", notes, BSUB_CHK_RESREQ="1")
    expect_equal(checked.returncode, 0, f"a requirement that is checked only: {checked.stderr}")
    said = out("bsub -q normal -M 102400 -R 'select[mem>1] rusage[mem=1] span[hosts=1]' -J 'wr_x[1-4]' -o /dev/null "
               "-e /dev/null 'sleep 300'", notes)
    job = match(r"^Job <(\d+)>", said).group(1)
    rows = [line.split() for line in out(f"bjobs -w {job}", notes).splitlines()[1:]]
    expect(len(rows) == 4 and all(len(r) > 7 for r in rows), f"visible at once, more than 7 columns: {rows}")
    out(f"bkill '{job}[2]' '{job}[3]'", notes)
    wait_until(lambda: sorted(out(f"bjobs -a -noheader -o stat {job}", notes).split()).count("EXIT") == 2, "two of four")
    out(f"bkill {job}", notes)
    match(r"LSF_LIM_PORT = \d+", out("lsadmin showconf lim", notes))
    bench.saw("bqueues -l in blocks, visible at once, elements killed by index")


def test_arc(bench):
    notes = ready(bench)
    for line, first in (("lshosts -w", "HOST_NAME"), ("bhosts -w", "HOST_NAME"), ("bqueues -w", "QUEUE_NAME")):
        expect(out(line, notes).startswith(first), line)
    text = "#! /bin/bash\n#BSUB -oo $D/o\n#BSUB -q normal\n#BSUB -R type=any\n#BSUB -P p\n#BSUB -J a\n#BSUB -n 1\n" \
           "#BSUB -R span[ptile=1]\n#BSUB -W 10\n#BSUB -M 102400\ntrue\n"
    said = out(f"bsub < {script(notes, text.replace('$D', notes))}", notes)
    job = said.split()[1].strip("<>")
    wait_done(job)
    row = [line for line in out(f"bjobs -W -w {job}", notes).splitlines() if not line.startswith("JOBID")][0].split()
    expect_equal(row[2], "DONE", "the third column")
    expect(len(row) >= 15, f"start and end are columns 14 and 15: {row}")
    bench.saw("header lines, the second word, the columns of bjobs -W")


def test_gc3pie(bench):
    notes = ready(bench)
    said = out("bsub -cwd . -L /bin/sh -n 1 -R span[hosts=1] -W 10 -o $D/o 'exit 7'", notes)
    job = match(r"^Job <(?P<jobid>\d+)> is submitted", said).group("jobid")
    wait_done(job)
    text = re.sub(r"\n {21}", "", out(f"bjobs -l {job}", notes))
    match(r"Status <EXIT>", text)
    match(r"Exited with exit code (7)\.", text)
    match(r"The CPU time used is [\d.]+ seconds", text)
    account = re.sub(r"\n {21}", "", out(f"bacct -l {job}", notes))
    match(r"Completed <exit>", account)
    expect(f"Job <999999> is not found" in sh("bjobs -l 999999", notes).stderr, "an unknown one")
    expect(out("bjobs -u all -w || true", notes) is not None, "everybody's")
    bench.saw("bjobs -l unwrapped, bacct -l")


def test_fireworks(bench):
    notes = ready(bench)
    job = match(r"\d+", out("bsub -o /dev/null 'sleep 300'", notes)).group()
    rows = out('bjobs -p -r -o "jobID user queue" -noheader -u $(id -un)', notes).splitlines()
    expect(any(r.endswith("normal") and r.split()[0] == job for r in rows), f"rows {rows}")
    out(f"bkill {job}", notes)
    wait_done(job)
    bench.saw("lines that end with the queue")


def test_signac(bench):
    notes = ready(bench)
    path = script(notes, "#!/bin/bash\n#BSUB -o /dev/null\nsleep 300\n")
    first = match(r"<(\d+)>", out(f"bsub -H {path}", notes)).group(1)
    second = match(r"<(\d+)>", out(f'bsub -w "done({first})" {path}', notes)).group(1)
    records = json.loads(out("bjobs -json -u $(id -un)", notes))["RECORDS"]
    states = {r["JOBID"]: (r["STAT"], r["JOB_NAME"]) for r in records}
    expect_equal((states[first][0], states[second][0]), ("PSUSP", "PEND"), "states")
    out(f"bkill {second} {first}", notes)
    wait_done(first)
    bench.saw("JSON by default fields; -H and -w")


def test_luigi(bench):
    notes = ready(bench)
    said = out("bsub -q normal -n 1 -M 102400 -R rusage[mem=1] -W 10 -J l -o $D/o -e $D/e true x", notes)
    job = said[said.index("<") + 1:said.index(">")]
    wait_done(job)
    expect_equal(out(f"bjobs -noheader -o stat {job}", notes).strip(), "DONE", "its state")
    bench.saw("between the first < and >")


def test_cime(bench):
    notes = ready(bench)
    first = match(r"<(\d+)>", out(f"bsub < {script(notes, 'sleep 1')}", notes)).group(1)
    text = "#BSUB -J x\n#BSUB -n 1\n#BSUB -W 00:10\n#BSUB -o $D/x.%J\n#BSUB -e $D/x.%J\n#BSUB -N\necho $ARGS_FOR_SCRIPT\n"
    line = f"bsub -w 'ended({first})' -env \"all, ARGS_FOR_SCRIPT=--resubmit\" -u nobody < "
    job = match(r"<(\d+)>", out(line + script(notes, text.replace("$D", notes), "two"), notes)).group(1)
    wait_done(job)
    expect("--resubmit\n" in open(f"{notes}/x.{job}").read(), "the variable of -env")
    bench.saw("-w ended, -env with a variable")


def test_dvsim(bench):
    notes = ready(bench)
    script(notes, "#!/bin/bash\nexit $(($1 == 2))\n", "S")
    out('bsub -P proj -J d[1-3]%2 -oo $D/S.%I.out -eo $D/S.%I.out -c 10 "/usr/bin/bash $D/S \\$LSB_JOBINDEX"', notes)
    for index, code in ((1, None), (2, "1"), (3, None)):
        path = f"{notes}/S.{index}.out"
        wait_until(lambda: os.path.exists(path) and "Resource usage" in open(path).read(), f"the report in {path}")
        text = open(path).read()
        match(r"^Sender", text, re.M)
        found = re.search(r"^Exited with exit code (\d+).", text, re.M)
        expect_equal(found and found.group(1), code, f"the code in {path}")
        expect(found or re.search(r"^Successfully completed\.", text, re.M), f"or success: {text}")
    bench.saw("reports of three elements by their own expressions")


def test_hammer(bench):
    notes = ready(bench)
    expect_equal(sh('bsub -K -o $D/log -q normal -n 1 "exit 6"', notes).returncode, 6, "bsub -K's exit status")
    expect_equal(sh('bsub -K -o $D/log "true"', notes).returncode, 0, "of a good one")
    bench.saw("bsub -K ends as the job")


def test_matlab(bench):
    notes = ready(bench)
    said = out("bsub -J 'Job1[1-2]' -o $D/l -env \"none\" \"sleep 300\"", notes)
    job = match(r"Job <(?P<jobID>[0-9]+)>", said).group("jobID")
    text = out(f"bjobs -noheader {job}", notes)
    expect_equal(len(re.findall(r"\b(PEND|RUN)\b", text)), 2, f"state words in {text}")
    out(f'bkill "{job}"', notes)
    wait_done(job, "EXIT\nEXIT")
    again = sh(f'bkill "{job}"', notes)
    expect("Job has already finished" in again.stdout + again.stderr, f"its words: {again}")
    bench.saw("words counted, a second kill")


def test_exporters(bench):
    notes = ready(bench)
    for line in ("lsid", "bqueues -w", "bhosts -w", "bhosts -w -X", "busers all", "bugroup -w", "bparams -a",
                 "lshosts -w", "lsload -l", "bhosts -l", "badmin showconf mbd all"):
        out(f"{line} || [ $? -eq 255 ]", notes)
    match(r"My cluster name is (\S+)", out("lsid", notes))
    match(r"My master name is (\S+)", out("lsid", notes))
    job = match(r"\d+", out("bsub -o /dev/null 'sleep 300'", notes)).group()
    fields = ("JOBID USER STAT QUEUE FROM_HOST EXEC_HOST JOB_NAME SUBMIT_TIME UGROUP PROJECT APPLICATION JOB_GROUP "
              "DEPENDENCY NALLOC_SLOT MIN_REQ_PROC START_TIME SUB_CWD PEND_TIME EPENDTIME IPENDTIME SRCJOBID DSTJOBID "
              "SRCLUSTER FWD_CLUSTER").replace("SRCLUSTER", "SRCLUSTER")
    records = json.loads(out(f'bjobs -X -u all -o "{fields}" -json', notes))["RECORDS"]
    expect(any(r["JOBID"] == job for r in records), f"records {records}")
    header, *rows = out("bhosts -w", notes).splitlines()
    expect_equal(len(rows), 1, "rows of bhosts -w on a cluster of one host")
    for row in rows:
        expect_equal(len(row.split()), len(header.split()), "a column for each word of the header")
    text = out("bjobs -u all -UF", notes)
    match(rf"^Job <{job}>,.*Status <\w+>,.*Command <sleep 300>", text, re.M)
    out(f"bkill {job}", notes)
    wait_done(job)
    bench.saw("what monitors ask, read by header words; -UF in whole lines")


def test_torchx(bench):
    notes = ready(bench)
    said = out('bsub -J t -o $D/o -R "span[hosts=1]]" "sleep 300"', notes)
    job = match(r"Job <(\d+)>", said).group(1)
    rows = out("bjobs -noheader -a -u all -o 'proj jobid job_name stat exec_host command delimiter=\"^\"'", notes)
    expect(any(row.split("^")[1] == job for row in rows.splitlines()), f"rows {rows}")
    out(f"bkill {job}", notes)
    wait_done(job)
    bench.saw("a requirement with a bracket too many, fields with ^")


if __name__ == "__main__":
    main(hosts=1, patience=10)
