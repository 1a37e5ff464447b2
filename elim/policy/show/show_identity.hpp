// What lsid and lsclusters print. Pure.
#pragma once

#include <string>

#include "common/wire/load.pb.h"

namespace rollcall::elim::show {

using Identity = wire::Reply::Identity;

// `product`: the first line; programs look for a word and "<digits.dots>," in it, so a site may choose it
// (ROLLCALL_PRODUCT in lsf.conf).
std::string identity_text(const Identity& identity, const std::string& product);
std::string identity_json(const Identity& identity, const std::string& product);

// One row: this cluster. "ok", or "unavail" where no master answers.
std::string clusters_table(const Identity& identity, bool wide);
std::string clusters_json(const Identity& identity);

}  // namespace rollcall::elim::show
