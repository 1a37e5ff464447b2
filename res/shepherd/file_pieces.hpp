// FilePieces: reads and writes files of a user whose jobs run in another cluster, piece by piece. The caller must already run as the user,
// so that no path gives more than the user may open. Regular files alone.
//
// A file that is written stays open from the first piece to the last. A piece that comes again, because its answer was lost, is written
// once.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "common/io/descriptor.hpp"
#include "common/wire/res.pb.h"

namespace rollcall::res {

class FilePieces {
 public:
  // With the number of `asked`. `over`: there is no such file.
  wire::PeekedPart serve(const wire::ToRes::FilePiece& asked);

 private:
  struct Written {
    io::Descriptor file;  // none: it is closed
    std::int64_t size = 0;
  };
  std::string write(const wire::ToRes::FilePiece& asked, const std::string& path);

  std::map<std::string, Written> written_;  // by FilePiece.transfer
};

}  // namespace rollcall::res
