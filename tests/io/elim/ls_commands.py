"""The ls* commands that show: every option, exit codes, JSON, wrong words, and a LIM that is not there."""

import json
import os
import re
import signal
import subprocess

from rollcall_testing import processes
from rollcall_testing.one_host import OTHER, Munged, OneHost
from rollcall_testing.runner import Skip, expect, expect_equal, expect_in, main
from rollcall_testing.terminal import CTRL_C, Shell
from rollcall_testing.waiting import wait_until

COMMANDS = ("lsid", "lsclusters", "lsinfo", "lshosts", "lsload", "lsmon", "lsplace", "lseligible", "lsresreq", "lsadmin")


def as_others():
    if os.geteuid() != 0:
        raise Skip("only root can act as another user")


def columns(text, line=0):
    return text.splitlines()[line].split()


def test_help_version_and_wrong_options_need_no_files(bench):
    environment = dict(bench.cluster.environment, LSF_ENVDIR="/nonexistent")
    for name in COMMANDS:
        for option in ("-h", "-V", "-Q"):
            done = subprocess.run([os.path.join(bench.bin, name), option], env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=120, check=False)
            expect_equal(done.returncode, 255 if option == "-Q" else 0, f"{name} {option}")
            expect_equal(done.stdout, "", f"{name} {option}: standard output")
            expected = {"-h": f"Usage: {name}", "-V": "LSF-compatible, ", "-Q": f'{name}: found the option "-Q"'}
            expect_in(expected[option], done.stderr, f"{name} {option}")
    for option, instead in (("-gpu", "lshosts -gpu"), ("-gpuload", "lsload -I")):
        done = subprocess.run([os.path.join(bench.bin, "lsload"), option], env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)
        expect_equal((done.returncode, done.stdout), (255, ""), f"lsload {option}")
        expect(done.stderr.startswith(f"lsload: {option}: {instead}"), f"what to use instead: {done.stderr}")


def test_identity(bench):
    with OneHost(bench) as one:
        expect(re.fullmatch(r".*LSF-compatible, \d.*\n\nMy cluster name is one\nMy master name is \S+\n", one.good("lsid")),
               "lsid: the product, a blank line, the cluster, the master")
        said = one.json("lsid")
        expect_equal((said["CLUSTER"], said["MASTER"]), ("one", one.host), "lsid -json")
        for words in ((), ("-w",), ("one",)):
            text = one.good("lsclusters", *words)
            expect_equal(columns(text), ["CLUSTER_NAME", "STATUS", "MASTER_HOST", "ADMIN", "HOSTS", "SERVERS"], words)
            expect_equal(columns(text, 1)[:2], ["one", "ok"], words)
        expect_equal(one.json("lsclusters")["RECORDS"][0]["CLUSTER_NAME"], "one", "lsclusters -json")
        expect_in("found no such cluster", one.refused("lsclusters", "elsewhere"), "lsclusters")
        expect_in('found "x", expected options alone', one.refused("lsid", "x"), "lsid with an operand")


def test_information_and_hosts(bench):
    with OneHost(bench) as one:
        expect_equal(columns(one.good("lsinfo"))[:3], ["RESOURCE_NAME", "TYPE", "ORDER"], "lsinfo")
        expect_in("INTERVAL", one.good("lsinfo", "-l", "scratch"), "lsinfo -l")
        expect("TYPE_NAME" not in one.good("lsinfo", "-r"), "lsinfo -r: no types")
        expect_in("TYPE_NAME", one.good("lsinfo", "-t"), "lsinfo -t")
        for option in ("-m", "-M", "-w"):
            expect_in("MODEL_NAME", one.good("lsinfo", option), f"lsinfo {option}")
        expect_in("scratch", [r["RESOURCE_NAME"] for r in one.json("lsinfo")["RESOURCES"]], "lsinfo -json")
        expect_in("nosuch: unknown resource name", one.refused("lsinfo", "nosuch"), "lsinfo")
        for option in ((), ("-w",)):
            text = one.good("lshosts", *option)
            expect_equal(columns(text), ["HOST_NAME", "type", "model", "cpuf", "ncpus", "maxmem", "maxswp", "server",
                                         "RESOURCES"], "lshosts")
            expect_in("(bigmem)", text, "lshosts")
        expect_in("LOAD_THRESHOLDS", one.good("lshosts", "-l"), "lshosts -l")
        expect(len(one.good("lshosts", "-T").splitlines()) > 2, "lshosts -T draws a tree")
        expect_in("left", one.good("lshosts", "-s"), "lshosts -s")
        expect_in("left", one.good("lshosts", "-s", "rack"), "lshosts -s rack")
        expect_equal(one.good("lshosts", "-o", "host_name server delimiter=','").splitlines()[1], f"{one.host},Yes", "-o")
        expect_in(one.host, one.good("lshosts", "-R", "select[bigmem]"), "lshosts -R")
        expect_equal(one.json("lshosts")["RECORDS"][0]["HOST_NAME"], one.host, "lshosts -json")


