// export_text: the exports in force as sections of lsb.resources, which a later mbatchd reads again. Functions.
//
// They may come from several earlier versions of lsb.resources (kept_exports.hpp), so no version has them all. Limits and the other
// sections are not written: a slip ends none of these.
#pragma once

#include <string>
#include <string_view>

#include "common/conf/lsb/lsb_resources.hpp"

namespace rollcall::sched::lease {

// read_export_text() of it gives the same exports in the same order, but for their places.
std::string export_text(const conf::LsbResources& resources);
// `name`: the file of their places. An invalid section is left out.
conf::LsbResources read_export_text(std::string_view text, const std::string& name);

}  // namespace rollcall::sched::lease
