// size     = number [ unit ] [ "!" ]                    number: 20, 1.5     unit: [KMGTPEZ][B], any case
// time     = [ hours ":" ] minutes [ "/" host_or_model ]                     minutes: 30, 3.5
// slots    = least [ "," most ]
// array    = name [ "[" indices "]" [ "%" whole ] ]
// indices  = range { "," range }      range = first [ "-" last [ ":" step ] ]
// moment   = [ [ [ year ":" ] month ":" ] day ":" ] hour ":" minute
// hosts    = word { blank word }      word = [ "~" ] name [ "@" cluster ] [ "!" ] [ "+" [ preference ] ]
// transfer = file op [ file ]         op = ">" | "<" | "<<" | "><" | "<>"
// gpu      = "-" | pair { ":" pair }  pair = "num=" N [ "/task" | "/host" ] | "mode=" ("shared"|"exclusive_process")
//                                           | "j_exclusive=" yn | "mps=no" | "aff=no" | "block=no"
// env      = item { "," item }        item = "all" | "none" | NAME | NAME "=" value | "~" NAME | "'" NAME "=" value "'"
#include "sched/policy/values/submit_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "common/base/exit_status.hpp"
#include "common/base/numbers.hpp"
#include "common/conf/limit_unit.hpp"
#include "common/conf/lsb/values.hpp"
#include "common/conf/words.hpp"

namespace rollcall::sched {
namespace {

constexpr std::size_t kLongestName = 4094;  // of a job, in bytes: bsub(1)
constexpr int kMostIndex = 2'147'483'646;
constexpr int kMostSlots = kMaxTasks;
constexpr std::int64_t kMinute = 60;

Error found(std::string_view text, std::string_view expected) {
  std::string shown;
  for (const char c : text.substr(0, 200))
    shown.push_back(static_cast<unsigned char>(c) < 32 || c == 127 ? '?' : c);
  return usage_error("found \"" + shown + "\", expected " + std::string(expected));
}

}  // namespace

Result<Size> parse_size(std::string_view text, std::int64_t default_kb) {
  const std::string_view all = text = conf::trim(text);
  Size size;
  if (text.ends_with('!')) {
    size.hard = true;
    text = conf::trim_right(text.substr(0, text.size() - 1));
  }
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  double number = 0;
  const auto [stop, error] =
      std::from_chars(text.data(), text.data() + end, number, std::chars_format::fixed);
  const std::string_view unit = conf::trim(text.substr(end));
  const auto scale = unit.empty() ? std::optional(default_kb) : conf::unit_kb(unit);
  const bool good = end > 0 && error == std::errc() && stop == text.data() + end && scale;
  if (!good || number * static_cast<double>(*scale) > 9e18)
    return found(all, "a size: NUMBER[KB|MB|GB|TB|PB|EB]");
  size.kb = static_cast<std::int64_t>(std::ceil(number * static_cast<double>(*scale)));
  return size;
}

Result<RunTime> parse_run_time(std::string_view text) {
  auto limit = conf::parse_time_limit(conf::trim(text));
  if (!limit) return found(text, "[HOURS:]MINUTES[/HOST_OR_MODEL]");
  const auto whole = std::chrono::ceil<std::chrono::seconds>(limit->time);
  if (whole.count() > kMaxSeconds)
    return found(text, "[HOURS:]MINUTES[/HOST_OR_MODEL], at most 16666666 minutes");
  return RunTime{whole.count(), std::move(limit->host_spec)};
}

Result<Slots> parse_slots(std::string_view text) {
  const std::size_t comma = text.find(',');
  const auto least = parse_whole(conf::trim(text.substr(0, comma)), 1, kMostSlots);
  const auto most =
      comma == text.npos ? least : parse_whole(conf::trim(text.substr(comma + 1)), 1, kMostSlots);
  if (!least || !most || *most < *least) return found(text, "MIN[,MAX], whole numbers from 1");
  return Slots{static_cast<std::uint32_t>(*least), static_cast<std::uint32_t>(*most)};
}

Result<std::vector<wire::IndexRange>> parse_indices(std::string_view text) {
  std::vector<wire::IndexRange> ranges;
  const auto fail = [&] { return found(text, "indices like 1-10:2,15, from 1"); };
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view item = conf::trim(text.substr(at, comma - at));
    at = comma + 1;
    const std::size_t dash = item.find('-');
    const std::size_t colon = item.find(':');
    const auto first = parse_whole(conf::trim(item.substr(0, std::min(dash, colon))), 1, kMostIndex);
    auto last = first;
    std::optional<int> step = 1;
    if (dash != item.npos)
      last = parse_whole(conf::trim(item.substr(dash + 1, colon == item.npos ? colon : colon - dash - 1)), 1,
                         kMostIndex);
    if (colon != item.npos)
      step = dash < colon ? parse_whole(conf::trim(item.substr(colon + 1)), 1, kMostIndex) : std::nullopt;
    if (!first || !last || !step || *last < *first) return fail();
    wire::IndexRange range;
    range.set_first(*first);
    range.set_last(*last);
    range.set_step(*step);
    ranges.push_back(range);
  }
  return ranges;
}

