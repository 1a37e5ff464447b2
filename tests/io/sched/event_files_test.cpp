// lsb.events and lsb.acct on a real disk: rotated by size, age, time of day and number; caught up; made anew.
#include "sched/mbatchd/event_files.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/io/sqlite_job_store.hpp"

namespace rollcall::mbatchd {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kDay = 24 * 3600;

class EventFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/rollcall-events.XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    directory_ = name;
    logs_ = directory_ + "/logdir";
    store_ = std::move(*io::open_sqlite_job_store(directory_));
    begin();
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(directory_);
  }

  // As a new mbatchd does.
  void begin() {
    files_.emplace(log_, logs_, [this] { return std::time(nullptr) + later_s_; });
    files_->configure(ages_);
    files_->begin(*store_);
  }
  void configure() { files_->configure(ages_); }

  static wire::JobEvent new_job(int id) {
    wire::JobEvent event;
    event.set_at_us(1'700'000'000'000'000 + id);
    event.mutable_key()->set_id(id);
    auto& job = *event.mutable_new_job();
    job.set_queue("normal");
    job.mutable_asked()->set_user("ann");
    job.mutable_asked()->set_command("command of " + std::to_string(id));
    job.mutable_record()->mutable_key()->set_id(id);
    return event;
  }
  static wire::JobEvent finish(int id) {
    wire::JobEvent event;
    event.set_at_us(1'700'000'000'000'000 + id);
    event.mutable_key()->set_id(id);
    auto& job = *event.mutable_finish();
    job.mutable_asked()->set_user("ann");
    job.mutable_asked()->set_command("command of " + std::to_string(id));
    job.mutable_record()->mutable_key()->set_id(id);
    job.mutable_record()->set_status(wire::STATUS_DONE);
    return event;
  }
  // One turn: commit, then the files.
  void commit(std::vector<wire::JobEvent> events) {
    io::StoreBatch batch;
    batch.events = std::move(events);
    files_->note(batch);
    ASSERT_TRUE(store_->commit(batch));
    files_->append(store_->last_event(), batch.events);
  }
  void run(int id) { commit({new_job(id), finish(id)}); }
  void catch_up() {
    for (int i = 0; i < 1000 && files_->behind(*store_); ++i) files_->catch_up(*store_);
    EXPECT_FALSE(files_->behind(*store_));
  }

  std::string text(const std::string& name) const {
    std::ifstream in(logs_ + "/" + name);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
  }
  bool there(const std::string& name) const { return std::filesystem::exists(logs_ + "/" + name); }
  static int count(const std::string& text, const std::string& word) {
    int found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
    return found;
  }

  std::string directory_, logs_;
  io::Log log_{2, "event_files_test", io::Level::error};
  std::int64_t later_s_ = 0;  // the clock is so much ahead
  FileAges ages_;
  std::unique_ptr<io::JobStore> store_;
  std::optional<EventFiles> files_;
};

TEST_F(EventFilesTest, EachEventIsThereOnce) {
  run(1);
  run(2);
  EXPECT_EQ(count(text("lsb.events"), "\"JOB_NEW\""), 2);
  EXPECT_EQ(count(text("lsb.acct"), "\"JOB_FINISH\""), 2);
  EXPECT_THAT(text("lsb.acct"), HasSubstr("command of 2"));
  begin();
  catch_up();
  run(3);
  EXPECT_EQ(count(text("lsb.events"), "\"JOB_NEW\""), 3);
}

TEST_F(EventFilesTest, EventsArePutAsideAfterSoManyFinishedJobs) {
  ages_.finished_jobs = 3;
  configure();
  for (int id = 1; id <= 7; ++id) run(id);
  EXPECT_EQ(count(text("lsb.events.2"), "\"JOB_NEW\""), 3) << "the oldest has the largest number";
  EXPECT_THAT(text("lsb.events.2"), HasSubstr("command of 1"));
  EXPECT_EQ(count(text("lsb.events.1"), "\"JOB_NEW\""), 3);
  EXPECT_EQ(count(text("lsb.events"), "\"JOB_NEW\""), 1);
  EXPECT_EQ(text("lsb.events").front(), '#');
  EXPECT_FALSE(there("lsb.events.3"));
  EXPECT_EQ(count(text("lsb.acct"), "\"JOB_FINISH\""), 7) << "lsb.acct has ages of its own";
}

// "# NUMBER" and blanks.
std::int64_t head_number(const std::string& text) { return std::stoll(text.substr(2)); }
std::string first_field(const std::string& text, std::size_t at) {
  return text.substr(at, text.find(' ', at) - at);
}

TEST_F(EventFilesTest, AnOlderFileSaysHowNewItIsAndEndsInLogSwitch) {
  ages_.finished_jobs = 2;
  configure();
  run(1);
  run(2);
  const std::string old = text("lsb.events.1");
  EXPECT_EQ(old.substr(0, 2), "# ");
  EXPECT_EQ(head_number(old), 1'700'000'000) << "the time of its newest record";
  const std::string last = old.substr(old.rfind('\n', old.size() - 2) + 1);
  EXPECT_THAT(last, HasSubstr("\"LOG_SWITCH\""));
  run(3);
  EXPECT_EQ(old.find('\n'), text("lsb.events").find('\n')) << "one first line takes the place of the other";
}

TEST_F(EventFilesTest, ANewFileBeginsWithTheJobsThatAreNotOver) {
  PresentJobs present;
  present.not_over = [] { return std::vector<sched::JobKey>{{1, 0}, {9, 0}}; };
  present.events = [](sched::JobKey job, const PresentJobs::Take& take) { take(new_job(job.id)); };
  present.highest_id = [] { return 9; };
  files_->set_present_jobs(std::move(present));
  later_s_ = 1'700'000'000 - std::time(nullptr);  // it is the time of those events
  ages_.finished_jobs = 2;
  configure();
  commit({new_job(1), new_job(9)});
  run(2);
  run(3);
  run(4);
  const std::string now = text("lsb.events");
  EXPECT_EQ(count(now, "command of 1\""), 1);
  EXPECT_EQ(count(now, "command of 9\""), 1);
  EXPECT_EQ(count(now, "command of 2\""), 1) << "it was over only just now";
  EXPECT_EQ(count(now, "command of 4\""), 1);
  const auto history = static_cast<std::size_t>(head_number(now));
  ASSERT_LT(history, now.size());
  EXPECT_EQ(now[history - 1], '\n');
  EXPECT_EQ(first_field(now, history), "\"JOB_NEW\"");
  EXPECT_EQ(count(now.substr(history), "\"JOB_NEW\""), 1)
      << "the file's own part is what came after the switch";
  EXPECT_THAT(text("lsb.events.1"), HasSubstr("\"LOG_SWITCH\" \"10.1\" "));
}

TEST_F(EventFilesTest, ASwitchWaitsWhereItWouldTellOfMoreThanItPutsAside) {
  std::vector<sched::JobKey> waiting;
  for (int id = 10'000; id < 11'003; ++id) waiting.push_back({id, 0});
  PresentJobs present;
  present.not_over = [&waiting] { return waiting; };
  present.events = [](sched::JobKey, const PresentJobs::Take&) {};
  files_->set_present_jobs(std::move(present));
  ages_.finished_jobs = 1;
  configure();
  run(1);
  run(2);
  EXPECT_FALSE(there("lsb.events.1"));
  run(3);
  EXPECT_TRUE(there("lsb.events.1")) << "1003 to tell of: 1000 freely, the rest for as many that finished";
}

TEST_F(EventFilesTest, AFileThatIsMadeAnewIsNotPutAsideOnTheWay) {
  for (int id = 1; id <= 7; ++id) run(id);
  ages_.finished_jobs = 3;
  configure();
  files_->rebuild(*store_);
  catch_up();
  EXPECT_EQ(count(text("lsb.events.1"), "\"JOB_NEW\""), 7) << "all of it is in one";
  EXPECT_FALSE(there("lsb.events.2"));
}

TEST_F(EventFilesTest, WhatASwitchLeavesIsNotCutAtTheOldSize) {
  ages_.finished_jobs = 2;
  configure();
  run(1);
  commit({});
  io::StoreBatch before;
  files_->note(before);
  ASSERT_TRUE(store_->commit(before));
  PresentJobs present;
  present.not_over = [] { return std::vector<sched::JobKey>{{8, 0}}; };
  present.events = [](sched::JobKey job, const PresentJobs::Take& take) {
    for (int i = 0; i < 9; ++i) take(new_job(job.id));
  };
  files_->set_present_jobs(std::move(present));
  run(2);  // switches; mbatchd is killed before the store knows
  ASSERT_TRUE(there("lsb.events.1"));
  begin();
  catch_up();
  const std::string now = text("lsb.events");
  std::istringstream lines(now);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line))
    EXPECT_TRUE(line.starts_with("\"JOB_NEW\"") && line.ends_with("\"\"")) << line;
}

