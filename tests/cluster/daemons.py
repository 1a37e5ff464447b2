"""lsf_daemons with a daemon that misbehaves on request: started, looked at, stopped, by its owner and by others."""

import os
import re
import secrets
import shutil
import socket
import stat
import subprocess
import sys

from rollcall_testing import processes
from rollcall_testing.runner import Skip, expect, expect_equal, expect_in, main
from rollcall_testing.site import Site, own_directory
from rollcall_testing.waiting import wait_until

OTHER = 54321  # a user that no machine has


def give_away(site, user=OTHER):
    for directory, _, files in os.walk(site.top):
        for name in [directory] + [os.path.join(directory, f) for f in files]:
            os.chown(name, user, user)


def needs_root():
    if os.geteuid() != 0:
        raise Skip("only root can act as another user")


def is_alive(pid):
    process = processes.read_process(pid)
    return bool(process and process.alive)


def test_a_daemon_is_started_shown_and_stopped(bench):
    site = Site(bench)
    expect_equal(site.status(3), "lim: not running\n", "before")
    out = site.good("start")
    expect_in(f"lim: started, pid {site.pid()}\n", out, "start")
    expect(is_alive(site.pid()), "the daemon lives when start has ended")
    said = site.status(1)  # the fake has no port
    expect(re.match(rf"lim: running, pid {site.pid()}, since \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d; but nothing listens on "
                    rf"port {site.port}\n$", said), f"status said {said!r}")
    expect_in("but nothing listens on port", site.refused("-t", "1", "start"), "start beside one that may be ending")
    expect_equal(len(site.lims()), 1, "daemons")
    first = site.pid()
    expect_in("lim: stopped\nlim: started", site.good("restart"), "restart")
    expect(site.pid() != first and not is_alive(first), "restart is another process")
    expect_equal(site.good("stop"), "lim: stopped\n", "stop")
    expect_equal(site.lims(), [], "daemons after stop")
    expect(not os.path.exists(site.pid_file), "the pid file is gone")
    expect_equal(site.good("stop"), "lim: not running\n", "a second stop")
    expect_equal(site.status(3), "lim: not running\n", "after")


def test_a_daemon_has_a_session_a_log_and_a_short_environment(bench):
    site = Site(bench)
    read_end, write_end = os.pipe()
    os.set_inheritable(write_end, True)
    environment = dict(bench.cluster.environment, LD_PRELOADED="x", SECRET="y", LSF_ENVDIR="/nowhere")
    site.good("start", env=environment, pass_fds=(write_end,))
    os.close(write_end)
    expect_equal(os.read(read_end, 1), b"", "a descriptor of the caller in the daemon")
    os.close(read_end)
    with open(os.path.join(site.conf, "seen.lim"), encoding="utf-8") as file:
        environment, _, rest = file.read().partition("\0\0")
    names = {word.split("=")[0] for word in environment.split("\0")}
    allowed = {"HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "PATH", "TMPDIR", "LSF_ENVDIR", "ROLLCALL_READY_FD",
               "ROLLCALL_PID_FILE", "ROLLCALL_DAEMONS", "LC_CTYPE"}
    expect(names <= allowed, f"the daemon's environment has {names - allowed}")
    expect_in(f"LSF_ENVDIR={site.conf}", environment.split("\0"), "environment")
    expect_equal(rest.split("\0"), ["/dev/null", site.log_file, site.log_file, str(site.pid()), "/"],
                 "stdin, stdout, stderr, session, directory")
    site.good("stop")


def test_the_program_is_in_the_server_directory_or_beside_the_command(bench):
    site = Site(bench, server=False)
    program = os.path.join(site.etc, "lsf_daemons")
    shutil.copy(os.path.join(bench.bin, "lsf_daemons"), program)
    site.good("start", program=program)
    expect_equal(len(site.lims()), 1, "daemons")
    site.good("stop", program=program)
    os.remove(os.path.join(site.etc, "lim"))
    said = site.refused("start", program=program)
    expect_in("lim: found no such program in LSF_SERVERDIR (not set) nor in " + site.etc, said, "start")
    expect(not os.path.exists(site.pid_file), "no pid file")


