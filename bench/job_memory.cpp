// Measures mbatchd's memory for each job: bytes of RSS and of the heap for a pending job with an 8 KB environment, for an
// array element, and for a finished job. Memory of the store is not counted: the bench discards the rows.
// Prints figures; asserts nothing. Usage: bench_job_memory [JOBS]
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "bench/case_job.hpp"
#include "sched/policy/answers/snapshot_keeper.hpp"
#include "sched/policy/book/book.hpp"
#include "tests/support/site_view.hpp"

using namespace rollcall;
using namespace rollcall::sched;

namespace {

struct Used {
  double rss = 0, heap = 0;
};
Used used() {
  malloc_trim(0);
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  const auto heap = mallinfo2();
  return {static_cast<double>(pages * sysconf(_SC_PAGESIZE)),
          static_cast<double>(heap.uordblks + heap.hblkhd)};
}
void print(const char* what, const Used& before, int jobs) {
  const Used now = used();
  std::printf("%-44s %8.0f bytes of RSS, %8.0f of the heap\n", what, (now.rss - before.rss) / jobs,
              (now.heap - before.heap) / jobs);
}

ConfigView site() {
  conf::MemoryFiles files;
  files.files = {{"/c/lsf.conf", "LSF_LOGDIR=/l\n"},
                 {"/c/lsf.shared", "Begin Cluster\nClusterName\nlab\nEnd Cluster\n"},
                 {"/c/lsf.cluster.lab", "Begin Host\nHOSTNAME\nhostA\nhostB\nEnd Host\n"},
                 {"/c/lsbatch/lab/configdir/lsb.params",
                  "Begin Parameters\nDEFAULT_QUEUE = normal\nMAX_JOB_ARRAY_SIZE = 1000000\n"
                  "MAX_USER_JOB_STORAGE = 0\nEnd Parameters\n"},
                 {"/c/lsbatch/lab/configdir/lsb.hosts", ""},
                 {"/c/lsbatch/lab/configdir/lsb.queues", "Begin Queue\nQUEUE_NAME = normal\nEnd Queue\n"}};
  return site_view(files);
}

const Identity kAnn{1001, 100, "ann", {"users"}, false};

// As bsub sends it: -J, -o and -R, a script, 8 KB of environment.
wire::Submission asked(int number, int elements = 0) {
  wire::Submission a = case_job(number);
  if (elements > 0) a.set_job_name("arr");
  for (int i = 0; i < 100; ++i)
    a.add_environment("VARIABLE_" + std::to_string(i) + "=" + std::string(68, 'v'));
  if (elements == 0) return a;
  auto& range = *a.add_indices();
  range.set_first(1);
  range.set_last(elements);
  range.set_step(1);
  return a;
}

class Site {
 public:
  Site() {
    const auto config = site();
    book.configure(config, now);
    keeper.configure(cycle::placement_rules(config.cluster, config.lsb));
    for (const char* host : {"hostA", "hostB"}) keeper.connected(host, true);
  }
  std::int32_t submit(const wire::Submission& job) {
    wire::Submit request;
    *request.add_jobs() = job;
    char token[17];
    std::snprintf(token, sizeof token, "%016d", ++tokens_);
    request.set_token(token);
    const auto applied = book.commands().submit(request, kAnn, now);
    follow(applied.effects);
    return applied.reply.submitted().jobs(0).id();
  }
  void live(JobKey key) {
    event::Dispatched plan;
    plan.placement.hosts = {{HostId("hostA"), 1}};
    plan.effective_resreq = "select[type == local] order[r15s:pg] rusage[mem=2000.00]";
    follow(book.hosts().dispatch(key, plan, now));
    report::Running running;
    running.attempt = {key, 1};
    running.pid = running.pgid = 4711;
    running.user = "ann";
    running.home = "/home/ann";
    running.cwd = "/home/ann/project/2026/a-study-of-something";
    follow(book.hosts().host_told("hostA", running, now));
    report::Over over;
    over.attempt = {key, 1};
    over.end_us = now.us + 1;
    auto& usage = over.usage.emplace();
    usage.set_user_s(12);
    usage.set_max_memory_kb(5000);
    usage.add_hosts()->set_host("hostA");
    follow(book.hosts().host_told("hostA", over, now));
  }
  book::Book book;
  answers::SnapshotKeeper keeper{book.jobs(), book.hosts()};
  WallTime now = wall_seconds(1'000'000);

 private:
  void follow(const Effects& effects) {
    for (const auto& effect : effects)
      if (const auto* save = std::get_if<effect::SaveJob>(&effect)) keeper.job(save->key);
    book.jobs().pack();
  }
  int tokens_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const int jobs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20'000;
  Site site;
  site.live({site.submit(asked(0)), 0});
  Used before = used();
  std::vector<std::int32_t> ids;
  ids.reserve(static_cast<std::size_t>(jobs));
  for (int i = 0; i < jobs; ++i) ids.push_back(site.submit(asked(i)));
  print("a pending job, 8 KB of environment", before, jobs);
  for (const auto id : ids) site.live({id, 0});
  print("a finished job", before, jobs);
  site.now.us += 7200LL * 1'000'000;
  site.book.tick(site.now);
  print("a job that was cleaned", before, jobs);
  before = used();
  const auto id = site.submit(asked(0, jobs));
  print("a pending element of an array", before, jobs);
  for (int i = 1; i <= jobs; ++i) site.live({id, i});
  print("a finished element", before, jobs);
  return 0;
}
