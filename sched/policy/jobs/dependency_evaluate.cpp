// Whether a dependency holds, and whether it ever will.
#include <algorithm>

#include "sched/policy/jobs/dependency_truth.hpp"

namespace rollcall::sched::jobs {
namespace {

bool compares(Comparison comparison, std::int64_t a, std::int64_t b) {
  switch (comparison) {
    case Comparison::equal:
      return a == b;
    case Comparison::unequal:
      return a != b;
    case Comparison::above:
      return a > b;
    case Comparison::below:
      return a < b;
    case Comparison::at_least:
      return a >= b;
    case Comparison::at_most:
      return a <= b;
  }
  return false;
}

using Truth = DependencyTruth;

// For a number that is `now` and may still become any value from `least` to `most`.
Truth compared(Comparison comparison, std::int64_t now, std::int64_t least, std::int64_t most,
               std::int64_t n) {
  const bool holds = compares(comparison, now, n);
  const auto same = [&](std::int64_t value) { return compares(comparison, value, n) == holds; };
  // A comparison with n changes its answer only between n - 1, n and n + 1.
  bool final = same(least) && same(most);
  for (const std::int64_t value : {n - 1, n, n + 1})
    if (value >= least && value <= most) final = final && same(value);
  return {holds, final};
}

}  // namespace

std::string_view text(DependencyState state) {
  switch (state) {
    case DependencyState::none:
      return "none";
    case DependencyState::satisfied:
      return "satisfied";
    case DependencyState::not_yet:
      return "not yet";
    case DependencyState::never:
      return "never";
  }
  return "none";
}

int exit_code_of_status(std::int32_t exit_status) {
  if (const int signal = exit_status & 0x7f; signal != 0) return 128 + signal;
  return (exit_status >> 8) & 0xff;
}

void count(JobTally& tally, const wire::JobRecord& record, int sign) {
  const auto add = [sign](std::uint32_t& field) {
    field = static_cast<std::uint32_t>(static_cast<int>(field) + sign);
  };
  add(tally.elements);
  // A job that waits in another cluster pends; its status is that of an attempt that was dispatched.
  const wire::JobStatus status = record.has_forwarded() ? shown_status(record) : record.status();
  if (placed(status) && record.started()) add(tally.started);
  if (status == wire::STATUS_USUSP) add(tally.by_user);
  if (status == wire::STATUS_PSUSP)
    add(tally.hold);
  else if (pending(status))
    add(tally.pend);
  else if (status == wire::STATUS_SSUSP || status == wire::STATUS_USUSP)
    add(tally.suspended);
  else if (placed(status))
    add(tally.run);
  if (!finished(status)) return;
  if (record.post_status() == wire::POST_RUNNING) add(tally.post_open);
  if (record.post_status() == wire::POST_ERR) add(tally.post_err);
  if (status == wire::STATUS_DONE) return add(tally.done);
  add(tally.exit);
  const auto code = tally.exit_codes.try_emplace(exit_code_of_status(record.exit_status())).first;
  add(code->second);
  if (code->second == 0) tally.exit_codes.erase(code);
}

// ---------------------------------------------------------------- one condition

bool compares_a_number(const JobCondition& condition) {
  return condition.condition >= Condition::numdone && !condition.all_elements;
}

DependencyNumbers numbers_of(Condition condition, const JobTally& t) {
  const std::int64_t open = std::int64_t{t.elements} - t.finished();
  // Counts of ended elements only grow; counts of present states go up and down.
  const auto grows = [&](std::int64_t now) { return DependencyNumbers{now, now, now + open}; };
  const auto moves = [&](std::int64_t now) { return DependencyNumbers{now, 0, open}; };
  switch (condition) {
    case Condition::numdone:
      return grows(t.done);
    case Condition::numended:
      return grows(t.finished());
    case Condition::numexit:
      return grows(t.exit);
    case Condition::numhold:
      return moves(t.hold);
    case Condition::numpend:
      return moves(t.pend);
    case Condition::numrun:
      return moves(t.run);
    case Condition::numstart:
      return moves(std::int64_t{t.run} + t.suspended);
    default:
      return {};  // not a condition that counts
  }
}

namespace {

std::int64_t exits(const JobCondition& c, const JobTally& t) {
  if (!c.comparison) return t.exit;
  std::int64_t number = 0;
  for (const auto& [code, elements] : t.exit_codes)
    if (compares(*c.comparison, code, c.number)) number += elements;
  return number;
}

}  // namespace

DependencyTruth truth_of(const JobCondition& c, const JobTally& t) {
  const std::int64_t all = t.elements;
  const std::int64_t open = all - t.finished();
  // Holds if all elements are there.
  const auto every = [&](std::int64_t there, std::int64_t more) {
    return compared(Comparison::equal, there, there, there + more, all);
  };
  switch (c.condition) {
    case Condition::done:
      return every(t.done, open);
    case Condition::ended:
      return every(t.finished(), open);
    case Condition::exit:
      return every(exits(c, t), open);
    case Condition::started:
      return every(t.started + t.finished(), all - t.started - t.finished());
    case Condition::post_done:
      return every(std::int64_t{t.finished()} - t.post_open - t.post_err, open + t.post_open);
    case Condition::post_err:
      return every(t.post_err, open + t.post_open);
    default: {
      const auto [now, least, most] = numbers_of(c.condition, t);
      return compared(c.comparison.value_or(Comparison::equal), now, least, most,
                      c.all_elements ? all : c.number);
    }
  }
}

// ---------------------------------------------------------------- the expression

class DependencyEvaluation {
 public:
  DependencyEvaluation(const Dependency& dependency, std::int32_t index, const JobFacts& facts)
      : dependency_(dependency), index_(index), facts_(facts) {}

