// pam: calls the roll of a parallel job. Options in, exit status out; everything else is elsewhere.
#include <cstdio>

#include "pam/job.hpp"
#include "pam/policy/options.hpp"
#include "pam/settings.hpp"

namespace {

using namespace rollcall;

int fail(const Error& error) {
  std::fprintf(stderr, "pam: %s\n", error.text.c_str());
  return exit_code_of(error);
}

Result<int> dry_run(const pam::Settings& settings) {
  const auto plan = pam::rewrite(settings.options, settings.callback, settings.facts);
  if (!plan) return plan.error();
  if (settings.options.verbose)
    std::fprintf(stderr, "pam: tasks expected: %s\n", settings.expected.rule.c_str());
  std::fputs(pam::dry_run_text(*plan).c_str(), stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = pam::parse_options({argv + 1, argv + argc});
  if (!options) return fail(options.error());
  if (options->help) return std::fputs(pam::usage_text().c_str(), stderr), 0;
  if (options->version) return std::fputs("Rollcall " ROLLCALL_VERSION "\n", stderr), 0;

  const auto settings = pam::read_settings(*options);
  if (!settings) return fail(settings.error());
  const auto result = options->dry_run ? dry_run(*settings) : pam::run_job(*settings);
  return result ? *result : fail(result.error());
}
