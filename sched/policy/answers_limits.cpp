// What blimits is told.
#include <algorithm>
#include <map>
#include <set>

#include "sched/policy/answers_parts.hpp"
#include "sched/policy/tally.hpp"

namespace rollcall::sched {
namespace {

using LimitRow = wire::BatchReply::LimitRow;

std::string amount_words(const conf::LimitAmount& amount) {
  std::string text = std::to_string(amount.amount);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return amount.percent ? text + "%" : text;
}

std::string taken_words(double number) {
  conf::LimitAmount amount;
  amount.amount = number;
  return amount_words(amount);
}

// A tally's name: the number of its rule, then user, queue and project where each is counted.
std::vector<std::string> name_parts(const std::string& name) {
  std::vector<std::string> parts(1);
  for (const char c : name) {
    if (c == '\0')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  parts.resize(4);
  return parts;
}

std::string kind_of(const SchedulingRules& rules, const LimitRule& rule) {
  if (rule.of == LimitOf::slots) return "SLOTS";
  if (rule.of == LimitOf::jobs) return "JOBS";
  std::string name = rules.indices().at(rule.resource).name;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return name;
}

// What is counted: of one user, queue, project, host where the rule counts each of them.
struct Counted {
  std::string user, queue, project;
  HostNumber host = kNoHost;
};

using ListedNames = std::optional<std::vector<std::string>>;
std::string names_or(const std::string& one, const ListedNames& list) {
  if (!one.empty()) return one;
  std::string words;
  for (const auto& name : list.value_or(std::vector<std::string>()))
    words += (words.empty() ? "" : ",") + name;
  return words.empty() ? "-" : words;
}

constexpr int kMostHostNames = 8;

std::string hosts_of_limit(const SchedulingRules& rules, const LimitRule& rule, HostNumber host) {
  if (host != kNoHost) return rules.hosts[host].name;
  if (!rule.hosts) return "-";
  std::string words;
  int count = 0;
  for (HostNumber number = 0; number < rule.hosts->size(); ++number)
    if ((*rule.hosts)[number] && ++count <= kMostHostNames)
      words += (words.empty() ? "" : ",") + rules.hosts[number].name;
  return count > kMostHostNames ? words + ",..." : words;
}

// JL/U is the row's of the host in lsb.hosts; what is for each processor says so.
std::string most_words(const SchedulingRules& rules, const LimitRule& rule, HostNumber host) {
  if (rule.of_host_row && host != kNoHost) {
    const BatchRow* const row = rules.row_of(rules.hosts[host].name, "", "");
    return row != nullptr && row->user_slots ? std::to_string(*row->user_slots) : "-";
  }
  if (rule.amounts.empty()) return "-";
  return amount_words(rule.amounts.front()) + (rule.per_processor ? "*CPUS" : "");
}

LimitRow limit_row(const SchedulingRules& rules, const LimitRule& rule, const Counted& who,
                   std::optional<double> taken) {
  LimitRow row;
  row.set_name(rule.name);
  row.add_consumers("USERS " + names_or(who.user, rule.users));
  row.add_consumers("QUEUES " + names_or(who.queue, rule.queues));
  row.add_consumers("HOSTS " + hosts_of_limit(rules, rule, who.host));
  row.add_consumers("PROJECTS " + names_or(who.project, rule.projects));
  const std::string most = most_words(rules, rule, who.host);
  (*row.mutable_used())[kind_of(rules, rule)] = taken ? taken_words(*taken) + "/" + most : most;
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
    for (std::size_t place = 0; place < rules_.limits.size(); ++place)
      if ((ask_.configured() || (ask_.unused_too() && used_.count(place) == 0)) && meant(place, {}))
        rows_.push_back(limit_row(rules_, rules_.limits[place], {},
                                  ask_.configured() ? std::nullopt : std::optional(0.0)));
    return std::move(rows_);
  }

 private:
  void add_taken() {
    const auto& tallies = view_.snapshot.tallies();
    const std::map<std::string, TallyNumber> sorted(tallies.numbers.begin(), tallies.numbers.end());
    for (const auto& [name, number] : sorted) {
      const auto parts = name_parts(name);
      const std::size_t place = std::stoul(parts[0]);
      if (place >= rules_.limits.size()) continue;
      Counted who{parts[1], parts[2], parts[3], kNoHost};
      if (!rules_.limits[place].per_host) {
        add_row(place, who, tallies.taken[number]);
        continue;
      }
      for (who.host = 0; who.host < rules_.hosts.size(); ++who.host)
        if (const auto there = tallies.taken_on.find(on_host(number, who.host));
            there != tallies.taken_on.end())
          add_row(place, who, there->second);
    }
  }
  void add_row(std::size_t place, const Counted& who, double taken) {
    if (taken <= 0) return;
    used_.insert(place);
    if (meant(place, who)) rows_.push_back(limit_row(rules_, rules_.limits[place], who, taken));
  }
  bool meant(std::size_t place, const Counted& who) const {
    const LimitRule& rule = rules_.limits[place];
    if (!ask_.name().empty() && rule.name != ask_.name()) return false;
    if (host_ && who.host != kNoHost && who.host != *host_) return false;
    if (host_ && rule.hosts && !(*rule.hosts)[*host_]) return false;
    return fits(ask_.user(), who.user) && fits(ask_.queue(), who.queue) && fits(ask_.project(), who.project);
  }

  const AnswerView& view_;
  const SchedulingRules& rules_;
  const wire::AskLimits& ask_;
  std::optional<HostNumber> host_;
  std::set<std::size_t> used_;
  std::vector<LimitRow> rows_;
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

}  // namespace rollcall::sched
