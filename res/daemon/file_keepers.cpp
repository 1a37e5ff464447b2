// Jobs: files of users whose jobs run in other clusters. A shepherd without a job opens them, as the user: a file system that hangs
// holds up that user's files alone.
#include <unistd.h>

#include <utility>

#include "common/base/host_list.hpp"
#include "res/daemon/job_here.hpp"

namespace rollcall::res {
namespace {

constexpr std::chrono::seconds kIdle{30};
constexpr std::size_t kMostPieces = 64;          // that wait while their user is looked up
constexpr std::size_t kMostForKeeper = 4 << 20;  // bytes that it has not read

}  // namespace

void Jobs::file(const wire::ToRes::FilePiece& asked) {
  auto& keeper = keepers_[asked.user()];
  keeper.used = std::chrono::steady_clock::now();
  const auto job = keeper.job.lock();
  if (job && job->alive && !job->released && job->order.uid() == asked.uid()) return file_part(job, asked);
  if (keeper.waiting.size() >= kMostPieces) return no_file(asked, "too many pieces wait", true);
  keeper.waiting.push_back(asked);
  if (std::exchange(keeper.comes, true)) return;
  with_order({asked.user(), asked.uid()}, [this, user = asked.user()](Result<wire::JobOrder> order) {
    keeper_came(user, std::move(order));
  });
}

void Jobs::keeper_came(const std::string& user, Result<wire::JobOrder> order) {
  auto& keeper = keepers_[user];
  keeper.comes = false;
  const auto waiting = std::exchange(keeper.waiting, {});
  std::string why = order ? "" : order.error().text;
  JobPtr job;
  if (order) {
    order->set_task_only(true);
    std::string name;
    do name = "task." + std::to_string(getpid()) + "." + std::to_string(next_number_++);
    while (jobs_.contains(name));
    job = make(name, *order, why);
    if (job && !start_guard(job)) {
      why = job->over ? job->over->why() : "cannot start a shepherd";
      forget(job);
      job = nullptr;
    }
  }
  keeper.job = job;
  for (const auto& asked : waiting) job ? file_part(job, asked) : no_file(asked, why, false);
}

void Jobs::file_part(const JobPtr& keeper, const wire::ToRes::FilePiece& asked) {
  if (keeper->socket.unsent() > kMostForKeeper)
    return no_file(asked, "the files of " + printable(asked.user()) + " do not answer", true);
  wire::ToShepherd message;
  auto& file = *message.mutable_file();
  file = asked;
  file.set_number(next_number_++);
  keeper->peeks[file.number()] = [this, number = asked.number()](const wire::PeekedPart& part) {
    FromRes told;
    auto& read = *told.mutable_read();
    read.set_number(number);
    auto& piece = *read.mutable_piece();
    if (part.number() == 0) {  // its shepherd has ended
      piece.set_why_not("what opens the files of a user has ended on " + configuration_->host);
      piece.set_later(true);
    } else {
      piece.set_data(part.data());
      piece.set_over(part.over());
      piece.set_why_not(part.why_not());
    }
    handler_.tell(told);
  };
  send(keeper, message);
}

void Jobs::no_file(const wire::ToRes::FilePiece& asked, std::string why, bool later) {
  FromRes told;
  auto& read = *told.mutable_read();
  read.set_number(asked.number());
  read.mutable_piece()->set_why_not(std::move(why));
  read.mutable_piece()->set_later(later);
  handler_.tell(told);
}

void Jobs::end_idle_keepers() {
  const auto now = std::chrono::steady_clock::now();
  for (auto one = keepers_.begin(); one != keepers_.end();) {
    auto& keeper = one->second;
    const auto job = keeper.job.lock();
    if (keeper.comes || (job && !job->peeks.empty()) || now - keeper.used < kIdle) {
      ++one;
      continue;
    }
    if (job && job->alive) {
      job->released = true;
      wire::ToShepherd message;
      message.mutable_release();
      send(job, message);
      see_that_it_is_read(job);
    }
    one = keepers_.erase(one);
  }
}

}  // namespace rollcall::res
