// What every module needs: identifiers, exact arithmetic, and complaints about
// the user's input.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilewright {

// Positions in the lists of a workload or an architecture. Distinct types, so
// that a dimension is never used where a tensor is meant.
enum class DimId : int {};
enum class TensorId : int {};
enum class LevelId : int {};   // any level of an architecture, outermost first
enum class MemoryId : int {};  // the memories alone, outermost first
enum class EdgeId : int {};    // a tensor that operators of a network share

constexpr int index_of(DimId id) { return static_cast<int>(id); }
constexpr int index_of(TensorId id) { return static_cast<int>(id); }
constexpr int index_of(LevelId id) { return static_cast<int>(id); }
constexpr int index_of(MemoryId id) { return static_cast<int>(id); }
constexpr int index_of(EdgeId id) { return static_cast<int>(id); }

// As indices of containers: list[at(dim)].
constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }
constexpr std::size_t at(DimId dim) { return static_cast<std::size_t>(dim); }
constexpr std::size_t at(TensorId tensor) { return static_cast<std::size_t>(tensor); }
constexpr std::size_t at(LevelId level) { return static_cast<std::size_t>(level); }
constexpr std::size_t at(MemoryId memory) { return static_cast<std::size_t>(memory); }
constexpr std::size_t at(EdgeId edge) { return static_cast<std::size_t>(edge); }

