// KnownParameters: every LSF parameter of lsf.conf and lsb.params that we know of, and whether it has an effect here.
//
// Sites bring their files along. What is set there and does nothing is a warning of who reads the file: ckconfig, and each
// daemon in its log. A value; what a parameter means is in the man pages of the files.
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
    later,  // what it belongs to is not built yet
    none,
  };
  std::string_view name;
  File file = File::lsf_conf;
  Effect effect = Effect::some;
  std::string_view why;  // of `none` and `later`: what happens instead
};
const std::vector<KnownParameter>& known_parameters();

// Of lsb.params: false for unknown names too.
bool has_effect(std::string_view parameter);

// A warning for each that is set and has no effect: "LSF_AUTH has no effect: ...".
void tell_without_effect(const LsfConf& lsf_conf, Problems& problems);
void tell_without_effect(const LsbParams& params, Problems& problems);

}  // namespace rollcall::conf
