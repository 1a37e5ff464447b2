// conf_check ENV_DIR: what is said of a set of configuration files, and the parameters in force; for the golden files.
#include <cstdio>

#include "common/conf/lsb/lsb_files.hpp"
#include "common/conf/show_conf.hpp"
#include "common/io/config_source.hpp"

using namespace rollcall;

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: conf_check ENV_DIR\n");
    return 2;
  }
  const auto sources = io::file_sources_of(argv[1]);
  const auto cluster = conf::read_cluster_files(sources);
  std::fputs(conf::check_text(cluster.problems, cluster.read, true).c_str(), stdout);
  if (!cluster.files) return 1;
  std::fputs(conf::show_conf_text(conf::shown_parameters(*cluster.files), true).c_str(), stdout);
  const auto batch = conf::read_lsb_files(sources, *cluster.files);
  std::fputs(conf::check_text(batch.problems, batch.read, true).c_str(), stdout);
  return batch.files ? 0 : 1;
}
