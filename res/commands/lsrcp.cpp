// lsrcp: copies a file to or from another host, through its RES. lsrcp(1).
//
// The other host runs stat, cat and sh as the user; of our programs it needs only RES. lsrcp does not buffer files: bytes go
// straight from the file to the stream, or back.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "common/io/descriptor.hpp"
#include "res/commands/commands.hpp"
#include "res/commands/remote_tasks.hpp"
#include "res/commands/submitted_files.hpp"
#include "res/policy/copy_options.hpp"

namespace rollcall::res {
namespace {

constexpr const char* kLsrcpUsage =
    "usage: lsrcp [-a] SOURCE TARGET\n"
    "  SOURCE, TARGET  a file here, or HOST:PATH\n"
    "  -a              adds to the end of TARGET\n"
    "  -V              prints the version\n"
    "  -h              prints this\n";

std::string why() { return std::generic_category().message(errno); }

// Replaces one of our standard descriptors during its lifetime: streams use these.
class Instead {
 public:
  Instead(int standard, int other) : standard_(standard), before_(fcntl(standard, F_DUPFD_CLOEXEC, 3)) {
    dup2(other, standard);
  }
  ~Instead() { dup2(before_.get(), standard_); }
  Instead(const Instead&) = delete;
  Instead& operator=(const Instead&) = delete;

