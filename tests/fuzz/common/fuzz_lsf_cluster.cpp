// Any bytes as lsf.conf, lsf.shared, lsf.cluster.NAME and hosts: a set that holds together, or what is wrong.
#include <cstdint>

#include "common/conf/file_snapshot.hpp"
#include "common/conf/show_conf.hpp"
#include "tests/fuzz/common/conf_input.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using namespace rollcall::conf;
using rollcall::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const InputFiles input({reinterpret_cast<const char*>(data), size}, {});
  const auto checked = read_cluster_files(input.sources());
  require(checked.files.has_value() == !checked.problems.has_fatal());
  for (const Problem& problem : checked.problems.all())
    require(problem.line().find('\n') == std::string::npos);
  require(!check_text(checked.problems, checked.read, true).empty());
  // Kept, it is the same set; and the same again at the same hour.
  FileSnapshot kept(input.sources());
  require(read_cluster_files(kept.sources()).files.has_value() == checked.files.has_value());
  kept.complete();
  require(!kept.outdated());
  const auto again = kept.again();
  require(read_cluster_files(again->sources()).files.has_value() == checked.files.has_value());
  if (!checked.files) return 0;
  const ClusterFiles& files = *checked.files;
  require(!files.cluster.hosts.empty() && !files.candidates.empty() && !files.cluster.name.empty());
  require(files.indices.size() == files.indices.built_in() + files.shared.resources.size());
  for (const std::string& name : files.candidates)
    require(files.cluster.host(name) && files.cluster.host(name)->server);
  for (const ClusterHost& host : files.cluster.hosts) require(files.facts(host.name).name == host.name);
  for (const ResourceMapping& mapping : files.cluster.resource_map) {
    require(files.indices.find(mapping.resource).has_value());
    for (const ResourceInstance& instance : mapping.instances)
      for (const std::string& name : instance.hosts) require(files.cluster.host(name) != nullptr);
  }
  require(!show_conf_text(shown_parameters(files), true).empty());
  return 0;
}
