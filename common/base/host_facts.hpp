// HostFacts: what does not change about a host while its LIM runs: static resources, built-in and the site's. A value.
//
// It is made from the configuration (conf::ClusterFiles::facts) and completed by what LIM finds on the host itself.
// Units: MB; counts; a value of 0 for something that was not found shows as "-".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rollcall {

struct HostFacts {
  std::string name;
  std::string type;  // X86_64, AARCH64, ... or what lsf.cluster says
  std::string model;
  double cpu_factor = 1.0;
  bool server = true;
  int rexpri = 0;
  int ncpus = 0;     // as EGO_DEFINE_NCPUS / define_ncpus_* say; cores unless told otherwise
  int nprocs = 0;    // packages
  int ncores = 0;    // cores per package
  int nthreads = 0;  // threads per core
  int ndisks = 0;
  std::uint64_t maxmem = 0, maxswp = 0, maxtmp = 0;  // MB
  std::vector<std::string> booleans;                 // in the order of lsf.cluster
  std::vector<std::string> dedicated;                // those of them written "!res"
  std::map<std::string, std::string> values;         // static strings and numbers of the site, host-based
  std::string topology;                              // tree for lshosts -T, one line each, as LIM draws it

  friend bool operator==(const HostFacts&, const HostFacts&) = default;
};

}  // namespace rollcall
