// Files as lsb.events and lsb.acct are, read again: what we write, and what LSF's own releases write otherwise.
#include "sched/policy/events/event_reader.hpp"

#include <gmock/gmock.h>

#include "sched/policy/events/event_lines.hpp"

namespace rollcall::sched::events {
namespace {

constexpr std::int64_t kThen = 1'700'000'100'000'000;

wire::JobEvent some_event(int index = 0) {
  wire::JobEvent event;
  event.set_at_us(kThen);
  event.mutable_key()->set_id(42);
  event.mutable_key()->set_index(index);
  return event;
}

void put_two_hosts(google::protobuf::RepeatedPtrField<wire::ExecHost>& hosts) {
  for (const char* name : {"hostA", "hostB"}) {
    auto& host = *hosts.Add();
    host.set_name(name);
    host.set_slots(2);
  }
}

wire::Submission all_asked() {
  wire::Submission asked;
  asked.set_uid(5);
  asked.set_user("u14");
  asked.set_min_slots(7);
  asked.set_max_slots(47);
  asked.set_begin_us(9'000'000);
  asked.set_terminate_us(10'000'000);
  asked.mutable_limits()->set_cpu_s(15);
  asked.mutable_limits()->set_memory_kb(20);
  asked.mutable_limits()->set_run_s(24);
  asked.mutable_limits()->set_run_spec("spec26");
  asked.set_umask(28);
  asked.set_resreq("res30 \"quoted\"");
  asked.set_from_host("from31");
  asked.set_cwd("cwd32");
  asked.set_input_file("in34");
  asked.set_output_file("out35");
  asked.set_error_file("err36");
  asked.set_home("home37");
  asked.set_dependency("dep40");
  asked.set_pre_exec("pre41");
  asked.set_job_name("name 42");
  asked.set_command("command43");
  asked.set_mail_user("mail45");
  asked.set_project("project46");
  asked.set_login_shell("shell49");
  asked.set_user_group("group51");
  asked.set_priority(58);
  asked.set_exclusive(true);
  asked.set_rerunnable(true);
  asked.set_hold(true);
  asked.set_error_overwrite(true);
  asked.add_queues("queue29");
  auto& host = *asked.add_asked_hosts();
  host.set_name("hostC");
  host.set_preference(2);
  auto& file = *asked.add_transfers();
  file.set_local("l");
  file.set_remote("r");
  file.set_direction(wire::FileTransfer::BOTH);
  return asked;
}

std::optional<wire::JobEvent> read_line(const std::string& line) {
  const auto fields = split_event_line(line);
  if (!fields) return std::nullopt;
  const auto event = read_event(*fields);
  EXPECT_TRUE(event) << line << (event ? "" : event.error().text);
  return event ? *event : std::nullopt;
}

// Read and written again, nothing has changed: no field was mistaken for another.
void expect_returns(const std::string& line) {
  const auto event = read_line(line);
  ASSERT_TRUE(event) << line;
  EXPECT_EQ(event_line(*event) + account_line(*event), line);
}

TEST(EventReader, ASubmissionReturnsFieldForField) {
  auto event = some_event();
  *event.mutable_new_job()->mutable_asked() = all_asked();
  event.mutable_new_job()->set_queue("queue29");
  expect_returns(event_line(event));
  event.mutable_new_job()->mutable_asked()->set_interactive(wire::Submission::TERMINAL);
  expect_returns(event_line(event));
  auto changed = some_event(3);
  *changed.mutable_modify()->mutable_asked() = all_asked();
  expect_returns(event_line(changed));
}

TEST(EventReader, AnArrayHasItsElementsBack) {
  auto event = some_event();
  auto& asked = *event.mutable_new_job()->mutable_asked();
  asked.set_job_name("a");
  asked.set_array_slots(3);
  auto& range = *asked.add_indices();
  range.set_first(1);
  range.set_last(10);
  range.set_step(2);
  expect_returns(event_line(event));
  EXPECT_EQ(read_line(event_line(event))->new_job().asked().job_name(), "a");
}

TEST(EventReader, ARunReturns) {
  auto start = some_event(3);
  put_two_hosts(*start.mutable_start()->mutable_hosts());
  start.mutable_start()->set_cpu_factor(2.5);
  start.mutable_start()->set_pre_exec("pre");
  start.mutable_start()->set_user_group("g");
  expect_returns(event_line(start));
  EXPECT_EQ(event_line(*read_line(event_line(start, {.short_hosts = true}))), event_line(start));
  auto accepted = some_event(3);
  accepted.mutable_start_accept()->set_pid(76);
  accepted.mutable_start_accept()->set_pgid(77);
  expect_returns(event_line(accepted));
  auto run = some_event(3);
  auto& execute = *run.mutable_execute();
  execute.set_uid(5);
  execute.set_pid(76);
  execute.set_pgid(77);
  execute.set_cwd("/w");
  execute.set_home("/h");
  execute.set_user("u");
  expect_returns(event_line(run));
}

TEST(EventReader, StatesReturn) {
  auto event = some_event(3);
  auto& status = *event.mutable_status();
  for (const auto state : {wire::STATUS_PEND, wire::STATUS_PSUSP, wire::STATUS_RUN, wire::STATUS_SSUSP,
                           wire::STATUS_USUSP, wire::STATUS_UNKWN, wire::STATUS_ZOMBI}) {
    status.set_status(state);
    expect_returns(event_line(event));
  }
  status.set_status(wire::STATUS_EXIT);
  status.set_exit_status(130 << 8);
  status.set_term_reason(14);
  status.set_end_us(kThen);
  status.mutable_usage()->set_user_s(1.5);
  status.mutable_usage()->set_system_s(0.25);
  expect_returns(event_line(event));
  status.set_status(wire::STATUS_DONE);
  status.set_exit_status(0);
  for (const auto post : {wire::POST_NONE, wire::POST_DONE, wire::POST_ERR}) {
    status.set_post(post);
    expect_returns(event_line(event));
  }
}

TEST(EventReader, OrdersReturn) {
  auto signal = some_event(1);
  signal.mutable_signal()->set_symbol("KILL");
  signal.mutable_signal()->set_uid(5);
  signal.mutable_signal()->set_user("u");
  expect_returns(event_line(signal));
  auto switched = some_event(3);
  switched.mutable_switched()->set_queue("night");
  switched.mutable_switched()->set_uid(5);
  switched.mutable_switched()->set_user("u");
  expect_returns(event_line(switched));
  auto move = some_event(3);
  move.mutable_move()->set_uid(5);
  move.mutable_move()->set_user("u");
  move.mutable_move()->set_position(2);
  move.mutable_move()->set_to_bottom(true);
  expect_returns(event_line(move));
  auto requeue = some_event(3);
  requeue.mutable_requeue();
  expect_returns(event_line(requeue));
  auto clean = some_event(3);
  clean.mutable_clean();
  expect_returns(event_line(clean));
}

wire::JobEvent finished_job() {
  auto event = some_event(3);
  auto& finish = *event.mutable_finish();
  finish.set_cpu_factor(2);
  auto& asked = *finish.mutable_asked();
  asked = all_asked();
  asked.clear_limits();
  asked.mutable_limits()->set_run_s(43200);
  asked.set_service_class("sla");
  asked.set_application("app");
  asked.set_post_exec("post");
  asked.set_job_group("/g");
  asked.set_requeue_exits("3");
  asked.set_description("what it is");
  asked.set_warning_seconds(60);
  auto& record = *finish.mutable_record();
  *record.mutable_key() = event.key();
  record.set_status(wire::STATUS_EXIT);
  record.set_queue("normal");
  record.set_submit_us(1'700'000'000'000'000);
  record.set_start_us(1'700'000'010'000'000);
  record.set_end_us(1'700'000'070'000'000);
  put_two_hosts(*record.mutable_hosts());
  record.set_exit_status(768);
  record.set_term_reason(5);
  record.mutable_usage()->set_user_s(277.21);
  record.mutable_usage()->set_max_memory_kb(27780);
  record.mutable_usage()->set_max_swap_kb(195372);
  record.mutable_usage()->set_average_memory_kb(20000);
  record.set_effective_resreq("select[type == local]");
  return event;
}

// What is not read is what no display needs: the bits of options ($6, $73+o) and the submitter's directory at the end.
std::vector<std::string> without_bits(const std::string& line) {
  auto fields = *split_event_line(line);
  const std::size_t o = 5;  // asked and execution hosts
  fields.at(5) = fields.at(72 + o) = "";
  return fields;
}

TEST(EventReader, AFinishedJobReturns) {
  const std::string line = account_line(finished_job());
  auto event = read_line(line);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->finish().record().term_reason(), 5);
  auto again = without_bits(account_line(*event));
  auto before = without_bits(line);
  ASSERT_EQ(again.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(again[i], before[i]) << "$" << i + 1;
}

// A host's usage has five fields in the manual, and six in real records.
TEST(EventReader, WhatFollowsTheUsageOfHostsIsFound) {
  auto finished = finished_job();
  auto& used = *finished.mutable_finish()->mutable_record()->mutable_usage()->add_hosts();
  used.set_host("hostB");
  EventStyle style;
  style.host_usage = true;
  const std::string six = account_line(finished, style);
  const std::string written = "1 hostB 0 0 0.000000 0.000000 0 ";
  ASSERT_NE(six.find(written), std::string::npos);
  std::string five = six;
  five.replace(six.find(written), written.size(), "1 hostB 0 0 0.000000 0.000000 ");
  for (const std::string& line : {six, five}) {
    const auto event = read_line(line);
    ASSERT_TRUE(event);
    EXPECT_EQ(event->finish().asked().limits().run_s(), 43200);
    EXPECT_EQ(event->finish().record().usage().average_memory_kb(), 20000);
    EXPECT_EQ(event->finish().record().effective_resreq(), "select[type == local]");
  }
}

// LSF 5.1 ends at $59+o; some records have no count of hosts.
TEST(EventReader, AccountsOfOtherReleases) {
  const std::string old =
      "\"JOB_FINISH\" \"5.1\" 1113998290 5123 44016 33816706 1 1113998280 0 0 1113998284 \"raven\" \"night\" "
      "\"\" \"\" \"\" "
      "\"lxb\" \"w\" \"\" \"/dev/null\" \"\" \"1113998280.5123\" 0 1 \"lxb0702\" 64 3.3 \"\" \"sh ./x\" 0.01 "
      "0.02 0 0 -1 0 0 0 "
      "0 0 0 0 -1 0 0 0 0 0 -1 \"\" \"default\" 0 1 \"\" \"\" 0 0 0 \"\" \"\" \"\"";
  auto event = read_line(old);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->finish().record().hosts(0).name(), "lxb0702");
  EXPECT_EQ(event->finish().record().status(), wire::STATUS_DONE);
  EXPECT_EQ(event->finish().asked().command(), "sh ./x");
  std::string uncounted = old;
  uncounted.replace(uncounted.find("0 1 \"lxb0702\" 64"), 16, "0 64");
  event = read_line(uncounted);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->finish().record().hosts_size(), 0);
  EXPECT_EQ(event->finish().record().status(), wire::STATUS_DONE);
}

// LSF's JOB_NEW goes on behind $58, and its bits of options mean other things than ours.
TEST(EventReader, BitsOfOtherReleasesAreIgnored) {
  auto event = some_event();
  *event.mutable_new_job()->mutable_asked() = all_asked();
  event.mutable_new_job()->set_queue("q");
  std::string line = event_line(event);
  EXPECT_TRUE(read_line(line)->new_job().asked().hold());
  line.insert(line.size() - 1, " \"\" \"\" \"\" -1 0");
  EXPECT_FALSE(read_line(line)->new_job().asked().hold());
  EXPECT_EQ(read_line(line)->new_job().asked().priority(), 58U);
}

TEST(EventReader, OlderRecordsOfOursEndBeforeTheApplication) {
  auto event = some_event();
  *event.mutable_new_job()->mutable_asked() = all_asked();
  event.mutable_new_job()->mutable_asked()->set_application("app");
  event.mutable_new_job()->set_queue("q");
  const std::string line = event_line(event);
  EXPECT_EQ(read_line(line)->new_job().asked().application(), "app");
  const auto end = line.rfind(" 58 ");
  ASSERT_NE(end, std::string::npos);
  const auto older = read_line(line.substr(0, end + 3) + "\n");
  ASSERT_TRUE(older);
  EXPECT_EQ(older->new_job().asked().application(), "");
  EXPECT_TRUE(older->new_job().asked().hold()) << "the bits are ours";
}

struct File {
  std::vector<std::string> events;
  EventReader::PassedOver passed;
};
File read_file_text(const std::string& text, std::size_t piece) {
  File file;
  EventReader reader;
  const auto take = [&](const wire::JobEvent& event) { file.events.push_back(event_line(event)); };
  for (std::size_t at = 0; at < text.size(); at += piece) reader.read(text.substr(at, piece), take);
  reader.end(take);
  file.passed = reader.passed_over();
  return file;
}

const std::string kClean = "\"JOB_CLEAN\" \"10.1\" 1700000100 42 3\n";

TEST(EventReader, BrokenLinesAreSkippedAndCounted) {
  const std::string text = "# 1234\n" + kClean + "\"JOB_CLEAN\" \"10.1\" x 42 3\n" +
                           "\"JOB_STATUS\" \"10.1\" 1700000100 42 77 0 0 0.0 0 0 0 0 0\n" +
                           "\"JOB_SIGNAL\" \"10.1\" 1700000100 42\n" + "\"JOB_CLEAN\" \"10.1\" 17 0 3\n" +
                           "\"SOMETHING_NEW\" \"11.0\" 1 2 3\n\n" + kClean +
                           "\"JOB_SWITCH\" \"10.1\" 1700000100 5 42 \"ni";
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, text.size()}) {
    const File file = read_file_text(text, piece);
    EXPECT_THAT(file.events, testing::ElementsAre(kClean, kClean));
    EXPECT_EQ(file.passed.lines, 5U);
    EXPECT_EQ(file.passed.first, 3U);
    EXPECT_EQ(file.passed.why, "field 3: found \"x\", expected a number");
  }
}

// Real files have line ends inside of strings; what begins a record ends a string that was lost.
TEST(EventReader, BrokenStringContinuesInTheNextLines) {
  const std::string order = "\"JOB_SWITCH\" \"10.1\" 1700000100 5 42 \"a\r\nb\n\nc\" 3 \"u\"\n";
  const File joined = read_file_text(order + kClean, 5);
  EXPECT_THAT(joined.events,
              testing::ElementsAre("\"JOB_SWITCH\" \"10.1\" 1700000100 5 42 \"a;b;;c\" 3 \"u\"\n", kClean));
  EXPECT_EQ(joined.passed.lines, 0U);
  const File lost = read_file_text("\"JOB_SWITCH\" \"10.1\" 1700000100 5 42 \"ni\n" + kClean, 5);
  EXPECT_THAT(lost.events, testing::ElementsAre(kClean));
  EXPECT_EQ(lost.passed.lines, 1U);
}

TEST(EventReader, ControlCharactersOfAFileAreReplaced) {
  const File file =
      read_file_text("\"JOB_SWITCH\" \"10.1\" 1700000100 5 42 \"a\x1b[2Jb\tc\" 3 \"u\x7f\"\n", 9);
  EXPECT_THAT(file.events,
              testing::ElementsAre("\"JOB_SWITCH\" \"10.1\" 1700000100 5 42 \"a?[2Jb\tc\" 3 \"u?\"\n"));
}

TEST(EventReader, ALineWithoutEndIsNotKept) {
  const File file = read_file_text(std::string(6 << 20, 'x') + "\n" + kClean, 1 << 16);
  EXPECT_THAT(file.events, testing::ElementsAre(kClean));
  EXPECT_EQ(file.passed.lines, 1U);
  EXPECT_EQ(file.passed.why, "found more than 4194304 bytes in a line");
}

// JOB_NEW and JOB_ACCEPT in the cluster that executes the job.
TEST(EventReader, AJobOfAnotherClusterReturnsWithItsSource) {
  auto event = some_event();
  *event.mutable_new_job()->mutable_asked() = all_asked();
  event.mutable_new_job()->set_queue("queue29");
  auto& from = *event.mutable_new_job()->mutable_record()->mutable_from();
  from.set_cluster("west");
  from.mutable_key()->set_id(12);
  const std::string line = event_line(event);
  EXPECT_THAT(line, testing::EndsWith(" 0 12 \"west\" -1 \"\"\n"))
      << "srcJobId, srcCluster, dstJobId, dstCluster";
  const auto read = read_line(line);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->new_job().record().from().cluster(), "west");
  EXPECT_EQ(read->new_job().record().from().key().id(), 12);
  EXPECT_TRUE(read->new_job().asked().exclusive()) << "the bits of its options are Rollcall's";
  auto accepted = some_event();
  auto& accept = *accepted.mutable_accept();
  accept.set_cluster("west");
  accept.mutable_there()->set_id(12);
  accept.mutable_there()->set_index(3);
  accept.set_queue("receive");
  accept.set_came(true);
  EXPECT_THAT(event_line(accepted), testing::EndsWith(" 42 12 \"west\" 0 3 \"receive\" 1\n"));
  ASSERT_TRUE(read_line(event_line(accepted)));
  EXPECT_TRUE(read_line(event_line(accepted))->accept().came());
  accept.set_came(false);
  EXPECT_FALSE(read_line(event_line(accepted))->accept().came()) << "that of the submission cluster";
}

}  // namespace
}  // namespace rollcall::sched::events
