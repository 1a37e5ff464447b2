// EventFiles: lsb.events and lsb.acct, written from the store's events as other programs expect them.
//
// The store is authoritative; these are copies for programs that read LSF's files. For each file the store keeps, with the next
// commit, the number of its last event and its size then. After a crash the file is cut to that size and written again from
// there, so no line is missing or doubled. If a file cannot be written, that is logged once, and the file catches up later. It
// does not know what a line means (sched/policy/events/event_lines.hpp).
//
// A new lsb.events begins with the events of the jobs that are not over, for programs that read this file alone; its first line
// says where its own events begin. The first line of an older file gives the time of its newest record.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/io/descriptor.hpp"
#include "common/io/job_store.hpp"
#include "common/io/log.hpp"
#include "sched/policy/events/event_lines.hpp"
#include "sched/policy/values/job.hpp"

namespace rollcall::mbatchd {

// When a file is put aside: NAME.n becomes NAME.n+1 for each n, NAME becomes NAME.1, and a new file begins.
struct FileAges {
  std::int64_t finished_jobs = 0;     // MAX_JOB_NUM, of lsb.events; 0: never
  std::int64_t event_files = 0;       // MAX_EVENT_ARCHIVE_FILE: older ones go; 0: all stay
  std::int64_t account_kb = 0;        // ACCT_ARCHIVE_SIZE; 0: never
  std::int64_t account_days = 0;      // ACCT_ARCHIVE_AGE
  std::optional<int> account_minute;  // ACCT_ARCHIVE_TIME: each day at this minute of it, by the site's clock
  std::int64_t account_files = 0;     // MAX_ACCT_ARCHIVE_FILE: older ones go; 0: all stay
  sched::events::EventStyle style;
};

// One of the two.
class EventFile {
 public:
  using Line = std::function<std::string(const wire::JobEvent&)>;

  EventFile(const io::Log& log, std::string path, Line line)
      : log_(log), path_(std::move(path)), line_(std::move(line)) {}

  // As the store has it.
  void begin(std::uint64_t seq, std::int64_t size);
  // Those that follow `after`, which is last(), in order, up to `last`: numbers of forgotten events are missing between. False
  // where they could not be written: nothing of them is there.
  bool append(std::uint64_t after, std::uint64_t last, const std::vector<wire::JobEvent>& events);
  bool put_aside(std::int64_t most_files);
  // With its first line, if it was not there.
  bool make() { return open(); }
  // Lines that are no events of the store's. False where they could not be written.
  bool add(const std::string& lines);
  // The first line: where the history begins, in the present file; of what time the newest record is, before it is put aside.
  void say_where_history_begins() { rewrite_head(size_); }
  void say_how_new();
  // From the first event on.
  void anew();

  std::uint64_t last() const { return seq_; }
  std::int64_t size() const { return size_; }
  // When the present file was made; 0: not known.
  std::int64_t made_s() const;

 private:
  bool open();
  bool fails(const char* what);
  void rewrite_head(std::int64_t number);

  const io::Log& log_;
  std::string path_;
  Line line_;
  io::Descriptor file_;
  std::uint64_t seq_ = 0;
  std::int64_t size_ = 0;
  std::int64_t newest_s_ = 0;  // of the last event that was written; 0: none was by us
  bool cut_ = false;           // what is beyond size_ is still to be cut off
  bool failing_ = false;
};

// The jobs that mbatchd has in memory, for the begin of a new lsb.events.
struct PresentJobs {
  using Take = std::function<void(const wire::JobEvent&)>;
  std::function<std::vector<sched::JobKey>()>
      not_over;  // arrays as {id, 0}, and the elements that have begun
  std::function<void(sched::JobKey, const Take&)> events;  // that tell of this one as it is
  std::function<std::int32_t()> highest_id;
};

class EventFiles {
 public:
  using Clock = std::function<std::int64_t()>;  // seconds since 1970

  // `directory`: LSB_SHAREDIR/CLUSTER/logdir; made where it is not there.
  EventFiles(const io::Log& log, const std::string& directory);
  EventFiles(const io::Log& log, const std::string& directory, Clock clock);  // for tests

  void configure(const FileAges& ages);
  // Called when lsb.events is put aside; without it a new file begins empty.
  void set_present_jobs(PresentJobs jobs) { present_ = std::move(jobs); }
  void begin(const io::JobStore& store);
  // The events of the last commit. `last_seq`: of the last of them.
  void append(std::uint64_t last_seq, const std::vector<wire::JobEvent>& events);
  // One piece of what is missing, from the store. True where there is more to do and it may be done at once.
  bool catch_up(io::JobStore& store);
  bool behind(const io::JobStore& store) const;
  // lsb.events anew from the store: catch_up() writes it. Where the store has forgotten the first events the present file, which
  // may have them, is put aside.
  void rebuild(io::JobStore& store);
  // To be called now and then: time alone may put a file aside.
  void tick() { put_full_accounts_aside(); }

  // What the next commit is to keep.
  void note(io::StoreBatch& batch) const;
  // A file was put aside since this was last asked: note() should be on disk soon.
  bool switched() { return std::exchange(switched_, false); }

 private:
  bool append_to(EventFile& file, std::uint64_t after, std::uint64_t last,
                 const std::vector<wire::JobEvent>& events);
  void put_full_events_aside();
  void put_full_accounts_aside();
  void put_events_aside();
  void tell_of_present_jobs(std::vector<sched::JobKey> jobs);
  void note_finished(const std::vector<wire::JobEvent>& events);
  bool accounts_are_old() const;

  struct Finished {
    sched::JobKey job;
    std::int64_t at_s = 0;
  };
  const io::Log& log_;
  std::string directory_;
  Clock clock_;
  FileAges ages_;
  EventFile events_, accounts_;
  std::int64_t finished_ = 0;  // in the present lsb.events
  std::int64_t wait_for_ =
      0;  // ... so many are to be, before it is worth to carry as many as there were when last counted
  PresentJobs present_;
  std::deque<Finished> just_finished_;
  bool switched_ = false;
};

}  // namespace rollcall::mbatchd
