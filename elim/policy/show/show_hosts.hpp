// What lshosts prints, and the shared resources of lshosts -s and lsload -s: tables and JSON of an answer of the master.
// Pure. The columns are those of "IBM Spectrum LSF 10.1"; a header never changes.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/wire/load.pb.h"

namespace rollcall::elim::show {

using Hosts = wire::Reply::Hosts;
using Shareds = wire::Reply::Shareds;

// lshosts, and lshosts -w: names, types and models are not cut.
std::string hosts_table(const Hosts& hosts, bool wide);
// lshosts -l: a block for each host. `indices`: the names of the threshold columns, in lsload's order.
std::string hosts_long(const Hosts& hosts, const std::vector<std::string>& indices);
// lshosts -o FORMAT (common/base/output_format.hpp): the columns of -l by name, and RESOURCES.
Result<std::string> hosts_fields(const Hosts& hosts, const std::string& format);
// lshosts -T: the topology tree of each host.
std::string hosts_topology(const Hosts& hosts);
std::string hosts_json(const Hosts& hosts);

// RESOURCE VALUE LOCATION; a resource that every host shares says ALL.
std::string shareds_table(const Shareds& shareds);
std::string shareds_json(const Shareds& shareds, const std::string& command);

}  // namespace rollcall::elim::show
