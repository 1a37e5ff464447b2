"""More conversations of programs that drive LSF (clients.py has the first ones, and the helpers): those that read what became
of a job, monitors, accounting; and what all of them together ask of each command.

One cluster of one host with what they look for: a queue with limits, groups, a product line of the site's own.
"""

import csv
import json
import os
import re
import time

import clients
from clients import match, out, script, sh, wait_done
from rollcall_testing import batch_cluster, processes
from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

PRODUCT = "IBM Spectrum LSF 10.1.0.13, Apr 15 2022"
LIMITED = """Begin Queue
QUEUE_NAME = limited
PRIORITY = 10
MEMLIMIT = 1000000 2000000
RUNLIMIT = 10 60
End Queue
"""
GROUP = "Begin HostGroup\nGROUP_NAME GROUP_MEMBER\nbig (n1)\nEnd HostGroup\n"
USERS = "Begin UserGroup\nGROUP_NAME GROUP_MEMBER\nops (root)\nEnd UserGroup\n"


def ready(bench):
    if clients.batch is None:
        batch = clients.batch = BatchCluster(bench, ["n1"], slots=8, queues=batch_cluster.QUEUES + LIMITED,
                                             more_conf=f"ROLLCALL_PRODUCT={PRODUCT}")
        batch.write_batch("lsb.hosts", batch_cluster.HOSTS.format(slots=8) + GROUP)
        batch.write_batch("lsb.users", USERS)
        batch.resources, batch.map = [], []  # no elim, whose processes would be taken for a client's
        batch.write_files()
        bench.cluster.services.enter_context(batch)
        bench.cluster.fixtures = processes.named("lim", "melim", "res", "mbatchd")
    return bench.fresh_directory("client")


def number_in(said):
    return match(r"\d+", said).group()


def unwrapped(text):
    return re.sub(r"\n {21}", "", text)


# ---------------------------------------------------------------- those that submit


def test_farmpy(bench):
    """It asks lim's parameters of its own host by name, and makes dependent arrays with a pre-execution test."""
    notes = ready(bench)
    out("lsadmin showconf lim n1", notes)
    other = sh("lsadmin showconf lim elsewhere", notes)
    expect_equal(other.returncode, 255, "of a host whose files are not these")
    expect_in("expected n1 or nothing", other.stderr, "why")
    first = number_in(out("cd $D; bsub -E 'test -e /root' -R \"select[mem>1] rusage[mem=1]\" -M100000 -o o1 -e e1 -J one 'echo hello'", notes))
    array = number_in(out("cd $D; bsub -E 'test -e /root' -M100000 -o o2.%I -e e2.%I "
                          f"-J \"arr[1-3]%100\" -w 'done({first})' echo \\$LSB_JOBINDEX", notes))
    last = number_in(out("cd $D; bsub -E 'test -e /root' -M100000 -o o3 -e e3 -J third -w 'ended(\"arr\")' echo third", notes))
    wait_done(last, "DONE")
    with open(f"{notes}/o2.3", encoding="utf-8") as file:
        told = file.read()
    expect_equal(told.split("\n", 1)[0], "3", f"element 3 of {array}")
    # Its expressions for the report; those of the first two lines expect no time in them, which LSF 10.1 has put there.
    for pattern in (r"^<(.*)> was used as the working directory.$", r"^Successfully completed\.$",
                    r"^\s+CPU time\s+:\s+([0-9]+\.[0-9]+) sec.$", r"^\s+Max Memory\s+:\s+([0-9]+) MB$",
                    r"^Started (at|on)\s+[a-zA-Z]+\s+([a-zA-Z]+)\s+([0-9]+)\s+([0-9]{2}):([0-9]{2}):([0-9]{2})\s+([0-9]{4})$",
                    r"^Results reported (at|on)\s+[a-zA-Z]+\s+([a-zA-Z]+)\s+([0-9]+)\s+([0-9]{2}):([0-9]{2}):([0-9]{2})\s+([0-9]{4})$"):
        match(pattern, told, re.M)


