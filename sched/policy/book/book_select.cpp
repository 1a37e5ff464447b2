// The Book: selects the jobs that a request means, all at once or in pieces, in the order of their keys.
#include <algorithm>
#include <limits>
#include <utility>

#include "common/base/glob.hpp"
#include "sched/policy/book/book_memory.hpp"
#include "sched/policy/values/meant_name.hpp"

namespace rollcall::sched::book {
namespace {

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

// "12@west", "12[1-5]@west".
std::string text_elsewhere(const wire::IndexList& list) {
  return (list.indices_size() == 0 ? std::to_string(list.id()) : ranges_text(list)) + "@" + list.cluster();
}

}  // namespace

// How far a selection has come, and what its filter means.
struct SelectWork {
  // Of one id: the elements that were named.
  struct Wanted {
    bool all = false;
    std::set<std::int32_t> single;
    std::vector<wire::IndexRange> ranges;       // after settle(): only those with a step
    std::map<std::int32_t, std::int32_t> runs;  // ranges without a step: first to last index, disjoint

    // Merges ranges that touch, so that next() is fast however many ranges there are.
    void settle() {
      std::sort(ranges.begin(), ranges.end(),
                [](const auto& a, const auto& b) { return a.first() < b.first(); });
      std::erase_if(ranges, [this](const wire::IndexRange& range) {
        if (range.step() > 1 || range.first() < 0 || range.last() < range.first()) return false;
        if (auto last = runs.rbegin(); last != runs.rend() && last->second >= range.first())
          last->second = std::max(last->second, range.last());
        else
          runs.emplace(range.first(), range.last());
        return true;
      });
    }

    // The first wanted index from `from` on.
    std::optional<std::int32_t> next(std::int32_t from) const {
      if (all) return from;
      std::optional<std::int32_t> least;
      const auto offer = [&least](std::int32_t index) { least = std::min(least.value_or(index), index); };
      if (const auto one = single.lower_bound(from); one != single.end()) offer(*one);
      const auto later = runs.upper_bound(from);
      if (later != runs.end()) offer(later->first);
      if (later != runs.begin() && std::prev(later)->second >= from) offer(from);
      for (const auto& range : ranges) {
        const std::int64_t step = std::max(1, range.step());
        const std::int64_t ahead = std::int64_t{from} - range.first();
        const std::int64_t steps = ahead <= 0 ? 0 : (ahead + step - 1) / step;
        const std::int64_t index = range.first() + steps * step;
        if (index <= range.last()) offer(static_cast<std::int32_t>(index));
      }
      return least;
    }
    // The first wanted one of `indices` from `from` on; end(): there is none.
    std::vector<std::int32_t>::const_iterator first(const std::vector<std::int32_t>& indices,
                                                    std::int32_t from) const {
      for (;;) {
        const auto wanted = next(from);
        if (!wanted) return indices.end();
        const auto found = std::lower_bound(indices.begin(), indices.end(), *wanted);
        if (found == indices.end() || *found == *wanted) return found;
        if (next(*found) == *found) return found;
        from = *found;
      }
    }
  };

  wire::JobFilter filter;
  MeantName name;
  Identity who;
  Selects what = Selects::jobs;
  bool all_users = false, in_group = false;
  std::string one_user;            // or a group
  std::vector<std::string> hosts;  // if the filter names a host or a group
  HostId elsewhere;                // if it names another cluster, or a host of one
  std::map<std::int32_t, Wanted> ids;
  std::vector<std::int32_t> order;  // the keys of `ids` as they were given
  std::size_t at = 0;               // in `order`: that of `after`
  Selection first;                  // `unknown` and `refusal`, until the first piece takes them
  JobKey after{0, 0}, until{};      // the last key looked at; the largest that there was at the beginning
  bool over = false;

