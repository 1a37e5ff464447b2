// SubmittedFiles: the files of a job's submission, for a job that another cluster has sent here: by way of mbatchd, piece by piece
// (docs/decisions/0094). Blocking.
//
// While the other cluster or one of its hosts does not answer it asks again, without limit: what the job has written waits.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/io/batch_client.hpp"
#include "res/policy/copy_options.hpp"

namespace rollcall::res {

class SubmittedFiles {
 public:
  // An error: this process is in no such job, or an invalid lsf.conf.
  static Result<SubmittedFiles> open(const conf::ClusterFiles& files);

  struct Marked {
    std::optional<FileMark> mark;  // none: there is no such file
    std::string why_not;           // "": it was answered
  };
  Marked mark(const SubmittedFile& file);
  // Hands over the bytes; `take` false: no more could be written. "": all of it has come, or `take` said no.
  std::string read(const SubmittedFile& file, const std::function<bool(std::string_view)>& take);
  // From the descriptor, which is at its begin. "": it is all there.
  std::string write(const SubmittedFile& file, int from, unsigned mode);

 private:
  SubmittedFiles(io::BatchClient mbatchd, wire::JobKey key) : mbatchd_(std::move(mbatchd)), key_(key) {}
  wire::Piece ask(const wire::PieceAsked& asked);

  io::BatchClient mbatchd_;
  wire::JobKey key_;
};

}  // namespace rollcall::res
