// The grammar ("Using Platform LSF HPC" 7.3, LSB_PJL_TASK_GEOMETRY); blanks may stand between all of it, and
// a backslash before each of { } ( ) and the comma, as scripts write it for their shell:
//
//   geometry = "{" group { group } "}"
//   group    = "(" ID { "," ID } ")"
//   ID       = digits; together they are 0, 1, ... n-1, each once, in any order
#include "common/base/task_geometry.hpp"

#include <algorithm>

#include "common/base/numbers.hpp"

namespace rollcall {
namespace {

constexpr const char* kVariable = "LSB_PJL_TASK_GEOMETRY";

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  // The mark at the reading point, without its backslash; '\0' at the end.
  char peek() {
    skip_blanks();
    if (at_ == text_.size()) return '\0';
    const bool escaped = text_[at_] == '\\' && at_ + 1 < text_.size() && mark(text_[at_ + 1]);
    return text_[at_ + (escaped ? 1 : 0)];
  }
  bool take(char wanted) {
    if (peek() != wanted || at_ == text_.size()) return false;
    at_ += text_[at_] == '\\' ? 2 : 1;
    return true;
  }
  std::string_view digits() {
    skip_blanks();
    const std::size_t start = at_;
    while (at_ < text_.size() && all_digits(text_.substr(at_, 1))) ++at_;
    return text_.substr(start, at_ - start);
  }
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  Error expected(const std::string& what) {
    skip_blanks();
    const std::string found = at_ == text_.size() ? "the end" : printable(text_.substr(at_, 1));
    return configuration_error(std::string(kVariable) + ": at byte " + std::to_string(at_ + 1) + ": found " +
                               found + ", expected " + what);
  }

 private:
  static bool mark(char c) { return std::string_view("{}(),").find(c) != std::string_view::npos; }
  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  std::string_view text_;
  std::size_t at_ = 0;
};

Result<std::vector<int>> read_group(Reader& reader) {
  std::vector<int> ids;
  do {
    const std::string_view digits = reader.digits();
    if (digits.empty()) return reader.expected("a task id (a number)");
    const auto id = parse_whole(digits, 0, kMaxTasks - 1);
    if (!id)
      return configuration_error(std::string(kVariable) + ": found task id " + printable(digits) +
                                 ", expected one below " + std::to_string(kMaxTasks));
    ids.push_back(*id);
  } while (reader.take(','));
  if (!reader.take(')')) return reader.expected("',' or ')'");
  return ids;
}

// The first rule of the ids that is broken, in words; "" where none is.
std::string broken_rule(const std::vector<std::vector<int>>& groups) {
  std::vector<int> ids;
  for (const auto& group : groups) ids.insert(ids.end(), group.begin(), group.end());
  std::sort(ids.begin(), ids.end());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const int wanted = static_cast<int>(i);
    if (ids[i] < wanted) return "found task id " + std::to_string(ids[i]) + " twice, expected every id once";
    if (ids[i] > wanted)
      return "found no task id " + std::to_string(wanted) + ", expected every id from 0 to the highest";
  }
  return "";
}

}  // namespace

Result<TaskGeometry> TaskGeometry::parse(std::string_view text) {
  Reader reader(text);
  TaskGeometry geometry;
  if (!reader.take('{')) return reader.expected("'{'");
  while (reader.take('(')) {
    auto group = read_group(reader);
    if (!group) return group.error();
    geometry.tasks_ += static_cast<int>(group->size());
    geometry.groups_.push_back(std::move(*group));
  }
  if (geometry.groups_.empty()) return reader.expected("'('");
  if (!reader.take('}')) return reader.expected("'(' or '}'");
  if (!reader.at_end()) return reader.expected("the end");
  const std::string broken = broken_rule(geometry.groups_);
  if (!broken.empty()) return configuration_error(std::string(kVariable) + ": " + broken);
  return geometry;
}

std::string TaskGeometry::text() const {
  std::string text = "{";
  for (const auto& group : groups_) {
    text += "(";
    for (std::size_t i = 0; i < group.size(); ++i) text += (i ? "," : "") + std::to_string(group[i]);
    text += ")";
  }
  return text + "}";
}

Result<HostList> TaskGeometry::place_on(const HostList& allocation) const {
  if (groups_.size() > allocation.distinct())
    return configuration_error(std::string(kVariable) + ": found " + std::to_string(groups_.size()) +
                               " groups, expected at most one for each of the " +
                               std::to_string(allocation.distinct()) + " hosts of the job");
  HostList placed;
  for (std::size_t i = 0; i < groups_.size(); ++i)
    placed.add(allocation.hosts()[i].name, static_cast<int>(groups_[i].size()));
  return placed;
}

}  // namespace rollcall