def test_vr_runner(bench):
    """Sparse arrays named by a path, -rn, and `bjobs -l` read line by line."""
    notes = ready(bench)
    name = f"{notes}/touch.w"
    said = out(f"bsub -rn -J '{name}[1-2,5]' -e {name}.%I.e -o {name}.%I.o  -M2000000 "
               "-R 'select[type==X86_64 && mem>20] rusage[mem=20]' -q normal 'sleep 3; test $LSB_JOBINDEX != 5'", notes)
    job = match(r"^Job <(\d+)> is submitted", said).group(1)
    clients.batch.wait_for(job, "RUN\nRUN\nRUN")
    seen = re.findall(r"^Job <(\d+)(.*)$", out("bjobs -l", notes), re.M)
    expect([rest[:3] for number, rest in seen if number == job] == ["[1]", "[2]", "[5]"], f"elements in bjobs -l: {seen}")
    text = unwrapped(out(f"bjobs -l {job}", notes))
    match(r",\s*Status <([^>]+)>", text), match(r",\s*Queue <([^>]+)>", text), match(r",\s*Command <([^>]+)>", text)
    expect_equal(len(re.findall(r"^\w+\s+(\w+)\s+(\d+) (\d+):(\d+):(\d+):.*started \d+ task", text, re.M | re.I)), 3, "starts")
    out(f"bkill -s KILL -b '{job}[2]'", notes)
    clients.batch.wait_for(job, "DONE\nEXIT\nEXIT")
    ends = [match(r"^Subject: Job.+\s+(\S+)$", open(f"{name}.{i}.o", encoding="utf-8").read(), re.M).group(1) for i in (1, 2, 5)]
    expect_equal(ends, ["Done", "Exited", "Exited"], "what the reports say")


def test_ipyparallel_and_cluster_helper(bench):
    notes = ready(bench)
    path = script(notes, f"#!/bin/sh\n#BSUB -J ipengine[1-2]\n#BSUB -env all\n#BSUB -oo {notes}/x.%%J\nsleep 301\n")
    job = number_in(out(f'bsub <"{path}"', notes, LSB_STDOUT_DIRECT="Y"))
    clients.batch.wait_for(job, "RUN\nRUN")
    wait_until(lambda: os.path.exists(f"{notes}/x.%{job}"), lambda: f"the output of %%J: {os.listdir(notes)}")
    # The job's shell lets INT pass ($LSB_TRAPSIGS): there must be something else for it.
    engines = lambda: bench.cluster.processes(lambda p: p.words == ("sleep", "301"))
    wait_until(lambda: len(engines()) == 2, lambda: f"both engines: {engines()}")
    out(f"bkill -s INT {job}", notes)
    wait_done(job, "EXIT\nEXIT")
    expect_in("DEFAULT_QUEUE", out("bparams -a", notes), "bparams -a")
    match(r"LSF_LIM_PORT = \d+", out("lsadmin showconf lim", notes))
    bench.saw("the first digits, bkill -s of an array, bparams -a")


def test_martian(bench):
    notes = ready(bench)
    text = (f'#!/bin/sh\n#BSUB -J ID.x.fork0.main\n#BSUB -n 1\n#BSUB -o {notes}/o\n#BSUB -e {notes}/e\n#BSUB -R "rusage[mem=1]"\n'
            f'#BSUB -R span[hosts=1]\n[ "$LSF_SERVERDIR" ] && [ "$LSF_LIBDIR" ] && [ "$LSF_BINDIR" ] && [ "$LSF_ENVDIR" ]\n')
    job = number_in(out(f"bsub <{script(notes, text)}", notes))
    expect_equal(wait_done(job), "DONE", "all four variables are set in the job")
    bench.saw("the four variables it asks for")


def test_reframe(bench):
    notes = ready(bench)
    path = script(notes, "#!/bin/sh\n#BSUB -J rfm\n#BSUB -o o\nsleep 300\n")
    job = match(r"^Job <(\d+)>", out(f"bsub < {path}", notes)).group(1)
    clients.batch.wait_for(job, "RUN")
    links = bench.fresh_directory("bin")
    os.symlink(os.path.join(bench.build, "etc", "qdel"), f"{links}/qdel")
    out(f"PATH={links}:$PATH; qdel {job}", notes)
    wait_done(job)
    expect_equal(sh(f"{links}/qdel -W force {job}", notes).returncode, 2, "an option of PBS")
    bench.saw("qdel, from the site's link to LSF_SERVERDIR/qdel")


def test_dask_jobqueue_and_wmcore(bench):
    """The first digits are the number: nothing else is told."""
    notes = ready(bench)
    done = sh(f"bsub -q limited -M 1500000 -R 'rusage[mem=10]' -o {notes}/o true 7", notes)
    job = match(r"\d+", done.stdout).group()
    expect_equal((done.stdout, done.stderr), (f"Job <{job}> is submitted to queue <limited>.\n", ""), "both streams")
    expect(re.search(r"MEMLIMIT *\n 1.4 G", out(f"bjobs -l {job}", notes)), out(f"bjobs -l {job}", notes))
    wait_done(job)
    bench.saw("LSF's own line alone; the limit stands in bjobs -l")