def test_load(bench):
    with OneHost(bench) as one:
        wait_until(lambda: "4711" in one.good("lsload", "-l"), "the elim's value in lsload -l")
        short = ["HOST_NAME", "status", "r15s", "r1m", "r15m", "ut", "pg", "ls", "it", "tmp", "swp", "mem"]
        for options in ((), ("-w",), ("-E",), ("-N",), ("-E", "-w", one.host)):
            text = one.good("lsload", *options)
            expect_equal(columns(text), short, options)
            expect_equal(len(text.splitlines()), 2, options)
        expect_equal(columns(one.good("lsload", "-l"))[-1], "scratch", "lsload -l")
        expect_equal(columns(one.good("lsload", "-I", "mem:scratch:r1m"))[2:], ["mem", "scratch", "r1m"], "lsload -I")
        expect_equal(one.good("lsload", "-o", "host_name scratch: delimiter='|'").count("|"), 2, "lsload -o")
        expect_equal(columns(one.good("lsload", "-s"))[0], "RESOURCE", "lsload -s")
        expect_in(one.host, one.good("lsload", "-R", "select[scratch>4000] order[mem]"), "lsload -R")
        record = one.json("lsload", "-l")["RECORDS"][0]
        expect_equal(record["LOAD"]["scratch"], 4711, "lsload -json")
        expect(record["AGE_MS"]["scratch"] >= 0, "lsload -json: the value has an age")
        expect_equal(one.json("lsload")["COMMAND"], "lsload", "lsload -json")
        expect_equal(one.json("lsmon")["COMMAND"], "lsmon", "lsmon -json")
        for command, *words in (("lsload", "-E", "-N"), ("lsmon", "-E", "-N"), ("lsload", "--watch", "-s"),
                                ("lsload", "--watch", "-json"), ("lsload", "--watch", "-o", "mem")):
            expect_in("found both", one.refused(command, *words), f"{command} {words}")
        expect_in("expected --watch beside it", one.refused("lsload", "-i", "5"), "lsload -i")
        text = one.good("lsmon", "-c", "3", "-i", "0.1")
        expect_equal(text.count("Refresh rate: 0.1 secs"), 3, "lsmon -c 3")
        expect("\x1b" not in text, "no escape sequence where standard output is no terminal")


def test_watch_on_a_terminal_until_interrupted(bench):
    with OneHost(bench) as one, Shell(one.environment, one.top) as shell:
        for command in ("lsload --watch -i 0.1", "lsmon -i 0.1"):
            shell.type(os.path.join(bench.bin, command))
            for _ in range(3):
                shell.wait_for("HOST_NAME")
            shell.type(CTRL_C)
            shell.wait_for(b"<prompt>")
            # As a program that ended on Ctrl-C: 0 or the shell's word for SIGINT, never an error of its own.
            expect(shell.exit_code() in (0, 128 + signal.SIGINT), f"{command}: exit code")
            shown, code = shell.run("stty -a")
            expect(code == 0 and " echo " in shown and " icanon " in shown, f"{command}: the terminal is as it was: {shown}")


def lim_pid(one):
    with open(os.path.join(one.log, f"lim.{one.host}.pid"), encoding="ascii") as file:
        return int(file.readline())


