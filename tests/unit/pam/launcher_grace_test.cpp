// How long a launcher may outlive its last task; some launchers are known to have nothing more to do then.
#include "pam/policy/launcher_grace.hpp"

#include <gtest/gtest.h>

namespace rollcall::pam {
namespace {

using std::chrono::seconds;
using Words = std::vector<std::string>;

// "10 --launcher-grace"
std::string grace(const Words& words, const std::string& resolved = {}, int timeout = 300) {
  const auto options = parse_options(words);
  if (!options) return options.error().text;
  PamConfig config;
  config.registration_timeout = seconds(timeout);
  const LauncherGrace found = launcher_grace(*options, config, resolved);
  return std::to_string(std::chrono::duration_cast<seconds>(found.linger).count()) + " " + found.parameter;
}

TEST(LauncherGrace, KnownLaunchersThatAreStartedDirectlyHaveTenSeconds) {
  EXPECT_EQ(kDirectLauncherGrace, seconds(10));
  for (const char* launcher : {"mpirun.openmpi", "/usr/bin/mpiexec.hydra", "mpirun", "srun"}) {
    EXPECT_EQ(grace({"-g", "1", launcher, "job"}), "10 --launcher-grace") << launcher;
    EXPECT_EQ(grace({"-mpi", launcher, "job"}), "10 --launcher-grace") << launcher;
  }
  EXPECT_EQ(grace({"-g", "1", "our-mpi", "job"}, "/usr/bin/orterun"), "10 --launcher-grace")
      << "a link to one";
}

TEST(LauncherGrace, OthersHaveTheTimeOfLsfConfSinceMoreStepsMayFollow) {
  const std::string all = "77 LSF_HPC_PJL_LOADENV_TIMEOUT";
  EXPECT_EQ(grace({"-g", "1", "sh", "job"}, "", 77), all);
  EXPECT_EQ(grace({"-g", "1", "openmpi_wrapper", "job"}, "", 77), all);
  EXPECT_EQ(grace({"-g", "openmpi_wrapper", "job"}, "", 77), all);
  EXPECT_EQ(grace({"-g", "mpirun.openmpi", "job"}, "", 77), all) << "by Method 2 it is a wrapper";
  EXPECT_EQ(grace({"job"}, "", 77), all);
  EXPECT_EQ(grace({"-g", "1", "sh", "job"}, "", 0), "0 LSF_HPC_PJL_LOADENV_TIMEOUT") << "off";
}

TEST(LauncherGrace, TheOptionGoesBeforeBoth) {
  EXPECT_EQ(grace({"--launcher-grace", "3", "-mpi", "srun", "job"}), "3 --launcher-grace");
  EXPECT_EQ(grace({"--launcher-grace", "400", "-g", "wrapper", "job"}), "400 --launcher-grace");
  EXPECT_EQ(grace({"--launcher-grace", "0", "-mpi", "srun", "job"}), "0 --launcher-grace") << "no limit";
}

}  // namespace
}  // namespace rollcall::pam
