// Files of a user whose job runs in another cluster: read and written piece by piece, whatever comes twice.
#include "res/shepherd/file_pieces.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "res/policy/copy_options.hpp"

namespace rollcall::res {
namespace {

using testing::HasSubstr;
using Asked = wire::PieceAsked;

class Files : public testing::Test {
 protected:
  Files() {
    char name[] = "/tmp/file_pieces.XXXXXX";
    directory_ = mkdtemp(name);
    path_ = directory_ + "/file";
  }
  ~Files() override { std::filesystem::remove_all(directory_); }

  wire::ToRes::FilePiece piece(Asked::Operation operation, std::int64_t from, const std::string& data = "",
                               bool append = false) const {
    wire::ToRes::FilePiece asked;
    asked.set_number(3);
    asked.set_path(path_);
    asked.set_append(append);
    asked.set_transfer("copy");
    asked.mutable_asked()->set_operation(operation);
    asked.mutable_asked()->set_from(from);
    asked.mutable_asked()->set_data(data);
    asked.mutable_asked()->set_mode(0640);
    asked.mutable_asked()->set_last(data.empty());
    return asked;
  }
  std::string text() const {
    std::ifstream in(path_);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
  }
  void put(const std::string& bytes) const { std::ofstream(path_) << bytes; }

  FilePieces files_;
  std::string directory_, path_;
};

TEST_F(Files, AreReadFromAPlace) {
  put("0123456789");
  const auto part = files_.serve(piece(Asked::READ, 4));
  EXPECT_EQ(part.number(), 3U);
  EXPECT_EQ(part.data(), "456789");
  EXPECT_EQ(files_.serve(piece(Asked::READ, 10)).data(), "");
  const auto mark = read_mark(files_.serve(piece(Asked::MARK, 0)).data());
  ASSERT_TRUE(mark);
  EXPECT_TRUE(mark->regular);
}

TEST_F(Files, ThatAreMissingAreNamed) {
  EXPECT_TRUE(files_.serve(piece(Asked::READ, 0)).over());
  EXPECT_TRUE(files_.serve(piece(Asked::MARK, 0)).over());
  path_ = directory_ + "/none/file";
  EXPECT_THAT(files_.serve(piece(Asked::WRITE, 0, "x")).why_not(), HasSubstr("No such file"));
}

TEST_F(Files, AreWrittenOnceWhateverComesTwice) {
  put("what was there");
  for (const bool append : {false, true}) {
    FilePieces files;
    for (const auto& [from, data] :
         {std::pair{0, "first "}, {0, "first "}, {6, "second"}, {6, "second"}, {12, ""}, {12, ""}})
      EXPECT_EQ(files.serve(piece(Asked::WRITE, from, data, append)).why_not(), "");
    EXPECT_EQ(text(), append ? "first secondfirst second" : "first second");
  }
  EXPECT_THAT(files_.serve(piece(Asked::WRITE, 0, "a")).why_not(), "");
  EXPECT_THAT(files_.serve(piece(Asked::WRITE, 5, "b")).why_not(), HasSubstr("behind a missing one"));
}

// What opened the file was killed in between: the rest comes to another process.
TEST_F(Files, GoOnInANewProcess) {
  for (const bool append : {false, true}) {
    put("");
    {
      FilePieces before;
      before.serve(piece(Asked::WRITE, 0, "first ", append));
    }
    EXPECT_EQ(files_.serve(piece(Asked::WRITE, 6, "second", append)).why_not(), "");
    EXPECT_EQ(text(), "first second");
    files_ = {};
  }
}

TEST_F(Files, ThatAreNewGetTheModeAndADirectoryAName) {
  auto asked = piece(Asked::WRITE, 0);
  asked.set_path(directory_);
  asked.set_name("7.out");
  EXPECT_EQ(files_.serve(asked).why_not(), "");
  struct stat facts {};
  ASSERT_EQ(stat((directory_ + "/7.out").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0640U);
}

TEST_F(Files, ThatAreNoFilesAreRefusedAtOnce) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(files_.serve(piece(Asked::READ, 0)).why_not(), HasSubstr("no regular file"));
  EXPECT_NE(files_.serve(piece(Asked::WRITE, 0, "x")).why_not(), "");
  path_ = directory_;
  EXPECT_NE(files_.serve(piece(Asked::WRITE, 0, "x")).why_not(), "");
}

}  // namespace
}  // namespace rollcall::res
