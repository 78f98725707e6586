#include "support/fusion_case.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/problems.h"
#include "support/slow_build.h"

namespace tilewright::testing {

namespace {

Memory priced(TestRng& rng, const std::string& name, std::int64_t words, std::int64_t most) {
  Memory memory = make_memory(name, words);
  memory.read_pj = static_cast<double>(rng.between(1, most));
  memory.write_pj = static_cast<double>(rng.between(1, most));
  memory.update_pj = static_cast<double>(rng.between(1, most));
  return memory;
}

Tensor tensor(const std::string& name, Role role, const std::string& dims, const std::string& all) {
  Tensor made;
  made.name = name;
  made.role = role;
  for (const char dim : dims) {
    made.ranks.push_back({{DimId{static_cast<int>(all.find(dim))}, 1}});
  }
  return made;
}

}  // namespace

Architecture fusion_arch(TestRng& rng, std::int64_t buffer_words) {
  std::vector<Level> levels = {priced(rng, "DRAM", 0, 60), priced(rng, "Buffer", buffer_words, 9)};
  std::get<Memory>(levels[1]).accumulates_in_place = rng.chance(10);
  if (rng.chance(20)) levels.emplace_back(priced(rng, "Middle", rng.between(4, 12), 5));
  if (rng.chance(70)) {
    Fanout fanout = make_fanout("Array", rng.between(1, 3), rng.between(1, 2));
    fanout.multicast = rng.chance(85);
    fanout.reduction = rng.chance(85);
    levels.emplace_back(fanout);
  }
  if (rng.chance(75)) {
    Memory registers = priced(rng, "Registers", rng.between(2, 6), 3);
    if (rng.chance(20)) registers.bypass = {rng.pick<std::string>({"input", "weight", "output"})};
    levels.emplace_back(registers);
  }
  return make_arch(std::move(levels));
}

Architecture fusion_arch_with_ports(TestRng& rng, std::int64_t buffer_words) {
  Architecture arch = fusion_arch(rng, buffer_words);
  auto& outermost = std::get<Memory>(arch.levels.front());
  const auto rate = [&] { return Rational{rng.between(1, 6), rng.between(1, 2)}; };
  if (rng.chance(50)) {
    outermost.shared_bandwidth = rate();
  } else {
    outermost.read_bandwidth = rate();
    if (rng.chance(60)) outermost.write_bandwidth = rate();
  }
  return arch;
}

void add_ports(TestRng& rng, Architecture& arch) {
  for (const int level : {0, 1}) {
    auto& memory = std::get<Memory>(arch.levels[at(level)]);
    const auto rate = [&] { return Rational{rng.between(1, 6), rng.between(1, 3)}; };
    if (rng.chance(35)) memory.read_bandwidth = rate();
    if (rng.chance(25)) memory.write_bandwidth = rate();
    if (rng.chance(25)) memory.shared_bandwidth = rate();
  }
}

void add_rate(TestRng& rng, Cascade& cascade) {
  auto& then = cascade.einsums.front().then;
  if (then && rng.chance(60)) then->elements_per_cycle = Rational{rng.between(1, 3), 2};
}

Problem fusion_problem(TestRng& rng) {
  struct Form {
    std::string all, a, b, o;
  };
  const Form form = rng.pick<Form>({{"mnk", "mk", "kn", "mn"},
                                    {"hmn", "hm", "hn", "hmn"},
                                    {"bmk", "bk", "mk", "bm"},
                                    {"mk", "mk", "k", "m"},
                                    {"mnk", "mk", "n", "mn"}});
  Workload workload;
  workload.name = "random";
  for (const char dim : form.all) {
    workload.dims.push_back({std::string(1, dim), rng.pick<std::int64_t>({1, 2, 3, 4, 4, 6})});
  }
  workload.tensors = {tensor("A", Role::Input, form.a, form.all),
                      tensor("B", Role::Weight, form.b, form.all),
                      tensor("O", Role::Output, form.o, form.all)};
  return make_problem(workload, fusion_arch(rng, rng.between(3, 40)));
}

namespace {

struct Product {
  std::string a, b, o;       // names
  std::string da, db, dout;  // dimensions
};

CascadeEinsum einsum_of(TestRng& rng, const Product& product,
                        const std::vector<std::int64_t>& choices, std::vector<Dimension>& sizes) {
  CascadeEinsum einsum;
  std::string all;
  for (const char dim : product.da + product.db + product.dout) {
    if (all.find(dim) == std::string::npos) all += dim;
  }
  for (const char dim : all) {
    const std::string name(1, dim);
    const auto known = std::find_if(sizes.begin(), sizes.end(),
                                    [&](const Dimension& one) { return one.name == name; });
    if (known == sizes.end()) sizes.push_back({name, rng.pick(choices)});
    const auto found = std::find_if(sizes.begin(), sizes.end(),
                                    [&](const Dimension& one) { return one.name == name; });
    einsum.workload.dims.push_back(*found);
  }
  einsum.workload.name = "to" + product.o;
  einsum.workload.tensors = {tensor(product.a, Role::Input, product.da, all),
                             tensor(product.b, Role::Weight, product.db, all),
                             tensor(product.o, Role::Output, product.dout, all)};
  return einsum;
}

}  // namespace

Cascade fusion_cascade(TestRng& rng, const std::vector<std::int64_t>& choices,
                       SeveralReaders several) {
  const Product gemm1{"X", "W", "T", "mk", "kn", "mn"}, gemm2{"T", "V", "Y", "mn", "no", "mo"},
      gemm3{"Y", "U", "Z", "mo", "oq", "mq"}, scores{"Q", "K", "S", "hme", "hpe", "hmp"},
      values{"S", "V", "O", "hmp", "hpf", "hmf"}, project{"O", "U", "Z", "hmf", "hfq", "mq"},
      beside{"T", "U", "Z", "mn", "nq", "mq"};
  std::vector<std::vector<Product>> choice = {
      {gemm1, gemm2}, {gemm1, gemm2, gemm3}, {scores, values}, {scores, values, project}};
  if (several == SeveralReaders::Yes) choice.push_back({gemm1, gemm2, beside});
  const auto products = rng.pick(choice);
  Cascade cascade;
  cascade.name = "random";
  std::vector<Dimension> sizes;
  for (const Product& product : products) {
    cascade.einsums.push_back(einsum_of(rng, product, choices, sizes));
  }
  if (products.front().o == "S" && rng.chance(70)) {
    Afterwards then;
    then.function = "softmax";
    then.reduces = "p";
    if (rng.chance(70)) then.online_words = rng.between(1, 2);
    then.energy_pj = static_cast<double>(rng.between(0, 3));
    cascade.einsums.front().then = then;
  }
  for (CascadeEinsum& einsum : cascade.einsums) einsum.leaves = rng.chance(25);
  return cascade;
}

void for_each_fused(const FusedCases& which, const std::function<void(const FusedCase&)>& test) {
  const auto cases = static_cast<std::uint64_t>(affordable(which.cases));
  for (std::uint64_t seed = which.first_seed; seed < which.first_seed + cases; ++seed) {
    TestRng rng(seed);
    const Cascade cascade = fusion_cascade(rng, {1, 2, 3, 4, 4, 6}, SeveralReaders::Yes);
    const Architecture arch = fusion_arch(rng, rng.between(6, which.most_words));
    FuseOutcome outcome = fuse(cascade, arch);
    if (!outcome.found()) continue;
    test({fmt::format("seed {}", seed), cascade, arch, std::move(outcome)});
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace tilewright::testing