def test_a_daemon_that_is_not_ready_is_one_line_with_the_reason(bench):
    log = f"({{0.log_file}})"
    rows = {
        "exits": "it ended with exit status 3: no moon tonight",
        "dies": "it died by signal 11: fake daemon: mode dies",
        "says cannot listen on port 7869: Address already in use": "cannot listen on port 7869: Address already in use",
        "never": "not ready after 1 s: waiting for the moon",
        "silent": "it closed its readiness descriptor without a word: fake daemon: mode silent",
    }
    for mode, reason in rows.items():
        site = Site(bench)
        site.mode(mode)
        said = site.refused("-t", "1", "start")
        expect_equal(said, f"lsf_daemons: lim did not start: {reason} {log.format(site)}\n", mode)
        expect_equal(site.lims(), [], f"daemons after {mode}")
        expect_equal(site.status(3), "lim: not running\n", mode)
    # What an earlier start left in the log is not the reason of this one.
    site.mode("says \x1b[31m" + "x" * 1000)
    said = site.refused("start")
    expect("\x1b" not in said and len(said) < 500, "a long line with control characters is cut and cleaned")


def test_stop_leaves_no_process(bench):
    for mode, said in (("deaf", "lim: stopped, with SIGKILL: it did not end by itself\n"),
                       ("leaves", "lim: stopped; processes it left behind, ended with SIGKILL: 1\n")):
        site = Site(bench)
        site.mode(mode)
        site.good("start")
        expect_equal(site.good("-t", "1", "stop"), said, mode)
        expect_equal(site.lims(), [], f"processes after {mode}")


def test_a_killed_daemon_is_reported_and_started_again(bench):
    site = Site(bench)
    site.good("start")
    pid = site.pid()
    processes.send(pid, 9)
    wait_until(lambda: not is_alive(pid), "the daemon to die")
    expect_equal(site.status(1), f"lim: not running; it ended without lsf_daemons (it was pid {pid})\n", "status")
    expect_in("lim: started", site.good("start"), "start")
    site.good("stop")


BATCH = ("lim", "res", "mbatchd")


def said_of(daemons, text):
    return "".join(f"{name}: {text}\n" for name in daemons)


def test_the_batch_daemons_come_and_go_with_lim(bench):
    site = Site(bench, batch=True)
    expect_equal(site.status(3), said_of(BATCH, "not running"), "before")
    out = site.good("start")
    expect_in("".join(f"{name}: started, pid {site.pid(name)}\n" for name in BATCH), out, "start, and its order")
    lines = site.status(1).splitlines()  # the fakes have no ports
    for name, port, line in zip(BATCH, (site.port, site.res_port, site.mbd_port), lines, strict=True):
        expect(line.startswith(f"{name}: running, pid {site.pid(name)}, "), f"status of {name}: {line}")
        expect(line.endswith(f"; but nothing listens on port {port}"), f"the port of {name}: {line}")
    first = {name: site.pid(name) for name in BATCH}
    expect_equal(site.good("restart", "mbatchd"), f"mbatchd: stopped\nmbatchd: started, pid {site.pid('mbatchd')}\n",
                 "restart of one")
    expect(site.pid("mbatchd") != first["mbatchd"], "another mbatchd")
    expect_equal([site.pid("lim"), site.pid("res")], [first["lim"], first["res"]], "the others")
    expect_equal(site.good("stop", "res"), "res: stopped\n", "stop of one")
    expect(is_alive(first["lim"]) and not is_alive(first["res"]), "res alone ended")
    site.good("start", "res")
    expect_equal(site.good("stop"), said_of(reversed(BATCH), "stopped"), "stop, and its order")
    expect_equal(site.daemons(), [], "daemons after stop")
    expect_equal(site.status(3, "res", "mbatchd"), said_of(BATCH[1:], "not running"), "status of some")