TEST_F(EventFilesTest, TheCountOfFinishedJobsOutlivesMbatchd) {
  ages_.finished_jobs = 3;
  configure();
  run(1);
  run(2);
  commit({});  // notes what the files have
  io::StoreBatch last;
  files_->note(last);
  ASSERT_TRUE(store_->commit(last));
  begin();
  run(3);
  EXPECT_TRUE(there("lsb.events.1"));
}

TEST_F(EventFilesTest, AccountsArePutAsideBySize) {
  ages_.account_kb = 1;
  configure();
  for (int id = 1; id <= 12; ++id) run(id);
  ASSERT_TRUE(there("lsb.acct.1"));
  int finishes = count(text("lsb.acct"), "\"JOB_FINISH\"");
  for (int n = 1; there("lsb.acct." + std::to_string(n)); ++n) {
    EXPECT_GT(std::filesystem::file_size(logs_ + "/lsb.acct." + std::to_string(n)), 1024u);
    finishes += count(text("lsb.acct." + std::to_string(n)), "\"JOB_FINISH\"");
  }
  EXPECT_EQ(finishes, 12);
  EXPECT_FALSE(there("lsb.events.1"));
}

TEST_F(EventFilesTest, OnlySoManyAccountsStay) {
  ages_.account_kb = 1;
  ages_.account_files = 2;
  configure();
  for (int id = 1; id <= 60; ++id) run(id);
  EXPECT_TRUE(there("lsb.acct.1"));
  EXPECT_TRUE(there("lsb.acct.2"));
  EXPECT_FALSE(there("lsb.acct.3"));
}

