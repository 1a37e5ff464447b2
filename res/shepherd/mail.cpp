#include "res/shepherd/mail.hpp"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>
#include <string_view>

#include "common/base/terminal_text.hpp"
#include "common/io/descriptor.hpp"
#include "common/io/spawn.hpp"
#include "res/shepherd/job_files_here.hpp"

namespace rollcall::res {
namespace {

// Keeps a subject or an address on one line: a job's name may contain line feeds.
std::string one_line(std::string_view text) { return terminal_text(text, Controls::none); }

std::vector<std::string> words_of(const std::string& program) {
  std::istringstream in(program);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  // LSF's own example is LSB_MAILPROG=/usr/lib/sendmail, which reads the recipients from the text only with -t.
  if (words.size() == 1 && std::string_view(words.front()).ends_with("/sendmail"))
    words.insert(words.end(), {"-oi", "-t"});
  if (!words.empty()) return words;
  for (const char* usual : {"/usr/sbin/sendmail", "/usr/lib/sendmail"})
    if (access(usual, X_OK) == 0) return {usual, "-oi", "-t"};
  return {};
}

void append_file(int to, const std::string& path) {
  // The job may have put a FIFO in its place: opening it must not block.
  const io::Descriptor from(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!from || copy_rest(from.get(), to)) return;
  const std::string why =
      std::string("\n[the output could not be read to its end: ") + std::strerror(errno) + "]\n";
  // Where the disk is full, the mail ends here without a word.
  if (write(to, why.data(), why.size()) < 0) return;
}

}  // namespace

pid_t start_mail(const Mail& mail) {
  io::SpawnPlan plan;
  plan.argv = words_of(mail.program);
  if (plan.argv.empty()) return -1;
  const std::string head = "From: LSF <" + one_line(mail.sender) + ">\nTo: " + one_line(mail.to) +
                           "\nSubject: " + one_line(mail.subject) + "\n\n" +
                           terminal_text(mail.body, Controls::newline_and_tab);
  if (!write_private_file(mail.draft, head, 0600)) return -1;
  const io::Descriptor draft(open(mail.draft.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW));
  const io::Descriptor nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!draft || !nowhere) return -1;
  if (!mail.output.empty()) append_file(draft.get(), mail.output);
  lseek(draft.get(), 0, SEEK_SET);
  sigemptyset(&plan.mask);
  plan.own_session = true;
  plan.environment = {"PATH=/bin:/usr/bin:/sbin:/usr/sbin"};
  plan.descriptors = {{draft.get(), 0}, {nowhere.get(), 1}, {nowhere.get(), 2}};
  const auto started = io::spawn(plan);
  const auto* pid = std::get_if<pid_t>(&started);
  return pid == nullptr ? -1 : *pid;
}

}  // namespace rollcall::res
