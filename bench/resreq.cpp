// What a resource requirement costs over 10,000 hosts of 40 indices: parsing, binding, the choice and the order of hosts.
//
//   BUILD/bench/bench_resreq [RUNS]      (100 unless told otherwise)
//
// One row for each requirement: how many hosts fit, and the median of the runs in milliseconds; the host table is filled
// once. Exit: 0, 1 where a requirement does not mean what it should.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "common/resreq/evaluate.hpp"

using namespace rollcall;
using namespace rollcall::resreq;

namespace {

constexpr std::size_t kHosts = 10'000;
constexpr ResourceId kIndices = 40;  // of the load vector: the built-in ones and the site's

struct Cluster {
  IndexTable table;
  Cluster() {
    for (ResourceId i = kBuiltInIndices; i < kIndices; ++i)
      table.add({.name = "site" + std::to_string(i),
                 .type = ResourceType::numeric,
                 .order = ResourceOrder::decreasing,
                 .interval = 60});
    table.add({.name = "linux"});
    table.add({.name = "profile", .type = ResourceType::string});
  }
};

class Host : public HostView {
 public:
  Host(const IndexTable& table, std::size_t place) : numbers_(table.size()), words_(table.size()) {
    for (ResourceId i = 0; i < table.size(); ++i) {
      numbers_[i] = static_cast<double>((place * 7919 + i * 104729) % 1000);
      words_[i] = i % 2 == 0 ? "X86_64" : "AARCH64";
    }
    numbers_[ut] /= 1000;
    numbers_[*table.find("linux")] = place % 10 != 0;
    words_[*table.find("type")] = place % 4 == 0 ? "AARCH64" : "X86_64";
    words_[*table.find("hname")] = "host" + std::to_string(place);
  }
  double number(ResourceId id) const override { return numbers_[id]; }
  std::string_view word(ResourceId id) const override { return words_[id]; }
  bool has(ResourceId id) const override { return numbers_[id] != 0; }

 private:
  std::vector<double> numbers_;
  std::vector<std::string> words_;
};

struct Row {
  const char* what;
  const char* requirement;
};
constexpr Row kRows[] = {
    {"typical", "select[type==any && mem>200 && ut<80 && linux] order[r1m:-mem]"},
    {"default", "select[type == local] order[r15s:pg]"},
    {"one host", "hname==host4711"},
    {"arithmetic",
     "(mem + swp/4 - 100) * ncpus > 2000 && !(r15s*2 > r15m + 300) || defined(site30) && site20 + site21 > "
     "site22"},
    {"old syntax", "r15m=500:mem=20:swp=12:linux"},
};

// The hosts that fit, in order; exits where the requirement is wrong.
std::vector<std::size_t> choose(const char* requirement, const IndexTable& table,
                                const std::vector<Host>& hosts) {
  const ParseResult parsed = parse(requirement);
  BindContext context;
  context.indices = &table;
  context.local_type = "X86_64";
  const BindResult select = parsed.error ? BindResult{} : resreq::bind(parsed.value.select, context);
  const BindOrderResult order = bind_order(parsed.value.order, table);
  if (!select.select || order.error) {
    std::fprintf(stderr, "%s: cannot be bound\n", requirement);
    std::exit(1);
  }
  std::vector<const HostView*> fitting;
  for (const Host& host : hosts)
    if (select.select->matches(host)) fitting.push_back(&host);
  return sorted(fitting, order.order);
}

double milliseconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 100;
  const Cluster cluster;
  std::vector<Host> hosts;
  for (std::size_t i = 0; i < kHosts; ++i) hosts.emplace_back(cluster.table, i);
  std::printf("%-12s %6s %10s %10s\n", "requirement", "hosts", "median ms", "worst ms");
  for (const Row& row : kRows) {
    std::vector<double> times;
    std::size_t fitting = 0;
    for (int run = 0; run < runs; ++run) {
      const auto begin = std::chrono::steady_clock::now();
      fitting = choose(row.requirement, cluster.table, hosts).size();
      times.push_back(milliseconds(std::chrono::steady_clock::now() - begin));
    }
    std::sort(times.begin(), times.end());
    std::printf("%-12s %6zu %10.3f %10.3f\n", row.what, fitting, times[times.size() / 2], times.back());
    if (fitting == 0) return 1;
  }
  return 0;
}
