"""lsadmin on a real LIM: locking, checking, reconfiguring, ending and restarting, from words and from standard input."""

import json
import os
import pwd
import shutil
import signal
import socket
import subprocess

from rollcall_testing.one_host import CLUSTER, OTHER, Munged, OneHost
from rollcall_testing.runner import Skip, expect, expect_equal, expect_in, main
from rollcall_testing.site import free_port
from rollcall_testing.terminal import CTRL_D, Shell
from rollcall_testing.waiting import wait_until


def as_others():
    if os.geteuid() != 0:
        raise Skip("only root can act as another user")


def no_elim(bench):
    return not [p for p in bench.cluster.strangers() if "elim.scratch" in " ".join(p.words)]


def test_invalid_words_are_refused(bench):
    with OneHost(bench) as one:
        for words, said in (
            (("nosuch",), 'found the subcommand "nosuch"'),
            (("showconf",), "showconf: found nothing, expected lim"),
            (("showconf", "lim", "all"), 'showconf: found the host "all", expected '),
            (("limlock", "-l", "x"), "limlock:"),
            (("limlock", "word"), "limlock:"),
            (("limlock", "-l", "0"), 'limlock: -l: found "0"'),
            (("limunlock", "word"), "limunlock:"),
            (("reconfig", "word"), "reconfig:"),
            (("limshutdown", "all", "-json"), "limshutdown -json: asks nothing, expected -f"),
            (("limdebug", "-l", "9"), "limdebug"),
            (("limshutdown", "nowhere"), 'found the host "nowhere"'),
            (("limrestart", "-x"), 'found the option "-x"'),
            (("resrestart", "-x"), 'found the option "-x"'),
        ):
            expect_in(said, one.refused("lsadmin", *words), words)
        expect_equal(one.status(), "ok", "the host after all of these")


def test_lock_and_unlock(bench):
    with OneHost(bench) as one:
        expect_equal(one.good("lsadmin", "limlock"), "Host is locked\n", "limlock")
        expect_equal(one.status(), "lockU", "status")
        expect_in("Not enough host(s)", one.refused("lsplace", code=1), "lsplace on a locked host")
        expect_equal(one.good("lsadmin", "limunlock"), "Host is unlocked\n", "limunlock")
        expect_equal(one.status(), "ok", "status")
        one.good("lsadmin", "limlock", "-l", "1")
        expect_equal(one.status(), "lockU", "locked for a second")
        wait_until(lambda: one.status() == "ok", "the lock of a second to end")


def test_checking_needs_no_lim_and_names_every_error(bench):
    one = OneHost(bench)
    expect_in("No errors found.", one.good("lsadmin", "ckconfig"), "ckconfig")
    expect_in("Checked " + one.path("lsf.shared"), one.good("lsadmin", "ckconfig", "-v"), "ckconfig -v")
    text = one.good("lsadmin", "showconf", "lim")
    for line in (f"LSF_LIM_PORT = {one.port}", f"LSF_LOGDIR = {one.log}", "EXINTERVAL = 1", "PROBE_TIMEOUT = 2"):
        expect_in(line, text.splitlines(), "showconf lim")
    expect_in(one.path("lsf.conf") + ":1", one.good("lsadmin", "showconf", "lim", "-v"), "showconf lim -v")
    whole = one.read("lsf.conf")
    one.write("lsf.conf", whole + "LSF_RES_PORT=\nROLLCALL_RUNDIR=/nonexistent/run\n")
    said = one.good("lsadmin", "ckconfig")
    expect_in(": warning: LSF_RES_PORT: found no value, expected one; it counts as not set\n", said, "ckconfig")
    expect_in(': warning: ROLLCALL_RUNDIR: found "/nonexistent/run", expected a directory that exists on this host\n', said,
              "ckconfig")
    one.write("lsf.conf", whole + "LSB_MBD_PORT=abc\n")  # no daemon of the load system reads it, every b* command does
    done = one.run("lsadmin", "ckconfig")
    expect_equal(done.returncode, 255, "ckconfig of what the batch system cannot use")
    expect_in('LSB_MBD_PORT: found "abc", expected a port from 1 to 65535\nThere is 1 error.\n', done.stdout, "ckconfig")
    one.write("lsf.conf", whole)
    one.write("lsf.shared", one.read("lsf.shared").replace("Numeric", "Numerical"))
    one.write("lsf.cluster.one", one.read("lsf.cluster.one") + "Begin Host\n")
    done = one.run("lsadmin", "ckconfig")
    expect_equal(done.returncode, 255, "ckconfig of broken files")
    for place in (one.path("lsf.shared") + ":", one.path("lsf.cluster.one") + ":", "errors."):
        expect_in(place, done.stdout + done.stderr, "ckconfig")