  bool by_id() const {
    return filter.keys_size() > 0 || filter.index_lists_size() > 0 || filter.of_clusters_size() > 0;
  }
};

namespace {

using Wanted = SelectWork::Wanted;

class Selecting {
 public:
  Selecting(const Memory& memory, SelectWork& work) : m_(memory), w_(work), filter_(work.filter) {}

  void begin() {
    if (!m_.ids.empty()) w_.until = {m_.ids.rbegin()->first, kLargest};
    w_.over = !understand();
    if (!w_.over && w_.by_id()) note_ids();
  }

  // Answers a filter of user, queue and status alone; none: the jobs themselves have to be looked at.
  std::optional<SlotSums> sums() const {
    if (asks_for_details() || w_.by_id()) return std::nullopt;
    SlotSums sums;
    const auto add_user = [&](const JobsOf& user) {
      for (const auto& [of, count] : user.sums) {
        const auto& [queue, status] = of;
        if (!status_meant(status) || (!filter_.queue().empty() && queue != filter_.queue())) continue;
        sums[status].slots += count.slots;
        sums[status].forwarded += count.forwarded;
        sums[status].jobs += count.jobs;
      }
    };
    if (!w_.all_users && !w_.in_group) {
      if (const auto user = m_.users.find(w_.one_user); user != m_.users.end()) add_user(user->second);
      return sums;
    }
    for (const auto& [name, user] : m_.users)
      if (user_meant(name)) add_user(user);
    return sums;
  }

  void some(std::size_t most, std::vector<JobKey>& jobs) {
    std::vector<JobKey> keys = candidates(most);
    w_.over = keys.size() < most;
    for (const JobKey key : keys) {
      if (passed(key)) continue;  // an element of an array that is already represented
      while (w_.by_id() && w_.order[w_.at] != key.id) ++w_.at;
      w_.after = key;
      const bool arrays = w_.what == Selects::arrays;
      if ((arrays && key.index == 0) || !fits(key)) continue;
      jobs.push_back(key);
      if (arrays) w_.after.index = kLargest;
    }
  }

 private:
  static constexpr std::int32_t kLargest = std::numeric_limits<std::int32_t>::max();

  bool passed(JobKey key) const {
    return w_.by_id() ? key.id == w_.after.id && key.index <= w_.after.index : !(w_.after < key);
  }

  // Looks up the filter's users, queues and hosts; false: one does not exist, and `refusal` is set.
  bool understand() {
    const std::string& user = filter_.user();
    if (user.empty())
      w_.all_users = w_.by_id();  // ids may be of any user; without ids and user, the caller's jobs are meant
    else if (user == "all")
      w_.all_users = true;
    w_.one_user = user.empty() ? w_.who.user : user;
    if (!user.empty() && !w_.all_users && m_.users.count(user) == 0)
      w_.in_group = jobs::in_user_group(m_.config, user, "").has_value();
    if (!filter_.queue().empty() && !m_.queue_row(filter_.queue()) && m_.queues.count(filter_.queue()) == 0)
      return no(jobs::Refusal::NO_QUEUE, filter_.queue() + ": No such queue");
    if (!filter_.application().empty() && !known_application(filter_.application()))
      return no(jobs::Refusal::BAD_REQUEST, filter_.application() + ": No such application profile");
    if (!filter_.user_group().empty() && !known_group(filter_.user_group()))
      return no(jobs::Refusal::NO_USER, filter_.user_group() + ": No such user group");
    if (filter_.host().empty()) return true;
    auto hosts = jobs::hosts_named(m_.config, filter_.host());
    if (!hosts && filter_.host() == own_cluster()) hosts = jobs::hosts_named(m_.config, "all");
    w_.elsewhere = named_elsewhere(hosts.has_value());
    if (!hosts && w_.elsewhere.empty() && m_.hosts.find_jobs(filter_.host()) == nullptr)
      return no(jobs::Refusal::NO_HOST, filter_.host() + ": No such host or host group");
    w_.hosts = hosts ? std::move(*hosts) : std::vector<std::string>{filter_.host()};
    return true;
  }
  const std::string& own_cluster() const { return m_.config.cluster->cluster.name; }
  // "east", "all@east", "n2@east": a cluster of lsf.shared, where jobs of ours may be. Empty: the name is of none, or of a host here.
  HostId named_elsewhere(bool known_here) const {
    HostId host(filter_.host());
    if (host.ours() && known_here) return {};
    if (host.ours())
      host = HostId::whole_cluster(filter_.host());
    else if (host.host() == "all")
      host = HostId::whole_cluster(host.cluster());
    const auto& clusters = m_.config.cluster->shared.clusters;
    const bool known = std::any_of(clusters.begin(), clusters.end(), [&](const auto& cluster) {
      return cluster.name == host.cluster() && cluster.name != own_cluster();
    });
    return known ? host : HostId();
  }
  // Whether the profile is configured, or a job still has it.
  bool known_application(const std::string& name) const {
    const auto& all = m_.config.lsb->applications;
    return std::any_of(all.begin(), all.end(), [&](const auto& profile) { return profile.name == name; }) ||
           m_.of_application.count(name) != 0;
  }
  bool known_group(const std::string& name) const {
    const auto& groups = w_.who.groups;
    return jobs::in_user_group(m_.config, name, "").has_value() ||
           std::find(groups.begin(), groups.end(), name) != groups.end() ||
           submitted([&](const wire::Submission& asked) { return asked.user_group() == name; });
  }
  template <class Fits>
  bool submitted(const Fits& fits) const {
    return std::any_of(m_.submissions.begin(), m_.submissions.end(), [&](const auto& entry) {
      m_.pack_if_many();
      return fits(*m_.asked(entry.first));
    });
  }
  bool no(jobs::Refusal::Why why, std::string text) {
    w_.first.refusal = jobs::refusal(why, std::move(text));
    return false;
  }

