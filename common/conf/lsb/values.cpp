// Values of lsb.* files:
//
//   shares     = [ "(" ] { "[" NAME [ "," ] NUMBER "]" } [ ")" ]      blanks and the comma as people like; "[[...] [...]]" too
//   host item  = [ "~" ] NAME [ "@" CLUSTER ] [ "!" ] [ "+" WHOLE ]    "~" only in a list that has "all", "all@CLUSTER" or "allremote";
//                                                                  no "@" behind "allremote", "others" and "none"
//   threshold  = NUMBER | [ NUMBER ] "/" [ NUMBER ]
//   time limit = [ HOURS ":" ] MINUTES [ "/" HOST_SPEC ]
//   controls   = { ("SUSPEND" | "RESUME" | "TERMINATE") "[" TEXT "]" }
//   exits      = { CODE | "all" | "~" CODE | "EXCLUDE(" { CODE } ")" }
//   member     = [ "~" ] NAME [ "*" | "[" range { "," range } "]" ] | "!"      range = WHOLE [ "-" WHOLE ]
#include "common/conf/lsb/values.hpp"

#include <algorithm>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "common/conf/row_reader.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

constexpr int kMostHours = 1'000'000;

Error unexpected(std::string_view what, const std::string& expected) {
  return configuration_error("found " + printable(what) + ", expected " + expected);
}

// Where the bracket that text has at 0 closes; npos where it does not.
std::size_t closing(std::string_view text) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '[') ++depth;
    if (text[at] == ']' && --depth == 0) return at;
  }
  return std::string_view::npos;
}

std::string_view without(std::string_view text, char open, char close) {
  text = trim(text);
  if (text.size() >= 2 && text.front() == open && text.back() == close)
    return trim(text.substr(1, text.size() - 2));
  return text;
}

// Words that LSF documents without a cluster alone.
bool without_cluster(std::string_view name) {
  return name == "allremote" || name == "others" || name == "none";
}

}  // namespace

Result<std::vector<Share>> parse_shares(std::string_view text, double least) {
  std::string_view rest = without(text, '(', ')');
  if (rest.starts_with('[') && trim_left(rest.substr(1)).starts_with('[')) rest = without(rest, '[', ']');
  std::vector<Share> shares;
  while (!rest.empty()) {
    const std::size_t close = rest.find(']');
    if (!rest.starts_with('[') || close == std::string_view::npos)
      return unexpected(rest, "[NAME, NUMBER] ...");
    const auto words = split_words(rest.substr(1, close - 1), " \t\r\v\f,");
    const auto amount = words.size() == 2 ? parse_real(words[1]) : std::nullopt;
    if (!amount || *amount < least || words[0].find('[') != std::string::npos)
      return unexpected(rest.substr(0, close + 1), "[NAME, NUMBER]");
    shares.push_back({words[0], *amount});
    rest = trim_left(rest.substr(close + 1));
  }
  return shares;
}

bool documented_shares(std::string_view text) {
  std::string_view rest = without(text, '(', ')');
  while (!rest.empty()) {
    const std::size_t close = rest.find(']'), comma = rest.find(',');
    if (!rest.starts_with('[') || close == rest.npos || comma > close) return false;
    const std::string_view name = trim(rest.substr(1, comma - 1));
    if (name.empty() || name.find_first_of(" \t[") != name.npos ||
        !parse_whole(trim(rest.substr(comma + 1, close - comma - 1)), 0, kMaxSeconds))
      return false;
    rest = trim_left(rest.substr(close + 1));
  }
  return true;
}

