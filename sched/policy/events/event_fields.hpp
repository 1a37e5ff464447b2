// Line: makes one record of lsb.events or lsb.acct; and functions for groups of fields that several kinds of records have. For
// event_lines.cpp and account_lines.cpp alone; event_lines.hpp describes the format.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "common/base/terminal_text.hpp"
#include "sched/policy/events/event_lines.hpp"
#include "sched/policy/events/event_options.hpp"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched::events::event_fields {

inline constexpr std::string_view kVersion = "10.1";
inline constexpr std::int64_t kNone = -1;  // an unknown limit or usage

// A record under construction.
class Line {
 public:
  Line(std::string_view type, std::int64_t at_us) {
    string(type);
    string(kVersion);
    number(at_us / 1'000'000);
  }

  Line& string(std::string_view text) {
    begin();
    line_ += '"';
    if (is_plain(text)) {
      line_ += text;
      line_ += '"';
      return *this;
    }
    std::string quoted;
    for (const char c : text) {
      if (c == '\n' || c == '\r')
        quoted += ';';
      else if (c == '"')
        quoted += "\"\"";
      else
        quoted += c;
    }
    // Strips control characters, which stores of older releases may have: people read the file on terminals.
    line_ += terminal_text(quoted, Controls::newline_and_tab);
    line_ += '"';
    return *this;
  }
  Line& number(std::int64_t value) {
    begin();
    line_ += std::to_string(value);
    return *this;
  }
  Line& real(double value, int digits = 6) {
    char text[64];
    const int size = std::snprintf(text, sizeof text, "%.*f", digits, std::isfinite(value) ? value : 0.0);
    begin();
    line_.append(text, static_cast<std::size_t>(std::clamp<int>(size, 0, sizeof text - 1)));
    return *this;
  }
  // Not quoted: hosts of the usage per host.
  Line& word(std::string_view text) {
    begin();
    line_ += text;
    return *this;
  }

  std::string end() { return std::move(line_) + "\n"; }

 private:
  // Most texts have no byte that has to be quoted or stripped.
  static bool is_plain(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7f && c != '"'; });
  }
  void begin() {
    if (!line_.empty()) line_ += ' ';
  }
  std::string line_;
};

inline std::int64_t seconds(std::int64_t us) { return us / 1'000'000; }

// A limit that was not given is -1.
inline std::int64_t limit(bool given, std::int64_t value) { return given ? value : kNone; }

template <class Hosts>
void put_hosts(Line& line, const Hosts& hosts, const EventStyle& style) {
  std::int64_t items = 0;
  for (const auto& host : hosts) items += style.short_hosts ? 1 : host.slots();
  line.number(items);
  for (const auto& host : hosts) {
    if (style.short_hosts)
      line.string(host.slots() == 1 ? host.name() : std::to_string(host.slots()) + "*" + host.name());
    else
      for (std::uint32_t slot = 0; slot < host.slots(); ++slot) line.string(host.name());
  }
}

void put_limits(Line& line, const wire::Limits& of);
void put_asked_hosts(Line& line, const wire::Submission& asked);
void put_transfers(Line& line, const wire::Submission& asked);
void put_usage(Line& line, const wire::JobUsage& usage);  // the 19 fields of lsfRusage

std::string job_file(const JobKey& key, std::int64_t submit_us);
std::int64_t least_slots(const wire::Submission& asked);
std::int64_t most_slots(const wire::Submission& asked);

}  // namespace rollcall::sched::events::event_fields
