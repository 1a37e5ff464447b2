// Sets of files of the batch system for tests: what is read of them, and what is said of them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/conf/lsb/lsb_files.hpp"
#include "tests/unit/common/conf/conf_files.hpp"

namespace rollcall::conf {

inline MemoryFiles cluster() {
  return {.files = {
              {"/c/lsf.conf", "LSF_LOGDIR=/l\n"},
              {"/c/lsf.shared",
               "Begin Cluster\nClusterName\nlab\nfar\nEnd Cluster\nBegin HostType\nTYPENAME\nX86_64\nEnd "
               "HostType\n"
               "Begin Resource\nRESOURCENAME TYPE INTERVAL INCREASING DESCRIPTION\nscratch Numeric 30 N (x)\n"
               "AppX Numeric () N (x)\nEnd Resource\n"},
              {"/c/lsf.cluster.lab", "Begin Host\nHOSTNAME\nhost1\nhost2\nhost3\nEnd Host\n"}}};
}

inline CheckedLsbFiles check(std::map<std::string, std::string> lsb) {
  auto files = cluster();
  const std::string dir = "/c/lsbatch/lab/configdir/lsb.";
  for (const char* name : {"params", "queues", "hosts"}) files.files[dir + name] = "";
  for (auto& [name, text] : lsb) files.files[name == "task" ? "/c/lsf.task" : dir + name] = text;
  const auto checked = read_cluster_files(files.sources());
  EXPECT_THAT(lines_of(checked.problems), testing::IsEmpty());
  return read_lsb_files(files.sources(), *checked.files);
}

inline LsbFiles taken(std::map<std::string, std::string> lsb) {
  auto checked = check(std::move(lsb));
  EXPECT_THAT(lines_of_values(checked.problems), testing::IsEmpty());
  return checked.files ? std::move(*checked.files) : LsbFiles{};
}

// The problems found in the set, without the folder's name.
inline std::vector<std::string> said(std::map<std::string, std::string> lsb) {
  auto lines = lines_of_values(check(std::move(lsb)).problems);
  for (auto& line : lines)
    if (line.starts_with("/c/lsbatch/lab/configdir/lsb.")) line.erase(0, 29);
  return lines;
}

inline QueueRow queue(const std::string& lines) {
  const auto files = taken({{"queues", "Begin Queue\nQUEUE_NAME = q\n" + lines + "\nEnd Queue\n"}});
  return files.queues.empty() ? QueueRow{} : files.queues[0];
}
inline std::vector<std::string> said_of_queue(const std::string& lines) {
  return said({{"queues", "Begin Queue\nQUEUE_NAME = q\n" + lines + "\nEnd Queue\n"}});
}

}  // namespace rollcall::conf
