"""Programs that use LSF from inside a job: what they read of the job's hosts, and how they start something there; and the whole
of a job's environment, as LSF's manuals and a real job have it."""

import os
import re

from gpus import counted, with_gpus
from rollcall_testing import batch_cluster
from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.files import read_if_there
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

BOTH = ("n1", "n2")

# A real job of `bsub -a openmpi ... mpirun.lsf` had these, and manuals or launchers name the rest.
OF_THE_JOB = """LSB_JOBID LSB_BATCH_JID LSB_JOBINDEX LSB_JOBNAME LSB_QUEUE LSB_SUB_HOST LS_SUBCWD LSFUSER LSB_JOB_EXECUSER LSB_UNIXGROUP_INT
LSB_EXEC_CLUSTER LSF_INVOKE_CMD LS_EXEC_T LS_JOBPID LSB_JOBRES_PID LSB_JOBRES_CALLBACK LSB_JOBFILENAME LSB_CHKFILENAME LSB_DJOB_HOSTFILE
LSB_ACCT_FILE LSB_EXIT_PRE_ABORT LSB_JOBEXIT_STAT LSB_DJOB_RU_INTERVAL LSB_DJOB_HB_INTERVAL LSB_HOSTS LSB_MCPU_HOSTS LSB_TRAPSIGS HOSTTYPE
LSF_BINDIR LSF_SERVERDIR LSF_LIBDIR LSF_ENVDIR LSF_LOGDIR LSF_VERSION LSF_LIM_API_NTRIES LSB_DJOB_NUMPROC LSB_MAX_NUM_PROCESSORS
LSB_DJOB_RANKFILE LSB_AFFINITY_HOSTFILE LSB_OUTPUTFILE LSF_FULL_VERSION LSF_PJL_TYPE""".split()
OF_PAM = "LSF_TS LSF_TS_OPTIONS LSF_TSOPT_NUM PM_SOURCE BINARY_TYPE_HPC".split()
NEVER = re.compile(r"LSB_OUTDIR$|EGO_|LSF_EAUTH_|XLSF_UIDDIR|LSF_PM_MPIARGS|ROLLCALL_KEY")


def variables(path):
    return dict(line.split("=", 1) for line in read_if_there(path).splitlines() if "=" in line)


def test_the_environment_of_a_job(bench):
    with BatchCluster(bench, BOTH) as batch:
        notes = bench.fresh_directory()
        path = os.path.join(notes, "job.sh")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nenv >{notes}/job\n"
                       f"pam -t -n 1 -g sh -c 'exec \"$LSF_TS\" $LSF_TS_OPTIONS \"$@\"' sh sh -c 'env >{notes}/method2'\n"
                       f"pam -t -n 1 -g 1 env sh -c 'env >{notes}/method1'\n")
        dirty = batch.environment(LSB_JOBID="7", LSB_HOSTS="elsewhere", LSF_PM_MPIARGS_X="kept")
        batch.good("bsub", "-K", "-a", "openmpi", "-n", "3", "-R", "span[ptile=2]", "-J", "its name", "-o", f"{notes}/out", "sh", path, env=dirty)
        job, method2, method1 = (variables(f"{notes}/{name}") for name in ("job", "method2", "method1"))
        expect_equal([name for name in OF_THE_JOB if name not in job], [], f"what is missing; {read_if_there(f'{notes}/out')}")
        expect_equal([name for name in OF_PAM if name not in method2], [], "what pam does not set")
        found = [name for name in (*job, *method2) if NEVER.match(name) and name != "LSF_PM_MPIARGS_X"]
        expect_equal(found, [], "what is never there")
        hosts = job["LSB_HOSTS"].split()
        pairs = job["LSB_MCPU_HOSTS"].split()
        expect_equal(sorted(hosts), sorted(h for h, n in zip(pairs[::2], pairs[1::2]) for _ in range(int(n))), "hosts told alike")
        expect_equal((len(hosts), job["LSB_DJOB_NUMPROC"], job["LSB_JOBNAME"], job["LSB_SUB_HOST"], job["LSB_JOBRES_PID"]),
                     (3, "3", "its name", "n1", job["LS_JOBPID"]), "values")
        expect(re.fullmatch(rf"\d+@{hosts[0]}", job["LSB_JOBRES_CALLBACK"]), job["LSB_JOBRES_CALLBACK"])
        expect_equal((job["LSB_TRAPSIGS"], job["LSB_EXIT_PRE_ABORT"], job["LSF_PJL_TYPE"], job["LSB_DJOB_RU_INTERVAL"]),
                     ("trap # 15 10 12 2 1", "99", "openmpi", "5"), "constants")
        expect_equal((method2["PM_SOURCE"], method2["LSF_TSOPT_NUM"], method2["BINARY_TYPE_HPC"]), ("pam", "0", ""), "pam, Method 2")
        expect(int(method1["LSF_TSOPT_NUM"]) >= 3, f"pam, Method 1: {method1['LSF_TSOPT_NUM']} words of TaskStarter")
    bench.saw(f"{len(OF_THE_JOB) + len(OF_PAM)} variables there, those of EGO and eauth not")


