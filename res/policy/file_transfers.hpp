// file_transfers: the files of bsub -f, as commands of lsrcp(1). Functions.
//
// `local` is on the host and below the directory where bsub was called, `remote` on the job's first host and below the
// job's directory. The commands run there as the job's user; lsrcp goes to the other host through its RES. A file that is
// the same on both hosts, because they share it, is left alone: lsrcp sees that.
#pragma once

#include <string>
#include <vector>

#include "common/wire/res.pb.h"

namespace rollcall::res {

struct FileTransfer {
  std::string command;  // one line for /bin/sh
  std::string what;     // "n1:/home/u/in.dat to /home/u/in.dat"
};

// Before anything of the job runs, and when all of it has ended. In the order in which they were asked for.
std::vector<FileTransfer> transfers_to_host(const wire::ToRes::StartJob& start);
// What goes wrong is added to `errors_file`, where there is one.
std::vector<FileTransfer> transfers_back(const wire::ToRes::StartJob& start, const std::string& errors_file);

// Of a job of another cluster: -i there to `to` here, and a file with what was written for -o or -e back (`name`: "output" or
// "errors"), which is removed when it is there. What goes wrong is in `complaint`; a job without its input is not stopped here.
std::string fetch_input(const std::string& to, const std::string& complaint);
std::string return_file(const std::string& file, const char* name, const std::string& complaint);

// Why a job with -f could not start, where `command` is one of its transfers and `status` how it ended (wait(2)); else "".
std::string failed_transfer(const wire::ToRes::StartJob& start, const std::string& command, int status);

}  // namespace rollcall::res
