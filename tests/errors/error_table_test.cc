// Every file of cases/ is wrong in some way; the file .expected beside it holds
// exactly what the reader says about it. To accept new messages after reading
// them, run the tests with TILEWRIGHT_ACCEPT_MESSAGES set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/checkout.h"
#include "support/file_text.h"
#include "tilewright/io.h"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(checkout_folder()) / "tests" / "errors";

// What the mappings, constraints and flexibilities of the table are read against.
Architecture fixed_arch() {
  return io::load_architecture((kFolder / "problem_arch.yaml").string()).value.value();
}
Problem fixed_problem() {
  const auto workload = io::load_workload((kFolder / "problem_workload.yaml").string());
  return *Problem::create(workload.value.value(), fixed_arch()).value;
}

// What the plans of the table are read against.
Checked<Plan> read_fixed_plan(const std::string& text, const std::string& file) {
  const auto arch = io::load_architecture((kFolder / "plan_arch.yaml").string());
  const auto cascade = io::load_cascade((kFolder / "plan_cascade.yaml").string());
  return io::read_plan(text, file, cascade.value.value(), arch.value.value());
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

template <typename T>
std::string messages(const Checked<T>& parsed) {
  std::string text;
  for (const Diagnostic& problem : parsed.problems) text += to_string(problem) + "\n";
  if (parsed.value) text += "(a value was read)\n";
  return text;
}

std::string messages_about(const fs::path& path) {
  const std::string text = file_text(path);
  const std::string file = path.filename().string();
  if (file.starts_with("arch_")) return messages(io::read_architecture(text, file));
  if (file.starts_with("workload_")) return messages(io::read_workload(text, file));
  if (file.starts_with("network_")) return messages(io::read_network(text, file));
  if (file.starts_with("line_")) return messages(io::read_workload_line(first_line(text), file));
  if (file.starts_with("cascade_")) return messages(io::read_cascade(text, file));
  if (file.starts_with("plan_")) return messages(read_fixed_plan(text, file));
  if (file.starts_with("rename_")) {
    Checked<std::vector<Renaming>> names = io::read_rename_line(first_line(text), file);
    if (!names.ok()) return messages(names);
    Workload workload = fixed_problem().workload();
    return messages(Checked<Workload>{std::nullopt, rename_dims(workload, *names.value)});
  }
  if (file.starts_with("flex_")) {
    return messages(io::read_flexibility_line(first_line(text), file, fixed_arch()));
  }
  if (file.starts_with("constraints_")) {
    return messages(io::read_constraints(text, file, fixed_arch()));
  }
  if (file.starts_with("constrain_")) {
    return messages(io::read_constraint_line(first_line(text), file, fixed_arch()));
  }
  return messages(io::read_mapping(text, file, fixed_problem()));
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(kFolder / "cases")) {
    if (entry.path().extension() != ".expected") names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class ErrorTable : public ::testing::TestWithParam<std::string> {};

TEST_P(ErrorTable, SaysExactlyThis) {
  const fs::path path = kFolder / "cases" / GetParam();
  fs::path expected = path;
  expected.replace_extension(".expected");
  const std::string found = messages_about(path);
  EXPECT_FALSE(found.empty());
  if (std::getenv("TILEWRIGHT_ACCEPT_MESSAGES") != nullptr) {
    std::ofstream(expected, std::ios::binary) << found;
    GTEST_SKIP() << "accepted, not checked";
  }
  EXPECT_EQ(file_text(expected), found);
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  return fs::path(info.param).stem().string();
}

INSTANTIATE_TEST_SUITE_P(Cases, ErrorTable, ::testing::ValuesIn(case_names()), test_name);

TEST(ErrorTableFolder, HasNoLeftoverExpectations) {
  for (const fs::directory_entry& entry : fs::directory_iterator(kFolder / "cases")) {
    if (entry.path().extension() != ".expected") continue;
    const auto exists_as = [&entry](const char* extension) {
      fs::path path = entry.path();
      return fs::exists(path.replace_extension(extension));
    };
    EXPECT_TRUE(exists_as(".yaml") || exists_as(".txt") || exists_as(".csv")) << entry.path();
  }
}

}  // namespace
}  // namespace tilewright
