#include "cli/mapping_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "tilewright/io.h"
#include "tilewright/report.h"

namespace tilewright::cli {
namespace {

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("-_./,:=+@%").find(c) != std::string_view::npos;
}

std::string quoted_word(const std::string& word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// "# what: text"; a name may hold a line break, a comment may not.
std::string comment(const std::string& what, std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; }, ' ');
  return fmt::format("# {}: {}\n", what, text);
}

// With the roles that it was mapped with, so that the line can be used again.
std::string workload_line(const Workload& workload, const Workload& mapped) {
  std::string text = tensor_text(workload, workload.tensors.back()) + " += ";
  for (std::size_t t = 0; t + 1 < workload.tensors.size(); ++t) {
    text += t == 0 ? "" : "*";
    text += tensor_text(workload, workload.tensors[t], mapped.tensors[t].role);
  }
  return text + "; " + sizes_text(workload);
}

}  // namespace

std::string quoted_command(std::span<char* const> words) {
  std::string text = "tilewright";
  for (const char* word : words.subspan(std::min<std::size_t>(1, words.size()))) {
    text += " " + quoted_word(word);
  }
  return text;
}

std::string mapping_file_text(const MappingFile& file) {
  const Workload& workload = file.problem.workload();
  const Score& score = file.score;
  std::string text = comment("mapping of", workload.name + " on " + file.problem.arch().name);
  text += comment("workload", workload_line(file.given, workload));
  if (!file.setting.empty()) text += comment("setting", file.setting);
  text += comment("energy", fmt::format("{} ({} pJ)", report::value_text(Objective::Energy, score),
                                        score.energy_pj));
  text += comment("cycles", fmt::format("{}", score.cycles));
  text += comment("EDP", fmt::format("{} ({} pJ*cycles)", report::value_text(Objective::Edp, score),
                                     score.edp()));
  text += comment("command", file.command);
  text += comment("version", "tilewright " TILEWRIGHT_VERSION);
  return text + io::write_padded_mapping(file.problem, file.mapping, file.given);
}

}  // namespace tilewright::cli
