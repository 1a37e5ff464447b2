// Every setting of MC_PLUGIN_SCHEDULE_ENHANCE against the same tables of queues.
#include <gtest/gtest.h>

#include "sched/policy/forward/verdict_text.hpp"
#include "tests/unit/sched/forward/choice_driver.hpp"

namespace rollcall::sched::forward {
namespace {

RemoteQueue queue(const std::string& cluster, Slots slots, int priority, int lowest, int job_room = 50) {
  RemoteQueue queue;
  queue.name = {"receive", cluster};
  queue.figures = Figures{slots, job_room, {}};
  queue.priority = priority;
  queue.lowest_preemptable = lowest;
  return queue;
}

// Slots: total, available, running, pending, preemptable.
const std::vector<RemoteQueue> kFree{
    queue("few", {100, 30, 70, 20, 0}, 40, 1), queue("many", {100, 40, 60, 5, 0}, 30, 9),
    queue("high", {100, 20, 80, 15, 0}, 50, 5), queue("full", {100, 0, 100, 0, 90}, 90, 1)};
const std::vector<RemoteQueue> kPreempt{
    queue("most", {100, 0, 100, 10, 90}, 30, 30), queue("lowest", {100, 0, 100, 20, 80}, 40, 10),
    queue("high", {100, 0, 100, 5, 50}, 50, 20), queue("waits", {100, 0, 100, 0, 0}, 60, 1)};
const std::vector<RemoteQueue> kRoom{queue("busy", {100, 0, 100, 50, 10}, 40, 20),
                                     queue("calm", {100, 0, 100, 30, 0}, 30, 30),
                                     queue("closed", {100, 0, 100, 0, 0}, 90, 1, 0)};
const std::vector<RemoteQueue> kNothing{queue("east", {100, 0, 100, 5, 3}, 40, 20, 0),
                                        queue("west", {100, 1, 99, 9, 0}, 30, 30, 0)};

struct Row {
  const char* what;
  conf::ForwardChoice choice;
  bool room_first;
  const char *free, *preempt, *room;
  const char* nothing =
      "";  // no slots and no room: only without MC_PLUGIN_SCHEDULE_ENHANCE is the job offered
  bool remote_resource = false;
};

TEST(ForwardChoice, EverySettingHasItsOrder) {
  constexpr auto kCount = Kind::count_preemptable;
  // Three offers at most. With free slots `full` comes fourth.
  const Row kRows[] = {
      {"off", {Kind::off}, false, "few many high", "most lowest high", "busy calm closed", "east west"},
      {"REMOTE_RESOURCE",
       {Kind::off},
       false,
       "many few high",
       "most lowest high",
       "busy calm closed",
       "west east",
       true},
      {"REMOTE_RESOURCE is implied",
       {Kind::resource_only},
       false,
       "many few high",
       "waits high most",
       "calm busy",
       "",
       true},
      {"RESOURCE_ONLY", {Kind::resource_only}, false, "many few high", "waits high most", "calm busy"},
      {"COUNT_PREEMPTABLE", {kCount}, false, "many few high", "most lowest high", "calm busy"},
      {"+ HIGH", {kCount, true}, false, "high few many", "high lowest most", "busy calm"},
      {"+ PREEMPTABLE", {kCount, false, true}, false, "many few high", "lowest high most", "busy calm"},
      {"+ PENDING", {kCount, false, false, true}, false, "many few high", "most lowest high", ""},
      {"+ HIGH PREEMPTABLE", {kCount, true, true}, false, "high few many", "high lowest most", "busy calm"},
      {"+ HIGH PENDING", {kCount, true, false, true}, false, "high few many", "high lowest most", ""},
      {"+ PREEMPTABLE PENDING", {kCount, false, true, true}, false, "many few high", "lowest high most", ""},
      {"+ all three", {kCount, true, true, true}, false, "high few many", "high lowest most", ""},
      {"room first", {kCount}, true, "many few high", "waits high most", "calm busy"},
      {"room first, HIGH", {kCount, true}, true, "high few many", "waits high lowest", "busy calm"},
      {"room first, PREEMPTABLE",
       {kCount, false, true},
       true,
       "many few high",
       "waits high most",
       "calm busy"},
      {"room first, PENDING",
       {kCount, false, false, true},
       true,
       "many few high",
       "waits high most",
       "calm busy"},
      {"room first, HIGH PREEMPTABLE",
       {kCount, true, true},
       true,
       "high few many",
       "waits high lowest",
       "busy calm"},
      {"room first, HIGH PENDING",
       {kCount, true, false, true},
       true,
       "high few many",
       "waits high lowest",
       "busy calm"},
      {"room first, PREEMPTABLE PENDING",
       {kCount, false, true, true},
       true,
       "many few high",
       "waits high most",
       "calm busy"},
      {"room first, all three",
       {kCount, true, true, true},
       true,
       "high few many",
       "waits high lowest",
       "busy calm"},
  };
  for (const Row& row : kRows) {
    Settings settings = settings_of(row.choice);
    settings.room_before_preemption = row.room_first;
    settings.remote_resource = row.remote_resource;
    EXPECT_EQ(offers(job_of(5), kFree, settings), row.free) << row.what;
    EXPECT_EQ(offers(job_of(5), kPreempt, settings), row.preempt) << row.what;
    EXPECT_EQ(offers(job_of(5), kRoom, settings), row.room) << row.what;
    EXPECT_EQ(offers(job_of(5), kNothing, settings), row.nothing) << row.what;
  }
}

// MC_PLUGIN_REMOTE_RESOURCE alone: pending jobs, room and priorities do not count.
TEST(ForwardChoice, MostAvailableSlotsCountWithoutTheEnhancedChoice) {
  Settings settings;
  settings.remote_resource = true;
  std::vector<RemoteQueue> queues{queue("new", {}, 90, 1), queue("busy", {100, 10, 90, 0, 90}, 90, 1),
                                  queue("calm", {100, 11, 89, 70, 0}, 1, 1, 0),
                                  queue("arm", {100, 99, 1, 0, 0}, 1, 1)};
  queues[0].figures.reset();
  queues[1].types = queues[2].types = {"X86"};
  queues[3].types = {"ARM"};
  ForwardJob job = job_of(20);
  job.types = {"X86"};
  EXPECT_EQ(offers(job, queues, settings), "calm busy new");
}

// A queue that has to preempt is offered the job after every queue with free slots, however high its priority is.
TEST(ForwardChoice, PrioritiesNeverCrossATier) {
  std::vector<RemoteQueue> queues{queue("full", {100, 0, 100, 0, 90}, 90, 1),
                                  queue("free", {100, 9, 91, 0, 0}, 1, 50),
                                  queue("waits", {100, 0, 100, 0, 0}, 99, 1)};
  EXPECT_EQ(offers(job_of(5), queues, settings_of({Kind::count_preemptable, true, true})), "free full waits");
}

TEST(ForwardChoice, RoomFirstUsesPreemptionWhereThereIsNoRoom) {
  std::vector<RemoteQueue> queues{queue("preempts", {100, 0, 100, 0, 90}, 40, 1, 0),
                                  queue("waits", {100, 0, 100, 0, 0}, 40, 1)};
  Settings settings = settings_of({Kind::count_preemptable});
  EXPECT_EQ(offers(job_of(5), queues, settings), "preempts waits");
  settings.room_before_preemption = true;
  EXPECT_EQ(offers(job_of(5), queues, settings), "waits preempts");
}

TEST(ForwardChoice, EqualQueuesKeepTheOrderOfSndjobsTo) {
  const std::vector<RemoteQueue> queues{remote_queue("b", 30, 20), remote_queue("a", 20, 10),
                                        remote_queue("c", 10, 0)};
  EXPECT_EQ(offers(job_of(1), queues, settings_of({Kind::count_preemptable, true, true, true})), "b a c");
}

TEST(ForwardChoice, SlotsAskedAreTheLeastNumber) {
  ForwardJob job;
  job.min_slots = 10;
  job.max_slots = 64;
  const std::vector<RemoteQueue> queues{remote_queue("nine", 9, 0), remote_queue("ten", 10, 0)};
  EXPECT_EQ(offers(job, queues, settings_of({Kind::count_preemptable, false, false, true})), "ten");
}

TEST(ForwardChoice, QueueWithoutUpdateComesLast) {
  std::vector<RemoteQueue> queues{remote_queue("new", 0, 0), remote_queue("waits", 0, 70),
                                  remote_queue("free", 9, 0)};
  queues[0].figures.reset();
  for (const bool pend : {false, true}) {
    const auto choice = choose(job_of(1), queues, settings_of({Kind::count_preemptable, false, false, pend}));
    EXPECT_EQ(choice.verdicts[0].tier, Tier::unknown);
    EXPECT_EQ(choice.offers.back(), 0U);
  }
  EXPECT_EQ(offers(job_of(1), queues, settings_of({Kind::resource_only})), "free waits new");
}

TEST(ForwardChoice, SlotBacklogCountsTheSlotsAsked) {
  std::vector<RemoteQueue> queues{remote_queue("east", 0, 0)};
  queues[0].figures->slot_room = 8;
  EXPECT_EQ(offers(job_of(8), queues, settings_of({Kind::resource_only})), "east");
  const auto choice = choose(job_of(9), queues, settings_of({Kind::resource_only}));
  EXPECT_TRUE(choice.offers.empty());
  EXPECT_EQ(choice.verdicts[0].why, LeftOut::no_room);
}

// Free slots are enough: the limit of pending jobs is for jobs that have to wait.
TEST(ForwardChoice, FreeSlotsNeedNoRoom) {
  std::vector<RemoteQueue> queues{remote_queue("east", 5, 0)};
  queues[0].figures->job_room = 0;
  EXPECT_EQ(offers(job_of(5), queues, settings_of({Kind::resource_only})), "east");
}

TEST(ForwardChoice, SaysThatItsClusterIsNoPeer) {
  std::vector<RemoteQueue> queues(1, remote_queue("nowhere", 5, 0));
  queues[0].connected = queues[0].peer = false;
  const auto choice = choose(job_of(1), queues, {});
  EXPECT_EQ(choice.verdicts[0].why, LeftOut::no_peer);
  EXPECT_EQ(words_of(choice.verdicts[0], job_of(1), queues[0], {}),
            "its cluster is not in lsf.shared, or RemoteClusters leaves it out");
}

TEST(ForwardChoice, SaysWhatAQueueLacks) {
  std::vector<RemoteQueue> queues(4, remote_queue("east", 50, 0));
  queues[0].connected = false;
  queues[1].types = {"ARM"};
  queues[2].types = queues[3].types = {"ARM", "X86"};
  queues[2].booleans = {"gpu"};
  queues[3].booleans = {"bigmem", "gpu"};
  ForwardJob job = job_of(101);
  job.types = {"X86"};
  job.booleans = {"gpu", "bigmem"};
  job.same_type = true;
  for (const auto kind : {Kind::off, Kind::resource_only, Kind::count_preemptable}) {
    const auto choice = choose(job, queues, settings_of({kind}));
    EXPECT_TRUE(choice.offers.empty());
    EXPECT_EQ(choice.verdicts[0].why, LeftOut::disconnected);
    EXPECT_EQ(choice.verdicts[1].why, LeftOut::lacks_type);
    EXPECT_EQ(choice.verdicts[2].why, LeftOut::lacks_boolean);
    EXPECT_EQ(choice.verdicts[2].lacking, 1U);
    EXPECT_EQ(choice.verdicts[3].why, LeftOut::too_small);
    EXPECT_FALSE(choice.verdicts[1].mixed_types);
    EXPECT_TRUE(choice.verdicts[3].mixed_types);
  }
}

// The counters of such a queue mislead a job that needs one type; to other jobs it is a queue like others.
TEST(ForwardChoice, SaysThatAQueueHasSeveralTypes) {
  std::vector<RemoteQueue> queues{remote_queue("east", 50, 0)};
  queues[0].types = {"ARM", "X86"};
  ForwardJob job = job_of(1);
  EXPECT_FALSE(choose(job, queues, settings_of({Kind::resource_only})).verdicts[0].mixed_types);
  job.same_type = true;
  EXPECT_TRUE(choose(job, queues, settings_of({Kind::resource_only})).verdicts[0].mixed_types);
}

TEST(ForwardChoice, WithoutQueuesTheJobPends) {
  const auto choice = choose(job_of(1), std::vector<RemoteQueue>{}, settings_of({Kind::count_preemptable}));
  EXPECT_TRUE(choice.offers.empty());
  EXPECT_TRUE(choice.verdicts.empty());
}

TEST(ForwardChoice, LeavesOutAClusterThatTakesNoOffersAndSaysWhy) {
  std::vector<RemoteQueue> queues(2);
  queues[0].closed = "its cluster has not answered 1000 offers";
  for (const auto kind : {Kind::off, Kind::resource_only, Kind::count_preemptable}) {
    const auto settings = settings_of({kind});
    const auto choice = choose(job_of(1), queues, settings);
    EXPECT_EQ(choice.verdicts[0].why, LeftOut::closed);
    EXPECT_EQ(choice.offers, std::vector<std::size_t>{1});
    EXPECT_NE(table_of(choice, job_of(1), queues, settings).find(queues[0].closed), std::string::npos);
  }
}

}  // namespace
}  // namespace rollcall::sched::forward
