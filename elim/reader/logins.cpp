#include "elim/reader/logins.hpp"

#include <utmp.h>

#include <set>
#include <string>

namespace rollcall::load {
namespace {

std::vector<Login> sessions(const FilesBelow& files) {
  std::vector<Login> logins;
  for (const auto& name : files.names("run/systemd/sessions")) {
    if (name.ends_with(".ref")) continue;  // a FIFO beside each session
    const auto text = files.text("run/systemd/sessions/" + name);
    if (!text) continue;
    if (auto login = session_login(*text)) logins.push_back(std::move(*login));
  }
  return logins;
}

bool names_a_terminal(const std::string& line) {
  // X displays (":0") are no terminals, and a path in utmp must not lead elsewhere.
  return !line.empty() && line[0] != ':' && line[0] != '/' && line.find("..") == std::string::npos;
}

}  // namespace

std::vector<Login> current_logins(const FilesBelow& files) {
  for (const char* path : {"run/utmp", "var/run/utmp"}) {
    const auto utmp = files.text(path);
    if (!utmp) continue;
    auto logins = utmp_logins(*utmp, sizeof(struct utmp));
    std::erase_if(logins, [&](const Login& login) {
      return login.pid > 0 && !files.exists("proc/" + std::to_string(login.pid));
    });
    return logins;
  }
  return sessions(files);
}

double distinct_users(const std::vector<Login>& logins) {
  std::set<std::string> users;
  for (const auto& login : logins) users.insert(login.user);
  return static_cast<double>(users.size());
}

std::vector<TerminalTime> terminal_times(const FilesBelow& files, const std::vector<Login>& logins) {
  std::vector<TerminalTime> times;
  for (const auto& login : logins) {
    if (!names_a_terminal(login.line)) continue;
    if (const auto used = files.last_used("dev/" + login.line)) times.push_back({login.line, *used});
  }
  return times;
}

}  // namespace rollcall::load