LIMITED_SCRIPT = """#!/bin/bash
#BSUB -J j
#BSUB -o /dev/null
#BSUB -W 5
#BSUB -M 500000
#BSUB -R rusage[mem=20]
#BSUB -alloc_flags smt4
sleep 300
"""


def test_programs_that_merge_both_streams(bench):
    """batchtools, Balsam and Snakemake's plugin read standard error with the answer; AiiDA warns of any text on it."""
    notes = ready(bench)
    path = script(notes, LIMITED_SCRIPT)
    merged = out(f"bsub < {path} 2>&1", notes)
    job = match(r"\d+", " ".join(merged.splitlines())).group()  # batchtools: the first number
    expect_equal(merged, f"Job <{job}> is submitted to default queue <normal>.\n", "both streams as one")
    start = len("Job <")
    expect_equal(int(merged[start:merged.find(">", start)]), int(job), "Balsam")
    expect_equal(re.search(r"Job <(\d+)>", merged.strip())[1], job, "Snakemake's plugin")
    plain = sh(f"bsub < {path}", notes)
    expect_equal(plain.stderr.strip(), "", "AiiDA: no text on standard error")
    second = plain.stdout.strip().split("Job <")[1].split(">")[0]
    block = out(f"bjobs -l {job}", notes)
    for pattern in (r"RUNLIMIT *\n 5.0 min of n1", r"MEMLIMIT *\n 488.3 M", r"mem=20", r"WITHOUT EFFECT:\n -alloc_flags smt4: kept"):
        match(pattern, block)
    told = sh(f"bsub --verbose < {path}", notes)
    for part in ("Run limit: 5 min.", "Memory limit: 488.28 MB.", "Reserves: rusage[mem=20].", "-alloc_flags smt4: kept, without effect here"):
        expect_in(part, told.stderr, "bsub --verbose")
    bad = sh("bsub -M x true", notes)
    expect(bad.returncode == 255 and "-M: " in bad.stderr, f"errors stay: {bad}")
    out(f"bkill {job} {second} {number_in(told.stdout)}", notes)
    bench.saw("four programs' ways of reading; the notices in bjobs -l and with --verbose")


def test_bsub_tells_limits_on_a_terminal(bench):
    notes = ready(bench)
    line = "bsub -H -W 5 -o /dev/null true"
    shown = out(f"script -qec '{line}' /dev/null </dev/null", notes)
    expect_in("Run limit: 5 min.", shown, "on a terminal")
    quiet = out(f"BSUB_QUIET=1 script -qec '{line}' /dev/null </dev/null", notes)
    expect("Run limit" not in quiet, f"with BSUB_QUIET: {quiet}")
    out("bkill 0", notes)
    bench.saw("notices on a terminal, none with BSUB_QUIET")


def test_polls_of_many_jobs(bench):
    """Parsl and AiiDA lose a whole poll to a status other than 0; rows come in the order of the ids."""
    notes = ready(bench)
    ids = [number_in(out("bsub -H -o /dev/null true", notes)) for _ in range(3)]
    asked = [ids[2], "999999", ids[0], ids[1]]
    poll = sh(f"bjobs -noheader -o 'jobid stat' {' '.join(asked)}", notes)
    expect_equal((poll.returncode, poll.stdout, poll.stderr),
                 (0, f"{ids[2]} PSUSP\n{ids[0]} PSUSP\n{ids[1]} PSUSP\n", "Job <999999> is not found\n"), "one of four is unknown")
    expect_equal(sh("bjobs 999998 999999", notes).returncode, 255, "none is known")
    expect_equal(sh(f"bjobs {ids[0]} 999999", notes, LSB_BJOBS_CONSISTENT_EXIT_CODE="Y").returncode, 255, "LSB_BJOBS_CONSISTENT_EXIT_CODE=Y")
    expect_equal(sh(f"bjobs {ids[0]}", notes, LSB_BJOBS_CONSISTENT_EXIT_CODE="Y").returncode, 0, "all known")
    killed = out(f"bkill {ids[1]} {ids[2]} {ids[0]}", notes)
    expect_equal(re.findall(r"<(\d+)>", killed), [ids[1], ids[2], ids[0]], "bkill's lines")
    bench.saw("status and order of bjobs with ids")


