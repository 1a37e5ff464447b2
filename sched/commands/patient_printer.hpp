// PatientPrinter: prints a long answer for a slow reader. less(1) reads a page and then nothing for a while, and mbatchd drops a
// client that reads nothing for 15 seconds. So a thread of its own writes what a pipe does not hold, while the answer is read
// into memory.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "common/io/command.hpp"

namespace rollcall::sched {

class PatientPrinter {
 public:
  enum class Bytes { harmless, as_they_are };  // Stage::print, print_raw
  explicit PatientPrinter(io::Stage& stage, Bytes bytes = Bytes::harmless) : stage_(stage), bytes_(bytes) {}
  ~PatientPrinter() { finish(); }
  PatientPrinter(const PatientPrinter&) = delete;
  PatientPrinter& operator=(const PatientPrinter&) = delete;

  // Prints in sequence. Until finish() nothing else may print.
  void print(std::string text);
  // Returns when all is written. Close the session with mbatchd before.
  void finish();

 private:
  void write();
  void put(const std::string& text);

  io::Stage& stage_;
  Bytes bytes_;
  std::size_t printed_ = 0;
  std::thread writer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> texts_;
  bool over_ = false;
};

}  // namespace rollcall::sched
