"""What users type, with real daemons on four hosts: bsub's waiting and interactive forms, blaunch, lsrun, lsgrun, and the
launchers of MPI that are started by blaunch."""

import os
import re
import signal
import subprocess

from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.files import read
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.terminal import CTRL_C, Shell
from rollcall_testing.waiting import wait_until

ALL = ("n1", "n2", "n3", "n4")


def test_waiting_for_a_job(bench):
    with BatchCluster(bench, ALL[:2]) as batch:
        done = batch.user("bsub", "-K", "-o", "/dev/null", "exit 7")
        expect_equal(done.returncode, 7, "its exit code")
        expect(re.fullmatch(r"Job <\d+> is submitted to default queue <normal>\.\n", done.stdout), f"stdout {done.stdout!r}")
        expect(
            re.fullmatch(r"<<Waiting for dispatch \.\.\.>>\n<<Starting on n[12]>>\n<<Job is finished>>\n", done.stderr),
            f"stderr {done.stderr!r}",
        )
        killed = batch.user("bsub", "-K", "-o", "/dev/null", "kill -9 $$")
        expect_equal(killed.returncode, 137, "exit code of one that was killed")
        quiet = batch.user("bsub", "-K", "-o", "/dev/null", "true", env=batch.environment(BSUB_QUIET="1"))
        expect_equal((quiet.returncode, quiet.stdout, quiet.stderr), (0, "", ""), "a quiet one")
        half = batch.user("bsub", "-K", "-o", "/dev/null", "true", env=batch.environment(BSUB_QUIET2="1"))
        expect(half.stdout.startswith("Job <") and re.search(r"<<Starting on n[12]>>\n$", half.stderr), f"without its end: {half.stderr!r}")
    bench.saw("exit 7, exit 137, nothing said where it is to be quiet")


def test_scripts_are_submitted_in_every_form(bench):
    with BatchCluster(bench, ALL[:1]) as batch:
        notes = bench.fresh_directory()
        script = f'\n#!/bin/bash\n#BSUB-J "from script" # comment\n#BSUB -o {notes}/out.%J\n#BSUB -q priority\n' \
                 'echo "${BASH_VERSION:+bash} $LSB_JOBNAME $LSB_QUEUE"\n'
        done = batch.user("bsub", "-K", "-q", "normal", input=script)
        expect_equal(done.returncode, 0, f"exit code; {done.stderr}")
        expect_in("is submitted to queue <normal>.", done.stdout, "the command line wins")
        job = re.search(r"<(\d+)>", done.stdout).group(1)
        expect(read(f"{notes}/out.{job}").startswith("bash from script normal\n"), read(f"{notes}/out.{job}"))
        path = os.path.join(notes, "job.sh")
        with open(path, "w", encoding="utf-8") as file:
            file.write(script)
        done = batch.user("bsub", "-K", path)
        expect_equal(done.returncode, 0, f"exit code; {done.stderr}")
        job = re.search(r"<(\d+)>", done.stdout).group(1)
        expect(read(f"{notes}/out.{job}").startswith("bash from script priority\n"), "a file with #BSUB lines")
    bench.saw("a blank line before #!, #BSUB-J, a comment; on standard input and as a file")


def test_bsub_prints_the_answer_alone(bench):
    with BatchCluster(bench, ALL[:1]) as batch:
        expect_equal(batch.good("bsub", "-id", "-o", "/dev/null", "true"), "1\n", "-id")
        expect_equal(batch.good("bsub", "-json", "-o", "/dev/null", "true"),
                     '{"JOBID":2,"QUEUE":"normal","DEFAULT_QUEUE":true}\n', "-json")
        refused = batch.user("bsub", "-q", "nosuch", "true")
        expect_equal((refused.returncode, refused.stdout), (255, ""), "a queue that is not there")
        expect(refused.stderr.endswith("Job not submitted.\n"), refused.stderr)
        checked = batch.user("bsub", "-R", "select[mem>5", "true", env=batch.environment(BSUB_CHK_RESREQ="1"))
        expect_equal(checked.returncode, 255, "a requirement that is wrong")
        expect_in("\nselect[mem>5\n            ^\n", checked.stderr, "where it is")
        good = batch.user("bsub", "-R", "select[mem>5]", "true", env=batch.environment(BSUB_CHK_RESREQ="1"))
        expect_equal((good.returncode, good.stdout), (0, "Resource requirement string is valid.\n"), "a good one")
        expect_equal(batch.good("bsub", "-id", "-o", "/dev/null", "true"), "3\n", "checks take no number")
    bench.saw("-id, -json, refusals, BSUB_CHK_RESREQ")


