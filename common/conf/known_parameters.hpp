// KnownParameters: every LSF parameter of lsf.conf and lsb.params that we know of, and whether it has an effect here.
//
// Sites bring their files along. What is set there and does nothing is said once in the log of mbatchd, so that nobody
// believes in it. A value; what a parameter means is in the man pages of the files.
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

// One line for each that is set and has no effect: "lsf.conf:12: LSF_AUTH has no effect: ...".
std::vector<std::string> parameters_without_effect(const LsfConf& lsf_conf, const LsbParams& params);

}  // namespace rollcall::conf