def test_each_batch_daemon_is_where_it_belongs(bench):
    here = socket.gethostname()
    site = Site(bench, batch=True, hosts=("n2",))
    site.good("init")
    site.write("lsf.conf", site.read("lsf.conf") + "ROLLCALL_MBD_HOST=n2\n")
    expect("mbatchd" not in site.good("start"), "mbatchd is another host's")
    expect("mbatchd" not in site.status(1), "nor looked for here")
    expect_equal(site.refused("start", "mbatchd"), "lsf_daemons: mbatchd: does not belong on this host: it is on n2 "
                 "(ROLLCALL_MBD_HOST)\n", "start by name")
    site.write("lsf.cluster.c1", site.read("lsf.cluster.c1").replace(f"{here} ! ! 1", f"{here} ! ! 0"))
    expect_in("res: stopped", site.good("stop"), "a res that runs is stopped, wherever it belongs by now")
    expect_equal(site.good("start"), f"lim: started, pid {site.pid()}\n", "on a client")
    expect_equal(site.refused("start", "res"), f"lsf_daemons: res: does not belong on this host: {here} is a client alone "
                 "(server 0 in lsf.cluster)\n", "res on a client")
    site.good("stop")
    alone = Site(bench)
    expect_equal(alone.good("start"), f"made the cluster's key {alone.key} and its public half {alone.key}.pub\n"
                 f"lim: started, pid {alone.pid()}\n"
                 f"res, mbatchd: not started: found no such program in {alone.etc}\n", "the load system alone")
    alone.good("stop")
    os.makedirs(os.path.join(alone.conf, "lsbatch", "c1", "configdir"))
    alone.write("lsbatch/c1/configdir/lsb.queues", "")
    expect_equal(alone.refused("start", code=5), f"lsf_daemons: res, mbatchd: not started: found no such program in {alone.etc}\n",
                 "files of a batch system without its programs")
    expect_equal(alone.refused("start", "res"), "lsf_daemons: res: does not belong on this host: found no such program in "
                 f"{alone.etc}\n", "res without its program")
    alone.good("stop")


def test_a_batch_daemon_that_does_not_start_is_reported_and_the_others_stay(bench):
    site = Site(bench, batch=True)
    site.write("mode.mbatchd", "says the store is another's")
    said = site.refused("start")
    expect_equal(said, f"lsf_daemons: mbatchd did not start: the store is another's ({site.log}/mbatchd.log."
                 f"{socket.gethostname()})\n", "start")
    expect(is_alive(site.pid("lim")) and is_alive(site.pid("res")), "lim and res run")
    os.remove(os.path.join(site.conf, "mode.mbatchd"))
    site.write("lsf.cluster.c1", "Begin Host\n")
    expect_equal(site.good("stop"), "res: stopped\nlim: stopped\n", "stop beside broken files")


def test_jobs_outlive_res(bench):
    site = Site(bench, batch=True)
    site.write("mode.res", "leaves")
    site.write("mode.mbatchd", "leaves")
    site.good("start")
    left = [p.pid for p in bench.cluster.strangers() if p.parent in (site.pid("res"), site.pid("mbatchd"))]
    expect_equal(len(left), 2, "children of res and mbatchd")
    job = [p.pid for p in bench.cluster.strangers() if p.parent == site.pid("res")]
    try:
        expect_in("mbatchd: stopped; processes it left behind, ended with SIGKILL: 1\nres: stopped\n", site.good("stop"),
                  "stop")
        expect_equal([is_alive(pid) for pid in job], [True], "what res started")
    finally:
        for pid in left:
            processes.send(pid, 9)