  void note_ids() {
    for (const auto& wire_key : filter_.keys()) {
      const JobKey key = key_of(wire_key);
      if (key.id < 0 && filter_.of_clusters_size() > 0) continue;  // batch.proto
      if (m_.ids.count(key.id) == 0 || (key.index != 0 && !m_.find(key)))
        w_.first.unknown.push_back(text(key));
      else if (key.index != 0)
        named(key.id).single.insert(key.index);
      else
        named(key.id).all = true;
    }
    for (const auto& list : filter_.index_lists()) note_list(list);
    for (const auto& list : filter_.of_clusters()) {
      if (list.cluster() != own_cluster()) {
        note_elsewhere(list);
      } else if (list.indices_size() > 0) {
        note_list(list);
      } else if (m_.ids.count(list.id()) > 0) {
        named(list.id()).all = true;
      } else {
        w_.first.unknown.push_back(text_elsewhere(list));
      }
    }
    for (auto& [id, wanted] : w_.ids) wanted.settle();
  }
  Wanted& named(std::int32_t id) {
    const auto [place, added] = w_.ids.try_emplace(id);
    if (added) w_.order.push_back(id);
    return place->second;
  }
  void note_list(const wire::IndexList& list) {
    Wanted wanted;
    wanted.ranges.assign(list.indices().begin(), list.indices().end());
    const auto id = m_.ids.find(list.id());
    if (id == m_.ids.end() || wanted.first(id->second.indices, 0) == id->second.indices.end()) {
      w_.first.unknown.push_back(ranges_text(list));
      return;
    }
    auto& ranges = named(list.id()).ranges;
    ranges.insert(ranges.end(), wanted.ranges.begin(), wanted.ranges.end());
  }

