// The kinds of values that several lsb.* files share: shares, host lists with preferences, thresholds, time limits, job
// controls. Values with their parsers; an error has no place, the view that reads the row adds it.
//
// Whether a user, host or queue of that name exists is not asked here (lsb_files.hpp does). The grammar of each is at the
// top of values.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/job_clock.hpp"
#include "common/base/result.hpp"

namespace rollcall::conf {

// "[gold, 10]": of users, groups, clusters, or resources with an amount.
struct Share {
  std::string name;  // a trailing "@" (each member on its own) is kept
  double amount = 0;
  friend bool operator==(const Share&, const Share&) = default;
};
// `least`: the smallest valid amount.
Result<std::vector<Share>> parse_shares(std::string_view text, double least);
// The text is as LSF documents a list of shares: "([NAME, WHOLE] ...)", with or without the parentheses.
bool documented_shares(std::string_view text);

// One word of HOSTS: "all", "hostA+1", "grpB!", "host@cluster", "~hostC".
struct HostItem {
  std::string name;              // host, group, partition, compute unit, or all, others, allremote, none
  std::string cluster;           // behind "@"; "" where there is none
  int preference = 0;            // higher is preferred
  bool first_execution = false;  // "host!"
  bool excluded = false;         // "~host"
  friend bool operator==(const HostItem&, const HostItem&) = default;
};
Result<std::vector<HostItem>> parse_host_items(const std::vector<std::string>& words);
// "~host@cluster", without the preference.
std::string name_of(const HostItem& item);
// The word names hosts that other clusters lend to this one, `own`.
bool names_borrowed(const HostItem& item, std::string_view own);

// "loadSched/loadStop": either may be missing.
struct Threshold {
  std::optional<double> schedule;
  std::optional<double> stop;
  friend bool operator==(const Threshold&, const Threshold&) = default;
};
Result<Threshold> parse_threshold(std::string_view text);

// "[hour:]minute[/host_spec]".
struct TimeLimit {
  Duration time{0};
  std::string host_spec;  // a host or model whose speed the limit is meant for
  friend bool operator==(const TimeLimit&, const TimeLimit&) = default;
};
Result<TimeLimit> parse_time_limit(std::string_view word);

// "SUSPEND[...] RESUME[...] TERMINATE[...]": what stands in the brackets, "" where it is not given.
struct JobControls {
  std::string suspend, resume, terminate;
  friend bool operator==(const JobControls&, const JobControls&) = default;
};
Result<JobControls> parse_job_controls(std::string_view text);

// "1 3 EXCLUDE(20)", "all ~0 ~1".
struct RequeueExits {
  bool all = false;
  std::vector<int> codes;     // without `all`: those that requeue; with it: those that do not
  std::vector<int> excluded;  // EXCLUDE(): requeued, and not on the same host
  friend bool operator==(const RequeueExits&, const RequeueExits&) = default;
};
Result<RequeueExits> parse_requeue_exits(std::string_view text);

// "NAME[inside]": blocks in a row, blanks between them; the brackets may nest. A NAME without brackets is a block too.
struct Block {
  std::string name;
  std::optional<std::string> inside;
};
Result<std::vector<Block>> parse_blocks(std::string_view text);

// A member of a host group: "hostA", "host*", "host[1-10,15]", "~hostB", "all". Case does not matter.
bool member_pattern(std::string_view word);                         // `word` is more than a name
bool member_matches(std::string_view word, std::string_view host);  // a leading "~" is ignored
Result<std::string> parse_member(std::string_view word);            // the word, where it is valid

}  // namespace rollcall::conf
