// The option -o of LSF's commands.
#include "common/base/output_format.hpp"

#include <gtest/gtest.h>

namespace rollcall {
namespace {

const std::vector<OutputField> kFields = {
    {"jobid", "JOBID", 7, {"id"}},          {"stat", "STAT", 5, {}}, {"queue", "QUEUE", 10, {}},
    {"project", "PROJ_NAME", 10, {"proj"}}, {"mem", "MEM", 10, {}},  {"output_file", "OUTPUT_FILE", 10, {}}};

TEST(OutputFormat, MatchesARealSession) {
  const auto format =
      OutputFormat::parse("jobid stat: queue:- project:10  mem:12:G output_file", kFields).value();
  EXPECT_EQ(format.header(kFields), "JOBID STAT       QUEUE PROJ_NAME  MEM          OUTPUT_FILE\n");
  EXPECT_EQ(format.line({"24520", "RUN", "normal", "default", "0.01 G", "/home/u/output"}),
            "24520 RUN       normal default    0.01 G       /home/u/output\n");
  EXPECT_EQ(format.chosen().at(4).unit, "G");
}

TEST(OutputFormat, CutsWhatIsLongerThanItsWidth) {
  const auto format = OutputFormat::parse("ID:3 queue:-4", kFields).value();
  EXPECT_EQ(format.line({"24520", "normal"}), "245 norm\n");
  EXPECT_EQ(format.line({"1", "n"}), "1      n\n");
}

TEST(OutputFormat, SomeFieldsLoseTheirHead) {
  auto fields = kFields;
  fields[2].keep_tail = true;
  const auto format = OutputFormat::parse("jobid:3 queue:6", fields).value();
  EXPECT_EQ(format.line({"24520", "overnight"}, fields), "245 *night\n");
}

TEST(OutputFormat, ADelimiterReplacesWidths) {
  for (const char* text : {"jobid:9 stat:9 delimiter='^'", "delimiter=\"^\" jobid stat"}) {
    const auto format = OutputFormat::parse(text, kFields).value();
    EXPECT_EQ(format.line({"7", "RUN"}), "7^RUN\n") << text;
  }
}

TEST(OutputFormat, RefusesInvalidFormats) {
  const auto refusal = [](const char* text) { return OutputFormat::parse(text, kFields).error().text; };
  EXPECT_EQ(refusal("jobid colour"), "-o: <colour> is not a valid field name");
  EXPECT_EQ(refusal("jobid:x"), "-o: found the width \"x\", expected 1 to 4096");
  EXPECT_EQ(refusal("jobid:0"), "-o: found the width \"0\", expected 1 to 4096");
  EXPECT_EQ(refusal("jobid delimiter='x"), "-o: found delimiter=\"'x\", expected a text in quotes");
  EXPECT_EQ(refusal("  "), "-o: found no field, expected at least one");
}

}  // namespace
}  // namespace rollcall