template <typename T>
void append(std::vector<T>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

template <typename T>
bool contains(const std::vector<T>& list, const std::type_identity_t<T>& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// --- exact arithmetic -------------------------------------------------------

__extension__ using Int128 = __int128;

// Every number that a user writes stays below this: sizes, capacities, fan-outs. So does
// everything along one dimension.
inline constexpr std::int64_t kCountLimit = std::int64_t{1} << 60;
// Every count the library reports stays below this: words, cycles, multiply-accumulates.
// Workloads that could exceed it are refused when they are read. There is room to add some up.
inline constexpr Int128 kWideLimit = Int128{1} << 124;

// Whether two numbers that are not negative are so small that sums and differences have 64 bits.
// Most are, and those are divided and multiplied much faster.
constexpr bool are_narrow(Int128 a, Int128 b) { return ((a | b) >> 62U) == 0; }

// a / b, rounded down; neither is negative.
constexpr Int128 quotient(Int128 a, Int128 b) {
  if (!are_narrow(a, b)) return a / b;
  return static_cast<std::int64_t>(a) / static_cast<std::int64_t>(b);
}

// a / b, rounded up; neither is negative.
template <typename A, typename B>
constexpr auto ceil_div(A a, B b) {
  using Number = decltype(std::int64_t{} + a + b);
  return static_cast<Number>(sizeof(Number) > sizeof(std::int64_t)
                                 ? quotient(static_cast<Number>(a) + b - 1, b)
                                 : (static_cast<Number>(a) + b - 1) / b);
}

// The number in 64 bits, or kCountLimit if it is larger.
constexpr std::int64_t narrowed(Int128 number) {
  return number < kCountLimit ? static_cast<std::int64_t>(number) : kCountLimit;
}
// The product of two numbers that are not negative, or kWideLimit if it is larger.
constexpr Int128 wide_product(Int128 a, Int128 b) {
  if (are_narrow(a, b)) {
    return static_cast<Int128>(static_cast<std::int64_t>(a)) * static_cast<std::int64_t>(b);
  }
  Int128 product = 0;
  const bool fits = !__builtin_mul_overflow(a, b, &product) && product < kWideLimit;
  return fits ? product : kWideLimit;
}

// The number of orders of so many things; of at most 20.
constexpr std::uint64_t factorial(int n) {
  std::uint64_t product = 1;
  for (int i = 2; i <= n; ++i) product *= static_cast<std::uint64_t>(i);
  return product;
}

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

// "0.5", or "1/3" for what no short decimal equals.
std::string to_string(Rational value);

// The smallest whole number of cycles in which `words` pass at `per_cycle`.
// Saturates at the largest std::int64_t, or at kWideLimit.
std::int64_t cycles_for(std::int64_t words, Rational per_cycle);
Int128 wide_cycles_for(Int128 words, Rational per_cycle);
template <std::same_as<Int128> Wide>  // other numbers have 64 bits
Int128 cycles_for(Wide words, Rational per_cycle) {
  return wide_cycles_for(words, per_cycle);
}

// A natural number below 2^2048, kept without touching the heap. Larger results
// throw std::overflow_error.
class BigUint {
 public:
  BigUint(std::uint64_t value = 0);  // NOLINT(google-explicit-constructor): a number is a number
  BigUint(const BigUint& other) { *this = other; }
  static BigUint of(Int128 value);  // which is not negative
  BigUint& operator=(const BigUint& other);

  BigUint& operator+=(const BigUint& other);
  BigUint& operator-=(const BigUint& other);  // of a number that is not larger
  BigUint& operator*=(std::uint64_t factor);
  BigUint& operator*=(const BigUint& factor);
  // Adds the product of two numbers.
  void add_product(const BigUint& a, const BigUint& b);
  // Divides in place and gives the remainder; the divisor is not zero.
  std::uint64_t divide(std::uint64_t divisor);
  BigUint divide(const BigUint& divisor);

  friend BigUint operator+(BigUint a, const BigUint& b) { return a += b; }
  friend BigUint operator-(BigUint a, const BigUint& b) { return a -= b; }
  friend BigUint operator*(BigUint a, const BigUint& b) { return a *= b; }
  std::strong_ordering operator<=>(const BigUint& other) const;
  bool operator==(const BigUint& other) const { return (*this <=> other) == 0; }

  bool is_zero() const { return used_ == 0; }
  int bit_count() const;  // 0 for 0
  // The value shifted right; the bits that remain must fit.
  std::uint64_t high_bits(int shift) const;
  std::optional<std::uint64_t> small() const;  // the value, if it has 64 bits at most
  Int128 wide() const;                         // the value, which has 127 bits at most
  double value() const;
  std::string to_string() const;  // all decimal digits

 private:
  static constexpr int kLimbs = 32;
  void trim();
  void append(std::uint64_t limb);
  void shift_left_one();

  int used_ = 0;  // limbs up to the highest that is not zero
  std::array<std::uint64_t, kLimbs> limbs_;
};

// "1,234,567" as it is, larger ones as "3.14e+52 (53 digits)".
std::string readable(const BigUint& number);

// "0.30 s", "12 s", "3 min 20 s", "27 h", "4 years"
std::string duration_text(double seconds);

// --- what to make small --------------------------------------------------------

// energy^energy * cycles^cycles, with whole powers from 0 to kMaxPower that are not both 0.
struct Objective {
  static constexpr int kMaxPower = 4;
  int energy = 1, cycles = 1;  // the powers

  bool operator==(const Objective&) const = default;

  // NOLINTBEGIN(readability-identifier-naming): they read like values of an enumeration.
  static const Objective Edp, Energy, Latency, Ed2p;
};
inline constexpr Objective Objective::Edp{1, 1}, Objective::Energy{1, 0}, Objective::Latency{0, 1},
    Objective::Ed2p{1, 2};
// NOLINTEND(readability-identifier-naming)

// "edp", "energy", "latency", "ed2p"; others as they are written: "energy^2*cycles"
std::string to_string(Objective objective);
std::optional<Objective> objective_named(const std::string& text);
// The names of those that have one.
std::vector<std::string> objective_names();

// --- chance -----------------------------------------------------------------

// xoshiro256**: the same numbers for the same seed on every machine. A stream
// is an independent sequence of the same seed.
class Rng {
 public:
  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  // Uniform from 0 to bound - 1, without bias; the bound is not zero. The high half of a
  // product; products whose low half falls among the surplus are drawn again (Lemire's method).
  std::uint64_t below(std::uint64_t bound) {
    Uint128 product = Uint128{next()} * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t surplus = -bound % bound;
      while (static_cast<std::uint64_t>(product) < surplus) product = Uint128{next()} * bound;
    }
    return static_cast<std::uint64_t>(product >> 64U);
  }
  BigUint below(const BigUint& bound);

 private:
  __extension__ using Uint128 = unsigned __int128;
  std::array<std::uint64_t, 4> state_;
};

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
// Says before each message what it is about: "layer conv1: ...".
void put_before(const std::string& what, std::vector<Diagnostic>& diagnostics);
// Where a byte of a file's text stands.
SourcePosition position_of(std::string_view text, std::size_t byte, const std::string& file);

// A value, or everything that is wrong with what it was to be made of.
template <typename T>
struct Checked {
  std::optional<T> value;
  std::vector<Diagnostic> problems;

  bool ok() const { return value.has_value() && problems.empty(); }
};

// The candidate closest to `word` by edit distance, if it is close enough to
// be a likely misspelling.
std::optional<std::string> closest_match(const std::string& word,
                                         const std::vector<std::string>& candidates);
// "did you mean output?", or failing that "the levels are A, B" for what = "the levels are".
std::string suggestion(const std::string& word, const std::vector<std::string>& candidates,
                       std::string_view what);

// The names of dimensions, tensors or the like.
template <typename T>
std::vector<std::string> names_of(const std::vector<T>& named) {
  std::vector<std::string> names;
  for (const T& one : named) names.push_back(one.name);
  return names;
}

}  // namespace tilewright
