// The sections LIMITS of the manual pages say what the programs do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "common/io/dialing.hpp"
#include "common/io/links.hpp"
#include "common/io/munge_asker.hpp"
#include "common/wire/request_parts.hpp"
#include "elim/lim/http.hpp"
#include "res/daemon/identities.hpp"
#include "sched/policy/jobs/dependency.hpp"
#include "sched/policy/jobs/request_bounds.hpp"

namespace rollcall {
namespace {

using testing::HasSubstr;

std::string limits_of(const std::string& page) {
  std::ifstream file(std::string(ROLLCALL_PAGES) + "/" + page);
  std::stringstream text;
  text << file.rdbuf();
  const auto begin = text.str().find("# LIMITS\n");
  EXPECT_NE(begin, std::string::npos) << page << " has no section LIMITS";
  return begin == std::string::npos ? "" : text.str().substr(begin, text.str().find("\n# ", begin) - begin);
}

std::string seconds(Duration time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
}
std::string mebibytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }
std::string row(const std::string& name, const std::string& value) {
  return "*" + name + "* (" + value + ")";
}
std::string row(const std::string& name, std::size_t value) { return row(name, std::to_string(value)); }

TEST(LimitsInManualPages, MatchTheDaemons) {
  const io::LinkLimits links;
  const io::MungeAsker::Limits munge;
  for (const char* page : {"lim.8.scd", "mbatchd.8.scd", "res.8.scd"}) {
    const auto text = limits_of(page);
    EXPECT_THAT(text, HasSubstr(row("strangers", links.strangers)));
    EXPECT_THAT(text, HasSubstr(row("strangers of one holder", links.share)));
    EXPECT_THAT(text, HasSubstr(row("handshake", seconds(links.time_to_prove))));
    EXPECT_THAT(text, HasSubstr(row("idle stranger", seconds(links.idle))));
    EXPECT_THAT(text, HasSubstr(row("unread answer", seconds(links.stall))));
    EXPECT_THAT(text, HasSubstr(row("questions to munged", munge.waiting)));
    EXPECT_THAT(text, HasSubstr(row("of one holder", munge.each)));
    EXPECT_THAT(text, HasSubstr(row("at munged", seconds(munge.patience))));
    EXPECT_THAT(text, HasSubstr(row("names looked up", io::kMostNames)));
    EXPECT_THAT(text, HasSubstr(row("name lookup", seconds(links.dial_patience))));
  }
  EXPECT_THAT(limits_of("res.8.scd"), HasSubstr(row("identified clients", links.clients)));
  EXPECT_THAT(limits_of("lim.8.scd"), HasSubstr(row("identified clients", links.clients)));
  EXPECT_THAT(limits_of("res.8.scd"), HasSubstr(row("in line", seconds(munge.line))));
  EXPECT_THAT(limits_of("mbatchd.8.scd"), HasSubstr(row("in line", seconds(munge.line))));
  for (const char* page : {"mbatchd.8.scd", "res.8.scd"}) {
    EXPECT_THAT(limits_of(page), HasSubstr(row("large request", mebibytes(wire::kMostRequest))));
    EXPECT_THAT(limits_of(page),
                HasSubstr(row("unfinished requests of one user", mebibytes(wire::kMostUnfinished))));
  }
  const auto batch = limits_of("mbatchd.8.scd");
  EXPECT_THAT(batch, HasSubstr(row("job ids of a request", sched::jobs::kMostKeys)));
  EXPECT_THAT(batch, HasSubstr(row("names of one kind", sched::jobs::kMostNames)));
  EXPECT_THAT(batch, HasSubstr(row("index ranges of an array", sched::jobs::kMostIndexRanges)));
  EXPECT_THAT(batch, HasSubstr(row("jobs submitted together", sched::jobs::kMostAtOnce)));
  EXPECT_THAT(batch, HasSubstr(row("conditions of a dependency", sched::jobs::kMostConditions)));
  EXPECT_THAT(batch, HasSubstr(row("names with \"\\*\" in it", sched::jobs::kMostPatterns)));
  const auto res_page = limits_of("res.8.scd");
  EXPECT_THAT(res_page, HasSubstr(row("users looked up", res::Identities::kMostWaiting)));
  EXPECT_THAT(res_page, HasSubstr(row("user lookup", seconds(res::Identities::kPatience))));
  EXPECT_THAT(limits_of("lim.8.scd"),
              HasSubstr(row("connections for metrics", lim::HttpLimits{}.connections)));
}

}  // namespace
}  // namespace rollcall
