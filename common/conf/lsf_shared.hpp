// LsfShared: the typed view of lsf.shared: clusters, host types and models, and the resources a site defines.
//
// A value; the sections are read by section_file.hpp. It does not know the built-in resources (common/base/
// index_table.hpp does), but refuses their names. Rules: "Platform LSF Configuration Reference 7.3", lsf.shared.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/index_table.hpp"
#include "common/conf/section_file.hpp"

namespace rollcall::conf {

struct ClusterRow {
  std::string name;
  std::vector<std::string> servers;  // hosts through which other clusters reach it
  Place place;
};

struct HostModel {
  std::string name;
  double cpu_factor = 1.0;
  std::vector<std::string> architectures;  // "platform[_speed[_processor]]", for the detection of "!"
  Place place;
};

// One row of section Resource. `definition` is what every other room works with.
struct SharedResource {
  ResourceDefinition definition;
  bool every_host = false;  // of a section NewIndex: every host has its own without a row in ResourceMap
  Place place;
};

struct LsfShared {
  std::vector<ClusterRow> clusters;
  std::vector<std::string> host_types;
  std::vector<HostModel> models;
  std::vector<SharedResource> resources;  // in the order of the file
  // Resources whose rows are invalid. Places that name them need no error of their own.
  std::vector<std::string> invalid_resources;

  const HostModel* model(std::string_view name) const;
  bool invalid_resource(std::string_view name) const;
};

LsfShared read_lsf_shared(const SectionFile& file, const std::string& file_name, Problems& problems);
SectionSyntax lsf_shared_syntax();

}  // namespace rollcall::conf
