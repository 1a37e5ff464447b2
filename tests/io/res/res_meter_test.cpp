// JobMeter: what a shepherd reads of its job's cgroup (res/shepherd/job_meter.hpp), here from plain files: the memory
// controller is not there on every machine that runs this.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "common/io/cgroup_slots.hpp"
#include "common/io/descriptor.hpp"
#include "res/shepherd/job_meter.hpp"

namespace rollcall::res {
namespace {

using namespace std::chrono_literals;

class ResMeter : public ::testing::Test {
 protected:
  ResMeter() {
    char name[] = "/tmp/rollcall-res-meter.XXXXXX";
    EXPECT_NE(mkdtemp(name), nullptr);
    top_ = name;
    write("cpu.stat", "usage_usec 9000000\nuser_usec 5000000\nsystem_usec 4000000\n");  // of the jobs before
  }
  ~ResMeter() override { std::filesystem::remove_all(top_); }
  void write(const std::string& name, const std::string& text) { std::ofstream(top_ + "/" + name) << text; }
  void set_memory(int mb, int killed) {
    write("memory.current", std::to_string(mb << 20) + "\n");
    write("memory.peak", std::to_string((mb + 10) << 20) + "\n");
    write("memory.stat", "anon 1\nfile 0\nshmem 0\n");
    write("memory.events", "low 0\noom_kill " + std::to_string(killed) + "\n");
  }
  JobMeter meter(std::int64_t limit_kb = 0) {
    directory_ = io::Descriptor(open(top_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    wire::Limits limits;
    if (limit_kb != 0) limits.set_memory_kb(limit_kb);
    return JobMeter(wire::JobOrder(), limits, directory_.get());
  }
  std::string top_;
  io::Descriptor directory_;
  TimePoint now_{1000s};
};

TEST_F(ResMeter, TimesAreThoseSinceTheJobBegan) {
  JobMeter meter = this->meter();
  write("cpu.stat", "usage_usec 0\nuser_usec 105000000\nsystem_usec 54000000\n");
  meter.sample(now_);
  EXPECT_NEAR(meter.usage().user_s(), 100, 2) << "less our own";
  EXPECT_NEAR(meter.usage().system_s(), 50, 2);
}

TEST_F(ResMeter, MemoryIsWhatTheCgroupHas) {
  set_memory(3, 0);
  JobMeter meter = this->meter();
  set_memory(300, 0);
  EXPECT_EQ(meter.sample(now_).memory_kb, 300 << 10);
  EXPECT_EQ(meter.usage().max_memory_kb(), 310 << 10) << "the peak is not missed between two looks";
}

TEST_F(ResMeter, OomKillBreaksTheMemoryLimit) {
  set_memory(3, 2);  // of a job before
  JobMeter meter = this->meter(100 << 10);
  EXPECT_FALSE(meter.out_of_memory());
  set_memory(90, 2);
  EXPECT_EQ(meter.sample(now_).memory_kb, 90 << 10);
  set_memory(20, 3);
  EXPECT_TRUE(meter.out_of_memory());
  EXPECT_GT(meter.sample(now_).memory_kb, 100 << 10);
}

TEST_F(ResMeter, WithoutALimitAnOomKillIsNotReported) {
  set_memory(3, 0);
  JobMeter meter = this->meter();
  set_memory(20, 1);
  EXPECT_FALSE(meter.out_of_memory());
}

TEST_F(ResMeter, ALimitIsWrittenWhereThereIsAController) {
  EXPECT_FALSE(io::limit_slot_memory(top_, 1 << 20)) << "no file is made";
  write("memory.max", "");
  EXPECT_TRUE(io::limit_slot_memory(top_, 1 << 20));
  std::ifstream in(top_ + "/memory.max");
  std::string word;
  in >> word;
  EXPECT_EQ(word, "1048576");
}

}  // namespace
}  // namespace rollcall::res