def test_ctrl_c_while_lim_does_not_answer(bench):
    with OneHost(bench) as one, Shell(one.environment, one.top) as shell:
        for command in ("lsload --watch -i 0.1", "lsmon -i 0.1", "lsload"):
            pid, drawn = lim_pid(one), command != "lsload"
            if drawn:
                shell.type(os.path.join(bench.bin, command))
                for _ in range(2):
                    shell.wait_for("HOST_NAME")
            processes.send(pid, signal.SIGSTOP)
            try:
                if not drawn:
                    shell.type(os.path.join(bench.bin, command))
                name = command.split()[0]
                asks = lambda: [p for p in processes.tree_below(shell.pid) if p.name == name and asking(p.pid)]
                wait_until(asks, f"{command} to wait for LIM's answer")
                shell.type(CTRL_C)
                rest = shell.wait_for(b"<prompt>")
                expect("LIM is down" not in rest, f"{command} ended before its patience did: {rest!r}")
                expect_equal(shell.exit_code(), 128 + signal.SIGINT, f"{command}: exit code")
            finally:
                processes.send(pid, signal.SIGCONT)
            wait_until(lambda: one.run("lsid").returncode == 0, "LIM to answer again")


def asking(pid):
    """It has a connection, and sleeps."""
    try:
        links = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            blocked = next(int(line.split()[1], 16) for line in file if line.startswith("SigBlk"))
    except FileNotFoundError:
        return False
    return any(link.startswith("socket:") for link in links) and not blocked & 1 << (signal.SIGINT - 1)


def test_colour_on_a_terminal_alone(bench):
    with OneHost(bench) as one, Shell(one.environment, one.top) as shell:
        one.good("lsadmin", "limlock")
        wait_until(lambda: one.status() == "lockU", "the lock to show")
        lsload = os.path.join(bench.bin, "lsload")
        expect_in("\x1b[33m  lockU\x1b[0m", shell.run(lsload)[0], "lsload on a terminal")
        for words in (f"NO_COLOR=1 {lsload}", f"{lsload} | cat", f"{lsload} -json"):
            shown = shell.run(words)[0]
            expect_in("lockU", shown, words)
            expect("\x1b" not in shown, f"{words}: {shown!r}")


def test_placement(bench):
    with OneHost(bench) as one:
        expect_equal(one.good("lsplace"), one.host + "\n", "lsplace")
        for words in (("-L",), ("-n", "0"), ("-n", "1", "-w", "1"), ("-R", "select[bigmem]"), (one.host,)):
            expect_equal(set(one.good("lsplace", *words).split()), {one.host}, words)
        expect_equal(one.json("lsplace")["RECORDS"][0]["HOST_NAME"], one.host, "lsplace -json")
        expect_in("Not enough host(s)", one.refused("lsplace", "-n", "5000", code=1), "lsplace -n")
        expect_in("Not enough host(s)", one.refused("lsplace", "-R", "select[!bigmem]", code=1), "lsplace -R")
        for words in (("-n", "x"), ("-n", "-1"), ("-w", "1.5")):
            one.refused("lsplace", *words)


def test_eligible(bench):
    with OneHost(bench) as one:
        one.write("lsf.task", "Begin RemoteTasks\nsolve/\"select[bigmem]\"\nplain\nEnd RemoteTasks\n"
                              "Begin LocalTasks\nvi\nEnd LocalTasks\n")
        expect_equal(one.good("lseligible", "solve"), "ELIGIBLE select[bigmem]\n", "a remote task")
        expect_equal(one.good("lseligible", "-q", "solve"), "select[bigmem]\n", "-q")
        expect_equal(one.good("lseligible", "-s", "solve"), "", "-s")
        expect_equal(one.good("lseligible", "plain"), "ELIGIBLE -\n", "one without a requirement")
        expect_equal(one.good("lseligible", "-r", "nosuch"), "ELIGIBLE -\n", "-r")
        json.loads(one.good("lseligible", "-json", "solve"))
        for words in (("nosuch",), ("-r", "vi"), ("vi",), ("-s", "vi"), ("-q", "vi")):
            one.refused("lseligible", *words, code=1)
        for words in ((), ("a", "b")):
            expect_in("expected one task", one.refused("lseligible", *words), words)