def test_aiidas_job_script(bench):
    """The script copies LSB_OUTDIR to its directory where the variable is set: without -outdir it is its directory."""
    notes = ready(bench)
    head = 'if [ ! -z "$LSB_OUTDIR" ]\nthen\n  cp -R "$LSB_OUTDIR"/* .\nfi\n'
    tail = 'if [ ! -z "$LSB_OUTDIR" ]\nthen\n   cp -R * "$LSB_OUTDIR"\nfi\n'
    path = script(notes, f"#!/bin/bash\n#BSUB -rn\n#BSUB -n 1\n#BSUB -W 00:05\n#BSUB -o o\n#BSUB -e e\n{head}echo result >made\n{tail}")
    out(f"cd {notes} && bsub -K < {path}", notes)
    expect_equal(open(f"{notes}/e").read(), "", "its standard error")
    results = bench.fresh_directory("results")
    with open(f"{results}/input", "w", encoding="utf-8") as file:
        file.write("of the user\n")
    out(f"cd {notes} && bsub -K -outdir {results} < {path}", notes)
    expect_equal((open(f"{results}/made").read(), open(f"{notes}/input").read()), ("result\n", "of the user\n"), "copied both ways")
    bench.saw("LSB_OUTDIR with -outdir alone")


def test_bacct_and_bhist_agree(bench):
    notes = ready(bench)
    job = number_in(out("bsub -o /dev/null 'sleep 1.7'", notes))
    wait_done(job)
    bhist = out(f"bhist {job}", notes).splitlines()[-1].split()
    block = out(f"bacct -l {job}", notes)
    row = block[block.index("CPU_T"):].splitlines()[1].split()
    expect_equal(bhist[-1], row[2], f"TOTAL and TURNAROUND: {bhist}\n{row}")
    bench.saw(f"{row[2]} s, in both")


def test_lsid_with_an_empty_word(bench):
    notes = ready(bench)
    match(r"My cluster name is (\S+)", out('lsid ""', notes))
    expect(sh("lsid x", notes).returncode != 0, "a word")
    banner = sh("lsid -V", notes)
    match(r"\d+\.\d+\.\d+\.\d+, ", banner.stdout + banner.stderr)
    bench.saw("lsid \"\"; four parts in the banner")


def test_nextflow_array(bench):
    notes = ready(bench)
    text = f"#!/bin/bash\n#BSUB -o {notes}/log.%I\n#BSUB -J nf-a[1-3]\n#BSUB -G ops\necho $LSB_JOBINDEX >{notes}/$LSB_JOBINDEX\nsleep 300\n"
    job = match(r"Job <(\d+)> is submitted", out(f"bsub < {script(notes, text)}", notes)).group(1)
    clients.batch.wait_for(job, "RUN\nRUN\nRUN")
    wait_until(lambda: {"1", "2", "3"} <= set(os.listdir(notes)), lambda: f"an index each: {os.listdir(notes)}")
    header, *rows = out("bjobs -w -q normal", notes).splitlines()
    at = header.split().index("STAT")
    expect_equal([r.split()[at] for r in rows if r.split()[0] == job], ["RUN"] * 3, "STAT of the three")
    out(f"bkill -d '{job}[1]' '{job}[2]' '{job}[3]'", notes)
    wait_done(job, "DONE\nDONE\nDONE")
    bench.saw("elements by LSB_JOBINDEX, -q, bkill -d of elements: DONE")


def test_here_document_and_lines(bench):
    notes = ready(bench)
    line = f"bsub -K -o {notes}/o << EOF\n#BSUB -J here\ncat <<INNER\ninner text\nINNER\necho second\nEOF"
    out(line, notes)
    expect(open(f"{notes}/o").read().startswith("inner text\nsecond\n"), open(f"{notes}/o").read())
    out(f"bsub -K -o {notes}/two 'echo first\necho \"second  line\"'", notes)
    expect(open(f"{notes}/two").read().startswith("first\nsecond  line\n"), open(f"{notes}/two").read())
    bench.saw("bsub << EOF with a here-document in it; a command of two lines")


# ---------------------------------------------------------------- those that read how it ended


def test_snakemake_looks_back(bench):
    notes = ready(bench)
    first, second = (number_in(out(f"bsub -P lookback -o {notes}/o 'sleep 300'", notes)) for _ in range(2))
    clients.batch.wait_for(first, "RUN")
    out(f"bkill {first} {second}", notes)
    wait_done(first)
    wait_done(second)
    expect_in("lookback", re.findall(r"Project <([^<>]+)>", out("bhist -l -a | grep Project", notes)), "bhist -l -a")
    bench.saw("bkill of several, the project from bhist -l -a")


