// What TaskStarter reads from its command line and from LSF_TS_OPTIONS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "taskstarter/policy/options.hpp"

namespace rollcall::taskstarter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<std::string_view>;

Result<Options> parse(const Words& words, std::optional<std::string_view> environment = std::nullopt) {
  return parse_options(words, environment);
}

std::string error_of(const Words& words, std::optional<std::string_view> environment = std::nullopt) {
  const auto options = parse(words, environment);
  return options ? "none" : options.error().text;
}

TEST(TaskStarterOptions, ReadsTheEightWordsThatPamInserts) {
  const auto options =
      parse({"-p", "n1:42740", "-c", "/opt/lsf/conf", "-s", "/opt/lsf/etc", "-a", "LINUX86", "app", "-p"});
  ASSERT_TRUE(options);
  EXPECT_THAT(options->pam_addresses, ElementsAre("n1"));
  EXPECT_EQ(options->pam_port, 42740);
  EXPECT_EQ(options->conf_dir, "/opt/lsf/conf");
  EXPECT_EQ(options->server_dir, "/opt/lsf/etc");
  EXPECT_EQ(options->host_type, "LINUX86");
  EXPECT_EQ(options->command_at, 8U);
}

TEST(TaskStarterOptions, ReadsSeveralAddressesAndThePortAfterTheLastColon) {
  EXPECT_THAT(parse({"-p", "n1,10.77.0.1:1", "app"})->pam_addresses, ElementsAre("n1", "10.77.0.1"));
  EXPECT_THAT(parse({"-p", "fe80::1,[::1]:65535", "app"})->pam_addresses, ElementsAre("fe80::1", "::1"));
}

TEST(TaskStarterOptions, TheCommandBeginsAtTheFirstWordThatIsNoOption) {
  EXPECT_EQ(parse({"-p", "n1:1", "app", "-c", "x"})->command_at, 2U);
  EXPECT_EQ(parse({"-p", "n1:1", "app", "-c", "x"})->conf_dir, "");
  EXPECT_EQ(parse({"-p", "n1:1", "--", "-app"})->command_at, 3U);
  EXPECT_EQ(parse({"-p", "n1:1", "", "x"})->command_at, 2U)
      << "an empty word is a command, that cannot be found";
}

TEST(TaskStarterOptions, WithoutOptionsTheEnvironmentCounts) {
  const auto options = parse({"app", "arg"}, " -p n1:2\t-c /conf  -a LINUX ");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->pam_port, 2);
  EXPECT_EQ(options->conf_dir, "/conf");
  EXPECT_EQ(options->command_at, 0U);
}

TEST(TaskStarterOptions, TheCommandLineGoesBeforeTheEnvironment) {
  EXPECT_EQ(parse({"-p", "n1:1", "app"}, "-p n2:2 -c /conf")->conf_dir, "")
      << "with -p the environment is not read";
  EXPECT_EQ(parse({"-c", "/mine", "app"}, "-p n2:2 -c /conf")->conf_dir, "/mine");
  EXPECT_EQ(parse({"-c", "/mine", "app"}, "-p n2:2 -c /conf")->pam_port, 2);
  EXPECT_TRUE(parse({"-p", "n1:1", "app"}, "rubbish"));
}

TEST(TaskStarterOptions, ReadsTheCallbackAsOneWord) {
  const Words words{"pam:n1,10.77.0.1:42740@c:/opt/l%20s@s:/etc@a:LINUX86@k:/home/u/key@r:00ff", "app", "-p"};
  for (const bool in_environment : {false, true}) {
    const auto options = in_environment ? parse({"app"}, words[0]) : parse(words);
    ASSERT_TRUE(options) << options.error().text;
    EXPECT_THAT(options->pam_addresses, ElementsAre("n1", "10.77.0.1"));
    EXPECT_EQ(options->pam_port, 42740);
    EXPECT_EQ(options->conf_dir, "/opt/l s");
    EXPECT_EQ(options->server_dir, "/etc");
    EXPECT_EQ(options->host_type, "LINUX86");
    EXPECT_EQ(options->key_file, "/home/u/key");
    EXPECT_EQ(options->relay, "00ff");
    EXPECT_EQ(options->command_at, in_environment ? 0U : 1U);
  }
  EXPECT_EQ(parse({"pam:n1:1", "pam:n2:2"})->command_at, 1U) << "a command may have such a name";
  EXPECT_TRUE(parse({"pam:n1:1@z:new", "app"})) << "a newer pam's";
  EXPECT_THAT(error_of({"pam:n1:1"}), HasSubstr("no command"));
  EXPECT_THAT(error_of({"pam:n1:1@", "app"}), HasSubstr("found the callback 'pam:n1:1@'"));
  EXPECT_THAT(error_of({"pam:n1", "app"}), HasSubstr("expected host:port"));
  EXPECT_THAT(error_of({"app"}, "pam:n1:1 app"), HasSubstr("LSF_TS_OPTIONS: found the word 'app'"));
}

TEST(TaskStarterOptions, ReadsHelpAndVersion) {
  EXPECT_EQ(parse({"-h"})->wanted, Options::Wanted::help);
  EXPECT_EQ(parse({"-V"})->wanted, Options::Wanted::version);
  EXPECT_THAT(std::string(usage_text()), HasSubstr("TaskStarter"));
}

TEST(TaskStarterOptions, EveryErrorSaysWhatWasFoundAndExpected) {
  EXPECT_THAT(error_of({}), HasSubstr("LSF_TS_OPTIONS"));
  EXPECT_THAT(error_of({"app"}), HasSubstr("LSF_TS_OPTIONS"));
  EXPECT_THAT(error_of({"-p", "n1:1"}), HasSubstr("no command"));
  EXPECT_THAT(error_of({"-p", "n1:1", "--"}), HasSubstr("no command"));
  EXPECT_THAT(error_of({"-p"}), HasSubstr("nothing after '-p'"));
  EXPECT_THAT(error_of({"-x", "app"}), HasSubstr("unknown option '-x'"));
  EXPECT_THAT(
      error_of({"-p", "n1:1", "-np", "4", "app"}),
      HasSubstr("unknown option '-np', expected -p, -c, -s, -a, -k, -r, -h or -V (is it the launcher's? then "
                "pam's -g counts"));
  EXPECT_THAT(error_of({"-pn1:1", "app"}), HasSubstr("unknown option '-pn1:1'"));
  EXPECT_THAT(error_of({"-p", "n1", "app"}), HasSubstr("found 'n1', expected host:port"));
  for (const char* port : {"n1:", "n1:0", "n1:65536", "n1:99999999999", "n1:1x", "n1:-1", "n1: 1"})
    EXPECT_THAT(error_of({"-p", port, "app"}), HasSubstr("expected 1 to 65535")) << port;
  EXPECT_THAT(error_of({"-p", ":1", "app"}), HasSubstr("empty host name"));
  EXPECT_THAT(error_of({"-p", "n1,,n2:1", "app"}), HasSubstr("empty host name"));
  EXPECT_THAT(error_of({"-p", "n\n1:1", "app"}), HasSubstr("control character"));
  EXPECT_THAT(error_of({"app"}, "-p n1:1 app"), HasSubstr("LSF_TS_OPTIONS: found the word 'app'"));
  EXPECT_THAT(error_of({"app"}, "-q"), HasSubstr("LSF_TS_OPTIONS: unknown option '-q'"));
  EXPECT_THAT(error_of({"app"}, ""), HasSubstr("neither -p nor"));
}

}  // namespace
}  // namespace rollcall::taskstarter
