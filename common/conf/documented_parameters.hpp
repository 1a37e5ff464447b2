// DocumentedParameters: parameters of LSF 10.1's manual without effect here, grouped by the reason. A value; known_parameters()
// joins them with the parameters that have an effect or a reason of their own.
#pragma once

#include <string_view>
#include <vector>

#include "common/conf/known_parameters.hpp"

namespace rollcall::conf {

struct DocumentedParameters {
  KnownParameter::File file;
  KnownParameter::Effect effect;  // none or later
  std::string_view why;
  std::vector<std::string_view> names;
};
const std::vector<DocumentedParameters>& documented_parameters();

}  // namespace rollcall::conf
