"""Parameters of lsf.conf and lsb.params that change what users see, each with real daemons on one host."""

from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.runner import expect_equal, main


def test_formats_of_the_site(bench):
    conf = ("LSB_BHOSTS_FORMAT=host_name max\nLSB_BQUEUES_FORMAT=queue_name prio\nLSB_BUSERS_FORMAT=user njobs\n"
            "LSF_LSLOAD_FORMAT=host_name status\nLSB_UNIT_FOR_JOBS_DISPLAY=K")
    with BatchCluster(bench, ["n1"], more_conf=conf, params="DEFAULT_PROJECT = ours") as batch:
        for line, shown in (("bhosts", "HOST_NAME MAX\nn1 4\n"), ("bqueues normal", "QUEUE_NAME PRIORITY\nnormal 30\n"),
                            ("busers root", "USER NJOBS\nroot 0\n"), ("lsload", "HOST_NAME status\nn1 ok\n")):
            expect_equal(batch.good(*line.split()), shown, line)
        expect_equal(batch.good("bhosts", "-o", "host_name run"), "HOST_NAME RUN\nn1 0\n", "what is asked for goes before")
        for line in ("bhosts -w", "bqueues -w", "busers -w", "lsload -l"):
            header = batch.good(*line.split()).splitlines()[0]
            expect_equal(len(header.split()) > 5, True, f"{line} has its own columns: {header}")
        batch.good("bsub", "-H", "-M", "900000", "-o", "/dev/null", "true")
        expect_equal(batch.field(1, "proj memlimit"), "ours 900000.00 K", "DEFAULT_PROJECT, and the unit of sizes")
    bench.saw("four formats, the unit of sizes, the default project")


def limits_of_a_job(bench, conf):
    with BatchCluster(bench, ["n1"], more_conf=conf) as batch:
        notes = bench.fresh_directory()
        batch.good("bsub", "-K", "-M", "900000", "-c", "10", "-o", f"{notes}/out", "ulimit -v; ulimit -t")
        with open(f"{notes}/out", encoding="ascii") as file:
            return file.read().splitlines()[:2]


def test_who_keeps_a_limit(bench):
    """Of each process the kernel, of the job as a whole its shepherd."""
    expect_equal(limits_of_a_job(bench, "LSB_JOB_MEMLIMIT=N\nLSB_JOB_CPULIMIT=N"), ["900000", "600"], "of each process")
    expect_equal(limits_of_a_job(bench, "LSB_JOB_MEMLIMIT=Y\nLSB_JOB_CPULIMIT=Y"), ["unlimited"] * 2, "of the job alone")
    expect_equal(limits_of_a_job(bench, "LSB_MEMLIMIT_ENFORCE=Y"), ["900000", "600"], "of both")
    bench.saw("the kernel's limits of a job's processes with three settings")


if __name__ == "__main__":
    main(hosts=1, patience=10)
