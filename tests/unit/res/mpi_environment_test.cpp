// mpi_environment: the variables that make Open MPI and Hydra start their helpers by blaunch (res/policy/mpi_environment.hpp).
#include "res/policy/mpi_environment.hpp"

#include <gmock/gmock.h>

namespace rollcall::res {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;
using Words = std::vector<std::string>;

const MpiPlaces kHere{"/lsf/bin/blaunch", "/spool/99.7.hostfile"};

Words with(Words words, const MpiPlaces& places = kHere) {
  add_mpi_variables(words, places);
  return words;
}

TEST(MpiEnvironment, PointsOpenMpiAndHydraAtTheJob) {
  EXPECT_THAT(with({"A=1"}), ElementsAre("A=1", "OMPI_MCA_plm_rsh_agent=/lsf/bin/blaunch",
                                         "PRTE_MCA_plm_ssh_agent=/lsf/bin/blaunch",
                                         "OMPI_MCA_orte_default_hostfile=/spool/99.7.slots.hostfile",
                                         "PRTE_MCA_prte_default_hostfile=/spool/99.7.slots.hostfile",
                                         "HYDRA_BOOTSTRAP=lsf", "HYDRA_HOST_FILE=/spool/99.7.hostfile"));
}

TEST(MpiEnvironment, SetsNothingWithoutBlaunchOrHostFile) {
  EXPECT_THAT(with({"A=1"}, {"", "/spool/99.7.hostfile"}), ElementsAre("A=1"));
  EXPECT_THAT(with({"A=1"}, {"/lsf/bin/blaunch", ""}), ElementsAre("A=1"));
}

TEST(MpiEnvironment, KeepsWhatTheUserHasChosen) {
  const Words own{"OMPI_MCA_plm_rsh_agent=ssh", "PRTE_MCA_prte_default_hostfile=none", "HYDRA_LAUNCHER=ssh",
                  "HYDRA_HOST_FILE=mine"};
  EXPECT_EQ(with(own), own);
  EXPECT_THAT(with({"HYDRA_LAUNCHER_EXEC=/my/ssh"}), testing::Not(testing::Contains("HYDRA_BOOTSTRAP=lsf")));
  EXPECT_THAT(with({"OMPI_MCA_orte_rsh_agent=rsh"}),
              testing::Not(testing::Contains(testing::HasSubstr("/lsf/bin/blaunch"))));
}

TEST(MpiEnvironment, AnEmptyVariableIsNoChoice) {
  EXPECT_THAT(with({"HYDRA_BOOTSTRAP="}), testing::Contains("HYDRA_BOOTSTRAP=lsf"));
}

TEST(MpiEnvironment, ReplacesWhatComesFromAnotherJob) {
  const Words other = with({}, {"/old/bin/blaunch", "/spool/98.6.2.hostfile"});
  EXPECT_THAT(with(other), testing::UnorderedElementsAreArray(with({})));
  EXPECT_THAT(with(other, {"", "/spool/99.7.hostfile"}), testing::IsEmpty()) << "a job of one slot";
}

TEST(MpiEnvironment, BlaunchThatTheUserHasNamedStays) {
  const Words own{"OMPI_MCA_plm_rsh_agent=/lsf/bin/blaunch",
                  "OMPI_MCA_orte_default_hostfile=/home/me/a.hostfile"};
  EXPECT_EQ(with(own, {"", "/spool/99.7.hostfile"}), own);
}

TEST(MpiEnvironment, TheHostFileIsThatOfTheTasksHost) {
  Words words{"OMPI_MCA_orte_default_hostfile=/n1/99.7.slots.hostfile",
              "PRTE_MCA_prte_default_hostfile=/home/me/hosts", "HYDRA_HOST_FILE=/n1/99.7.hostfile"};
  move_mpi_host_file(words, "/n2/99.7.hostfile");
  EXPECT_THAT(words, UnorderedElementsAre("OMPI_MCA_orte_default_hostfile=/n2/99.7.slots.hostfile",
                                          "PRTE_MCA_prte_default_hostfile=/home/me/hosts",
                                          "HYDRA_HOST_FILE=/n2/99.7.hostfile"));
}

}  // namespace
}  // namespace rollcall::res