def test_esubs_change_and_refuse_submissions(bench):
    with BatchCluster(bench, ALL[:1], more_conf="LSB_ESUB_METHOD=site") as batch:
        notes = bench.fresh_directory()
        batch.write_elim("esub.site", '#!/bin/sh\n. "$LSB_SUB_PARM_FILE"\necho 42 is no job\n'
                         'echo "LSB_SUB_COMMAND_LINE=\\"echo site; $LSB_SUB_COMMAND_LINE\\"" >>"$LSB_SUB_MODIFY_FILE"\n'
                         "echo 'SITE=\"a b\"' >>\"$LSB_SUB_MODIFY_ENVFILE\"\n")
        batch.write_elim("esub.no", "#!/bin/sh\necho not today >&2\nexit $LSB_SUB_ABORT_VALUE\n")
        job = batch.bsub("echo $SITE", "-K", "-o", f"{notes}/out")
        expect(read(f"{notes}/out").startswith("site\na b\n"), read(f"{notes}/out"))
        done = batch.user("bsub", "-a", "no", "true")
        expect_equal((done.returncode, done.stdout), (255, ""), "refused")
        expect_in("not today\n42 is no job\nbsub: Request aborted by esub.no. Job not submitted.\n", done.stderr, "why")
        done = batch.user("bsub", "-a", "nosuch", "true")
        expect_in("-a nosuch: found no program", done.stderr, "one that is not there")
        expect_equal(job, 1, "its number, whatever the esub prints")
    bench.saw("LSB_ESUB_METHOD changes command and environment; a refusal; none there")


def test_output_of_an_esub_reaches_eexec(bench):
    with BatchCluster(bench, ALL[:2]) as batch:
        notes = bench.fresh_directory()
        batch.write_elim("esub", "#!/bin/sh\necho a secret of $LSB_SUB_PARM_FILE | cut -d/ -f1\nprintf 'second line'\n")
        batch.write_elim("eexec", f'#!/bin/sh\n{{ cat; echo; echo "$LS_EXEC_T $LSB_JOBID $(id -u) $(hostname)"; kill -0 $LS_JOBPID && echo lives\n'
                                  f"}} >{notes}/eexec\nexit 9\n")
        done = batch.user("bsub", "-K", "-m", "n2", "-o", f"{notes}/out", f"cat {notes}/eexec; exit 3")
        expect_equal(done.returncode, 3, f"the job's own exit code, whatever that of eexec: {done.stderr}")
        expect("secret" not in done.stdout + done.stderr, f"what the esub printed is shown: {done.stdout}{done.stderr}")
        expect(read(f"{notes}/out").startswith(f"a secret of \nsecond line\nSTART 1 {os.geteuid()} n2\nlives\n"), read(f"{notes}/out"))
        shown = batch.user("bjobs", "-a", "-l", "1").stdout + batch.user("bhist", "-l", "1").stdout
        expect("secret" not in shown, shown)
        batch.write_elim("esub", "#!/bin/sh\nhead -c 70000 /dev/zero\n")
        refused = batch.user("bsub", "true")
        expect_equal((refused.returncode, refused.stdout), (255, ""), "an esub that prints too much")
        expect_in("found 70000 bytes on standard output, expected at most 65536 for eexec", refused.stderr, "why")
    bench.saw("two lines of the esub read by eexec on the job's host, before the job, as its user; shown nowhere")


