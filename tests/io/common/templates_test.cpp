// Both sets of configuration templates, and the lines for elim.hwloc, read as LIM reads them, have no problem: as
// they are and with the lines for JSDL and elim.hwloc uncommented.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "common/conf/batch_settings.hpp"
#include "common/conf/cluster_files.hpp"
#include "common/conf/lsb/lsb_files.hpp"
#include "common/resreq/evaluate.hpp"

namespace rollcall::conf {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  EXPECT_TRUE(stream) << file << ": missing";
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// `#name ...` of a resource becomes `name ...`.
std::string uncommented(const std::string& text) {
  static const std::regex kLine(
      "(^|\n)#((?:hw_|osname|osver|cpuarch|cpuspeed|bandwidth)[a-z_0-9]*  *[^\n]*)");
  return std::regex_replace(text, kLine, "$1$2");
}

// A set as it is installed below TOP/conf.
class Template : public testing::TestWithParam<const char*> {
 protected:
  Result<std::string> read(const std::string& path) const {
    const std::string conf = "/top/conf/";
    if (!path.starts_with(conf)) return configuration_error(path + ": No such file or directory");
    auto file = fs::path(ROLLCALL_SAMPLES) / "templates" / GetParam() / path.substr(conf.size());
    if (fs::exists(file.string() + ".in")) file += ".in";
    if (!fs::exists(file)) return configuration_error(path + ": No such file or directory");
    const auto text = std::regex_replace(text_of(file), std::regex("@ROLLCALL_TOP@"), "/top");
    return all_lines_ ? uncommented(text) : text;
  }

  CheckedClusterFiles check() const {
    FileSources sources;
    sources.read = [this](const std::string& path) { return read(path); };
    sources.env_dir = "/top/conf";
    auto checked = read_cluster_files(sources);
    for (const auto& problem : checked.problems.all()) ADD_FAILURE() << problem.line();
    EXPECT_TRUE(checked.files);
    return checked;
  }

  bool all_lines_ = false;
};

TEST_P(Template, IsReadWithoutAWarning) {
  const auto checked = check();
  ASSERT_TRUE(checked.files);
  EXPECT_EQ(checked.files->cluster.name, "mycluster");
  EXPECT_EQ(checked.files->settings.server_dir, "/top/etc");
  EXPECT_EQ(checked.files->settings.conf_dir, "/top/conf");
  EXPECT_THAT(checked.files->cluster.administrators, ElementsAre("lsfadmin"));
  EXPECT_THAT(checked.files->cluster.resource_map, IsEmpty()) << "JSDL and elim.hwloc are off";
}

TEST_P(Template, IsReadWithItsLinesUncommented) {
  all_lines_ = true;
  const auto checked = check();
  ASSERT_TRUE(checked.files);
  const auto& files = *checked.files;
  EXPECT_EQ(files.cluster.resource_map.size(), 11U);
  for (const char* name :
       {"osname", "osver", "cpuarch", "cpuspeed", "bandwidth", "hw_numa_free", "hw_idle_cores"}) {
    const auto id = files.indices.find(name);
    ASSERT_TRUE(id) << name;
    EXPECT_TRUE(files.indices.at(*id).dynamic()) << name;
  }
  // What the sample and the manual page say that a job may ask for.
  const auto asked = resreq::parse("select[hw_numa_free>4000 && hw_idle_cores>=8]");
  ASSERT_FALSE(asked.error);
  resreq::BindContext context;
  context.indices = &files.indices;
  const auto bound = resreq::bind(asked.value.select, context);
  EXPECT_FALSE(bound.error) << bound.error->text;
}

TEST_P(Template, HasABatchSystemToo) {
  const auto checked = check();
  ASSERT_TRUE(checked.files);
  FileSources sources;
  sources.read = [this](const std::string& path) { return read(path); };
  sources.env_dir = "/top/conf";
  const auto lsb = read_lsb_files(sources, *checked.files);
  for (const auto& problem : lsb.problems.all()) ADD_FAILURE() << problem.line();
  ASSERT_TRUE(lsb.files);
  EXPECT_TRUE(lsb.files->queue("normal"));
  EXPECT_TRUE(lsb.files->queue("short"));
  EXPECT_EQ(lsb.read.size(), 6U);
  const auto batch = read_batch_settings(*checked.files);
  ASSERT_TRUE(batch) << batch.error().text;
  EXPECT_EQ(batch->mbd_host, checked.files->candidates.front());
  EXPECT_EQ(batch_directory(*batch, checked.files->settings), "/top/work/mycluster");
  EXPECT_EQ(batch->job_dir, "/var/spool/rollcall");
  for (const char* name : {"LSB_SHAREDIR", "LSB_MBD_PORT", "LSF_RES_PORT", "ROLLCALL_JOBDIR"})
    EXPECT_NE(checked.files->lsf_conf.find(name), nullptr) << name;
}

INSTANTIATE_TEST_SUITE_P(Sets, Template, testing::Values("one-host", "several-hosts"), [](const auto& set) {
  std::string name = set.param;
  name.erase(name.find('-'), 1);
  return name;
});

TEST(Templates, SetForSeveralHostsHasFour) {
  const auto text = text_of(fs::path(ROLLCALL_SAMPLES) / "templates/several-hosts/lsf.cluster.mycluster");
  for (const char* host : {"\nhostA ", "\nhostB ", "\nhostC ", "\nhostD "})
    EXPECT_NE(text.find(host), std::string::npos) << host;
}

TEST(Templates, HaveTheSameLinesAsTheSampleOfHwloc) {
  const auto sample = text_of(fs::path(ROLLCALL_SAMPLES) / "hwloc.conf.sample");
  const auto shared = uncommented(text_of(fs::path(ROLLCALL_SAMPLES) / "templates/one-host/lsf.shared"));
  std::istringstream lines(shared);
  int found = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("hw_")) continue;
    ++found;
    const auto words = [](const std::string& text) {
      return std::regex_replace(text, std::regex(" +"), " ");
    };
    EXPECT_NE(words(sample).find(words(line)), std::string::npos) << line << ": not so in hwloc.conf.sample";
  }
  EXPECT_EQ(found, 6);
}

TEST(Templates, TheWholeSampleOfHwlocIsRead) {
  std::string sample = text_of(fs::path(ROLLCALL_SAMPLES) / "hwloc.conf.sample");
  const auto map = sample.find("# --- lsf.cluster");
  ASSERT_NE(map, std::string::npos);
  FileSources sources;
  sources.env_dir = "/c";
  sources.read = [&](const std::string& path) -> Result<std::string> {
    if (path == "/c/lsf.conf") return std::string("LSF_LIM_PORT=7869\n");
    if (path == "/c/lsf.shared")
      return "Begin Cluster\nClusterName\nlab\nEnd Cluster\nBegin Resource\n" + sample.substr(0, map) +
             "End Resource\n";
    if (path == "/c/lsf.cluster.lab")
      return "Begin Host\nHOSTNAME model type server RESOURCES\nhostA ! ! 1 ()\nEnd Host\nBegin "
             "ResourceMap\n" +
             sample.substr(map) + "End ResourceMap\n";
    return configuration_error(path + ": No such file or directory");
  };
  const auto checked = read_cluster_files(sources);
  for (const auto& problem : checked.problems.all()) ADD_FAILURE() << problem.line();
  ASSERT_TRUE(checked.files);
  EXPECT_EQ(checked.files->cluster.resource_map.size(), 32U);
  EXPECT_EQ(checked.files->shared.resources.size(), 32U);
}

}  // namespace
}  // namespace rollcall::conf
