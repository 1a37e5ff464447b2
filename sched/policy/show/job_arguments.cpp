// id     = number [ "[" range { "," range } "]" ] [ "@" cluster ]      with a cluster not 0
// range  = number [ "-" number [ ":" number ] ]
//
// span   = [ time ] "," [ time ]  |  time            one time: the whole of its smallest unit, e.g. that day
// time   = "."                                       now
//        | "." "-" number ["/" number [":" [number [":" number]]]] ... see back(): days/hours:minutes before now
//        | [[ year "/" ] month "/" ] day [ "/" clock ]  |  clock
// clock  = [hour] ":" [minute]
// As bhist(1) and bacct(1) have it, "TIME INTERVAL FORMAT".
#include "sched/policy/show/job_arguments.hpp"

#include <algorithm>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "sched/policy/values/cluster_mark.hpp"

namespace rollcall::sched::show {
namespace {

constexpr int kMost = 2147483647;
constexpr std::size_t kMostRanges = 10'000;

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Error illegal(std::string_view word) {
  std::string shown = printable(word);
  shown = shown.substr(1, shown.size() - 2);
  return usage_error(shown + ": Illegal job ID.");
}

bool take_range(std::string_view text, wire::IndexRange& range) {
  const auto colon = text.find(':');
  const auto dash = text.find('-');
  const auto first = parse_whole(text.substr(0, std::min(dash, colon)), 1, kMost);
  if (!first) return false;
  range.set_first(*first);
  range.set_last(*first);
  range.set_step(1);
  if (dash == std::string_view::npos) return colon == std::string_view::npos;
  const auto last = parse_whole(
      text.substr(dash + 1, colon == std::string_view::npos ? colon : colon - dash - 1), 1, kMost);
  if (!last || *last < *first) return false;
  range.set_last(*last);
  if (colon == std::string_view::npos) return true;
  const auto step = parse_whole(text.substr(colon + 1), 1, kMost);
  if (!step) return false;
  range.set_step(*step);
  return true;
}

bool take_ranges(std::string_view text, wire::IndexList& list) {
  const auto ranges = split(text, ',');
  return ranges.size() <= kMostRanges &&
         std::all_of(ranges.begin(), ranges.end(),
                     [&](std::string_view range) { return take_range(range, *list.add_indices()); });
}

bool take_indices(int id, std::string_view text, wire::JobFilter& filter) {
  wire::IndexList list;
  list.set_id(id);
  if (!take_ranges(text, list)) return false;
  const auto& only = list.indices(0);
  if (list.indices_size() == 1 && only.first() == only.last()) {
    auto& key = *filter.add_keys();
    key.set_id(id);
    key.set_index(only.first());
  } else {
    *filter.add_index_lists() = list;
  }
  return true;
}

// "12@west", "12[3]@west".
bool take_id_elsewhere(std::string_view word, wire::JobFilter& filter) {
  const auto parts = split_cluster("job", word);
  if (!parts || !parts->cluster) return false;
  const auto bracket = parts->name.find('[');
  const auto id = parse_whole(parts->name.substr(0, bracket), 1, kMost);
  if (!id) return false;
  wire::IndexList list;
  list.set_id(*id);
  list.set_cluster(std::string(*parts->cluster));
  if (bracket != std::string_view::npos &&
      (!parts->name.ends_with(']') ||
       !take_ranges(parts->name.substr(bracket + 1, parts->name.size() - bracket - 2), list)))
    return false;
  if (filter.of_clusters_size() == 0) filter.add_keys()->set_id(-1);  // batch.proto
  *filter.add_of_clusters() = std::move(list);
  return true;
}

Result<void> take_id(std::string_view word, JobOperands& operands, wire::JobFilter& filter) {
  if (word.find(kClusterMark) != std::string_view::npos) {
    if (!take_id_elsewhere(word, filter)) return illegal(word);
    operands.any = true;
    return {};
  }
  const auto bracket = word.find('[');
  const auto id = parse_whole(word.substr(0, bracket), 0, kMost);
  if (!id) return illegal(word);
  if (bracket == std::string_view::npos) {
    if (*id == 0)
      operands.all = true;
    else
      filter.add_keys()->set_id(*id);
  } else if (*id == 0 || !word.ends_with(']') ||
             !take_indices(*id, word.substr(bracket + 1, word.size() - bracket - 2), filter)) {
    return illegal(word);
  }
  operands.any = true;
  return {};
}

// ---------------------------------------------------------------- times

// A moment, and the length of the smallest unit that was written.
struct Moment {
  std::int64_t seconds = 0;
  std::int64_t unit = 60;
};

std::int64_t to_seconds(const CivilTime& civil, const LocalTime& local) {
  // Two steps, because the offset from UTC has to be that of the moment itself.
  const std::int64_t naive = utc_seconds(civil);
  std::int64_t guess = naive;
  for (int i = 0; i < 2; ++i) guess = naive - (utc_seconds(local(guess)) - guess);
  return guess;
}

std::optional<int> field(std::string_view text, int least, int most) {
  return parse_whole(text, least, most);
}

// "[hour]:[minute]".
bool take_clock(std::string_view text, CivilTime& civil, std::int64_t& unit) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const auto hour_text = text.substr(0, colon), minute_text = text.substr(colon + 1);
  if (!hour_text.empty()) {
    const auto hour = field(hour_text, 0, 23);
    if (!hour) return false;
    civil.hour = *hour;
  }
  civil.minute = 0;
  unit = 3600;
  if (minute_text.empty()) return true;
  const auto minute = field(minute_text, 0, 59);
  if (!minute) return false;
  civil.minute = *minute;
  unit = 60;
  return true;
}

std::optional<Moment> calendar_moment(std::string_view text, WallTime now, const LocalTime& local) {
  CivilTime civil = local(now.seconds());
  civil.second = 0;
  std::int64_t unit = 86400;
  auto parts = split(text, '/');
  const bool clock = parts.back().find(':') != std::string_view::npos;
  if (clock && !take_clock(parts.back(), civil, unit)) return std::nullopt;
  if (clock)
    parts.pop_back();
  else if (text.ends_with('/'))
    return std::nullopt;
  else
    civil.hour = civil.minute = 0;
  if (parts.size() > 3 || (parts.empty() && !clock)) return std::nullopt;
  int* const fields[] = {&civil.day, &civil.month, &civil.year};
  const int most[] = {31, 12, 9999};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto value = field(parts[parts.size() - 1 - i], i == 2 ? 1970 : 1, most[i]);
    if (!value) return std::nullopt;
    *fields[i] = *value;
  }
  return Moment{to_seconds(civil, local), unit};
}

