// show_batch_hosts: the output of bhosts: rows, blocks, shared resources, fields, JSON. Pure. Columns of "IBM Spectrum LSF 10.1".
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

// Without -X: a condensed group (lsb.hosts, CONDENSE) is one row under its name, with the sums of its hosts. It is ok if one of
// them is.
BatchHosts condensed(const BatchHosts& hosts);

// bhosts -gpu: a row for each GPU that an elim counts, with its jobs; "": no host has one.
std::string batch_hosts_gpus(const BatchHosts& hosts, bool wide);

// bhosts -s: RESOURCE TOTAL RESERVED LOCATION.
std::string shared_rows_table(const wire::BatchReply::SharedRows& rows);
std::string shared_rows_json(const wire::BatchReply::SharedRows& rows);

}  // namespace rollcall::sched::show
