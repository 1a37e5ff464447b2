// Sections of lsf.task, whose lines are words of their own:
//
//   section = "LocalTask" | "LocalTasks" | "RemoteTask" | "RemoteTasks"
//   line    = [ '"' ] [ "+" | "-" ] TASK [ "/" RES_REQ ] [ '"' ]       RES_REQ only for remote tasks; it may be in quotes itself
#include "common/conf/lsb/lsf_task.hpp"

#include "common/base/host_list.hpp"
#include "common/conf/row_reader.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
    return trim(text.substr(1, text.size() - 2));
  return text;
}

void read_line(const Cell& cell, bool remote, LsfTask& tasks, Problems& problems) {
  std::string_view text = unquoted(cell.text);
  const bool take_away = text.starts_with('-');
  if (take_away || text.starts_with('+')) text = unquoted(trim_left(text.substr(1)));
  const std::size_t slash = text.find('/');
  const std::string name(trim(text.substr(0, slash)));
  const std::string requirement(slash == std::string_view::npos ? ""
                                                                : unquoted(trim(text.substr(slash + 1))));
  if (name.empty() || name.find_first_of(" \t\"") != std::string::npos)
    return problems.error(cell.place, "found " + printable(cell.text) + ", expected TASK or TASK/RES_REQ");
  if (!remote && !requirement.empty())
    problems.warning(cell.place,
                     "found " + printable(cell.text) + ", expected a local task without a requirement");
  if (!remote) {
    take_away ? void(tasks.local.erase(name)) : void(tasks.local.insert(name));
  } else if (take_away) {
    tasks.remote.erase(name);
  } else {
    tasks.remote[name] = requirement;
  }
}

}  // namespace

void read_lsf_task(const SectionFile& file, LsfTask& tasks, Problems& problems) {
  check_sections(file, {"LocalTask", "LocalTasks", "RemoteTask", "RemoteTasks"}, problems);
  for (const Section& section : file.sections) {
    const bool remote = same_name(section.name.substr(0, 6), "remote");
    if (!remote && !same_name(section.name.substr(0, 5), "local")) continue;
    for (const Row& row : section.rows)
      if (const Cell* cell = row.find("")) read_line(*cell, remote, tasks, problems);
  }
}

SectionSyntax lsf_task_syntax() {
  SectionSyntax syntax;
  syntax.line_sections = {"LocalTask", "LocalTasks", "RemoteTask", "RemoteTasks"};
  return syntax;
}

}  // namespace rollcall::conf