def names_of(one):
    return [record["RESOURCE_NAME"] for record in one.json("lsinfo")["RESOURCES"]]


def test_reconfig_takes_good_files_and_refuses_broken_ones(bench):
    with OneHost(bench) as one:
        good = one.read("lsf.shared")
        one.write("lsf.shared", good.replace("bigmem Boolean", "fast Boolean () () (Fast)\nbigmem Boolean"))
        expect_in("[y/n]", one.good("lsadmin", "reconfig", input="n\n"), "reconfig, and no")
        expect_in("reconfig: the input ended before an answer; nothing was done (-f asks nothing)",
                  one.refused("lsadmin", "reconfig", input=""), "the end of input instead of an answer")
        expect("fast" not in names_of(one), "nothing was read after no")
        expect_in("done", one.good("lsadmin", "reconfig", input="y\n"), "reconfig, and yes")
        wait_until(lambda: "fast" in names_of(one), "the new resource in lsinfo")
        one.write("lsf.shared", good + "Begin Resource\n")
        done = one.run("lsadmin", "reconfig", "-f")
        expect_equal(done.returncode, 255, "reconfig with a broken file")
        expect_in(one.path("lsf.shared") + ":", done.stdout + done.stderr, "reconfig with a broken file")
        expect("done" not in done.stdout, "no LIM was told")
        # LIM itself, asked by SIGHUP, keeps what it has and says what is wrong.
        os.kill(lim_pid(one), signal.SIGHUP)
        wait_until(lambda: "lsf.shared:" in log_of(one), lambda: f"the error in LIM's log: {log_of(one)}")
        done = one.run("lsinfo", "-json")
        expect_equal(done.returncode, 0, "lsinfo")
        expect_in('"fast"', done.stdout, "the running configuration")


def test_json_output_is_valid(bench):
    with OneHost(bench) as one:
        for words in (("limlock",), ("limunlock",), ("limdebug", one.host), ("limrestart", one.host), ("reconfig", "-f")):
            said = one.json("lsadmin", *words)
            expect_equal((said["COMMAND"], said["SUBCOMMAND"]), ("lsadmin", words[0]), words)
            expect_equal(said["RECORDS"], [{"HOST_NAME": one.host, "DONE": True, "TEXT": "done"}], words)
        said = one.json("lsadmin", "ckconfig")
        expect_equal((said["ERRORS"], said["PROBLEMS"]), (0, []), "ckconfig")
        expect_in(one.path("lsf.shared"), said["FILES"], "ckconfig")
        settings = {p["NAME"]: p for p in one.json("lsadmin", "showconf", "lim")["PARAMETERS"]}
        expect_equal((settings["LSF_LIM_PORT"]["VALUE"], settings["LSF_LIM_PORT"]["WHERE"]),
                     (str(one.port), one.path("lsf.conf") + ":1"), "showconf")
        expect_equal(json.loads(one.good("lsadmin", "-json", "limlock"))["RECORDS"][0]["DONE"], True, "-json before it")
        expect_equal(one.json("lsadmin", "limshutdown")["SUBCOMMAND"], "limshutdown", "limshutdown")
        done = one.run("lsadmin", "limstartup", "-json")  # what lsf_daemons says goes beside the document
        expect_equal(json.loads(done.stdout)["RECORDS"][0]["DONE"], True, "limstartup")
        expect_in("lim: started", done.stderr, "limstartup, standard error")
        one.write("lsf.shared", one.read("lsf.shared") + "Begin Resource\n")
        done = one.run("lsadmin", "reconfig", "-f", "-json")
        expect_equal(done.returncode, 255, "reconfig with a broken file")
        said = json.loads(done.stdout)
        expect_equal((said["SUBCOMMAND"], said["PROBLEMS"][0]["FILE"]), ("reconfig", one.path("lsf.shared")), "its problems")


def lim_pid(one):
    with open(os.path.join(one.log, f"lim.{one.host}.pid"), encoding="ascii") as file:
        return int(file.readline())


