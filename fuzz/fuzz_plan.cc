// Any text is read as a plan of a fixed cascade or refused; a plan can be executed, can be
// counted with the nests that are found for it, and survives being written.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fuzz_target.h"
#include "tilewright/fusion.h"
#include "tilewright/io.h"

using tilewright::Architecture;
using tilewright::Cascade;
using tilewright::Plan;

namespace {

Architecture make_arch() {
  return *tilewright::io::read_architecture(R"(
architecture: small
levels:
  - {memory: DRAM, capacity: unlimited, read: 100 pJ}
  - {memory: Buffer, capacity: 64 words, read: 3 pJ}
  - {fanout: array, x: 4, y: {size: 4, dims: [m, p]}}
  - {memory: Register, capacity: 4 words, read: 0.1 pJ}
  - compute: MAC
)",
                                            "arch")
              .value;
}

Cascade make_cascade() {
  return *tilewright::io::read_cascade(R"(
cascade: small
sizes: {h: 2, m: 4, p: 6, e: 2, f: 2}
einsums:
  - QK: S[h,m,p] += Q[h,m,e] * K:weight[h,p,e]
    then: {softmax: p, online: 2 words, energy: 0.5 pJ}
  - AV: O[h,m,f] += S[h,m,p] * V:weight[h,p,f]
)",
                                       "cascade")
              .value;
}

// With the nests that the text has, and with those that are found for the others.
void check_cost(const Cascade& cascade, const Architecture& arch, const Plan& plan) {
  const tilewright::PlanNests whole = tilewright::find_nests(cascade, arch, plan);
  if (!whole.problems.empty() || !whole.misfit.empty()) return;
  const auto evaluation = tilewright::evaluate_plan(cascade, arch, whole.plan);
  if (!evaluation.ok()) std::abort();
  if (evaluation.value->energy_pj <= 0 || evaluation.value->cycles <= 0) std::abort();
}

}  // namespace

FUZZ_TARGET(plan)(const std::uint8_t* data, std::size_t size) {
  static const Architecture arch = make_arch();
  static const Cascade cascade = make_cascade();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto plan = tilewright::io::read_plan(text, "fuzz", cascade, arch);
  if (plan.value.has_value() == !plan.problems.empty()) std::abort();
  if (!plan.value) return 0;
  if (!tilewright::problems_of(cascade, *plan.value).empty()) std::abort();
  check_cost(cascade, arch, *plan.value);
  const std::string written = tilewright::io::write_plan(cascade, *plan.value);
  const auto again = tilewright::io::read_plan(written, "again", cascade, arch);
  if (!again.ok() || !(again.value->groups == plan.value->groups)) std::abort();
  if (tilewright::io::write_plan(cascade, *again.value) != written) std::abort();
  return 0;
}
