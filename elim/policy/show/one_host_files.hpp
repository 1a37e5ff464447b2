// one_host_files: the configuration files of a cluster of one host, for `lsf_daemons setup`. A function from values to texts.
#pragma once

#include <string>
#include <vector>

namespace rollcall::elim::show {

struct OneHost {
  std::string cluster;        // its name
  std::string top;            // absolute path of the cluster's directory
  std::string host;           // as gethostname says it
  std::string address;        // "": the host's name resolves; else for LSF_ENVDIR/hosts
  std::string administrator;  // the owner of the cluster
  std::string programs;       // LSF_BINDIR
  std::string servers;        // LSF_SERVERDIR
  int lim_port = 0, res_port = 0, mbd_port = 0;
};

struct FileText {
  std::string path;  // below `top`
  std::string text;
};
std::vector<FileText> one_host_files(const OneHost& host);

// "", or why this cannot be a cluster's name: it becomes part of file names.
std::string bad_cluster_name(const std::string& name);

}  // namespace rollcall::elim::show
