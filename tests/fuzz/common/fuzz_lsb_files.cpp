// Any bytes as the lsb.* files and lsf.task of a cluster that is right: a set that holds together, or what is wrong.
#include <cstdint>

#include "common/conf/lsb/lsb_files.hpp"
#include "tests/fuzz/common/conf_input.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using namespace rollcall::conf;
using rollcall::fuzz::require;

namespace {

constexpr const char* kCluster =
    "%% lsf.conf\nLSF_LOGDIR=/l\n%% lsf.shared\nBegin Cluster\nClusterName\nlab\nfar\nEnd Cluster\n"
    "Begin Resource\nRESOURCENAME TYPE INTERVAL DESCRIPTION\nscratch Numeric 30 (x)\nEnd Resource\n"
    "%% lsf.cluster.lab\nBegin Host\nHOSTNAME\nhost1\nhost2\nhost3\nEnd Host\n";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto cluster = read_cluster_files(InputFiles(kCluster, {}).sources());
  require(cluster.files.has_value());
  const InputFiles input({reinterpret_cast<const char*>(data), size},
                         {{"lsb.", "/c/lsbatch/lab/configdir/"}});
  const auto checked = read_lsb_files(input.sources(), *cluster.files);
  require(checked.files.has_value() == !checked.problems.has_fatal());
  for (const Problem& problem : checked.problems.all())
    require(problem.line().find('\n') == std::string::npos);
  if (!checked.files) return 0;
  for (const QueueRow& queue : checked.files->queues) require(checked.files->queue(queue.name) != nullptr);
  for (const ApplicationProfile& profile : checked.files->applications) {
    require(checked.files->application(profile.name) != nullptr);
    for (const std::string& word : profile.environment) require(word.find('=') != std::string::npos);
  }
  for (const HostGroup& group : checked.files->hosts.groups)
    for (const std::string& member : group.members) member_matches(member, "host12");
  return 0;
}
