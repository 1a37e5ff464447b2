// Records of lsb.events and lsb.acct where the programs that read them look. Positions are those of docs/decisions/0029,
// from 1.
#include "sched/policy/events/event_lines.hpp"

#include <gmock/gmock.h>

namespace rollcall::sched::events {
namespace {

using Fields = std::vector<std::string>;
constexpr std::int64_t kAt = 1'700'000'100'250'000;

wire::Submission asked() {
  wire::Submission asked;
  asked.set_command("#!/bin/sh;#BSUB -n 2;echo \"a b\"\nexit 3");
  asked.set_job_name("rule x:wild=1,b (uuid)");
  asked.set_user("userA");
  asked.set_uid(1001);
  asked.set_min_slots(2);
  asked.set_max_slots(4);
  asked.set_resreq("rusage[mem=500]");
  asked.set_from_host("hostA");
  asked.set_cwd("/home/userA/w");
  asked.set_output_file("out.%J");
  asked.set_project("default");
  asked.set_umask(022);
  asked.mutable_limits()->set_run_s(43200);
  asked.mutable_limits()->set_memory_kb(1024);
  return asked;
}

wire::JobEvent event_of(int id, int index = 0) {
  wire::JobEvent event;
  event.set_at_us(kAt);
  event.mutable_key()->set_id(id);
  event.mutable_key()->set_index(index);
  return event;
}

wire::JobRecord record(int id) {
  wire::JobRecord record;
  record.mutable_key()->set_id(id);
  record.set_status(wire::STATUS_EXIT);
  record.set_submit_us(1'700'000'000'000'000);
  record.set_start_us(1'700'000'010'000'000);
  record.set_end_us(1'700'000'070'000'000);
  record.set_queue("normal");
  auto& first = *record.add_hosts();
  first.set_name("hostA");
  first.set_slots(2);
  auto& second = *record.add_hosts();
  second.set_name("hostB");
  second.set_slots(1);
  record.set_exit_status(3 << 8);
  record.set_term_reason(5);
  record.mutable_usage()->set_user_s(277.21);
  record.mutable_usage()->set_system_s(17.28);
  record.mutable_usage()->set_max_memory_kb(27780);
  record.mutable_usage()->set_max_swap_kb(195372);
  record.set_effective_resreq("select[type == local] order[r15s:pg]");
  return record;
}

Fields fields_of(const std::string& line) {
  EXPECT_EQ(line.find('\n'), line.size() - 1) << "one line: " << line;
  const auto fields = split_event_line(line);
  EXPECT_TRUE(fields) << line;
  Fields found{"from 1"};
  if (fields) found.insert(found.end(), fields->begin(), fields->end());
  return found;
}

TEST(EventLines, NewJobAsItsReadersCountIt) {
  auto event = event_of(42);
  *event.mutable_new_job()->mutable_asked() = asked();
  event.mutable_new_job()->set_queue("normal");
  const Fields f = fields_of(event_line(event));
  ASSERT_EQ(f.size(), 77U) << "$1 to $58, and 18 behind";
  EXPECT_EQ(f[1], "JOB_NEW");
  EXPECT_EQ(f[2], "10.1");
  EXPECT_EQ(f[3], "1700000100");
  EXPECT_EQ(f[4], "42");
  EXPECT_EQ(f[5], "1001");
  EXPECT_EQ(f[7], "2");
  EXPECT_EQ(f[14], "userA");
  EXPECT_EQ(f[15], "-1") << "no CPU limit";
  EXPECT_EQ(f[20], "1024") << "memory";
  EXPECT_EQ(f[24], "43200") << "run limit in seconds";
  EXPECT_EQ(f[28], "18") << "umask in decimal";
  EXPECT_EQ(f[29], "normal");
  EXPECT_EQ(f[32], "/home/userA/w");
  EXPECT_EQ(f[35], "out.%J");
  EXPECT_EQ(f[38], "1700000100.42");
  EXPECT_EQ(f[39], "0");
  EXPECT_EQ(f[42], "rule x:wild=1,b (uuid)");
  EXPECT_EQ(f[43], "#!/bin/sh;#BSUB -n 2;echo \"a b\";exit 3") << "a script is one line";
  EXPECT_EQ(f[44], "0");
  EXPECT_EQ(f[46], "default");
  EXPECT_EQ(f[47], "4");
  EXPECT_EQ(f[54], "0") << "the whole array";
  EXPECT_EQ(f[58], "-1");
}

// Each field of $4 to $58 has a value that no other has.
TEST(EventLines, NewJobFieldForField) {
  wire::Submission asked;
  asked.set_uid(5);
  asked.set_min_slots(7);
  asked.set_begin_us(9'000'000);
  asked.set_terminate_us(10'000'000);
  asked.set_warning_signal(11);
  asked.set_user("u14");
  auto& limits = *asked.mutable_limits();
  limits.set_cpu_s(15);
  limits.set_file_kb(16);
  limits.set_data_kb(17);
  limits.set_stack_kb(18);
  limits.set_core_kb(19);
  limits.set_memory_kb(20);
  limits.set_run_s(24);
  limits.set_run_spec("spec26");
  asked.set_umask(28);
  asked.set_resreq("res30");
  asked.set_from_host("from31");
  asked.set_cwd("cwd32");
  asked.set_input_file("in34");
  asked.set_output_file("out35");
  asked.set_error_file("err36");
  asked.set_home("home37");
  asked.set_dependency("dep40");
  asked.set_pre_exec("pre41");
  asked.set_job_name("name42");
  asked.set_command("command43");
  asked.set_mail_user("mail45");
  asked.set_project("project46");
  asked.set_max_slots(47);
  asked.set_login_shell("shell49");
  asked.set_user_group("group51");
  asked.set_priority(58);
  asked.set_reservation("rsv59");
  asked.set_job_group("group60");
  asked.set_service_class("sla61");
  limits.set_threads(62);
  asked.set_warning_seconds(65);
  asked.set_application("app69");
  asked.set_post_exec("post70");
  asked.set_requeue_exits("72");
  asked.set_description("description76");
  auto event = event_of(4, 54);
  *event.mutable_new_job()->mutable_asked() = asked;
  event.mutable_new_job()->set_queue("queue29");
  const Fields f = fields_of(event_line(event));
  const std::string options = f[6], options2 = f[53];
  EXPECT_NE(options, "0");
  EXPECT_THAT(f, testing::ElementsAre(
                     "from 1", "JOB_NEW", "10.1", "1700000100", "4", "5", options, "7", "1700000100", "9",
                     "10", "11", "0", "0", "u14", "15", "16", "17", "18", "19", "20", "-1", "-1", "-1", "24",
                     "-1", "spec26", "1.00", "28", "queue29", "res30", "from31", "cwd32", "", "in34", "out35",
                     "err36", "home37", "1700000100.4", "0", "dep40", "pre41", "name42", "command43", "0",
                     "mail45", "project46", "47", "", "shell49", "", "group51", "", options2, "54", "", "",
                     "", "58", "rsv59", "group60", "sla61", "62", "", "", "65", "-1", "", "0", "app69",
                     "post70", "-1", "72", "-1", "-1", "", "description76"));
  asked.set_interactive(wire::Submission::TERMINAL);
  *event.mutable_new_job()->mutable_asked() = asked;
  const Fields interactive = fields_of(event_line(event));
  ASSERT_EQ(interactive.size(), 78U);
  EXPECT_EQ(Fields(interactive.begin() + 46, interactive.begin() + 49), (Fields{"project46", "0", "47"}))
      << "niosPort";
}

TEST(EventLines, AskedHostsArePutWhereTheManualSays) {
  auto event = event_of(1);
  *event.mutable_new_job()->mutable_asked() = asked();
  auto& host = *event.mutable_new_job()->mutable_asked()->add_asked_hosts();
  host.set_name("hostC");
  host.set_preference(2);
  const Fields f = fields_of(event_line(event));
  EXPECT_EQ(f[39], "1");
  EXPECT_EQ(f[40], "hostC+2");
  EXPECT_EQ(f[43], "rule x:wild=1,b (uuid)");
}

TEST(EventLines, ArraysAreNamedAsTheyWereAsked) {
  auto event = event_of(7);
  auto& range = *event.mutable_new_job()->mutable_asked()->add_indices();
  range.set_first(1);
  range.set_last(10);
  range.set_step(2);
  event.mutable_new_job()->mutable_asked()->set_job_name("a");
  event.mutable_new_job()->mutable_asked()->set_array_slots(3);
  EXPECT_EQ(fields_of(event_line(event))[42], "a[1-10:2]%3");
}

TEST(EventLines, AStartNamesEachSlotsHostOrCountsThem) {
  auto event = event_of(42, 3);
  *event.mutable_start()->mutable_hosts() = record(42).hosts();
  Fields f = fields_of(event_line(event));
  EXPECT_EQ(Fields(f.begin() + 9, f.begin() + 13), (Fields{"3", "hostA", "hostA", "hostB"}));
  EXPECT_EQ(f.back(), "3") << "index";
  f = fields_of(event_line(event, {.short_hosts = true}));
  EXPECT_EQ(Fields(f.begin() + 9, f.begin() + 12), (Fields{"2", "2*hostA", "hostB"}));
}

// BLAH takes $30 or the last but two for the exit code; status numbers are those that it and Snakemake know.
TEST(EventLines, TheEndOfAJobEndsInItsExitCode) {
  auto event = event_of(42, 3);
  auto& status = *event.mutable_status();
  status.set_status(wire::STATUS_EXIT);
  status.set_exit_status(130 << 8);
  status.set_term_reason(14);
  status.set_end_us(kAt);
  status.mutable_usage()->set_user_s(1.5);
  Fields f = fields_of(event_line(event));
  ASSERT_EQ(f.size(), 33U);
  EXPECT_EQ(f[5], "32");
  EXPECT_EQ(f[10], "1") << "usage follows";
  EXPECT_EQ(f[11], "1.500000");
  EXPECT_EQ(f[30], "130");
  EXPECT_EQ(Fields(f.end() - 3, f.end()), (Fields{"130", "3", "14"}));

  status.set_post(wire::POST_DONE);
  EXPECT_EQ(event_line(event), "") << "no sum of 32";
  status.set_post(wire::POST_NONE);

  status.set_status(wire::STATUS_DONE);
  status.set_exit_status(0);
  EXPECT_EQ(fields_of(event_line(event))[5], "64");
  status.set_post(wire::POST_DONE);
  EXPECT_EQ(fields_of(event_line(event))[5], "192");
  status.set_post(wire::POST_ERR);
  EXPECT_EQ(fields_of(event_line(event))[5], "320");
}

TEST(EventLines, AStatusOfARunningJobHasNoUsage) {
  auto event = event_of(42);
  event.mutable_status()->set_status(wire::STATUS_USUSP);
  const Fields f = fields_of(event_line(event));
  ASSERT_EQ(f.size(), 14U);
  EXPECT_EQ(f[5], "16");
  EXPECT_EQ(f[10], "0");
}

// The job pends since then, though that was heard later.
TEST(EventLines, AnAttemptThatWasOverBeforeHasItsEnd) {
  auto event = event_of(42);
  auto& status = *event.mutable_status();
  status.set_status(wire::STATUS_PEND);
  status.set_end_us(event.at_us());
  EXPECT_EQ(fields_of(event_line(event))[9], "0");
  status.set_end_us(event.at_us() - 60'000'000);
  EXPECT_EQ(fields_of(event_line(event))[9], "1700000040");
}

TEST(EventLines, ShortRecords) {
  auto signal = event_of(42, 1);
  signal.mutable_signal()->set_symbol("KILL");
  signal.mutable_signal()->set_uid(1001);
  signal.mutable_signal()->set_user("userA");
  EXPECT_EQ(event_line(signal), "\"JOB_SIGNAL\" \"10.1\" 1700000100 42 1001 0 \"KILL\" 1 \"userA\"\n");
  auto start = event_of(0);
  start.mutable_mbd_start()->set_host("hostA");
  start.mutable_mbd_start()->set_cluster("c1");
  start.mutable_mbd_start()->set_hosts(4);
  start.mutable_mbd_start()->set_queues(3);
  EXPECT_EQ(event_line(start), "\"MBD_START\" \"10.1\" 1700000100 \"hostA\" \"c1\" 4 3\n");
  auto run = event_of(42);
  run.mutable_execute()->set_uid(1001);
  run.mutable_execute()->set_pgid(77);
  run.mutable_execute()->set_pid(76);
  run.mutable_execute()->set_cwd("/w");
  run.mutable_execute()->set_home("/h");
  run.mutable_execute()->set_user("userA");
  EXPECT_EQ(event_line(run), "\"JOB_EXECUTE\" \"10.1\" 1700000100 42 1001 77 \"/w\" \"/h\" \"userA\" 76 0\n");
}

TEST(EventLines, ShortRecordsOfOtherKinds) {
  const auto line = [](const wire::JobEvent& event) {
    return event_line(event).substr(0, event_line(event).size() - 1);
  };
  auto moved = event_of(42, 3);
  moved.mutable_switched()->set_queue("night");
  moved.mutable_switched()->set_uid(1001);
  moved.mutable_switched()->set_user("userA");
  EXPECT_EQ(line(moved), "\"JOB_SWITCH\" \"10.1\" 1700000100 1001 42 \"night\" 3 \"userA\"");
  auto move = event_of(42, 3);
  move.mutable_move()->set_uid(1001);
  move.mutable_move()->set_user("userA");
  move.mutable_move()->set_position(2);
  EXPECT_EQ(line(move), "\"JOB_MOVE\" \"10.1\" 1700000100 1001 42 2 1 3 \"userA\"");
  move.mutable_move()->set_to_bottom(true);
  EXPECT_EQ(line(move), "\"JOB_MOVE\" \"10.1\" 1700000100 1001 42 2 2 3 \"userA\"");
  auto requeue = event_of(42, 3);
  requeue.mutable_requeue();
  EXPECT_EQ(line(requeue), "\"JOB_REQUEUE\" \"10.1\" 1700000100 42 3");
  auto clean = event_of(42, 3);
  clean.mutable_clean();
  EXPECT_EQ(line(clean), "\"JOB_CLEAN\" \"10.1\" 1700000100 42 3");
  auto accepted = event_of(42, 3);
  accepted.mutable_start_accept()->set_pid(76);
  accepted.mutable_start_accept()->set_pgid(77);
  EXPECT_EQ(line(accepted), "\"JOB_START_ACCEPT\" \"10.1\" 1700000100 42 76 77 3");
  auto queue = event_of(0);
  queue.mutable_queue_control()->set_queue("night");
  queue.mutable_queue_control()->set_operation(2);
  queue.mutable_queue_control()->set_uid(0);
  queue.mutable_queue_control()->set_user("root");
  queue.mutable_queue_control()->set_comment("a \"b\"");
  EXPECT_EQ(line(queue), "\"QUEUE_CTRL\" \"10.1\" 1700000100 2 \"night\" 0 \"root\" \"a \"\"b\"\"\"");
  auto host = event_of(0);
  host.mutable_host_control()->set_host("hostA");
  host.mutable_host_control()->set_operation(1);
  host.mutable_host_control()->set_user("root");
  EXPECT_EQ(line(host), "\"HOST_CTRL\" \"10.1\" 1700000100 1 \"hostA\" 0 \"root\" \"\"");
  auto die = event_of(0);
  die.mutable_mbd_die()->set_host("hostA");
  EXPECT_EQ(line(die), "\"MBD_DIE\" \"10.1\" 1700000100 \"hostA\" 0 0");
  auto indices = event_of(0);
  for (const char* name : {"r15s", "r1m"}) indices.mutable_load_indices()->add_names(name);
  EXPECT_EQ(line(indices), "\"LOAD_INDEX\" \"10.1\" 1700000100 2 \"r15s\" \"r1m\"");
  auto last = event_of(0);
  last.mutable_log_switch()->set_highest_id(99);
  EXPECT_EQ(line(last), "\"LOG_SWITCH\" \"10.1\" 1700000100 99");
}

wire::JobEvent finish_of(const wire::JobRecord& record) {
  auto event = event_of(record.key().id());
  *event.mutable_finish()->mutable_asked() = asked();
  *event.mutable_finish()->mutable_record() = record;
  event.mutable_finish()->set_cpu_factor(1);
  return event;
}

// With o = asked + execution hosts: the positions on which XDMoD, APEL and the transcription of 10.1 agree.
TEST(EventLines, FinishAsAccountingReadsIt) {
  const auto event = finish_of(record(42));
  EXPECT_EQ(event_line(event), "") << "it goes to lsb.acct alone";
  const Fields f = fields_of(account_line(event));
  const std::size_t o = 3;
  EXPECT_EQ(f[1], "JOB_FINISH");
  EXPECT_EQ(f[3], "1700000070") << "the end";
  EXPECT_EQ(f[7], "3") << "slots";
  EXPECT_EQ(f[8], "1700000000");
  EXPECT_EQ(f[11], "1700000010");
  EXPECT_EQ(f[12], "userA");
  EXPECT_EQ(f[13], "normal");
  EXPECT_EQ(f[23], "0");
  EXPECT_EQ(Fields(f.begin() + 24, f.begin() + 28), (Fields{"3", "hostA", "hostA", "hostB"}));
  EXPECT_EQ(f[25 + o], "32");
  EXPECT_EQ(f[27 + o], "rule x:wild=1,b (uuid)");
  EXPECT_EQ(f[29 + o], "277.210000");
  EXPECT_EQ(f[30 + o], "17.280000");
  EXPECT_EQ(f[49 + o], "default");
  EXPECT_EQ(f[50 + o], "768") << "the word of wait";
  EXPECT_EQ(f[54 + o], "0");
  EXPECT_EQ(f[55 + o], "27780");
  EXPECT_EQ(f[56 + o], "195372");
  EXPECT_EQ(f[63 + o], "5") << "TERM_RUNLIMIT";
  EXPECT_EQ(f[78 + o], "0");
  EXPECT_EQ(f[79 + o], "0");
  EXPECT_EQ(Fields(f.begin() + 80 + o, f.begin() + 82 + o), (Fields{"43200", "0"}))
      << "run limit, then options3";
  EXPECT_EQ(f[83 + o], "select[type == local] order[r15s:pg] ");
  EXPECT_EQ(f[93 + o], "60") << "run time";
}

TEST(EventLines, FinishTellsTheUseOfEachHostWhereItIsWanted) {
  auto record_of_it = record(9);
  auto& used = *record_of_it.mutable_usage()->add_hosts();
  used.set_host("hostB");
  used.set_memory_kb(512);
  used.set_user_s(1.5);
  const std::size_t o = 3;
  EXPECT_EQ(fields_of(account_line(finish_of(record_of_it)))[79 + o], "0");
  EventStyle style;
  style.host_usage = true;
  const Fields f = fields_of(account_line(finish_of(record_of_it), style));
  EXPECT_EQ(Fields(f.begin() + 79 + o, f.begin() + 86 + o),
            (Fields{"1", "hostB", "512", "0", "1.500000", "0.000000", "0"}));
  EXPECT_EQ(f[86 + o], "43200") << "the run limit follows";
}

TEST(EventLines, AJobThatNeverRanHasNoHostsAndNoStart) {
  auto record_of_it = record(9);
  record_of_it.set_start_us(0);
  record_of_it.clear_hosts();
  const Fields f = fields_of(account_line(finish_of(record_of_it)));
  EXPECT_EQ(f[11], "0");
  EXPECT_EQ(f[24], "0");
  EXPECT_EQ(f[7], "2") << "what it asked for";
}

TEST(EventLines, LinesThatOthersWrote) {
  // Two blanks, an unquoted host, an older version, a doubled quote: as real files have them.
  const auto fields = split_event_line("\"JOB_FINISH\" \"9.11\" 17  hostA \"a \"\"b\"\" c\" \"\"\r\n");
  ASSERT_TRUE(fields);
  EXPECT_EQ(*fields, (Fields{"JOB_FINISH", "9.11", "17", "hostA", "a \"b\" c", ""}));
  EXPECT_TRUE(split_event_line("# 1234\n")->empty());
  EXPECT_TRUE(split_event_line("")->empty());
  const auto broken = split_event_line("\"JOB_NEW\" \"10.1");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().text, "byte 11: found a string that does not end");
}

}  // namespace
}  // namespace rollcall::sched::events
