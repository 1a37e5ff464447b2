#include "res/shepherd/remover.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/descriptor.hpp"
#include "common/io/remove_tree.hpp"
#include "res/shepherd/become_user.hpp"

namespace rollcall::res {
namespace {

constexpr int kWords = 3;
constexpr int kNice = 10;

void say(int fd, const std::string& line) {
  [[maybe_unused]] const ssize_t written = write(fd, line.data(), line.size());
}

std::optional<std::uint32_t> id(std::string_view word) {
  std::uint32_t number = 0;
  const auto end = word.data() + word.size();
  const auto read = std::from_chars(word.data(), end, number);
  return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

std::optional<std::vector<gid_t>> groups_of(std::string_view word) {
  std::vector<gid_t> groups;
  if (word == "-") return groups;
  while (!word.empty()) {
    const auto comma = std::min(word.find(','), word.size());
    const auto group = id(word.substr(0, comma));
    if (!group) return std::nullopt;
    groups.push_back(*group);
    word.remove_prefix(std::min(comma + 1, word.size()));
  }
  return groups;
}

// A file's name may contain line feeds and other control characters; the output has one line per directory.
std::string on_one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7F) c = '?';
  return text;
}

void empty(int folder, const std::string& name) {
  const std::string own = name + "/u";
  // The user may have removed their own permissions. RES owns the directory above, so "u" is never a link.
  fchmodat(folder, own.c_str(), S_IRWXU, 0);
  const io::Descriptor top(openat(folder, own.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  const io::TreeLeft left = top ? io::empty_directory(top.get()) : io::TreeLeft{1, "u: cannot be opened"};
  if (left.entries > 0)
    say(STDOUT_FILENO, name + " " + std::to_string(left.entries) + " " + on_one_line(left.first) + "\n");
}

}  // namespace

int run_remover(int folder, int argc, char** argv) {
  if (argc < kWords) return 2;
  const auto user = id(argv[0]), group = id(argv[1]);
  const auto groups = groups_of(argv[2]);
  if (!user || !group || !groups) return 2;
  if (const auto why = become_user(*user, *group, *groups); !why.empty())
    return say(STDERR_FILENO, "shepherd: " + why + "\n"), 1;
  setpriority(PRIO_PROCESS, 0, kNice);
  for (int i = kWords; i < argc; ++i) empty(folder, argv[i]);
  say(STDOUT_FILENO, "done\n");
  return 0;
}

}  // namespace rollcall::res