def test_a_renamed_hosts_daemons_are_found(bench):
    needs_root()
    site = Site(bench, batch=True)
    site.write("lsf.cluster.c1", site.read("lsf.cluster.c1").replace(socket.gethostname(), "before"))
    with subprocess.Popen(["unshare", "--uts", "sh", "-c", "hostname before && echo && exec sleep infinity"],
                          stdout=subprocess.PIPE) as host:
        try:
            host.stdout.readline()
            named = ["nsenter", f"--uts=/proc/{host.pid}/ns/uts", "--"]
            site.good("start", before=named)
            pids = {name: site.pid(name, "before") for name in BATCH}
            expect_in("since", site.status(1, before=named), "before")
            said = site.status(3)
            expect_equal(said, said_of(["lim"], "not running"), "another host whose pid files are in the same directory")

            subprocess.run([*named, "hostname", "after"], check=True)
            note = '; started when this host was called before: "lsf_daemons restart" starts it under the name of now'
            lines = site.status(1, before=named).splitlines()
            for name, line in zip(BATCH, lines, strict=True):
                expect(line.startswith(f"{name}: running, pid {pids[name]}, ") and line.endswith(note), f"status: {line}")
            said = site.refused("restart", before=named)
            expect_in("this host is called after", said, "restart, where the files do not have the name")
            site.write("lsf.cluster.c1", site.read("lsf.cluster.c1").replace("before", "after"))
            said = site.refused("start", before=named)
            expect(said.startswith(f"lsf_daemons: lim: running, pid {pids['lim']}, ") and note in said, f"start said {said}")
            expect_equal(sorted(p.pid for p in site.daemons()), sorted(pids.values()), "daemons after start")

            expect_in(said_of(reversed(BATCH), "stopped"), site.good("restart", before=named), "restart")
            expect("called" not in site.status(1, before=named), "nothing is said of the older name any more")
            expect(not [n for n in os.listdir(site.log) if n.endswith(".before.pid")], "older pid files are gone")
            expect_equal(len(site.daemons()), 3, "daemons after restart")
            subprocess.run([*named, "hostname", "later"], check=True)
            expect_equal(site.good("stop", before=named), said_of(reversed(BATCH), "stopped"), "stop on a renamed host")
            expect_equal(site.daemons(), [], "daemons after stop")
        finally:
            host.kill()


def test_another_process_with_the_pid_is_never_touched(bench):
    site = Site(bench)
    site.good("start")
    with open(site.pid_file, encoding="ascii") as file:
        pid, mark = file.read().split("\n")[:2]
    ticks, boot = mark.split()
    innocent = subprocess.Popen(["sleep", "600"])
    try:
        for text in (f"{innocent.pid}\n{ticks} {boot}\n",  # the number is used again
                     f"{innocent.pid}\n{start_of(innocent.pid)} {'0' * 36}\n",  # of another boot
                     f"{innocent.pid}\n", f"-{innocent.pid}\n{ticks} {boot}\n", f"-1\n{ticks} {boot}\n", "\n", ""):
            with open(site.pid_file, "w", encoding="ascii") as file:
                file.write(text)
            expect_equal(site.good("stop"), "lim: not running\n", repr(text))
            expect(innocent.poll() is None, f"the process of {text!r} lives")
            expect(is_alive(int(pid)), "the daemon was not meant either")
    finally:
        innocent.kill()
        innocent.wait()
        processes.send(int(pid), 9)


def start_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rsplit(") ", 1)[1].split()[19]


def test_the_process_at_a_taken_port_is_named(bench):
    site = Site(bench)
    site.good("init")
    listener = socket.create_server(("127.0.0.1", site.port))
    expect_equal(site.status(1), f"lim: not running; what listens on port {site.port} says nothing\n", "mute")
    stranger = subprocess.Popen([sys.executable, "-c", STRANGER, str(listener.fileno())], pass_fds=[listener.fileno()])
    listener.close()
    try:
        expect_equal(site.status(1), f"lim: not running; what answers on port {site.port} does not hold this "
                     "cluster's key\n", "stranger")
    finally:
        stranger.kill()
        stranger.wait()


