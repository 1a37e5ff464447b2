#include "sched/mbatchd/event_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace rollcall::mbatchd {
namespace {

constexpr std::size_t kPiece = 1000;  // events
constexpr std::int64_t kCarriedFreely =
    1000;  // jobs; to carry more, a switch waits until as many have finished: it costs what it carries
constexpr std::size_t kJustFinished =
    200;  // finished jobs that are carried over: a reader that follows the file may not have seen their end
constexpr std::int64_t kJustFinished_s = 600;
constexpr std::size_t kCarriedBytes = 1 << 20;  // written at once

bool write_all(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t size = write(fd, text.data() + done, text.size() - done);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    done += static_cast<std::size_t>(size);
  }
  return true;
}

// A file cut at the end of a line is ours; otherwise it is not the file whose size is known.
bool ends_a_line(int fd, std::int64_t size) {
  char last = 0;
  return pread(fd, &last, 1, size - 1) == 1 && last == '\n';
}

// The last time before `now` at which the site's clock showed this minute of a day.
std::int64_t last_at(int minute, std::int64_t now) {
  const std::time_t present = now;
  std::tm local{};
  localtime_r(&present, &local);
  local.tm_hour = minute / 60;
  local.tm_min = minute % 60;
  local.tm_sec = 0;
  local.tm_isdst = -1;
  const std::int64_t today = std::mktime(&local);
  if (today <= now) return today;
  --local.tm_mday;
  local.tm_isdst = -1;
  return std::mktime(&local);
}

}  // namespace

// ---------------------------------------------------------------- one file

void EventFile::begin(std::uint64_t seq, std::int64_t size) {
  seq_ = seq;
  size_ = size;
  cut_ = true;
  file_.reset();
}

// Logged once each time that it begins to fail.
bool EventFile::fails(const char* what) {
  if (!failing_)
    log_.error(path_ + ": cannot be " + what + ": " + std::strerror(errno) + "; it is tried again");
  failing_ = true;
  file_.reset();
  return false;
}

// An administrator may have moved the file away: then there is a new one.
bool EventFile::open() {
  struct stat there {
  }, ours{};
  if (file_ && stat(path_.c_str(), &there) == 0 && fstat(file_.get(), &ours) == 0 &&
      there.st_ino == ours.st_ino && there.st_dev == ours.st_dev)
    return true;
  const bool had = static_cast<bool>(file_);
  file_ = io::Descriptor(::open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file_ || fstat(file_.get(), &ours) != 0) return fails("opened");
  const bool cut = cut_ && size_ > 0 && ours.st_size > size_ && ends_a_line(file_.get(), size_);
  if (cut && ftruncate(file_.get(), size_) != 0) return fails("cut");
  if (!cut) size_ = ours.st_size;
  cut_ = false;
  if (had) log_.notice(path_ + " was moved away; a new one was made");
  if (size_ > 0) return true;
  const std::string head = sched::events::head_line(0);
  if (!write_all(file_.get(), head)) return fails("written");
  size_ = static_cast<std::int64_t>(head.size());
  return true;
}

bool EventFile::add(const std::string& lines) {
  if (lines.empty()) return true;
  if (!open()) return false;
  if (!write_all(file_.get(), lines)) {
    const int why = errno;
    [[maybe_unused]] const int cut = ftruncate(file_.get(), size_);
    cut_ = true;
    errno = why;
    return fails("written");
  }
  size_ += static_cast<std::int64_t>(lines.size());
  if (failing_) log_.notice(path_ + " is written again");
  failing_ = false;
  return true;
}

bool EventFile::append(std::uint64_t after, std::uint64_t last, const std::vector<wire::JobEvent>& events) {
  if (after != seq_) return false;
  std::string text;
  for (const auto& event : events) text += line_(event);
  if (!add(text)) return false;
  seq_ = last;
  if (!events.empty()) newest_s_ = std::max(newest_s_, WallTime{events.back().at_us()}.seconds());
  return true;
}