Result<std::vector<HostItem>> parse_host_items(const std::vector<std::string>& words) {
  std::vector<HostItem> items;
  for (const std::string& word : words) {
    HostItem item;
    std::string_view rest = word;
    if (rest.starts_with('~')) item.excluded = true, rest.remove_prefix(1);
    if (const std::size_t plus = rest.rfind('+'); plus != std::string_view::npos) {
      const auto preference = parse_whole(rest.substr(plus + 1), 0, kMaxTasks);
      if (!preference) return unexpected(word, "a whole number after +");
      item.preference = *preference;
      rest = rest.substr(0, plus);
    }
    if (rest.ends_with('!')) item.first_execution = true, rest.remove_suffix(1);
    if (const std::size_t at = rest.find('@'); at != std::string_view::npos) {
      item.cluster = std::string(rest.substr(at + 1));
      rest = rest.substr(0, at);
      if (!host_name(item.cluster)) return unexpected(word, "HOST@CLUSTER");
    }
    item.name = std::string(rest);
    if (!item.cluster.empty() && without_cluster(item.name))
      return unexpected(word, "HOST@CLUSTER or all@CLUSTER");
    if (item.name.empty())
      return unexpected(word, "the name of a host, a group, all, others, allremote or none");
    items.push_back(std::move(item));
  }
  const bool all = std::any_of(items.begin(), items.end(), [](const HostItem& item) {
    return !item.excluded && (item.name == "all" || item.name == "allremote");
  });
  for (const HostItem& item : items) {
    if (item.excluded && !all) return unexpected("~" + item.name, "~ only in a list with all");
    if (item.name == "none" && items.size() > 1) return unexpected("none", "none alone");
  }
  return items;
}

std::string name_of(const HostItem& item) {
  return (item.excluded ? "~" : "") + item.name + (item.cluster.empty() ? "" : "@" + item.cluster);
}

bool names_borrowed(const HostItem& item, std::string_view own) {
  if (item.excluded) return false;
  return item.cluster.empty() ? item.name == "allremote" : item.cluster != own;
}

Result<Threshold> parse_threshold(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view schedule = trim(text.substr(0, slash));
  const std::string_view stop =
      slash == std::string_view::npos ? std::string_view{} : trim(text.substr(slash + 1));
  Threshold threshold;
  threshold.schedule = parse_real(schedule);
  threshold.stop = parse_real(stop);
  const bool odd = (!schedule.empty() && schedule != "-" && !threshold.schedule) ||
                   (!stop.empty() && stop != "-" && !threshold.stop);
  if (odd) return unexpected(text, "LOADSCHED/LOADSTOP, numbers");
  return threshold;
}

