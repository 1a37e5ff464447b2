#include "elim/policy/lim/lim_report.hpp"

#include <algorithm>

#include "common/wire/host_facts.hpp"

namespace rollcall::lim {
namespace {

constexpr std::size_t kLongestDictionary = 4096;  // names: more than any cluster's files have
// Both are above what MELIM sends.
constexpr std::size_t kLongestWord = 1024;        // bytes of a String resource's value
constexpr std::size_t kMostOfElims = 256 * 1024;  // bytes of all elims' states

std::uint32_t milliseconds(Duration age) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(age).count();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(ms, 0, 4294967294));
}

bool has_value(const LoadValue& value) { return known_load(value.number) || !value.word.empty(); }

}  // namespace

void ReportWriter::start_anew() { *this = {}; }

std::uint32_t ReportWriter::number(ResourceId id, const IndexTable& indices, wire::ToLim::Report& report) {
  if (numbers_.size() < indices.size()) numbers_.resize(indices.size());
  if (!numbers_[id]) {
    numbers_[id] = size_++;
    report.add_names(indices.at(id).name);
  }
  return *numbers_[id];
}

void ReportWriter::add_value(ResourceId id, const LoadValue& value, const IndexTable& indices, TimePoint now,
                             wire::ToLim::Report& report) {
  const std::uint32_t place = number(id, indices, report);
  if (indices.at(id).type == ResourceType::string) {
    wire::Word& word = *report.add_words();
    word.set_index(place);
    word.set_value(value.word);
    if (first_) word.set_age_ms(milliseconds(now - value.told));
    return;
  }
  report.add_index(place);
  report.add_value(value.number);
  if (first_) report.add_age_ms(milliseconds(now - value.told));
}

void ReportWriter::add_changes(const OwnLoad& own, const IndexTable& indices, TimePoint now,
                               wire::ToLim::Report& report) {
  if (told_.size() < own.load.size()) told_.resize(own.load.size());
  for (ResourceId id = 0; id < own.load.size(); ++id) {
    const LoadValue& value = own.load[id];
    LoadValue& told = told_[id];
    if (!has_value(value)) {
      if (has_value(told)) report.add_lost(number(id, indices, report));
      told = {};
      continue;
    }
    if (changed(id, told.number, value.number) || told.word != value.word) {
      add_value(id, value, indices, now, report);
      told = value;
    } else if (told.told < value.told) {
      report.add_refreshed(number(id, indices, report));
      told.told = value.told;
    }
  }
}

wire::ToLim::Report ReportWriter::next(const OwnLoad& own, const IndexTable& indices, TimePoint now) {
  wire::ToLim::Report report;
  add_changes(own, indices, now, report);
  if (told_condition_ != own.condition) {
    wire::Condition& condition = *report.mutable_condition();
    condition.set_locked_by_administrator(own.condition.locked_by_administrator);
    condition.set_locked_by_window(own.condition.locked_by_window);
    condition.set_locked_until_us(own.condition.locked_until_us);
    condition.set_res_down(own.condition.res_down);
    for (const ResourceId id : own.condition.beyond) condition.add_beyond(number(id, indices, report));
    told_condition_ = own.condition;
  }
  std::string elims;
  for (const wire::ElimState& elim : own.elims) elims += elim.SerializeAsString() + '\n';
  if (elims != told_elims_) {
    for (const wire::ElimState& elim : own.elims) *report.add_elims() = elim;
    report.set_no_elims(own.elims.empty());
    told_elims_ = std::move(elims);
  }
  first_ = false;
  return report;
}

namespace {

// Puts one report into the table.
class Reader {
 public:
  Reader(const Dictionary& dictionary, const ReportTarget& target, TimePoint now)
      : dictionary_(dictionary), to_(target), now_(now) {}

  // False: the number is not in the dictionary, so the peer is broken.
  bool knows(std::uint32_t number) const { return number < dictionary_.size(); }
  std::optional<ResourceId> resource(std::uint32_t number) const { return dictionary_[number]; }

  void number(ResourceId id, float value, TimePoint told) {
    if (is_shared(id))
      return each_held(id, [&](SharedValue& s) { s = {known_load(value) ? value : kUnknownLoad, {}, told}; });
    to_.table.set_number(to_.host, id, value, told);
  }
  void word(ResourceId id, const std::string& text, TimePoint told) {
    if (is_shared(id)) return each_held(id, [&](SharedValue& s) { s = {kUnknownLoad, text, told}; });
    to_.table.set_word(to_.host, id, text, told);
  }
  void refresh(ResourceId id) {
    if (is_shared(id))
      return each_held(id, [&](SharedValue& s) {
        if (s.told) s.told = now_;
      });
    to_.table.refresh(to_.host, id, now_);
  }
  void lose(ResourceId id) {
    if (is_shared(id)) return each_held(id, [&](SharedValue& s) { s = {}; });
    to_.table.lose(to_.host, id);
  }
  TimePoint told(std::uint32_t age_ms) const {
    return {now_.since_start - std::chrono::milliseconds(age_ms)};
  }

