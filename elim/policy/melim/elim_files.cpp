#include "elim/policy/melim/elim_files.hpp"

#include <utility>

namespace rollcall::melim {
namespace {

constexpr std::uint32_t kOthersWrite = 0002;
constexpr std::uint32_t kGroupWrite = 0020;
constexpr std::uint32_t kExecute = 0111;

// "" where only root and the runner can change the file that `facts` describes.
std::string who_else_can_change(const FileFacts& facts, const Runner& runner) {
  if (facts.owner != 0 && facts.owner != runner.user)
    return "found owner " + std::to_string(facts.owner) + ", expected root or " +
           std::to_string(runner.user) + ", which runs it";
  if ((facts.mode & kOthersWrite) != 0)
    return "found it writable by everybody, expected by its owner (chmod o-w)";
  if ((facts.mode & kGroupWrite) != 0 && facts.group != 0 && facts.group != runner.group)
    return "found it writable by group " + std::to_string(facts.group) +
           ", expected by its owner (chmod g-w)";
  return "";
}

}  // namespace

bool elim_name(std::string_view name) {
  return name == "elim" || (name.size() > 5 && name.substr(0, 5) == "elim.");
}

bool is_dos_line(std::string_view first_bytes) {
  const std::size_t end = first_bytes.find('\n');
  return first_bytes.starts_with("#!") && end != first_bytes.npos && first_bytes[end - 1] == '\r';
}

FileVerdict judge_elim(std::string_view name, const FileFacts& facts, const Runner& runner) {
  using Kind = FileVerdict::Kind;
  if (name.ends_with('~')) return {Kind::pass_over, "found an editor's copy (a name that ends with ~)"};
  if (facts.type == FileType::missing)
    return {Kind::pass_over, "found a link that leads nowhere, expected a file"};
  if (facts.type != FileType::regular)
    return {Kind::pass_over, "found no regular file, expected an executable one"};
  if ((facts.mode & kExecute) == 0)
    return {Kind::pass_over, "found a file that is not executable, expected an elim (chmod +x)"};
  if (auto why = who_else_can_change(facts, runner); !why.empty()) return {Kind::refuse, std::move(why)};
  if (name == "elim.user")
    return {Kind::run, "this name is reserved for backward compatibility: take another one"};
  if (facts.dos_line) return {Kind::run, kDosLine};
  return {};
}

std::string unsafe_directory(const FileFacts& facts, const Runner& runner) {
  if (facts.type != FileType::directory) return "found no directory, expected LSF_SERVERDIR";
  return who_else_can_change(facts, runner);
}

}  // namespace rollcall::melim