def test_ray(bench):
    with with_gpus(bench, BOTH) as batch:
        counted(batch, BOTH)
        notes = bench.fresh_directory()
        text = "\n".join([
            "#!/bin/bash",
            'hosts=(); for host in $(cat $LSB_DJOB_HOSTFILE | uniq); do hosts+=($host); done',
            '[ -e "$LSB_AFFINITY_HOSTFILE" ] || exit 8',
            'num=$(echo $LSB_MCPU_HOSTS | wc -w); [ $num -eq 4 ] || exit 9',
            'head=${hosts[0]}; workers=(${hosts[@]:1})',
            f'blaunch -z $head "echo head $CUDA_VISIBLE_DEVICES >{notes}/head; exec sleep 301" &',
            f'for host in "${{workers[@]}}"; do blaunch -z $host "hostname >{notes}/worker; exec sleep 302" & done',
            f"until [ -s {notes}/head ] && [ -s {notes}/worker ]; do sleep 0.1; done",
            "bkill $LSB_JOBID",
            "wait", ""])
        path = os.path.join(notes, "ray.sh")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)
        job = batch.bsub(path, "-n", "2", "-R", "span[ptile=1] rusage[mem=1GB]", "-gpu", "num=2", "-M", "20GB!", "-o", f"{notes}/out")
        expect_equal(batch.wait_for(job, "EXIT", "DONE"), "EXIT", f"its end: {read_if_there(f'{notes}/out')}{read_if_there(f'{notes}/head')}")
        expect_in("TERM_OWNER", batch.good("bjobs", "-UF", str(job)), "it has killed itself")
        expect_equal(read_if_there(f"{notes}/head"), "head 0,1\n", "the first host's devices")
        for host in BOTH:
            own = bench.cluster.host(host)
            wait_until(lambda: not own.processes(lambda p: p.words in (("sleep", "301"), ("sleep", "302"))), lambda: f"{host} to be empty")
    bench.saw("blaunch -z in the background on both hosts, bkill $LSB_JOBID from inside, nothing left")


def test_radical_pilot_and_lightning(bench):
    with BatchCluster(bench, BOTH) as batch:
        notes = bench.fresh_directory()
        batch.bsub(f"cp $LSB_DJOB_HOSTFILE {notes}/hosts; cp $LSB_DJOB_RANKFILE {notes}/ranks; echo $((LSB_JOBID % 1000 + 10000)) >{notes}/port",
                   "-K", "-n", "4", "-R", "span[ptile=2]", "-o", f"{notes}/out")
        hosts = read_if_there(f"{notes}/hosts").split("\n")[:-1]
        expect_equal(sorted(hosts), ["n1", "n1", "n2", "n2"], "a line for each slot")
        ranks = read_if_there(f"{notes}/ranks").split("\n")[:-1]
        expect_equal(ranks, hosts, "a line for each rank, the first host first")
        expect(10000 <= int(read_if_there(f"{notes}/port")) < 11000, "a port from LSB_JOBID")
    bench.saw("the host file and the rank file")


PARSL = """#!/bin/bash
#BSUB -W 10
#BSUB -J parsl.x
#BSUB -o {notes}/out
#BSUB -e {notes}/err
#BSUB -nnodes 2
env >{notes}/job
cp $LSB_DJOB_HOSTFILE {notes}/hosts
"""


def test_whole_hosts(bench):
    """Parsl, AiiDA and Balsam ask for hosts: -nnodes. Empty ones, with all their slots."""
    exclusive = batch_cluster.QUEUES.replace("QUEUE_NAME = normal", "QUEUE_NAME = normal\nEXCLUSIVE = Y")
    with BatchCluster(bench, BOTH, slots=3, queues=exclusive) as batch:
        notes = bench.fresh_directory()
        path = os.path.join(notes, "parsl.submit")
        with open(path, "w", encoding="utf-8") as file:
            file.write(PARSL.format(notes=notes))
        said = batch.good("bsub", path)
        job = next(line.split()[1].strip("<>") for line in said.split("\n")
                   if line.lower().startswith("job") and "is submitted to" in line.lower())
        batch.wait_for(job, "DONE", "EXIT")
        inside = variables(f"{notes}/job")
        expect_equal(sorted(inside["LSB_HOSTS"].split()), ["n1"] * 3 + ["n2"] * 3, f"LSB_HOSTS; {read_if_there(f'{notes}/err')}")
        expect_equal((inside["LSB_DJOB_NUMPROC"], inside["LSB_MAX_NUM_PROCESSORS"]), ("6", "6"), "their number")
        expect_equal(sorted(read_if_there(f"{notes}/hosts").split()), ["n1"] * 3 + ["n2"] * 3, "LSB_DJOB_HOSTFILE")
        expect_equal(batch.field(job, "slots"), "6", "bjobs")
        small = batch.bsub("exec sleep 1000", "-m", "n2", "-o", "/dev/null")
        batch.wait_for(small, "RUN")
        waits = batch.bsub("true", "-nnodes", "2", "-o", "/dev/null")
        wait_until(lambda: "1 host" in batch.good("bjobs", "-p", str(waits)), "why it pends")
        expect_in("other jobs run there", batch.good("bjobs", "-p", "--why", str(waits)), "it waits for empty hosts")
        batch.good("bkill", str(small))
        batch.wait_for(waits, "DONE")
        refused = batch.user("bsub", "-nnodes", "1", "-q", "priority", "true")
        expect_equal((refused.returncode, refused.stdout), (255, ""), "a queue without EXCLUSIVE")
        expect_in("priority: Queue does not accept -nnodes", refused.stderr, "the refusal names the option")
    bench.saw("six slots of two hosts; only empty ones; the refusal names -nnodes")


if __name__ == "__main__":
    main(hosts=2, patience=10)
