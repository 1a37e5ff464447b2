#include "common/io/hosts_down.hpp"

#include "common/io/lim_client.hpp"

namespace rollcall::io {

std::set<std::string> hosts_down(const conf::ClusterFiles& files) {
  std::set<std::string> down;
  wire::Request request;
  request.mutable_load();
  const Answer answer = LimClient(files, std::chrono::seconds(1)).ask_master(request);
  for (const auto& load : answer.reply.loads().hosts())
    if (load.status().unavailable()) down.insert(load.host());
  return down;
}

std::string skipped_text(const std::string& insist) {
  return "skipped: the master LIM calls it unavailable; \"" + insist + "\" asks it all the same";
}

}  // namespace rollcall::io