STRANGER = """
import socket, sys
server = socket.socket(fileno=int(sys.argv[1]))
while True:
    link, _ = server.accept()
    link.recv(1000)
    link.sendall(b"HTTP/1.1 400 Bad Request\\r\\n\\r\\n" * 10)
    link.close()
"""


def test_a_cluster_of_one_host_makes_its_key(bench):
    site = Site(bench)
    out = site.good("start")
    expect_in(f"made the cluster's key {site.key} and its public half {site.key}.pub\n", out, "start")
    for name, mode in ((site.key, 0o600), (site.key + ".pub", 0o644)):
        expect_equal(stat.S_IMODE(os.stat(name).st_mode), mode, name)
    site.good("stop")
    expect("made" not in site.good("start"), "made once")
    site.good("stop")


def test_a_cluster_of_several_hosts_wants_its_key_made_once_and_copied(bench):
    site = Site(bench, hosts=("n2", "n3"))
    expect_equal(site.refused("start"),
                 f"lsf_daemons: cluster key {site.key}: found none, and this cluster has 3 hosts: run "
                 f"\"lsf_daemons init\" on one of them and copy {site.key} and {site.key}.pub to the others\n", "start")
    expect(not os.path.exists(site.key), "nothing was made")
    site.good("init")
    expect_equal(site.refused("init"), f"lsf_daemons: cluster key {site.key}: is there, expected none\n", "again")
    site.good("start")
    site.good("stop")


def test_an_unsafe_key_starts_no_daemon(bench):
    site = Site(bench)
    site.good("init")
    os.chmod(site.key, 0o640)
    expect_equal(site.refused("start"), f"lsf_daemons: cluster key {site.key}: mode 0640, expected 0600 or stricter\n",
                 "mode")
    os.chmod(site.key, 0o600)
    other = Site(bench)
    other.good("init")
    shutil.copy(other.key + ".pub", site.key + ".pub")
    expect_in(f"{site.key}.pub: is of another key, expected the public half of {site.key}", site.refused("start"),
              "another cluster's public half")
    os.remove(site.key + ".pub")
    expect_in("the public half of the key that is there", site.good("init"), "init completes it")
    with open(site.key, "w", encoding="ascii") as file:
        file.write("0" * 63 + "\n")
    expect_in("64 bytes, expected 64 hexadecimal digits and a newline", site.refused("start"), "a short key")
    expect_equal(site.lims(), [], "daemons")


def test_the_secret_is_in_no_argument_environment_or_log(bench):
    site = Site(bench)
    said = site.good("start") + site.run("status").stdout
    with open(site.key, encoding="ascii") as file:
        secret = file.read().strip()
    expect_equal(len(secret), 64, "digits")
    for name in ("cmdline", "environ"):
        with open(f"/proc/{site.pid()}/{name}", encoding="utf-8") as file:
            said += file.read()
    with open(site.log_file, encoding="utf-8") as file:
        said += file.read()
    said += site.good("stop")
    for start in range(0, 64, 16):
        expect(secret[start : start + 16] not in said, "a part of the secret was shown")


def test_clusters_on_one_host_do_not_meet(bench):
    sites = [Site(bench), Site(bench), Site(bench, log=False)]
    own = own_directory(sites[2].conf)
    try:
        for site in sites:
            site.good("start")
        for site in sites:
            expect_equal(len(site.lims()), 1, "daemons of each")
        sites[0].good("stop")
        expect_equal([len(site.lims()) for site in sites], [0, 1, 1], "daemons after one was stopped")
        expect_equal(set(os.listdir(own)), {f"lim.{socket.gethostname()}.pid", f"lim.{socket.gethostname()}.pid.lock-{os.geteuid()}", f"lim.log.{socket.gethostname()}"},
                     f"what is in {own}")
        expect_in("running, pid", sites[2].status(1), "status without LSF_LOGDIR")
        for site in sites[1:]:
            site.good("stop")
    finally:
        shutil.rmtree(own, ignore_errors=True)