Result<ArrayName> parse_array_name(std::string_view text) {
  ArrayName array;
  if (text.size() > kLongestName)
    return found(text.substr(0, 40), "a name of at most " + std::to_string(kLongestName) + " bytes");
  // Indices are at the end; brackets elsewhere belong to the name.
  std::string_view head = conf::trim(text);
  std::optional<int> slots;
  if (const std::size_t percent = head.rfind('%');
      percent != head.npos && percent > 0 && head[percent - 1] == ']') {
    slots = parse_whole(head.substr(percent + 1), 1, kMostSlots);
    if (!slots) return found(text, "a whole number from 1 behind %");
    head = head.substr(0, percent);
  }
  const std::size_t bracket = head.rfind('[');
  // "a[1-": begins like indices without an end, so it is a typing error, not a name.
  if (bracket != head.npos && bracket + 1 < head.size() &&
      head.find_first_not_of("0123456789-,: ", bracket + 1) == head.npos)
    return found(text, "a ] behind the indices");
  if (!head.ends_with(']') || bracket == head.npos) {
    array.name = std::string(text);
    return array;
  }
  auto indices = parse_indices(head.substr(bracket + 1, head.size() - bracket - 2));
  if (!indices) return found(text, "NAME[INDICES][%SLOTS], with indices like 1-10:2,15, from 1");
  array.name = std::string(head.substr(0, bracket));
  array.indices = std::move(*indices);
  array.slots = static_cast<std::uint32_t>(slots.value_or(0));
  return array;
}

std::string array_name_text(const wire::Submission& job) {
  std::string text = job.job_name();
  for (const auto& range : job.indices()) {
    text += (&range == &job.indices(0) ? "[" : ",") + std::to_string(range.first());
    if (range.last() != range.first()) text += "-" + std::to_string(range.last());
    if (range.step() > 1) text += ":" + std::to_string(range.step());
  }
  if (job.indices_size() > 0) text += "]";
  if (job.array_slots() > 0) text += "%" + std::to_string(job.array_slots());
  return text;
}

namespace {

// Seconds since 1970 of a local time. Two steps, because the offset from UTC has to be that of the moment itself.
std::int64_t seconds_of(const CivilTime& time, const LocalTime& local) {
  std::int64_t guess = utc_seconds(time);
  for (int i = 0; i < 2; ++i) guess += utc_seconds(time) - utc_seconds(local(guess));
  return guess;
}

}  // namespace

Result<std::int64_t> parse_moment(std::string_view text, std::int64_t now, const LocalTime& local) {
  constexpr std::string_view kExpected = "[[[YEAR:]MONTH:]DAY:]HOUR:MINUTE";
  std::vector<int> fields;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t colon = std::min(text.find(':', at), text.size());
    const auto field = parse_whole(text.substr(at, colon - at), 0, 9999);
    if (!field) return found(text, kExpected);
    fields.push_back(*field);
    at = colon + 1;
  }
  if (fields.size() < 2 || fields.size() > 5) return found(text, kExpected);
  const auto given = fields.size();
  CivilTime time = local(now);
  time.second = 0;
  const std::array<int*, 5> places{&time.year, &time.month, &time.day, &time.hour, &time.minute};
  for (std::size_t i = 0; i < given; ++i) *places[5 - given + i] = fields[i];
  if (time.month < 1 || time.month > 12 || time.day < 1 || time.day > 31 || time.hour > 23 ||
      time.minute > 59 || (given == 5 && time.year < 1970))
    return found(text, kExpected);
  // With fields missing: tries the next days, months or years. February 29 may be eight years away.
  const int tries = given == 5 ? 1 : 9;
  for (int i = 0; i < tries; ++i, ++*places[given == 5 ? 0 : 4 - given]) {
    const std::int64_t moment = seconds_of(time, local);
    const bool real = given == 2 || local(moment).day == time.day;
    if (real && moment + kMinute > now) return moment;
  }
  return found(text, "a time to come");
}

Result<std::vector<wire::AskedHost>> parse_asked_hosts(std::string_view text) {
  auto words = conf::split_words(text);
  for (auto& word : words)
    if (word.ends_with('+')) word += '1';  // "+" without a number is +1
  auto items = conf::parse_host_items(words);
  if (!items) return usage_error(items.error().text);
  if (items->empty()) return found(text, "names of hosts");
  std::vector<wire::AskedHost> hosts;
  for (const auto& item : *items) {
    wire::AskedHost host;
    host.set_name(item.name + (item.cluster.empty() ? "" : "@" + item.cluster));
    host.set_preference(item.preference);
    host.set_first_execution(item.first_execution);
    host.set_excluded(item.excluded);
    hosts.push_back(std::move(host));
  }
  return hosts;
}

