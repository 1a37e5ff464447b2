// What the tables of the b* commands are made of: wrapped paragraphs, dates, sizes, names of states, JSON records. Pure.
//
// Programs parse these texts, byte for byte: "IBM Spectrum LSF 10.1" output is the model. The clock and the time zone are
// handed in.
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

// When a table is made, and where.
struct ShowTime {
  WallTime now;
  LocalTime local;

  std::string shortly(std::int64_t us) const { return short_date(local(us / 1'000'000)); }
  std::string at(std::int64_t us) const { return long_date(local(us / 1'000'000)); }
  std::string numbers(std::int64_t us) const { return numeric_date(local(us / 1'000'000)); }
};

// Paragraphs of -l: 79 columns, cut without regard to words, continued behind 21 blanks; -UF is one line each.
enum class Wrapping { at_80, none };
std::string paragraph(const std::string& text, Wrapping wrapping);

std::string fixed(double value, int digits);
// "12 Mbytes", "2.9 Gbytes", "16 Gbytes".
std::string bytes_words(std::int64_t kb);
// As -o shows sizes: in `unit` ("G", "MB"; two decimals), with "S" scaled and without "bytes", else as bytes_words().
std::string bytes_in(std::int64_t kb, const std::string& unit);
// "2 G", "512 M", "100 K": limits in tables.
std::string limit_words(std::int64_t kb);
// "000:00:03.37".
std::string cpu_clock(double seconds);
// "79 second(s)", or "00:01:19" where `hms` is asked for.
std::string duration_words(std::int64_t seconds, bool hms);

// -N: processor times as they would be at the speed of a CPU factor, measured at the speed of `own` (0: not known, 1).
void at_speed(wire::JobUsage& usage, double own, double speed);

// "PEND", "RUN", ...: as STAT shows it.
std::string_view status_word(wire::JobStatus status);
// 0 where there is none of that name.
wire::JobStatus status_of(std::string_view word);

// "4*hostA", or "hostA" where it is one slot.
std::string exec_host_word(const wire::ExecHost& host);
// Its words with `between` in between; "" for none.
std::string exec_host_words(const wire::JobRecord& job, std::string_view between);
std::uint32_t slots_of(const wire::JobRecord& job);

// What it is called in tables: the job's name, or its command; with the element's index behind a name.
std::string shown_name(const wire::JobRecord& job, const wire::Submission& asked);
// "name[1-10]", "name[1-9:2,20]%4": of the whole array.
std::string array_spec(const wire::Submission& asked);
// Its output file with %J and %I as they are for this job.
std::string with_job_numbers(const std::string& path, const wire::JobKey& key);
// "$HOME/x" where it is below the home of the submitter.
std::string home_word(const std::string& path, const std::string& home);

// The table loadSched and loadStop, with its header; further tables for indices of the site.
std::string threshold_table(
    const google::protobuf::RepeatedPtrField<wire::BatchReply::NamedThreshold>& thresholds);

// {"COMMAND":"bjobs","JOBS":1,"RECORDS":[...]} as LSF writes it: values are texts, "/" is "\/".
using JsonRecord = std::vector<std::pair<std::string, std::string>>;
std::string json_record(const JsonRecord& record);
std::string json_document(const std::string& command, const std::string& count_key,
                          const std::vector<std::string>& records);

}  // namespace rollcall::sched::show
