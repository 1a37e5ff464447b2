// Stands in for libFuzzer where the compiler has none: runs a fuzz target once over every file of a folder.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]);
    return 2;
  }
  std::error_code error;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1], error)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    std::printf("%s: %zu bytes\n", entry.path().filename().c_str(), bytes.size());
    std::fflush(stdout);  // the last line names the input, should it crash
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    ++files;
  }
  if (files > 0) return 0;
  std::fprintf(stderr, "%s: no file to replay, expected at least one%s%s\n", argv[1], error ? ": " : "",
               error ? error.message().c_str() : "");
  return 1;
}
