// Any words (one on each line) as the command line of blaunch, lsrun, lsgrun and lsrcp; the text as a host file, and as what
// stat says of a file.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "res/policy/copy_options.hpp"
#include "res/policy/launch_options.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using namespace rollcall::res;
using rollcall::fuzz::lines_of;
using rollcall::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto words = lines_of(text);
  const auto blaunch = parse_blaunch(words);
  require(!blaunch || blaunch->help || blaunch->version || !blaunch->words.empty());
  if (auto options = blaunch; options && !options->words.empty()) {
    const auto odd = [](const std::string& word) { return word.size() % 2 == 1; };
    if (take_host(*options, odd, slots_of_job({"", "", std::string(text)})))
      require(!options->words.empty() && (!options->hosts.empty() || !options->host_file.empty()));
  }
  const auto lsrun = parse_lsrun(words);
  require(!lsrun || lsrun->help || lsrun->version || !lsrun->words.empty());
  const auto lsgrun = parse_lsgrun(words);
  require(!lsgrun || lsgrun->help || lsgrun->version || !lsgrun->words.empty());
  const auto lsrcp = parse_lsrcp(words);
  require(!lsrcp || lsrcp->help || lsrcp->version || (!lsrcp->from.path.empty() && !lsrcp->to.path.empty()));
  for (const auto& host : hosts_of_file(text)) require(!host.empty());
  if (const auto mark = read_mark(text)) require(!mark->identity.empty() && mark->mode <= 0777);
  return 0;
}
