#include "res/shepherd/job_files_here.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "res/policy/file_transfers.hpp"
#include "res/policy/job_files.hpp"
#include "res/policy/mpi_environment.hpp"
#include "res/policy/span_file.hpp"

namespace rollcall::res {
namespace {

bool usable_directory(const std::string& path) {
  struct stat facts;
  return stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && access(path.c_str(), X_OK) == 0;
}

bool is_directory(const std::string& path) {
  struct stat facts;
  return stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

// Opens a FIFO without waiting for its other end; afterwards reads and writes block as usual.
io::Descriptor open_as_user(const std::string& path, int flags) {
  int fd = open(path.c_str(), flags | O_NOCTTY | O_CLOEXEC | O_NONBLOCK, 0666);
  if (fd < 0 && errno == ENXIO) fd = open(path.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return io::Descriptor(fd);
}

Error cannot(const char* what, const std::string& path) {
  return internal_error(std::string("cannot ") + what + " " + path + ": " + std::strerror(errno));
}

std::string output_path(const std::string& base, const std::string& name, const wire::JobKey& job,
                        const char* suffix) {
  const std::string path = under(base, expand_name(name, job));
  return names_directory(path) || is_directory(path) ? file_in_directory(path, job, suffix) : path;
}

constexpr int kAppend = O_WRONLY | O_CREAT | O_APPEND;

Result<void> open_output(const wire::Submission& asked, const std::string& path, JobFiles& files) {
  files.output = open_as_user(path, kAppend | (asked.output_overwrite() ? O_TRUNC : 0));
  if (!files.output) return cannot("open", path);
  struct stat facts;
  if (fstat(files.output.get(), &facts) == 0 && S_ISREG(facts.st_mode)) files.output_from = facts.st_size;
  files.places.output_file = path;
  return {};
}

Result<void> open_errors(const wire::Submission& asked, const std::string& path, JobFiles& files) {
  files.error_file = path;
  if (path == files.places.output_file) {
    files.errors = io::Descriptor(fcntl(files.output.get(), F_DUPFD_CLOEXEC, 3));
    return {};
  }
  files.errors = open_as_user(path, kAppend | (asked.error_overwrite() ? O_TRUNC : 0));
  if (!files.errors) return cannot("open", path);
  return {};
}

std::string tmp_top(const wire::JobOrder& order) {
  return order.tmp_top().empty() ? "/tmp" : order.tmp_top();
}

std::string random_word() {
  std::uint64_t number = 0;
  while (getrandom(&number, sizeof number, 0) < 0 && errno == EINTR) continue;
  return std::to_string(number);
}

struct NewFile {
  std::string path;
  io::Descriptor file;  // empty: it could not be created, errno says why
};
// Creates a file with an unused name in tmp_top(). Others may have taken the usual ones; nobody guesses the last.
NewFile make_in_tmp(const wire::JobOrder& order, const char* suffix = ".out") {
  constexpr int kUsualNames = 10, kNames = 14;
  const std::string name = file_in_directory(tmp_top(order), order.start().job().key(), suffix);
  NewFile made;
  for (int i = 0; i < kNames && !made.file; ++i) {
    made.path = i == 0 ? name : name + "." + (i < kUsualNames ? std::to_string(i) : random_word());
    made.file =
        io::Descriptor(open(made.path.c_str(), kAppend | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, 0600));
  }
  return made;
}

void note(JobFiles& files, const std::string& line) {
  files.output_note += (files.output_note.empty() ? "" : "; ") + line;
}

// Opens a file in tmp_top(). If that fails too, opens the spooled file, which is mailed.
Result<void> open_instead(const wire::JobOrder& order, const Error& why, JobFiles& files) {
  files.output_elsewhere = true;
  NewFile made = make_in_tmp(order);
  files.places.output_file = std::move(made.path);
  files.output = std::move(made.file);
  if (!files.output) {
    files.spooled = true;
    files.places.output_file = files.places.job_file + ".out";
    files.output = open_as_user(files.places.output_file, kAppend | O_TRUNC);
    if (!files.output) return why;
  }
  const std::string there = "in " + files.places.output_file + " on " + order.host();
  files.trouble += why.text + "; the output is " + (files.spooled ? "in this mail" : there) + ".\n";
  note(files, why.text + "; the output is " + (files.spooled ? "mailed" : there));
  return {};
}

// A job of another cluster, whose submission directory is not here. LSF's rule: a file is the executing host's where that can have it.
bool is_away(const wire::JobOrder& order) {
  const auto& start = order.start();
  return !start.from_cluster().empty() && !usable_directory(start.submission().cwd());
}
bool is_guest(const wire::JobOrder& order) { return !order.start().from_cluster().empty(); }
bool relative(const std::string& path) { return !path.starts_with('/'); }

// For the end of the job, when it is returned.
Result<void> open_returned(const std::string& path, io::Descriptor& file, std::string& returned) {
  file = open_as_user(path, kAppend | O_TRUNC);
  if (!file) return cannot("open", path);
  returned = path;
  return {};
}

Result<void> open_output_of_guest(const wire::JobOrder& order, const std::string& output, JobFiles& files) {
  const auto& asked = order.start().submission();
  const bool there = is_away(order) && relative(asked.output_file()) &&
                     (asked.output_dir().empty() || relative(asked.output_dir()));
  if (!there && open_output(asked, output, files)) return {};
  files.places.output_file = files.places.job_file + ".stdout";
  files.output_from = 0;
  return open_returned(files.places.output_file, files.output, files.returned_output);
}

Result<void> open_errors_of_guest(const wire::JobOrder& order, const std::string& errors, JobFiles& files) {
  const auto& asked = order.start().submission();
  if (!files.returned_output.empty() && asked.error_file() == asked.output_file()) {
    files.errors = io::Descriptor(fcntl(files.output.get(), F_DUPFD_CLOEXEC, 3));
    files.error_file = files.places.output_file;
    return {};
  }
  const bool there = is_away(order) && relative(asked.error_file()) &&
                     (asked.output_dir().empty() || relative(asked.output_dir()));
  if (!there && open_errors(asked, errors, files)) return {};
  files.error_file = files.places.job_file + ".stderr";
  return open_returned(files.error_file, files.errors, files.returned_errors);
}

void open_errors_or_join(const wire::Submission& asked, const std::string& path, JobFiles& files) {
  if (const auto opened = open_errors(asked, path, files); !opened) {
    files.error_file.clear();
    const std::string line = opened.error().text + "; what was written there is with the output";
    files.trouble += line + ".\n";
    note(files, line);
    files.errors = io::Descriptor(fcntl(files.output.get(), F_DUPFD_CLOEXEC, 3));
  }
}

std::string first_line(const std::string& path) {
  const io::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  std::array<char, 512> room;
  const ssize_t size = file ? read(file.get(), room.data(), room.size()) : -1;
  const std::string text(room.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  return text.substr(0, text.find('\n'));
}

// Why the file of -i did not come, with its name where it was submitted. `line`: lsrcp's.
std::string not_brought(const wire::Submission& asked, const wire::JobKey& job, const std::string& line) {
  constexpr std::string_view kName = "@:input: ";
  const auto at = line.find(kName);
  return "-i: " + asked.from_host() + ":" +
         under(wanted_directory(asked, job), expand_name(asked.input_file(), job)) + ": " +
         (at == std::string::npos ? line : line.substr(at + kName.size()));
}

// A job without its input has nothing to do on any host, so it ends instead of pending again.
Result<void> open_input(const wire::Submission& asked, const wire::JobKey& job, JobFiles& files) {
  std::string input = asked.input_file().empty()
                          ? "/dev/null"
                          : under(files.places.directory, expand_name(asked.input_file(), job));
  const std::string complaint =
      files.places.job_file + ".why.in";  // lsrcp was to bring it (command_for_input())
  if (!asked.has_spooled_input() && access(complaint.c_str(), F_OK) == 0)
    input = files.places.job_file + ".in";
  if (asked.has_spooled_input()) {
    input = files.places.job_file + ".in";
    if (!write_private_file(input, asked.spooled_input(), 0600)) return cannot("write", input);
  }
  files.input = open_as_user(input, O_RDONLY);
  if (files.input) return {};
  files.input_missing = true;
  Error why = cannot("open", input);
  if (const std::string line = first_line(complaint); !line.empty())
    why = internal_error(not_brought(asked, job, line));
  files.trouble += why.text + "; the job was not run.\n";
  return why;
}

Result<void> choose_directory(const wire::JobOrder& order, JobFiles& files) {
  const auto& asked = order.start().submission();
  const std::string wanted = wanted_directory(asked, order.start().job().key());
  files.places.directory = wanted;
  if (usable_directory(wanted)) return {};
  for (const auto& directory : directories_to_make(asked, order.start().job().key()))
    mkdir(directory.c_str(), 0700);
  if (usable_directory(wanted)) return {};
  if (!asked.asked_cwd().empty()) {
    files.directory_missing = true;
    return cannot("enter the working directory", wanted);
  }
  files.places.directory = "/tmp";
  return {};
}

// In an interactive job each of -i, -o and -e takes one stream from the client, which keeps the others. If the file of -o or -e
// cannot be opened, the client keeps that stream too.
Result<void> open_files_of_interactive(const wire::JobOrder& order, const std::string& base,
                                       JobFiles& files) {
  const auto& asked = order.start().submission();
  const auto& job = order.start().job().key();
  const bool guest = is_guest(order);
  if (!asked.output_file().empty()) {
    const std::string path = output_path(base, asked.output_file(), job, ".out");
    const auto opened = guest ? open_output_of_guest(order, path, files) : open_output(asked, path, files);
    if (!opened) note(files, opened.error().text + "; the output is bsub's");
  }
  if (!asked.error_file().empty()) {
    const std::string path = output_path(base, asked.error_file(), job, ".err");
    const auto opened = guest ? open_errors_of_guest(order, path, files) : open_errors(asked, path, files);
    if (!opened) {
      files.error_file.clear();
      note(files, opened.error().text + "; standard error is bsub's");
    }
  }
  if (asked.input_file().empty() && !asked.has_spooled_input()) return {};
  return open_input(asked, job, files);
}

}  // namespace

Result<std::string> keep_output(const wire::JobOrder& order, const JobFiles& files) {
  const NewFile made = make_in_tmp(order);
  if (!made.file) return cannot("make a file in", tmp_top(order));
  // The job may have put a FIFO in its place: opening it must not block.
  const io::Descriptor from(
      open(files.places.output_file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!from) return cannot("read", files.places.output_file);
  if (!copy_rest(from.get(), made.file.get())) return cannot("copy the output to", made.path);
  return made.path;
}

bool copy_rest(int from, int to) {
  std::array<char, 65536> room;
  for (;;) {
    const ssize_t size = read(from, room.data(), room.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return size == 0;
    for (std::string_view left(room.data(), static_cast<std::size_t>(size)); !left.empty();) {
      const ssize_t written = write(to, left.data(), left.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      left.remove_prefix(static_cast<std::size_t>(written));
    }
  }
}

bool write_private_file(const std::string& path, std::string_view text, mode_t mode) {
  // The user owns the directory and may have put a FIFO there: opening it must not block.
  const io::Descriptor file(open(
      path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode));
  if (!file || fchmod(file.get(), mode) != 0) return false;
  while (!text.empty()) {
    const ssize_t size = write(file.get(), text.data(), text.size());
    if (size <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

namespace {

Result<void> write_span(const wire::JobSpan& span, const std::string& directory) {
  const std::string key = directory + "/" + kSpanKeyFile, hosts = directory + "/" + kSpanFile;
  const std::string* failed = nullptr;
  if (!write_private_file(key, span_key_text(span), 0600)) failed = &key;
  if (!failed && !write_private_file(hosts, span_text(span), 0600)) failed = &hosts;
  if (!failed) return {};
  const Error why = cannot("write", *failed);
  for (const std::string& file : {key, hosts}) unlink(file.c_str());
  return why;
}

}  // namespace

JobPlaces job_places(const wire::JobOrder& order, const std::string& own) {
  const auto& attempt = order.has_start() ? order.start().job() : order.expect().job();
  const std::int64_t epoch = order.start().submit_us() / 1'000'000;
  JobPlaces places;
  if (attempt.key().id() == 0) return places;
  const std::string base = own + "/" + std::to_string(epoch) + "." + std::to_string(attempt.key().id()) +
                           (attempt.key().index() == 0 ? "" : "." + std::to_string(attempt.key().index()));
  places.job_file = base;
  places.host_file = places.rank_file = base + ".hostfile";
  places.affinity_file = own.substr(0, own.rfind('/', own.rfind('/') - 1)) + "/empty";  // of all jobs
  places.accounting = base + ".acct";
  if (span_of(order)) places.span_directory = own;
  return places;
}

Result<void> write_host_files(const wire::JobOrder& order, const JobPlaces& places) {
  if (places.host_file.empty()) return {};
  const wire::JobSpan* span = span_of(order);
  if (span && !places.span_directory.empty())
    if (const auto written = write_span(*span, places.span_directory); !written) return written;
  // A part's own hosts are some of the job's.
  google::protobuf::RepeatedPtrField<wire::ExecHost> hosts =
      order.has_start() ? order.start().hosts() : order.expect().hosts();
  if (span) {
    hosts.Clear();
    for (const auto& place : span->places()) {
      auto& host = *hosts.Add();
      host.set_name(place.host());
      host.set_slots(place.slots());
    }
  }
  write_private_file(places.host_file, host_lines(hosts), 0600);
  write_private_file(slots_file_of(places.host_file), slot_lines(hosts), 0600);
  return {};
}

void make_tmp_dir(const wire::JobOrder& order, JobPlaces& places) {
  if (order.tmp_dir().empty() || order.task_only()) return;
  const auto& key = order.has_start() ? order.start().job().key() : order.expect().job().key();
  std::string path = order.tmp_dir() + "/" + std::to_string(key.id());
  if (key.index() != 0) path += "." + std::to_string(key.index());
  path += ".tmpdir";
  struct stat facts;
  if (mkdir(path.c_str(), 0700) != 0 && (errno != EEXIST || lstat(path.c_str(), &facts) != 0 ||
                                         !S_ISDIR(facts.st_mode) || facts.st_uid != geteuid()))
    return;
  places.tmp_dir = path;
}

Result<void> open_job_files(const wire::JobOrder& order, JobFiles& files) {
  const auto& asked = order.start().submission();
  const auto& job = order.start().job().key();
  if (auto chosen = choose_directory(order, files); !chosen) return chosen;
  std::string base = files.places.directory;
  if (!asked.output_dir().empty()) {
    base = under(base, expand_name(asked.output_dir(), job));
    mkdir(base.c_str(), 0777);
    files.places.output_dir = base;
  }
  if (asked.interactive() != wire::Submission::NONE) return open_files_of_interactive(order, base, files);

  files.spooled = asked.output_file().empty();
  const std::string output =
      files.spooled ? files.places.job_file + ".out" : output_path(base, asked.output_file(), job, ".out");
  const bool guest = !files.spooled && is_guest(order);
  if (const auto opened =
          guest ? open_output_of_guest(order, output, files) : open_output(asked, output, files);
      !opened)
    if (auto elsewhere = open_instead(order, opened.error(), files); !elsewhere) return elsewhere;
  if (asked.error_file().empty())
    files.errors = io::Descriptor(fcntl(files.output.get(), F_DUPFD_CLOEXEC, 3));
  else if (!is_guest(order) ||
           !open_errors_of_guest(order, output_path(base, asked.error_file(), job, ".err"), files))
    open_errors_or_join(asked, output_path(base, asked.error_file(), job, ".err"), files);
  return open_input(asked, job, files);
}

std::string command_for_input(const wire::JobOrder& order, const JobPlaces& places) {
  const auto& asked = order.start().submission();
  if (!is_guest(order) || asked.input_file().empty() || asked.has_spooled_input()) return "";
  const auto& key = order.start().job().key();
  const std::string here = under(wanted_directory(asked, key), expand_name(asked.input_file(), key));
  if (!(is_away(order) && relative(asked.input_file())) && access(here.c_str(), R_OK) == 0) return "";
  return fetch_input(places.job_file + ".in", places.job_file + ".why.in");
}

std::vector<std::string> commands_to_return(const JobFiles& files) {
  std::vector<std::string> commands;
  const std::string& base = files.places.job_file;
  if (!files.returned_output.empty())
    commands.push_back(return_file(files.returned_output, "output", base + ".why.out"));
  if (!files.returned_errors.empty())
    commands.push_back(return_file(files.returned_errors, "errors", base + ".why.err"));
  return commands;
}

std::string keep_unreturned(const wire::JobOrder& order, JobFiles& files) {
  std::string said;
  const auto keep = [&](std::string& returned, const char* suffix, const char* what) {
    const std::string path = std::exchange(returned, "");
    const io::Descriptor from(
        path.empty() ? -1 : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat facts;
    if (!from || fstat(from.get(), &facts) != 0 || !S_ISREG(facts.st_mode))
      return;  // it is there, or is the job's own trick
    const NewFile made = make_in_tmp(order, suffix);
    const bool kept = made.file && copy_rest(from.get(), made.file.get());
    const std::string why = first_line(files.places.job_file + ".why" + suffix);
    said +=
        std::string(said.empty() ? "" : "; ") + what + " is " +
        (kept ? "in " + made.path + " on " + order.host() : "lost: " + std::string(std::strerror(errno))) +
        ", cluster " + order.start().from_cluster() + " did not take it" + (why.empty() ? "" : ": " + why);
    if (kept && suffix == std::string_view(".out")) {
      files.output_elsewhere = true;
      files.places.output_file = made.path;
    }
    if (kept) unlink(path.c_str());
  };
  keep(files.returned_output, ".out", "the output");
  keep(files.returned_errors, ".err", "standard error");
  return said;
}

}  // namespace rollcall::res
