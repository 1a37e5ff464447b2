// mail: sends a message to a job's user with the site's program (LSB_MAILPROG), which reads it as sendmail -t does.
//
// Runs as the user. There is no queue: a message that the program cannot send is lost.
#pragma once

#include <sys/types.h>

#include <string>

namespace rollcall::res {

struct Mail {
  std::string program;  // with its options, words; "" : the system's sendmail
  std::string sender;   // USER@HOST
  std::string to;
  std::string subject;
  std::string body;
  std::string output;  // path of a file that follows; "" : none
  std::string draft;   // path where the message is put together
};

// The pid of the program, which the caller waits for; -1: there is none, or it cannot be started.
pid_t start_mail(const Mail& mail);

}  // namespace rollcall::res
