#include "res/daemon/removals.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstring>
#include <sstream>
#include <utility>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "common/io/child.hpp"

namespace rollcall::res {
namespace {

constexpr std::size_t kMostWorks = 1000;
constexpr std::chrono::hours kAnyTime{24 * 365};
constexpr std::size_t kMostHelpers = 4;
constexpr std::size_t kMostSaid = 1 << 20;
constexpr std::size_t kMostShown = 300;
constexpr int kFolder = 3;

std::vector<std::string> words_of(const std::string& program, const RemovalUser& user) {
  std::string groups;
  for (const gid_t group : user.groups) groups += (groups.empty() ? "" : ",") + std::to_string(group);
  return {program, "-r", std::to_string(user.user), std::to_string(user.group),
          groups.empty() ? "-" : groups};
}

// Lines NAME " " ENTRIES " " FIRST. The process was the user's, so they only reach the log.
std::map<std::string, std::string> found_in(const std::string& said) {
  std::map<std::string, std::string> found;
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(' '), second = line.find(' ', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string entries = line.substr(first + 1, second - first - 1);
    if (!all_digits(entries)) continue;
    found[line.substr(0, first)] =
        entries + " entries stay there, among them " + printable(line.substr(second + 1), kMostShown);
  }
  return found;
}

}  // namespace

struct Removals::Helper {
  Helper(boost::asio::io_context& loop, io::Descriptor pipe, Batch wanted, io::Child process)
      : output(loop, fcntl(pipe.get(), F_DUPFD_CLOEXEC, 3)),
        timer(loop),
        batch(std::move(wanted)),
        child(std::move(process)) {}

  boost::asio::posix::stream_descriptor output;
  boost::asio::steady_timer timer;
  Batch batch;
  io::Child child;
  std::string said;
  std::array<char, 4096> room{};
};

Removals::Removals(boost::asio::io_context& loop, io::Descriptor folder, Pace pace, const sigset_t& mask,
                   Tell tell)
    : loop_(loop),
      folder_(std::make_shared<const io::Descriptor>(std::move(folder))),
      pace_(pace),
      mask_(mask),
      tell_(std::move(tell)),
      timer_(loop),
      thread_(loop, {.waiting = kMostWorks, .patience = kAnyTime}) {}
Removals::~Removals() = default;

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

void Removals::in_thread(std::function<void()> work, std::function<void()> done) {
  thread_.ask(work, [work, done = std::move(done)](io::SideThread::End end) {
    if (end == io::SideThread::End::crowded) work();
    done();
  });
}

void Removals::remove_all() {
  timer_.cancel();
  auto sorted = std::make_shared<SortedRemovals>();
  in_thread([folder = folder_, names = std::exchange(names_, {}),
             sorted] { *sorted = remove_own(folder->get(), names); },
            [this, sorted] {
              if (!sorted->left.empty()) tell_(sorted->left);
              for (auto& [user, names] : sorted->of_users) of_users_.push_back({user, std::move(names)});
              begin();
            });
}

// ---- processes of users

bool Removals::has_helper(uid_t user) const {
  return std::any_of(helpers_.begin(), helpers_.end(),
                     [user](const auto& helper) { return helper->batch.user.user == user; });
}

// One process for each user, so that each user's files delay only their own removal.
void Removals::begin() {
  for (auto batch = of_users_.begin(); batch != of_users_.end() && helpers_.size() < kMostHelpers;) {
    if (has_helper(batch->user.user) || !start(*batch)) {
      ++batch;
      continue;
    }
    batch = of_users_.erase(batch);
  }
}

// The batch waits for the next turn, which another removal brings, or the next RES.
bool Removals::cannot_start(const Batch& batch, const std::string& why) {
  if (say_ && !std::exchange(said_, true))
    say_("directories of jobs are not removed now: cannot start " + program_ + " as uid " +
         std::to_string(batch.user.user) + ": " + why + "; another removal or the next RES tries again");
  return false;
}

bool Removals::start(Batch& batch) {
  int ends[2];
  const auto program = io::open_trusted_program(trust_, program_);
  if (!program) return cannot_start(batch, program.error().text);
  if (pipe2(ends, O_CLOEXEC) != 0) return cannot_start(batch, std::strerror(errno));
  io::Descriptor ours(ends[0]);
  const io::Descriptor theirs(ends[1]);
  Batch part{batch.user, {}, batch.turns};
  const auto some = std::min(batch.names.size(), pace_.most);
  part.names.assign(batch.names.end() - static_cast<std::ptrdiff_t>(some), batch.names.end());
  io::SpawnPlan plan;
  plan.program = program->get();
  plan.argv = words_of(program_, batch.user);
  plan.argv.insert(plan.argv.end(), part.names.begin(), part.names.end());
  plan.environment = {"PATH=/bin:/usr/bin"};
  plan.mask = mask_;
  plan.own_session = true;
  plan.directory = "/";
  plan.standard_output = theirs.get();
  plan.descriptors = {{folder_->get(), kFolder}};
  auto started = io::Child::start(loop_, plan, nullptr);  // its output tells the result
  if (const auto* error = std::get_if<io::SpawnError>(&started))
    return cannot_start(
        batch, std::string("cannot ") + io::stage_text(error->stage) + ": " + std::strerror(error->error));
  said_ = false;
  batch.names.resize(batch.names.size() - some);
  const auto helper = std::make_shared<Helper>(loop_, std::move(ours), std::move(part),
                                               std::get<io::Child>(std::move(started)));
  helpers_.push_back(helper);
  helper->timer.expires_after(pace_.slice);
  // The user may have stopped it: KILL ends stopped processes too.
  helper->timer.async_wait([this, weak = std::weak_ptr(helper)](const boost::system::error_code& error) {
    const auto held = weak.lock();
    if (error || !held) return;
    held->child.signal(SIGKILL);
    held->output.close();
    ended(held);
  });
  read_on(helper);
  return batch.names.empty();
}

void Removals::read_on(const std::shared_ptr<Helper>& helper) {
  helper->output.async_read_some(
      boost::asio::buffer(helper->room),
      [this, weak = std::weak_ptr(helper)](const boost::system::error_code& error, std::size_t size) {
        const auto held = weak.lock();
        if (!held || error == boost::asio::error::operation_aborted) return;
        if (error) return ended(held);
        if (held->said.size() < kMostSaid) held->said.append(held->room.data(), size);
        read_on(held);
      });
}

void Removals::ended(const std::shared_ptr<Helper>& helper) {
  const auto had = helpers_.size();
  helpers_.remove(helper);
  if (helpers_.size() == had) return;  // the timer and the end of its output came together
  finish(std::move(helper->batch), helper->said);
  begin();
}

void Removals::finish(Batch batch, const std::string& said) {
  const bool done = said.ends_with("done\n");
  const bool again = !done && ++batch.turns < pace_.turns;
  auto finished = std::make_shared<FinishedRemovals>();
  in_thread([folder = folder_, names = std::move(batch.names), found = found_in(said), again,
             finished] { *finished = remove_emptied(folder->get(), names, found, again); },
            [this, finished, user = batch.user, turns = batch.turns] {
              if (!finished->left.empty()) tell_(finished->left);
              if (!finished->again.empty()) of_users_.push_back({user, std::move(finished->again), turns});
              begin();
            });
}

}  // namespace rollcall::res
