// bench_submit: how fast mbatchd takes jobs that come many in one request. Each is committed before it is acknowledged.
//
//   bench_submit [--jobs 20000] [--batch 1000]
//
// A client of the cluster that LSF_ENVDIR names. The jobs pend where the queue is inactive; who runs it removes them.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/base/numbers.hpp"
#include "common/conf/cluster_files.hpp"
#include "common/io/batch_client.hpp"
#include "common/io/config_source.hpp"

namespace {

using namespace rollcall;
using Clock = std::chrono::steady_clock;

struct Options {
  int jobs = 20'000, batch = 1'000;
};

bool parse(Options& options, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const auto number = parse_whole(words[i + 1], 1, 1'000'000);
    if (!number) return false;
    if (words[i] == "--jobs")
      options.jobs = *number;
    else if (words[i] == "--batch")
      options.batch = *number;
    else
      return false;
  }
  return words.size() % 2 == 0;
}

wire::BatchRequest request_of(const Options& options, const std::string& host) {
  wire::BatchRequest request;
  request.set_from_host(host);
  for (int i = 0; i < options.batch; ++i) {
    auto& job = *request.mutable_submit()->add_jobs();
    job.set_command("true");
    job.set_cwd("/tmp");
    job.set_output_file("/dev/null");
    job.set_from_host(host);
    job.add_environment("PATH=/usr/bin:/bin");
    job.set_umask(022);
  }
  return request;
}

int run(const Options& options) {
  const auto checked = conf::read_cluster_files(io::real_file_sources());
  if (!checked.files) return std::fputs("bench_submit: the cluster's files have errors\n", stderr), 1;
  auto client = io::BatchClient::of(*checked.files, {});
  if (!client) return std::fprintf(stderr, "bench_submit: %s\n", client.error().text.c_str()), 1;
  const auto request = request_of(options, client->from_host());
  int accepted = 0;
  const auto begun = Clock::now();
  while (accepted < options.jobs) {
    const auto answer = client->ask(request);
    if (answer.error) return std::fprintf(stderr, "bench_submit: %s\n", answer.error->text.c_str()), 1;
    for (const auto& job : answer.reply.submitted().jobs())
      if (job.has_refusal())
        return std::fprintf(stderr, "bench_submit: %s\n", job.refusal().text().c_str()), 1;
    accepted += answer.reply.submitted().jobs_size();
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  std::printf("%d jobs in requests of %d: %.0f submissions per second (20,000 at the least)\n", accepted,
              options.batch, accepted / seconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(options, {argv + 1, argv + argc}))
    return std::fputs("usage: bench_submit [--jobs N] [--batch N]\n", stderr), 2;
  return run(options);
}
