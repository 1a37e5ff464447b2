#include "sched/policy/show/show_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "common/base/job_numbers.hpp"
#include "common/base/table_cells.hpp"
#include "common/base/terminal_text.hpp"

namespace rollcall::sched::show {
namespace {

constexpr std::size_t kColumns = 79;
constexpr std::size_t kIndent = 21;
constexpr double kKilo = 1024;

struct StatusName {
  wire::JobStatus status;
  std::string_view word;
};
constexpr std::array<StatusName, 12> kStatuses{{{wire::STATUS_PEND, "PEND"},
                                                {wire::STATUS_PSUSP, "PSUSP"},
                                                {wire::STATUS_RUN, "RUN"},
                                                {wire::STATUS_SSUSP, "SSUSP"},
                                                {wire::STATUS_USUSP, "USUSP"},
                                                {wire::STATUS_EXIT, "EXIT"},
                                                {wire::STATUS_DONE, "DONE"},
                                                {wire::STATUS_WAIT, "WAIT"},
                                                {wire::STATUS_ZOMBI, "ZOMBI"},
                                                {wire::STATUS_UNKWN, "UNKWN"},
                                                {wire::STATUS_PROV, "PROV"},
                                                {wire::STATUS_NULL, "NULL"}}};

constexpr std::string_view kSizeLetters = "KMGTPEZ";

// At most one decimal digit; none if it is zero.
std::string scaled_number(double value) {
  std::string text = fixed(value, 1);
  if (text.size() > 2 && text.substr(text.size() - 2) == ".0") text.resize(text.size() - 2);
  return text;
}

std::pair<std::string, char> scaled(std::int64_t kb) {
  double value = static_cast<double>(kb) / kKilo;
  std::size_t letter = 1;
  while (value >= kKilo && letter + 1 < kSizeLetters.size()) {
    value /= kKilo;
    ++letter;
  }
  return {letter == 1 ? fixed(value, 0) : scaled_number(value), kSizeLetters[letter]};
}

// Length in bytes of the first character; 0: invalid UTF-8 (cut short, overlong, a surrogate).
std::size_t character_bytes(std::string_view rest) {
  const auto byte = [&rest](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t bytes = first >= 0xc2 && first < 0xe0   ? 2
                            : first >= 0xe0 && first < 0xf0 ? 3
                            : first >= 0xf0 && first < 0xf5 ? 4
                                                            : 0;
  if (bytes == 0 || bytes > rest.size()) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool wrong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0) ||
                     (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) >= 0x90);
  return wrong ? 0 : bytes;
}

// JSON must be UTF-8, and a job's name may be other bytes: one such name would make the whole output invalid.
std::string readable(std::string_view value) {
  std::string text;
  while (!value.empty()) {
    const std::size_t bytes = character_bytes(value);
    const bool control = bytes == 2 && find_control(value.substr(0, 2), Controls::none) == 0;
    text += bytes == 0 || control ? "\xef\xbf\xbd" : value.substr(0, bytes);
    value.remove_prefix(std::max<std::size_t>(1, bytes));
  }
  return text;
}

std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : readable(value)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '/') {
      text += '\\';
      text += c;
    } else if (c == '\n') {
      text += "\\n";
    } else if (c == '\t') {
      text += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", byte);
      text += code;
    } else {
      text += c;
    }
  }
  return text;
}

std::string range_text(const wire::IndexRange& range) {
  if (range.first() == range.last()) return std::to_string(range.first());
  std::string text = std::to_string(range.first()) + "-" + std::to_string(range.last());
  return range.step() > 1 ? text + ":" + std::to_string(range.step()) : text;
}

// A column of the threshold table: its width, and the position of a dash in it.
struct ThresholdColumn {
  std::string name;
  std::string header;
  std::size_t width;
  std::size_t dash;
};
const std::vector<ThresholdColumn>& built_in_columns() {
  static const std::vector<ThresholdColumn> columns{
      {"r15s", " r15s", 6, 3},  {"r1m", "   r1m", 6, 3},  {"r15m", "  r15m", 6, 3}, {"ut", "   ut", 6, 3},
      {"pg", "      pg", 8, 5}, {"io", "    io", 6, 3},   {"ls", "   ls", 5, 2},    {"it", "    it", 6, 3},
      {"tmp", "    tmp", 7, 3}, {"swp", "    swp", 7, 3}, {"mem", "    mem", 6, 3}};
  return columns;
}

