#include "common/conf/malformed_lines.hpp"

namespace rollcall::conf {

std::string malformed_lines(const FileSources& sources) {
  const std::string path = sources.env_dir + "/lsf.conf";
  const auto text = sources.read(path);
  if (!text) return "";
  const auto conf = LsfConf::parse(*text, path);
  return conf ? "" : conf.error().text + "; ignored";
}

}  // namespace rollcall::conf