def test_maestro_and_galaxy_reasons(bench):
    notes = ready(bench)
    over = number_in(out("bsub -W 0.02 -o /dev/null 'sleep 300'", notes))
    hungry = "python3 -c 'import time; x = bytearray(300 << 20); time.sleep(300)'"
    fat = number_in(out(f'bsub -M 100MB! -o /dev/null "{hungry}"', notes))
    killed = number_in(out("bsub -o /dev/null 'sleep 300'", notes))
    clients.batch.wait_for(killed, "RUN")
    out(f"bkill {killed}", notes)
    for job in (over, fat, killed):
        wait_done(job, "EXIT")
    text = out("bjobs -a -u $(id -un) -o \"jobid:7 stat:5 exit_code:10 exit_reason:50 delimiter='|'\"", notes)
    reasons = {row.split("|")[0].strip(): row.split("|")[3] for row in text.splitlines()[1:]}
    expect_in("TERM_RUNLIMIT", reasons[over], "Maestro: beyond -W")
    expect_in("TERM_OWNER", reasons[killed], "Maestro: killed")
    expect_in("TERM_MEMLIMIT", out(f"bjobs -l {fat}", notes), "Galaxy: beyond -M")
    expect_in("Completed <exit>; TERM_MEMLIMIT", unwrapped(out(f"bacct -l {fat}", notes)), "Toil: bacct -l")
    bench.saw("TERM_RUNLIMIT, TERM_OWNER, TERM_MEMLIMIT where each program looks")


def test_gc3pie_memory(bench):
    notes = ready(bench)
    job = number_in(out("bsub -o /dev/null \"python3 -c 'import time; x = b\\\"x\\\" * (64 << 20); time.sleep(300)'\"", notes))

    # The program fills its 64 MB page by page; a look in between finds less.
    def all_of_it():
        found = re.search(r"MAX MEM:\s+(\d+)\s+(\w+);", unwrapped(out(f"bjobs -l {job}", notes)))
        return found and found[2].startswith("M") and int(found[1]) >= 64

    wait_until(all_of_it, lambda: f"64 MB of it: {out(f'bjobs -l {job}', notes)}", 60)
    out(f"bkill {job}", notes)
    wait_done(job)
    bench.saw("MAX MEM by its own expression")


def test_psi_j(bench):
    notes = ready(bench)
    plain = number_in(out("bsub -o /dev/null 'exit 3'", notes))
    killed = number_in(out("bsub -o /dev/null 'sleep 300'", notes))
    clients.batch.wait_for(killed, "RUN")
    out(f"bkill -C 'no longer wanted' {killed}", notes)
    wait_done(plain)
    wait_done(killed)
    records = json.loads(out(f"bjobs -json -o 'jobid stat exit_reason kill_reason exit_code' {plain} {killed}", notes))["RECORDS"]
    states = {r["JOBID"]: r for r in records}
    expect_equal((states[plain]["EXIT_REASON"], states[plain]["EXIT_CODE"]), ("", "3"), "a plain exit has no reason")
    expect_in("TERM_OWNER", states[killed]["EXIT_REASON"], "a kill has")
    expect_in("no longer wanted", states[killed]["KILL_REASON"], "and who killed said why")
    bench.saw("EXIT_REASON is empty for a plain exit")


def test_aiida(bench):
    notes = ready(bench)
    job = number_in(out("bsub -o /dev/null 'exit 2'", notes))
    wait_done(job)
    fields = ("jobid stat exit_reason exec_host user slots max_req_proc exec_host queue finish_time start_time %complete "
              "submit_time name").split()
    row = out(f"bjobs -noheader -a -o '{' '.join(fields)} delimiter=\"|\"' {job}", notes).rstrip("\n").split("|")
    expect_equal(len(row), len(fields), f"a column for each field: {row}")
    expect_equal(row[:2], [job, "EXIT"], "id and state")
    done = sh(f"bkill {job}", notes)
    expect_equal((done.returncode, done.stdout), (255, ""), "bkill of a job that is over")
    expect_in("Job has already finished", done.stderr, "its words")
    bench.saw("fourteen fields, 255 from bkill of a finished job")


