// What the files mean for the choice of a remote queue, and which figures of another cluster are believed.
#include "sched/mbatchd/forward_wire.hpp"

#include <limits>

#include "tests/unit/sched/mbatchd/forward_fixture.hpp"

namespace rollcall::mbatchd {
namespace {

using Kind = conf::ForwardChoice::Kind;
using sched::book::site_files;

sched::forward::Settings settings(const std::string& params, const std::string& queue = "",
                                  bool remote_resource = false, bool room_first = false) {
  auto files = site_files(params, queue);
  auto cluster = std::make_shared<conf::ClusterFiles>(*files.cluster);
  cluster->lsf_conf =
      *conf::LsfConf::parse(std::string(remote_resource ? "MC_PLUGIN_REMOTE_RESOURCE=Y\n" : "") +
                                (room_first ? "ROLLCALL_FORWARD_ROOM_FIRST=Y\n" : ""),
                            "lsf.conf");
  files.cluster = cluster;
  return settings_of(files, files.lsb->queues[0]);
}

TEST(ForwardSettings, AreOfBothFiles) {
  const std::string enhanced =
      "MC_PLUGIN_SCHEDULE_ENHANCE = PENDING_WHEN_NOSLOTS\nMC_PLUGIN_UPDATE_INTERVAL = 1\n";
  EXPECT_EQ(settings("").choice.kind, Kind::off);
  EXPECT_EQ(settings(enhanced).choice.kind, Kind::count_preemptable);
  EXPECT_TRUE(settings(enhanced).choice.pending_when_no_slots);
  EXPECT_FALSE(settings("").remote_resource);
  EXPECT_TRUE(settings("", "", true).remote_resource);
  EXPECT_FALSE(settings(enhanced).room_before_preemption);
  EXPECT_TRUE(settings(enhanced, "", false, true).room_before_preemption);
}

TEST(ForwardSettings, RetryAfterMaxRschedTimeTimesMbdSleepTime) {
  EXPECT_EQ(settings("").retry_after, std::chrono::minutes(20));
  EXPECT_EQ(settings("MBD_SLEEP_TIME = 10\n", "MAX_RSCHED_TIME = 3\n").retry_after, std::chrono::seconds(30));
  EXPECT_EQ(settings("", "MAX_RSCHED_TIME = infinit\n").retry_after, std::nullopt);
}

bool may(const std::string& users, const sched::Identity& who) {
  const auto files = site_files("", "SNDJOBS_TO = q@east\n" + users);
  wire::Submission asked;
  asked.set_user(who.user);
  asked.set_uid(who.uid);
  return may_forward(files, files.lsb->queues[0], asked);
}

TEST(FwdUsers, NameUsersAndGroupsOrLeaveThemOut) {
  using sched::book::kAnn, sched::book::kBob, sched::book::kEve;
  EXPECT_TRUE(may("", kAnn));
  EXPECT_TRUE(may("FWD_USERS = all\n", kAnn));
  EXPECT_FALSE(may("FWD_USERS = all ~ann\n", kAnn));
  EXPECT_TRUE(may("FWD_USERS = all ~ann\n", kBob));
  EXPECT_FALSE(may("FWD_USERS = all ~dev\n", kBob));
  EXPECT_TRUE(may("FWD_USERS = all ~dev\n", kEve));
  EXPECT_TRUE(may("FWD_USERS = dev\n", kAnn));
  EXPECT_FALSE(may("FWD_USERS = dev\n", kEve));
}

TEST(QueueRoom, IsWhatTheBacklogsLeave) {
  const auto room = [](const std::string& lines, std::uint64_t jobs, std::uint64_t slots) {
    wire::QueueFigures::OfQueue told;
    put_room(site_files("", lines).lsb->queues[0], {.slots = slots, .jobs = jobs}, told);
    return (told.has_job_room() ? std::to_string(told.job_room()) : "any") + " jobs " +
           (told.has_slot_room() ? std::to_string(told.slot_room()) : "any") + " slots";
  };
  EXPECT_EQ(room("", 7, 9), "43 jobs any slots") << "IMPT_JOBBKLG is 50";
  EXPECT_EQ(room("IMPT_JOBBKLG = 5\nIMPT_SLOTBKLG = 16\n", 2, 9), "3 jobs 7 slots");
  EXPECT_EQ(room("IMPT_JOBBKLG = infinit\nIMPT_SLOTBKLG = 4\n", 70, 9), "any jobs 0 slots")
      << "never below 0";
}

TEST(Returns, AreThoseFromTheQueue) {
  wire::JobRecord record;
  record.mutable_key()->set_id(3);
  auto& one = *record.add_returns();
  one.set_cluster("east");
  one.set_queue("receive");
  one.set_times(2);
  one.set_at_us(1'000'000);
  const sched::forward::Figures then{{10, 1, 0, 0, 0}, 50, {}};
  *one.mutable_figures() = slots_of(then);
  const auto all = returns_of(record, WallTime{6'000'000});
  ASSERT_EQ(all.size(), 1U);
  const auto& [queue, east] = all[0];
  EXPECT_EQ(queue, (conf::RemoteQueue{"receive", "east"}));
  EXPECT_EQ(east.times, 2);
  EXPECT_EQ(east.ago, std::chrono::seconds(5));
  EXPECT_EQ(east.then, then);
  EXPECT_EQ(returns_of(record, WallTime{500'000})[0].second.ago, Duration{0}) << "the clock was set back";
}

wire::QueueFigures::OfQueue told_values() {
  wire::QueueFigures::OfQueue told;
  told.set_name("receive");
  auto& values = *told.add_values();
  values.set_name("licver");
  values.add_numbers(5);
  values.add_numbers(3);
  return told;
}

TEST(QueueNews, HasTheValuesOfResources) {
  const auto news = news_of("east", told_values(), {});
  ASSERT_TRUE(news);
  ASSERT_EQ(news->values.size(), 1U);
  EXPECT_EQ(news->values[0].name, "licver");
  EXPECT_EQ(news->values[0].numbers, (std::vector<double>{3, 5})) << "sorted here";
  sched::cycle::QueueFigures figures;
  figures.values = {{"os", {}, {"a", "b"}, false}, {"licver", {1, 9}, {}, true}};
  wire::QueueFigures::OfQueue told;
  put(figures, told);
  told.set_name("receive");
  const auto again = news_of("east", told, {});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->values[0].words, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(again->values[1].more);
}

TEST(QueueNews, RefusesValuesThatAreTooManyOrNoNumbers) {
  auto many = told_values(), long_name = told_values(), nan = told_values(), words = told_values(),
       resources = told_values();
  for (int i = 0; i < 100; ++i) many.mutable_values(0)->add_numbers(i);
  long_name.mutable_values(0)->set_name(std::string(300, 'x'));
  nan.mutable_values(0)->add_numbers(std::numeric_limits<double>::quiet_NaN());
  words.mutable_values(0)->add_words(std::string(300, 'x'));
  for (int i = 0; i < 2000; ++i) resources.add_values()->set_name("r");
  for (const auto& told : {many, long_name, nan, words, resources}) EXPECT_FALSE(news_of("east", told, {}));
}

}  // namespace
}  // namespace rollcall::mbatchd
