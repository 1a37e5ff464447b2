#include "elim/commands/screen.hpp"

#include <langinfo.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <cstring>

namespace rollcall::elim {

bool output_is_terminal() { return isatty(STDOUT_FILENO) == 1; }

bool output_takes_colour() { return output_is_terminal() && std::getenv("NO_COLOR") == nullptr; }

bool output_is_unicode() {
  std::setlocale(LC_CTYPE, "");
  return std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

show::ScreenSize screen_size() {
  winsize size{};
  if (!output_is_terminal() || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_row, size.ws_col};
}

std::string frame_of(const std::string& picture) {
  if (!output_is_terminal()) return picture + "\n";
  // Cursor home, each line cleared to its end, then everything below: clearing first would flicker.
  std::string frame = "\033[H";
  for (const char c : picture) frame += c == '\n' ? std::string("\033[K\n") : std::string(1, c);
  return frame + "\033[J";
}

// The signals are blocked except here: while LIM is asked, they end the command as usual.
bool wait_or_end(std::chrono::milliseconds interval) {
  sigset_t ending, before;
  sigemptyset(&ending);
  for (const int signo : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ending, signo);
  pthread_sigmask(SIG_BLOCK, &ending, &before);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(interval);
  const std::chrono::nanoseconds rest = interval - seconds;
  const timespec patience{seconds.count(), rest.count()};
  const bool over = sigtimedwait(&ending, nullptr, &patience) < 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return over;
}

}  // namespace rollcall::elim
