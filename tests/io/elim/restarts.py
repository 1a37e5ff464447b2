"""A daemon that dies is started again by its neighbours on the host, once; one that was told to end is not."""

import os

from rollcall_testing import processes
from rollcall_testing.own_cluster import OwnCluster
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

DAEMONS = ("lim", "res", "mbatchd")


def is_alive(pid):
    process = processes.read_process(pid)
    return bool(process and process.alive)


def running(bench, own, name):
    """The processes of that daemon of this cluster."""
    return [p.pid for p in bench.cluster.strangers()
            if p.alive and p.words and p.words[0].endswith("/" + name) and own.conf in p.words]


def kill(own, *names):
    """Kills them; gives their pids."""
    pids = {name: own.pid(name) for name in names}
    for pid in pids.values():
        processes.send(pid, 9)
    return pids


def wait_for_others(own, pids):
    def again(name, pid):
        now = own.pid(name)
        return now not in (0, pid) and is_alive(now)

    for name, pid in pids.items():
        wait_until(lambda name=name, pid=pid: again(name, pid), lambda name=name: f"another {name}\n{own.logs()}", 60)
    wait_until(lambda: own.run("lsf_daemons", "status").returncode == 0,
               lambda: f"all to answer: {own.run('lsf_daemons', 'status').stdout}\n{own.logs()}", 60)


def started_again(own, name):
    return own.logs().count(f"{name}: it died and was started again, pid ")


def test_each_daemon_that_dies_is_started_again_once(bench):
    with OwnCluster(bench) as own:
        own.start()
        note = own.path("pid")
        job = own.submit(f"echo $$ >{note}.new; mv {note}.new {note}; exec sleep infinity")
        wait_until(lambda: os.path.exists(note), lambda: f"the job\n{own.logs()}", 60)
        for name in DAEMONS:
            wait_for_others(own, kill(own, name))
            expect_equal((len(running(bench, own, name)), started_again(own, name)), (1, 1), f"{name}: how many run, and were started")
        wait_for_others(own, kill(own, "lim", "mbatchd"))
        expect_equal([len(running(bench, own, name)) for name in DAEMONS], [1, 1, 1], "after two died at once")
        own.wait_for_host("ok")
        with open(note, encoding="ascii") as file:
            expect(is_alive(int(file.read())), "the job's process")
        expect_equal(own.job_status(job), "RUN", "the job")
        own.good("bkill", str(job))
        wait_until(lambda: own.job_status(job) == "EXIT", lambda: f"the end of the job\n{own.logs()}", 60)
        own.good("lsf_daemons", "stop")
        expect_equal([running(bench, own, name) for name in DAEMONS], [[], [], []], "after stop")


def test_a_daemon_that_was_told_to_end_stays_away(bench):
    with OwnCluster(bench) as own:
        own.start()
        own.good("badmin", "hshutdown")
        wait_until(lambda: not running(bench, own, "res"), "res to end")
        dead = kill(own, "mbatchd")  # lim looks after res first
        wait_until(lambda: own.pid("mbatchd") not in (0, dead["mbatchd"]), lambda: f"another mbatchd\n{own.logs()}", 60)
        expect_equal(running(bench, own, "res"), [], "res after badmin hshutdown")
        own.good("lsf_daemons", "stop", "mbatchd")
        own.good("lsf_daemons", "start", "res")
        dead = kill(own, "res")
        wait_until(lambda: own.pid("res") not in (0, dead["res"]), lambda: f"another res\n{own.logs()}", 60)
        expect_equal(running(bench, own, "mbatchd"), [], "mbatchd after stop")
        expect(not os.path.exists(own.path("log", f"mbatchd.{own.host}.pid")), "its pid file")


def test_a_daemon_that_cannot_start_is_tried_again(bench):
    with OwnCluster(bench) as own:
        own.start()
        aside = own.path("work.aside")
        pids = kill(own, "mbatchd")
        os.rename(own.path("work"), aside)
        with open(own.path("work"), "w", encoding="ascii"):
            pass  # a file is in the way
        wait_until(lambda: "mbatchd did not start: " in own.logs(), lambda: f"the first try\n{own.logs()}", 60)
        os.remove(own.path("work"))
        os.rename(aside, own.path("work"))
        wait_for_others(own, pids)


def test_a_daemon_that_the_files_have_moved_is_forgotten(bench):
    """mbatchd belongs to another host now: its neighbours let it go, and say so once."""
    with OwnCluster(bench) as own:
        own.start()
        note = own.path("log", f"mbatchd.{own.host}.pid")
        own.good("lsf_daemons", "stop", "lim", "res")
        kill(own, "mbatchd")
        wait_until(lambda: not running(bench, own, "mbatchd"), "the end of mbatchd")
        own.append("lsf.conf", "ROLLCALL_MBD_HOST=elsewhere\n")
        done = own.run("lsf_daemons", "revive", "mbatchd")
        expect_in("mbatchd: it died and is not started again: ", done.stdout, "revive")
        expect(not os.path.exists(note), "its pid file stays")
        expect("died" not in own.run("lsf_daemons", "revive", "mbatchd").stdout, "revive once more")


def test_a_site_may_turn_it_off(bench):
    with OwnCluster(bench) as own:
        own.append("lsf.conf", "ROLLCALL_RESTART_DAEMONS=N\n")
        own.start()
        for name in DAEMONS:
            with open(f"/proc/{own.pid(name)}/environ", encoding="utf-8") as file:
                expect("ROLLCALL_DAEMONS=" not in file.read(), f"{name} has nothing to start others with")
        own.append("lsf.conf", "ROLLCALL_RESTART_DAEMONS=perhaps\n")
        done = own.run("lsadmin", "ckconfig")
        expect_equal(done.returncode, 255, "ckconfig")
        expect_in('ROLLCALL_RESTART_DAEMONS: found "perhaps", expected Y or N', done.stdout, "ckconfig")
        with open(own.path("conf", "lsf.conf"), encoding="ascii") as file:
            text = file.read()
        with open(own.path("conf", "lsf.conf"), "w", encoding="ascii") as file:
            file.write(text.replace("ROLLCALL_RESTART_DAEMONS=perhaps\n", ""))


if __name__ == "__main__":
    main()
