#include "tests/io/elim/machine_trees.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace rollcall::load {

namespace fs = std::filesystem;

std::string machine_file(const std::string& name, const std::string& path) {
  const auto file = fs::path(ROLLCALL_MACHINES) / name / path;
  EXPECT_TRUE(fs::exists(file)) << file << ": missing from the fixtures";
  return file;
}

MachineTree::MachineTree(const std::string& name) {
  std::string folder = fs::temp_directory_path() / "rollcall-machine-XXXXXX";
  if (!mkdtemp(folder.data())) throw std::runtime_error("mkdtemp failed: " + folder);
  root_ = folder;
  fs::copy(machine_file(name, "root"), root_, fs::copy_options::recursive);
}

MachineTree::~MachineTree() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

void MachineTree::write(const std::string& path, const std::string& text) const {
  const auto file = fs::path(root_) / path;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

void MachineTree::copy(const std::string& from, const std::string& path) const {
  fs::copy_file(from, fs::path(root_) / path, fs::copy_options::overwrite_existing);
}

void MachineTree::remove(const std::string& path) const {
  EXPECT_GT(fs::remove_all(fs::path(root_) / path), 0U) << path << ": was not there to be removed";
}

void MachineTree::set_times(const std::string& path, long long read, long long written) const {
  const struct timespec times[2] = {{static_cast<time_t>(read), 0}, {static_cast<time_t>(written), 0}};
  EXPECT_EQ(utimensat(AT_FDCWD, (root_ + "/" + path).c_str(), times, 0), 0) << path;
}

HostSource MachineTree::source() const {
  HostSource source;
  source.root = root_;
  source.file_system_size = [](int) { return FileSystemSize{102400, 409600}; };
  source.wall_clock = [] { return kNow; };
  return source;
}

}  // namespace rollcall::load
