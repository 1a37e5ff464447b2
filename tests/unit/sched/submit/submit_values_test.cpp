// The values of bsub's options.
#include "sched/policy/values/submit_values.hpp"

#include <gmock/gmock.h>

#include "common/conf/limit_unit.hpp"

namespace rollcall::sched::submit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::int64_t kb(const char* text, std::int64_t unit = 1) {
  const auto size = parse_size(text, unit);
  return size ? size->kb : -1;
}
std::int64_t seconds(const char* text) {
  const auto time = parse_run_time(text);
  return time ? time->seconds : -1;
}

TEST(Sizes, TakeEverySuffixInAnyCase) {
  EXPECT_EQ(kb("500"), 500);
  EXPECT_EQ(kb("500", 1024), 500 * 1024);  // LSF_UNIT_FOR_LIMITS=MB
  for (const char* text : {"2K", "2KB", "2k", "2kb", "2Kb"}) EXPECT_EQ(kb(text, 1024), 2) << text;
  EXPECT_EQ(kb("1024MB"), 1024 * 1024);
  EXPECT_EQ(kb("20GB"), 20 * 1024 * 1024);
  EXPECT_EQ(kb("1.5G"), 1536 * 1024);
  EXPECT_EQ(kb("3 GB"), 3 * 1024 * 1024);
  EXPECT_EQ(kb("1T"), std::int64_t{1} << 30);
  EXPECT_EQ(kb("1PB"), std::int64_t{1} << 40);
  EXPECT_EQ(kb("1E"), std::int64_t{1} << 50);
  EXPECT_EQ(kb("1Z"), std::int64_t{1} << 60);
  EXPECT_EQ(kb("0"), 0);
}

TEST(Sizes, WithAMarkAreHard) {
  const auto size = parse_size("20GB!", 1);
  ASSERT_TRUE(size);
  EXPECT_TRUE(size->hard);
  EXPECT_EQ(size->kb, 20 * 1024 * 1024);
  EXPECT_FALSE(parse_size("20GB", 1)->hard);
}

TEST(Sizes, RefuseInvalidSizes) {
  for (const char* text :
       {"", "x", "-1", "1X", "1GBB", "1..5", ".", "1e5", "GB", "99999999999999999999E", "!"})
    EXPECT_EQ(kb(text), -1) << text;
  EXPECT_THAT(parse_size("1X", 1).error().text, HasSubstr("found \"1X\", expected"));
}

TEST(Units, TakeNamesAndRefuseOthers) {
  EXPECT_EQ(*conf::unit_kb("KB"), 1);
  EXPECT_EQ(*conf::unit_kb("MB"), 1024);
  EXPECT_EQ(*conf::unit_kb("g"), 1024 * 1024);
  EXPECT_FALSE(conf::unit_kb("fish"));
}

TEST(RunTimes, AreInHoursMinutesAndFractions) {
  EXPECT_EQ(seconds("30"), 1800);
  EXPECT_EQ(seconds("3:30"), 12600);
  EXPECT_EQ(seconds("3.5"), 210);
  EXPECT_EQ(seconds("1:90"), 9000);
  EXPECT_EQ(seconds("00:05"), 300);
  EXPECT_EQ(seconds(" 10 "), 600);
  EXPECT_EQ(parse_run_time("30/hostA")->host_spec, "hostA");
  EXPECT_EQ(parse_run_time("1:30/DEC3000")->seconds, 5400);
  EXPECT_EQ(seconds("16666666"), 999'999'960);
  for (const char* text :
       {"", "x", "1:x", "-3", "3/", "%H:%M", "inf", "nan", "1e308", "16666667", "1000000:0"})
    EXPECT_EQ(seconds(text), -1) << text;
}

TEST(Slots, AreANumberOrARange) {
  EXPECT_EQ(parse_slots("4")->least, 4u);
  EXPECT_EQ(parse_slots("4")->most, 4u);
  EXPECT_EQ(parse_slots("2,8")->most, 8u);
  EXPECT_EQ(parse_slots("2, 8")->most, 8u);
  for (const char* text : {"", "0", "x", "8,2", "4,", ",4", "-1", "1,2,3"})
    EXPECT_FALSE(parse_slots(text)) << text;
}