// ".-2/", ".-3:", ".-:30", ".-1/2:30": days, hours and minutes before now.
std::optional<Moment> back(std::string_view text, WallTime now) {
  std::int64_t before = 0;
  if (const auto slash = text.find('/'); slash != std::string_view::npos) {
    const auto days = field(text.substr(0, slash), 0, 100'000);
    if (!days) return std::nullopt;
    before += *days * 86400LL;
    text.remove_prefix(slash + 1);
    if (text.empty()) return Moment{now.seconds() - before, 60};
  }
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) {
    const auto days = before == 0 ? field(text, 0, 100'000) : std::nullopt;
    return days ? std::optional(Moment{now.seconds() - *days * 86400LL, 60}) : std::nullopt;
  }
  const auto hours = text.substr(0, colon), minutes = text.substr(colon + 1);
  for (const auto& [word, length] : {std::pair(hours, 3600LL), std::pair(minutes, 60LL)}) {
    if (word.empty()) continue;
    const auto count = field(word, 0, 10'000'000);
    if (!count) return std::nullopt;
    before += *count * length;
  }
  return Moment{now.seconds() - before, 60};
}

std::optional<Moment> moment(std::string_view text, WallTime now, const LocalTime& local) {
  if (text == ".") return Moment{now.seconds(), 60};
  if (text.starts_with(".-")) return back(text.substr(2), now);
  return calendar_moment(text, now, local);
}

std::string_view local_id(std::string_view word, const OwnJob& own) {
  if (own.local.empty() || own.id.empty() || own.local == own.id) return word;
  return word == own.id || word == own.id + "[" + own.index + "]" ? own.local : word;
}

}  // namespace

Result<JobOperands> take_job_ids(const std::vector<std::string>& words, const OwnJob& own,
                                 wire::JobFilter& filter) {
  JobOperands operands;
  for (const std::string& word : words)
    for (const auto part : split(word, ' ')) {
      if (part.empty()) continue;
      if (const auto taken = take_id(local_id(part, own), operands, filter); !taken) return taken.error();
    }
  return operands;
}

Result<TimeSpan> parse_time_span(std::string_view text, WallTime now, const LocalTime& local) {
  const auto comma = text.find(',');
  const auto wrong = [text] {
    return usage_error(
        "found the time " + printable(text) +
        ", expected FROM,TO with [[[year/]month/]day/][hour]:[minute], \".\" or \".-days/hours:minutes\"");
  };
  TimeSpan span;
  const auto from_text = text.substr(0, comma);
  std::optional<Moment> from;
  if (!from_text.empty()) {
    from = moment(from_text, now, local);
    if (!from) return wrong();
    span.from_us = from->seconds * 1'000'000;
  }
  if (comma == std::string_view::npos) {
    if (!from) return wrong();
    span.to_us = span.from_us + from->unit * 1'000'000 - 1;
    return span;
  }
  const auto to_text = text.substr(comma + 1);
  if (to_text.empty()) return span;
  const auto to = moment(to_text, now, local);
  if (!to) return wrong();
  span.to_us = (to->seconds + (to_text.starts_with('.') ? 1 : to->unit)) * 1'000'000 - 1;
  return span;
}

}  // namespace rollcall::sched::show
