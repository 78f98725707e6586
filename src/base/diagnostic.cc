#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "tilewright/base.h"

namespace tilewright {

std::string to_string(const Diagnostic& diagnostic) {
  std::string text = diagnostic.where.file;
  if (diagnostic.where.line > 0) {
    if (!text.empty()) text += ':';
    text += fmt::format("{}:{}", diagnostic.where.line, diagnostic.where.column);
  }
  if (!text.empty()) text += ": ";
  text += diagnostic.message;
  if (!diagnostic.hint.empty()) text += "; " + diagnostic.hint;
  return text;
}

void put_before(const std::string& what, std::vector<Diagnostic>& diagnostics) {
  for (Diagnostic& one : diagnostics) one.message = what + ": " + one.message;
}

SourcePosition position_of(std::string_view text, std::size_t byte, const std::string& file) {
  const std::string_view before = text.substr(0, byte);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // 0 if there is none
  return {file, static_cast<int>(lines) + 1, static_cast<int>(before.size() - line_start) + 1};
}

namespace {

// Long words are never near misses of the short names used here, and the
// distance takes time in the product of the lengths.
constexpr std::size_t kLongestWord = 64;

std::string lower_case(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

// Insertions, deletions, substitutions and swaps of neighbours cost one each.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return table[i * width + j];
  };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = a[i - 1] == b[j - 1] ? 0 : 1;
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + substitution});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return at(a.size(), b.size());
}

// A third of the word may be wrong: one letter of "read", two of "output".
std::size_t tolerated_distance(const std::string& word) {
  if (word.size() < 2) return 0;
  return std::clamp<std::size_t>(word.size() / 3, 1, 3);
}

}  // namespace

std::optional<std::string> closest_match(const std::string& word,
                                         const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  const std::string wanted = lower_case(word);
  std::size_t best_distance = tolerated_distance(word) + 1;
  std::optional<std::string> best;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const std::size_t distance = edit_distance(wanted, lower_case(candidate));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& candidates,
                       std::string_view what) {
  const auto match = closest_match(word, candidates);
  return match ? fmt::format("did you mean {}?", *match)
               : fmt::format("{} {}", what, fmt::join(candidates, ", "));
}

}  // namespace tilewright
