// Measures mbatchd's store at a site's age: its size with finished jobs, how long a turn's commit takes while it forgets them
// (JOB_HISTORY_DAYS) and while it does not, and its size after as many jobs again. Each job has five events and a submission.
// Prints figures; asserts nothing. Usage: bench_store_history [JOBS [DIRECTORY]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/io/sqlite_job_store.hpp"

using namespace rollcall;
using Steady = std::chrono::steady_clock;

namespace {

constexpr std::int64_t kDay_us = 24LL * 3600 * 1'000'000;
constexpr int kAtOnce = 200;  // jobs of a transaction, where the store is filled

template <class T>
T good(io::StoreResult<T> result) {
  if (!result) throw std::runtime_error(result.error().text);
  return std::move(*result);
}

void add_life(io::StoreBatch& batch, int id, std::int64_t at_us) {
  auto asked = std::make_shared<wire::Submission>();
  asked->set_command("./solve --input /home/ann/project/case" + std::to_string(id) + ".in");
  asked->set_job_name("case" + std::to_string(id));
  asked->set_user("ann");
  asked->set_cwd("/home/ann/project/2026/a-study-of-something");
  asked->set_output_file("/home/ann/project/logs/%J.out");
  asked->set_resreq("rusage[mem=2000.00]");
  const auto number = static_cast<std::uint64_t>(id);
  batch.submissions.push_back({number, asked});
  wire::JobRecord record;
  record.mutable_key()->set_id(id);
  record.set_submission(number);
  record.set_status(wire::STATUS_DONE);
  record.set_submit_us(at_us);
  record.set_end_us(at_us);
  record.set_cleaned_us(at_us + 1);
  record.set_queue("normal");
  record.set_exec_cwd(asked->cwd());
  record.set_effective_resreq("select[type == local] order[r15s:pg] rusage[mem=2000.00]");
  record.add_hosts()->set_name("hostA");
  batch.jobs.push_back(record);
  const auto event = [&]() -> wire::JobEvent& {
    auto& one = batch.events.emplace_back();
    one.set_at_us(at_us);
    one.mutable_key()->set_id(id);
    return one;
  };
  auto& created = *event().mutable_new_job();
  created.set_submission(number);
  created.set_queue("normal");
  *created.mutable_asked() = *asked;
  event().mutable_start()->set_effective_resreq(record.effective_resreq());
  event().mutable_start_accept()->set_pid(4711);
  event().mutable_execute()->set_cwd(asked->cwd());
  auto& ended = *event().mutable_finish();
  *ended.mutable_asked() = *asked;
  *ended.mutable_record() = record;
}

class Site {
 public:
  explicit Site(std::string directory)
      : directory_(std::move(directory)), store_(good(io::open_sqlite_job_store(directory_))) {}

  void fill(int jobs, std::int64_t at_us) {
    for (int done = 0; done < jobs; done += kAtOnce) {
      io::StoreBatch batch;
      for (int i = 0; i < std::min(kAtOnce, jobs - done); ++i) add_life(batch, ++last_, at_us);
      good(store_->commit(batch));
    }
  }
  // A turn that saves one job.
  double turn(std::int64_t at_us) {
    io::StoreBatch batch;
    add_life(batch, ++last_, at_us);
    const auto begin = Steady::now();
    good(store_->commit(batch));
    return std::chrono::duration<double, std::milli>(Steady::now() - begin).count();
  }
  io::Forgotten forget(std::int64_t before_us) {
    return good(store_->forget({before_us, store_->last_event()}));
  }
  double megabytes() {
    store_ = good(reopened());
    return static_cast<double>(std::filesystem::file_size(directory_ + "/jobs.db")) / 1e6;
  }

 private:
  // The log of changes goes into the file.
  io::StoreResult<std::unique_ptr<io::JobStore>> reopened() {
    store_.reset();
    return io::open_sqlite_job_store(directory_);
  }
  std::string directory_;
  std::unique_ptr<io::JobStore> store_;
  int last_ = 0;
};

void print(const char* what, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&times](double part) {
    return times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))];
  };
  std::printf("%-44s median %7.2f ms, 99%% %7.2f ms, longest %7.2f ms, of %zu\n", what, at(0.5), at(0.99),
              at(1), times.size());
}

void run(int jobs, const std::string& directory) {
  Site site(directory);
  site.fill(jobs, kDay_us);
  std::printf("%-44s %8.1f MB, %.0f bytes for each job\n", "store with finished jobs", site.megabytes(),
              site.megabytes() * 1e6 / jobs);
  std::vector<double> quiet, turns, steps;
  for (int i = 0; i < 1000; ++i) quiet.push_back(site.turn(100 * kDay_us));
  print("a turn of one job", quiet);
  io::Forgotten all;
  for (bool more = true; more;) {
    const auto begin = Steady::now();
    const auto one = site.forget(50 * kDay_us);
    steps.push_back(std::chrono::duration<double, std::milli>(Steady::now() - begin).count());
    more = one.more;
    all.jobs += one.jobs;
    all.events += one.events;
    if (steps.size() % 20 == 0) turns.push_back(site.turn(100 * kDay_us));
  }
  print("a step of forgetting", steps);
  if (!turns.empty()) print("a turn of one job between steps", turns);
  std::printf("%-44s %8zu jobs, %zu events\n", "forgotten", all.jobs, all.events);
  std::printf("%-44s %8.1f MB\n", "store then", site.megabytes());
  site.fill(jobs, 100 * kDay_us);
  std::printf("%-44s %8.1f MB\n", "store with as many jobs again", site.megabytes());
}

}  // namespace

int main(int argc, char** argv) {
  const int jobs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20'000;
  std::string directory = argc > 2 ? argv[2] : "/tmp";
  directory += "/rollcall-history.XXXXXX";
  if (mkdtemp(directory.data()) == nullptr) {
    std::perror(directory.c_str());
    return 1;
  }
  int code = 0;
  try {
    run(jobs, directory);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    code = 1;
  }
  std::filesystem::remove_all(directory);
  return code;
}
