// How the cost of mbatchd's work grows with jobs and with hosts: a table of curves. A curve is steeper than linear where ten times
// as many cost much more than ten times as much.
//
// Work that can be counted (hosts looked at, dependencies evaluated, bytes of an answer) is judged by its counts, which are the
// same on every machine. CPU time is judged by the ratio of two sizes alone, with a wide margin: caches end between them.
// Usage: bench_growth [--small | --large] [--judge]
//   --large  to 1,000,000 jobs and 10,000 hosts: 12 GB and some minutes
//   --judge  exit status 1 where a curve is steeper than it may be
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "sched/policy/answers/answers.hpp"
#include "sched/policy/answers/snapshot_keeper.hpp"
#include "sched/policy/book/book.hpp"
#include "tests/support/site_view.hpp"

using namespace rollcall;
using namespace rollcall::sched;

namespace {

// Of counts; of CPU times. 1: linear, 2: quadratic.
constexpr double kMostOfCounts = 1.05;
constexpr double kMostOfTimes = 1.5;
constexpr double kLeastMs = 20;  // a time below it says nothing

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

ConfigView site(int hosts) {
  std::string rows = "Begin Host\nHOSTNAME type\n";
  for (int i = 0; i < hosts; ++i) rows += "h" + std::to_string(i) + " X86_64\n";
  conf::MemoryFiles files;
  files.files = {
      {"/c/lsf.conf", "LSF_LOGDIR=/l\n"},
      {"/c/lsf.shared",
       "Begin Cluster\nClusterName\nlab\nEnd Cluster\nBegin HostType\nTYPENAME\nX86_64\nEnd HostType\n"},
      {"/c/lsf.cluster.lab", rows + "End Host\n"},
      {"/c/lsbatch/lab/configdir/lsb.params",
       "Begin Parameters\nDEFAULT_QUEUE = normal\nMAX_JOB_ARRAY_SIZE = 1000000\nEnd Parameters\n"},
      {"/c/lsbatch/lab/configdir/lsb.hosts", ""},
      {"/c/lsbatch/lab/configdir/lsb.queues", "Begin Queue\nQUEUE_NAME = normal\nEnd Queue\n"}};
  return site_view(files);
}

const Identity kAnn{1001, 100, "ann", {}, false};

wire::Submission plain() {
  wire::Submission asked;
  asked.set_command("true");
  asked.set_from_host("h0");
  asked.set_from_type("X86_64");
  return asked;
}

// mbatchd without its sockets and its disk: no LIM answers, so that every job pends for every host.
struct Site {
  Site(const ConfigView& config, int jobs) : keeper(book.jobs(), book.hosts()) {
    book.configure(config, now);
    book.rows().loaded(now);
    keeper.configure(cycle::placement_rules(config.cluster, config.lsb));
    wire::Submit request;
    *request.add_jobs() = plain();
    for (int i = 0; i < jobs; ++i) {
      book.commands().submit(request, kAnn, now);
      keeper.job({book.rows().next_job_id() - 1, 0});
    }
  }

  struct Answered {
    double longest_ms = 0;  // of one part
    double bytes = 0;
  };
  Answered ask(const wire::BatchRequest& request) {
    Answered answered;
    const auto view = [this] {
      return answers::AnswerView{book.jobs(), book.hosts(), keeper.snapshot(), now};
    };
    auto next = *answers::answer(request, kAnn, view());
    for (bool last = false; !last;) {
      const double from = cpu_ms();
      auto part = next(view());
      answered.longest_ms = std::max(answered.longest_ms, cpu_ms() - from);
      if (!part) break;
      answered.bytes += static_cast<double>(part->SerializeAsString().size());
      last = part->last();
    }
    return answered;
  }

  WallTime now = wall_seconds(1'000'000);
  book::Book book;
  answers::SnapshotKeeper keeper;
};

enum class Unit { count, ms, told };  // told: shown and not judged
struct Curve {
  std::string name;
  Unit unit;
  std::vector<double> values;
};

class Curves {
 public:
  void add(const std::string& name, Unit unit, double value) {
    const auto known =
        std::find_if(curves_.begin(), curves_.end(), [&](const Curve& c) { return c.name == name; });
    if (known != curves_.end())
      known->values.push_back(value);
    else
      curves_.push_back({name, unit, {value}});
  }
  template <class Work>
  void time(const std::string& name, const Work& work) {
    const double from = cpu_ms();
    work();
    add(name, Unit::ms, cpu_ms() - from);
  }
  // The number of curves that are too steep.
  int print(const char* what, const std::vector<int>& sizes) const {
    std::printf("\n%-44s", what);
    for (const int size : sizes) std::printf("%12d", size);
    std::printf("    exponent\n");
    int steep = 0;
    for (const Curve& curve : curves_) {
      std::printf("%-44s", (curve.name + (curve.unit == Unit::count ? "" : ", ms")).c_str());
      for (const double value : curve.values)
        std::printf(curve.unit == Unit::count ? "%12.0f" : "%12.2f", value);
      const auto exponent = exponent_of(curve, sizes);
      if (exponent) std::printf("%12.2f", *exponent);
      const bool too_steep = exponent && curve.unit != Unit::told &&
                             *exponent > (curve.unit == Unit::count ? kMostOfCounts : kMostOfTimes);
      std::printf("%s\n", too_steep ? "  steeper than linear" : "");
      steep += too_steep ? 1 : 0;
    }
    return steep;
  }