  // The jobs here of jobs of another cluster, by their ids there. Of several attempts of one job the last one is meant.
  void note_elsewhere(const wire::IndexList& list) {
    Wanted wanted;
    wanted.all = list.indices_size() == 0;
    wanted.ranges.assign(list.indices().begin(), list.indices().end());
    wanted.settle();
    const auto meant = [&](const ForeignAttempt& foreign) {
      return foreign.cluster == list.cluster() && foreign.attempt.job.id == list.id();
    };
    bool found = false;
    for (auto one = m_.foreign.lower_bound({list.cluster(), {{list.id(), 0}, 0}});
         one != m_.foreign.end() && meant(one->first); ++one) {
      const JobKey job = one->first.attempt.job;
      const auto next = std::next(one);
      if (next != m_.foreign.end() && meant(next->first) && next->first.attempt.job == job) continue;
      if (wanted.next(job.index) != job.index) continue;
      named(one->second.id).all = true;  // no element of an array: each is a job of its own here
      found = true;
    }
    if (!found) w_.first.unknown.push_back(text_elsewhere(list));
  }

  // The next keys that may fit, up to `most`; fewer: there are no more.
  std::vector<JobKey> candidates(std::size_t most) const {
    std::vector<JobKey> keys;
    if (w_.by_id()) {
      for (std::size_t at = w_.at; at < w_.order.size() && keys.size() < most; ++at)
        add_elements(w_.order[at], w_.ids.at(w_.order[at]), most, keys);
      return keys;
    }
    if (w_.name.is_plain()) {
      static const Wanted everything{true, {}, {}, {}};
      const auto same = m_.by_name.find(w_.name.name());
      if (same == m_.by_name.end()) return keys;
      for (auto id = same->second.lower_bound(w_.after.id);
           id != same->second.end() && *id <= w_.until.id && keys.size() < most; ++id)
        add_elements(*id, everything, most, keys);
      return keys;
    }
    const auto sets = smallest();
    for (const auto* set : sets) {
      std::size_t taken = 0;
      for (auto key = set->upper_bound(w_.after); key != set->end() && !(w_.until < *key) && taken < most;
           ++key, ++taken)
        keys.push_back(*key);
    }
    if (sets.size() > 1) std::sort(keys.begin(), keys.end());
    if (keys.size() > most) keys.resize(most);
    return keys;
  }
  void add_elements(std::int32_t id, const Wanted& wanted, std::size_t most,
                    std::vector<JobKey>& keys) const {
    const auto entry = m_.ids.find(id);
    if (entry == m_.ids.end()) return;  // the job is gone meanwhile
    const auto& indices = entry->second.indices;
    if (id == w_.after.id && w_.after.index == kLargest) return;
    auto at = wanted.first(indices, id == w_.after.id ? w_.after.index + 1 : 0);
    for (; at != indices.end() && keys.size() < most; at = wanted.first(indices, *at + 1))
      keys.push_back({id, *at});
  }

  // The sets of the smallest index that contains all jobs the filter may mean.
  std::vector<const std::set<JobKey>*> smallest() const {
    std::vector<const std::set<JobKey>*> parts;
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
    if (!w_.all_users && !w_.in_group) offer(in(m_.users, w_.one_user));
    if (!filter_.queue().empty()) offer(in(m_.queues, filter_.queue()));
    std::vector<const std::set<JobKey>*> of_status;
    for (const auto& [status, jobs] : m_.by_status)
      if (status_meant(status) || (status == wire::STATUS_RUN && status_meant(wire::STATUS_PEND)))
        of_status.push_back(&jobs);
    offer(std::move(of_status));
    return parts;
  }

  bool status_meant(wire::JobStatus status) const {
    const auto& wanted = filter_.statuses();
    if (!wanted.empty()) return std::find(wanted.begin(), wanted.end(), status) != wanted.end();
    return w_.by_id() || filter_.finished_too() || !finished(status);
  }

  bool user_meant(const std::string& user) const {
    if (w_.all_users || user == w_.one_user) return true;
    return w_.in_group && jobs::in_user_group(m_.config, w_.one_user, user).value_or(false);
  }

