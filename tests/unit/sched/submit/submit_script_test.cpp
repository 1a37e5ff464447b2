// #BSUB lines.
#include "sched/policy/submit/submit_script.hpp"

#include <gmock/gmock.h>

namespace rollcall::sched::submit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> words(std::string_view script) {
  const auto lines = bsub_lines(script);
  if (!lines) return {lines.error().text};
  std::vector<std::string> all;
  for (const auto& line : *lines) all.insert(all.end(), line.words.begin(), line.words.end());
  return all;
}

TEST(Scripts, HaveOptionsWithAndWithoutABlank) {
  EXPECT_THAT(words("#!/bin/sh\n#BSUB -J name\n#BSUB-n 4\n#BSUB\t-q\tshort\n"),
              ElementsAre("-J", "name", "-n", "4", "-q", "short"));
  EXPECT_THAT(words("#BSUB-R rusage[mem=5]\n#BSUB-J x[1-3]\n"),
              ElementsAre("-R", "rusage[mem=5]", "-J", "x[1-3]"));
}

TEST(Scripts, AreNotReadWhereTheLineIsNoOption) {
  EXPECT_THAT(
      words("##BSUB -q a\n# BSUB -q b\n #BSUB -q c\n#BSUBX -q d\n#BSUB_FOO\necho '#BSUB -q e'\n#BSUB\n"),
      IsEmpty());
}

TEST(Scripts, HaveCommentsBehindOptions) {
  EXPECT_THAT(words("#BSUB -R \"select[type==any]\"    # comment \"with quote\n"),
              ElementsAre("-R", "select[type==any]"));
  EXPECT_THAT(words("#BSUB -q short # queue\n"), ElementsAre("-q", "short"));
  EXPECT_THAT(words("#BSUB -J a#b\n"), ElementsAre("-J", "a#b"));
}

TEST(Scripts, HaveQuotes) {
  EXPECT_THAT(words("#BSUB -J 'a b' -R \"a \\\"b\\\"\" -P x\\ y -Jd \"\"\r\n"),
              ElementsAre("-J", "a b", "-R", "a \"b\"", "-P", "x y", "-Jd", ""));
  EXPECT_THAT(words("#BSUB -o $HOME/%J -env 'all, A=`x`'\n"),
              ElementsAre("-o", "$HOME/%J", "-env", "all, A=`x`"));
  EXPECT_THAT(words("true\n#BSUB -J 'open\n"), ElementsAre(HasSubstr("line 2: found no closing '")));
}

TEST(Scripts, AreReadToTheirEnd) {
  EXPECT_THAT(words("#!/bin/sh\n#BSUB -q a\necho\n\n#BSUB -n 2"), ElementsAre("-q", "a", "-n", "2"));
}

TEST(Scripts, AreToldFromOtherFiles) {
  EXPECT_TRUE(has_bsub_lines("#!/bin/sh\n#BSUB -q a\n"));
  EXPECT_TRUE(has_bsub_lines("\n\n#!/bin/bash\n#BSUB-q a\n"));
  EXPECT_TRUE(has_bsub_lines("#BSUB -q a\ntrue\n"));
  EXPECT_FALSE(has_bsub_lines("#!/bin/sh\necho\n"));
  EXPECT_FALSE(has_bsub_lines("data\n#BSUB -q a\n"));
  EXPECT_FALSE(has_bsub_lines(""));
}

TEST(Scripts, NameTheirShell) {
  EXPECT_EQ(script_shell("#!/bin/bash -l\necho\n"), "/bin/bash -l");
  EXPECT_EQ(script_shell("\n \n#! /usr/bin/env python3\n"), "/usr/bin/env python3");
  EXPECT_EQ(script_shell("echo\n#!/bin/sh\n"), "");
  EXPECT_EQ(script_shell(""), "");
}

TEST(Scripts, AreOneLineForBjobs) {
  EXPECT_EQ(script_line("#!/bin/bash\n#\n#BSUB -q short # queue\n\n echo \"x\"\nsleep 30\r\n"),
            "#!/bin/bash;#;#BSUB -q short # queue; echo \"x\";sleep 30");
}

TEST(Scripts, MayBeLongerThanACommand) {
  std::string script = "#!/bin/sh\n";
  for (int i = 0; i < 100'000; ++i) script += "true\n";
  const std::string line = script_line(script);
  EXPECT_EQ(line.size(), 4094);
  EXPECT_TRUE(line.starts_with("#!/bin/sh;true;true"));
}

// bsub -Zs
TEST(ScriptWithWords, SetsThemInTheFirstLine) {
  EXPECT_EQ(*script_with_words("#!/bin/sh\necho $1\n", {"s"}), "#!/bin/sh\necho $1\n");
  EXPECT_EQ(*script_with_words("#!/bin/bash -e\necho $1\n", {"s", "a b", "$c"}),
            "set -- 'a b' '$c'\necho $1\n");
  EXPECT_EQ(*script_with_words("echo $1\n", {"s", "a"}), "set -- a; echo $1\n");
  EXPECT_EQ(*script_with_words("\n#!/bin/sh\necho $1\n", {"s", "a"}), "\nset -- a\necho $1\n");
  EXPECT_EQ(*script_with_words("#!/bin/sh", {"s", "a"}), "set -- a");
  EXPECT_FALSE(script_with_words("#!/usr/bin/python3\nprint(1)\n", {"s", "a"}));
  EXPECT_TRUE(script_with_words("#!/usr/bin/python3\nprint(1)\n", {"s"}));
}

}  // namespace
}  // namespace rollcall::sched::submit