TEST(Names, OfJobsHaveAllThatProgramsGive) {
  for (const char* text :
       {"name", "rule.wild=a,b/c (d)", "Snakemake_rule_x:wild=1___(a-b)", "a b", "50%", "[x", "x]y", "a%5"}) {
    const auto array = parse_array_name(text);
    ASSERT_TRUE(array) << text;
    EXPECT_EQ(array->name, text);
    EXPECT_THAT(array->indices, IsEmpty());
  }
  EXPECT_TRUE(parse_array_name(std::string(4094, 'x')));
  EXPECT_FALSE(parse_array_name(std::string(4095, 'x')));
}

TEST(Names, OfArraysHaveIndicesAndSlots) {
  const auto array = parse_array_name("S[1-10:2,15]%100");
  ASSERT_TRUE(array);
  EXPECT_EQ(array->name, "S");
  ASSERT_EQ(array->indices.size(), 2u);
  EXPECT_EQ(array->indices[0].first(), 1);
  EXPECT_EQ(array->indices[0].last(), 10);
  EXPECT_EQ(array->indices[0].step(), 2);
  EXPECT_EQ(array->indices[1].last(), 15);
  EXPECT_EQ(array->slots, 100u);
  EXPECT_EQ(parse_array_name("[1-3]")->name, "");
  EXPECT_EQ(parse_array_name("a[b][1-3]")->name, "a[b]");
  for (const char* text : {"a[]", "a[0]", "a[3-1]", "a[1-2:0]", "a[1:2]", "a[x]", "a[1,]", "a[1]%0", "a[1]%",
                           "a[1]%x", "a[1-", "a[1-10", "a[1,2:"})
    EXPECT_FALSE(parse_array_name(text)) << text;
}

TEST(Names, OfArraysArePrintedAsTheyAreRead) {
  for (const char* text : {"S[1-10:2,15]%100", "a", "a[3]", "[1-2]"}) {
    auto array = parse_array_name(text);
    wire::Submission job;
    job.set_job_name(array->name);
    for (const auto& range : array->indices) *job.add_indices() = range;
    job.set_array_slots(array->slots);
    EXPECT_EQ(array_name_text(job), text);
  }
}

// 2026-11-21 15:30:00
constexpr std::int64_t kNow = 1795275000;
std::string moment(const char* text) {
  const auto parsed = parse_moment(text, kNow, utc_time);
  if (!parsed) return parsed.error().text;
  const CivilTime t = utc_time(*parsed);
  return std::to_string(t.year) + "-" + std::to_string(t.month) + "-" + std::to_string(t.day) + " " +
         std::to_string(t.hour) + ":" + std::to_string(t.minute);
}

TEST(Moments, AreTheNextOnesThatFit) {
  EXPECT_EQ(utc_time(kNow).hour * 100 + utc_time(kNow).minute, 1530);
  EXPECT_EQ(moment("16:00"), "2026-11-21 16:0");
  EXPECT_EQ(moment("15:30"), "2026-11-21 15:30");  // now
  EXPECT_EQ(moment("15:00"), "2026-11-22 15:0");
  EXPECT_EQ(moment("22:9:05"), "2026-11-22 9:5");
  EXPECT_EQ(moment("20:9:05"), "2026-12-20 9:5");
  EXPECT_EQ(moment("31:9:05"), "2026-12-31 9:5");  // November has none
  EXPECT_EQ(moment("12:24:18:00"), "2026-12-24 18:0");
  EXPECT_EQ(moment("3:1:8:00"), "2027-3-1 8:0");
  EXPECT_EQ(moment("2:29:0:00"), "2028-2-29 0:0");
  EXPECT_EQ(moment("2027:1:2:3:4"), "2027-1-2 3:4");
}

TEST(Moments, RefuseThePastAndInvalidTimes) {
  EXPECT_THAT(moment("2020:1:2:3:4"), HasSubstr("a time to come"));
  for (const char* text :
       {"", "5", "25:00", "1:60", "13:1:1:1", "0:1:1:1", "32:1:1", "a:b", "1:2:3:4:5:6", "2027:2:30:1:1"})
    EXPECT_THAT(moment(text), HasSubstr("expected")) << text;
}

