"""One user holds thousands of silent connections to every daemon, or sends a thousand requests at once: other users are served."""

import resource

from rollcall_testing.batch_cluster import MBD_PORT, RES_PORT
from rollcall_testing.load_cluster import PORT
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import Skip, expect, expect_equal, main
from rollcall_testing.users_site import BOB, HOST, MALLORY, UsersSite

DAEMONS = {"lim": PORT, "mbatchd": MBD_PORT, "res": RES_PORT}
EACH = 1500  # silent, and as many handshaken ones: more than a daemon gives to one user
EACH_SANITIZED = 250  # still more; each that is closed is dialled anew at once, which takes all of a slow daemon's time
AT_ONCE = 150  # blaunch; bench/strangers starts a thousand


def commands_go_on(site, user):
    said = site.run(user, "bsub", "-o", "/dev/null", "true")
    expect_equal(said.returncode, 0, f"bsub of uid {user}: {said.stderr}\n{site.batch.logs_text()}")
    site.batch.wait_for(int(said.stdout.split("<")[1].split(">")[0]), "DONE")
    for words in (("bjobs", "-a"), ("lsload",), ("lsid",), ("lsrun", "-m", HOST, "true")):
        done = site.run(user, *words)
        expect_equal(done.returncode, 0, f"{words} of uid {user}: {done.stdout}{done.stderr}\n{site.batch.logs_text()}")


def test_silent_connections_take_no_daemon_away(bench):
    needs_users()
    each = EACH_SANITIZED if bench.sanitized else EACH
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 4 * each:
        raise Skip(f"{4 * each} descriptors are needed")
    site = UsersSite(bench)
    with site.batch:
        holders = {name: site.hold(MALLORY, port, each, each) for name, port in DAEMONS.items()}
        for name, holder in holders.items():
            expect(holder.stdout.readline().startswith("held "), f"the connections with {name} could not be held")
        for user in (BOB, 0):
            commands_go_on(site, user)
        for name, holder in holders.items():
            holder.stdin.close()
            closed = int(holder.stdout.readline().split()[1])
            if not bench.sanitized:  # EACH_SANITIZED are below the share of a user
                expect(closed > 0, f"{name} has closed none of {2 * each} connections")
            bench.saw(f"{name} closed {closed} connections of uid {MALLORY} meanwhile")


def test_many_blaunch_at_once_of_a_user_lose_no_task(bench):
    needs_users()
    site = UsersSite(bench, "ROLLCALL_USER_CONNECTIONS=20\n")  # so few that most are told to come again
    with site.batch:
        ran, errors = site.blaunch_at_once(BOB, AT_ONCE)
        expect_equal(ran, AT_ONCE, f"tasks that ran of {AT_ONCE} blaunch at once\n{errors[:2000]}\n{site.batch.logs_text()}")
    bench.saw(f"{AT_ONCE} blaunch at once, all ran")


main(hosts=1)
