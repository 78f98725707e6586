// What every module needs: identifiers, exact arithmetic, and complaints about
// the user's input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilewright {

// Positions in the lists of a workload or an architecture. Distinct types, so
// that a dimension is never used where a tensor is meant.
enum class DimId : int {};
enum class TensorId : int {};
enum class LevelId : int {};   // any level of an architecture, outermost first
enum class MemoryId : int {};  // the memories alone, outermost first

constexpr int index_of(DimId id) { return static_cast<int>(id); }
constexpr int index_of(TensorId id) { return static_cast<int>(id); }
constexpr int index_of(LevelId id) { return static_cast<int>(id); }
constexpr int index_of(MemoryId id) { return static_cast<int>(id); }

// --- exact arithmetic -------------------------------------------------------

__extension__ using Int128 = __int128;

// Every count the library reports stays below this; workloads that could
// exceed it are refused when they are read.
inline constexpr std::int64_t kCountLimit = std::int64_t{1} << 60;

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// The product, or nothing if it would pass kCountLimit.
std::optional<std::int64_t> checked_product(const std::vector<std::int64_t>& factors);

// A non-negative number kept exactly, as a decimal that the user wrote
// ("0.5 words/cycle") is exact.
struct Rational {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;

  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
  bool operator==(const Rational&) const = default;
};

// The smallest whole number of cycles in which `words` pass at `per_cycle`.
// Saturates at the largest std::int64_t.
std::int64_t cycles_for(std::int64_t words, Rational per_cycle);

// --- complaints -------------------------------------------------------------

// Where something stands in a text. Lines and columns count from 1; 0 means
// that the whole text is meant.
struct SourcePosition {
  std::string file;
  int line = 0;
  int column = 0;

  bool operator==(const SourcePosition&) const = default;
};

struct Diagnostic {
  SourcePosition where;
  std::string message;  // what is wrong
  std::string hint;     // what to write instead; may be empty

  bool operator==(const Diagnostic&) const = default;
};

// "file:line:column: message; hint"
std::string to_string(const Diagnostic& diagnostic);

// A value that was read from text, or everything that is wrong with the text.
template <typename T>
struct Parsed {
  std::optional<T> value;
  std::vector<Diagnostic> problems;

  bool ok() const { return value.has_value() && problems.empty(); }
};

// The candidate closest to `word` by edit distance, if it is close enough to
// be a likely misspelling.
std::optional<std::string> closest_match(const std::string& word,
                                         const std::vector<std::string>& candidates);

}  // namespace tilewright
