#include "common/conf/forward_settings.hpp"

#include "common/conf/settings_reader.hpp"

namespace rollcall::conf {

ForwardSettings read_forward_settings(const LsfConf& lsf_conf, Problems& problems) {
  SettingsReader in(lsf_conf, problems);
  return {in.yes_no("MC_PLUGIN_REMOTE_RESOURCE", false), in.yes_no("ROLLCALL_FORWARD_ROOM_FIRST", false)};
}

ForwardSettings forward_settings(const ClusterFiles& files) {
  Problems known;
  return read_forward_settings(files.lsf_conf, known);
}

}  // namespace rollcall::conf
