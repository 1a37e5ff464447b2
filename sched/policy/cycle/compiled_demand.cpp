#include "sched/policy/cycle/compiled_demand.hpp"

#include <algorithm>

#include "sched/policy/values/resreq_syntax.hpp"

namespace rollcall::sched::cycle {
namespace {

// The resources that an expression names.
class NamedIndices {
 public:
  NamedIndices(const IndexTable& indices, std::set<ResourceId>& named) : indices_(indices), named_(named) {}
  void operator()(const resreq::Number&) const {}
  void operator()(const resreq::Text&) const {}
  void operator()(const resreq::Name& name) const { note(name.value); }
  void operator()(const resreq::Defined& defined) const { note(defined.name); }
  void operator()(const resreq::Unary& unary) const { std::visit(*this, unary.operand->node); }
  void operator()(const resreq::Chain& chain) const {
    std::visit(*this, chain.first->node);
    for (const auto& link : chain.rest) std::visit(*this, link.operand->node);
  }

 private:
  void note(const std::string& name) const {
    if (const auto id = indices_.find(name)) named_.insert(*id);
  }
  const IndexTable& indices_;
  std::set<ResourceId>& named_;
};

// Returns the object kept under `name`; without one, keeps and returns what make() returns.
template <class T, class Make>
std::shared_ptr<const T> shared_one(std::unordered_map<std::string, std::weak_ptr<const T>>& known,
                                    const std::string& name, const Make& make) {
  auto& place = known[name];
  auto one = place.lock();
  if (!one) place = one = make();
  return one;
}

std::string text_of(const std::vector<conf::HostItem>& items) {
  std::string text;
  for (const auto& item : items)
    text += conf::name_of(item) + (item.first_execution ? "!" : "") +
            (item.preference ? "+" + std::to_string(item.preference) : "") + " ";
  return text;
}

}  // namespace

std::shared_ptr<const std::string> effective_text(const Compiled& compiled, const Alternative& chosen) {
  if (!compiled.requirement) return compiled.text;
  if (chosen.text) return chosen.text;
  const resreq::ResReq& all = *compiled.requirement;
  const auto number = static_cast<std::size_t>(&chosen - compiled.alternatives.data());
  // Member by member: a copy of the whole would copy every alternative, and there may be thousands.
  resreq::ResReq one{.select = all.select,
                     .order = all.order,
                     .span = all.span,
                     .same = all.same,
                     .cu = all.cu,
                     .affinity = all.affinity};
  one.rusage.emplace().alternatives = {all.rusage->alternatives[number]};
  return chosen.text = std::make_shared<const std::string>(resreq::print(one));
}

std::shared_ptr<const Select> DemandCompiler::select_of(const resreq::ExpressionPointer& select,
                                                        const Demand& demand, std::string& error) {
  const std::string text = select ? resreq::print(*select) : "";
  const std::string name = text + '\0' + demand.from_type + '\0' + demand.from_model;
  return shared_one(selects_, name, [&] {
    auto made = std::make_shared<Select>();
    if (select) std::visit(NamedIndices(rules_->indices(), made->named), select->node);
    resreq::BindContext context;
    context.indices = &rules_->indices();
    context.local_type = demand.from_type;
    context.local_model = demand.from_model;
    context.official_host = [this](std::string_view word) { return rules_->cluster->names.official(word); };
    const auto bound = resreq::bind(select, context);
    if (bound.select) {
      made->bound = *bound.select;
      made->sieve = sieve_of(select, context, *rules_);
    } else {
      error = bound.error->text;
    }
    return bound.select ? made : nullptr;
  });
}

void DemandCompiler::take_rules(const PlacementRules& rules) {
  if (rules.shared_resources != rules_->shared_resources) selects_.clear();  // sieves differ
  rules_ = &rules;
  host_lists_.clear();
}

std::vector<conf::HostItem> with_all_of_exclusions(std::vector<conf::HostItem> asked) {
  const auto plain = [](const conf::HostItem& item) { return !item.excluded; };
  if (std::none_of(asked.begin(), asked.end(), plain)) {
    asked.push_back({.name = "all"});
    asked.push_back({.name = "allremote"});
  }
  return asked;
}

std::shared_ptr<const HostList> DemandCompiler::hosts_of(const Demand& demand, const Compiled& compiled) {
  if (compiled.queue == kNoQueue) return nullptr;
  const QueueRule& queue = rules_->queues[compiled.queue];
  if (demand.asked_hosts.empty() && !queue.hosts) return nullptr;
  const bool serial = !rules_->serial_only.empty() && parallel(demand);
  const std::string name =
      text_of(demand.asked_hosts) + '\0' + (queue.hosts ? queue.name : "") + (serial ? " serial" : "");
  return shared_one(host_lists_, name, [&] {
    auto made = std::make_shared<HostList>();
    const std::size_t count = rules_->hosts.size();
    made->asked.assign(count, demand.asked_hosts.empty());
    made->in.assign(count, false);
    std::vector<HostPreference> of_queue(count);
    std::vector<std::uint8_t> in_queue(count, false);
    if (!queue.hosts) std::fill_n(in_queue.begin(), rules_->own_hosts, true);
    if (serial) made->serial.assign(count, false);
    if (queue.hosts)
      for (const HostPreference& host : *queue.hosts) in_queue[host.host] = true, of_queue[host.host] = host;
    const auto take = [&](HostPreference host) {
      made->asked[host.host] = true;
      if (!in_queue[host.host]) return;
      if (serial && rules_->serial_only[host.host]) return void(made->serial[host.host] = true);
      made->in[host.host] = true;
      if (host.first_execution) made->first.resize(count), made->first[host.host] = true;
      made->hosts.push_back(host);
    };
    // Preferences of bsub -m replace those of the queue's HOSTS.
    if (demand.asked_hosts.empty()) {
      for (const HostPreference& host : *queue.hosts) take(host);
    } else {
      for (const HostPreference& host : rules_->resolve(with_all_of_exclusions(demand.asked_hosts)))
        take(host);
    }
    return made;
  });
}

std::shared_ptr<const Order> DemandCompiler::order_of(const std::vector<resreq::OrderKey>& keys,
                                                      std::string& error) {
  return shared_one(orders_, resreq::print(keys), [&]() -> std::shared_ptr<const Order> {
    const auto bound = resreq::bind_order(keys, rules_->indices());
    if (bound.error) {
      error = bound.error->text;
      return nullptr;
    }
    return std::make_shared<Order>(Order{bound.order});
  });
}

void DemandCompiler::add_alternatives(const resreq::ResReq& resreq, const Demand& demand,
                                      Compiled& compiled) const {
  const auto per_task = demand.gpus_per_task ? rules_->gpus : std::nullopt;
  const auto add = [&](const resreq::UsageAlternative& rusage) {
    Alternative alternative;
    for (const auto& string : rusage.strings)
      for (const auto& usage : string.usages) {
        const auto id = rules_->indices().find(usage.name);
        if (!id) {
          compiled.error = "found " + usage.name + " in rusage, expected a resource of this cluster";
          return;
        }
        const bool grows = rules_->indices().at(*id).order == ResourceOrder::increasing;
        const double amount = usage.value ? usage.value->value : 0;  // no value: no amount is reserved
        if (amount > 0)
          alternative.takes.push_back({*id,
                                       id == per_task ? PlacementRules::Per::slot : rules_->reserves[*id],
                                       amount, string.duration.value_or(0), string.decay.value_or(false),
                                       rules_->shared_resource(*id), !grows});
      }
    compiled.alternatives.push_back(std::move(alternative));
  };
  if (resreq.rusage && resreq.rusage->alternatives.size() > 1)
    compiled.requirement = std::make_shared<const resreq::ResReq>(resreq);
  else
    compiled.text = std::make_shared<const std::string>(resreq::print(resreq));
  if (!resreq.rusage) return add({});
  for (const auto& rusage : resreq.rusage->alternatives) add(rusage);
}

std::shared_ptr<const Compiled> DemandCompiler::compile(const Demand& demand, Tallies& tallies) {
  auto compiled = std::make_shared<Compiled>();
  const auto queue = rules_->queue(demand.queue);
  const auto parsed = resreq::parse(demand.resreq, resreq_syntax(rules_->cluster->settings));
  compiled->charges = tallies.charges(*rules_, demand);
  compiled->fewest_victims = rules_->preempt_for(demand.application).optimal_mini_job;
  if (!queue) {
    compiled->error = "queue " + demand.queue + " is not in lsb.queues any more";
    return compiled;
  }
  compiled->queue = *queue;
  if (parsed.error) {
    compiled->error = parsed.error->text;
    return compiled;
  }
  const QueueRule& rule = rules_->queues[*queue];
  std::string of_queue;
  compiled->select = select_of(parsed.value.select, demand, compiled->error);
  if (rule.select) compiled->queue_select = select_of(rule.select, demand, of_queue);
  compiled->order = order_of(parsed.value.order, compiled->error);
  if (!demand.whole_hosts) compiled->span = parsed.value.span;
  for (const auto& key : parsed.value.same) {
    const auto id = rules_->indices().find(key.name);
    if (!id && compiled->error.empty())
      compiled->error = "found " + key.name + " in same, expected a resource of this cluster";
    if (id) compiled->same.push_back(*id);
  }
  add_alternatives(parsed.value, demand, *compiled);
  compiled->application_gone =
      !demand.application.empty() && rules_->lsb->application(demand.application) == nullptr;
  if (compiled->application_gone)
    compiled->error = "application profile " + demand.application + " is not in lsb.applications any more";
  if (demand.exclusive && !rule.exclusive)
    compiled->error = "queue " + demand.queue + " takes no " +
                      (demand.whole_hosts ? "jobs of bsub -nnodes" : "exclusive jobs");
  return compiled;
}

void DemandCompiler::trim() {
  const auto unused = [](const auto& entry) { return entry.second.expired(); };
  std::erase_if(selects_, unused);
  std::erase_if(host_lists_, unused);
  std::erase_if(orders_, unused);
}

}  // namespace rollcall::sched::cycle
