#include "common/io/ticket_file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <functional>

#include "common/io/descriptor.hpp"
#include "common/io/local_place.hpp"
#include "common/io/within.hpp"

namespace rollcall::io {
namespace {

constexpr std::size_t kTicketText = 2 * Ticket::kBytes + 1;
constexpr std::size_t kLongestName = 200;  // NAME_MAX with room for a process id

int hex_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

void append_hex(std::string& text, std::uint8_t byte) {
  static constexpr char kHexDigits[] = "0123456789abcdef";
  text.push_back(kHexDigits[byte >> 4]);
  text.push_back(kHexDigits[byte & 15]);
}

// 64 bits of the key: enough to distinguish one user's clusters.
std::string mark_of(const ClusterPublicKey& cluster) {
  constexpr std::size_t kBytes = 8;
  std::string text;
  for (std::size_t i = 0; i < kBytes; ++i) append_hex(text, cluster[i]);
  return text;
}

bool own_and_closed(const struct stat& info) { return info.st_uid == geteuid() && (info.st_mode & 077) == 0; }

constexpr int kDirectory = O_DIRECTORY | O_CLOEXEC;

// Only in a directory of our own: root makes nothing in a user's home.
void make_own_directory(const std::string& outer, const char* inner) {
  const Descriptor around(open(outer.c_str(), O_PATH | kDirectory));
  struct stat info;
  if (around && fstat(around.get(), &info) == 0 && info.st_uid == geteuid())
    mkdirat(around.get(), inner, 0700);
}

Descriptor open_own_directory(const std::string& outer, const char* inner, bool make) {
  const std::string path = outer + "/" + inner;
  Descriptor directory(open(path.c_str(), O_RDONLY | O_NOFOLLOW | kDirectory));
  if (!directory && errno == ENOENT && make) {
    make_own_directory(outer, inner);
    directory = Descriptor(open(path.c_str(), O_RDONLY | O_NOFOLLOW | kDirectory));
  }
  struct stat info;
  if (directory && (fstat(directory.get(), &info) != 0 || !own_and_closed(info))) directory.reset();
  return directory;
}

struct Place {
  const char *variable, *inner;
};
constexpr Place kOwnRuntime{"XDG_RUNTIME_DIR", "rollcall"}, kHome{"HOME", ".rollcall"};

// With another user's environment (su without -) the directory is not ours, and is not used.
Descriptor open_place(const Place& place, const std::string& outer, bool make) {
  return outer.starts_with('/') ? open_own_directory(outer, place.inner, make) : Descriptor();
}

std::string outer_of(const Place& place) {
  const char* const outer = std::getenv(place.variable);
  return outer ? outer : "";
}

// A home may be on a file server that hangs: no command waits longer for a ticket.
constexpr std::chrono::milliseconds kHomePatience{500};

std::optional<Ticket> read_in(const Descriptor& place, const std::string& name) {
  const Descriptor file(
      openat(place.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat info;
  if (!file || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) || !own_and_closed(info) ||
      info.st_nlink != 1)
    return std::nullopt;
  std::array<char, kTicketText + 1> text;  // one more, to see that there is no more
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  auto ticket = size < 0 ? std::nullopt : parse_ticket_file({text.data(), static_cast<std::size_t>(size)});
  sodium_memzero(text.data(), text.size());
  return ticket;
}

void write_in(const Descriptor& place, const std::string& name, const Ticket& ticket) {
  const std::string fresh = name + "." + std::to_string(getpid());
  unlinkat(place.get(), fresh.c_str(), 0);  // left over from a killed process
  const Descriptor file(
      openat(place.get(), fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return;
  std::string text = print_ticket_file(ticket);
  const bool whole = ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  sodium_memzero(text.data(), text.size());
  if (!whole || renameat(place.get(), fresh.c_str(), place.get(), name.c_str()) != 0)
    unlinkat(place.get(), fresh.c_str(), 0);
}

// Works in the home: directly if it is on a local disk, else in a thread with a time limit.
template <class Value>
std::optional<Value> at_home(const std::string& home, std::function<Value()> work) {
  if (on_local_disk(home + "/" + kHome.inner)) return work();
  return within<Value>(kHomePatience, std::move(work));
}

// A file size limit must not end a command because of its ticket.
bool files_may_grow() {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= kTicketText;
}

}  // namespace

std::optional<Ticket> parse_ticket_file(std::string_view text) {
  if (text.size() != kTicketText || text.back() != '\n') return std::nullopt;
  std::array<char, Ticket::kBytes> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const int high = hex_value(text[2 * i]), low = hex_value(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes[i] = static_cast<char>(high << 4 | low);
  }
  const auto ticket = Ticket::of({bytes.data(), bytes.size()});
  sodium_memzero(bytes.data(), bytes.size());
  return ticket;
}

std::string print_ticket_file(const Ticket& ticket) {
  std::string text;
  for (const char byte : ticket.bytes()) append_hex(text, static_cast<unsigned char>(byte));
  text.push_back('\n');
  return text;
}

TicketFile::TicketFile(const std::string& daemon_host, int port, const std::string& here,
                       const ClusterPublicKey& cluster)
    : name_("ticket." + daemon_host + "." + std::to_string(port) + "." + here + "." + mark_of(cluster)) {
  if (name_.find('/') != std::string::npos || name_.size() > kLongestName) name_.clear();
}

std::optional<Ticket> TicketFile::read() const {
  if (name_.empty()) return std::nullopt;
  if (const auto place = open_place(kOwnRuntime, outer_of(kOwnRuntime), false)) return read_in(place, name_);
  const std::string home = outer_of(kHome);
  if (!home.starts_with('/')) return std::nullopt;
  using Found = std::optional<Ticket>;
  const auto found = at_home<Found>(home, [home, name = name_]() -> Found {
    const auto place = open_place(kHome, home, false);
    return place ? read_in(place, name) : std::nullopt;
  });
  if (!found) home_hangs_ = true;
  return found.value_or(std::nullopt);
}

void TicketFile::write(const Ticket& ticket) const {
  if (name_.empty() || !files_may_grow()) return;
  if (const auto place = open_place(kOwnRuntime, outer_of(kOwnRuntime), true))
    return write_in(place, name_, ticket);
  const std::string home = outer_of(kHome);
  if (!home.starts_with('/') || home_hangs_) return;
  at_home<bool>(home, [home, name = name_, ticket] {
    const auto place = open_place(kHome, home, true);
    if (place) write_in(place, name, ticket);
    return true;
  });
}

}  // namespace rollcall::io