  // Operands precede their operators in the vector, so one pass is enough.
  DependencyState state() {
    using Kind = Dependency::Node::Kind;
    std::vector<Truth> truths;
    truths.reserve(dependency_.nodes_.size());
    for (const auto& node : dependency_.nodes_) switch (node.kind) {
        case Kind::condition:
          truths.push_back(truth(dependency_.conditions_[node.first]));
          break;
        case Kind::no: {
          const Truth a = truths[node.first];
          truths.push_back({!a.holds, a.final});
          break;
        }
        case Kind::both:
          truths.push_back(joined(truths[node.first], truths[node.second], false));
          break;
        case Kind::either:
          truths.push_back(joined(truths[node.first], truths[node.second], true));
          break;
      }
    const Truth all = truths.back();
    return all.holds   ? DependencyState::satisfied
           : all.final ? DependencyState::never
                       : DependencyState::not_yet;
  }

 private:
  // `decides`: the value of one operand that determines the result: true for "||", false for "&&".
  static Truth joined(Truth a, Truth b, bool decides) {
    const bool holds = decides ? a.holds || b.holds : a.holds && b.holds;
    const bool settled = (a.final && a.holds == decides) || (b.final && b.holds == decides);
    return {holds, settled || (a.final && b.final)};
  }

  Truth truth(const JobCondition& condition) const {
    const JobTally* whole = facts_.tally(condition.id);
    if (!whole) return {false, true};
    const std::int32_t index = condition.each ? index_ : condition.index;
    if (index == 0) return truth_of(condition, *whole);
    const Job* element = facts_.find({condition.id, index});
    if (!element) return {false, true};
    JobTally one;
    count(one, element->record, 1);
    return truth_of(condition, one);
  }

  const Dependency& dependency_;
  std::int32_t index_;
  const JobFacts& facts_;
};

DependencyState evaluate(const Dependency& dependency, std::int32_t index, const JobFacts& facts) {
  if (dependency.empty()) return DependencyState::none;
  return DependencyEvaluation(dependency, index, facts).state();
}

}  // namespace rollcall::sched::jobs
