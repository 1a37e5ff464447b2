// Where the job begins in a launcher's words, for each launcher and each way of writing options.
#include "pam/policy/launcher_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "pam/policy/launcher_table_data.hpp"

namespace rollcall::pam {
namespace {

using Words = std::vector<std::string>;

Words split(const std::string& line) {
  std::istringstream in(line);
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// The words at which find_job says that jobs begin, or the error.
Words jobs_in(const std::string& line, const std::string& resolved = {}) {
  const Words words = split(line);
  const auto place = find_job(words, resolved);
  if (!place) return {place.error().text};
  Words jobs;
  for (const std::size_t index : place->jobs) jobs.push_back(words[index]);
  return jobs;
}

std::optional<int> tasks_in(const std::string& line) {
  const auto place = find_job(split(line));
  return place ? place->tasks : -1;
}

std::string refusal(const std::string& line, const std::string& resolved = {}) {
  const auto place = find_job(split(line), resolved);
  if (place) return "accepted";
  EXPECT_EQ(place.error().kind, ErrorKind::usage);
  return place.error().text;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct Case {
  const char* line;
  std::optional<int> tasks;
};

// In each line the word JOB is the job.
class FindsTheJob : public ::testing::TestWithParam<Case> {};

TEST_P(FindsTheJob, AndTheNumberOfTasks) {
  EXPECT_EQ(jobs_in(GetParam().line), Words{"JOB"}) << GetParam().line;
  EXPECT_EQ(tasks_in(GetParam().line), GetParam().tasks) << GetParam().line;
}

constexpr std::optional<int> kNone;
INSTANTIATE_TEST_SUITE_P(
    OpenMpi, FindsTheJob,
    ::testing::Values(
        Case{"mpirun.openmpi JOB", kNone}, Case{"mpirun.openmpi -np 4 JOB -np 9", 4},
        Case{"mpirun.openmpi --np 4 JOB", 4}, Case{"orterun -n 4 JOB", 4}, Case{"prterun --n 4 JOB", 4},
        Case{"mpiexec.openmpi -c 4 JOB", 4}, Case{"/usr/lib/openmpi/bin/mpirun.openmpi --np=4 JOB", 4},
        Case{"mpirun.openmpi -mca btl tcp,self --mca plm_rsh_agent ssh JOB", kNone},
        Case{"mpirun.openmpi -x A=b -x PATH -wdir /tmp --wdir /x -wd /y JOB", kNone},
        Case{"mpirun.openmpi --host n1:1,n2:2 -H n1 -host n3 -hostfile h -machinefile m JOB", kNone},
        Case{"mpirun.openmpi --map-by ppr:2:node --bind-to none --rank-by slot --oversubscribe JOB", kNone},
        Case{"mpirun.openmpi -N 2 JOB", kNone}, Case{"mpirun.openmpi -npernode 2 -bynode JOB", kNone},
        Case{"mpirun.openmpi --allow-run-as-root -q -v -tag-output JOB", kNone},
        Case{"mpirun.openmpi -rf rank -report-bindings --preload-files a,b -s JOB", kNone},
        Case{"mpirun.openmpi -am f -gmca k v -tune t --timeout 5 JOB", kNone},
        Case{"mpirun.openmpi -np 2 -- JOB", 2}, Case{"mpirun.openmpi -np 2 -np 3 JOB", 3},
        Case{"prterun --prtemca a b --pmixmca c d --runtime-options x --display map JOB", kNone},
        Case{"mpirun.openmpi -np 0 JOB", kNone}, Case{"mpirun.openmpi -np many JOB", kNone},
        Case{"openmpi_wrapper -np 3 JOB", 3}));
INSTANTIATE_TEST_SUITE_P(
    Hydra, FindsTheJob,
    ::testing::Values(
        Case{"mpiexec.hydra JOB", kNone}, Case{"mpiexec.hydra -np 4 JOB", 4},
        Case{"mpirun.mpich --n=4 JOB", 4},
        Case{"mpiexec.mpich -f hosts -hosts n1:1,n2:2 -wdir /tmp JOB", kNone},
        Case{"mpiexec.hydra -launcher rsh -launcher-exec agent -ppn 2 JOB", kNone},
        Case{"mpiexec.hydra -genv A b -env C d JOB", kNone},
        Case{"mpiexec.hydra -genv A=b -env C=d JOB", kNone},
        Case{"mpiexec.hydra -genvlist A,B -genvall -envnone -envlist C JOB", kNone},
        Case{"mpiexec.hydra -bind-to core:1 -map-by socket -membind x -topolib hwloc JOB", kNone},
        Case{"mpiexec.hydra -disable-auto-cleanup -print-all-exitcodes -prepend-rank -l JOB", kNone},
        Case{"mpiexec.hydra -outfile-pattern o -errfile e -usize SYSTEM -iface eth0 JOB", kNone},
        Case{"mpich2_wrapper -n 2 JOB", 2}, Case{"mpich_wrapper -machinefile m -n 2 JOB", 2},
        Case{"intelmpi_wrapper -perhost 2 -n 4 -print-rank-map JOB", 4},
        Case{"mpiexec.hydra -perhost 2 -n 4 JOB", 4}));
INSTANTIATE_TEST_SUITE_P(
    Slurm, FindsTheJob,
    ::testing::Values(
        Case{"srun JOB", kNone}, Case{"srun -n4 -N2 JOB", 4}, Case{"srun -n 4 -N 2 JOB -n 5", 4},
        Case{"srun --ntasks=4 --nodes 2 JOB", 4}, Case{"srun --ntasks 4 JOB", 4}, Case{"srun -lun4 JOB", 4},
        Case{"srun -vvv -K1 -I30 -K -k JOB", kNone}, Case{"srun --exclusive=user --exclusive JOB", kNone},
        Case{"srun --kill-on-bad-exit=1 --mpi=none --mpi pmi2 JOB", kNone},
        Case{"srun --overcommit --het-group=0 -w n1,n2 -x n3 JOB", kNone},
        Case{"srun --export=ALL,A=b --cpu-bind none -c 2 -t 5 -p main JOB", kNone},
        Case{"srun --ntasks-per-node 2 --nodel n1 --overc JOB", kNone}, Case{"srun --pty JOB", kNone},
        Case{"srun -n 4 -- JOB", 4}, Case{"srun_wrapper -n 6 JOB", 6}));
INSTANTIATE_TEST_SUITE_P(OldScripts, FindsTheJob,
                         ::testing::Values(Case{"gmmpirun_wrapper --gm-no-shmem --gm-copy-env JOB", kNone},
                                           Case{"gmmpirun_wrapper -np 2 --gm-kill 5 JOB", 2},
                                           Case{"mpichp4_wrapper -machinefile m -p4pg f -np 2 JOB", 2},
                                           Case{"mvapich_wrapper -ssh -np 2 -hostfile h JOB", 2}));
INSTANTIATE_TEST_SUITE_P(Either, FindsTheJob,
                         ::testing::Values(Case{"mpirun -np 4 JOB", 4}, Case{"mpiexec -n 2 -wdir /x JOB", 2},
                                           Case{"mpirun --mca a b --oversubscribe JOB", kNone},
                                           Case{"mpiexec -genv A b -launcher ssh JOB", kNone},
                                           Case{"/opt/intel/mpi/bin/mpirun -ppn 2 -check_mpi JOB", kNone}));

TEST(LauncherTable, EveryOptionOfEveryTableTakesItsWords) {
  for (const LauncherTable* table : {&kOpenMpi, &kHydra, &kIntelMpi, &kSlurm}) {
    const std::string name = table == &kOpenMpi ? "mpirun.openmpi"
                             : table == &kHydra ? "mpirun.mpich"
                             : table == &kSlurm ? "srun"
                                                : "intelmpi_wrapper";
    for (const auto options : {table->options, table->more})
      for (const LauncherOption& option : options) {
        const bool letter = table->dashes == Dashes::getopt && option.name.size() == 1;
        Words words{name, (letter || table->dashes == Dashes::any ? "-" : "--") + std::string(option.name)};
        for (int i = 0; i < option.values; ++i) words.push_back("7");
        words.push_back("JOB");
        const auto place = find_job(words);
        if (option.means == Means::job_elsewhere) {
          EXPECT_FALSE(place) << name << " " << option.name;
          continue;
        }
        ASSERT_TRUE(place) << name << " " << option.name << ": " << place.error().text;
        EXPECT_EQ(place->jobs, std::vector<std::size_t>{words.size() - 1}) << name << " " << option.name;
      }
  }
}

TEST(LauncherTable, NoOptionStandsTwiceInATable) {
  for (const LauncherTable* table : {&kOpenMpi, &kHydra, &kSlurm}) {
    Words names;
    for (const LauncherOption& option : table->options) names.emplace_back(option.name);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << table->launcher;
  }
}

TEST(LauncherTable, EveryApplicationHasItsJobWord) {
  EXPECT_EQ(jobs_in("mpirun.openmpi -np 2 A x : -np 3 -x V B : -np 1 C"), (Words{"A", "B", "C"}));
  EXPECT_EQ(tasks_in("mpirun.openmpi -np 2 A x : -np 3 -x V B : -np 1 C"), 6);
  EXPECT_EQ(jobs_in("mpiexec.hydra -n 2 A : -env X 1 B"), (Words{"A", "B"}));
  EXPECT_EQ(tasks_in("mpiexec.hydra -n 2 A : B"), kNone) << "one application does not say";
  EXPECT_EQ(jobs_in("srun -n2 A : -n3 B"), (Words{"A", "B"}));
  EXPECT_TRUE(has(refusal("mpirun.openmpi -np 2 A :"), "found no job word"));
  EXPECT_TRUE(has(refusal("mpirun.openmpi : B"), "found no job word"));
  EXPECT_EQ(tasks_in("mpiexec.hydra -n 10000000 A : -n 1 B"), kNone)
      << "more than the largest number of tasks";
}

TEST(LauncherTable, ProgramBehindAPlainNameDecides) {
  EXPECT_TRUE(has(refusal("mpirun --oversubscribe J", "/usr/bin/mpiexec.hydra"), "--oversubscribe"));
  EXPECT_EQ(jobs_in("mpirun --oversubscribe J", "/usr/bin/orterun"), Words{"J"});
  EXPECT_EQ(jobs_in("my-own-mpirun -np 2 J", "/usr/bin/orterun"), Words{"J"});
  EXPECT_EQ(jobs_in("mpirun.openmpi --oversubscribe J", "/usr/bin/opal_wrapper"), Words{"J"});
  EXPECT_EQ(find_job(split("mpirun -np 2 J"), "mpiexec.hydra")->launcher, "hydra");
  EXPECT_EQ(find_job(split("srun -n2 J"))->launcher, "slurm");
}

TEST(LauncherTable, APlainNameIsReadByTheTableThatKnowsItsOptions) {
  EXPECT_EQ(jobs_in("mpirun -profile J"), Words{"J"}) << "Hydra's alone";
  EXPECT_EQ(jobs_in("mpirun -display-map J"), Words{"J"}) << "Open MPI's alone";
  EXPECT_TRUE(has(refusal("mpirun -display-map -demux poll J"), "\"-demux\"")) << "no launcher has both";
}

TEST(LauncherTable, TablesThatAreTriedTogetherReadTheSameOptionsTheSame) {
  const std::pair<const LauncherTable*, const LauncherTable*> together[] = {
      {&kOpenMpi, &kHydra}, {&kHydra, &kIntelMpi}, {&kOpenMpiOldScripts, &kHydraOldScripts}};
  for (const auto& [first, second] : together) {
    int names_in_both = 0;
    for (const auto left : {first->options, first->more})
      for (const auto right : {second->options, second->more})
        for (const LauncherOption& a : left)
          for (const LauncherOption& b : right)
            if (a.name == b.name) {
              ++names_in_both;
              EXPECT_EQ(a.values, b.values) << a.name;
              EXPECT_EQ(a.means, b.means) << a.name;
            }
    EXPECT_GT(names_in_both, 0) << "expected options that both tables have";
  }
}

TEST(LauncherTable, UnknownOptionIsNamedWithTheWayOut) {
  for (const char* launcher : {"mpirun.openmpi", "mpiexec.mpich", "srun", "mpirun"}) {
    const std::string text = refusal(std::string(launcher) + " --nonsense 3 J");
    EXPECT_TRUE(has(text, "\"--nonsense\"")) << text;
    EXPECT_TRUE(has(text, "use -g N")) << text;
  }
  EXPECT_TRUE(has(refusal("srun -nQ4 J"), "accepted")) << "getopt: Q4 is the value of -n";
  EXPECT_TRUE(has(refusal("srun -ly J"), "\"-ly\""));
  EXPECT_TRUE(has(refusal("srun --n J"), "\"--n\"")) << "--network, --nice, --nodes: no single one";
  EXPECT_TRUE(has(refusal("strange_launcher J"), "\"strange_launcher\""));
  EXPECT_TRUE(has(refusal("strange_launcher J"), "use -g N"));
}

TEST(LauncherTable, NoJobWordIsAnError) {
  EXPECT_TRUE(has(refusal("mpirun.openmpi"), "found no job word"));
  EXPECT_TRUE(has(refusal("mpirun.openmpi -np 4"), "found no job word"));
  EXPECT_TRUE(has(refusal("mpirun.openmpi -np"), "has no value"));
  EXPECT_TRUE(has(refusal("mpirun.openmpi -mca a"), "has no value"));
  EXPECT_TRUE(has(refusal("mpiexec.mpich -genv A"), "has no value"));
  EXPECT_TRUE(has(refusal("srun -n"), "has no value"));
  EXPECT_FALSE(find_job(Words{}));
}

TEST(LauncherTable, AJobThatIsNotOnTheCommandLineIsRefused) {
  for (const char* line :
       {"mpirun.openmpi --app file", "mpiexec.mpich -configfile f", "srun --multi-prog f J",
        "mpirun.openmpi --version", "srun -V", "mpiexec.mpich -info"})
    EXPECT_TRUE(has(refusal(line), "the job is not on the command line")) << line;
}

TEST(LauncherTable, DirectLaunchersAreNotWrappers) {
  for (const char* launcher :
       {"mpirun", "/usr/bin/mpiexec", "mpirun.openmpi", "orterun", "mpiexec.hydra", "srun"})
    EXPECT_TRUE(known_launcher(launcher)) << launcher;
  for (const char* other : {"openmpi_wrapper", "srun_wrapper", "sh", "pdsh", "", "mpirun/"})
    EXPECT_FALSE(known_launcher(other)) << other;
  EXPECT_TRUE(known_launcher("my-mpirun", "/usr/bin/orterun"));
}

TEST(LauncherTable, TasksAreReadLeniently) {
  const auto method1 = [](const std::string& line) {
    return tasks_in_words(split(line), WordsAre::launcher_only);
  };
  EXPECT_EQ(method1("mpirun.openmpi -np 4"), 4);
  EXPECT_EQ(method1("mpirun.openmpi --nonsense value -np 4"), 4) << "all words are the launcher's";
  EXPECT_EQ(method1("mpirun -n 4"), 4);
  EXPECT_EQ(method1("srun -N2 -n4 --foo"), 4);
  EXPECT_EQ(method1("srun -N2"), kNone);
  EXPECT_EQ(method1("unknown_launcher -np 4"), kNone);
  EXPECT_EQ(method1("mpirun -np"), kNone);
  EXPECT_EQ(method1("mpirun -np x"), kNone);
  EXPECT_EQ(tasks_in_words(Words{}, WordsAre::launcher_only), kNone);

  const auto method2 = [](const std::string& line) {
    return tasks_in_words(split(line), WordsAre::launcher_then_job);
  };
  EXPECT_EQ(method2("openmpi_wrapper -np 4 prog"), 4);
  EXPECT_EQ(method2("openmpi_wrapper prog -np 4"), kNone) << "the program's own";
  EXPECT_EQ(method2("openmpi_wrapper -np 2 a : -np 3 b"), 5);
  EXPECT_EQ(method2("openmpi_wrapper --nonsense -np 4 prog"), 4);
  EXPECT_EQ(method2("openmpi_wrapper --nonsense value -np 4 prog"), kNone);
  EXPECT_EQ(method2("/site/own_wrapper -np 4 prog"), kNone);
}

TEST(LauncherTable, TasksOnEachHostCountWhereNoNumberInAllIsGiven) {
  const auto method1 = [](const std::string& line) {
    return tasks_per_host(split(line), WordsAre::launcher_only);
  };
  EXPECT_EQ(method1("mpirun.openmpi -npernode 2"), 2);
  EXPECT_EQ(method1("mpirun.openmpi -N 2"), 2);
  EXPECT_EQ(method1("mpirun.openmpi --pernode"), 1);
  EXPECT_EQ(method1("mpiexec.hydra -ppn 3"), 3);
  EXPECT_EQ(method1("mpiexec.hydra -ppn 3 -np 6"), kNone) << "-np says how many";
  EXPECT_EQ(method1("mpiexec.hydra -ppn 3 -hosts a,b"), 0) << "hosts that only Hydra knows";
  EXPECT_EQ(method1("mpirun.openmpi --hostfile f -N 2"), 0);
  EXPECT_EQ(method1("mpirun.openmpi -npernode x"), kNone);
  EXPECT_EQ(method1("srun -N 2"), kNone) << "Slurm's -N is a number of hosts";
  EXPECT_EQ(method1("unknown_launcher -N 2"), kNone);

  const auto method2 = [](const std::string& line) {
    return tasks_per_host(split(line), WordsAre::launcher_then_job);
  };
  EXPECT_EQ(method2("openmpi_wrapper -npernode 2 prog -np 4"), 2) << "the program's own";
  EXPECT_EQ(method2("openmpi_wrapper -npernode 2 a : -npernode 1 b"), kNone);
}

}  // namespace
}  // namespace rollcall::pam
