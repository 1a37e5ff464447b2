// PatientPrinter: a long answer on standard output, however slow its reader is: less(1) takes a page and nothing more for a
// while, and mbatchd gives a client up that takes nothing for 15 seconds. So what is more than a pipe holds is written by a
// thread of its own, while the answer is read on into memory.
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

  // In order. Until finish() nobody else prints.
  void print(std::string text);
  // Returns when all is written. Let go of mbatchd before.
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
