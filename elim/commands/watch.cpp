#include "elim/commands/watch.hpp"

#include "common/base/index_table.hpp"
#include "common/base/numbers.hpp"
#include "common/base/table_cells.hpp"
#include "common/base/terminal_text.hpp"
#include "common/io/lim_client.hpp"
#include "elim/commands/load_request.hpp"
#include "elim/commands/screen.hpp"
#include "elim/policy/show/load_history.hpp"

namespace rollcall::elim {
namespace {

std::string seconds_text(std::chrono::milliseconds interval) {
  const auto tenths = interval.count() / 100;
  return std::to_string(tenths / 10) + (tenths % 10 ? "." + std::to_string(tenths % 10) : "");
}

std::string title(io::Stage& stage, std::chrono::milliseconds interval) {
  return "Hostname: " + left(this_host(stage.files_to_ask()), 40) +
         "  Refresh rate: " + right(seconds_text(interval), 3) + " secs\n\n";
}

// The names of the columns that the table shows.
std::vector<std::string> shown(const show::Loads& loads, const show::LoadTable& table) {
  std::vector<std::string> names;
  for (const auto& name : table.indices) names.emplace_back(formal_name(name));
  if (!names.empty()) return names;
  for (int i = 0; i < loads.names_size(); ++i)
    if (show::type_of(loads, i) == 0 &&
        (table.form == show::LoadTable::Form::complete || show::is_built_in(loads, i)))
      names.push_back(loads.names(i));
  return names;
}

}  // namespace

std::optional<std::chrono::milliseconds> interval_of(const CommandWords& words,
                                                     std::chrono::milliseconds otherwise) {
  const auto word = words.value("-i");
  if (!word) return otherwise;
  const auto interval = parse_seconds(*word);
  if (!interval || *interval < std::chrono::milliseconds(100)) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::milliseconds>(*interval);
}

int run_watch(io::Stage& stage, const Watch& watch) {
  const io::LimClient client(stage.files_to_ask());
  show::LoadHistory history;
  for (int picture = 1;; ++picture) {
    show::Picture drawn{title(stage, watch.interval), "", ""};
    const io::Answer answer = client.ask_master(watch.request);
    if (answer.error && answer.error->kind == io::ClientError::Kind::refused)
      return fail_with(stage, *answer.error, watch.request.load().resreq());
    if (answer.error) {
      drawn.title += terminal_text(answer.error->text, Controls::none) + "\n";
    } else {
      const auto table = show::load_table(answer.reply.loads(), watch.table);
      if (!table) return stage.fail(table.error().text);
      history.take(answer.reply.loads());
      drawn.table = *table;
      if (watch.graphs)
        drawn.graphs = history.graph(shown(answer.reply.loads(), watch.table), output_is_unicode());
    }
    if (const int failed = stage.print_raw(frame_of(show::fit_picture(drawn, screen_size())))) return failed;
    // With a limited number of outputs the caller is a program: the last output must not be overwritten.
    if (picture == watch.pictures) return answer.error ? stage.fail(answer.error->text) : 0;
    if (!wait_or_end(watch.interval)) return 0;
  }
}

}  // namespace rollcall::elim