def log_of(one):
    with open(os.path.join(one.log, f"lim.log.{one.host}"), encoding="utf-8", errors="replace") as file:
        return file.read()


def test_shut_down_start_and_restart(bench):
    with OneHost(bench) as one:
        wait_until(lambda: not no_elim(bench), "the elim to run")
        expect_in("done", one.good("lsadmin", "limrestart", one.host), "limrestart")
        one.good("lsid")
        wait_until(lambda: "4711" in one.run("lsload", "-l").stdout, "the elim's value after the restart")
        expect_in("done", one.good("lsadmin", "limshutdown"), "limshutdown")
        expect_in("LIM is down", one.refused("lsid"), "lsid")
        wait_until(lambda: no_elim(bench), "the elims to end with LIM")
        expect_equal(one.run("lsadmin", "limshutdown").returncode, 255, "a second limshutdown")
        expect_in("done", one.good("lsadmin", "limstartup"), "limstartup")
        wait_until(lambda: one.run("lsload").returncode == 0, "LIM to answer again")
        for words in (("limrestart", "all"), ("limshutdown", "all")):
            one.good("lsadmin", *words, input="n\n")
            one.good("lsid")
            expect_in("done", one.good("lsadmin", *words, "-f"), words)


def test_res_is_started_by_lsf_daemons_and_asked_itself(bench):
    res, mbd = free_port(), free_port()
    with OneHost(bench, f"LSF_RES_PORT={res}\nLSB_MBD_PORT={mbd}\n") as one:
        done = one.run("lsadmin", "resstartup")
        expect_equal(done.returncode, 255, "resstartup without the program")
        expect_in("does not belong on this host: found no such program", done.stderr, "resstartup without the program")
        shutil.copy(os.path.join(bench.build, "tests", "programs", "fake_daemon"), os.path.join(one.etc, "res"))
        expect_equal(one.good("lsadmin", "resstartup").splitlines()[-1].split()[-1], "done", "resstartup")
        for subcommand in ("resshutdown", "resrestart"):  # the fake one has no port
            done = one.run("lsadmin", subcommand)
            expect_equal(done.returncode, 255, subcommand)
            expect_in("RES", done.stdout, subcommand)
        said = json.loads(one.run("lsadmin", "resshutdown", "-json").stdout)
        expect_equal((said["SUBCOMMAND"], said["RECORDS"][0]["DONE"]), ("resshutdown", False), "resshutdown -json")
        expect_equal(one.good("lsf_daemons", "stop", "res"), "res: stopped\n", "stop")


def test_subcommands_from_standard_input(bench):
    with OneHost(bench) as one:
        done = one.run("lsadmin", input="ckconfig\n\nnosuch\nlimlock\nhelp\nquit\nlimunlock\n")
        expect_equal(done.returncode, 0, "the last one's status")
        for part in ("No errors found.", "Host is locked", "limshutdown"):
            expect_in(part, done.stdout, "standard output")
        expect_in('found the subcommand "nosuch"', done.stderr, "standard error")
        expect_equal(one.status(), "lockU", "nothing is done after quit")
        expect_equal(one.run("lsadmin", input="limunlock\nnosuch\n").returncode, 255, "the last one's status")
        expect_equal(one.good("lsadmin", input=""), "", "no word at all")
        with Shell(one.environment, one.top) as shell:
            shell.type(os.path.join(bench.bin, "lsadmin"))
            shell.wait_for("lsadmin>")
            shell.type("limlock")
            shell.wait_for("Host is locked")
            shell.wait_for("lsadmin>")
            shell.type(CTRL_D)
            shell.wait_for(b"<prompt>")
            expect_equal(shell.exit_code(), 0, "the end of a terminal's input")


CONTROLS = (("limlock",), ("limunlock",), ("reconfig", "-f"), ("limrestart",), ("limshutdown",))


def test_another_user_controls_no_daemon(bench):
    as_others()
    with OneHost(bench, "ROLLCALL_MUNGE_SOCKET=/nonexistent/munge\n") as one:
        for words in CONTROLS:
            done = one.run("lsadmin", *words, user=OTHER)
            expect_equal(done.returncode, 255, f"{words} without munge: {done.stdout}{done.stderr}")
            expect_in("may do this", done.stdout + done.stderr, f"{words} without munge")
        expect_equal(one.status(), "ok", "the host after all of these")
    with Munged(bench) as munged, OneHost(bench, f"ROLLCALL_MUNGE_SOCKET={munged.socket}\n") as one:
        for words in CONTROLS:
            done = one.run("lsadmin", *words, user=OTHER)
            expect_equal(done.returncode, 255, f"{words} with munge: {done.stdout}{done.stderr}")
            expect_in("may do this", done.stdout + done.stderr, f"{words} with munge")
        expect_equal(one.status(), "ok", "the host after all of these")