TEST(Hosts, HavePreferencesAndMarks) {
  const auto hosts = parse_asked_hosts("hostA! hostB+2 grp+ others");
  ASSERT_TRUE(hosts);
  ASSERT_EQ(hosts->size(), 4u);
  EXPECT_TRUE((*hosts)[0].first_execution());
  EXPECT_EQ((*hosts)[1].preference(), 2);
  EXPECT_EQ((*hosts)[2].preference(), 1);
  EXPECT_EQ((*hosts)[3].name(), "others");
  EXPECT_TRUE((*parse_asked_hosts("all ~hostC"))[1].excluded());
  EXPECT_FALSE(parse_asked_hosts(""));
  const auto lent = parse_asked_hosts("h@clus2+3 all@clus2 allremote ~h@clus3");
  ASSERT_TRUE(lent);
  EXPECT_EQ((*lent)[0].name(), "h@clus2");
  EXPECT_EQ((*lent)[0].preference(), 3);
  EXPECT_EQ((*lent)[1].name(), "all@clus2");
  EXPECT_EQ((*lent)[3].name(), "h@clus3");
  EXPECT_FALSE(parse_asked_hosts("h@"));
}

TEST(Transfers, HaveADirection) {
  EXPECT_EQ(parse_transfer("a > b")->direction(), wire::FileTransfer::TO_HOST);
  EXPECT_EQ(parse_transfer("a < b")->remote(), "b");
  EXPECT_EQ(parse_transfer("a <<")->remote(), "a");
  EXPECT_EQ(parse_transfer("a <> b")->direction(), wire::FileTransfer::BOTH);
  for (const char* text : {"", "a", "a>b", "a ? b", "a > b c"}) EXPECT_FALSE(parse_transfer(text)) << text;
}

TEST(Signals, HaveNamesAndNumbers) {
  EXPECT_EQ(*parse_signal("URG"), 23);
  EXPECT_EQ(*parse_signal("SIGUSR2"), 12);
  EXPECT_EQ(*parse_signal("sigint"), 2);
  EXPECT_EQ(*parse_signal("9"), 9);
  EXPECT_EQ(*parse_signal("segv"), 11);
  EXPECT_EQ(*parse_signal("RTMIN+3"), 37);
  for (const char* text : {"", "SIG", "NOPE", "0", "65", "SIG9", " 9", "+9", "RTMIN+31"})
    EXPECT_FALSE(parse_signal(text)) << text;
}

TEST(Gpus, AreInNormalForm) {
  EXPECT_EQ(*parse_gpu("num=2/task"), "num=2/task:mode=shared:j_exclusive=no");
  EXPECT_EQ(*parse_gpu("num=2:mode=shared:j_exclusive=yes"), "num=2:mode=shared:j_exclusive=yes");
  EXPECT_EQ(*parse_gpu("-"), "num=1:mode=shared:j_exclusive=no");
  EXPECT_EQ(*parse_gpu("mode=exclusive_process:mps=no"), "num=1:mode=exclusive_process:j_exclusive=no");
  for (const char* text : {"", "num=0", "num=x", "mode=fish", "gmodel=K80", "mps=yes", "num=2/socket"})
    EXPECT_FALSE(parse_gpu(text)) << text;
}

TEST(Environments, AreChosen) {
  const std::vector<std::string> all{"A=1", "B=2", "C=x,y"};
  EXPECT_EQ(*choose_environment({}, all), all);
  EXPECT_EQ(*choose_environment({"all"}, all), all);
  EXPECT_THAT(*choose_environment({"none"}, all), IsEmpty());
  EXPECT_THAT(*choose_environment({"none, D=4"}, all), ElementsAre("D=4"));
  EXPECT_THAT(*choose_environment({"A,Q"}, all), ElementsAre("A=1"));
  EXPECT_THAT(*choose_environment({"all, ARGS=--x=1"}, all),
              ElementsAre("A=1", "B=2", "C=x,y", "ARGS=--x=1"));
  EXPECT_THAT(*choose_environment({"all, ~B"}, all), ElementsAre("A=1", "C=x,y"));
  EXPECT_THAT(*choose_environment({"'D=1,2',A"}, all), ElementsAre("D=1,2", "A=1"));
  EXPECT_THAT(*choose_environment({"A=9", "B"}, all), ElementsAre("A=9", "B=2"));
  EXPECT_FALSE(choose_environment({"=x"}, all));
}

}  // namespace
}  // namespace rollcall::sched::submit
