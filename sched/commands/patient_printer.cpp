#include "sched/commands/patient_printer.hpp"

#include <utility>

namespace rollcall::sched {
namespace {

constexpr std::size_t kPipeHolds = 60'000;  // bytes, a little less than 64 KiB

}  // namespace

void PatientPrinter::print(std::string text) {
  if (text.empty()) return;
  printed_ += text.size();
  if (!writer_.joinable()) {
    if (printed_ <= kPipeHolds) return put(text);
    writer_ = std::thread([this] { write(); });
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  texts_.push_back(std::move(text));
  changed_.notify_one();
}

void PatientPrinter::put(const std::string& text) {
  if (bytes_ == Bytes::as_they_are)
    stage_.print_raw(text);
  else
    stage_.print(text);
}

void PatientPrinter::finish() {
  if (!writer_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  writer_.join();
}

void PatientPrinter::write() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return over_ || !texts_.empty(); });
    if (texts_.empty()) return;
    const std::string text = std::move(texts_.front());
    texts_.pop_front();
    lock.unlock();
    put(text);
    lock.lock();
  }
}

}  // namespace rollcall::sched