std::string threshold_cell(const ThresholdColumn& column, std::optional<double> value) {
  std::string cell;
  if (!value)
    cell = std::string(column.dash, ' ') + "-";
  else
    cell = right(fixed(*value, *value == std::floor(*value) && *value >= 10 ? 0 : 1), column.dash + 2);
  return left(cell, column.width);
}

using Thresholds = google::protobuf::RepeatedPtrField<wire::BatchReply::NamedThreshold>;

std::string threshold_row(const char* label, const std::vector<ThresholdColumn>& columns,
                          const Thresholds& thresholds, bool stop) {
  std::string row = label;
  for (const auto& column : columns) {
    std::optional<double> value;
    for (const auto& threshold : thresholds)
      if (threshold.index() == column.name) {
        if (stop && threshold.has_stop()) value = threshold.stop();
        if (!stop && threshold.has_schedule()) value = threshold.schedule();
      }
    row += threshold_cell(column, value);
  }
  return row + "\n";
}

std::vector<ThresholdColumn> site_columns(const Thresholds& thresholds) {
  std::vector<ThresholdColumn> columns;
  for (const auto& threshold : thresholds) {
    const auto& known = built_in_columns();
    if (std::any_of(known.begin(), known.end(), [&](const auto& c) { return c.name == threshold.index(); }))
      continue;
    const std::size_t width = std::max<std::size_t>(7, threshold.index().size() + 1);
    columns.push_back({threshold.index(), right(threshold.index(), width), width, width - 2});
  }
  return columns;
}

std::string one_threshold_table(const std::vector<ThresholdColumn>& columns, const Thresholds& thresholds,
                                std::size_t margin) {
  std::string text(margin, ' ');
  for (const auto& column : columns) text += column.header;
  return text + "\n" + threshold_row(" loadSched", columns, thresholds, false) +
         threshold_row(" loadStop ", columns, thresholds, true);
}

std::string json_text(const JsonValue& value) {
  return value.is_json ? value.text : "\"" + escaped(value.text) + "\"";
}

}  // namespace

namespace {

// The end of a line that begins at `at` and has at most `most` bytes; never within a UTF-8 character.
std::size_t cut_near(const std::string& text, std::size_t at, std::size_t most) {
  const std::size_t end = at + most;
  if (end >= text.size()) return text.size();
  const auto continues = [&text](std::size_t i) {
    return (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80;
  };
  std::size_t cut = end;
  while (end - cut < 3 && continues(cut)) --cut;
  return static_cast<unsigned char>(text[cut]) >= 0xc0 ? cut : end;
}

}  // namespace

std::string paragraph(const std::string& text, Wrapping wrapping) {
  if (wrapping == Wrapping::none || text.size() <= kColumns) return text + "\n";
  std::size_t at = cut_near(text, 0, kColumns);
  std::string lines = text.substr(0, at) + "\n";
  while (at < text.size()) {
    const std::size_t end = cut_near(text, at, kColumns - kIndent);
    lines += std::string(kIndent, ' ') + text.substr(at, end - at) + "\n";
    at = end;
  }
  return lines;
}

std::string right_apart(std::string_view value, std::size_t width) { return " " + right(value, width - 1); }

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string bytes_words(std::int64_t kb) {
  const auto [number, letter] = scaled(kb);
  return number + " " + letter + "bytes";
}

std::string bytes_in(std::int64_t kb, const std::string& unit) {
  if (unit.empty()) return bytes_words(kb);
  const char letter = unit.front() >= 'a' ? static_cast<char>(unit.front() - 'a' + 'A') : unit.front();
  if (letter == 'S') {
    const auto [number, scale] = scaled(kb);
    return number + " " + scale;
  }
  const auto place = kSizeLetters.find(letter);
  if (place == std::string_view::npos) return bytes_words(kb);
  return fixed(static_cast<double>(kb) / std::pow(kKilo, static_cast<double>(place)), 2) + " " + unit;
}

std::string limit_words(std::int64_t kb) {
  std::int64_t value = kb;
  std::size_t letter = 0;
  double shown = static_cast<double>(value);
  while (shown >= kKilo && letter + 1 < kSizeLetters.size()) {
    shown /= kKilo;
    ++letter;
  }
  return scaled_number(shown) + " " + kSizeLetters[letter];
}

std::string cpu_clock(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds);
  char text[64];
  std::snprintf(text, sizeof text, "%03lld:%02lld:%05.2f", static_cast<long long>(whole / 3600),
                static_cast<long long>(whole / 60 % 60),
                static_cast<double>(whole % 60) + (seconds - static_cast<double>(whole)));
  return text;
}

