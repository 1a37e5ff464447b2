// What we print for a shell is read back by real shells as the same bytes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>

#include "common/base/shell_quote.hpp"
#include "pam/policy/command_rewrite.hpp"

namespace rollcall {
namespace {

using Words = std::vector<std::string>;

// A file with `text` that is gone with the object.
class ScriptFile {
 public:
  explicit ScriptFile(const std::string& text) {
    std::unique_ptr<FILE, int (*)(FILE*)> file(fdopen(mkstemp(path_.data()), "w"), &std::fclose);
    if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size())
      throw std::runtime_error("cannot write the script");
  }
  ~ScriptFile() { unlink(path_.c_str()); }
  ScriptFile(const ScriptFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = testing::TempDir() + "rollcall_words_XXXXXX";
};

// The words that `shell` prints, each with a NUL after it, when it runs `script`.
Words run(const std::string& shell, const std::string& script) {
  const ScriptFile file(script);
  const std::string command = "LC_ALL=C " + shell + " " + file.path();
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  if (!pipe) throw std::runtime_error("cannot start " + shell);
  Words words;
  std::string word;
  for (int c; (c = std::fgetc(pipe.get())) != EOF;) {
    if (c != 0) {
      word += static_cast<char>(c);
      continue;
    }
    words.push_back(word);
    word.clear();
  }
  if (!word.empty()) throw std::runtime_error(shell + " ended in the middle of a word: " + word);
  return words;
}

rc::Gen<Words> words() {
  return rc::gen::container<Words>(rc::gen::weightedOneOf<std::string>(
      {{1, rc::gen::element<std::string>("", " ", "-n", "-e", "\\", "\\n", "'", "''", "\"", "$HOME", "`id`",
                                         "~", "*", "a\nb", "\n", "A=1", "[0]=x", "#", "!", "--", "-mca=x",
                                         "{a,b}", "%s")},
       {2, rc::gen::container<std::string>(rc::gen::nonZero<char>())}}));
}

RC_GTEST_PROP(ShellWords, AShellReadsQuotedWordsBack, ()) {
  const Words wanted = *words();
  // printf with no word at all would still print one.
  if (wanted.empty()) RC_DISCARD("no words");
  RC_ASSERT(run("sh", "printf '%s\\0' " + shell_join(wanted) + "\n") == wanted);
}

RC_GTEST_PROP(ShellWords, ADryRunReadsBack, (bool method2)) {
  pam::LaunchPlan plan;
  plan.argv = *words();
  plan.argv.insert(plan.argv.begin(), "launcher");
  if (method2) plan.environment = {{"LSF_TS", "/b/TaskStarter"}, {"LSF_TS_OPTIONS", "-p h:0 -c '/x'"}};
  Words wanted;
  for (const auto& [name, value] : plan.environment) wanted.push_back(name + "=" + value);
  wanted.insert(wanted.end(), plan.argv.begin(), plan.argv.end());
  RC_ASSERT(run("bash", "words=(\n" + pam::dry_run_text(plan) + ")\nprintf '%s\\0' \"${words[@]}\"\n") ==
            wanted);
}

TEST(ShellWords, EveryByteByItself) {
  Words wanted;
  for (int byte = 1; byte < 256; ++byte) {
    wanted.push_back(std::string(1, static_cast<char>(byte)));
    wanted.push_back("a" + wanted.back() + "b");
  }
  EXPECT_EQ(run("sh", "printf '%s\\0' " + shell_join(wanted) + "\n"), wanted);
}

}  // namespace
}  // namespace rollcall