def test_interactive_with_pipes(bench):
    with BatchCluster(bench, ALL[:2]) as batch:
        done = batch.user("bsub", "-I", "-m", "n2", "cat; echo err >&2; hostname; exit 5", input="line 1\nline 2")
        expect_equal(done.returncode, 5, f"exit code; {done.stderr}")
        expect(re.fullmatch(r"Job <1> is submitted to default queue <normal>\.\nline 1\nline 2n2\n", done.stdout),
               f"stdout {done.stdout!r}")
        expect_in("err\n", done.stderr, "standard error apart")
        expect_in("<<Starting on n2>>\n", done.stderr, "where")
        big = batch.user("bsub", "-I", "-m", "n2", "head -c 3000000 /dev/zero | tr '\\0' x")
        expect_equal(len(big.stdout.split("\n", 1)[1]), 3000000, "bytes of a long output")
        killed = batch.user("bsub", "-I", "kill -9 $$")
        expect_equal(killed.returncode, 137, "one that was killed")
        long = batch.user("bsub", "-I", "sleep 6; echo its end")  # mbatchd waits 3 s for a bsub that has left it
        expect_equal((long.returncode, long.stdout.split("\n", 1)[1]), (0, "its end\n"), f"one that takes longer: {long.stderr}")
        expect_equal(batch.wait_for(1, "DONE", "EXIT"), "EXIT", "for bjobs too")
    bench.saw("input, output, errors, 3 MB, exit codes, six seconds")


def test_interactive_with_files(bench):
    """Each of -i, -o and -e takes one stream from the terminal; the others stay there."""
    with BatchCluster(bench, ALL[:2]) as batch:
        place = bench.fresh_directory()
        with open(f"{place}/in", "w", encoding="ascii") as file:
            file.write("from the file\n")
        script = "cat; echo err >&2; exit 5"
        for option in ("-I", "-Ip"):
            done = batch.user("bsub", option, "-i", f"{place}/in", script, input="typed\n")
            expect_equal(done.returncode, 5, f"exit code; {done.stderr}")
            expect_in("from the file", done.stdout, f"{option} -i")
            expect("typed" not in done.stdout, done.stdout)
            with open(f"{place}/spooled{option}", "w", encoding="ascii") as file:
                file.write("as it was\n")
            done = batch.user("bsub", option, "-is", f"{place}/spooled{option}", script, input="typed\n")
            expect_equal((done.returncode, "typed" in done.stdout), (5, False), f"{option} -is: {done}")
            expect_in("as it was", done.stdout, f"{option} -is")
            done = batch.user("bsub", option, "-o", f"{place}/out{option}.%J", "-e", f"{place}/err{option}", script,
                              stdin=subprocess.DEVNULL)
            expect_equal(done.returncode, 5, f"exit code; {done.stderr}")
            expect("err" not in done.stdout + done.stderr.replace("stderr", ""), f"{done.stdout} {done.stderr}")
            expect_equal(open(f"{place}/err{option}", encoding="ascii").read(), "err\n", f"{option} -e")
        done = batch.user("bsub", "-I", "-o", f"{place}/out", "echo out; echo err >&2", stdin=subprocess.DEVNULL)
        expect_equal(open(f"{place}/out", encoding="ascii").read(), "out\n", "-o alone")
        expect_in("err\n", done.stderr, "standard error stays bsub's")
        lost = batch.user("bsub", "-I", "-i", f"{place}/none", "true", stdin=subprocess.DEVNULL)
        expect(lost.returncode != 0, "an input that is missing")
        expect_in(f"cannot open {place}/none", lost.stderr, "why")
    bench.saw("-i, -o and -e of -I and -Ip; what has no file stays at the terminal; a missing -i is told")


