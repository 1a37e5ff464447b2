#include "sched/policy/peers/queue_news.hpp"

#include <algorithm>
#include <cmath>

#include "sched/policy/forward/value_terms.hpp"

namespace rollcall::sched::peers {
namespace {

constexpr int kMostValues = static_cast<int>(forward::kMostValues);
constexpr int kMostNames = 1000;  // host types, Boolean resources, resources with values

bool words_fit(const google::protobuf::RepeatedPtrField<std::string>& words) {
  return words.size() <= kMostNames &&
         std::all_of(words.begin(), words.end(), [](const std::string& word) { return word.size() <= 255; });
}

bool values_fit(const wire::QueueFigures::OfQueue& told) {
  return told.values_size() <= kMostNames &&
         std::all_of(told.values().begin(), told.values().end(), [](const auto& one) {
           return !one.name().empty() && one.name().size() <= 255 && words_fit(one.words()) &&
                  one.words_size() <= kMostValues && one.numbers_size() <= kMostValues &&
                  std::all_of(one.numbers().begin(), one.numbers().end(),
                              [](double number) { return std::isfinite(number); });
         });
}

// Sorted again: another cluster sent them.
forward::ResourceValues values_of(const wire::QueueFigures::OfResource& told) {
  forward::ResourceValues values;
  values.name = told.name();
  values.more = told.more();
  values.numbers.assign(told.numbers().begin(), told.numbers().end());
  std::sort(values.numbers.begin(), values.numbers.end());
  values.words.assign(told.words().begin(), told.words().end());
  return values;
}

}  // namespace

Result<forward::QueueNews> news_of(const std::string& cluster, const wire::QueueFigures::OfQueue& told,
                                   forward::UpdateOrder order) {
  if (told.name().empty() || told.name().size() > 255 || !words_fit(told.types()) ||
      !words_fit(told.booleans()) || !values_fit(told))
    return internal_error("found figures of a queue with too many or too long names");
  forward::QueueNews news;
  news.name = {told.name(), cluster};
  news.update.order = order;
  news.update.accounts_for = told.accounts_for();
  news.update.figures.slots = {told.total(), told.available(), told.running(), told.pending(),
                               told.preemptable()};
  if (told.has_job_room()) news.update.figures.job_room = told.job_room();
  if (told.has_slot_room()) news.update.figures.slot_room = told.slot_room();
  news.priority = told.priority();
  news.closed = told.closed();
  if (told.has_lowest_preemptable()) news.lowest_preemptable = told.lowest_preemptable();
  news.types.assign(told.types().begin(), told.types().end());
  news.booleans.assign(told.booleans().begin(), told.booleans().end());
  for (const auto& one : told.values()) news.values.push_back(values_of(one));
  return news;
}

wire::RemoteSlots slots_of(const forward::Figures& figures) {
  wire::RemoteSlots slots;
  slots.set_total(figures.slots.total);
  slots.set_available(figures.slots.available);
  slots.set_running(figures.slots.running);
  slots.set_pending(figures.slots.pending);
  slots.set_preemptable(figures.slots.preemptable);
  if (figures.job_room) slots.set_job_room(*figures.job_room);
  if (figures.slot_room) slots.set_slot_room(*figures.slot_room);
  return slots;
}

}  // namespace rollcall::sched::peers
