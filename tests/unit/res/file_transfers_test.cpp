// bsub -f: what is copied when, what lsrcp is told, and what a failure says; limits that bmod changes of a running job.
#include "res/policy/file_transfers.hpp"

#include <gmock/gmock.h>

#include "res/policy/copy_options.hpp"
#include "res/policy/job_life.hpp"

namespace rollcall::res {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Direction = wire::FileTransfer;

wire::ToRes::StartJob job_with(
    std::initializer_list<std::tuple<const char*, const char*, Direction::Direction>> files) {
  wire::ToRes::StartJob start;
  start.mutable_job()->mutable_key()->set_id(12);
  auto& asked = *start.mutable_submission();
  asked.set_from_host("n1");
  asked.set_cwd("/home/u");
  asked.set_asked_cwd("/scratch/%J");
  for (const auto& [local, remote, direction] : files) {
    auto& file = *asked.add_transfers();
    file.set_local(local);
    file.set_remote(remote);
    file.set_direction(direction);
  }
  return start;
}

std::vector<std::string> commands(const std::vector<FileTransfer>& transfers) {
  std::vector<std::string> lines;
  for (const auto& transfer : transfers) lines.push_back(transfer.command);
  return lines;
}

TEST(FileTransfers, GoWhereTheyAreMeantTo) {
  const auto start = job_with({{"in", "data", Direction::TO_HOST},
                               {"/a b/out.%J", "/tmp/out", Direction::FROM_HOST},
                               {"log", "log", Direction::APPEND_BACK},
                               {"state", "state", Direction::BOTH}});
  const std::string lsrcp = "\"${LSF_BINDIR:+$LSF_BINDIR/}lsrcp\" ";
  EXPECT_THAT(commands(transfers_to_host(start)),
              ElementsAre(lsrcp + "-- n1:/home/u/in /scratch/12/data",
                          lsrcp + "-- n1:/home/u/state /scratch/12/state"));
  EXPECT_THAT(
      commands(transfers_back(start, "")),
      ElementsAre(lsrcp + "-- /tmp/out 'n1:/a b/out.12'", lsrcp + "-a -- /scratch/12/log n1:/home/u/log",
                  lsrcp + "-- /scratch/12/state n1:/home/u/state"));
  EXPECT_THAT(commands(transfers_back(start, "/e r")).front(), HasSubstr(" 2>>'/e r'"));
}

TEST(FileTransfers, OfAnotherClustersJobNameTheSubmission) {
  auto start = job_with({{"back", "there", Direction::FROM_HOST}, {"in", "data", Direction::TO_HOST}});
  start.set_from_cluster("west");
  const auto forth = transfers_to_host(start);
  ASSERT_EQ(forth.size(), 1U);
  EXPECT_THAT(forth.front().command, HasSubstr("lsrcp\" -- @:f1 /scratch/12/data"));
  EXPECT_EQ(forth.front().what, "n1@west:/home/u/in to /scratch/12/data") << "for people";
  EXPECT_THAT(commands(transfers_back(start, "")).front(), HasSubstr("lsrcp\" -- /scratch/12/there @:f0"));
  EXPECT_THAT(fetch_input("/a b/in", "/why"),
              HasSubstr("lsrcp\" -- @:input '/a b/in' 2>/why || rm -f -- '/a b/in'"));
  EXPECT_THAT(return_file("/out", "output", "/why"), HasSubstr("-- /out @:output 2>/why && rm -f -- /out"));
}

TEST(FileTransfers, FilesOfASubmissionHaveNames) {
  EXPECT_EQ(submitted_file("input")->file, wire::PieceAsked::INPUT);
  EXPECT_EQ(submitted_file("output")->file, wire::PieceAsked::STDOUT);
  EXPECT_EQ(submitted_file("errors")->file, wire::PieceAsked::STDERR);
  EXPECT_EQ(submitted_file("f12")->transfer, 12U);
  for (const char* word : {"", "f", "f-1", "f1x", "../in", "f99999999999", "Input"})
    EXPECT_FALSE(submitted_file(word)) << word;
  const auto options = parse_lsrcp({"--", "@:input", "/here"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->from.host, "@");
  EXPECT_EQ(options->from.path, "input");
}

TEST(FileTransfers, FileNamesAreQuotedForTheShell) {
  const auto start = job_with({{"$(touch x)", "'; rm -rf ~; '", Direction::TO_HOST}});
  EXPECT_THAT(commands(transfers_to_host(start)).front(),
              HasSubstr("'n1:/home/u/$(touch x)' '/scratch/12/'\\''; rm -rf ~; '\\'''"));
}

TEST(FileTransfers, AFailureNamesTheFile) {
  const auto start = job_with({{"in", "data", Direction::TO_HOST}});
  const auto line = transfers_to_host(start).front().command;
  EXPECT_EQ(failed_transfer(start, line, kCannotRead << 8),
            "-f: cannot copy n1:/home/u/in to /scratch/12/data: it cannot be read");
  EXPECT_THAT(failed_transfer(start, line, kCannotReach << 8), HasSubstr("cannot be reached"));
  EXPECT_EQ(failed_transfer(start, "the queue's pre-execution", 1 << 8), "");
}

std::vector<std::string> happens(JobLife& life, const Event& event) {
  std::vector<std::string> texts;
  for (const auto& effect : step(life, event, TimePoint{std::chrono::seconds(1000)}))
    texts.push_back(text(effect));
  return texts;
}

TEST(FileTransfers, AJobIsOverWhenItsFilesAreBack) {
  wire::JobOrder order;
  *order.mutable_start() = job_with({{"out", "out", Direction::FROM_HOST}});
  JobLife life;
  life.rules = attempt_rules(order);
  EXPECT_THAT(happens(life, event::Began{}), ElementsAre("start the job"));
  happens(life, event::JobStarted{});
  happens(life, event::JobEnded{0});
  EXPECT_THAT(happens(life, event::Emptied{}), ElementsAre("run copies back"));
  EXPECT_THAT(happens(life, event::CopiesEnded{}), ElementsAre("tell over 0 0 0", "finish"));
}

TEST(FileTransfers, AKillEndsTheCopyingToo) {
  wire::JobOrder order;
  *order.mutable_start() = job_with({{"out", "out", Direction::BOTH}});
  JobLife life;
  life.rules = attempt_rules(order);
  EXPECT_THAT(happens(life, event::Began{}), ElementsAre("run the pre-execution"));
  happens(life, event::PreEnded{0});
  happens(life, event::JobStarted{});
  happens(life, event::JobEnded{0});
  happens(life, event::Emptied{});
  wire::ToRes::SignalJob kill;
  kill.set_action(wire::ToRes::SignalJob::TERMINATE);
  EXPECT_THAT(happens(life, event::Ordered{kill}), ElementsAre("kill all"));
  EXPECT_THAT(happens(life, event::CopiesEnded{}), IsEmpty());
  EXPECT_THAT(happens(life, event::Emptied{}), ElementsAre("tell over 0 0 0", "finish"));
}

TEST(FileTransfers, NothingComesBackOfAJobThatNeverRan) {
  wire::JobOrder order;
  *order.mutable_start() = job_with({{"out", "out", Direction::BOTH}});
  JobLife life;
  life.rules = attempt_rules(order);
  happens(life, event::Began{});
  happens(life, event::PreEnded{kCannotRead << 8, "-f: cannot copy"});
  EXPECT_EQ(life.outcome.why, "-f: cannot copy");
  EXPECT_THAT(happens(life, event::Emptied{}), ElementsAre(HasSubstr("tell over 1 "), "finish"));
}

TEST(ChangedLimits, AreEnforcedFromThenOn) {
  JobLife life;
  life.rules.limits.set_memory_kb(1000);
  happens(life, event::Began{});
  happens(life, event::JobStarted{});
  wire::ToRes::SignalJob order;
  order.set_action(wire::ToRes::SignalJob::LIMITS);
  order.set_number(1);
  order.mutable_limits()->set_memory_kb(5000);
  EXPECT_THAT(happens(life, event::Ordered{order}), ElementsAre("change limits"));
  EXPECT_THAT(happens(life, event::Ordered{order}), IsEmpty());  // once
  event::Sampled sampled;
  sampled.memory_kb = 4000;
  EXPECT_THAT(happens(life, sampled), IsEmpty());
  sampled.memory_kb = 6000;
  EXPECT_THAT(happens(life, sampled), testing::Not(IsEmpty()));
  EXPECT_EQ(life.reason, kTermMemLimit);
}

TEST(Lsrcp, ReadsItsFiles) {
  auto options = parse_lsrcp({"-a", "n1:/x y", "z"});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->append);
  EXPECT_EQ(options->from.host, "n1");
  EXPECT_EQ(options->from.path, "/x y");
  EXPECT_EQ(options->to.host, "");
  EXPECT_EQ(options->to.path, "z");
  options = parse_lsrcp({"--", "./a:b", "n2:-c"});
  EXPECT_EQ(options->from.path, "./a:b");  // a "/" before the colon: no host
  EXPECT_EQ(options->to.path, "-c");
  EXPECT_THAT(parse_lsrcp({"u@n1:/x", "y"}).error().text, HasSubstr("expected HOST:PATH"));
  EXPECT_THAT(parse_lsrcp({"n1:/x", "n2:/y"}).error().text, HasSubstr("two other hosts"));
  EXPECT_THAT(parse_lsrcp({"x"}).error().text, HasSubstr("found 1 files"));
  EXPECT_THAT(parse_lsrcp({"-p", "x", "y"}).error().text, HasSubstr("-p: unknown option"));
  EXPECT_THAT(parse_lsrcp({"n1:", "y"}).error().text, HasSubstr("expected a file"));
}

TEST(Lsrcp, KnowsAFileByItsMark) {
  const auto mark = read_mark("131 20 1700000000.123456789 1700000001.000000000 4755 regular file\n");
  ASSERT_TRUE(mark);
  EXPECT_EQ(mark->identity, "131 20 1700000000.123456789 1700000001.000000000");
  EXPECT_EQ(mark->mode, 0755u);
  EXPECT_TRUE(mark->regular);
  EXPECT_FALSE(read_mark("1 2 3 4 700 directory\n")->regular);
  EXPECT_FALSE(read_mark("stat: no such file"));
  EXPECT_FALSE(read_mark(""));
}

}  // namespace
}  // namespace rollcall::res