def test_interactive_with_a_terminal(bench):
    with BatchCluster(bench, ALL[:2]) as batch:
        prefix = " ".join(bench.cluster.host("n1").entering())
        with Shell(batch.environment(), "/") as shell:
            shell.type(f"{prefix} env PS1='remote ' bsub -Is -m n2 /bin/sh")
            shell.wait_for("<<Starting on n2>>")
            shell.type("tty; stty size; echo on $(hostname)")
            shell.wait_for("/dev/pts/")
            shell.wait_for("on n2")
            shell.type("sleep 1000")
            on_n2 = bench.cluster.host("n2")
            wait_until(lambda: on_n2.processes(lambda p: p.words == ("sleep", "1000")), lambda: "sleep on n2")
            shell.type(CTRL_C)
            wait_until(lambda: not on_n2.processes(lambda p: p.words == ("sleep", "1000")), lambda: "its end")
            shell.type("echo ali''ve")  # not as it is echoed, which may come before the shell's prompt or after it
            shell.wait_for("alive\r\n")
            shell.type("exit 4")
            shell.wait_for("<prompt>")
            expect_equal(shell.exit_code(), 4, "its exit code")
    bench.saw("a tty on the other host, Ctrl-C reaches its foreground, exit 4")


def test_waiting_commands_outlive_a_restart_of_mbatchd(bench):
    with BatchCluster(bench, ALL[:2]) as batch:
        notes = bench.fresh_directory()
        go = os.path.join(notes, "go")
        own = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=batch.environment())
        waits = bench.cluster.host("n2").popen(
            ["bsub", "-K", "-o", "/dev/null", f"until [ -e {go} ]; do sleep 0.1; done; exit 3"], **own)
        wait_until(lambda: batch.field(1) == "RUN", lambda: batch.field(1))
        batch.kill_daemon("mbatchd", "n1")
        away = batch.user("bsub", "true", host="n2", env=batch.environment(LSB_NTRIES="1"))
        expect_equal((away.returncode, away.stdout), (255, ""), "while it is away")
        expect_in("bsub: mbatchd is not running on host n1: ", away.stderr, "which host")
        expect(away.stderr.endswith(". Job not submitted.\n"), away.stderr)
        batch.start_daemon("mbatchd", "n1")
        with open(go, "w", encoding="ascii"):
            pass
        said, _ = waits.communicate(timeout=120)
        expect_equal((waits.returncode, said), (3, "Job <1> is submitted to default queue <normal>.\n"), "bsub -K")
    bench.saw("bsub -K has the job's exit code all the same; meanwhile the host is named")


def test_ctrl_c_of_bsub_k(bench):
    with BatchCluster(bench, ALL[:1]) as batch:
        prefix = " ".join(bench.cluster.host("n1").entering())
        with Shell(batch.environment(), "/") as shell:
            for word in ("sleep 100", "-R 'mem>99999999' true"):
                shell.type(f"{prefix} bsub -K -o /dev/null {word}")
                shell.wait_for("<<Starting on n1>>" if word[0] == "s" else "<<Waiting for dispatch ...>>")
                shell.type(CTRL_C)
                job = 1 if word[0] == "s" else 2
                shell.wait_for(f"\njob {job} goes on; bkill {job} ends it\r\n")
                shell.wait_for("<prompt>")
                expect_equal(shell.exit_code(), 130, "its exit code")
        expect_equal([batch.field(job) for job in (1, 2)], ["RUN", "PEND"], "the jobs")
        batch.good("bkill", "0")
        batch.wait_for(1, "EXIT")
    bench.saw("a running and a pending job go on, and bsub says so; 130")


def test_ctrl_c_of_bsub_i_says_what_was_done_with_the_job(bench):
    with BatchCluster(bench, ALL[:1]) as batch:
        prefix = " ".join(bench.cluster.host("n1").entering())
        with Shell(batch.environment(), "/") as shell:
            shell.type(f"{prefix} bsub -I 'echo be\"\"gun; exec sleep 100'")
            shell.wait_for("begun\r\n")
            shell.type(CTRL_C)
            shell.wait_for("\nSIGINT was sent to job 1; bkill 1 ends it if it goes on\r\n")
            shell.wait_for("<prompt>")
            expect_equal(shell.exit_code(), 130, "a job that runs")
            shell.type(f"{prefix} bsub -I -E 'sleep 100' true")
            shell.wait_for("<<Starting on n1>>")
            shell.type(CTRL_C)
            shell.wait_for("<< Job <2> has been terminated by user or administrator >>\r\n")
            shell.wait_for("<prompt>")
        batch.wait_for(1, "EXIT")
        batch.wait_for(2, "EXIT")
    bench.saw("a job that runs gets the signal, one whose host is not ready is ended; bsub says so")


