// What bhosts prints: rows, blocks, shared resources, fields, JSON. Pure. Columns as of "IBM Spectrum LSF 10.1".
#pragma once

#include <string>

#include "sched/policy/show/show_queues.hpp"

namespace rollcall::sched::show {

using BatchHosts = wire::BatchReply::BatchHosts;

enum class StatusForm {
  short_word,  // "closed"
  long_word,   // "closed_Full": -w, -l, -o
};
std::string host_status(const wire::BatchReply::BatchHost& host, StatusForm form);

std::string batch_hosts_table(const BatchHosts& hosts, bool wide);
std::string batch_hosts_long(const BatchHosts& hosts);
Result<std::string> batch_hosts_fields(const BatchHosts& hosts, const std::string& format, FieldForm form);
inline constexpr const char* kDefaultHostFields = "host_name status jl_u max njobs run ssusp ususp rsv";

// Without -X: the hosts of a condensed group (lsb.hosts, CONDENSE) are one row of its name, with the sums of them all; it is
// ok where one of them is.
BatchHosts condensed(const BatchHosts& hosts);

// bhosts -gpu: a row for each GPU that an elim counts, and its jobs; "" where no host has one.
std::string batch_hosts_gpus(const BatchHosts& hosts, bool wide);

// bhosts -s: RESOURCE TOTAL RESERVED LOCATION.
std::string shared_rows_table(const wire::BatchReply::SharedRows& rows);

}  // namespace rollcall::sched::show
