// KnownParameters: every LSF parameter of lsf.conf and lsb.params that we know, and whether it has an effect here.
//
// Sites bring their files along. A parameter that is set and has no effect gets a warning from ckconfig and in each daemon's log.
// A value; the meaning of a parameter is in the man page of its file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/conf/lsb/lsb_params.hpp"
#include "common/conf/lsf_conf.hpp"

namespace rollcall::conf {

struct KnownParameter {
  enum class File { lsf_conf, lsb_params };
  enum class Effect {
    some,
    later,  // its feature is not built yet
    none,
  };
  std::string_view name;
  File file = File::lsf_conf;
  Effect effect = Effect::some;
  std::string_view why;  // for `none` and `later`: why, and what happens instead
};
const std::vector<KnownParameter>& known_parameters();

// Whether a parameter of lsb.params has an effect; false for unknown names.
bool has_effect(std::string_view parameter);

// A warning for each that is set and has no effect: "LSF_AUTH has no effect: ...".
void tell_without_effect(const LsfConf& lsf_conf, Problems& problems);
void tell_without_effect(const LsbParams& params, Problems& problems);

}  // namespace rollcall::conf
