#include "sched/policy/events/history_selection.hpp"

#include <algorithm>
#include <string_view>

#include "common/base/glob.hpp"
#include "sched/policy/values/meant_name.hpp"
#include "sched/policy/values/shown_command.hpp"

namespace rollcall::sched::events {
namespace {

using Words = google::protobuf::RepeatedPtrField<std::string>;

bool named(const Words& words, std::string_view name) {
  return words.empty() || std::any_of(words.begin(), words.end(),
                                      [&](const std::string& word) { return word == name || word == "all"; });
}

bool user_fits(const std::string& asked, const Identity& who, const std::string& user) {
  return asked == "all" || user == (asked.empty() ? who.user : asked);
}

bool within(std::int64_t at, std::int64_t from, std::int64_t to) {
  return (from == 0 || at >= from) && (to == 0 || at <= to);
}

bool in_indices(const wire::IndexList& list, std::int32_t index) {
  return std::any_of(list.indices().begin(), list.indices().end(),
                     [index](const wire::IndexRange& range) { return in_range(range, index); });
}

bool names(const wire::JobFilter& filter, JobKey key) {
  if (filter.keys_size() == 0 && filter.index_lists_size() == 0) return true;
  const bool by_key =
      std::any_of(filter.keys().begin(), filter.keys().end(), [key](const wire::JobKey& wanted) {
        // An array includes the events of its elements, and an element those of its array.
        return wanted.id() == key.id &&
               (wanted.index() == 0 || key.index == 0 || wanted.index() == key.index);
      });
  return by_key ||
         std::any_of(filter.index_lists().begin(), filter.index_lists().end(), [key](const auto& list) {
           return list.id() == key.id && (key.index == 0 || in_indices(list, key.index));
         });
}

bool by_ids(const wire::JobFilter& filter) { return filter.keys_size() > 0 || filter.index_lists_size() > 0; }

// The criteria that bhist and bacct share with bjobs, except users and the indices of -J.
bool group_fits(const wire::JobFilter& filter, const MeantName& name, const wire::Submission& asked) {
  const auto same = [](const std::string& wanted, const std::string& has) {
    return wanted.empty() || wanted == has;
  };
  const auto like = [](const std::string& wanted, const std::string& has) {
    return wanted.empty() || glob_matches(wanted, has);
  };
  return same(filter.project(), asked.project()) && same(filter.job_group(), asked.job_group()) &&
         same(filter.application(), asked.application()) && same(filter.user_group(), asked.user_group()) &&
         same(filter.service_class(), asked.service_class()) && name.fits(asked.job_name()) &&
         like(filter.description(), asked.description());
}

bool ran_on(const Words& hosts, const wire::JobRecord& job) {
  return hosts.empty() ||
         std::any_of(job.hosts().begin(), job.hosts().end(), [&](const wire::ExecHost& host) {
           return std::find(hosts.begin(), hosts.end(), host.name()) != hosts.end();
         });
}

}  // namespace

bool fits(const wire::AskFinished& ask, const Identity& who, const wire::JobEvent::Finish& finish) {
  const auto& job = finish.record();
  const auto& asked = finish.asked();
  if (!names(ask.filter(), key_of(job.key()))) return false;
  const bool mine =
      by_ids(ask.filter()) || (ask.users_size() > 0 ? named(ask.users(), asked.user())
                                                    : user_fits(ask.filter().user(), who, asked.user()));
  const MeantName name(ask.filter().job_name());
  if (!mine || !group_fits(ask.filter(), name, asked) || !name.fits_element(job.key().index())) return false;
  if (!named(ask.queues(), job.queue()) || !named(ask.projects(), asked.project())) return false;
  if (ask.only_done() && !ask.only_exited() && job.status() != wire::STATUS_DONE) return false;
  if (ask.only_exited() && !ask.only_done() && job.status() != wire::STATUS_EXIT) return false;
  return ran_on(ask.hosts(), job) &&
         within(job.submit_us(), ask.submitted_from_us(), ask.submitted_to_us()) &&
         within(job.end_us(), ask.completed_from_us(), ask.completed_to_us()) &&
         within(job.start_us(), ask.dispatched_from_us(), ask.dispatched_to_us());
}

bool names_job(const wire::AskEvents& ask, JobKey key) {
  return names(ask.filter(), key) &&
         (key.index == 0 || MeantName(ask.filter().job_name()).fits_element(key.index));
}

bool fits(const wire::AskEvents& ask, const Identity& who, const wire::Submission& asked) {
  const auto& filter = ask.filter();
  const MeantName name(filter.job_name());
  return (by_ids(filter) || user_fits(filter.user(), who, asked.user())) && group_fits(filter, name, asked) &&
         name.fits_array(asked);
}

bool fits_system(const wire::AskEvents& ask, const wire::JobEvent& event) {
  if (!within(event.at_us(), ask.from_us(), ask.to_us())) return false;
  const bool anything = ask.queue().empty() && ask.host().empty();
  switch (event.what_case()) {
    case wire::JobEvent::kQueueControl:
      return anything || ask.queue() == "all" || ask.queue() == event.queue_control().queue();
    case wire::JobEvent::kHostControl:
      return anything || ask.host() == "all" || ask.host() == event.host_control().host();
    case wire::JobEvent::kMbdStart:
    case wire::JobEvent::kMbdDie:
      return anything;
    default:
      return false;
  }
}

bool JobsAsked::wants(const wire::JobEvent& event) {
  if (event.has_new_job() && fits(ask_, who_, event.new_job().asked())) jobs_.insert(event.key().id());
  return jobs_.contains(event.key().id()) && event.at_us() >= ask_.from_us() &&
         names_job(ask_, key_of(event.key()));
}

wire::JobEvent sent_event(wire::JobEvent event) {
  wire::Submission* asked = nullptr;
  if (event.has_new_job()) asked = event.mutable_new_job()->mutable_asked();
  if (event.has_modify()) asked = event.mutable_modify()->mutable_asked();
  if (event.has_finish()) asked = event.mutable_finish()->mutable_asked();
  if (asked != nullptr) {
    asked->clear_script();
    asked->clear_spooled_input();
    asked->clear_environment();
    wire::forget_payload_rows(*asked);
    asked->set_command(shown_command(asked->command()));
  }
  return event;
}

}  // namespace rollcall::sched::events
