// LeaseIn: jobs with hosts of ours and borrowed ones: their parts at providers. docs/decisions/0106.
#include <algorithm>
#include <set>

#include "sched/mbatchd/borrowed_host.hpp"
#include "sched/mbatchd/forward_wire.hpp"
#include "sched/mbatchd/lease_in.hpp"
#include "sched/policy/cycle/lendable.hpp"
#include "sched/policy/peers/crossing.hpp"
#include "sched/policy/peers/forward_messages.hpp"
#include "sched/policy/peers/peer_sessions.hpp"
#include "sched/policy/peers/span_messages.hpp"
#include "sched/policy/values/spans.hpp"

namespace rollcall::mbatchd {
namespace {

namespace peers = sched::peers;
namespace report = sched::report;
using sched::Attempt;
using sched::HostId;
using sched::JobKey;

constexpr std::size_t kMostEnding = 50'000;  // parts of one provider and their hosts

// `host`: as the provider has it.
wire::ForwardAttempt part_named(const Attempt& attempt, const std::string& host) {
  wire::ForwardAttempt to = peers::attempt_of(attempt);
  to.set_lent_host(host);
  to.set_part(true);
  return to;
}

// The provider needs to know whose job it is, and what its tables show of it.
wire::Submission asked_of_part(const sched::Job& job, const std::vector<wire::ExecHost>& hosts) {
  const wire::Submission& asked = *job.asked;
  wire::Submission part;
  part.set_user(asked.user());
  part.set_command(asked.command());
  part.set_job_name(asked.job_name());
  part.set_project(asked.project());
  part.set_from_host(asked.from_host());
  part.set_cwd(asked.cwd());
  std::uint32_t slots = 0;
  for (const auto& host : hosts) slots += host.slots();
  part.set_min_slots(slots);
  part.set_max_slots(slots);
  return part;
}

}  // namespace

std::vector<wire::ExecHost> LeaseIn::part_at(const std::string& cluster, const Attempt& attempt) const {
  std::vector<wire::ExecHost> part;
  const sched::Job* job = jobs_.find(attempt.job);
  if (!job || job->record.attempt() != attempt.number || job->record.hosts().empty() ||
      sched::is_elsewhere(job->record) || provider_of(job->record.hosts(0).name()) == cluster)
    return part;
  for (const auto& host : job->record.hosts())
    if (provider_of(host.name()) == cluster) part.push_back(host);
  return part;
}

LeaseIn::Part LeaseIn::part_of(const std::vector<wire::ExecHost>& hosts,
                               std::map<std::string, double> reserved) {
  Part part{std::string(HostId(hosts.front().name()).host()), {}, std::move(reserved)};
  for (const auto& each : hosts)
    part.slots[std::string(HostId(each.name()).host())] = static_cast<int>(each.slots());
  return part;
}

bool LeaseIn::has_host(const std::string& cluster, const std::string& host) const {
  return lease_hosts_.contains({cluster, host}) || !jobs_.on_host(id_of(host, cluster)).empty();
}

bool LeaseIn::concerns_us(const std::string& cluster, const wire::ForwardAttempt& told) const {
  if (has_host(cluster, told.lent_host())) return true;
  const sched::Job* job = jobs_.find(sched::key_of(told.key()));
  return job && !peers::is_another(job, told) && job->record.attempt() == told.attempt() &&
         !job->record.hosts().empty() && job->record.hosts(0).name() == id_of(told.lent_host(), cluster);
}

std::optional<HostPlace> LeaseIn::place_of(const std::string& host) const {
  const HostId id(host);
  const auto peer = peers_.find(std::string(id.cluster()));
  if (peer == peers_.end()) return std::nullopt;
  const auto place = peer->second.places.find(std::string(id.host()));
  return place == peer->second.places.end() ? std::nullopt : std::optional(place->second);
}

std::optional<LeaseIn::NoPart> LeaseIn::why_no_part(const wire::JobSpan& span) const {
  std::set<std::string> names;
  for (const auto& place : span.places()) {
    const std::string id = place.cluster().empty() ? place.host() : id_of(place.host(), place.cluster());
    if (!names.insert(place.host()).second) return NoPart{id, "another host of the job has the same name"};
    if (place.addresses().empty() && !awaited(place))
      return NoPart{id,
                    "its RES is not connected, or of a release without jobs on hosts of several clusters"};
  }
  return std::nullopt;
}

bool LeaseIn::awaited(const wire::JobSpan::Place& place) const {
  if (place.cluster().empty()) return !hosts_.connected(place.host());
  const auto peer = peers_.find(place.cluster());
  return peer == peers_.end() || !peer->second.loads.contains(place.host());
}

// The part's hosts are one order, which its first host stands for.
void LeaseIn::expect(const std::string& host, const sched::order::Expect& order) {
  const std::string cluster = provider_of(host);
  const sched::Job* job = jobs_.find(order.attempt.job);
  if (!job || job->record.attempt() != order.attempt.number || job->record.hosts().empty()) return;
  const std::string& first = job->record.hosts(0).name();
  if (provider_of(first) == cluster) return;  // it is in the order that the first host gets
  if (stays_home(cluster, *job->asked))
    return handler_.told_soon(host, report::NotPrepared{order.attempt, sched::cycle::kOfRootWords});
  if (!HostId(first).ours())
    return handler_.told_soon(host, report::NotPrepared{order.attempt, kSeveralClusters});
  const auto part = part_at(cluster, order.attempt);
  if (!knows(cluster) || part.front().name() != host) return;  // ordered again when it connects
  if (!all_placeable(part))
    return handler_.told_soon(host, report::PartOver{order.attempt, "the lease has changed", true});
  const auto span = handler_.span_of(order.attempt);
  if (!span) return;
  if (auto none = why_no_part(*span))
    return handler_.told_soon(none->host, report::NotPrepared{order.attempt, std::move(none->why)});
  if (!sched::names_all_hosts(*span)) return handler_.awaits_span(host, order.attempt);
  if (!reserved_at(cluster, job->record))
    return handler_.told_soon(host, report::PartOver{order.attempt, "the lease has changed", true});
  offer_part(cluster, *job, part, order.limits, *span);
}

void LeaseIn::offer_part(const std::string& cluster, const sched::Job& job,
                         const std::vector<wire::ExecHost>& part, const wire::Limits& limits,
                         const wire::JobSpan& span) {
  const Attempt attempt{job.key(), job.record.attempt()};
  wire::PeerMessage message;
  auto& offer = *message.mutable_offer();
  *offer.mutable_attempt() = part_named(attempt, std::string(HostId(part.front().name()).host()));
  offer.mutable_attempt()->set_made(peers::made_of(job.record));
  *offer.mutable_asked() = asked_of_part(job, part);
  *offer.mutable_asked()->mutable_limits() = limits;
  peers::propose(peers::proposed(user_map_of(configuration_->files), cluster, job.asked->user()), offer);
  Start start;
  for (const auto& each : part) *offer.add_part() = slots_of(each, job.record.queue(), start);
  *offer.mutable_span() = sched::span_for(span, cluster);
  auto reserved = reserved_at(cluster, job.record).value_or(std::map<std::string, double>{});
  peers::set_reserved(reserved, offer);
  if (auto too_large = peers::too_large(message))
    return handler_.told_soon(part.front().name(), report::NotPrepared{attempt, std::move(*too_large)});
  parts_[{attempt, cluster}] = part_of(part, std::move(reserved));
  starts_[{cluster, attempt}] = std::move(start);
  handler_.say(cluster, std::move(message));
}

// Slots of a part that the Book has no use for count until its cluster says that it is over there.
void LeaseIn::touched(const std::set<JobKey>& jobs) {
  bool any = false;
  for (const JobKey key : jobs) {
    const sched::Job* job = jobs_.find(key);
    for (auto one = parts_.lower_bound({Attempt{key, 0}, {}});
         one != parts_.end() && one->first.first.job == key;) {
      const auto& [attempt, cluster] = one->first;
      if (job && sched::placed(job->status()) && job->record.attempt() == attempt.number) {
        ++one;
        continue;
      }
      end_part(cluster, attempt, std::move(one->second));
      one = parts_.erase(one);
      any = true;
    }
  }
  if (any) borrow_soon();
}

LeaseIn::Ending& LeaseIn::end_part(const std::string& cluster, const Attempt& attempt, Part part) {
  const auto [one, fresh] = ending_.try_emplace({cluster, attempt}, Ending{std::move(part)});
  if (!fresh) return one->second;
  endings_of_[cluster] += 1 + one->second.part.slots.size();
  for (const auto& [host, slots] : one->second.part.slots) ending_slots_[{cluster, host}] += slots;
  return one->second;
}

LeaseIn::Endings::iterator LeaseIn::erase_ending(Endings::iterator one) {
  for (const auto& [host, slots] : one->second.part.slots)
    if (const auto on = ending_slots_.find({one->first.first, host}); on != ending_slots_.end())
      if ((on->second -= slots) <= 0) ending_slots_.erase(on);
  auto& of_it = endings_of_[one->first.first];
  of_it -= 1 + one->second.part.slots.size();
  if (of_it == 0) endings_of_.erase(one->first.first);
  return ending_.erase(one);
}

void LeaseIn::erase_endings(const std::function<bool(const OfProvider&)>& which) {
  for (auto one = ending_.begin(); one != ending_.end();)
    one = which(one->first) ? erase_ending(one) : std::next(one);
}

// Once in a connection.
void LeaseIn::recall_part(const std::string& cluster, const Attempt& attempt, Ending& ending) {
  if (std::exchange(ending.asked, true)) return;
  wire::PeerMessage message = peers::recall_of(attempt);
  *message.mutable_recall()->mutable_attempt() = part_named(attempt, ending.part.host);
  ending.asked = handler_.say(cluster, std::move(message));
}

// The part may never have been. Its slots are then taken from the provider's own hosts, and the bound holds what is noted of such parts.
void LeaseIn::end_strange_part(const std::string& cluster, const wire::ForwardState& told,
                               const wire::JobElsewhere& there) {
  const Attempt attempt = peers::attempt_of(told.attempt());
  if (const auto known = ending_.find({cluster, attempt}); known != ending_.end())
    return recall_part(cluster, attempt, known->second);
  Part part{told.attempt().lent_host(), {}, {}};
  if (endings_of_.contains(cluster) && endings_of_.at(cluster) >= kMostEnding) {
    Ending unnoted{std::move(part)};
    return recall_part(cluster, attempt, unnoted);
  }
  for (const auto& host : there.hosts())
    if (has_host(cluster, host.name()))
      part.slots[host.name()] =
          static_cast<int>(std::min<std::uint32_t>(host.slots(), std::uint32_t{peers::kMostLeasedSlots}));
  recall_part(cluster, attempt, end_part(cluster, attempt, std::move(part)));
  borrow_soon();
}

void LeaseIn::take_part_state(const std::string& cluster, const wire::ForwardState& told,
                              const wire::JobElsewhere& there) {
  const Attempt attempt = peers::attempt_of(told.attempt());
  const sched::Job* job = jobs_.find(attempt.job);
  const auto part = part_at(cluster, attempt);
  if (!job || !sched::placed(job->status()) || part.empty()) return end_strange_part(cluster, told, there);
  parts_.try_emplace(
      {attempt, cluster},
      part_of(part, reserved_at(cluster, job->record).value_or(std::map<std::string, double>{})));
  // Copies: a report may change the job.
  const bool waits = !job->launch.go_given;
  if (there.signal_number() != 0)
    handler_.told(part.front().name(), report::CarriedOut{attempt, there.signal_number()});
  if (there.has_usage()) handler_.told(part.front().name(), report::Used{attempt, there.usage()});
  // Its slots are taken back: the job is requeued before its tasks there die, or its start is taken back.
  if (!told.prepared() && !there.why().empty())
    return handler_.told(part.front().name(), report::PartOver{attempt, there.why(), true});
  if (!told.prepared() || !waits) return;
  for (const auto& each : part) handler_.told(each.name(), report::Prepared{{attempt}});
}

void LeaseIn::take_part_over(const std::string& cluster, const wire::ForwardOver& told) {
  using Over = wire::ForwardOver;
  const Attempt attempt = peers::attempt_of(told.attempt());
  if (const auto ending = ending_.find({cluster, attempt}); ending != ending_.end()) erase_ending(ending);
  parts_.erase({attempt, cluster});
  acknowledge_end(cluster, told.attempt());
  const sched::Job* job = jobs_.find(attempt.job);
  const auto part = part_at(cluster, attempt);
  if (job && sched::placed(job->status()) && !part.empty()) {
    std::string why = told.why().empty() ? "the job's part in cluster " + cluster + " is over" : told.why();
    const bool recalled = told.how() == Over::STALE || told.how() == Over::WITHDRAWN;
    const std::string due_to = id_of(told.due_to_host(), cluster);
    const auto at =
        std::find_if(part.begin(), part.end(), [&](const auto& on) { return on.name() == due_to; });
    const std::string& host = at == part.end() ? part.front().name() : at->name();
    handler_.told(host, report::PartOver{attempt, std::move(why), recalled});
  }
  answered(cluster, attempt);
  borrow_soon();
}

}  // namespace rollcall::mbatchd