TEST_F(EventFilesTest, OnlySoManyEventFilesStay) {
  ages_.finished_jobs = 2;
  ages_.event_files = 3;
  configure();
  for (int id = 1; id <= 21; ++id) run(id);
  EXPECT_TRUE(there("lsb.events"));
  EXPECT_TRUE(there("lsb.events.3"));
  EXPECT_FALSE(there("lsb.events.4"));
}

TEST_F(EventFilesTest, SmallerNumberOfEventFilesRemovesOlderOnes) {
  ages_.finished_jobs = 2;
  configure();
  for (int id = 1; id <= 20; ++id) run(id);
  ASSERT_TRUE(there("lsb.events.9"));
  ages_.event_files = 2;
  configure();
  run(21);
  run(22);
  EXPECT_TRUE(there("lsb.events.2"));
  for (int n = 3; n <= 12; ++n) EXPECT_FALSE(there("lsb.events." + std::to_string(n))) << n;
}

TEST_F(EventFilesTest, AccountsArePutAsideByAge) {
  ages_.account_days = 2;
  configure();
  run(1);
  later_s_ = kDay;
  files_->tick();
  EXPECT_FALSE(there("lsb.acct.1")) << "a day is no two days";
  later_s_ = 3 * kDay;
  files_->tick();
  EXPECT_THAT(text("lsb.acct.1"), HasSubstr("command of 1"));
  files_->tick();
  EXPECT_FALSE(there("lsb.acct.2")) << "there is no file that could be old";
}

