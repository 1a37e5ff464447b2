// The Book: which jobs a request means.
#include <algorithm>

#include "sched/policy/book_memory.hpp"

namespace rollcall::sched {
namespace {

bool meets_range(const wire::IndexRange& range, std::int32_t index) {
  return index >= range.first() && index <= range.last() &&
         (index - range.first()) % std::max(1, range.step()) == 0;
}

std::string ranges_text(const wire::IndexList& list) {
  std::string text = std::to_string(list.id()) + "[";
  for (const auto& range : list.indices()) {
    if (text.back() != '[') text += ",";
    text += std::to_string(range.first());
    if (range.last() != range.first()) text += "-" + std::to_string(range.last());
    if (range.step() > 1) text += ":" + std::to_string(range.step());
  }
  return text + "]";
}

class Selecting {
 public:
  Selecting(const Book::Memory& memory, const wire::JobFilter& filter, const Identity& who)
      : m_(memory), filter_(filter), who_(who) {}

  Book::Selection select() {
    if (!understand()) return std::move(result_);
    if (by_id())
      add_ids();
    else
      for (const JobKey key : smallest()) add(key);
    std::sort(result_.jobs.begin(), result_.jobs.end());
    result_.jobs.erase(std::unique(result_.jobs.begin(), result_.jobs.end()), result_.jobs.end());
    return std::move(result_);
  }

 private:
  bool by_id() const { return filter_.keys_size() > 0 || filter_.index_lists_size() > 0; }

  // Users, queues and hosts by name; false: there is no such thing.
  bool understand() {
    const std::string& user = filter_.user();
    if (user.empty())
      all_users_ = by_id();  // ids are of anybody; without them it is the caller
    else if (user == "all")
      all_users_ = true;
    one_user_ = user.empty() ? who_.user : user;
    if (!user.empty() && !all_users_ && m_.users.count(user) == 0)
      in_group_ = in_user_group(m_.config, user, "").has_value();
    if (!filter_.queue().empty() && !m_.queue_row(filter_.queue()) && m_.queues.count(filter_.queue()) == 0)
      return no(Refusal::NO_QUEUE, filter_.queue() + ": No such queue");
    if (filter_.host().empty()) return true;
    auto hosts = hosts_named(m_.config, filter_.host());
    if (!hosts && m_.hosts.count(filter_.host()) == 0)
      return no(Refusal::NO_HOST, filter_.host() + ": No such host or host group");
    hosts_ = hosts ? std::move(*hosts) : std::vector<std::string>{filter_.host()};
    return true;
  }
  bool no(Refusal::Why why, std::string text) {
    result_.refusal = refusal(why, std::move(text));
    return false;
  }

  void add_ids() {
    for (const auto& wire_key : filter_.keys()) {
      const JobKey key = key_of(wire_key);
      const auto id = m_.ids.find(key.id);
      if (id == m_.ids.end() || (key.index != 0 && !m_.find(key))) {
        result_.unknown.push_back(text(key));
      } else if (key.index != 0) {
        add(key);
      } else {
        for (const std::int32_t index : id->second.indices) add({key.id, index});
      }
    }
    for (const auto& list : filter_.index_lists()) add_list(list);
  }
  void add_list(const wire::IndexList& list) {
    const auto id = m_.ids.find(list.id());
    bool any = false;
    if (id != m_.ids.end())
      for (const std::int32_t index : id->second.indices)
        if (std::any_of(list.indices().begin(), list.indices().end(),
                        [index](const auto& range) { return meets_range(range, index); })) {
          any = true;
          add({list.id(), index});
        }
    if (!any) result_.unknown.push_back(ranges_text(list));
  }

  // The index with the fewest jobs that has all that can be meant.
  std::vector<JobKey> smallest() const {
    std::vector<const std::set<JobKey>*> parts;  // of the best index; together they have all
    std::size_t best = static_cast<std::size_t>(-1);
    const auto offer = [&](std::vector<const std::set<JobKey>*> sets) {
      std::size_t size = 0;
      for (const auto* set : sets) size += set->size();
      if (size >= best) return;
      best = size;
      parts = std::move(sets);
    };
    const auto in = [](const auto& index, const std::string& name) {
      std::vector<const std::set<JobKey>*> sets;
      if (const auto found = index.find(name); found != index.end()) sets.push_back(&found->second.jobs);
      return sets;
    };
    if (!all_users_ && !in_group_) offer(in(m_.users, one_user_));
    if (!filter_.queue().empty()) offer(in(m_.queues, filter_.queue()));
    if (!filter_.job_name().empty() && filter_.job_name().find('*') == std::string::npos) return named();
    std::vector<const std::set<JobKey>*> of_status;
    for (const auto& [status, jobs] : m_.by_status)
      if (status_meant(status)) of_status.push_back(&jobs);
    offer(std::move(of_status));
    std::vector<JobKey> keys;
    for (const auto* set : parts) keys.insert(keys.end(), set->begin(), set->end());
    return keys;
  }
  std::vector<JobKey> named() const {
    std::vector<JobKey> keys;
    const auto same = m_.by_name.find(filter_.job_name());
    if (same == m_.by_name.end()) return keys;
    for (const std::int32_t id : same->second)
      for (const std::int32_t index : m_.ids.at(id).indices) keys.push_back({id, index});
    return keys;
  }

  bool status_meant(wire::JobStatus status) const {
    const auto& wanted = filter_.statuses();
    if (!wanted.empty()) return std::find(wanted.begin(), wanted.end(), status) != wanted.end();
    return by_id() || filter_.finished_too() || !finished(status);
  }

  bool user_meant(const std::string& user) const {
    if (all_users_ || user == one_user_) return true;
    return in_group_ && in_user_group(m_.config, one_user_, user).value_or(false);
  }

  void add(JobKey key) {
    const Job& job = *m_.find(key);
    const wire::Submission& asked = *job.asked;
    const wire::JobRecord& record = job.record;
    if (!status_meant(record.status()) || !user_meant(asked.user())) return;
    if (!filter_.queue().empty() && record.queue() != filter_.queue()) return;
    if (!filter_.host().empty() && !on_meant_host(record)) return;
    if (!filter_.job_name().empty() && !glob_matches(filter_.job_name(), asked.job_name())) return;
    if (!filter_.project().empty() && asked.project() != filter_.project()) return;
    if (!filter_.job_group().empty() && asked.job_group() != filter_.job_group()) return;
    if (!filter_.application().empty() && asked.application() != filter_.application()) return;
    if (!filter_.service_class().empty() && asked.service_class() != filter_.service_class()) return;
    if (!filter_.description().empty() && !glob_matches(filter_.description(), asked.description())) return;
    if (!filter_.user_group().empty() && asked.user_group() != filter_.user_group()) return;
    result_.jobs.push_back(key);
  }
  bool on_meant_host(const wire::JobRecord& record) const {
    return std::any_of(record.hosts().begin(), record.hosts().end(), [this](const wire::ExecHost& host) {
      return std::find(hosts_.begin(), hosts_.end(), host.name()) != hosts_.end();
    });
  }

  const Book::Memory& m_;
  const wire::JobFilter& filter_;
  const Identity& who_;
  bool all_users_ = false;
  bool in_group_ = false;
  std::string one_user_;  // or a group
  std::vector<std::string> hosts_;
  Book::Selection result_;
};

}  // namespace

Book::Selection Book::select(const wire::JobFilter& filter, const Identity& who) const {
  return Selecting(*memory_, filter, who).select();
}

}  // namespace rollcall::sched
