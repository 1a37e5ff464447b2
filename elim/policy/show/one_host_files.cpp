#include "elim/policy/show/one_host_files.hpp"

#include <algorithm>

namespace rollcall::elim::show {
namespace {

constexpr std::size_t kLongestName = 39;  // lsf.shared(5)

std::string lsf_conf(const OneHost& host) {
  const std::string conf = host.top + "/conf";
  return "# lsf.conf: a cluster of one host, written by lsf_daemons setup. NAME=value, one to a line. "
         "lsf.conf(5).\n"
         "LSF_BINDIR=" +
         host.programs + "\nLSF_SERVERDIR=" + host.servers + "\nLSF_CONFDIR=" + conf +
         "\nLSB_CONFDIR=" + conf + "/lsbatch\nLSF_LOGDIR=" + host.top + "/log\nLSB_SHAREDIR=" + host.top +
         "/work\nROLLCALL_JOBDIR=" + host.top +
         "/jobs\n\n# Ports that were free when this was written.\nLSF_LIM_PORT=" +
         std::to_string(host.lim_port) + "\nLSF_RES_PORT=" + std::to_string(host.res_port) +
         "\nLSB_MBD_PORT=" + std::to_string(host.mbd_port) +
         "\n\n# bkill sends INT and TERM before KILL to jobs of 2 or more slots too, so that they can clean "
         "up.\n"
         "LSB_USE_SEQUENTIAL_SIGNAL=Y\n"
         "# bsub -M 1000 means 1000 MB. Without this line it means KB, of which most programs die.\n"
         "LSF_UNIT_FOR_LIMITS=MB\n";
}

std::string lsf_cluster(const OneHost& host) {
  return "# The hosts of the cluster and its administrators. lsf.cluster(5). \"!\" is detected.\n"
         "Begin ClusterAdmins\nADMINISTRATORS = " +
         host.administrator + "\nEnd ClusterAdmins\n\nBegin Host\nHOSTNAME  model  type  server\n" +
         host.host + "  !  !  1\nEnd Host\n";
}

}  // namespace

std::string bad_cluster_name(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
  };
  if (name.empty() || name.size() > kLongestName || name.front() == '-' ||
      !std::all_of(name.begin(), name.end(), fits))
    return "found the cluster name \"" + name + "\", expected 1 to " + std::to_string(kLongestName) +
           " letters, digits, _ or -";
  return "";
}

std::vector<FileText> one_host_files(const OneHost& host) {
  const std::string queues = "conf/lsbatch/" + host.cluster + "/configdir/";
  std::vector<FileText> files{
      {"conf/lsf.shared",
       "# lsf.shared(5). A resource of your own goes into a section Resource.\nBegin Cluster\nClusterName\n" +
           host.cluster + "\nEnd Cluster\n"},
      {"conf/lsf.cluster." + host.cluster, lsf_cluster(host)},
      {queues + "lsb.params", "# lsb.params(5)\nBegin Parameters\nDEFAULT_QUEUE = normal\nEnd Parameters\n"},
      {queues + "lsb.queues",
       "# lsb.queues(5)\nBegin Queue\nQUEUE_NAME = normal\nPRIORITY = 30\n"
       "EXCLUSIVE = Y   # bsub -nnodes, which takes whole hosts; opens bsub -x too\n"
       "DESCRIPTION = Jobs of every kind\nEnd Queue\n"},
      {queues + "lsb.hosts",
       "# lsb.hosts(5). MXJ is how many slots a host has; \"!\" is one for each CPU.\nBegin Host\nHOST_NAME  "
       "MXJ\ndefault    "
       "!\nEnd Host\n"},
      {queues + "lsb.users", "# lsb.users(5)\n"}};
  if (!host.address.empty())
    files.push_back({"conf/hosts", "# The system's name service does not know this host.\n" + host.address +
                                       " " + host.host + "\n"});
  // The last file: once it exists, the set is complete.
  files.push_back({"conf/lsf.conf", lsf_conf(host)});
  return files;
}

}  // namespace rollcall::elim::show
