// WithoutEffect: LSF's keywords and sections that have no effect here. Where a site sets one, ckconfig and the log of the daemon
// that reads the file warn of it, with file and line.
//
// Parameters of lsf.conf and lsb.params are in known_parameters.hpp. check_keywords() warns of unknown keywords.
#pragma once

#include <string_view>
#include <vector>

#include "common/conf/problems.hpp"
#include "common/conf/row_reader.hpp"
#include "common/conf/section_file.hpp"

namespace rollcall::conf {

struct KeywordWithoutEffect {
  std::string_view file;     // lsf.shared, lsf.cluster, lsb.queues ...
  std::string_view section;  // "Queue"
  std::string_view keyword;  // "": the whole section
  std::string_view why;
};
const std::vector<KeywordWithoutEffect>& keywords_without_effect();

// Adds the keywords of a section of `file` that have no effect to the known ones, so that check_keywords() does not warn of them.
void add_without_effect(std::string_view file, std::string_view section, std::vector<std::string>& known);
Keywords with_known(std::string_view file, std::string_view section, Keywords keywords);
// A warning for each that is set, at its first place in the file.
void tell_without_effect(std::string_view file, const SectionFile& sections, Problems& problems);

}  // namespace rollcall::conf