 private:
  bool is_shared(ResourceId id) const { return id < to_.is_shared.size() && to_.is_shared[id]; }
  template <typename Change>
  void each_held(ResourceId id, Change change) {
    for (const std::uint32_t instance : to_.held)
      if (to_.rules.resource_map.shared[instance].resource == id) change(to_.shared[instance]);
  }

  const Dictionary& dictionary_;
  const ReportTarget& to_;
  TimePoint now_;
};

Result<void> wrong(const char* what) { return internal_error(std::string("a report with ") + what); }

Result<void> extend(const wire::ToLim::Report& report, Dictionary& dictionary, const IndexTable& indices) {
  if (dictionary.size() + static_cast<std::size_t>(report.names_size()) > kLongestDictionary)
    return wrong("more names than any cluster has");
  for (const std::string& name : report.names()) {
    auto id = indices.find(name);
    if (id && indices.at(*id).type == ResourceType::boolean) id = std::nullopt;
    dictionary.push_back(id);
  }
  return {};
}

Result<void> read_values(const wire::ToLim::Report& report, const IndexTable& indices, Reader& reader) {
  if (report.index_size() != report.value_size()) return wrong("another number of values than of indices");
  if (report.age_ms_size() != 0 && report.age_ms_size() != report.index_size())
    return wrong("another number of ages than of indices");
  for (int i = 0; i < report.index_size(); ++i) {
    if (!reader.knows(report.index(i))) return wrong("an index that it has not named");
    const auto id = reader.resource(report.index(i));
    if (id && indices.at(*id).type == ResourceType::numeric)
      reader.number(*id, report.value(i), reader.told(report.age_ms_size() > 0 ? report.age_ms(i) : 0));
  }
  for (const wire::Word& word : report.words()) {
    if (!reader.knows(word.index())) return wrong("an index that it has not named");
    if (word.value().size() > kLongestWord) return wrong("a word longer than any elim may report");
    const auto id = reader.resource(word.index());
    if (id && indices.at(*id).type == ResourceType::string)
      reader.word(*id, wire::shown_word(word.value()), reader.told(word.age_ms()));
  }
  return {};
}

Result<void> read_rest(const wire::ToLim::Report& report, Reader& reader, HostEntry& entry) {
  std::size_t of_elims = 0;
  for (const wire::ElimState& elim : report.elims()) of_elims += elim.ByteSizeLong();
  if (of_elims > kMostOfElims) return wrong("more of its elims than any host has to say");
  for (const std::uint32_t number : report.refreshed()) {
    if (!reader.knows(number)) return wrong("an index that it has not named");
    if (const auto id = reader.resource(number)) reader.refresh(*id);
  }
  for (const std::uint32_t number : report.lost()) {
    if (!reader.knows(number)) return wrong("an index that it has not named");
    if (const auto id = reader.resource(number)) reader.lose(*id);
  }
  if (report.has_condition()) {
    const wire::Condition& from = report.condition();
    Condition condition{
        from.locked_by_administrator(), from.locked_by_window(), from.locked_until_us(), {}, from.res_down()};
    for (const std::uint32_t number : from.beyond()) {
      if (!reader.knows(number)) return wrong("an index that it has not named");
      if (const auto id = reader.resource(number)) condition.beyond.push_back(*id);
    }
    std::sort(condition.beyond.begin(), condition.beyond.end());
    entry.condition = std::move(condition);
  }
  if (report.elims_size() > 0 || report.no_elims())
    entry.elims.assign(report.elims().begin(), report.elims().end());
  return {};
}

}  // namespace

Result<void> apply(const wire::ToLim::Report& report, Dictionary& dictionary, const ReportTarget& target,
                   TimePoint now) {
  const IndexTable& indices = target.rules.indices;
  if (auto extended = extend(report, dictionary, indices); !extended) return extended;
  Reader reader(dictionary, target, now);
  if (auto values = read_values(report, indices, reader); !values) return values;
  return read_rest(report, reader, target.table[target.host]);
}

void apply(const OwnLoad& own, const ReportTarget& target) {
  const IndexTable& indices = target.rules.indices;
  const Dictionary none;
  Reader reader(none, target, TimePoint{});
  for (ResourceId id = 0; id < own.load.size(); ++id) {
    const LoadValue& value = own.load[id];
    if (!has_value(value)) {
      // A shared value stays when another host takes over reporting it.
      if (!target.is_shared[id]) reader.lose(id);
      continue;
    }
    if (indices.at(id).type == ResourceType::string)
      reader.word(id, value.word, value.told);
    else
      reader.number(id, value.number, value.told);
  }
  HostEntry& entry = target.table[target.host];
  entry.condition = own.condition;
  entry.elims = own.elims;
}

}  // namespace rollcall::lim
