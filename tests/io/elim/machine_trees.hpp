// The machines of tests/fixtures/machines, and copies of their trees that a test may change. A copy lives as long as its
// MachineTree.
#pragma once

#include <chrono>
#include <string>

#include "elim/reader/host_reader.hpp"

namespace rollcall::load {

// tests/fixtures/machines/NAME/PATH; a test fails where it is missing.
std::string machine_file(const std::string& name, const std::string& path);

class MachineTree {
 public:
  explicit MachineTree(const std::string& name);
  MachineTree(const MachineTree&) = delete;
  MachineTree& operator=(const MachineTree&) = delete;
  ~MachineTree();

  std::string root() const { return root_; }
  // Below the root; folders are made as needed.
  void write(const std::string& path, const std::string& text) const;
  void copy(const std::string& from, const std::string& path) const;
  void remove(const std::string& path) const;
  // When a file was last read and written, in seconds since 1970.
  void set_times(const std::string& path, long long read, long long written) const;

  // Its root, a file system of 100 of 400 GB free, and the clock at kNow.
  HostSource source() const;
  static constexpr std::chrono::seconds kNow{1'762'000'000};

 private:
  std::string root_;
};

}  // namespace rollcall::load