 private:
  int standard_;
  io::Descriptor before_;
};

int run_there(io::Stage& stage, const std::string& host, const std::vector<std::string>& words, bool input) {
  RemoteTasks tasks;
  tasks.hosts = {host};
  tasks.task = task_from_here();
  for (const auto& word : words) tasks.task.add_words(word);
  tasks.input = input;
  return run_remote_tasks(stage, tasks);
}

struct Seen {
  std::optional<FileMark> mark;  // empty: the file does not exist
  bool reached = true;
};

Seen look_there(io::Stage& stage, const CopyEnd& end) {
  const io::Descriptor answer(memfd_create("lsrcp", MFD_CLOEXEC));
  int status = 0;
  {
    const Instead out(STDOUT_FILENO, answer.get());
    // sh exits with 9 for a missing file, so that we can tell it from a missing RES.
    std::vector<std::string> words{"/bin/sh", "-c", "\"$@\" 2>/dev/null || exit 9", "sh"};
    for (auto& word : mark_words(end.path)) words.push_back(std::move(word));
    status = run_there(stage, end.host, words, false);
  }
  if (status == 9) return {};
  std::string text(512, '\0');
  const ssize_t size = pread(answer.get(), text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  Seen seen{read_mark(text), true};
  seen.reached = status == 0 && seen.mark;
  return seen;
}

std::optional<FileMark> look_here(const std::string& path) {
  struct stat facts;
  if (stat(path.c_str(), &facts) != 0) return std::nullopt;
  FileMark mark;
  const auto time = [](const timespec& t) {
    char text[64];
    std::snprintf(text, sizeof text, "%lld.%09ld", static_cast<long long>(t.tv_sec), t.tv_nsec);
    return std::string(text);
  };
  mark.identity = std::to_string(facts.st_ino) + " " + std::to_string(facts.st_size) + " " +
                  time(facts.st_mtim) + " " + time(facts.st_ctim);
  mark.mode = facts.st_mode & 0777;
  mark.regular = S_ISREG(facts.st_mode);
  return mark;
}

bool same_file(const std::optional<FileMark>& a, const std::optional<FileMark>& b) {
  return a && b && a->identity == b->identity;
}

int told(io::Stage& stage, int status, const std::string& text) {
  stage.fail(text);
  return status;
}

int unreached(io::Stage& stage, const CopyEnd& end) {
  return told(stage, kCannotReach,
              end.host + ":" + end.path + ": found no way to ask that host, expected its RES to answer");
}

io::Descriptor open_source(const std::string& path) {
  return io::Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
}
io::Descriptor open_target(const std::string& path, bool append, unsigned mode) {
  return io::Descriptor(
      open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | (append ? O_APPEND : O_TRUNC), mode));
}

int cannot_read(io::Stage& stage, const std::string& path, const std::string& reason) {
  return told(stage, kCannotRead, path + ": cannot read it: " + reason);
}
int cannot_write(io::Stage& stage, const std::string& path, const std::string& reason) {
  return told(stage, kCannotWrite, path + ": cannot write it: " + reason);
}

int fetch(io::Stage& stage, const CopyEnd& from, const std::string& to, bool append) {
  const std::string name = from.host + ":" + from.path;
  const Seen there = look_there(stage, from);
  if (!there.reached) return unreached(stage, from);
  if (!there.mark) return cannot_read(stage, name, "there is no such file");
  if (!there.mark->regular) return cannot_read(stage, name, "found no regular file, expected one");
  if (same_file(there.mark, look_here(to))) return 0;
  const auto target = open_target(to, append, there.mark->mode);
  if (!target) return cannot_write(stage, to, why());
  int status = 0;
  {
    const Instead out(STDOUT_FILENO, target.get());
    status = run_there(stage, from.host, read_words(from.path), false);
  }
  if (status == 0) return 0;
  if (status == 255) return unreached(stage, from);
  // 141: cat died of SIGPIPE, because we stopped reading its output.
  return status == 141 ? cannot_write(stage, to, "no more could be written")
                       : cannot_read(stage, name, "cat failed");
}

int bring(io::Stage& stage, const std::string& from, const CopyEnd& to, bool append) {
  const auto here = look_here(from);
  if (!here) return cannot_read(stage, from, why());
  if (!here->regular) return cannot_read(stage, from, "found no regular file, expected one");
  const auto source = open_source(from);
  if (!source) return cannot_read(stage, from, why());
  const Seen there = look_there(stage, to);
  if (!there.reached) return unreached(stage, to);
  if (same_file(here, there.mark)) return 0;
  int status = 0;
  {
    const Instead in(STDIN_FILENO, source.get());
    status = run_there(stage, to.host, write_words(to.path, append, here->mode), true);
  }
  if (status == 0) return 0;
  return status == 255 ? unreached(stage, to) : cannot_write(stage, to.host + ":" + to.path, "see above");
}

bool write_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(to, bytes.data(), bytes.size());
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string name_of(const CopyEnd& end) { return end.host + ":" + end.path; }

// From or to the cluster where this job was submitted.
int fetch_submitted(io::Stage& stage, SubmittedFiles& files, const SubmittedFile& file, const CopyEnd& from,
                    const std::string& to, bool append) {
  const auto there = files.mark(file);
  if (!there.why_not.empty()) return cannot_read(stage, name_of(from), there.why_not);
  if (!there.mark) return cannot_read(stage, name_of(from), "there is no such file");
  if (!there.mark->regular) return cannot_read(stage, name_of(from), "found no regular file, expected one");
  if (same_file(there.mark, look_here(to))) return 0;
  // Opened with the first bytes: a file that cannot be read leaves the one here as it is.
  io::Descriptor target;
  const auto open_once = [&] {
    if (!target) target = open_target(to, append, there.mark->mode);
    return static_cast<bool>(target);
  };
  bool written = true;
  const std::string trouble = files.read(
      file, [&](std::string_view bytes) { return written = open_once() && write_all(target.get(), bytes); });
  if (!written) return cannot_write(stage, to, why());
  if (!trouble.empty()) return cannot_read(stage, name_of(from), trouble);
  return open_once() ? 0 : cannot_write(stage, to, why());
}

int bring_submitted(io::Stage& stage, SubmittedFiles& files, const SubmittedFile& file,
                    const std::string& from, const CopyEnd& to) {
  const auto here = look_here(from);
  if (!here) return cannot_read(stage, from, why());
  if (!here->regular) return cannot_read(stage, from, "found no regular file, expected one");
  const auto source = open_source(from);
  if (!source) return cannot_read(stage, from, why());
  const auto there = files.mark(file);
  if (!there.why_not.empty()) return cannot_write(stage, name_of(to), there.why_not);
  if (same_file(here, there.mark)) return 0;
  const std::string trouble = files.write(file, source.get(), here->mode);
  return trouble.empty() ? 0 : cannot_write(stage, name_of(to), trouble);
}

int copy_submitted(io::Stage& stage, const LsrcpOptions& options) {
  const bool comes = options.from.host == kSubmissionCluster;
  const CopyEnd& end = comes ? options.from : options.to;
  const auto file = submitted_file(end.path);
  if (!file)
    return stage.fail("found \"" + name_of(end) + "\", expected @:input, @:output, @:errors or @:fNUMBER");
  auto files = SubmittedFiles::open(stage.files_to_ask());
  if (!files) return stage.fail(files.error().text);
  return comes ? fetch_submitted(stage, *files, *file, end, options.to.path, options.append)
               : bring_submitted(stage, *files, *file, options.from.path, end);
}

int copy_here(io::Stage& stage, const std::string& from, const std::string& to, bool append) {
  const auto mark = look_here(from);
  if (!mark) return cannot_read(stage, from, why());
  if (!mark->regular) return cannot_read(stage, from, "found no regular file, expected one");
  if (same_file(mark, look_here(to))) return 0;
  const auto source = open_source(from);
  if (!source) return cannot_read(stage, from, why());
  const auto target = open_target(to, append, mark->mode);
  if (!target) return cannot_write(stage, to, why());
  std::string bytes(1 << 16, '\0');
  while (true) {
    const ssize_t size = read(source.get(), bytes.data(), bytes.size());
    if (size == 0) return 0;
    if (size < 0) return cannot_read(stage, from, why());
    for (ssize_t at = 0; at < size;) {
      const ssize_t written = write(target.get(), bytes.data() + at, static_cast<std::size_t>(size - at));
      if (written <= 0) return cannot_write(stage, to, why());
      at += written;
    }
  }
}

int run_lsrcp(io::Stage& stage, const std::vector<std::string>& words) {
  auto options = parse_lsrcp(words);
  if (!options) return stage.fail(options.error().text);
  if (options->help) return std::fputs(kLsrcpUsage, stderr), 0;
  if (options->version) return std::fputs((stage.product() + "\n").c_str(), stderr), 0;
  if (options->from.host == kSubmissionCluster || options->to.host == kSubmissionCluster)
    return copy_submitted(stage, *options);
  for (CopyEnd* end : {&options->from, &options->to}) {
    if (end->host.empty()) continue;
    end->host = official_name(stage, end->host);
    if (end->host == this_host(stage)) end->host.clear();
  }
  const CopyEnd& from = options->from;
  const CopyEnd& to = options->to;
  if (!from.host.empty() && !to.host.empty())
    return stage.fail("found both files on " + from.host + ", expected one of them here: run lsrcp there");
  if (!from.host.empty()) return fetch(stage, from, to.path, options->append);
  if (!to.host.empty()) return bring(stage, from.path, to, options->append);
  return copy_here(stage, from.path, to.path, options->append);
}

}  // namespace

io::Command lsrcp_command() {
  io::Command command;
  command.shape.name = "lsrcp";
  command.run_raw = run_lsrcp;
  return command;
}

}  // namespace rollcall::res
