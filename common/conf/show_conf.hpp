// What `lsadmin ckconfig` and `lsadmin showconf` print: the verdict on a set of files, and its parameters as programs
// understand them. Pure text; the commands read the files and print.
#pragma once

#include <string>
#include <vector>

#include "common/conf/cluster_files.hpp"

namespace rollcall::conf {

struct ShownParameter {
  std::string name;
  std::string value;  // as it takes effect; "" where there is none
  std::string where;  // "FILE:LINE", or "default"
};

// The parameters that the load system reads: those of lsf.conf by name (read ones with their default, others as written), then
// section Parameters of lsf.cluster.NAME.
std::vector<ShownParameter> shown_parameters(const ClusterFiles& files);

// "KEY = VALUE" lines; with `verbose` "KEY = VALUE  # FILE:LINE". A value with a blank at an end or a "#" is in quotes.
std::string show_conf_text(const std::vector<ShownParameter>& parameters, bool verbose);

// "FILE:LINE: found X, expected Y" for each error, with `verbose` for each warning and file too; then the verdict as
// one line: "No errors found." or "There are N errors.", with the warnings that were not shown.
std::string check_text(const Problems& problems, const std::vector<std::string>& files, bool verbose);

}  // namespace rollcall::conf