def test_a_key_that_is_of_no_use_is_named(bench):
    with OneHost(bench, "ROLLCALL_MUNGE_SOCKET=/nonexistent/munge\n") as one:
        os.chmod(one.path("cluster.key"), 0o644)
        said = one.refused("lsadmin", "limlock")
        expect_in("may do this; you have proved nothing by the key: ", said, "limlock")
        expect_in("cluster.key: mode 0644, expected 0600 or stricter", said, "limlock")
        os.chmod(one.path("cluster.key"), 0o600)
        one.good("lsadmin", "limlock")


def test_a_file_of_another_kind_does_not_fill_the_log(bench):
    with OneHost(bench) as one:
        one.write("lsf.shared", "Begin Host\n" * 5000)
        os.kill(lim_pid(one), signal.SIGHUP)
        wait_until(lambda: "what was in force stays" in log_of(one), "LIM to refuse the files")
        expect_in("more; lsadmin ckconfig -v shows them", log_of(one), "the log")
        expect(log_of(one).count(": error: ") <= 202, f"lines about one file: {log_of(one).count(chr(10))}")
        expect(one.run("lsadmin", "ckconfig").stdout.count("lsf.shared:") >= 5000, "ckconfig shows all of them")


def test_an_administrator_is_known_by_munge_alone(bench):
    as_others()
    name = "nobody"  # a user that every Debian has; elims may then run as it
    user = pwd.getpwnam(name).pw_uid
    with Munged(bench) as munged:
        one = OneHost(bench, f"ROLLCALL_MUNGE_SOCKET={munged.socket}\n")
        one.write("lsf.cluster.one", CLUSTER.format(admin=f"root {name}", host=one.host))
        with one:
            expect_equal(one.good("lsadmin", "limlock", user=user), "Host is locked\n", "limlock as an administrator")
            expect_equal(one.good("lsadmin", "limunlock", user=user), "Host is unlocked\n", "limunlock")
            conf = one.read("lsf.conf")
            one.write("lsf.conf", conf.replace(munged.socket, "/nonexistent/munge"))
            expect_in("may do this", one.refused("lsadmin", "limlock", user=user), "the same, and no munged to prove it")
            one.write("lsf.conf", conf)


def test_a_hanging_munged_delays_no_other_client(bench):
    as_others()
    with Munged(bench) as munged, socket.socket(socket.AF_UNIX) as hung:
        there = os.path.join(munged.home, "hung")
        hung.bind(there)
        os.chmod(there, 0o777)
        hung.listen(16)
        hung.settimeout(30)
        with OneHost(bench, f"ROLLCALL_MUNGE_SOCKET={there}\n") as one:
            one.write("lsf.conf", one.read("lsf.conf").replace(there, munged.socket))  # for clients; LIM has what it has
            held = []
            for _ in range(5):
                words = ["setpriv", f"--reuid={OTHER}", f"--regid={OTHER}", "--clear-groups"]
                asks = subprocess.Popen(words + one.words("lsadmin", "limlock"), env=one.environment, text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                held.append(hung.accept()[0])  # LIM asks who it is, and hears nothing
                one.good("lsload")
                waited = asks.poll() is None
                expect_in("munged did not answer", asks.communicate(timeout=120)[1], "the answer to who could not be told apart")
                if waited:
                    break
            expect(waited, "lsload was answered while munged hung")
            expect_in("munged did not answer within 2 s", log_of(one), "LIM's log")
            expect_equal(one.status(), "ok", "the host")
            for connection in held:
                connection.close()


def test_full_standard_output(bench):
    with OneHost(bench) as one, open("/dev/full", "w", encoding="ascii") as full:
        for words in (("help",), ("ckconfig",), ("showconf", "lim")):
            done = subprocess.run(one.words("lsadmin", *words), env=one.environment, stdin=subprocess.DEVNULL, stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=120, check=False)
            expect_equal(done.returncode, 255, words)
            expect_in("No space left on device", done.stderr, words)


if __name__ == "__main__":
    main()
