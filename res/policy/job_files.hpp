// job_files: the names of a job's files: %J and %I, directories, what is relative to what. Functions.
//
// They open nothing: whether a path is a directory the shell has found out, as the job's user.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/wire/job.pb.h"

namespace rollcall::res {

// "%J" is the job's id, "%I" its index (0 where it is no array); every other byte stays (bsub(1), -o). So "%%J" is "%12".
std::string expand_name(std::string_view name, const wire::JobKey& job);

// "12" or "12[3]", as people write it.
std::string job_text(const wire::JobKey& job);

// `path`, where it is relative below `directory`.
std::string under(std::string_view directory, std::string_view path);

// True where the name can only mean a directory ("out/").
inline bool names_directory(std::string_view path) { return !path.empty() && path.back() == '/'; }
// The file in a directory that was given with -o or -e: DIR/12.out, DIR/12.3.err.
std::string file_in_directory(std::string_view directory, const wire::JobKey& job, std::string_view suffix);

// Where the job runs: -cwd, below the submission directory where it is relative; else the submission directory.
std::string wanted_directory(const wire::Submission& asked, const wire::JobKey& job);
// LSF's rule: a -cwd that has %J or %I is made. The directories from the first that has one on, each in the one before.
std::vector<std::string> directories_to_make(const wire::Submission& asked, const wire::JobKey& job);

}  // namespace rollcall::res
