#include "sched/policy/forward/queue_table.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace rollcall::sched::forward {
namespace {

constexpr int kNoLimit = std::numeric_limits<int>::max();
constexpr std::size_t kBits = 64;  // of a word

}  // namespace

QueueTable::QueueTable(std::vector<RemoteQueue> queues) : queues_(std::move(queues)) {
  for (const RemoteQueue& queue : queues_) {
    number_names(queue.types, types_);
    number_names(queue.booleans, booleans_);
  }
  words_ = (names_ + kBits - 1) / kBits;
  bits_.resize(words_ * queues_.size());
  rows_.reserve(queues_.size());
  for (const RemoteQueue& queue : queues_) {
    set_bits(rows_.size(), queue.types, types_);
    set_bits(rows_.size(), queue.booleans, booleans_);
    rows_.push_back(row_of(queue));
  }
}

QueueTable::Row QueueTable::row_of(const RemoteQueue& queue) {
  Row row;
  row.offered = queue.connected && queue.closed.empty();
  row.returned = queue.returns.times > 0;
  row.refused = !queue.refused.empty();
  row.told = queue.figures.has_value();
  if (!row.told) return row;
  row.slots = queue.figures->slots;
  row.job_room = queue.figures->job_room.value_or(kNoLimit);
  row.slot_room = queue.figures->slot_room.value_or(kNoLimit);
  row.priority = queue.priority;
  row.lowest_preemptable = queue.lowest_preemptable.value_or(kNoLimit);
  row.several_types = queue.types.size() > 1;
  row.has_values = !queue.values.empty();
  return row;
}

void QueueTable::number_names(const std::vector<std::string>& names, Names& known) {
  for (const std::string& name : names)
    if (known.try_emplace(name, names_).second) ++names_;
}

void QueueTable::set_bits(std::size_t queue, const std::vector<std::string>& names, const Names& known) {
  for (const std::string& name : names) {
    const std::size_t number = known.find(name)->second;
    bits_[queue * words_ + number / kBits] |= std::uint64_t{1} << number % kBits;
  }
}

std::size_t QueueTable::number_of(const Names& known, const std::string& name) const {
  const auto found = known.find(name);
  return found == known.end() ? names_ : found->second;
}

std::optional<std::size_t> QueueTable::place_of(const conf::RemoteQueue& name) const {
  for (std::size_t i = 0; i < queues_.size(); ++i)
    if (queues_[i].name == name) return i;
  return std::nullopt;
}

void QueueTable::update(const conf::RemoteQueue& name, const std::optional<Figures>& figures) {
  const auto place = place_of(name);
  if (!place) return;
  queues_[*place].figures = figures;
  rows_[*place] = row_of(queues_[*place]);
}

void QueueTable::set_returns(const conf::RemoteQueue& name, Returns returns) {
  const auto place = place_of(name);
  if (!place) return;
  queues_[*place].returns = std::move(returns);
  rows_[*place].returned = queues_[*place].returns.times > 0;
  of_job_.push_back(*place);
}

void QueueTable::set_refused(const conf::RemoteQueue& name, std::string why) {
  const auto place = place_of(name);
  if (!place) return;
  queues_[*place].refused = std::move(why);
  rows_[*place].refused = !queues_[*place].refused.empty();
  of_job_.push_back(*place);
}

void QueueTable::clear_job() {
  for (const std::size_t place : of_job_) {
    queues_[place].returns = {};
    queues_[place].refused.clear();
    rows_[place].returned = rows_[place].refused = false;
  }
  of_job_.clear();
}

QueueTable::Asked::Asked(const QueueTable& table, const ForwardJob& job)
    : table_(table), bits_(table.words_) {
  for (const std::string& type : job.types) types_.push_back(table.number_of(table.types_, type));
  for (const std::string& name : job.booleans) booleans_.push_back(table.number_of(table.booleans_, name));
  for (const auto* numbers : {&types_, &booleans_})
    for (const std::size_t number : *numbers)
      if (number == table.names_)
        unknown_ = true;
      else
        bits_[number / kBits] |= std::uint64_t{1} << number % kBits;
}

bool QueueTable::Asked::met_by(std::size_t queue) const {
  if (unknown_) return false;
  const std::uint64_t* there = table_.bits_.data() + queue * table_.words_;
  for (std::size_t i = 0; i < bits_.size(); ++i)
    if ((bits_[i] & ~there[i]) != 0) return false;
  return true;
}

bool QueueTable::Asked::has(std::size_t queue, std::size_t name) const {
  return name < table_.names_ &&
         (table_.bits_[queue * table_.words_ + name / kBits] >> name % kBits & 1) != 0;
}

QueueTable::Asked::Lacking QueueTable::Asked::lacking_in(std::size_t queue) const {
  const auto lacks = [&](std::size_t name) { return !has(queue, name); };
  const auto type = std::find_if(types_.begin(), types_.end(), lacks);
  if (type != types_.end()) return {true, static_cast<std::uint32_t>(type - types_.begin())};
  const auto boolean = std::find_if(booleans_.begin(), booleans_.end(), lacks);
  return {false, static_cast<std::uint32_t>(boolean - booleans_.begin())};
}

}  // namespace rollcall::sched::forward
