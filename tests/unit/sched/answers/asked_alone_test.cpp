// bjobs -o: a field that is asked for alone is what it is among all of them. A request brings what its fields need, and no more:
// a row of job_field_table.cpp that says too little prints "-" in silence.
#include <regex>
#include <sstream>

#include "common/base/civil_time.hpp"
#include "sched/policy/show/show_job_fields.hpp"
#include "tests/unit/sched/answers/answers_fixture.hpp"

namespace rollcall::sched::answers {
namespace {

using show::JobFields;

class AskedAlone : public Answers {
 protected:
  static wire::Submission full_submission() {
    auto asked = book::plain_job();
    asked.set_job_name("train");
    asked.set_project("ocean");
    asked.set_description("a model");
    asked.add_esubs("openmpi");
    asked.set_from_host("login");
    asked.set_pre_exec("/bin/true");
    asked.set_post_exec("/bin/false");
    asked.set_resreq("select[mem>10] rusage[mem=64]");
    asked.set_input_file("in");
    asked.set_output_file("out.%J");
    asked.set_error_file("err");
    asked.set_output_dir("dir");
    asked.set_cwd("/home/ann");
    asked.set_home("/home/ann");
    asked.set_warning_signal(10);
    asked.set_warning_seconds(60);
    asked.add_asked_hosts()->set_name("hostA");
    auto& limits = *asked.mutable_limits();
    limits.set_run_s(3600);
    limits.set_memory_kb(2048);
    limits.set_swap_kb(4096);
    limits.set_core_kb(10);
    limits.set_stack_kb(20);
    limits.set_file_kb(30);
    limits.set_processes(9);
    return asked;
  }

  // A job that waits, one that failed, and one that runs with all that a record can say of it.
  AskedAlone() {
    pending = {submit_seen(full_submission()), 0};
    failed = {submit_seen(full_submission()), 0};
    dispatch(failed, {"hostB"});
    runs(failed);
    ends(failed, 3 << 8);
    running = {submit_seen(full_submission()), 0};
    event::Dispatched plan;
    plan.placement.hosts = {{HostId("hostA"), 1}};
    plan.placement.reservations = {{"mem", HostId("hostA"), 64, {}, true}};
    plan.placement.devices = {{HostId("hostA"), {0}}};
    plan.effective_resreq = "select[mem > 10] rusage[mem=64.00]";
    effects = book->hosts().dispatch(running, plan, now);
    runs(running);
    wire::JobUsage usage;
    usage.set_sampled_us(now.us);
    usage.set_memory_kb(1024);
    usage.set_max_memory_kb(2048);
    usage.set_average_memory_kb(1500);
    usage.set_swap_kb(512);
    usage.set_threads(3);
    usage.set_user_s(4);
    usage.set_system_s(2);
    usage.add_pids(77);
    tells("hostA", report::Used{attempt(running), usage});
    now.us += 60'000'000;
  }

  // As bjobs asks, and puts the answer together: the columns of one job.
  std::vector<std::string> columns(JobKey key, const std::string& format) {
    const auto fields = JobFields::parse(format + " delimiter='^'", {});
    EXPECT_TRUE(fields) << fields.error().text;
    wire::BatchRequest request;
    auto& ask = *request.mutable_jobs();
    set_key(*ask.mutable_filter()->add_keys(), key);
    ask.set_submissions(fields->needs_submissions());
    ask.set_reasons(fields->needs_reasons());
    ask.set_shared_reasons(true);
    const wire::BatchReply reply = whole(request);
    auto job = reply.jobs().jobs(0);
    if (job.shared_reasons() != 0)
      *job.mutable_reasons() = reply.jobs().reasons().at(job.shared_reasons()).reasons();
    const auto& asked = reply.jobs().submissions().at(job.record().submission());
    return parts_of(fields->line(job, asked, {now, utc_time}));
  }
  static std::vector<std::string> parts_of(std::string line) {
    if (line.ends_with("\n")) line.pop_back();
    std::vector<std::string> parts;
    std::istringstream stream(line);
    for (std::string part; std::getline(stream, part, '^');) parts.push_back(part);
    return parts;
  }
  // Of all fields: columns cut their titles, JSON does not.
  static std::vector<std::string> names() {
    const std::string json = JobFields::parse("all", {})->json({}, {}, {WallTime{}, utc_time});
    static const std::regex kName("\"([A-Z_0-9%]+)\":");
    std::vector<std::string> names;
    for (std::sregex_iterator at(json.begin(), json.end(), kName); at != std::sregex_iterator(); ++at) {
      names.push_back((*at)[1]);
      for (char& c : names.back()) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return names;
  }

  JobKey pending, running, failed;
};

TEST_F(AskedAlone, EveryFieldIsWhatItIsAmongAll) {
  std::size_t with_a_value = 0;
  std::string every;
  for (const std::string& name : names()) every += name + " ";
  for (const JobKey key : {pending, running, failed}) {
    const auto all = columns(key, every);
    ASSERT_EQ(all.size(), names().size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(columns(key, names()[i]).at(0), all[i]) << names()[i] << " of " << text(key);
      with_a_value += all[i] != "-";
    }
  }
  EXPECT_GT(with_a_value, 80U) << "the jobs must have something to say in most fields";
}

TEST_F(AskedAlone, TheRequirementInForceIsThere) {
  EXPECT_EQ(columns(running, "effective_resreq").at(0), "select[mem > 10] rusage[mem=64.00]");
}

}  // namespace
}  // namespace rollcall::sched::answers