def test_ood_core(bench):
    notes = ready(bench)
    job = number_in(out("bsub -o /dev/null -P ood -J its_name 'sleep 300'", notes))
    clients.batch.wait_for(job, "RUN")
    header, row = out(f"bjobs -u all -a -w -W {job}", notes).splitlines()
    for word in "PROJ_NAME CPU_USED MEM SWAP PIDS START_TIME FINISH_TIME".split():
        expect_in(word, header.split(), "the header")
    values = dict(zip(header.split(), row.split()))
    expect_equal((values["JOBID"], values["PROJ_NAME"]), (job, "ood"), "its columns")
    match(r"^\d{3}:\d\d:\d\d\.\d\d$", values["CPU_USED"])
    match(r"^\d\d/\d\d-\d\d:\d\d:\d\d$", values["START_TIME"])
    out(f"bkill {job}", notes)
    wait_done(job)
    bench.saw("the columns of bjobs -W by their names")


# ---------------------------------------------------------------- monitors and accounting


def by_header(text):
    header, *rows = text.splitlines()
    names = header.split()
    for row in rows:
        expect(len(row.split()) == len(names) or "unavail" in row, f"{row!r} has not the columns of {header!r}")
    return [dict(zip(names, row.split())) for row in rows]


def test_ehive_and_lsf_monitor(bench):
    notes = ready(bench)
    said = out("lsid", notes)
    match(r"IBM Spectrum LSF|Platform LSF|openlava project", said)
    expect_equal(match(r"^.*\s+([\d\.]+),.*$", said, re.M).group(1), "10.1.0.13", "the version of a configured line")
    job = number_in(out("bsub -o /dev/null -J 'name of it' 'sleep 300'", notes))
    clients.batch.wait_for(job, "RUN")
    expect_in("normal", [r["QUEUE_NAME"] for r in by_header(out("bqueues -w", notes))], "bqueues -w")
    for line in ("bhosts -w", "busers all"):
        expect(by_header(out(line, notes)), line)
    expect(by_header(out("lsload -l", notes).replace("*", " ")), "lsload -l")
    expect_equal([r["HOST_NAME"] for r in by_header(out("lshosts -w | sed 's/ (.*//'", notes).replace("RESOURCES", ""))], ["n1"], "lshosts -w")
    row = next(line for line in out("bjobs -u all -w", notes).splitlines() if line.startswith(job))
    match(r"^\d+ +\S+ +RUN +normal +n1 +n1 +name of it +[A-Z][a-z]{2} +\d+ \d\d:\d\d$", row)
    for option in ("-r", "", "-p", "-d"):
        text = sh(f"bjobs -u all {option} -UF", notes).stdout
        expect_equal(f"\nJob <{job}>, " in "\n" + text, option in ("-r", ""), f"bjobs {option} -UF")
    block = out("bhosts -l n1", notes)
    match(r"^HOST +n1 *$", block, re.M)
    for part in ("CURRENT LOAD USED FOR SCHEDULING:", " Total ", " Reserved "):
        expect_in(part, block, "bhosts -l")
    out(f"bkill {job}", notes)
    wait_done(job)
    bench.saw("the site's product line; tables by their headers; bjobs -w up to the date; blocks of bhosts -l")


def test_exporters_groups(bench):
    notes = ready(bench)
    expect_equal(out("bhosts -o host_name -noheader big", notes).split(), ["n1"], "hosts of a group")
    match(r"^big +n1 *$", out("bmgroup -w", notes), re.M)
    match(r"^ops +root", out("bugroup -w ops", notes), re.M)
    expect_in("mem", [line.split()[0] for line in out("lsinfo -r", notes).splitlines()[1:] if line], "lsinfo -r")
    expect(out("busers -w", notes).splitlines()[0].startswith("USER/GROUP"), "busers -w")
    fields = "HOST_NAME type model cpuf ncpus maxmem maxswp server nprocs ncores nthreads RESOURCES"
    header, row = out(f'lshosts -o "{fields}"', notes).splitlines()[:2]
    expect_equal(header.split(), fields.split(), "the header of lshosts -o")
    expect_equal(row.split()[0], "n1", "the host")
    bench.saw("groups, resources, lshosts -o")


def test_wr_limits_of_a_queue(bench):
    notes = ready(bench)
    block = out("bqueues -l", notes).split("\nQUEUE: limited")[1].split("\nQUEUE: ")[0]
    match(r"DEFAULT LIMITS:[\s\S]*MEMLIMIT", block)
    match(r"MAXIMUM LIMITS:[\s\S]*RUNLIMIT", block)
    expect_equal(re.findall(r"^ ([\d.]+) min", block, re.M), ["10.0", "60.0"], "run limits, default and maximum")
    bench.saw("MEMLIMIT and RUNLIMIT in their blocks")


