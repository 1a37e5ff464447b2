#include "res/daemon/removals.hpp"

#include <boost/asio/io_context.hpp>
#include <memory>
#include <utility>

#include "common/io/durable_file.hpp"

namespace rollcall::res {
namespace {

constexpr std::size_t kMostWorks = 1000;
constexpr std::chrono::hours kAnyTime{24 * 365};

}  // namespace

Removals::Removals(boost::asio::io_context& loop, io::Descriptor folder, Pace pace)
    : folder_(std::make_shared<const io::Descriptor>(std::move(folder))),
      pace_(pace),
      timer_(loop),
      thread_(loop, {.waiting = kMostWorks, .patience = kAnyTime}) {}

void Removals::add(std::string name) {
  names_.push_back(std::move(name));
  if (names_.size() >= pace_.most) return remove_all();
  if (names_.size() == 1) wait();
}

void Removals::wait() {
  timer_.expires_after(pace_.quiet);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error || names_.empty()) return;
    if (std::exchange(busy_, false)) return wait();
    remove_all();
  });
}

void Removals::remove_all() {
  timer_.cancel();
  const auto work = [folder = folder_, names = std::exchange(names_, {})] {
    for (const auto& name : names) io::remove_tree_at(folder->get(), name);
  };
  thread_.ask(work, [work](io::SideThread::End end) {
    if (end == io::SideThread::End::crowded) work();
  });
}

}  // namespace rollcall::res
