// pam: calls the roll of a parallel job. Options in, exit status out; everything else is elsewhere.
#include <fcntl.h>
#include <unistd.h>

#include <boost/system/system_error.hpp>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

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
  if (std::fputs(pam::dry_run_text(*plan).c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    return internal_error("standard output: cannot write to it: " + std::generic_category().message(errno));
  return 0;
}

}  // namespace

// Streams that were closed stay closed for the launcher, but no descriptor of ours takes their place.
void fill_standard_streams() {
  int fd = 0;
  while (fd >= 0 && fd <= STDERR_FILENO) fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (fd > STDERR_FILENO) close(fd);
}

int run(const std::vector<std::string>& words) {
  const auto options = pam::parse_options(words);
  if (!options) return fail(options.error());
  if (options->help) return std::fputs(pam::usage_text().c_str(), stderr), 0;
  if (options->version) return std::fputs("Rollcall " ROLLCALL_VERSION "\n", stderr), 0;

  const auto settings = pam::read_settings(*options);
  if (!settings) return fail(settings.error());
  const auto result = options->dry_run ? dry_run(*settings) : pam::run_job(*settings);
  return result ? *result : fail(result.error());
}

int main(int argc, char** argv) {
  fill_standard_streams();
  try {
    return run({argv + 1, argv + argc});
  } catch (const boost::system::system_error& error) {
    return fail(internal_error("cannot begin: " + error.code().message()));
  } catch (const std::exception& error) {  // no descriptors or no memory left: what the libraries throw at
    return fail(internal_error(error.what()));
  }
}
