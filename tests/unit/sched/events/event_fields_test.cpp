// Every field of the records that no short line of event_lines_test.cpp shows whole, by the names and places that lsb.events(5)
// and lsb.acct(5) of LSF give them. JOB_NEW has its own there.
#include <gtest/gtest.h>

#include "sched/policy/events/event_lines.hpp"

namespace rollcall::sched::events {
namespace {

struct Field {
  const char* name;
  std::size_t place;  // from 1
  std::string value;
};

void expect_fields(const std::string& line, const std::vector<Field>& expected) {
  const auto found = split_event_line(line);
  ASSERT_TRUE(found) << line;
  ASSERT_EQ(found->size(), expected.size()) << line;
  std::size_t place = 0;
  for (const auto& field : expected) {
    ASSERT_EQ(field.place, ++place) << field.name;
    EXPECT_EQ((*found)[place - 1], field.value) << "$" << place << " " << field.name;
  }
}

wire::JobEvent event_at(int id, int index) {
  wire::JobEvent event;
  event.set_at_us(1'700'000'100'250'000);
  event.mutable_key()->set_id(id);
  event.mutable_key()->set_index(index);
  return event;
}

void put_host(google::protobuf::RepeatedPtrField<wire::ExecHost>& hosts, const char* name, unsigned slots) {
  auto& host = *hosts.Add();
  host.set_name(name);
  host.set_slots(slots);
}

TEST(EventFields, JobStart) {
  auto event = event_at(42, 3);
  auto& start = *event.mutable_start();
  put_host(*start.mutable_hosts(), "hostA", 2);
  put_host(*start.mutable_hosts(), "hostB", 1);
  start.set_cpu_factor(2.5);
  start.set_pre_exec("pre");
  start.set_post_exec("post");
  start.set_user_group("group");
  expect_fields(event_line(event), {{"type", 1, "JOB_START"},
                                    {"version", 2, "10.1"},
                                    {"eventTime", 3, "1700000100"},
                                    {"jobId", 4, "42"},
                                    {"jStatus", 5, "4"},
                                    {"jobPid", 6, "0"},
                                    {"jobPGid", 7, "0"},
                                    {"hostFactor", 8, "2.50"},
                                    {"numExHosts", 9, "3"},
                                    {"execHosts", 10, "hostA"},
                                    {"execHosts", 11, "hostA"},
                                    {"execHosts", 12, "hostB"},
                                    {"queuePreCmd", 13, "pre"},
                                    {"queuePostCmd", 14, "post"},
                                    {"jFlags", 15, "0"},
                                    {"userGroup", 16, "group"},
                                    {"idx", 17, "3"}});
}

// lsfRusage, 19 fields: what is not measured is 0, what LSF says -1 of as well is -1.
void add_usage(std::vector<Field>& fields, const char* user, const char* system) {
  const std::pair<const char*, std::string> used[] = {
      {"utime", user},   {"stime", system}, {"maxrss", "0"}, {"ixrss", "0"},   {"ismrss", "-1"},
      {"idrss", "0"},    {"isrss", "0"},    {"minflt", "0"}, {"majflt", "0"},  {"nswap", "0"},
      {"inblock", "0"},  {"oublock", "0"},  {"ioch", "-1"},  {"msgsnd", "0"},  {"msgrcv", "0"},
      {"nsignals", "0"}, {"nvcsw", "0"},    {"nivcsw", "0"}, {"exutime", "-1"}};
  for (const auto& [name, value] : used) fields.push_back({name, fields.size() + 1, value});
}

TEST(EventFields, JobStatus) {
  auto event = event_at(42, 3);
  auto& status = *event.mutable_status();
  status.set_status(wire::STATUS_EXIT);
  status.set_reasons(7);
  status.set_exit_status(9 << 8);
  status.set_term_reason(14);
  status.set_end_us(1'700'000'099'000'000);
  status.mutable_usage()->set_user_s(1.5);
  status.mutable_usage()->set_system_s(0.25);
  std::vector<Field> fields{{"type", 1, "JOB_STATUS"},      {"version", 2, "10.1"},
                            {"eventTime", 3, "1700000100"}, {"jobId", 4, "42"},
                            {"jStatus", 5, "32"},           {"reason", 6, "7"},
                            {"subreasons", 7, "0"},         {"cpuTime", 8, "1.750000"},
                            {"endTime", 9, "1700000099"},   {"ru", 10, "1"}};
  add_usage(fields, "1.500000", "0.250000");
  fields.insert(fields.end(), {{"exitStatus", 30, "9"}, {"idx", 31, "3"}, {"exitInfo", 32, "14"}});
  expect_fields(event_line(event), fields);
  status.clear_usage();
  status.set_status(wire::STATUS_USUSP);
  fields.erase(fields.begin() + 10, fields.end());
  fields[4].value = "16";
  fields[7].value = "0.000000";
  fields[8].value = fields[9].value = "0";
  fields.insert(fields.end(), {{"exitStatus", 11, "9"}, {"idx", 12, "3"}, {"exitInfo", 13, "14"}});
  expect_fields(event_line(event), fields);
}

wire::JobEvent finish_with_all() {
  auto event = event_at(42, 3);
  auto& finish = *event.mutable_finish();
  auto& asked = *finish.mutable_asked();
  asked.set_uid(5);
  asked.set_begin_us(9'000'000);
  asked.set_terminate_us(10'000'000);
  asked.set_user("user12");
  asked.set_resreq("res14");
  asked.set_dependency("dep15");
  asked.set_pre_exec("pre16");
  asked.set_from_host("from17");
  asked.set_cwd("cwd18");
  asked.set_input_file("in19");
  asked.set_output_file("out20");
  asked.set_error_file("err21");
  asked.add_asked_hosts()->set_name("asked24");
  asked.set_job_name("name27");
  asked.set_command("command28");
  asked.set_mail_user("mail48");
  asked.set_project("project49");
  asked.set_max_slots(51);
  asked.set_login_shell("shell52");
  asked.set_reservation("rsv59");
  asked.set_service_class("sla60");
  asked.set_warning_seconds(65);
  asked.set_application("app68");
  asked.set_post_exec("post69");
  asked.set_job_group("group71");
  asked.set_requeue_exits("requeue72");
  asked.set_description("description77");
  asked.set_output_dir("outdir");
  asked.mutable_limits()->set_run_s(80);
  finish.set_cpu_factor(2.5);
  auto& record = *finish.mutable_record();
  *record.mutable_key() = event.key();
  record.set_status(wire::STATUS_DONE);
  record.set_submit_us(8'000'000);
  record.set_start_us(11'000'000);
  record.set_end_us(31'000'000);
  record.set_queue("queue13");
  put_host(*record.mutable_hosts(), "hostA", 2);
  record.set_exit_status(50);
  record.set_term_reason(63);
  record.set_effective_resreq("effective");
  auto& usage = *record.mutable_usage();
  usage.set_user_s(29.5);
  usage.set_system_s(30.5);
  usage.set_max_memory_kb(55);
  usage.set_max_swap_kb(56);
  usage.set_average_memory_kb(82);
  return event;
}

// One asked host and two execution hosts: o is 3.
TEST(EventFields, JobFinish) {
  const auto event = finish_with_all();
  const std::string line = account_line(event);
  const auto written = *split_event_line(line);
  ASSERT_GT(written.size(), 76U);
  const std::string options = written[5], options2 = written[72 + 3];  // bits: event_options.hpp's
  EXPECT_NE(options, "0");
  EXPECT_NE(options2, "0");
  std::vector<Field> fields{
      {"type", 1, "JOB_FINISH"},   {"version", 2, "10.1"},     {"eventTime", 3, "31"},
      {"jobId", 4, "42"},          {"userId", 5, "5"},         {"options", 6, options},
      {"numProcessors", 7, "2"},   {"submitTime", 8, "8"},     {"beginTime", 9, "9"},
      {"termTime", 10, "10"},      {"startTime", 11, "11"},    {"userName", 12, "user12"},
      {"queue", 13, "queue13"},    {"resReq", 14, "res14"},    {"dependCond", 15, "dep15"},
      {"preExecCmd", 16, "pre16"}, {"fromHost", 17, "from17"}, {"cwd", 18, "cwd18"},
      {"inFile", 19, "in19"},      {"outFile", 20, "out20"},   {"errFile", 21, "err21"},
      {"jobFile", 22, "8.42"},     {"numAskedHosts", 23, "1"}, {"askedHosts", 24, "asked24"},
      {"numExHosts", 25, "2"},     {"execHosts", 26, "hostA"}, {"execHosts", 27, "hostA"},
      {"jStatus", 28, "64"},       {"hostFactor", 29, "2.50"}, {"jobName", 30, "name27[3]"},
      {"command", 31, "command28"}};
  add_usage(fields, "29.500000", "30.500000");
  const std::pair<const char*, std::string> rest[] = {{"mailUser", "mail48"},
                                                      {"projectName", "project49"},
                                                      {"exitStatus", "50"},
                                                      {"maxNumProcessors", "51"},
                                                      {"loginShell", "shell52"},
                                                      {"timeEvent", ""},
                                                      {"idx", "3"},
                                                      {"maxRMem", "55"},
                                                      {"maxRSwap", "56"},
                                                      {"inFileSpool", ""},
                                                      {"commandSpool", ""},
                                                      {"rsvId", "rsv59"},
                                                      // LSF 7
                                                      {"sla", "sla60"},
                                                      {"exceptMask", "0"},
                                                      {"additionalInfo", ""},
                                                      {"exitInfo", "63"},
                                                      {"warningAction", ""},
                                                      {"warningTimePeriod", "65"},
                                                      {"chargedSAAP", ""},
                                                      {"licenseProject", ""},
                                                      {"app", "app68"},
                                                      {"postExecCmd", "post69"},
                                                      {"runtimeEstimation", "0"},
                                                      {"jobGroupName", "group71"},
                                                      {"requeueEvalues", "requeue72"},
                                                      {"options2", options2},
                                                      {"resizeNotifyCmd", ""},
                                                      {"lastResizeTime", "0"},
                                                      {"rsvId", "rsv59"},
                                                      {"jobDescription", "description77"},
                                                      {"submitEXT num", "0"},
                                                      // LSF 9
                                                      {"numHostRusage", "0"},
                                                      {"runLimit", "80"},
                                                      {"options3", "0"},
                                                      {"avgMem", "82"},
                                                      {"effectiveResReq", "effective "},
                                                      {"srcCluster", ""},
                                                      {"srcJobId", "0"},
                                                      {"dstCluster", ""},
                                                      {"dstJobId", "0"},
                                                      {"forwardTime", "0"},
                                                      {"flow_id", ""},
                                                      {"acJobWaitTime", "0"},
                                                      {"totalProvisionTime", "0"},
                                                      {"outdir", "outdir"},
                                                      {"runTime", "20"},
                                                      {"subcwd", "cwd18"},
                                                      {"num_network", "0"},
                                                      {"affinity", ""},
                                                      // LSF 10.1
                                                      {"serial_job_energy", "0.000000"},
                                                      {"cpi", "0.000000"},
                                                      {"gips", "0.000000"},
                                                      {"gbs", "0.000000"},
                                                      {"gflops", "0.000000"},
                                                      {"numAllocSlots", "2"},
                                                      {"allocSlots", "hostA"},
                                                      {"allocSlots", "hostA"},
                                                      {"ineligiblePendTime", "0"},
                                                      {"indexRangeCnt", "0"},
                                                      {"requeueTime", "0"},
                                                      {"numGPURusages", "0"},
                                                      {"storageInfoC", "0"},
                                                      {"finishKVP num", "0"}};
  for (const auto& [name, value] : rest) fields.push_back({name, fields.size() + 1, value});
  expect_fields(line, fields);
}

// JOB_MODIFY has the list of JOB_NEW, so says the manual.
TEST(EventFields, JobModifyIsAsJobNew) {
  auto changed = event_at(42, 3), fresh = event_at(42, 3);
  auto asked = finish_with_all().finish().asked();
  asked.add_queues("queue");
  *changed.mutable_modify()->mutable_asked() = asked;
  *fresh.mutable_new_job()->mutable_asked() = asked;
  fresh.mutable_new_job()->set_queue("queue");
  std::string line = event_line(fresh);
  line.replace(0, 9, "\"JOB_MODIFY\"");
  EXPECT_EQ(event_line(changed), line);
}

}  // namespace
}  // namespace rollcall::sched::events