std::string duration_words(std::int64_t seconds, bool hms) {
  if (!hms) return std::to_string(seconds) + " second(s)";
  char text[64];
  std::snprintf(text, sizeof text, "%02lld:%02lld:%02lld", static_cast<long long>(seconds / 3600),
                static_cast<long long>(seconds / 60 % 60), static_cast<long long>(seconds % 60));
  return text;
}

void at_speed(wire::JobUsage& usage, double own, double speed) {
  const double times = (own > 0 ? own : 1) / speed;
  usage.set_user_s(usage.user_s() * times);
  usage.set_system_s(usage.system_s() * times);
  for (auto& host : *usage.mutable_hosts()) {
    host.set_user_s(host.user_s() * times);
    host.set_system_s(host.system_s() * times);
  }
}

std::string_view status_word(wire::JobStatus status) {
  for (const auto& known : kStatuses)
    if (known.status == status) return known.word;
  return "NULL";
}

wire::JobStatus status_of(std::string_view word) {
  for (const auto& known : kStatuses)
    if (known.word == word) return known.status;
  return wire::STATUS_NULL;
}

std::string exec_host_word(const wire::ExecHost& host) {
  return host.slots() > 1 ? std::to_string(host.slots()) + "*" + host.name() : host.name();
}

std::string exec_host_words(const wire::JobRecord& job, std::string_view between) {
  std::string words;
  for (const auto& host : job.hosts()) {
    if (!words.empty()) words += between;
    words += exec_host_word(host);
  }
  return words;
}

std::uint32_t slots_of(const wire::JobRecord& job) {
  std::uint32_t slots = 0;
  for (const auto& host : job.hosts()) slots += host.slots();
  return slots;
}

std::string shown_name(const wire::JobRecord& job, const wire::Submission& asked) {
  std::string name = asked.job_name().empty() ? asked.command() : asked.job_name();
  if (job.key().index() > 0) name += "[" + std::to_string(job.key().index()) + "]";
  return name;
}

std::string array_spec(const wire::Submission& asked) {
  std::string ranges;
  for (const auto& range : asked.indices()) ranges += (ranges.empty() ? "" : ",") + range_text(range);
  std::string text = asked.job_name() + "[" + ranges + "]";
  return asked.array_slots() > 0 ? text + "%" + std::to_string(asked.array_slots()) : text;
}

std::string with_job_numbers(const std::string& path, const wire::JobKey& key) {
  return rollcall::with_job_numbers(path, key.id(), key.index());
}

std::string home_word(const std::string& path, const std::string& home) {
  if (home.size() < 2 || path.compare(0, home.size(), home) != 0) return path;
  if (path.size() > home.size() && path[home.size()] != '/') return path;
  return "$HOME" + path.substr(home.size());
}

std::string threshold_table(const Thresholds& thresholds) {
  std::string text = one_threshold_table(built_in_columns(), thresholds, 10);
  if (const auto site = site_columns(thresholds); !site.empty())
    text += "\n" + one_threshold_table(site, thresholds, 10);
  return text;
}

std::string json_record(const JsonRecord& record) {
  std::string text = "    {\n";
  for (std::size_t i = 0; i < record.size(); ++i)
    text += "      \"" + escaped(record[i].first) + "\":" + json_text(record[i].second) +
            (i + 1 < record.size() ? ",\n" : "\n");
  return text + "    }";
}

std::string json_document(const std::string& command, const std::string& count_key,
                          const std::vector<std::string>& records) {
  std::string text = "{\n  \"COMMAND\":\"" + command + "\",\n  \"" + count_key +
                     "\":" + std::to_string(records.size()) + ",\n  \"RECORDS\":[\n";
  for (std::size_t i = 0; i < records.size(); ++i)
    text += records[i] + (i + 1 < records.size() ? ",\n" : "\n");
  return text + "  ]\n}\n";
}

}  // namespace rollcall::sched::show