TEST_F(EventFilesTest, AccountsArePutAsideEachDayAtATime) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  const int minute = local.tm_hour * 60 + local.tm_min;
  ages_.account_minute = (minute + 120) % (24 * 60);  // in two hours
  configure();
  run(1);
  files_->tick();
  later_s_ = 3600;
  files_->tick();
  EXPECT_FALSE(there("lsb.acct.1")) << "it is not that late yet";
  later_s_ = 3 * 3600;
  files_->tick();
  EXPECT_TRUE(there("lsb.acct.1"));
}

TEST_F(EventFilesTest, AfterACrashEachEventIsThereOnce) {
  run(1);
  run(2);  // the store knows the files as they were before this
  begin();
  catch_up();
  EXPECT_EQ(count(text("lsb.events"), "\"JOB_NEW\""), 2);
  EXPECT_EQ(count(text("lsb.acct"), "\"JOB_FINISH\""), 2);
}

TEST_F(EventFilesTest, AFileThatCannotBeWrittenIsCaughtUp) {
  run(1);
  ASSERT_EQ(rename(logs_.c_str(), (logs_ + ".away").c_str()), 0);
  { std::ofstream in_its_place(logs_); }
  run(2);
  run(3);
  EXPECT_TRUE(files_->behind(*store_));
  ASSERT_EQ(unlink(logs_.c_str()), 0);
  ASSERT_EQ(rename((logs_ + ".away").c_str(), logs_.c_str()), 0);
  catch_up();
  EXPECT_EQ(count(text("lsb.events"), "\"JOB_NEW\""), 3);
  EXPECT_EQ(count(text("lsb.acct"), "\"JOB_FINISH\""), 3);
}

TEST_F(EventFilesTest, AnAdministratorMayMoveAFileAway) {
  run(1);
  ASSERT_EQ(rename((logs_ + "/lsb.acct").c_str(), (logs_ + "/mine").c_str()), 0);
  run(2);
  EXPECT_THAT(text("lsb.acct"), HasSubstr("command of 2"));
  EXPECT_THAT(text("lsb.acct"), Not(HasSubstr("command of 1")));
}

TEST_F(EventFilesTest, EventsAreMadeAnewFromTheStore) {
  for (int id = 1; id <= 5; ++id) run(id);
  const std::string before = text("lsb.events");
  {
    std::ofstream spoilt(logs_ + "/lsb.events", std::ios::trunc);
    spoilt << "no line of ours\n";
  }
  files_->rebuild(*store_);
  catch_up();
  EXPECT_EQ(text("lsb.events"), before);
  EXPECT_EQ(count(text("lsb.acct"), "\"JOB_FINISH\""), 5) << "it is as it was";
}

TEST_F(EventFilesTest, AnEventsFileThatIsGoneIsMadeAnewToo) {
  for (int id = 1; id <= 5; ++id) run(id);
  const std::string before = text("lsb.events");
  ASSERT_EQ(unlink((logs_ + "/lsb.events").c_str()), 0);
  files_->rebuild(*store_);
  catch_up();
  EXPECT_EQ(text("lsb.events"), before);
}

TEST_F(EventFilesTest, TheFileThatHasWhatTheStoreHasForgottenIsPutAside) {
  for (int id = 1; id <= 5; ++id) run(id);
  const std::string before = text("lsb.events");
  const auto forgotten = store_->forget({1'700'000'000'000'000 + 100, 4, 100});
  ASSERT_TRUE(forgotten);
  EXPECT_EQ(forgotten->events, 4U);
  files_->rebuild(*store_);
  catch_up();
  EXPECT_EQ(count(text("lsb.events.1"), "\"JOB_NEW\""), 5);
  EXPECT_EQ(count(text("lsb.events"), "\"JOB_NEW\""), 3) << "what the store has";
  run(6);
  EXPECT_EQ(count(text("lsb.events"), "\"JOB_NEW\""), 4);
  EXPECT_EQ(count(text("lsb.acct"), "\"JOB_FINISH\""), 6) << "it is as it was";
}

}  // namespace
}  // namespace rollcall::mbatchd
