// ForwardSettings: what lsf.conf says of the choice of a remote queue. A value.
#pragma once

#include "common/conf/cluster_files.hpp"

namespace rollcall::conf {

struct ForwardSettings {
  bool remote_resource =
      false;                // MC_PLUGIN_REMOTE_RESOURCE; MC_PLUGIN_SCHEDULE_ENHANCE of lsb.params implies it
  bool room_first = false;  // ROLLCALL_FORWARD_ROOM_FIRST
};

ForwardSettings read_forward_settings(const LsfConf& lsf_conf, Problems& problems);
// The same of files that were read, whose errors are known.
ForwardSettings forward_settings(const ClusterFiles& files);

}  // namespace rollcall::conf