 private:
  // Over the last factor of ten, or what there is of it.
  static std::optional<double> exponent_of(const Curve& curve, const std::vector<int>& sizes) {
    const std::size_t last = curve.values.size() - 1;
    std::size_t first = last;
    while (first > 0 && sizes[first] * 10 > sizes[last]) --first;
    if (first == last || curve.values[first] <= 0 || curve.values[last] <= 0) return std::nullopt;
    if (curve.unit != Unit::count && curve.values[last] < kLeastMs) return std::nullopt;
    return std::log(curve.values[last] / curve.values[first]) /
           std::log(static_cast<double>(sizes[last]) / sizes[first]);
  }

  std::vector<Curve> curves_;
};

void all_at_once(const ConfigView& config, int jobs, Curves& curves) {
  Site site(config, 0);
  wire::Submit request;
  for (int i = 0; i < jobs; ++i) *request.add_jobs() = plain();
  curves.time("bsub of all in one request", [&] { site.book.commands().submit(request, kAnn, site.now); });
}

void questions(Site& site, Curves& curves) {
  wire::BatchRequest list;
  list.mutable_jobs();
  Site::Answered answered;
  curves.time("bjobs", [&] { answered = site.ask(list); });
  curves.add("bjobs, its longest part", Unit::told, answered.longest_ms);
  wire::BatchRequest why = list;
  why.mutable_jobs()->set_reasons(true);
  why.mutable_jobs()->set_shared_reasons(true);
  curves.time("bjobs -p", [&] { answered = site.ask(why); });
  curves.add("bjobs -p, its longest part", Unit::told, answered.longest_ms);
  curves.add("bjobs -p, bytes", Unit::count, answered.bytes);
  wire::BatchRequest none = list;
  none.mutable_jobs()->mutable_filter()->set_project("none");
  curves.time("bjobs -P of which there are none", [&] { site.ask(none); });
  wire::BatchRequest sums = list;
  sums.mutable_jobs()->set_sums(true);
  curves.time("bjobs -sum", [&] { site.ask(sums); });
  wire::BatchRequest hosts;
  hosts.mutable_hosts();
  curves.time("bhosts", [&] { site.ask(hosts); });
  hosts.mutable_hosts()->add_hosts("h0");
  curves.time("bhosts of one", [&] { site.ask(hosts); });
  curves.time("a cycle that starts nothing", [&] { cycle::schedule(site.keeper.snapshot(), site.now); });
}

void reasons(Site& site, Curves& curves) {
  cycle::PendingReasons reasons(site.keeper.snapshot(), site.now);
  for (const JobKey key : site.book.jobs().with_status(wire::STATUS_PEND)) reasons.number_of(key);
  curves.add("why jobs pend, hosts looked at", Unit::count, static_cast<double>(reasons.hosts_looked_at()));
}

// An array whose elements end one after the other, while a tenth as many jobs wait for all or for some of it.
void dependencies(const ConfigView& config, int elements, Curves& curves) {
  Site site(config, 0);
  wire::Submit request;
  auto& array = *request.add_jobs();
  array = plain();
  array.set_job_name("arr");
  auto& range = *array.add_indices();
  range.set_first(1);
  range.set_last(elements);
  range.set_step(1);
  site.book.commands().submit(request, kAnn, site.now);
  for (int i = 0; i < elements / 10; ++i) {
    wire::Submit waits;
    *waits.add_jobs() = plain();
    waits.mutable_jobs(0)->set_dependency(i % 2 == 0 ? "done(1)"
                                                     : "numdone(1, >= " + std::to_string(i) + ")");
    site.book.commands().submit(waits, kAnn, site.now);
  }
  site.book.hosts().host_told("h0", report::HostCame{}, site.now);
  event::Dispatched plan;
  plan.placement.hosts = {{HostId("h0"), 1}};
  const auto before = site.book.jobs().evaluations();
  curves.time("an array ends that jobs wait for", [&] {
    for (int i = 1; i <= elements; ++i) {
      const JobKey key{1, i};
      site.book.hosts().dispatch(key, plan, site.now);
      report::Over over;
      over.attempt = {key, 1};
      over.end_us = site.now.us;
      site.book.hosts().host_told("h0", over, site.now);
    }
  });
  curves.add("... dependencies evaluated", Unit::count,
             static_cast<double>(site.book.jobs().evaluations() - before));
}

int by_jobs(const std::vector<int>& sizes) {
  Curves curves;
  const ConfigView config = site(100);
  for (const int jobs : sizes) {
    double from = cpu_ms();
    Site all(config, jobs);
    curves.add("bsub of each", Unit::ms, cpu_ms() - from);
    all_at_once(config, jobs, curves);
    questions(all, curves);
    reasons(all, curves);
    dependencies(config, jobs, curves);
  }
  return curves.print("jobs, on 100 hosts", sizes);
}

int by_hosts(const std::vector<int>& sizes) {
  Curves curves;
  for (const int hosts : sizes) {
    ConfigView config;
    curves.time("reading the files", [&] { config = site(hosts); });
    Site all(config, 1000);
    questions(all, curves);
    reasons(all, curves);
  }
  return curves.print("hosts, with 1,000 jobs", sizes);
}

}  // namespace

int main(int argc, char** argv) {
  const auto has = [&](const char* word) {
    return std::any_of(argv + 1, argv + argc,
                       [word](const char* given) { return std::strcmp(given, word) == 0; });
  };
  const bool small = has("--small");
  const bool large = has("--large");
  const std::vector<int> jobs = small   ? std::vector{100, 1000}
                                : large ? std::vector{10'000, 100'000, 1'000'000}
                                        : std::vector{1000, 10'000, 100'000, 300'000};
  const std::vector<int> hosts = small   ? std::vector{1, 10, 100}
                                 : large ? std::vector{100, 1000, 10'000}
                                         : std::vector{1, 10, 100, 1000, 5000};
  const int steep = by_jobs(jobs) + by_hosts(hosts);
  return has("--judge") && steep > 0 ? 1 : 0;
}