def test_two_starts_at_once_make_one_daemon(bench):
    site = Site(bench)
    site.good("init")
    starts = [subprocess.Popen(site.words("-t", "1", "start"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
              for _ in range(6)]
    ends = [(s.communicate(timeout=120), s.returncode) for s in starts]
    expect_equal(len(site.lims()), 1, "daemons")
    expect_equal(sum("lim: started" in out for (out, _), _ in ends), 1, f"that started it: {ends}")
    for (out, err), code in ends:  # the fake has no port
        told = "another lsf_daemons is at work" in err or "but nothing listens on port" in err
        expect(code == 0 or told, f"said {out!r} {err!r}")
    site.good("stop")


def test_another_user_who_locks_the_pid_file_blocks_nothing(bench):
    needs_root()
    site = Site(bench)
    os.chmod(bench.scratch, 0o755)
    os.chmod(site.top, 0o755)
    site.good("start")
    hold = "import fcntl, sys; f = open(sys.argv[1]); fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); sys.stdin.read()"
    stranger = subprocess.Popen(["setpriv", f"--reuid={OTHER}", f"--regid={OTHER}", "--clear-groups", sys.executable, "-c", hold, site.pid_file],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        expect_equal(stranger.stdout.readline(), "held\n", "what the stranger has")
        site.good("restart")
        expect_equal(site.good("stop"), "lim: stopped\n", "stop")
    finally:
        stranger.communicate("", timeout=120)
    left = [name for name in os.listdir(os.path.dirname(site.pid_file)) if "lock" in name]
    expect_equal(left, [], "locks that stay")


def test_links_and_fifos_in_the_log_directory_are_not_written(bench):
    site = Site(bench)
    victim = os.path.join(site.top, "victim")
    with open(victim, "w", encoding="ascii") as file:
        file.write("precious\n")
    own = own_directory(site.conf)
    try:
        os.symlink(victim, site.log_file)
        site.good("start")
        site.good("stop")
        os.symlink(victim, site.pid_file)
        expect_in(f"{site.pid_file}: cannot open it: Too many levels of symbolic links", site.refused("start"), "link")
        os.remove(site.pid_file)
        os.mkfifo(site.pid_file)
        expect_in("is no regular file", site.refused("start"), "FIFO")
        expect_equal(site.status(3), "lim: not running\n", "status beside a FIFO")
        os.remove(site.pid_file)
        with open(victim, encoding="ascii") as file:
            expect_equal(file.read(), "precious\n", "what the link led to")
        expect_equal(site.lims(), [], "daemons")
    finally:
        shutil.rmtree(own, ignore_errors=True)


def test_broken_files_start_no_daemon_and_let_daemons_stop(bench):
    site = Site(bench)
    site.good("start")
    running = site.lims()
    site.write("lsf.cluster.c1", "Begin Host\nHOSTNAME model type server\n")
    expect_in("lsf.cluster.c1", site.refused("restart"), "restart")
    expect_equal(site.lims(), running, "what cannot start again is not stopped")
    site.write("lsf.cluster.c1", "Begin Host\nHOSTNAME model type server\nother ! ! 1\nEnd Host\n")
    expect_in("section Host of lsf.cluster.c1 has no such host", site.refused("restart"), "restart without this host")
    expect_equal(site.lims(), running, "it runs on")
    expect_equal(site.good("stop"), "lim: stopped\n", "stop")
    site.write("lsf.conf", "LSF_LIM_PORT=high\n")
    expect_in("lsf.conf:1", site.refused("start"), "start")
    os.remove(os.path.join(site.conf, "lsf.conf"))
    expect_in(site.conf + "/lsf.conf", site.refused("status"), "status")


def test_the_real_lim_starts_answers_and_ends(bench):
    site = Site(bench, server=False)  # so that the one beside the command is taken
    before = {p.pid for p in bench.cluster.strangers()}
    site.good("start")
    expect(re.match(rf"lim: running, pid {site.pid()}, since [-0-9 :]+\n$", site.status(0)), "its port answers as ours")
    pid = site.pid()
    expect_in(f"lim: runs already, pid {pid}\n", site.good("start"), "a second start")
    os.rename(site.pid_file, site.pid_file + ".away")
    other = f"lim: running, answers on port {site.port}; not started by lsf_daemons (no pid file)\n"
    expect_equal(site.status(0), other, "started otherwise")
    expect_in(other, site.good("start"), "start where one runs")
    expect_in("stop it the way it was started", site.refused("stop"), "stop of one that we did not start")
    os.rename(site.pid_file + ".away", site.pid_file)
    with open(site.log_file, encoding="utf-8") as file:
        log = file.read()
    expect("127.0.0.1" not in log, f"what status asks is nothing to log:\n{log}")

    rival = Site(bench, server=False)
    rival.write("lsf.conf", f"LSF_LIM_PORT={site.port}\nLSF_LOGDIR={rival.log}\n")
    said = rival.refused("start")
    expect_in("lim did not start: ", said, "a second cluster on the same port")
    expect_in(str(site.port), said, "which port it was")
    expect_in("does not hold this cluster's key", rival.status(1), "status of the second cluster")

    expect_equal(site.good("restart").count("lim: st"), 2, "stopped and started")
    expect(not is_alive(pid), "the first one ended")
    expect_equal(site.good("stop"), "lim: stopped\n", "stop")
    expect_equal({p.pid for p in bench.cluster.strangers()} - before, set(), "processes that are left")


def test_a_lim_that_ends_as_it_was_told_did_not_die(bench):
    site = Site(bench, server=False)
    site.good("start")
    pid = site.pid()
    environment = dict(bench.cluster.environment, LSF_ENVDIR=site.conf)
    lsadmin = os.path.join(bench.bin, "lsadmin")
    subprocess.run([lsadmin, "limrestart"], env=environment, check=True, capture_output=True, timeout=120)
    expect_equal(site.pid(), pid, "the pid file of a LIM that became anew")
    subprocess.run([lsadmin, "limshutdown"], env=environment, check=True, capture_output=True, timeout=120)
    wait_until(lambda: not is_alive(pid), "LIM to end")
    expect_equal(site.status(3), "lim: not running\n", "status")
    site.good("start")
    processes.send(site.pid(), 9)
    wait_until(lambda: "it ended without lsf_daemons" in site.run("status").stdout, "the death of a killed one to show")
    site.good("stop")


def start_munged(directory):
    """A munged of our own, on the socket it returns with the process."""
    key, there = os.path.join(directory, "munge.key"), os.path.join(directory, "munge.socket")
    with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
        file.write(secrets.token_bytes(128))
    files = [f"--{name}-file={os.path.join(directory, 'munge.' + name)}" for name in ("pid", "log", "seed")]
    words = ["/usr/sbin/munged", "--foreground", "--force", f"--key-file={key}", f"--socket={there}", *files]
    munged = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: os.path.exists(there), "munged's socket", 10)
    return munged, there


def test_lim_knows_users_by_munge_and_root_by_the_key(bench):
    needs_root()
    if not os.access("/usr/sbin/munged", os.X_OK):
        raise Skip("munged is not installed (Debian package munge)")
    site = Site(bench, server=False)
    os.chmod(bench.scratch, 0o755)
    munged, there = start_munged(site.top)
    try:
        site.write("lsf.conf", f"LSF_LIM_PORT={site.port}\nLSF_LOGDIR={site.log}\nROLLCALL_MUNGE_SOCKET={there}\n")
        with open(os.path.join(site.conf, "lsf.cluster.c1"), "a", encoding="ascii") as file:
            file.write("Begin ClusterAdmins\nAdministrators = daemon\nEnd ClusterAdmins\n")
        site.good("start")
        lsadmin = os.path.join(bench.bin, "lsadmin")
        environment = dict(bench.cluster.environment, LSF_ENVDIR=site.conf)

        def lock(user):
            words = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", lsadmin, "limlock"]
            return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120)

        for user in ("root", "daemon"):
            done = lock(user)
            expect_equal(done.returncode, 0, f"limlock by {user}: {done.stdout}{done.stderr}")
        refusal = "only root and the cluster's administrators may do this"
        expect_in(refusal, lock("bin").stderr, "limlock by bin")
        munged.kill()
        munged.wait()
        expect_in(refusal, lock("daemon").stderr, "the administrator, when munged is gone")
        expect_equal(lock("root").returncode, 0, "who reads the key, when munged is gone")
        with open(site.log_file, encoding="utf-8") as file:
            log = file.read()
        expect_in("bin at 127.0.0.1 asked for LOCK, and may not", log, "LIM's log")
        site.good("stop")
    finally:
        munged.kill()
        munged.wait()


def test_invalid_command_lines_are_refused(bench):
    site = Site(bench)
    for words, found in ((("begin",), 'found "begin", expected one of start stop restart status init setup'),
                         (("start", "stop"), 'found "stop" behind start, expected lim, res or mbatchd'),
                         (("init", "lim"), 'found "lim" behind init, expected nothing'), (("-t", "0", "start"), '-t: found "0"'),
                         (("-t", "x", "start"), '-t: found "x"'), (("-x", "start"), "-x")):
        expect_in(found, site.refused(*words, code=2), " ".join(words))
    expect_equal(site.lims(), [], "daemons")


def test_one_user_owns_a_cluster(bench):
    needs_root()
    site = Site(bench)
    os.chmod(bench.scratch, 0o755)
    give_away(site)
    site.good("start", user=OTHER)
    pid = site.pid()
    expect_equal(os.stat(f"/proc/{pid}").st_uid, OTHER, "the daemon's user")
    expect_equal(os.stat(site.key).st_uid, OTHER, "the key's owner")
    stranger = OTHER + 1
    expect_in(f"lim: running, pid {pid}", site.status(1, user=stranger), "status by another user")
    expect_in("cannot open it: Permission denied", site.refused("stop", user=stranger), "stop by another user")
    expect_in(f"cluster key {site.key}: cannot open it: Permission denied", site.refused("start", user=stranger),
              "start by another user")
    expect(is_alive(pid), "it lives")
    site.good("stop", user=OTHER)


def test_root_trusts_only_files_of_root(bench):
    needs_root()
    site = Site(bench)
    os.chmod(site.conf, 0o777)
    expect_in(f"{site.conf}: may be written by others than root", site.refused("start"), "open directory")
    os.chmod(site.conf, 0o755)
    os.chown(os.path.join(site.conf, "lsf.conf"), OTHER, OTHER)
    for action in ("start", "stop", "restart"):
        expect_in(f"{site.conf}/lsf.conf: belongs to user {OTHER}, expected root: it says what root is to start",
                  site.refused(action), action)
    os.chown(os.path.join(site.conf, "lsf.conf"), 0, 0)
    program = os.path.join(site.etc, "lim")
    os.chown(program, OTHER, OTHER)
    expect_in(f"{program}: belongs to user {OTHER}, expected root: root would run it", site.refused("start"), "program")
    os.chown(program, 0, 0)
    os.chmod(site.etc, 0o777)
    expect_in(f"{site.etc}: may be written by others than root", site.refused("start"), "server directory")
    os.chmod(site.etc, 0o755)
    os.chmod(site.top, 0o777)
    expect_in(f"{site.top}: may be written by others than root", site.refused("start"), "a directory on the way")
    os.chmod(site.top, 0o755)
    site.good("start")
    pid = site.pid()
    os.chown(site.pid_file, OTHER, OTHER)
    expect_in(f"{site.pid_file}: belongs to user {OTHER}, expected root", site.refused("stop"), "another's pid file")
    expect(is_alive(pid), "it lives")
    os.chown(site.pid_file, 0, 0)
    site.good("stop")


main()
