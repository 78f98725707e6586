// What the writers write, the readers read back as an equal value.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "support/random_constraint.h"
#include "support/random_problem.h"
#include "support/slow_build.h"
#include "support/systolic.h"
#include "tilewright/io.h"

namespace tilewright::io {
namespace {

using ::tilewright::testing::random_case;
using ::tilewright::testing::random_constraint;
using ::tilewright::testing::RandomCase;
using ::tilewright::testing::TestRng;

const int kCases = testing::slow_build() ? 100 : 400;

template <typename T>
void expect_value(const Checked<T>& parsed, const T& value, const std::string& text) {
  for (const Diagnostic& problem : parsed.problems) {
    ADD_FAILURE() << to_string(problem) << "\n" << text;
  }
  ASSERT_TRUE(parsed.value) << text;
  EXPECT_EQ(*parsed.value, value) << text;
}

// Any finite double from 0 on, evenly over bit patterns.
double any_double(TestRng& rng) {
  // Any bits at all, as long as an architecture may have the number.
  const double value = std::fabs(std::bit_cast<double>(rng.next()));
  if (std::isnan(value)) return 0;
  return value <= 1e30 ? value : 1 / value;
}

Rational any_rational(TestRng& rng) {
  const std::int64_t limit = rng.chance(50) ? 100 : kCountLimit;
  const std::int64_t numerator = rng.between(1, limit);
  switch (rng.between(0, 2)) {
    case 0:
      return {numerator, 1};
    case 1: {
      // Five to some power is a decimal.
      std::int64_t five = 1;
      for (std::int64_t i = rng.between(1, 17); i > 0; --i) five *= 5;
      return {numerator, five};
    }
    default:
      return {numerator, rng.between(1, limit)};
  }
}

std::string any_name(TestRng& rng) {
  static const std::string letters = "abcXYZ019_-. :#[]{},&*!|>'\"%@`\\/\n\t\x01~?=";
  std::string name;
  for (std::int64_t i = rng.between(1, 12); i > 0; --i) {
    name += letters[static_cast<std::size_t>(
        rng.between(0, static_cast<std::int64_t>(letters.size()) - 1))];
  }
  return name;
}

Capacity any_capacity(TestRng& rng) {
  const std::int64_t amount = rng.between(1, rng.chance(50) ? 100000 : kCountLimit);
  switch (rng.between(0, 3)) {
    case 0:
      return {};
    case 1:
      return {Capacity::Unit::Words, amount};
    case 2:
      return {Capacity::Unit::Bits, amount};
    default:
      return {Capacity::Unit::Bits, std::max<std::int64_t>(amount >> 20, 1) << 20};
  }
}

DimNames any_dims(TestRng& rng) {
  if (rng.chance(50)) return std::nullopt;
  std::vector<std::string> dims;
  for (std::int64_t i = rng.between(0, 3); i > 0; --i) {
    dims.push_back(any_name(rng) + std::to_string(i));
  }
  return dims;
}

void scramble(TestRng& rng, Memory& memory) {
  memory.capacity = any_capacity(rng);
  if (rng.chance(50)) memory.partitions[any_name(rng) + "1"] = any_capacity(rng);
  if (rng.chance(50)) memory.partitions["output"] = any_capacity(rng);
  memory.word_bits = rng.between(1, 64);
  memory.block_words = rng.between(1, kCountLimit);
  memory.read_pj = any_double(rng);
  memory.write_pj = rng.chance(50) ? memory.read_pj : any_double(rng);
  memory.update_pj = rng.chance(50) ? memory.write_pj : any_double(rng);
  if (rng.chance(50)) memory.read_bandwidth = any_rational(rng);
  if (rng.chance(50)) memory.write_bandwidth = any_rational(rng);
  if (rng.chance(50)) memory.shared_bandwidth = any_rational(rng);
  memory.leakage_pj_per_cycle = rng.chance(50) ? 0 : any_double(rng);
  memory.area_um2 = any_double(rng);
  memory.keep.reset();
  if (rng.chance(50)) memory.keep = {"input", any_name(rng) + "2"};
  memory.bypass = rng.chance(50) ? TensorNames{"weight"} : TensorNames{};
  memory.free = rng.chance(50) ? TensorNames{any_name(rng) + "3"} : TensorNames{};
  memory.double_buffered = rng.chance(50);
  memory.accumulates_in_place = rng.chance(50);
  memory.dims = any_dims(rng);
  // All numbers are given, so that nothing is left to an estimate.
  if (rng.chance(30)) memory.made_as = rng.chance(50) ? "regfile" : "hbm2";
  memory.banks = rng.between(1, 8);
  memory.ports = rng.between(1, 2);
}

void scramble(TestRng& rng, Fanout& fanout) {
  fanout.x = {rng.between(1, 9), any_dims(rng)};
  fanout.y = {rng.between(1, 9), any_dims(rng)};
  fanout.multicast = rng.chance(50);
  fanout.shares_halos = false;  // it needs multicast
  fanout.reduction = rng.chance(50);
  fanout.word_pj = any_double(rng);
  fanout.stationary = rng.chance(50) ? "weight" : "";
}

void scramble(TestRng& rng, Compute& compute) {
  compute.macs = rng.between(1, 1000);
  compute.cycles = rng.between(1, kCountLimit);
  compute.mac_pj = any_double(rng);
  compute.area_um2 = any_double(rng);
  if (rng.chance(50)) compute.made_as = "bf16";
}

TEST(RoundTrip, KeepsSharedHalos) {
  TestRng rng(9);
  for (const int halos : {0, 100}) {
    const RandomCase random = random_case(rng, {.largest_tables = true, .halos = halos});
    const Architecture& arch = random.problem.arch();
    const std::string text = write_architecture(arch);
    EXPECT_EQ(text.find("halo: shared") != std::string::npos, halos > 0) << text;
    expect_value(read_architecture(text, "a.yaml"), arch, text);
  }
}

TEST(RoundTrip, KeepsSystolicArrays) {
  TestRng rng(8);
  int kept = 0;
  for (int i = 0; i < kCases; ++i) {
    const auto problem = testing::make_systolic(rng, random_case(rng, {}).problem);
    if (!problem) continue;
    const std::string text = write_architecture(problem->arch());
    expect_value(read_architecture(text, "a.yaml"), problem->arch(), text);
    ++kept;
  }
  EXPECT_GT(kept, kCases / 4);
}

TEST(RoundTrip, KeepsArchitecturesOfAllKinds) {
  TestRng rng(1);
  for (int i = 0; i < kCases; ++i) {
    Architecture arch = random_case(rng, {}).problem.arch();
    arch.name = any_name(rng);
    arch.source = rng.chance(50) ? "" : any_name(rng);
    arch.technology = rng.chance(50) ? "" : any_name(rng);
    if (rng.chance(50)) arch.clock_hz = rng.between(1, 1'000'000'000'000);
    if (rng.chance(50)) arch.volts = any_double(rng);
    arch.accounting = rng.chance(50) ? Accounting::Exact : Accounting::Timeloop;
    arch.leaking = rng.chance(50) ? LeakingInstances::Used : LeakingInstances::All;
    for (std::size_t level = 0; level < arch.levels.size(); ++level) {
      std::visit(
          [&](auto& alternative) {
            alternative.name = any_name(rng) + std::to_string(level);
            scramble(rng, alternative);
          },
          arch.levels[level]);
    }
    for (std::int64_t n = rng.between(0, 5); n > 0; --n) {
      arch.constraints.push_back(random_constraint(rng, arch, [&] { return any_name(rng); }));
    }
    const std::string text = write_architecture(arch);
    expect_value(read_architecture(text, "a.yaml"), arch, text);
    if (HasFailure()) return;
  }
}

TEST(RoundTrip, KeepsWorkloads) {
  TestRng rng(2);
  for (int i = 0; i < kCases; ++i) {
    Workload workload = random_case(rng, {}).problem.workload();
    workload.name = any_name(rng);
    for (Tensor& tensor : workload.tensors) {
      if (rng.chance(30)) tensor.bits = rng.between(1, 64);
      if (tensor.role != Role::Output && rng.chance(30)) {
        tensor.role = rng.chance(50) ? Role::Input : Role::Weight;
      }
    }
    const std::string text = write_workload(workload);
    expect_value(read_workload(text, "w.yaml"), workload, text);
    if (HasFailure()) return;
  }
}

TEST(RoundTrip, KeepsMappings) {
  TestRng rng(3);
  for (int i = 0; i < kCases; ++i) {
    const RandomCase random = random_case(rng, {});
    const std::string text = write_mapping(random.problem, random.mapping);
    expect_value(read_mapping(text, "m.yaml", random.problem), random.mapping, text);
    const Mapping tidy = canonical(random.problem, random.mapping);
    const std::string tidy_text = write_mapping(random.problem, tidy);
    expect_value(read_mapping(tidy_text, "m.yaml", random.problem), tidy, tidy_text);
    EXPECT_LE(tidy_text.size(), text.size());
    if (HasFailure()) return;
  }
}

TEST(RoundTrip, KeepsTheBuiltinArchitectures) {
  for (const BuiltinFile& builtin : builtin_architectures()) {
    const Checked<Architecture> arch = load_architecture(builtin.name);
    ASSERT_TRUE(arch.ok()) << builtin.name;
    const std::string text = write_architecture(*arch.value);
    expect_value(read_architecture(text, builtin.name), *arch.value, text);
  }
}

}  // namespace
}  // namespace tilewright::io