def test_bsub_says_on_a_terminal_why_its_job_pends(bench):
    with BatchCluster(bench, ALL[:1]) as batch:
        prefix = " ".join(bench.cluster.host("n1").entering())
        with Shell(batch.environment(), "/") as shell:
            shell.type(f"{prefix} bsub -I -R 'mem>99999999' true")
            shell.wait_for("<<Waiting for dispatch ...>>")
            shell.wait_for("<<  ")
            why = shell.wait_for(">>\r\n")
            expect_in("mem", why, "what it waits for")
            shell.type(CTRL_C)
            shell.wait_for("<< Job <1> has been terminated by user or administrator >>\r\n<<Terminated while pending>>")
            shell.wait_for("<prompt>")
            expect_equal(shell.exit_code(), 126, "its exit code")
        batch.wait_for(1, "EXIT")
    bench.saw("on a terminal the reason; Ctrl-C ends the job, 126")


def test_a_wait_says_lsfs_lines_alone_without_a_terminal(bench):
    with BatchCluster(bench, ALL[:1]) as batch:
        notes = bench.fresh_directory()
        with open(f"{notes}/err", "wb") as err:
            waits = bench.cluster.host("n1").popen(["bsub", "-K", "-W", "5", "-R", "mem>99999999", "-o", "/dev/null", "true"],
                                                   env=batch.environment(), stdout=subprocess.PIPE, stderr=err, text=True)
        wait_until(lambda: "dispatch" in read(f"{notes}/err"), lambda: f"it to wait: {read(f'{notes}/err')!r}", 30)
        batch.good("bkill", "1")
        waits.communicate(timeout=120)
        expect_equal(read(f"{notes}/err"), "<<Waiting for dispatch ...>>\n<<Terminated while pending>>\n", "standard error")
        expect_equal(waits.returncode, 126, "its exit code")
    bench.saw("no notice, no reason")


def test_bsub_waits_for_mbatchd_and_ctrl_c_ends_it(bench):
    with BatchCluster(bench, ALL[:1]) as batch:
        notes = bench.fresh_directory()
        batch.kill_daemon("mbatchd", "n1")
        waiting = []
        for name in ("ended", "served"):
            with open(f"{notes}/{name}", "wb") as err:
                waiting.append(bench.cluster.host("n1").popen(["bsub", "-o", "/dev/null", "true"], env=batch.environment(),
                                                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=err, text=True))
            wait_until(lambda: "Please wait" in read(f"{notes}/{name}"), lambda: f"it to wait: {read(f'{notes}/{name}')}")
        ended, served = waiting
        ended.send_signal(signal.SIGINT)
        ended.communicate(timeout=120)
        expect_equal(ended.returncode, -signal.SIGINT, "Ctrl-C")
        batch.start_daemon("mbatchd", "n1")
        said, _ = served.communicate(timeout=120)
        expect_equal((served.returncode, said), (0, "Job <1> is submitted to default queue <normal>.\n"), "the other one")
        batch.wait_for(1, "DONE")
    bench.saw("one ended, one served")


def test_a_killed_interactive_bsub_takes_its_pending_job_along(bench):
    with BatchCluster(bench, ALL[:1], slots=1) as batch:
        first = batch.bsub("exec sleep 1000", "-o", "/dev/null")
        batch.wait_for(first, "RUN")
        waits = bench.cluster.host("n1").popen(["bsub", "-I", "sleep", "1000"], env=batch.environment(), stdin=subprocess.DEVNULL,
                                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: batch.field(first + 1) == "PEND", "the interactive job to pend")
        waits.kill()
        waits.wait()
        expect_equal(batch.wait_for(first + 1, "EXIT", seconds=20), "EXIT", "a job whose bsub is gone")
        expect_in("its bsub is gone", batch.field(first + 1, "kill_reason"), "kill_reason")
        batch.good("bkill", str(first))
    bench.saw("it never gets a slot")


