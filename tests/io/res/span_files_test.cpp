// Key and places of a job on hosts of several clusters, as its shepherd writes them.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "res/policy/span_file.hpp"
#include "res/shepherd/process_plans.hpp"

namespace rollcall::res {
namespace {

namespace fs = std::filesystem;

class SpanFiles : public testing::Test {
 protected:
  SpanFiles() {
    char name[] = "/tmp/span_files.XXXXXX";
    directory_ = mkdtemp(name);
    auto& start = *order_.mutable_start();
    start.mutable_job()->mutable_key()->set_id(7);
    start.mutable_span()->set_key(std::string(32, 'k'));
    auto& place = *start.mutable_span()->add_places();
    place.set_host("a");
    place.set_slots(2);
    place.add_addresses("10.0.0.1");
    place.set_port(5000);
    places_ = job_places(order_, directory_);
  }
  ~SpanFiles() override { fs::remove_all(directory_); }
  std::string path(const char* name) const { return directory_ + "/" + name; }

  std::string directory_;
  wire::JobOrder order_;
  JobPlaces places_;
};

TEST_F(SpanFiles, AreTheUsersAlone) {
  ASSERT_TRUE(make_places(order_, places_));
  for (const char* name : {kSpanKeyFile, kSpanFile}) {
    struct stat facts;
    ASSERT_EQ(stat(path(name).c_str(), &facts), 0) << name;
    EXPECT_EQ(facts.st_mode & 0777, 0600U) << name;
    EXPECT_GT(facts.st_size, 0) << name;
  }
}

TEST_F(SpanFiles, ThatCannotBeWrittenAreNamedAndNoneIsLeft) {
  fs::create_directory(path(kSpanFile));
  const auto made = make_places(order_, places_);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().text, "cannot write " + path(kSpanFile) + ": Is a directory");
  EXPECT_FALSE(fs::exists(path(kSpanKeyFile)))
      << "a job with half of them would fail later, for another reason";
}

// In a job that starts here, the start fails.
TEST_F(SpanFiles, StartNoJobWithoutThem) {
  fs::create_directory(path(kSpanKeyFile));
  JobFiles files;
  files.places = places_;
  const auto plan = job_plan(order_, files);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().text, "cannot write " + path(kSpanKeyFile) + ": Is a directory");
}

}  // namespace
}  // namespace rollcall::res