Result<wire::FileTransfer> parse_transfer(std::string_view text) {
  const auto words = conf::split_words(text);
  const auto fail = [&] { return found(text, "LOCAL_FILE > < << or >< [REMOTE_FILE], with blanks between"); };
  if (words.size() < 2 || words.size() > 3) return fail();
  wire::FileTransfer transfer;
  transfer.set_local(words[0]);
  transfer.set_remote(words.back() == words[1] ? words[0] : words.back());
  const std::string& op = words[1];
  if (op == ">")
    transfer.set_direction(wire::FileTransfer::TO_HOST);
  else if (op == "<")
    transfer.set_direction(wire::FileTransfer::FROM_HOST);
  else if (op == "<<")
    transfer.set_direction(wire::FileTransfer::APPEND_BACK);
  else if (op == "><" || op == "<>")
    transfer.set_direction(wire::FileTransfer::BOTH);
  else
    return fail();
  return transfer;
}

Result<int> parse_signal(std::string_view text) {
  std::string name(text);
  for (char& c : name)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  if (const auto number = parse_whole(text, 1, kLargestSignal)) return *number;
  const std::size_t begin = name.starts_with("SIG") ? 3 : 0;
  const bool named = begin < name.size() && name[begin] >= 'A' && name[begin] <= 'Z';
  const int number = named ? signal_number(name) : 0;
  return number > 0 ? Result<int>(number) : found(text, "a signal's name or number");
}

Result<std::string> parse_gpu(std::string_view text) {
  if (conf::trim(text) == "-") return std::string("num=1:mode=shared:j_exclusive=no");
  std::string number = "num=1", mode = "mode=shared", exclusive = "j_exclusive=no";
  std::string_view rest = conf::trim(text);
  const auto fail = [&](std::string_view what) {
    return found(what,
                 "num=N[/task|/host], mode=shared or exclusive_process, j_exclusive=yes or no; other keys "
                 "are not supported in this release");
  };
  while (true) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::string pair(conf::trim(rest.substr(0, colon)));
    const std::size_t equals = pair.find('=');
    const std::string key = conf::lower(pair.substr(0, equals));
    const std::string value = equals == pair.npos ? "" : conf::lower(conf::trim(pair.substr(equals + 1)));
    if (key == "num") {
      const std::size_t slash = value.find('/');
      const auto count = parse_whole(value.substr(0, slash), 1, kMostSlots);
      const std::string per = slash == value.npos ? "" : value.substr(slash);
      if (!count || (per != "" && per != "/task" && per != "/host")) return fail(pair);
      number = "num=" + std::to_string(*count) + (per == "/host" ? "" : per);  // "/host" is the default
    } else if (key == "mode" && (value == "shared" || value == "exclusive_process")) {
      mode = "mode=" + value;
    } else if (key == "j_exclusive" && (value == "yes" || value == "no" || value == "y" || value == "n")) {
      exclusive = value[0] == 'y' ? "j_exclusive=yes" : "j_exclusive=no";
    } else if (!((key == "mps" || key == "aff" || key == "block") && (value == "no" || value == "n"))) {
      return fail(pair);
    }
    if (colon == rest.size()) break;
    rest.remove_prefix(colon + 1);
  }
  return number + ":" + mode + ":" + exclusive;
}

namespace {

void set(std::vector<std::string>& chosen, std::string variable) {
  for (auto& other : chosen)
    if (variable_name(other) == variable_name(variable)) {
      other = std::move(variable);
      return;
    }
  chosen.push_back(std::move(variable));
}

// Splits at commas, except within single quotes.
std::vector<std::string> env_items(std::string_view text) {
  std::vector<std::string> items(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '\'')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      items.emplace_back();
    else
      items.back().push_back(c);
  }
  return items;
}

}  // namespace

Result<std::vector<std::string>> choose_environment(const std::vector<std::string>& options,
                                                    const std::vector<std::string>& all) {
  if (options.empty()) return all;
  std::vector<std::string> chosen;
  for (const auto& option : options) {
    for (const auto& raw : env_items(option)) {
      const std::string item(conf::trim(raw));
      if (item.empty()) continue;
      if (item == "all") {
        for (const auto& variable : all) set(chosen, variable);
      } else if (item == "none") {
        chosen.clear();
      } else if (item.starts_with('~')) {
        const std::string name(conf::trim(std::string_view(item).substr(1)));
        std::erase_if(chosen, [&](const std::string& variable) { return variable_name(variable) == name; });
      } else if (item.starts_with('=')) {
        return found(item, "all, none, NAME, NAME=VALUE or ~NAME, with commas between");
      } else if (item.find('=') != item.npos) {
        set(chosen, item);
      } else {
        const auto own =
            std::find_if(all.begin(), all.end(), [&](const auto& v) { return variable_name(v) == item; });
        if (own != all.end()) set(chosen, *own);
      }
    }
  }
  return chosen;
}

}  // namespace rollcall::sched