def test_blaunch_starts_tasks_on_the_hosts_of_the_job(bench):
    with BatchCluster(bench, ALL[:3]) as batch:
        notes = bench.fresh_directory()
        lines = [
            "for h in n1 n2 n3; do blaunch $h 'echo $(hostname) $LSF_PM_TASKID $LSB_JOBID'; done",
            "blaunch -z 'n1 n2 n3' 'echo z $(hostname) $LSF_PM_TASKID' | sort",
            "echo input | blaunch n2 cat",
            "blaunch -n n2 cat",
            "blaunch n3 exit 9; echo code $?",
            'blaunch n2 \'["/bin/echo"]\' 2>/dev/null; echo words $?',
            'blaunch n2 \\"/bin/echo\\" quoted words',
            "blaunch -no-shell n2 echo '$HOME  x'",
            "blaunch n2 'kill -9 $$'; echo signal $?",
            "blaunch n2 blaunch n3 hostname",
            "blaunch n4 hostname; echo other $?",
            f"printf 'n3 # a comment\\n\\nn1\\n' >{notes}/hosts; blaunch -u {notes}/hosts 'echo u $(hostname) $LSF_PM_TASKID' | sort",
            "blaunch 'echo all $(hostname) $LSF_PM_TASKID' | sort",
            "blaunch -x -q -oBatchMode=yes -l nobody n2 echo as ssh",
            "blaunch -use-login-shell n2 'shopt -q login_shell && echo login'",
        ]
        batch.bsub("\n".join(lines), "-K", "-n", "3", "-R", "span[ptile=1]", "-m", "n1+3 n2+2 n3+1", "-o", f"{notes}/out",
                   "-e", f"{notes}/err", "-N", timeout=120)
        out = read(f"{notes}/out")
        expected = ("n1 1 1\nn2 1 1\nn3 1 1\nz n1 1\nz n2 2\nz n3 3\ninput\ncode 9\nwords 127\nquoted words\n$HOME  x\n"
                    "signal 137\nn3\nother 255\nu n1 2\nu n3 1\nall n1 1\nall n2 2\nall n3 3\nas ssh\nlogin\n")
        expect_equal(out, expected, "what it printed; " + read(f"{notes}/err"))
    bench.saw("joined words, -z, -n, -no-shell, exit codes, from every host, no other host")


def test_lsrun_and_lsgrun_start_tasks_without_a_job(bench):
    with BatchCluster(bench, ALL[:3]) as batch:
        expect_equal(batch.good("lsrun", "-m", "n2", "hostname"), "n2\n", "lsrun -m")
        expect_equal(batch.good("lsrun", "-L", "-m", "n1", "hostname"), "n1\n", "lsrun -L, here")
        done = batch.user("lsrun", "-v", "-R", "select[hname==n3]", "sh", "-c", "hostname; exit 3")
        expect_equal((done.returncode, done.stdout, done.stderr), (3, "n3\n", "<<Execute sh on remote host n3>>\n"), "-R")
        none = batch.user("lsrun", "-R", "mem>99999999", "hostname")
        expect_equal((none.returncode, none.stderr), (246, "ls_placeofhosts: Not enough host(s) currently eligible\n"), "none")
        expect_equal(batch.good("lsgrun", "-v", "-m", "n1 n3 n2", "hostname"),
                     "<<Executing hostname on n1>>\nn1\n<<Executing hostname on n3>>\nn3\n<<Executing hostname on n2>>\nn2\n",
                     "lsgrun")
        together = batch.good("lsgrun", "-p", "-m", "n1 n2 n3", "hostname")
        expect_equal(sorted(together.split()), ["n1", "n2", "n3"], "lsgrun -p")
        names = os.path.join(bench.fresh_directory(), "hosts")
        with open(names, "w", encoding="ascii") as file:
            file.write("n3  # the first\n\nn1\n")
        expect_equal(batch.good("lsgrun", "-f", names, "hostname"), "n3\nn1\n", "lsgrun -f")
        expect_equal(batch.good("lsgrun", "-R", "select[hname==n2]", "hostname"), "n2\n", "lsgrun -R")
        expect_equal(sorted(batch.good("lsgrun", "hostname").split()), ["n1", "n2", "n3"], "lsgrun on all")
        asked = batch.user("lsgrun", "-i", "-m", "n1 n2 n3", "hostname", input="y\nn\nyes\n")
        expect_equal((asked.returncode, asked.stdout), (0, "n1\nn3\n"), "lsgrun -i")
        codes = batch.user("lsgrun", "-m", "n1 n2", "sh", "-c", "test $(hostname) = n1 || exit 6")
        expect_equal(codes.returncode, 6, "the first exit status that is not 0")
        batch.kill_daemon("res", "n3")
        wait_until(lambda: "-ok" in batch.good("lsload", "n3"), lambda: batch.good("lsload"), 30)
        rest = batch.user("lsgrun", "-p", "hostname")
        expect_equal((rest.returncode, sorted(rest.stdout.split()), rest.stderr),
                     (0, ["n1", "n2"], "lsgrun: host n3 has no RES: left out\n"), "on all that are up")
    bench.saw("the named host, the host that fits, none; several in turn and together")