def test_arc_more(bench):
    notes = ready(bench)
    expect_equal(sh("lsid -V", notes).returncode, 0, "lsid -V")
    text = f"#! /bin/bash\n#BSUB -oo {notes}/o\n#BSUB -c 10\n#BSUB -W 10\n#BSUB -b {time.localtime().tm_year + 1}:1:1:0:0\ntrue\n"
    job = out(f"bsub < {script(notes, text)}", notes).split()[1].strip("<>")
    ids = [line.split()[0] for line in out("bjobs -a -u all", notes).splitlines()[1:]]
    expect_in(job, ids, "bjobs -a -u all")
    out(f"bkill {job}", notes)
    wait_done(job)
    bench.saw("a begin time, -c with -W, everybody's jobs")


def test_xdmod(bench):
    notes = ready(bench)
    job = number_in(out(f"bsub -n 2 -J 'for xdmod[3]' -P phys -q priority -o {notes}/o 'exit 4'", notes))
    wait_done(job)
    path = os.path.join(clients.batch.work, "test", "logdir", "lsb.acct")

    def record():
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as file:
            return next((r for r in csv.reader(file, delimiter=" ", quotechar='"') if r[:1] == ["JOB_FINISH"] and r[3] == job), None)

    fields = wait_until(record, "its line of lsb.acct")
    asked = int(fields[22])
    o = asked + int(fields[23 + asked])
    hosts = {re.sub(r"^\d+\*", "", name) for name in fields[24 + asked:24 + o]}
    expect_equal((fields[6], fields[11], fields[12], hosts), ("2", "root", "priority", {"n1"}), "processors, user, queue, hosts")
    expect_equal((fields[24 + o], fields[26 + o], fields[48 + o], fields[49 + o], fields[53 + o]),
                 ("32", "for xdmod[3]", "phys", str(4 << 8), "3"), "status, name, project, exit status, index")
    submitted, started, ended = (int(fields[n]) for n in (7, 10, 2))
    expect(submitted <= started <= ended, f"times {submitted} {started} {ended}")
    bench.saw("JOB_FINISH of an element by XDMoD's positions")


def test_blah(bench):
    """The state of a job from lsb.events alone: JOB_NEW, JOB_START, JOB_STATUS."""
    notes = ready(bench)
    job = number_in(out(f"bsub -o {notes}/o true", notes))
    wait_done(job)
    path = os.path.join(clients.batch.work, "test", "logdir", "lsb.events")

    def events():
        with open(path, encoding="utf-8") as file:
            rows = [r for r in csv.reader(file, delimiter=" ", quotechar='"') if len(r) > 4 and r[3] == job]
        return [(r[0], r[4] if r[0] == "JOB_STATUS" else "") for r in rows]

    wait_until(lambda: ("JOB_STATUS", "192") in events(), lambda: f"192 in {events()}")
    kinds = [kind for kind, _ in events()]
    expect(kinds.index("JOB_NEW") < kinds.index("JOB_START") < kinds.index("JOB_STATUS"), f"their order: {kinds}")
    bench.saw("JOB_NEW, JOB_START, JOB_STATUS up to 192")


# ---------------------------------------------------------------- all of them together


