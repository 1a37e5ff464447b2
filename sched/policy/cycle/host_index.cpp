#include "sched/policy/cycle/host_index.hpp"

#include <algorithm>
#include <cmath>

namespace rollcall::sched::cycle {
namespace {

// If more than one in so many hosts pass, the search asks each host instead.
constexpr std::size_t kWorthWhile = 4;

// A host that has one value as every number.
class OneValue final : public resreq::HostView {
 public:
  explicit OneValue(double number) : number_(number) {}
  double number(ResourceId) const override { return number_; }
  std::string_view word(ResourceId) const override { return {}; }
  bool has(ResourceId) const override { return number_ != 0; }

 private:
  double number_;
};

}  // namespace

const std::vector<HostNumber>& HostIndex::hosts() {
  if (hosts_) return *hosts_;
  hosts_.emplace();
  for (HostNumber host = 0; host < state_->rules().hosts.size(); ++host)
    if (state_->free_slots(host) > 0 && state_->host_obstacle(host).obstacle == Obstacle::none)
      hosts_->push_back(host);
  return *hosts_;
}

const HostIndex::Column& HostIndex::column(const Measure& measure) {
  const auto [found, added] = columns_.try_emplace(measure.text);
  Column& column = found->second;
  if (!added) return column;
  for (const HostNumber host : hosts()) {
    const double value = state_->value(measure.value, host);
    if (std::isnan(value))
      column.unknown.push_back(host);
    else
      column.values.emplace_back(value, host);
  }
  std::sort(column.values.begin(), column.values.end());
  return column;
}

HostIndex::Range HostIndex::range(const Sieve& sieve) {
  const Column& column = this->column(sieve.measure);
  const bool enough = sieve.kind == Sieve::Kind::enough;
  // Sorted by value: `enough` passes at the end, `little` at the begin.
  const auto passes = [&sieve](double value) {
    return sieve.comparison.matches(OneValue(value)) != sieve.negated;
  };
  const auto& values = column.values;
  const auto border = std::partition_point(values.begin(), values.end(),
                                           [&](const auto& entry) { return passes(entry.first) != enough; });
  const auto at = static_cast<std::size_t>(border - values.begin());
  return enough ? Range{&column, at, values.size()} : Range{&column, 0, at};
}

std::size_t HostIndex::count(const Sieve& sieve) {
  std::size_t count = sieve.kind == Sieve::Kind::all ? hosts().size() : 0;
  switch (sieve.kind) {
    case Sieve::Kind::all:
      for (const Sieve& part : sieve.parts) count = std::min(count, this->count(part));
      return count;
    case Sieve::Kind::any:
      for (const Sieve& part : sieve.parts) count += this->count(part);
      return count;
    default:
      const Range range = this->range(sieve);
      return range.to - range.from + (sieve.negated ? range.column->unknown.size() : 0);
  }
}

void HostIndex::collect(const Sieve& sieve, std::vector<HostNumber>& hosts) {
  switch (sieve.kind) {
    case Sieve::Kind::all: {
      const auto least =
          std::min_element(sieve.parts.begin(), sieve.parts.end(),
                           [this](const Sieve& a, const Sieve& b) { return count(a) < count(b); });
      return collect(*least, hosts);
    }
    case Sieve::Kind::any:
      for (const Sieve& part : sieve.parts) collect(part, hosts);
      return;
    default:
      const Range range = this->range(sieve);
      for (std::size_t at = range.from; at < range.to; ++at) hosts.push_back(range.column->values[at].second);
      if (sieve.negated)
        hosts.insert(hosts.end(), range.column->unknown.begin(), range.column->unknown.end());
  }
}

std::optional<std::vector<HostNumber>> HostIndex::passing(const Sieve& sieve) {
  if (count(sieve) * kWorthWhile > hosts().size()) return std::nullopt;
  std::vector<HostNumber> passing;
  collect(sieve, passing);
  std::sort(passing.begin(), passing.end());
  passing.erase(std::unique(passing.begin(), passing.end()), passing.end());
  return passing;
}

}  // namespace rollcall::sched::cycle
