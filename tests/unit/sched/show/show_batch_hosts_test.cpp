// bhosts and bqueues, byte for byte as in sessions with LSF 10.1, with our own names.
#include "sched/policy/show/show_batch_hosts.hpp"

#include <gtest/gtest.h>

#include "common/base/load_vector.hpp"

namespace rollcall::sched::show {
namespace {

using Host = wire::BatchReply::BatchHost;

Host& add_host(BatchHosts& hosts, const std::string& name, unsigned max) {
  auto& host = *hosts.add_hosts();
  host.set_name(name);
  host.set_max(max);
  host.set_cpu_factor(6);
  return host;
}

TEST(BatchHostsTable, IsThatOfARealSession) {
  BatchHosts hosts;
  add_host(hosts, "archer", 2);
  add_host(hosts, "kilenc", 32);
  EXPECT_EQ(batch_hosts_table(hosts, false),
            "HOST_NAME          STATUS       JL/U    MAX  NJOBS    RUN  SSUSP  USUSP    RSV \n"
            "archer             ok              -      2      0      0      0      0      0\n"
            "kilenc             ok              -     32      0      0      0      0      0\n");
}

// Programs split these rows at blanks.
TEST(BatchTables, KeepMillionsApart) {
  const auto fill = [](auto& counts) {
    counts.set_jobs(11'000'000);
    counts.set_pending(10'000'000);
    counts.set_running(1'000'000);
    counts.set_ssusp(1'000'001);
    counts.set_ususp(1'000'002);
    counts.set_reserved(1'000'003);
  };
  BatchHosts hosts;
  auto& host = add_host(hosts, "a", 12'000'000);
  host.set_user_limit(1234);
  fill(*host.mutable_counts());
  EXPECT_EQ(batch_hosts_table(hosts, false).substr(80),
            "a                  ok            1234 12000000 11000000 1000000 1000001 1000002 1000003\n");
  EXPECT_NE(batch_hosts_long(hosts).find(" 12000000 11000000 1000000 1000001 1000002 1000003 "),
            std::string::npos);
  Queues queues;
  auto& queue = *queues.add_queues();
  queue.set_name("normal");
  queue.set_max(12'000'000);
  fill(*queue.mutable_counts());
  queue.mutable_counts()->set_pending_jobs(2'000'000);
  EXPECT_NE(queues_table(queues, false).find(" 12000000    -    -    - 11000000 10000000 1000000 2000003\n"),
            std::string::npos);
  EXPECT_NE(queues_long(queues).find(" 12000000    -    -    - 11000000 10000000 1000000 1000001 1000002 "
                                     "1000003 2000000\n"),
            std::string::npos)
      << queues_long(queues);
}

TEST(BatchHostsTable, SaysWhyAHostIsClosedInTheWideForm) {
  BatchHosts hosts;
  auto& full = add_host(hosts, "grid-with-a-long-name-01", 4);
  full.set_full(true);
  full.mutable_counts()->set_jobs(4);
  full.mutable_counts()->set_running(4);
  add_host(hosts, "grid02", 4).set_unreachable(true);
  EXPECT_EQ(batch_hosts_table(hosts, false).substr(80),
            "grid-with-a-long-n closed          -      4      4      4      0      0      0\n"
            "grid02             unreach         -      4      0      0      0      0      0\n");
  EXPECT_EQ(batch_hosts_table(hosts, true).substr(80),
            "grid-with-a-long-name-01 closed_Full     -      4      4      4      0      0      0\n"
            "grid02             unreach         -      4      0      0      0      0      0\n");
}

TEST(BatchHostsTable, EveryReasonHasItsWord) {
  const auto word = [](auto set) {
    Host host;
    (host.*set)(true);
    return host_status(host, StatusForm::long_word);
  };
  EXPECT_EQ(word(&Host::set_unavailable), "unavail");
  EXPECT_EQ(word(&Host::set_unreachable), "unreach");
  EXPECT_EQ(word(&Host::set_closed_by_admin), "closed_Adm");
  EXPECT_EQ(word(&Host::set_locked), "closed_Lock");
  EXPECT_EQ(word(&Host::set_window_closed), "closed_Wind");
  EXPECT_EQ(word(&Host::set_exclusive), "closed_Excl");
  EXPECT_EQ(word(&Host::set_full), "closed_Full");
  EXPECT_EQ(word(&Host::set_busy), "closed_Busy");
  EXPECT_EQ(word(&Host::set_no_lim), "closed_LIM");
}

TEST(BatchHostsLong, IsThatOfARealSession) {
  BatchHosts hosts;
  for (const char* name :
       {"r15s", "r1m", "r15m", "ut", "pg", "io", "ls", "it", "tmp", "swp", "mem", "ngpus", "ngpus_physical",
        "gpu_shared_avg_ut", "gpu_shared_avg_mut", "gpu_mode0", "gpu_mode1"})
    hosts.add_index_names(name);
  auto& host = add_host(hosts, "archer", 2);
  for (const float total : {0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 1.0F, 1.0F, 437.0F, 3456.0F, 0.0F, 1740.0F, 0.0F,
                            0.0F, 0.0F, 0.0F, 0.0F, 0.0F})
    host.add_total(total);
  for (int i = 0; i < 17; ++i) host.add_reserved(0);
  (*host.mutable_words())["affinity"] = "all";
  EXPECT_EQ(batch_hosts_long(hosts),
            "HOST  archer\n"
            "STATUS           CPUF  JL/U    MAX  NJOBS    RUN  SSUSP  USUSP    RSV DISPATCH_WINDOW\n"
            "ok               6.00     -      2      0      0      0      0      0      -\n"
            "\n"
            " CURRENT LOAD USED FOR SCHEDULING:\n"
            "                r15s   r1m  r15m    ut    pg    io   ls    it   tmp   swp   mem  slots  ngpus\n"
            " Total           0.0   0.0   0.0    0%   0.0     1    1   437 3456M    0M  1.7G      2    0.0\n"
            " Reserved        0.0   0.0   0.0    0%   0.0     0    0     0    0M    0M    0M      -     - \n"
            "\n"
            "               ngpus_physical gpu_shared_avg_ut gpu_shared_avg_mut gpu_mode0\n"
            " Total                    0.0               0.0                0.0       0.0\n"
            " Reserved                  -                 -                  -         - \n"
            "\n"
            "               gpu_mode1\n"
            " Total               0.0\n"
            " Reserved             - \n"
            "\n"
            "\n"
            " LOAD THRESHOLD USED FOR SCHEDULING:\n"
            "           r15s   r1m  r15m   ut      pg    io   ls    it    tmp    swp    mem\n"
            " loadSched   -     -     -     -       -     -    -     -     -      -      -  \n"
            " loadStop    -     -     -     -       -     -    -     -     -      -      -  \n"
            "\n"
            " \n"
            " CONFIGURED AFFINITY CPU LIST: all\n"
            "\n");
}

TEST(BatchHostsLong, KeepsABlankBetweenLargeAmounts) {
  BatchHosts hosts;
  for (const char* name : {"r15s", "r1m", "r15m", "ut", "pg", "io", "ls", "it", "tmp", "swp", "mem"})
    hosts.add_index_names(name);
  auto& host = add_host(hosts, "archer", 2);
  for (const float total :
       {0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 1.0F, 1.0F, 437.0F, 104857600.0F, 129484.8F, 129484.8F})
    host.add_total(total);
  for (int i = 0; i < 11; ++i) host.add_reserved(i == 10 ? 129484.8F : 0);
  const std::string text = batch_hosts_long(hosts);
  EXPECT_NE(text.find("    it   tmp    swp    mem  slots\n"), std::string::npos) << text;
  EXPECT_NE(text.find("   437  100T 126.4G 126.4G      2\n"), std::string::npos) << text;
}

TEST(BatchHostsLong, SaysWhatOtherClustersHaveOfAHost) {
  BatchHosts hosts;
  (*add_host(hosts, "archer", 0).mutable_words())["lent"] =
      "all 4 slots to cluster west (lease lab#3, active)";
  EXPECT_NE(batch_hosts_long(hosts).find(
                "\n LENT TO OTHER CLUSTERS: all 4 slots to cluster west (lease lab#3, active)\n"),
            std::string::npos);
}

TEST(BatchHostsFields, AreThoseOfARealSession) {
  BatchHosts hosts;
  add_host(hosts, "archer", 2);
  add_host(hosts, "kilenc", 32);
  EXPECT_EQ(*batch_hosts_fields(hosts, "host_name:12 status:12 njobs", {}),
            "HOST_NAME    STATUS       NJOBS\n"
            "archer       ok           0\n"
            "kilenc       ok           0\n");
  EXPECT_EQ(*batch_hosts_fields(hosts, "hname max ng", {false, false}), "archer 2 0\nkilenc 32 0\n");
  EXPECT_EQ(*batch_hosts_fields(hosts, "host_name:12 status:12 njobs", {true}),
            "{\n"
            "  \"COMMAND\":\"bhosts\",\n"
            "  \"HOSTS\":2,\n"
            "  \"RECORDS\":[\n"
            "    {\n"
            "      \"HOST_NAME\":\"archer\",\n"
            "      \"STATUS\":\"ok\",\n"
            "      \"NJOBS\":\"0\"\n"
            "    },\n"
            "    {\n"
            "      \"HOST_NAME\":\"kilenc\",\n"
            "      \"STATUS\":\"ok\",\n"
            "      \"NJOBS\":\"0\"\n"
            "    }\n"
            "  ]\n"
            "}\n");
  EXPECT_EQ(batch_hosts_fields(hosts, "colour", {}).error().text, "-o: <colour> is not a valid field name");
}

TEST(CondensedHosts, AreOneRowOfTheirGroup) {
  BatchHosts hosts;
  add_host(hosts, "archer", 2);
  for (const char* name : {"blade1", "blade2", "blade3"}) {
    auto& host = add_host(hosts, name, 4);
    (*host.mutable_words())["condensed"] = "blades";
    host.mutable_counts()->set_jobs(3);
    host.mutable_counts()->set_running(2);
    host.mutable_counts()->set_ususp(1);
  }
  hosts.mutable_hosts(1)->set_unavailable(true);
  hosts.mutable_hosts(3)->set_full(true);
  EXPECT_EQ(batch_hosts_table(condensed(hosts), true).substr(80),
            "archer             ok              -      2      0      0      0      0      0\n"
            "blades             ok              -     12      9      6      0      3      0\n");
  hosts.mutable_hosts(2)->set_unreachable(true);
  EXPECT_EQ(host_status(condensed(hosts).hosts(1), StatusForm::long_word), "closed_Full");
  hosts.mutable_hosts(3)->set_unreachable(true);
  EXPECT_EQ(host_status(condensed(hosts).hosts(1), StatusForm::long_word), "unreach");
}

TEST(BatchHostsFields, HostWithoutGpusHasNone) {
  BatchHosts hosts;
  add_host(hosts, "archer", 2);
  (*add_host(hosts, "p1-r01-n4", 8).mutable_words())["ngpus"] = "4";
  (*hosts.mutable_hosts(1)->mutable_words())["ngpus_alloc"] = "1";
  EXPECT_EQ(batch_hosts_fields(hosts, "hname ng ngu ngx", {false, false}).value(),
            "archer 0 0 0\np1-r01-n4 4 1 -\n");
}

TEST(GpusOfHosts, AreThoseOfARealSession) {
  BatchHosts hosts;
  add_host(hosts, "archer", 2);
  EXPECT_EQ(batch_hosts_gpus(hosts, true), "");
  auto& host = add_host(hosts, "p1-r01-n4", 8);
  (*host.mutable_words())["ngpus"] = "3";
  auto& runs = *host.add_gpus_held();
  for (const unsigned device : {0U, 1U}) runs.add_devices(device);
  auto& stopped = *host.add_gpus_held();
  stopped.add_devices(1);
  stopped.set_suspended(true);
  EXPECT_EQ(
      batch_hosts_gpus(hosts, true),
      "HOST_NAME            GPU_ID                MODEL     MUSED      MRSV  NJOBS    RUN   SUSP    RSV \n"
      "p1-r01-n4                 0                    -         -         -      1      1      0      0\n"
      "                          1                    -         -         -      2      1      1      0\n"
      "                          2                    -         -         -      0      0      0      0\n");
}

TEST(SharedRows, HaveTheirHosts) {
  wire::BatchReply::SharedRows rows;
  auto& row = *rows.add_rows();
  row.set_resource("vcssim");
  row.set_total(12);
  row.set_reserved(3);
  row.add_hosts("archer");
  row.add_hosts("kilenc");
  EXPECT_EQ(shared_rows_table(rows),
            "RESOURCE                 TOTAL       RESERVED       LOCATION\n"
            "vcssim                    12.0            3.0       archer kilenc\n");
  row.set_total(static_cast<double>(kUnknownLoad));
  const std::string json = shared_rows_json(rows);
  for (const char* member : {"\"RESOURCE\":\"vcssim\"", "\"TOTAL\":\"\"", "\"RESERVED\":\"3.0\"",
                             "\"LOCATION\":\"archer kilenc\""})
    EXPECT_NE(json.find(member), std::string::npos) << member << " in " << json;
}

wire::BatchReply::Queue& add_queue(Queues& queues, const std::string& name, int priority) {
  auto& queue = *queues.add_queues();
  queue.set_name(name);
  queue.set_priority(priority);
  queue.set_open(true);
  queue.set_active(true);
  queue.set_window_open(true);
  return queue;
}

TEST(QueuesTable, IsThatOfARealSession) {
  Queues queues;
  auto& busy = add_queue(queues, "priority", 43);
  busy.mutable_counts()->set_jobs(75835);
  busy.mutable_counts()->set_pending(75803);
  busy.mutable_counts()->set_running(32);
  add_queue(queues, "night", 40).set_window_open(false);
  EXPECT_EQ(queues_table(queues, false),
            "QUEUE_NAME      PRIO STATUS          MAX JL/U JL/P JL/H NJOBS  PEND   RUN  SUSP \n"
            "priority         43  Open:Active       -    -    -    - 75835 75803    32     0\n"
            "night            40  Open:Inact        -    -    -    -     0     0     0     0\n");
}

TEST(QueuesLong, IsThatOfARealSession) {
  Queues queues;
  auto& queue = add_queue(queues, "normal", 30);
  queue.set_description("For normal low priority jobs, running only if hosts are lightly loaded.");
  queue.set_is_default(true);
  queue.set_interactive("NO");
  queue.add_policies("NO_INTERACTIVE");
  EXPECT_EQ(queues_long(queues),
            "\n"
            "QUEUE: normal\n"
            "  -- For normal low priority jobs, running only if hosts are lightly loaded.  This is the "
            "default queue.\n"
            "\n"
            "PARAMETERS/STATISTICS\n"
            "PRIO NICE STATUS          MAX JL/U JL/P JL/H NJOBS  PEND   RUN SSUSP USUSP  RSV PJOBS \n"
            " 30    0  Open:Active       -    -    -    -     0     0     0     0     0    0     0\n"
            "Interval for a host to accept two jobs is 0 seconds\n"
            "\n"
            "SCHEDULING PARAMETERS\n"
            "           r15s   r1m  r15m   ut      pg    io   ls    it    tmp    swp    mem\n"
            " loadSched   -     -     -     -       -     -    -     -     -      -      -  \n"
            " loadStop    -     -     -     -       -     -    -     -     -      -      -  \n"
            "\n"
            "SCHEDULING POLICIES:  NO_INTERACTIVE\n"
            "\n"
            "USERS: all  \n"
            "HOSTS:  all\n");
}

TEST(QueuesLong, HasThePreemptableSlotsBehindPreemption) {
  Queues queues;
  auto& queue = add_queue(queues, "owners", 43);
  (*queue.mutable_lines())["PREEMPTION"] = "PREEMPTIVE[normal+1]";
  queue.set_preemptable_slots(12);
  const std::string text = queues_long(queues);
  EXPECT_NE(text.find("\nPREEMPTION:  PREEMPTIVE[normal+1]\nPREEMPTABLE_SLOTS:  12\n"), std::string::npos)
      << text;
}

TEST(QueuesLong, HasLimitsWindowsAndWhatIsWritten) {
  Queues queues;
  auto& queue = add_queue(queues, "night", 40);
  queue.set_active(false);
  queue.mutable_default_limits()->set_run_s(300);
  queue.mutable_limits()->set_run_s(480 * 60);
  queue.mutable_limits()->set_run_spec("archer");
  queue.mutable_limits()->set_memory_kb(5000 * 1024LL);
  queue.set_run_windows("20:00-8:30");
  queue.add_users("staff/");
  queue.add_hosts("archer");
  queue.add_hosts("kilenc+2");
  queue.add_administrators("boss");
  (*queue.mutable_lines())["PRE_EXEC"] = "/bin/check";
  (*queue.mutable_lines())["JOB_UNDERRUN"] = "5";
  (*queue.mutable_lines())["JOB_IDLE"] = "0.10";
  const std::string text = queues_long(queues);
  EXPECT_NE(text.find(" 40    0  Open:Inact_Adm "), std::string::npos) << text;
  EXPECT_NE(text.find("\nDEFAULT LIMITS:\n RUNLIMIT                 \n 5.0 min                  \n"
                      "\nMAXIMUM LIMITS:\n RUNLIMIT                 \n 480.0 min of archer      \n"
                      "\n MEMLIMIT     \n 4.9 G        \n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\nJOB EXCEPTION PARAMETERS:\n"
                      "             OVERRUN(min) UNDERRUN(min) IDLE(cputime/runtime)\n"
                      " Threshold   -            5             0.10\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\nRUN_WINDOWS:  20:00-8:30\n\nUSERS: staff/  \nHOSTS:  archer kilenc+2\n"
                      "ADMINISTRATORS:  boss\nPRE_EXEC:  /bin/check\n"),
            std::string::npos)
      << text;
}

TEST(QueuesFields, OfLimitsAreThoseOfTheQueueAndOfItsDefaults) {
  Queues queues;
  auto& queue = add_queue(queues, "night", 40);
  const auto line = [&](const std::string& format) {
    return *queues_fields(queues, format + " delimiter='|'", {false, false});
  };
  const std::string all =
      "max_corelimit cpulimit def_cpulimit datalimit def_datalimit filelimit memlimit def_memlimit "
      "processlimit "
      "def_processlimit runlimit def_runlimit stacklimit swaplimit tasklimit min_tasklimit def_tasklimit "
      "threadlimit "
      "def_threadlimit res_req";
  EXPECT_EQ(line(all), "-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-\n");
  auto& most = *queue.mutable_limits();
  most.set_core_kb(1);
  most.set_cpu_s(60);
  most.set_data_kb(2);
  most.set_file_kb(3);
  most.set_memory_kb(4);
  most.set_processes(5);
  most.set_run_s(360);
  most.set_run_spec("archer");
  most.set_stack_kb(6);
  most.set_swap_kb(7);
  most.set_threads(8);
  queue.mutable_default_limits()->set_run_s(90);
  queue.mutable_default_limits()->set_memory_kb(9);
  for (const int limit : {1, 4, 16}) queue.add_task_limit(limit);
  (*queue.mutable_lines())["RES_REQ"] = "select[mem > 10]";
  EXPECT_EQ(
      line(all),
      "1 K|1.0 min|-|2 K|-|3 K|4 K|9 K|5|-|6.0 min of archer|1.5 min|6 K|7 K|16|1|4|8|-|select[mem > 10]\n");
  queue.clear_task_limit();
  queue.add_task_limit(16);
  EXPECT_EQ(line("tasklimit min_tasklimit def_tasklimit"), "16|-|-\n");
}

TEST(QueuesFields, AreThoseOfARealSession) {
  Queues queues;
  add_queue(queues, "admin", 50);
  EXPECT_EQ(*queues_fields(queues, "queue_name:12 status:12 njobs", {}),
            "QUEUE_NAME   STATUS       NJOBS\nadmin        Open:Active  0\n");
  EXPECT_EQ(*queues_fields(queues, "QUEUE_NAME", {false, false}), "admin\n");
}

}  // namespace
}  // namespace rollcall::sched::show
