// The answer to lsload and lshosts of borrowed hosts: as LIM answers of hosts of ours, with the indices and the resources that this
// cluster's lsf.shared has. docs/decisions/0109.
#include <algorithm>
#include <memory>
#include <set>

#include "common/base/load_vector.hpp"
#include "common/wire/host_facts.hpp"
#include "sched/policy/answers/host_filter.hpp"

namespace rollcall::sched::answers {
namespace {

constexpr std::size_t kBorrowedOfPart = 200;  // about a millisecond's work
constexpr std::uint32_t kAgeUnknown = 4294967295U;

// The indices that lsload has columns for: those that hosts report for themselves.
std::vector<ResourceId> columns_of(const cycle::PlacementRules& rules) {
  std::vector<ResourceId> columns;
  for (ResourceId id = 0; id < rules.indices().size(); ++id) {
    const auto& definition = rules.indices().at(id);
    if (definition.dynamic() && definition.type != ResourceType::boolean && !rules.shared_resource(id))
      columns.push_back(id);
  }
  return columns;
}

void add_columns(const IndexTable& indices, const std::vector<ResourceId>& columns,
                 wire::Reply::Loads& loads) {
  for (const ResourceId id : columns) {
    const auto& definition = indices.at(id);
    loads.add_names(definition.name);
    loads.add_types(static_cast<std::uint32_t>(definition.type));
    loads.add_built_in(definition.built_in);
    loads.add_orders(static_cast<std::uint32_t>(definition.order));
  }
}

// What was not told in this connection is not known.
wire::Reply::Load load_of(const BorrowedLoad* told, const HostId& host, const IndexTable& indices,
                          const std::vector<ResourceId>& columns, WallTime now) {
  wire::Reply::Load load;
  load.set_host(host.text());
  if (told == nullptr) {
    load.mutable_status()->set_unavailable(true);
    return load;
  }
  *load.mutable_status() = told->status;
  const auto since = static_cast<std::uint64_t>(std::max<std::int64_t>(0, now.us - told->told.us) / 1000);
  for (std::size_t place = 0; place < columns.size(); ++place) {
    const std::string& name = indices.at(columns[place]).name;
    const auto value = told->host.numbers.find(name);
    load.add_values(value == told->host.numbers.end() ? kUnknownLoad : value->second);
    const auto age = told->age_ms.find(name);
    load.add_age_ms(age == told->age_ms.end() ? kAgeUnknown
                                              : static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                                    age->second + since, kAgeUnknown - 1)));
    if (std::find(told->beyond.begin(), told->beyond.end(), name) != told->beyond.end())
      load.add_beyond(static_cast<std::uint32_t>(place));
  }
  return load;
}

// The progress of one answer: its hosts, and how many of them are sent.
class BorrowedAnswer {
 public:
  BorrowedAnswer(const AnswerView& view, const wire::AskBorrowed& ask) : ask_(ask) {
    const auto& rules = view.snapshot.rules();
    chosen_.resize(rules.hosts.size());
    for (const auto& name : std::set<std::string>(ask.hosts().begin(), ask.hosts().end()))
      if (!add(rules, HostId(name)))
        refused_ = refused_answer(
            wire::BatchReply::Refusal::NO_HOST,
            name + ": no lease of this cluster has this host now; bhosts shows the borrowed hosts");
  }

  AnswerPart next(const AnswerView& view) {
    if (over_) return {};
    const HostFilter filter(view, ask_.resreq());
    if (!refused_) refused_ = filter.refused();
    if (refused_) return over_ = true, *refused_;
    auto part = AnswerPart::empty();
    auto& borrowed = *part->mutable_borrowed();
    if (ask_.facts())
      borrowed.set_hosts(facts(view, filter));
    else
      borrowed.set_loads(loads(view, filter));
    over_ = at_ == hosts_.size();
    part->set_last(over_);
    return part;
  }

 private:
  bool add(const cycle::PlacementRules& rules, const HostId& asked) {
    bool any = false;
    const auto choose = [&](HostNumber number) {
      if (!rules.borrowed(number) || rules.has_returned(number)) return;
      if (!chosen_[number]) hosts_.push_back(number);
      chosen_[number] = any = true;
    };
    if (const auto number = rules.host(asked)) choose(*number);
    if (asked.host() != "all" || asked.ours()) return any;
    for (HostNumber number = rules.own_hosts; number < rules.hosts.size(); ++number)
      if (rules.hosts[number].cluster() == asked.cluster()) choose(number);
    return any;
  }

  // Calls `take` with the next hosts that fit.
  template <class Take>
  void each(const AnswerView& view, const HostFilter& filter, const Take& take) {
    const auto& rules = view.snapshot.rules();
    for (std::size_t looked = 0; at_ < hosts_.size() && looked < kBorrowedOfPart; ++looked) {
      const HostNumber number = hosts_[at_++];
      if (filter.fits(number))
        take(rules.hosts[number], view.borrowed ? view.borrowed(rules.hosts[number]) : nullptr);
    }
  }

  std::string loads(const AnswerView& view, const HostFilter& filter) {
    const auto& rules = view.snapshot.rules();
    const auto columns = columns_of(rules);
    wire::Reply::Loads loads;
    if (at_ == 0) add_columns(rules.indices(), columns, loads);  // clients join the parts
    each(view, filter, [&](const HostId& host, const BorrowedLoad* told) {
      *loads.add_hosts() = load_of(told, host, rules.indices(), columns, view.now);
    });
    return loads.SerializeAsString();
  }

  std::string facts(const AnswerView& view, const HostFilter& filter) {
    wire::Reply::Hosts hosts;
    each(view, filter, [&](const HostId& host, const BorrowedLoad* told) {
      auto& facts = *hosts.add_hosts();
      if (told != nullptr) facts = wire::to_wire(told->host.facts);
      facts.set_name(host.text());
      hosts.add_up(told != nullptr && !told->status.unavailable());
    });
    return hosts.SerializeAsString();
  }

  const wire::AskBorrowed ask_;
  std::vector<HostNumber> hosts_;
  std::vector<bool> chosen_;  // by host number
  std::optional<wire::BatchReply> refused_;
  std::size_t at_ = 0;
  bool over_ = false;
};

}  // namespace

NextPart borrowed_answer(const AnswerView& view, const wire::AskBorrowed& ask) {
  return [state = std::make_shared<BorrowedAnswer>(view, ask)](const AnswerView& now) {
    return state->next(now);
  };
}

}  // namespace rollcall::sched::answers
