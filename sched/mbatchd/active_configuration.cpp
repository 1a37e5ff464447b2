#include "sched/mbatchd/active_configuration.hpp"

#include <utility>
#include <vector>

#include "common/io/cluster_key.hpp"
#include "common/io/daemon_start.hpp"
#include "sched/mbatchd/clients.hpp"
#include "sched/mbatchd/configuration_views.hpp"
#include "sched/mbatchd/controls.hpp"
#include "sched/mbatchd/last_good_configuration.hpp"

namespace rollcall::mbatchd {
namespace {

using Refusal = wire::BatchReply::Refusal;

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace

ActiveConfiguration::ActiveConfiguration(std::optional<std::string> env_dir,
                                         std::shared_ptr<const Configuration> first, io::Log& log,
                                         Handler handler)
    : env_dir_(std::move(env_dir)),
      directory_(first->directory),
      configuration_(std::move(first)),
      log_(log),
      handler_(std::move(handler)) {}

wire::BatchReply ActiveConfiguration::reconfigure() {
  return take(load_trusted_configuration(env_dir_, configuration_.get()), "new files are in force");
}

void ActiveConfiguration::look_at_conditions(WallTime now) {
  const auto minute = now.us / 60'000'000;
  if (std::exchange(minute_, minute) == minute) return;
  const auto kept = refused_ ? refused_ : configuration_->kept;
  if (!kept->outdated()) return;
  auto loaded = load_configuration_anew(*kept, *configuration_);
  refused_ = loaded.kept;
  told_.keep_new(loaded.errors, loaded.warnings);
  take(loaded, "a #if time() of the files has changed what is in force");
}

wire::BatchReply ActiveConfiguration::take(const LoadedConfiguration& loaded, const char* what) {
  for (const auto& line : loaded.warnings) log_.warning(line);
  for (const auto& line : loaded.errors) log_.error(line);
  if (!loaded.configuration) {
    log_.error("the files are not taken; what was in force stays");
    return refusal(Refusal::FAILED, joined(loaded.errors));
  }
  for (const auto& line : what_needs_a_restart(*configuration_, *loaded.configuration)) log_.warning(line);
  configuration_ = loaded.configuration;
  refused_.reset();
  if (!loaded.packed.empty()) keep_configuration(directory_, loaded.packed, log_);
  io::set_log_level(log_, configuration_->settings().log_mask);
  auto changes = handler_.taken();
  for (const auto& line : changes) log_.warning(line);
  changes.insert(changes.begin(), loaded.kept_exports.begin(), loaded.kept_exports.end());
  log_.notice(what);
  auto told = loaded.errors;
  told.insert(told.end(), loaded.warnings.begin(), loaded.warnings.end());
  if (changes.empty()) return text_reply(joined(told));  // what badmin has said already
  wire::BatchReply reply;
  reply.set_last(true);
  for (const auto& line : changes) reply.mutable_outcomes()->add_outcomes()->set_text(line);
  return reply;
}

// Checked first: with unusable files or key the new mbatchd would exit at once.
wire::BatchReply ActiveConfiguration::restart() {
  auto loaded = load_trusted_configuration(env_dir_);
  if (loaded.configuration)
    if (const auto key = io::load_cluster_key(loaded.configuration->settings().key_file); !key) {
      loaded.errors.insert(loaded.errors.begin(), key.error().text);
      loaded.configuration = nullptr;
    }
  if (!loaded.configuration) {
    for (const auto& line : loaded.errors) log_.error(line);
    log_.error("mbatchd does not start again with these files");
    return refusal(Refusal::FAILED, joined(loaded.errors));
  }
  handler_.restart();
  return text_reply("mbatchd starts again");
}

}  // namespace rollcall::mbatchd