def test_unknown_words_and_carets(bench):
    with OneHost(bench) as one:
        for command in ("lshosts", "lsload", "lsplace"):
            expect_in("found the host nowhere", one.refused(command, "nowhere"), command)
        for words in (("-I", "nosuch"), ("-o", "nosuch"), ("-s", "nosuch")):
            expect_in("nosuch", one.refused("lsload", *words), words)
        for command in ("lshosts", "lsload", "lsplace", "lsresreq"):
            option = () if command == "lsresreq" else ("-R",)
            expect_equal(one.refused(command, *option, "select[mem > ]").splitlines()[1:],
                         ["select[mem > ]", "             ^"], f"{command}: the caret")
            expect_equal(one.refused(command, *option, "select[nosuch>1]").splitlines()[-2:],
                         ["select[nosuch>1]", "       ^"], f"{command}: the caret under an unknown resource")
        expect_in("yes", one.good("lsresreq", "bigmem && mem>0", "--against", one.host), "lsresreq --against")
        expect_in("no", one.good("lsresreq", "!bigmem"), "lsresreq")
        expect_in("nowhere", one.refused("lsresreq", "mem>0", "--against", "nowhere"), "lsresreq")
        json.loads(one.good("lsresreq", "-json", "select[mem>1] order[ut]"))


ASKING = (("lsid",), ("lsclusters",), ("lsinfo",), ("lshosts",), ("lsload",), ("lsmon", "-c", "1"), ("lsplace",),
          ("lsresreq", "mem"))


def test_full_standard_output(bench):
    with OneHost(bench) as one, open("/dev/full", "w", encoding="ascii") as full:
        for words in ASKING + (("lsload", "-json"), ("lseligible", "-r", "x"), ("lsadmin", "showconf", "lim")):
            expect_in("No space left on device", one.refused(*words, stdout=full), words)


def test_no_lim_and_no_files(bench):
    one = OneHost(bench)
    one.good("lsf_daemons", "init")
    for words in ASKING:
        said = one.refused(*words, code=246 if words[0] == "lsplace" else 255)
        expect_in("LIM is down", said, words)
        expect_equal(len(said.splitlines()), 1, f"{words}: {said!r}, lines")
    expect_in("mem", one.good("lsresreq", "--parse-only", "mem>1"), "--parse-only asks nobody")
    one.write("lsf.conf", "LSF_LIM_PORT=abc\n")
    for words in ASKING:
        expect_in('lsf.conf:1: LSF_LIM_PORT: found "abc"', one.refused(*words), words)
    os.remove(one.path("lsf.conf"))
    for words in ASKING:
        said = one.refused(*words)
        expect_in("lsf.conf: found nothing to read", said, words)
        expect_in(f"; LSF_ENVDIR is {one.path('')[:-1]}", said, words)


def test_broken_files_beside_a_running_lim(bench):
    with OneHost(bench) as one:
        one.write("lsf.shared", one.read("lsf.shared") + "Begin Resource\n")
        for words in (("lsid",), ("lsload",), ("lshosts",)):
            done = one.run(*words)
            expect_equal(done.returncode, 0, words)
            expect_in("warning: the configuration files have errors", done.stderr, words)
            expect_in(one.host, done.stdout, words)
        # Commands need the candidates alone: they do not read the files of thousands of hosts.
        one.write("lsf.conf", one.read("lsf.conf") + f"LSF_MASTER_LIST={one.host}\n")
        for words in (("lsid",), ("lsload",), ("lshosts",), ("lsinfo",)):
            done = one.run(*words)
            expect_equal((done.returncode, done.stderr), (0, ""), words)


def test_another_user_looks_without_munge_and_with_it(bench):
    as_others()
    with OneHost(bench, "ROLLCALL_MUNGE_SOCKET=/nonexistent/munge\n") as one:
        for words in (("lsid",), ("lsload",), ("lshosts",), ("lsplace",)):
            expect_in(one.host, one.good(*words, user=OTHER), f"{words} without munge")
    with Munged(bench) as munged, OneHost(bench, f"ROLLCALL_MUNGE_SOCKET={munged.socket}\n") as one:
        for words in (("lsid",), ("lsload",), ("lshosts",), ("lsplace",)):
            expect_in(one.host, one.good(*words, user=OTHER), f"{words} with munge")


if __name__ == "__main__":
    main()