  // Whether the filter names more than user, queue and status; only these are known without the job itself.
  bool asks_for_details() const {
    for (const auto* word :
         {&filter_.host(), &filter_.job_name(), &filter_.project(), &filter_.job_group(),
          &filter_.application(), &filter_.user_group(), &filter_.service_class(), &filter_.description()})
      if (!word->empty()) return true;
    return false;
  }
  bool fits(JobKey key) const {
    const BookEntry& entry = m_.jobs.at(key);
    if (!status_meant(entry.shown) || !w_.name.fits_element(key.index)) return false;
    if (!w_.all_users && !user_meant(*m_.ids.at(key.id).user)) return false;
    if (!filter_.queue().empty() && entry.queue != queue_meant()) return false;
    if (!asks_for_details()) return true;
    m_.pack_if_many();
    return fits(m_.unpacked(entry));
  }
  const JobsOf* queue_meant() const {
    const auto queue = m_.queues.find(filter_.queue());
    return queue == m_.queues.end() ? nullptr : &queue->second;
  }
  bool fits(const Job& job) const {
    const wire::Submission& asked = *job.asked;
    const wire::JobRecord& record = job.record;
    const auto same = [](const std::string& wanted, const std::string& has) {
      return wanted.empty() || wanted == has;
    };
    const auto like = [](const std::string& wanted, const std::string& has) {
      return wanted.empty() || glob_matches(wanted, has);
    };
    return status_meant(shown_status(record)) && user_meant(asked.user()) &&
           same(filter_.queue(), record.queue()) && (filter_.host().empty() || on_meant_host(record)) &&
           w_.name.fits(asked.job_name()) && same(filter_.project(), asked.project()) &&
           same(filter_.job_group(), asked.job_group()) && same(filter_.application(), asked.application()) &&
           same(filter_.service_class(), asked.service_class()) &&
           like(filter_.description(), asked.description()) && same(filter_.user_group(), asked.user_group());
  }
  // In another cluster, or on a host of it that a lease lends us.
  bool is_elsewhere_meant(const wire::JobRecord& record) const {
    const auto meant = [this](const HostId& host) {
      return host.cluster() == w_.elsewhere.cluster() &&
             (w_.elsewhere.is_cluster() || host.host() == w_.elsewhere.host());
    };
    const auto& there = record.forwarded().there().hosts();
    return std::any_of(record.hosts().begin(), record.hosts().end(),
                       [&](const wire::ExecHost& host) { return meant(HostId(host.name())); }) ||
           (record.forwarded().cluster() == w_.elsewhere.cluster() &&
            std::any_of(there.begin(), there.end(),
                        [this](const wire::ExecHost& host) { return host.name() == w_.elsewhere.host(); }));
  }
  bool on_meant_host(const wire::JobRecord& record) const {
    if (!w_.elsewhere.empty()) return is_elsewhere_meant(record);
    return std::any_of(record.hosts().begin(), record.hosts().end(), [this](const wire::ExecHost& host) {
      return std::find(w_.hosts.begin(), w_.hosts.end(), host.name()) != w_.hosts.end();
    });
  }

  const Memory& m_;
  SelectWork& w_;
  const wire::JobFilter& filter_;
};

}  // namespace

std::shared_ptr<SelectWork> JobTable::begin_select(const wire::JobFilter& filter, const Identity& who,
                                                   Selects what) const {
  auto work = std::make_shared<SelectWork>();
  work->filter = filter;
  work->name = MeantName(filter.job_name());
  work->who = who;
  work->what = what;
  Selecting(*memory_, *work).begin();
  return work;
}

Selection JobTable::select_some(SelectWork& work, std::size_t most) const {
  Selection some = std::exchange(work.first, {});
  if (!work.over) Selecting(*memory_, work).some(most, some.jobs);
  some.last = work.over;
  return some;
}

std::optional<SlotSums> JobTable::slot_sums(SelectWork& work) const {
  if (work.over) return std::nullopt;
  return Selecting(*memory_, work).sums();
}

Selection JobTable::select(const wire::JobFilter& filter, const Identity& who) const {
  return select_some(*begin_select(filter, who), memory_->jobs.size() + 1);
}

}  // namespace rollcall::sched::book