// Our first lines all have the same length. A first line of another program stays.
void EventFile::rewrite_head(std::int64_t number) {
  const std::string fresh = sched::events::head_line(number);
  std::string there(fresh.size(), '\0');
  const io::Descriptor file(::open(path_.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  const auto size = static_cast<ssize_t>(fresh.size());
  if (!file || pread(file.get(), there.data(), there.size(), 0) != size ||
      there.find('\n') != there.size() - 1 || there.front() != '#')
    return;
  if (pwrite(file.get(), fresh.data(), fresh.size(), 0) != size)
    log_.warning(path_ + ": its first line cannot be written: " + std::strerror(errno));
}

// If this mbatchd has not written to a file, its last change is that of its newest record.
void EventFile::say_how_new() {
  struct stat found {};
  if (newest_s_ == 0 && stat(path_.c_str(), &found) == 0) newest_s_ = found.st_mtime;
  rewrite_head(newest_s_);
}

bool EventFile::put_aside(std::int64_t most_files) {
  const auto name = [this](std::int64_t number) { return path_ + "." + std::to_string(number); };
  std::int64_t last = 0;
  struct stat there {};
  while (lstat(name(last + 1).c_str(), &there) == 0) ++last;
  for (std::int64_t number = last; number > 0; --number) {
    if (most_files > 0 && number >= most_files)
      unlink(name(number).c_str());
    else
      rename(name(number).c_str(), name(number + 1).c_str());
  }
  if (rename(path_.c_str(), name(1).c_str()) != 0) {
    log_.error(path_ + ": cannot be put aside: " + std::strerror(errno));
    return false;
  }
  file_.reset();
  size_ = 0;
  return true;
}

void EventFile::anew() {
  if (open() && ftruncate(file_.get(), 0) != 0) fails("cut");
  seq_ = 0;
  size_ = 0;
  file_.reset();
}

std::int64_t EventFile::made_s() const {
  struct statx found {};
  if (statx(AT_FDCWD, path_.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BTIME, &found) != 0) return 0;
  return (found.stx_mask & STATX_BTIME) != 0 ? found.stx_btime.tv_sec : 0;
}

// ---------------------------------------------------------------- both

EventFiles::EventFiles(const io::Log& log, const std::string& directory)
    : EventFiles(log, directory, [] { return static_cast<std::int64_t>(std::time(nullptr)); }) {}

EventFiles::EventFiles(const io::Log& log, const std::string& directory, Clock clock)
    : log_(log),
      directory_(directory),
      clock_(std::move(clock)),
      events_(log, directory + "/lsb.events",
              [this](const auto& event) { return sched::events::event_line(event, ages_.style); }),
      accounts_(log, directory + "/lsb.acct",
                [this](const auto& event) { return sched::events::account_line(event, ages_.style); }) {
  if (mkdir(directory_.c_str(), 0755) != 0 && errno != EEXIST)
    log_.error(directory_ + ": cannot be made: " + std::strerror(errno));
}

void EventFiles::configure(const FileAges& ages) { ages_ = ages; }

void EventFiles::begin(const io::JobStore& store) {
  using Number = io::StoreNumber;
  events_.begin(static_cast<std::uint64_t>(store.number(Number::events_seq)),
                store.number(Number::events_size));
  accounts_.begin(static_cast<std::uint64_t>(store.number(Number::accounts_seq)),
                  store.number(Number::accounts_size));
  // Its size is in the store before the first job ends: without one it could not be cut, and that end would be written twice.
  accounts_.make();
  finished_ = store.number(Number::events_finished);
}

bool EventFiles::append_to(EventFile& file, std::uint64_t after, std::uint64_t last,
                           const std::vector<wire::JobEvent>& events) {
  if (!file.append(after, last, events)) return false;
  if (&file == &events_) note_finished(events);
  return true;
}

void EventFiles::note_finished(const std::vector<wire::JobEvent>& events) {
  for (const auto& event : events) {
    if (!event.has_finish()) continue;
    ++finished_;
    just_finished_.push_back({sched::key_of(event.key()), WallTime{event.at_us()}.seconds()});
    if (just_finished_.size() > kJustFinished) just_finished_.pop_front();
  }
}

void EventFiles::append(std::uint64_t last_seq, const std::vector<wire::JobEvent>& events) {
  if (events.empty()) return;
  const bool up_to_date = append_to(events_, last_seq - events.size(), last_seq, events);
  append_to(accounts_, last_seq - events.size(), last_seq, events);
  if (up_to_date) put_full_events_aside();
  put_full_accounts_aside();
}

bool EventFiles::behind(const io::JobStore& store) const {
  return events_.last() < store.last_event() || accounts_.last() < store.last_event();
}

bool EventFiles::catch_up(io::JobStore& store) {
  for (EventFile* file : {&events_, &accounts_}) {
    if (file->last() >= store.last_event()) continue;
    io::EventQuery query;
    query.after = file->last();
    query.most = kPiece;
    const auto found = store.events(query);
    if (!found) return log_.error(found.error().text), false;
    std::vector<wire::JobEvent> events;
    for (const auto& one : *found) events.push_back(one.event);
    if (events.empty() || !append_to(*file, query.after, found->back().seq, events)) return false;
  }
  put_full_accounts_aside();
  if (behind(store)) return true;
  put_full_events_aside();  // only now: a new file has all of it
  return false;
}

// ---------------------------------------------------------------- jobs that a new lsb.events begins with

// A reader that follows only this file may not have seen the end of jobs that have just finished.
void EventFiles::tell_of_present_jobs(std::vector<sched::JobKey> jobs) {
  for (const auto& finished : just_finished_)
    if (finished.at_s + kJustFinished_s > clock_())
      jobs.insert(jobs.end(), {{finished.job.id, 0}, finished.job});
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  std::string lines;
  events_.make();
  for (const auto job : jobs) {
    present_.events(
        job, [&](const wire::JobEvent& event) { lines += sched::events::event_line(event, ages_.style); });
    if (lines.size() > kCarriedBytes) events_.add(std::exchange(lines, {}));
  }
  events_.add(lines);
  events_.say_where_history_begins();
}

void EventFiles::put_events_aside() {
  std::vector<sched::JobKey> jobs;
  if (present_.not_over) jobs = present_.not_over();
  wait_for_ = static_cast<std::int64_t>(jobs.size()) - kCarriedFreely;
  if (finished_ < wait_for_) return;
  wire::JobEvent last;
  last.set_at_us(clock_() * 1'000'000);
  last.mutable_log_switch()->set_highest_id(present_.highest_id ? present_.highest_id() : 0);
  events_.add(sched::events::event_line(last, ages_.style));
  events_.say_how_new();
  if (!events_.put_aside(ages_.event_files)) return;
  switched_ = true;
  finished_ = 0;
  wait_for_ = 0;
  if (present_.events) tell_of_present_jobs(std::move(jobs));
}

void EventFiles::put_full_events_aside() {
  if (ages_.finished_jobs > 0 && finished_ >= std::max(ages_.finished_jobs, wait_for_)) put_events_aside();
}

void EventFiles::put_full_accounts_aside() {
  const bool large = ages_.account_kb > 0 && accounts_.size() > ages_.account_kb * 1024;
  if (large || accounts_are_old()) switched_ = accounts_.put_aside(ages_.account_files) || switched_;
}

// If the file system does not record when a file was made, its age is unknown.
bool EventFiles::accounts_are_old() const {
  if (ages_.account_days <= 0 && !ages_.account_minute) return false;
  const std::int64_t made = accounts_.made_s(), now = clock_();
  if (made <= 0) return false;
  constexpr std::int64_t kDay = 24 * 3600;
  if (ages_.account_days > 0 && now - made > ages_.account_days * kDay) return true;
  return ages_.account_minute && made < last_at(*ages_.account_minute, now);
}

void EventFiles::rebuild(io::JobStore& store) {
  io::EventQuery first;
  first.most = 1;
  const auto found = store.events(first);
  if (found && !found->empty() && found->front().seq > 1) {
    events_.say_how_new();
    if (!events_.put_aside(ages_.event_files)) return;
  }
  events_.anew();
  finished_ = 0;
}

void EventFiles::note(io::StoreBatch& batch) const {
  using Number = io::StoreNumber;
  batch.set(Number::events_seq, static_cast<std::int64_t>(events_.last()));
  batch.set(Number::events_size, events_.size());
  batch.set(Number::accounts_seq, static_cast<std::int64_t>(accounts_.last()));
  batch.set(Number::accounts_size, accounts_.size());
  batch.set(Number::events_finished, finished_);
}

}  // namespace rollcall::mbatchd