Result<TimeLimit> parse_time_limit(std::string_view word) {
  TimeLimit limit;
  const std::size_t slash = word.find('/');
  std::string_view time = word.substr(0, slash);
  if (slash != std::string_view::npos) limit.host_spec = std::string(word.substr(slash + 1));
  const std::size_t colon = time.find(':');
  const auto hours = colon == std::string_view::npos ? 0 : parse_whole(time.substr(0, colon), 0, kMostHours);
  if (colon != std::string_view::npos) time = time.substr(colon + 1);
  // Minutes of a limit without hours may have a fraction: the manual prints "3.5".
  const auto minutes = parse_real(time);
  if (!hours || !minutes || *minutes < 0 || *minutes > kMaxSeconds ||
      (slash != std::string_view::npos && limit.host_spec.empty()))
    return unexpected(word, "[HOURS:]MINUTES[/HOST_SPEC]");
  limit.time =
      std::chrono::hours(*hours) + std::chrono::milliseconds(static_cast<long long>(*minutes * 60'000));
  return limit;
}

Result<std::vector<Block>> parse_blocks(std::string_view text) {
  std::vector<Block> blocks;
  std::string_view rest = trim(text);
  while (!rest.empty()) {
    const std::size_t end = rest.find_first_of(" \t\r\v\f[");
    Block block{std::string(rest.substr(0, end)), std::nullopt};
    if (block.name.empty() || block.name.find(']') != std::string::npos) return unexpected(rest, "NAME[...]");
    rest = end == std::string_view::npos ? std::string_view{} : trim_left(rest.substr(end));
    if (rest.starts_with('[')) {
      const std::size_t close = closing(rest);
      if (close == std::string_view::npos) return unexpected(rest, "a closing ]");
      block.inside = std::string(trim(rest.substr(1, close - 1)));
      rest = trim_left(rest.substr(close + 1));
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

Result<JobControls> parse_job_controls(std::string_view text) {
  const auto blocks = parse_blocks(text);
  if (!blocks) return blocks.error();
  JobControls controls;
  for (const Block& block : *blocks) {
    std::string* target = same_name(block.name, "SUSPEND")     ? &controls.suspend
                          : same_name(block.name, "RESUME")    ? &controls.resume
                          : same_name(block.name, "TERMINATE") ? &controls.terminate
                                                               : nullptr;
    if (!target || !block.inside)
      return unexpected(block.name, "SUSPEND[...], RESUME[...] or TERMINATE[...]");
    *target = *block.inside;
  }
  return controls;
}

Result<RequeueExits> parse_requeue_exits(std::string_view text) {
  RequeueExits exits;
  std::string rest(text);
  const std::size_t exclude = lower(rest).find("exclude(");
  if (exclude != std::string::npos) {
    const std::size_t close = rest.find(')', exclude);
    if (close == std::string::npos) return unexpected(text, "a closing )");
    for (const std::string& word :
         split_words(std::string_view(rest).substr(exclude + 8, close - exclude - 8))) {
      const auto code = parse_whole(word, 0, 255);
      if (!code) return unexpected(word, "an exit code from 0 to 255");
      exits.excluded.push_back(*code);
    }
    rest.erase(exclude, close - exclude + 1);
  }
  const auto words = split_words(rest);
  exits.all =
      std::any_of(words.begin(), words.end(), [](const std::string& word) { return same_name(word, "all"); });
  for (const std::string& word : words) {
    if (same_name(word, "all")) continue;
    const bool negated = word.starts_with('~');
    const auto code = parse_whole(std::string_view(word).substr(negated ? 1 : 0), 0, 255);
    if (!code || negated != exits.all) return unexpected(word, "exit codes from 0 to 255, or all ~CODE ...");
    exits.codes.push_back(*code);
  }
  return exits;
}

bool member_pattern(std::string_view word) { return word.find_first_of("*[") != std::string_view::npos; }

Result<std::string> parse_member(std::string_view word) {
  const Error error = unexpected(word, "a name, NAME* or NAME[1-10,15]");
  std::string_view name = word.starts_with('~') ? word.substr(1) : word;
  if (word == "!") return std::string(word);
  if (const std::size_t at = name.find('@'); at != std::string_view::npos) name = name.substr(0, at);
  if (name.ends_with('*')) {
    name.remove_suffix(1);
  } else if (const std::size_t open = name.find('['); open != std::string_view::npos) {
    if (!name.ends_with(']')) return error;
    const auto ranges = split_words(name.substr(open + 1, name.size() - open - 2), ",");
    for (const std::string& range : ranges) {
      const std::size_t dash = range.find('-');
      const auto first = parse_whole(range.substr(0, dash), 0, kMaxTasks);
      const auto last = dash == std::string::npos ? first : parse_whole(range.substr(dash + 1), 0, kMaxTasks);
      if (!first || !last || *last < *first) return error;
    }
    if (ranges.empty()) return error;
    name = name.substr(0, open);
  }
  if (!name.empty() && !host_name(name)) return error;
  if (name.empty() && !member_pattern(word)) return error;
  return std::string(word);
}

bool member_matches(std::string_view word, std::string_view host) {
  if (word.starts_with('~')) word.remove_prefix(1);
  if (word == "all") return true;
  const std::size_t special = word.find_first_of("*[");
  if (special == std::string_view::npos) return same_name(word, host);
  if (host.size() < special || !same_name(word.substr(0, special), host.substr(0, special))) return false;
  if (word[special] == '*') return true;
  const auto number = parse_whole(host.substr(special), 0, kMaxTasks);
  if (!number) return false;
  const std::size_t close = word.find(']', special);
  for (const std::string& range : split_words(word.substr(special + 1, close - special - 1), ",")) {
    const std::size_t dash = range.find('-');
    const auto first = parse_whole(range.substr(0, dash), 0, kMaxTasks);
    const auto last = dash == std::string::npos ? first : parse_whole(range.substr(dash + 1), 0, kMaxTasks);
    if (first && last && *number >= *first && *number <= *last) return true;
  }
  return false;
}

}  // namespace rollcall::conf