def test_every_question_of_section_0(bench):
    """What some sixty programs ask of the query commands: each is understood and answered."""
    notes = ready(bench)
    job = number_in(out("bsub -J 'union[1-2]' -P every -o /dev/null 'sleep 300'", notes))
    clients.batch.wait_for(job, "RUN\nRUN")
    fields = ("jobid id stat user queue job_name name proj proj_name exit_code exit_reason kill_reason suspend_reason pend_reason "
              "exec_host from_host slots max_req_proc nreq_slot submit_time start_time finish_time %complete run_time runtimelimit "
              "pend_time output_dir command ugroup application job_group dependency nalloc_slot min_req_proc sub_cwd ependtime "
              "ipendtime srcjobid dstjobid srcluster fwd_cluster")
    for words in ("", "-w", "-W", "-l", "-UF", "-a", "-r", "-u root", "-u all", "-q normal", "-P every", "-J union", "-aJ '*nio*'",
                  "-m n1", "-X", "-noheader", f"-o '{fields}'", f"-o '{fields.upper()}'", "-json", f"{job} {job}", f"'{job}[2]'",
                  "-o 'stat: queue:- name:4 delimiter=\"^\"'", "-noheader -o 'id stat delimiter=\",\"'"):
        expect_in("RUN", out(f"bjobs {words}", notes), f"bjobs {words}")
    for words in ("-p", "-d"):
        done = sh(f"bjobs {words}", notes)
        expect(done.returncode == 0 and "unknown" not in done.stderr, f"bjobs {words}: {done}")
    expect_equal(out(f"LSB_BJOBS_FORMAT='jobid stat' bjobs -noheader '{job}[1]'", notes), f"{job} RUN\n", "LSB_BJOBS_FORMAT")
    out(f"bkill {job}", notes)
    wait_done(job, "EXIT\nEXIT")
    year = time.localtime().tm_year
    for line in (f"bhist -l {job}", "bhist -l -a", f"bhist -UF {job}", f"bhist -n 2 -l -d -w {job}", f"bacct -l {job}",
                 f"bacct -l -C {year}/1/1,{year}/12/31 -u all", "bqueues -w", "bqueues -l", "bqueues -l normal", "bqueues -o QUEUE_NAME -noheader",
                 "bhosts -w", "bhosts -l", "bhosts -X", 'bhosts -noheader -o "hname max ng"', "bhosts -o host_name -noheader big",
                 "lshosts -w", "lshosts -w n1", "lsload", "lsload -l", "lsinfo -m", "lsinfo -r", "lsid", "lsid -V", "lsclusters -w",
                 "badmin showconf mbd", "badmin showconf mbd all", "lsadmin showconf lim", "bparams -a", "bmgroup -w", "bugroup -w",
                 "bugroup -w ops", "busers", "busers all", "busers -w", 'bslots -R"select[CN]"'):
        done = sh(line, notes)
        expect_equal(done.returncode, 0, f"{line}: {done.stdout}{done.stderr}")
        expect(done.stdout + done.stderr, f"{line} says something")
    for command in "bsub bjobs bkill bqueues bhosts bhist bacct lsid lsload".split():
        expect_equal(sh(f"{command} -V", notes).returncode, 0, f"{command} -V")
    bench.saw("every option and field of bjobs, every line of the others")


def test_every_option_of_bsub_of_section_0(bench):
    notes = ready(bench)
    taken = ("-J n", "-J 'n[1-2]'", "-J 'n[1-2]%100'", "-o o", "-oo o", "-e e", "-eo e", "-i /dev/null", "-q normal", "-P p", "-G ops",
             "-n 1", "-n 1,2", "-R 'select[mem>1]' -R 'rusage[mem=1:duration=1]'", "-R 'span[hosts=1]'", "-R 'span[ptile=1]'", "-R 'mem > 1'",
             "-R type==any", "-R \"hname!='h'\"", "-R model==PC", "-R 'tmp>=1'", "-M 900000", "-M 900000KB", "-M 900MB", "-M 1G", "-M 20GB!",
             "-W 10", "-W 1:10", "-W 1.5", "-c 10", "-cwd /", "-outdir /tmp", "-env all", "-env none", "-env all,HOME", "-env A=b -env C=d",
             "-L /bin/sh", "-r", "-rn", "-u nobody", "-B", "-N", "-m n1", "-m n1!", "-b 23:59", "-E true", "-f 'a > b'", "-f 'a < b'",
             "-a openmpi", "-nnodes 1", "-alloc_flags 'smt4'", "-w 'started(1) || ended(1)'")
    for options in taken:
        done = sh(f"bsub -H {options} true", notes)
        known = done.returncode == 0 or "does not accept -nnodes" in done.stderr  # this queue takes no whole hosts
        expect(known and "unknown option" not in done.stderr, f"bsub {options}: {done.stderr}")
    for options in ("-x", "-I", "-Is", "-K"):
        expect("unknown option" not in sh(f"bsub {options} -q nosuch true", notes).stderr, f"bsub {options}")
    for options in ("-sp 50", "-U rsv", "-R 'affinity[core(1)]'", "-gpu num=1", "-m n1@other"):
        done = sh(f"bsub {options} true", notes)
        expect_equal((done.returncode, done.stdout), (255, ""), f"bsub {options}")
        expect(re.search(r"(-sp: .* are|-U: .* are|affinity\[\] is) not supported|-gpu: found no host|n1@other: Bad host name.*; no lease with cluster other has it", done.stderr),
               f"bsub {options}: {done.stderr}")
    out("bkill 0", notes)
    bench.saw(f"{len(taken)} forms taken, five refused by name")


if __name__ == "__main__":
    main(hosts=1, patience=10)
