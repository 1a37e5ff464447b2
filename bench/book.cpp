// What the Book costs: CPU of the life of an array element, of a submission, and of rare requests among many jobs.
// Prints figures; asserts nothing. Usage: bench_book [JOBS]
#include "sched/policy/book/book.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "sched/mbatchd/res_translation.hpp"
#include "tests/support/site_view.hpp"

using namespace rollcall;
using namespace rollcall::sched;

namespace {

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

ConfigView site() {
  conf::MemoryFiles files;
  files.files = {
      {"/c/lsf.conf", "LSF_LOGDIR=/l\n"},
      {"/c/lsf.shared", "Begin Cluster\nClusterName\nlab\nEnd Cluster\n"},
      {"/c/lsf.cluster.lab", "Begin Host\nHOSTNAME\nhostA\nhostB\nEnd Host\n"},
      {"/c/lsbatch/lab/configdir/lsb.params",
       "Begin Parameters\nDEFAULT_QUEUE = normal\nMAX_JOB_ARRAY_SIZE = 1000000\nEnd Parameters\n"},
      {"/c/lsbatch/lab/configdir/lsb.hosts", ""},
      {"/c/lsbatch/lab/configdir/lsb.queues",
       "Begin Queue\nQUEUE_NAME = normal\nRUNLIMIT = 10 60\nRES_REQ = select[mem > 10]\nEnd Queue\n"}};
  return site_view(files);
}

const Identity kAnn{1001, 100, "ann", {}, false};

wire::Submission asked(int elements) {
  wire::Submission a;
  a.set_command("true");
  a.set_from_host("hostA");
  a.set_resreq("rusage[mem=20]");
  for (int i = 0; i < 50; ++i)
    a.add_environment("VARIABLE_" + std::to_string(i) + "=a value of usual length here");
  if (elements == 0) return a;
  a.set_job_name("arr");
  auto& range = *a.add_indices();
  range.set_first(1);
  range.set_last(elements);
  range.set_step(1);
  return a;
}

event::Dispatched plan() {
  event::Dispatched plan;
  plan.placement.hosts = {{HostId("hostA"), 1}};
  plan.effective_resreq = "select[mem > 10 && type == any] rusage[mem=20.00] order[r15s:pg]";
  return plan;
}

void live(book::Book& book, JobKey key, WallTime now, const event::Dispatched& on) {
  book.hosts().dispatch(key, on, now);
  auto start = book.hosts().start_order({key, "hostA", 1});
  if (!start || mbatchd::to_res(std::move(*start)).start().submission().command().empty()) std::abort();
  report::Running running;
  running.attempt = {key, 1};
  running.pid = 7;
  book.hosts().host_told("hostA", running, now);
  report::Over over;
  over.attempt = {key, 1};
  over.end_us = now.us;
  over.usage.emplace().set_max_memory_kb(5);
  book.hosts().host_told("hostA", over, now);
}

void arrays(const ConfigView& config, int total) {
  book::Book book;
  WallTime now = wall_seconds(1'000'000);
  book.configure(config, now);
  const double begin = cpu_ms();
  wire::Submit request;
  for (int left = total; left > 0; left -= 10'000) *request.add_jobs() = asked(std::min(left, 10'000));
  book.commands().submit(request, kAnn, now);
  const double submitted = cpu_ms();
  const auto on = plan();
  for (int i = 0; i < total; ++i) live(book, {1 + i / 10'000, 1 + i % 10'000}, now, on);
  const double lived = cpu_ms();
  now.us += 4000LL * 1'000'000;
  book.tick(now);
  const double cleaned = cpu_ms();
  std::printf(
      "%d elements in arrays of 10,000: submit %.4f ms, dispatch to end %.4f ms, clean %.4f ms, all %.4f ms "
      "each\n",
      total, (submitted - begin) / total, (lived - submitted) / total, (cleaned - lived) / total,
      (cleaned - begin) / total);
}

void among_many(const ConfigView& config, int total) {
  book::Book book;
  const WallTime now = wall_seconds(1'000'000);
  book.configure(config, now);
  wire::Submit request;
  *request.add_jobs() = asked(0);
  double begin = cpu_ms();
  for (int i = 0; i < total; ++i) book.commands().submit(request, kAnn, now);
  std::printf("%d single jobs: submit %.4f ms each\n", total, (cpu_ms() - begin) / total);
  const auto on = plan();
  begin = cpu_ms();
  for (int i = 0; i < 10'000 && i < total; ++i) live(book, {1 + i, 0}, now, on);
  std::printf("  with them pending: dispatch to end %.4f ms each\n",
              (cpu_ms() - begin) / std::min(10'000, total));
  wire::SignalJobs kill;
  set_key(*kill.mutable_filter()->add_keys(), {total, 0});
  begin = cpu_ms();
  book.commands().signal_jobs(kill, kAnn, now);
  std::printf("  bkill of one: %.4f ms\n", cpu_ms() - begin);
  wire::MoveJob top;
  set_key(*top.mutable_key(), {total - 1, 0});
  begin = cpu_ms();
  book.commands().move_job(top, kAnn, now);
  std::printf("  btop of one: %.4f ms\n", cpu_ms() - begin);
  begin = cpu_ms();
  const auto found = book.jobs().select({}, kAnn);
  std::printf("  all jobs of a user (%zu): %.4f ms\n", found.jobs.size(), cpu_ms() - begin);
}

}  // namespace

int main(int argc, char** argv) {
  const int total = argc > 1 ? std::max(1000, std::atoi(argv[1])) : 100'000;
  const ConfigView config = site();
  arrays(config, total);
  among_many(config, total);
}
