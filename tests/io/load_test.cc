#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tilewright/io.h"

namespace tilewright::io {
namespace {

using ::testing::HasSubstr;

// A file that lives as long as the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(std::filesystem::path(::testing::TempDir()) /
              (std::string("tilewright_") +
               ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".yaml")) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

template <typename T>
std::string only_message(const Checked<T>& parsed) {
  EXPECT_FALSE(parsed.value);
  EXPECT_EQ(parsed.problems.size(), 1U);
  return parsed.problems.empty() ? "" : to_string(parsed.problems.front());
}

TEST(ReadFile, GivesTheTextAsItIs) {
  const TemporaryFile file("a\r\nb\n");
  EXPECT_EQ(read_file(file.path()).value, "a\r\nb\n");
}

TEST(ReadFile, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(only_message(read_file("no/such.yaml")), "no/such.yaml: no such file");
  EXPECT_THAT(only_message(read_file(::testing::TempDir())), HasSubstr("this is a folder"));
  const TemporaryFile file(std::string((1 << 20) + 1, 'a'));
  EXPECT_THAT(only_message(read_file(file.path())), HasSubstr("larger than the limit of 1 MiB"));
}

TEST(ReadFile, SaysWhereAFileIsNoText) {
  const TemporaryFile file(std::string("a\nbc\0d", 6));
  EXPECT_EQ(only_message(read_file(file.path())),
            file.path() + ":2:3: byte 0x00: this is no text file");
}

// Readers of YAML keep what they see while they look for the end of a list.
TEST(ReadArchitecture, RefusesBracketsThatNeverClose) {
  const std::string brackets(500'000, '[');
  EXPECT_EQ(only_message(read_architecture("# [\na: \n" + brackets, "a.yaml")),
            "a.yaml:3:201: lists and maps are nested too deeply");
  const std::string commented = "architecture: mine  # " + brackets +
                                "\nlevels: [{memory: M, capacity: 1 KiB}, {compute: C}]\n";
  EXPECT_TRUE(read_architecture(commented, "a.yaml").ok());
}

TEST(ReadArchitecture, RefusesMoreValuesThanAnyFileHas) {
  std::string text = "levels: [";
  for (int i = 0; i < 100'001; ++i) text += "a,";
  EXPECT_THAT(only_message(read_architecture(text + "]\n", "a.yaml")),
              HasSubstr("a.yaml:1:200008: the file has more than 100000 values"));
}

TEST(ReadNetwork, RefusesMoreCellsThanAnyFileHas) {
  const auto read = read_network("model,layer\n" + std::string(200'000, ','), "n.csv");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(to_string(read.problems.front()),
            "n.csv:2:99999: the file has more than 100,000 cells");
}

TEST(LoadArchitecture, FindsBuiltinsWhateverTheirCaseAndHyphens) {
  ASSERT_FALSE(builtin_architectures().empty());
  const std::string name = builtin_architectures().front().name;
  std::string shouted;
  for (const char c : name) shouted += c == '-' ? '_' : static_cast<char>(std::toupper(c));
  EXPECT_TRUE(load_architecture(name).ok());
  EXPECT_EQ(load_architecture(shouted).value, load_architecture(name).value);
}

TEST(LoadArchitecture, ReadsAFile) {
  const TemporaryFile file(
      "architecture: mine\nlevels: [{memory: M, capacity: 1 KiB}, {compute: C}]\n");
  ASSERT_TRUE(load_architecture(file.path()).ok());
  EXPECT_EQ(load_architecture(file.path()).value->name, "mine");
}

TEST(LoadArchitecture, ListsTheBuiltinsWhenItFindsNothing) {
  const std::string name = builtin_architectures().front().name;
  const std::string message = only_message(load_architecture(name + "x"));
  EXPECT_THAT(message, HasSubstr(name + "x: neither a built-in architecture nor a file"));
  EXPECT_THAT(message, HasSubstr("did you mean"));
  EXPECT_THAT(message, HasSubstr("built in are "));
}

TEST(LoadNetwork, FindsBuiltinsWhateverTheirCaseAndHyphens) {
  EXPECT_EQ(load_network("MobileNet-V2").value->name, "mobilenet_v2");
  EXPECT_EQ(load_network("Qwen3-0.6B-1k").value->name, "qwen3_0.6b_1k");
}

TEST(LoadNetwork, ReadsAFile) {
  const TemporaryFile file("model,layer,op,N,M,C,P,Q,R,S\nmine,a,conv,1,1,1,1,1,1,1\n");
  ASSERT_TRUE(load_network(file.path()).ok());
  EXPECT_EQ(load_network(file.path()).value->name, "mine");
}

TEST(LoadNetwork, ListsTheBuiltinsWhenItFindsNothing) {
  EXPECT_THAT(only_message(load_network("vgg15")),
              HasSubstr("vgg15: neither a built-in network nor a file; did you mean vgg16? (built "
                        "in are alexnet, "));
}

TEST(LoadWorkload, TellsFilesFromLines) {
  const TemporaryFile file("workload: filed\ngemm: {m: 1, n: 2, k: 3}\n");
  EXPECT_EQ(load_workload(file.path()).value->name, "filed");
  EXPECT_EQ(load_workload("gemm: m=1 n=2 k=3").value->name, "gemm_1x2x3");
  EXPECT_EQ(load_workload("O[m] += A[m]; m=3").value->name, "O");
  EXPECT_THAT(only_message(load_workload("nowhere.yaml")),
              HasSubstr("nowhere.yaml: no such file; name a file, or write a workload such as"));
}

TEST(LoadMapping, ReadsAFile) {
  const Problem problem =
      *Problem::create(
           make_gemm("g", 2, 3, 4),
           *read_architecture(
                "architecture: a\nlevels: [{memory: M, capacity: 1 KiB}, {compute: C}]", "a")
                .value)
           .value;
  const TemporaryFile file("levels: {M: [M 2, N 3, K 4]}\n");
  EXPECT_TRUE(load_mapping(file.path(), problem).ok());
  EXPECT_THAT(only_message(load_mapping("no.yaml", problem)), HasSubstr("no such file"));
}

TEST(LoadConstraints, ReadsAFile) {
  const Architecture arch = *load_architecture("toy_array").value;
  const TemporaryFile file("constraints: [{level: Buffer, dims: [M]}]\n");
  EXPECT_EQ(load_constraints(file.path(), arch).value,
            (std::vector<Constraint>{{"Buffer", {}, DimsRule{{"M"}}, {}}}));
  EXPECT_THAT(only_message(load_constraints("no.yaml", arch)), HasSubstr("no such file"));
}

TEST(DescribeFormat, NamesEveryKeyOfEveryKind) {
  EXPECT_THAT(describe_format("architecture"), HasSubstr("read_bandwidth"));
  EXPECT_THAT(describe_format("architecture"), HasSubstr("an energy such as \"64 pJ\""));
  EXPECT_THAT(describe_format("workload"), HasSubstr("einsum"));
  EXPECT_THAT(describe_format("workload"), HasSubstr("dilation"));
  EXPECT_THAT(describe_format("mapping"), HasSubstr("bypass"));
  EXPECT_THAT(describe_format("constraints"), HasSubstr("least_use"));
  EXPECT_THAT(describe_format("constraints"), HasSubstr("innermost"));
  EXPECT_EQ(describe_format("poem"), "");
}

}  // namespace
}  // namespace tilewright::io
