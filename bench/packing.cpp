// Measures what it costs mbatchd to keep jobs packed between turns: nanoseconds a job to unpack it, to look at it again while it is
// unpacked, and to put it away unchanged; for jobs with a submission each, and for elements of one array, which share one. Then
// what packing and unpacking a submission costs by itself. Prints figures; asserts nothing. Usage: bench_packing [JOBS]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/case_job.hpp"
#include "sched/policy/book/book.hpp"
#include "tests/support/site_view.hpp"

using namespace rollcall;
using namespace rollcall::sched;

namespace {

constexpr int kRounds = 5;          // the fastest counts
constexpr std::size_t kTurn = 500;  // jobs that are looked at before all are put away again

const Identity kAnn{1001, 100, "ann", {"users"}, false};

ConfigView site() {
  conf::MemoryFiles files;
  files.files = {{"/c/lsf.conf", "LSF_LOGDIR=/l\n"},
                 {"/c/lsf.shared", "Begin Cluster\nClusterName\nlab\nEnd Cluster\n"},
                 {"/c/lsf.cluster.lab", "Begin Host\nHOSTNAME\nhostA\nEnd Host\n"},
                 {"/c/lsbatch/lab/configdir/lsb.params",
                  "Begin Parameters\nDEFAULT_QUEUE = normal\nMAX_JOB_ARRAY_SIZE = 1000000\n"
                  "MAX_USER_JOB_STORAGE = 0\nEnd Parameters\n"},
                 {"/c/lsbatch/lab/configdir/lsb.hosts", ""},
                 {"/c/lsbatch/lab/configdir/lsb.queues", "Begin Queue\nQUEUE_NAME = normal\nEnd Queue\n"}};
  return site_view(files);
}

class Bench {
 public:
  Bench() { book_.configure(site(), now_); }

  void submit(const wire::Submission& job) {
    wire::Submit request;
    *request.add_jobs() = job;
    char token[17];
    std::snprintf(token, sizeof token, "%016d", ++tokens_);
    request.set_token(token);
    const auto id = book_.commands().submit(request, kAnn, now_).reply.submitted().jobs(0).id();
    for (const auto key : book_.jobs().elements(id)) keys_.push_back(key);
    book_.jobs().pack();
  }

  void print(const char* what) {
    Figures best;
    for (int round = 0; round < kRounds; ++round) best.take(measure());
    const auto jobs = static_cast<double>(keys_.size());
    std::printf("%-22s %7.0f ns unpack %7.0f ns look again %7.0f ns put away unchanged\n", what,
                best.unpack / jobs, best.look / jobs, best.put_away / jobs);
  }

 private:
  struct Figures {
    double unpack = 1e300, look = 1e300, put_away = 1e300;
    void take(const Figures& other) {
      unpack = std::min(unpack, other.unpack);
      look = std::min(look, other.look);
      put_away = std::min(put_away, other.put_away);
    }
  };

  template <class Work>
  static double nanoseconds(Work work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
  }

  void look(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (const Job* job = book_.jobs().find(keys_[i]); !job || !job->asked) std::abort();
  }
  Figures measure() {
    Figures sums{0, 0, 0};
    for (std::size_t begin = 0; begin < keys_.size(); begin += kTurn) {
      const std::size_t end = std::min(begin + kTurn, keys_.size());
      sums.unpack += nanoseconds([&] { look(begin, end); });
      sums.look += nanoseconds([&] { look(begin, end); });
      sums.put_away += nanoseconds([&] { book_.jobs().pack(); });
    }
    return sums;
  }

  book::Book book_;
  WallTime now_ = wall_seconds(1'000'000);
  std::vector<JobKey> keys_;
  int tokens_ = 0;
};

// The message alone: bytes to object and back, without the Book's indices.
void print_message(int jobs) {
  std::vector<Packed<wire::Submission>> packed(static_cast<std::size_t>(jobs));
  const auto message = case_job(1);
  wire::Submission unpacked;
  double pack = 1e300, unpack = 1e300;
  const auto since = [](auto begin) {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
  };
  for (int round = 0; round < kRounds; ++round) {
    auto begin = std::chrono::steady_clock::now();
    for (auto& one : packed) one.pack(message);
    pack = std::min(pack, since(begin));
    begin = std::chrono::steady_clock::now();
    for (const auto& one : packed) one.unpack(unpacked);
    unpack = std::min(unpack, since(begin));
  }
  std::printf("%-22s %7.0f ns pack   %7.0f ns unpack\n", "a submission alone", pack / jobs, unpack / jobs);
}

}  // namespace

int main(int argc, char** argv) {
  const int jobs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 100'000;
  Bench single;
  for (int i = 0; i < jobs; ++i) single.submit(case_job(i));
  single.print("a pending job");
  Bench array;
  auto elements = case_job(0);
  auto& range = *elements.add_indices();
  range.set_first(1);
  range.set_last(jobs);
  range.set_step(1);
  array.submit(elements);
  array.print("an element of an array");
  print_message(jobs);
  return 0;
}
