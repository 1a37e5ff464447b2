#include "res/shepherd/notices.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "res/policy/job_files.hpp"
#include "res/policy/job_report.hpp"
#include "res/shepherd/mail.hpp"

namespace rollcall::res {
namespace {

std::string recipient(const wire::JobOrder& order) {
  const auto& asked = order.start().submission();
  return asked.mail_user().empty() ? order.user() : asked.mail_user();
}

// Only a regular file keeps a report: for /dev/null and the like we do not write one.
bool keeps_a_report(const io::Descriptor& output) {
  struct stat facts;
  return fstat(output.get(), &facts) == 0 && S_ISREG(facts.st_mode);
}

// Begins a new line if the job's last one is unfinished. Returns 0, or the errno of an incomplete write: a full disk, a quota.
int append_report(const JobFiles& files, std::string text) {
  struct stat facts;
  if (fstat(files.output.get(), &facts) != 0) return errno;
  char last = '\n';
  // The name may refer to another file by now, such as a FIFO: opening it must not wait.
  constexpr int kAtOnce = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const io::Descriptor reader(facts.st_size > 0 ? open(files.places.output_file.c_str(), kAtOnce) : -1);
  if (reader && pread(reader.get(), &last, 1, facts.st_size - 1) == 1 && last != '\n') text.insert(0, "\n");
  // A short write sets no errno; the next write does.
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t size = write(files.output.get(), rest.data(), rest.size());
    if (size <= 0) return errno;
    rest.remove_prefix(static_cast<std::size_t>(size));
  }
  return 0;
}

void add_note(std::string& note, const std::string& line) { note += (note.empty() ? "" : "; ") + line; }

}  // namespace

std::string calendar(std::int64_t us) {
  const time_t seconds = us / 1'000'000;
  tm broken{};
  localtime_r(&seconds, &broken);
  std::array<char, 64> room;
  strftime(room.data(), room.size(), "%a %b %e %H:%M:%S %Y", &broken);
  return room.data();
}

void tell_begin(const wire::JobOrder& order, const JobFiles& files, std::int64_t start_us) {
  const auto& start = order.start();
  if (!start.submission().mail_at_start()) return;
  start_mail({order.mail_program(), order.sender(), recipient(order),
              "Job " + job_text(start.job().key()) + ": started in cluster <" + start.cluster() + ">",
              "Job <" + job_text(start.job().key()) + "> was started on host <" + order.host() + "> at " +
                  calendar(start_us) + "\n",
              "", files.places.job_file + ".begin"});
}

bool has_unmailed(const JobFiles& files) {
  struct stat facts;
  return files.spooled && files.output && fstat(files.output.get(), &facts) == 0 && facts.st_size > 0;
}

std::string keep_unmailed(const wire::JobOrder& order, const JobFiles& files, const std::string& why) {
  const auto kept = keep_output(order, files);
  return why + (kept ? "; the output is in " + *kept + " on " + order.host()
                     : "; the output is lost: " + kept.error().text);
}

EndTold tell_end(const wire::JobOrder& order, const JobFiles& files, const wire::FromRes::JobOver& over,
                 bool sampled, std::int64_t now_us) {
  const auto& asked = order.start().submission();
  EndTold told{-1, files.output_note};
  if (!order.has_start() || order.start().mail_report_only()) return told;
  if (asked.interactive() != wire::Submission::NONE && !asked.mail_report()) return told;
  ReportFacts facts{order,
                    over,
                    files.places.directory,
                    sampled,
                    files.error_file,
                    now_us,
                    calendar,
                    files.output_elsewhere ? files.places.output_file : "",
                    files.trouble};
  const bool in_file = files.output && !files.spooled;
  if (in_file && !asked.mail_report()) {
    const int error =
        keeps_a_report(files.output) ? append_report(files, report_text(facts, ReportPlace::output_file)) : 0;
    if (error !=
        0) {  // the mail must say how the job ended, and bjobs -l what happened: nobody may read mail
      const std::string why = files.places.output_file + ": " + std::generic_category().message(error);
      facts.trouble += "cannot write this report to " + why + ".\n";
      add_note(told.note, "cannot write the report of its end to " + why);
    } else if (!files.output_elsewhere) {
      return told;  // else a mail says where it is
    }
  }
  told.mail = start_mail({order.mail_program(), order.sender(), recipient(order), subject_of(facts),
                          report_text(facts, in_file ? ReportPlace::mail_alone : ReportPlace::mail),
                          files.spooled ? files.places.output_file : "", files.places.job_file + ".mail"});
  if (told.mail >= 0 || !has_unmailed(files)) return told;
  append_report(files, report_text(facts, ReportPlace::output_file));
  add_note(told.note,
           keep_unmailed(order, files, "there is no mail program that can be started (LSB_MAILPROG)"));
  return told;
}

}  // namespace rollcall::res
