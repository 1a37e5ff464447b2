// What lsinfo prints: the resources, host types and host models of a cluster. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/wire/load.pb.h"

namespace rollcall::elim::show {

using Information = wire::Reply::Resources;

struct InformationParts {
  bool resources = true, types = true, models = true;  // lsinfo; -r, -t, -m choose
  bool all_models = false;                             // -M: with their architectures
};

std::string information_text(const Information& information, const InformationParts& parts);

// lsinfo [-l] name...: the named resources alone; `complete` as -l shows them. An unknown name is an error.
Result<std::string> resources_text(const Information& information, const std::vector<std::string>& names,
                                   bool complete);

// lsinfo -l without names: every resource in full.
std::string information_json(const Information& information);

}  // namespace rollcall::elim::show
