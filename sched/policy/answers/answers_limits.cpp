// The answer to blimits.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "sched/policy/answers/answers_parts.hpp"
#include "sched/policy/cycle/tally.hpp"

namespace rollcall::sched::answers {
namespace {

using LimitRow = wire::BatchReply::LimitRow;

std::string kind_of(const cycle::PlacementRules& rules, const cycle::LimitRule& rule) {
  if (rule.of == cycle::LimitOf::slots) return "SLOTS";
  if (rule.of == cycle::LimitOf::jobs) return "JOBS";
  std::string name = rules.indices().at(rule.resource).name;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return name;
}

using Names = google::protobuf::RepeatedPtrField<std::string>;
using ListedNames = std::optional<std::vector<std::string>>;

// The user (queue, ...) that the counter is for, else all that the limit names.
void add_names(const std::string& one, const ListedNames& list, Names& to) {
  if (!one.empty())
    *to.Add() = one;
  else if (list)
    to.Assign(list->begin(), list->end());
}

constexpr int kMostHostNames = 8;

void add_hosts(const cycle::PlacementRules& rules, const cycle::LimitRule& rule, HostNumber host,
               LimitRow& row) {
  if (host != kNoHost) return row.add_hosts(rules.hosts[host].text());
  if (!rule.hosts) return;
  for (HostNumber number = 0; number < rule.hosts->size() && !row.more_hosts(); ++number) {
    if (!(*rule.hosts)[number] || rules.has_returned(number)) continue;
    if (row.hosts_size() == kMostHostNames)
      row.set_more_hosts(true);
    else
      row.add_hosts(rules.hosts[number].text());
  }
}

using LimitAmount = wire::BatchReply::LimitAmount;

// The amount of JL/U is in the host's row of lsb.hosts.
void set_most(const cycle::PlacementRules& rules, const cycle::LimitRule& rule, HostNumber host,
              LimitAmount& row) {
  if (rule.of_host_row && host != kNoHost) {
    const cycle::BatchRow* const written = rules.row_of(rules.hosts[host], "", "");
    if (written != nullptr && written->user_slots) row.set_most(*written->user_slots);
    return;
  }
  if (rule.amounts.empty()) return;
  row.set_most(rule.amounts.front().amount);
  row.set_percent(rule.amounts.front().percent);
  row.set_per_processor(rule.per_processor);
}

LimitRow limit_row(const cycle::PlacementRules& rules, const cycle::LimitRule& rule,
                   const cycle::TallyName& who, HostNumber host) {
  LimitRow row;
  row.set_name(rule.name);
  add_names(who.user, rule.users, *row.mutable_users());
  add_names(who.queue, rule.queues, *row.mutable_queues());
  add_names(who.project, rule.projects, *row.mutable_projects());
  add_names(who.application, rule.applications, *row.mutable_applications());
  add_hosts(rules, rule, host, row);
  return row;
}

bool fits(const std::string& asked, const std::string& counted) {
  return asked.empty() || asked == "all" || counted.empty() || asked == counted;
}

// The rules, tallies and hosts that blimits asks for.
class LimitsAsked {
 public:
  LimitsAsked(const AnswerView& view, const wire::AskLimits& ask)
      : view_(view), rules_(view.snapshot.rules()), ask_(ask) {
    if (!ask.host().empty()) host_ = rules_.host(official_host(view, ask.host()));
  }

  std::optional<wire::BatchReply> refusal() const {
    if (ask_.host().empty() || host_) return std::nullopt;
    return refused_answer(wire::BatchReply::Refusal::NO_HOST, ask_.host() + ": No such host");
  }
  std::vector<LimitRow> rows() {
    if (!ask_.configured()) add_taken();
    for (std::uint32_t rule = 0; rule < rules_.limits.size(); ++rule)
      if (ask_.configured() || (ask_.unused_too() && used_.count(rule) == 0))
        add_row({rule, {}, {}, {}, {}}, kNoHost, ask_.configured() ? std::nullopt : std::optional(0.0));
    return std::move(rows_);
  }

 private:
  void add_taken() {
    const auto& tallies = view_.snapshot.tallies();
    for (const auto& [name, number] : tallies.numbers) {
      if (name.rule >= rules_.limits.size()) continue;
      if (!rules_.limits[name.rule].per_host) {
        add_used(name, kNoHost, tallies.taken[number]);
        continue;
      }
      for (HostNumber host = 0; host < rules_.hosts.size(); ++host)
        if (const auto there = tallies.taken_on.find(cycle::on_host(number, host));
            there != tallies.taken_on.end())
          add_used(name, host, there->second);
    }
  }
  void add_used(const cycle::TallyName& name, HostNumber host, double taken) {
    if (taken <= 0) return;
    used_.insert(name.rule);
    add_row(name, host, taken);
  }
  void add_row(const cycle::TallyName& name, HostNumber host, std::optional<double> taken) {
    if (!meant(name, host)) return;
    const cycle::LimitRule& rule = rules_.limits[name.rule];
    const auto [place, fresh] = places_.try_emplace(
        std::tuple(rule.place, name.user, name.queue, name.project, name.application, host), rows_.size());
    if (fresh) rows_.push_back(limit_row(rules_, rule, name, host));
    LimitAmount& amount = *rows_[place->second].add_amounts();
    amount.set_kind(kind_of(rules_, rule));
    if (taken) amount.set_taken(*taken);
    set_most(rules_, rule, host, amount);
  }
  bool meant(const cycle::TallyName& who, HostNumber host) const {
    const cycle::LimitRule& rule = rules_.limits[who.rule];
    if (!ask_.name().empty() && rule.name != ask_.name()) return false;
    if (host_ && host != kNoHost && host != *host_) return false;
    if (host_ && rule.hosts && !(*rule.hosts)[*host_]) return false;
    return fits(ask_.user(), who.user) && fits(ask_.queue(), who.queue) &&
           fits(ask_.project(), who.project) && fits(ask_.application(), who.application);
  }

  const AnswerView& view_;
  const cycle::PlacementRules& rules_;
  const wire::AskLimits& ask_;
  std::optional<HostNumber> host_;
  std::set<std::uint32_t> used_;
  std::vector<LimitRow> rows_;
  // One Limit has one row for slots, memory and other resources together.
  using WhoseRow = std::tuple<std::string, std::string, std::string, std::string, std::string, HostNumber>;
  std::map<WhoseRow, std::size_t> places_;
};

}  // namespace

std::vector<wire::BatchReply> limits_answer(const AnswerView& view, const wire::AskLimits& ask) {
  LimitsAsked limits(view, ask);
  if (auto refused = limits.refusal()) return {std::move(*refused)};
  return in_parts(limits.rows(), [](wire::BatchReply& part, const LimitRow* row) {
    auto& to = *part.mutable_limits();
    if (row != nullptr) *to.add_rows() = *row;
  });
}

}  // namespace rollcall::sched::answers
