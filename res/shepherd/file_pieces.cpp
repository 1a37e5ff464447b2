#include "res/shepherd/file_pieces.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "res/policy/job_files.hpp"

namespace rollcall::res {
namespace {

constexpr std::size_t kPieceBytes = 64 << 10;
constexpr std::size_t kMostOpen = 64;
// A FIFO or a terminal must not make us wait.
constexpr int kNeverWaits = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

std::string with_errno(const std::string& path) { return path + ": " + std::strerror(errno); }

bool leads_to_a_directory(const std::string& path) {
  struct stat facts;
  return names_directory(path) || (stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode));
}

// As copy_options.hpp reads it: "INODE SIZE MTIME CTIME MODE KIND".
std::string mark_of(const struct stat& facts) {
  char text[256];
  std::snprintf(text, sizeof text, "%llu %lld %lld.%09ld %lld.%09ld %o %s",
                static_cast<unsigned long long>(facts.st_ino), static_cast<long long>(facts.st_size),
                static_cast<long long>(facts.st_mtim.tv_sec), facts.st_mtim.tv_nsec,
                static_cast<long long>(facts.st_ctim.tv_sec), facts.st_ctim.tv_nsec, facts.st_mode & 07777U,
                S_ISREG(facts.st_mode) ? "regular file" : "no regular file");
  return text;
}

void mark(const std::string& path, wire::PeekedPart& part) {
  struct stat facts;
  if (stat(path.c_str(), &facts) == 0)
    part.set_data(mark_of(facts));
  else if (errno == ENOENT)
    part.set_over(true);
  else
    part.set_why_not(with_errno(path));
}

void read_piece(const std::string& path, std::int64_t from, wire::PeekedPart& part) {
  const io::Descriptor file(open(path.c_str(), O_RDONLY | kNeverWaits));
  if (!file && errno == ENOENT) return part.set_over(true);
  struct stat facts;
  if (!file || fstat(file.get(), &facts) != 0) return part.set_why_not(with_errno(path));
  if (!S_ISREG(facts.st_mode)) return part.set_why_not(path + ": found no regular file, expected one");
  std::string data(kPieceBytes, '\0');
  const ssize_t size = pread(file.get(), data.data(), data.size(), from);
  if (size < 0) return part.set_why_not(with_errno(path));
  data.resize(static_cast<std::size_t>(size));
  part.set_data(std::move(data));
}

}  // namespace

wire::PeekedPart FilePieces::serve(const wire::ToRes::FilePiece& asked) {
  wire::PeekedPart part;
  part.set_number(asked.number());
  std::string path = asked.path();
  if (!asked.name().empty() && leads_to_a_directory(path)) path = under(path, asked.name());
  switch (asked.asked().operation()) {
    case wire::PieceAsked::MARK:
      mark(path, part);
      break;
    case wire::PieceAsked::READ:
      read_piece(path, asked.asked().from(), part);
      break;
    case wire::PieceAsked::WRITE:
      part.set_why_not(write(asked, path));
      break;
    default:
      part.set_why_not("this release does not know what is asked of a file");
  }
  return part;
}

// Gives why it could not be written; "": it is.
std::string FilePieces::write(const wire::ToRes::FilePiece& asked, const std::string& path) {
  const auto& piece = asked.asked();
  auto found = written_.find(asked.transfer());
  if (found == written_.end()) {
    if (written_.size() >= kMostOpen) written_.erase(written_.begin());
    const bool was_there = access(path.c_str(), F_OK) == 0;
    const int how = asked.append() ? O_APPEND : piece.from() == 0 ? O_TRUNC : 0;
    io::Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | kNeverWaits | how, 0600));
    struct stat facts;
    if (!file || fstat(file.get(), &facts) != 0) return with_errno(path);
    if (!S_ISREG(facts.st_mode)) return path + ": found no regular file, expected one";
    if (!was_there) fchmod(file.get(), static_cast<mode_t>(piece.mode() & 0777U));
    found = written_.emplace(asked.transfer(), Written{std::move(file), piece.from()}).first;
  }
  Written& here = found->second;
  if (here.size < piece.from()) return path + ": found a piece behind a missing one";
  std::string_view left = piece.data();
  left.remove_prefix(static_cast<std::size_t>(
      std::min<std::int64_t>(here.size - piece.from(), static_cast<std::int64_t>(left.size()))));
  if (!here.file) return "";  // the last piece came again
  while (!left.empty()) {
    const ssize_t size = asked.append() ? ::write(here.file.get(), left.data(), left.size())
                                        : pwrite(here.file.get(), left.data(), left.size(), here.size);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return with_errno(path);
    here.size += size;
    left.remove_prefix(static_cast<std::size_t>(size));
  }
  if (!piece.last()) return "";
  // A file server that is full may say so only now.
  const std::string why = fsync(here.file.get()) == 0 ? "" : with_errno(path);
  here.file.reset();
  return why;
}

}  // namespace rollcall::res
