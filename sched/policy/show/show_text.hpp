// show_text: the parts of the b* commands' tables: wrapped paragraphs, dates, sizes, names of states, JSON records. Pure.
//
// Programs parse these texts, so they equal the output of "IBM Spectrum LSF 10.1" byte for byte. The clock and the time zone are
// passed in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/civil_time.hpp"
#include "common/base/wall_time.hpp"
#include "common/wire/batch.pb.h"

namespace rollcall::sched::show {

// The time at which a table is made, and the time zone.
struct ShowTime {
  WallTime now;
  LocalTime local;

  std::string shortly(std::int64_t us) const { return short_date(local(us / 1'000'000)); }
  std::string at(std::int64_t us) const { return long_date(local(us / 1'000'000)); }
  std::string numbers(std::int64_t us) const { return numeric_date(local(us / 1'000'000)); }
};

// Paragraphs of -l: 79 columns, cut anywhere, also within words; continuation lines begin with 21 blanks. -UF: one line each.
enum class Wrapping { at_80, none };
std::string paragraph(const std::string& text, Wrapping wrapping);

// As right(), but a value that fills the width has a blank before it all the same.
std::string right_apart(std::string_view value, std::size_t width);
std::string fixed(double value, int digits);
// "12 Mbytes", "2.9 Gbytes", "16 Gbytes".
std::string bytes_words(std::int64_t kb);
// Sizes of -o: in `unit` ("G", "MB"; two decimals); "S": scaled, without "bytes"; else as bytes_words().
std::string bytes_in(std::int64_t kb, const std::string& unit);
// "2 G", "512 M", "100 K": limits in tables.
std::string limit_words(std::int64_t kb);
// "000:00:03.37".
std::string cpu_clock(double seconds);
// "79 second(s)"; with `hms` "00:01:19".
std::string duration_words(std::int64_t seconds, bool hms);

// -N: scales CPU times from a host of CPU factor `own` (0: unknown, taken as 1) to the CPU factor `speed`.
void at_speed(wire::JobUsage& usage, double own, double speed);

// "PEND", "RUN", ...: the column STAT.
std::string_view status_word(wire::JobStatus status);
// 0 (STATUS_NULL): no such status.
wire::JobStatus status_of(std::string_view word);

// "4*hostA"; "hostA" for one slot.
std::string exec_host_word(const wire::ExecHost& host);
// The words of all hosts, separated by `between`; "": the job has none.
std::string exec_host_words(const wire::JobRecord& job, std::string_view between);
std::uint32_t slots_of(const wire::JobRecord& job);

// The column JOB_NAME: the job's name, with the index of an element, or else its command.
std::string shown_name(const wire::JobRecord& job, const wire::Submission& asked);
// "name[1-10]", "name[1-9:2,20]%4": the whole array.
std::string array_spec(const wire::Submission& asked);
// Expands %J and %I in a path.
std::string with_job_numbers(const std::string& path, const wire::JobKey& key);
// "$HOME/x" for a path below `home`, the submitter's home directory.
std::string home_word(const std::string& path, const std::string& home);

// The table of loadSched and loadStop, with its header; then tables of the site's indices.
std::string threshold_table(
    const google::protobuf::RepeatedPtrField<wire::BatchReply::NamedThreshold>& thresholds);

// {"COMMAND":"bjobs","JOBS":1,"RECORDS":[...]} as LSF writes it: values are strings, "/" is "\/".
struct JsonValue {
  JsonValue(std::string words) : text(std::move(words)) {}  // NOLINT: a string is a value
  JsonValue(const char* words) : text(words) {}             // NOLINT
  // A value that is no string: a list of a field that LSF does not have.
  static JsonValue json(std::string json) {
    JsonValue value(std::move(json));
    value.is_json = true;
    return value;
  }
  std::string text;
  bool is_json = false;
};
using JsonRecord = std::vector<std::pair<std::string, JsonValue>>;
std::string json_record(const JsonRecord& record);
std::string json_document(const std::string& command, const std::string& count_key,
                          const std::vector<std::string>& records);

}  // namespace rollcall::sched::show
