// FitPicture: how much of lsmon's picture fits on a terminal.
#include "elim/policy/show/fit_picture.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace rollcall::elim::show {
namespace {

std::string numbered(const std::string& name, int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += name + std::to_string(i) + "\n";
  return text;
}
Picture picture(int hosts, int graphs) {
  return {"title\n\n", "HOST_NAME\n" + numbered("host", hosts), numbered("index", graphs)};
}
std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(FitPicture, AllIsShownWhereThereIsRoomOrNoScreen) {
  const std::string whole = "title\n\nHOST_NAME\nhost1\nhost2\n\nindex1\n";
  EXPECT_EQ(fit_picture(picture(2, 1), {}), whole);
  EXPECT_EQ(fit_picture(picture(2, 1), {8, 80}), whole) << "seven lines, and the cursor's";
  EXPECT_EQ(fit_picture(picture(2, 0), {6, 80}), "title\n\nHOST_NAME\nhost1\nhost2\n");
}

TEST(FitPicture, HostsWithoutRoomAreCounted) {
  EXPECT_EQ(fit_picture(picture(100, 0), {7, 80}), "title\n\nHOST_NAME\nhost1\nhost2\n... 98 more hosts\n");
}

TEST(FitPicture, TheTableHasHalfOfTheRoomAtTheLeast) {
  EXPECT_EQ(fit_picture(picture(100, 100), {13, 80}),
            "title\n\nHOST_NAME\nhost1\nhost2\nhost3\n... 97 more hosts\n\nindex1\nindex2\nindex3\n... 97 "
            "more indices\n");
}

TEST(FitPicture, OneHostLeavesTheRestToTheIndices) {
  EXPECT_EQ(fit_picture(picture(1, 100), {9, 80}),
            "title\n\nHOST_NAME\nhost1\n\nindex1\nindex2\n... 98 more indices\n");
}

TEST(FitPicture, FewIndicesLeaveTheRestToTheHosts) {
  EXPECT_EQ(fit_picture(picture(100, 1), {9, 80}),
            "title\n\nHOST_NAME\nhost1\nhost2\n... 98 more hosts\n\nindex1\n");
}

TEST(FitPicture, LinesThatAreWiderThanTheScreenTakeSeveralRows) {
  Picture wide = picture(0, 0);
  for (int i = 0; i < 10; ++i) wide.table += std::string(25, 'x') + "\n";
  EXPECT_EQ(fit_picture(wide, {9, 10}),
            "title\n\nHOST_NAME\n" + std::string(25, 'x') + "\n... 9 more hosts\n");
  EXPECT_EQ(fit_picture({"", "HOST\nüüüüü\n", ""}, {3, 5}), "HOST\nüüüüü\n") << "characters count, not bytes";
}

TEST(FitPicture, AScreenOfAnySizeIsNotLeft) {
  for (std::size_t rows = 7; rows < 40; ++rows)
    for (const int hosts : {0, 1, 5, 50})
      for (const int graphs : {0, 1, 5, 50})
        EXPECT_LT(lines(fit_picture(picture(hosts, graphs), {rows, 80})), rows)
            << rows << " rows, " << hosts << " hosts, " << graphs << " indices";
}

}  // namespace
}  // namespace rollcall::elim::show