def mpi_job(bench, batch, command, *options):
    notes = bench.fresh_directory()
    # No option or variable tells the launchers how to reach the other hosts.
    own = {"HYDRA_LAUNCHER", "HYDRA_LAUNCHER_EXEC", "OMPI_MCA_plm_rsh_agent"}
    environment = {name: value for name, value in batch.environment().items() if name not in own}
    batch.bsub(command, *options, "-K", "-n", "6", "-R", "span[ptile=2]", "-m", "n2 n3 n4", "-o", f"{notes}/out", "-e", f"{notes}/err",
               "-N", timeout=120, env=environment)
    return sorted(re.findall(r"\bn\d\b", read(f"{notes}/out"))), read(f"{notes}/out") + read(f"{notes}/err")


SIX = ["n2", "n2", "n3", "n3", "n4", "n4"]


def test_unmodified_hydra_runs_over_blaunch(bench):
    with BatchCluster(bench, ALL) as batch:
        found, text = mpi_job(bench, batch, "mpiexec.hydra -launcher lsf -rmk lsf hostname")
        expect_equal(found, SIX, f"hosts of the tasks; {text}")
    bench.saw("mpiexec -launcher lsf -rmk lsf: two tasks on each of three hosts")


def test_the_wrappers_run_over_blaunch(bench):
    with BatchCluster(bench, ALL) as batch:
        for wrapper in ("mpich_wrapper", "openmpi_wrapper"):
            found, text = mpi_job(bench, batch, f"{wrapper} hostname")
            expect_equal(found, SIX, f"{wrapper}: hosts of the tasks; {text}")
    bench.saw("mpich_wrapper and openmpi_wrapper: two tasks on each of three hosts, without ssh")


def test_bsub_a_mpirun_lsf_and_pam_run_together(bench):
    with BatchCluster(bench, ALL) as batch:
        for kind in ("openmpi", "mpich2", "poe"):
            if not os.path.exists(f"{batch.etc}/esub.{kind}"):
                os.symlink(os.path.join(bench.build, "etc", f"esub.{kind}"), f"{batch.etc}/esub.{kind}")
        for kind in ("openmpi", "mpich2"):
            _, text = mpi_job(bench, batch, "mpirun.lsf hostname", "-a", kind)
            table = sorted(re.findall(r"^0000\d (n\d) +hostname +Done ", text, re.M))
            expect_equal(table, SIX, f"-a {kind}: pam's table of tasks; {text}")
        refused = batch.user("bsub", "-a", "poe", "mpirun.lsf", "hostname")
        expect_equal((refused.returncode, refused.stdout), (255, ""), "-a poe")
        expect_in("PJL type: found poe, which is not supported", refused.stderr, "why")
    bench.saw("bsub -a openmpi and -a mpich2 mpirun.lsf: pam's table has six tasks; -a poe is refused by name")


main(hosts=4)
