#include "support/flexible_case.h"

#include <algorithm>
#include <stdexcept>

#include "support/problems.h"
#include "support/random_flexibility.h"
#include "tilewright/io.h"

namespace tilewright::testing {
namespace {

// --- layers --------------------------------------------------------------------

LoopNames loops_of_conv(const Workload& workload) {
  LoopNames loops;
  loops.dims = {{{"M"}, {"C"}, {"P"}, {"Q"}, {"R"}, {"S"}}};
  loops.others = {"N"};
  if (workload.find_dim("G")) {
    loops.groups = {"G"};
    loops.dims[index_of(ConvDim::C)] = {"G", "C"};
  }
  return loops;
}

LoopNames loops_of_product(const Workload& workload) {
  LoopNames loops;
  loops.dims = {{{"M"}, {"K"}, {"N"}, {}, {}, {}}};
  if (workload.find_dim("B")) {
    loops.groups = {"B"};
    loops.dims[index_of(ConvDim::C)] = {"B", "K"};
  }
  return loops;
}

Conv2d random_conv(TestRng& rng) {
  Conv2d conv;
  conv.batch = rng.chance(15) ? 2 : 1;
  conv.p = rng.between(1, 5);
  conv.q = rng.chance(50) ? 1 : rng.between(1, 4);
  conv.r = rng.chance(50) ? 1 : rng.between(1, 3);
  conv.s = rng.chance(70) ? 1 : 2;
  conv.stride_h = rng.between(1, 2);
  conv.transposed = rng.chance(10);
  const auto sort = rng.between(0, 3);
  if (sort == 0) {  // depthwise
    conv.in_channels = conv.out_channels = conv.groups = rng.between(2, 5);
    return conv;
  }
  if (sort == 1) conv.groups = 2;
  conv.in_channels = conv.groups * rng.between(1, 4);
  conv.out_channels = conv.groups * rng.between(1, 6);
  return conv;
}

struct SeenLayer {
  Workload workload;
  LoopNames loops;
};

SeenLayer random_layer(TestRng& rng) {
  const auto sort = rng.between(0, 9);
  SeenLayer layer;
  if (sort < 6) {
    layer.workload = make_conv2d("conv", random_conv(rng));
    layer.loops = loops_of_conv(layer.workload);
    return layer;
  }
  const std::int64_t m = rng.between(1, 7);
  const std::int64_t n = rng.chance(25) ? 1 : rng.between(1, 5);
  const std::int64_t k = rng.between(1, 7);
  layer.workload = sort < 9 ? make_gemm("gemm", m, n, k)
                            : make_batched_matmul("batched", rng.between(2, 3), m, n, k);
  layer.loops = loops_of_product(layer.workload);
  return layer;
}

// --- accelerators ---------------------------------------------------------------

class ArchDraw {
 public:
  ArchDraw(TestRng& rng, const Workload& workload, bool tiles_of_pes)
      : rng_(rng),
        workload_(workload),
        tiles_of_pes_(tiles_of_pes),
        slow_(rng.chance(60)),
        leaks_(rng.chance(15)),
        moves_for_nothing_(rng.chance(15)) {}

  Architecture draw() {
    Architecture arch;
    arch.name = "flexible";
    const int extra = static_cast<int>(rng_.between(0, 6));
    add_memory(arch, "DRAM", 1600);
    if (extra == 1) add_memory(arch, "L2", 800).capacity = words(6, 60);
    if (extra == 2) arch.levels.emplace_back(make_fanout("Clusters", 2));
    draw_residence(add_memory(arch, "Buffer", 400)).capacity = words(3, 40);
    if (extra == 3) add_memory(arch, "Near", 200).capacity = words(3, 20);
    arch.levels.emplace_back(array());
    if (extra == 4) arch.levels.emplace_back(make_fanout("Lanes", 2));
    if (tiles_of_pes_) draw_residence(add_memory(arch, "Local", 100)).capacity = words(3, 30);
    if (tiles_of_pes_ && extra == 5) arch.levels.emplace_back(make_fanout("Vector", 2));
    if (rng_.chance(50)) add_registers(arch);
    arch.levels.emplace_back(compute());
    if (rng_.chance(15)) arch.constraints.push_back(rule());
    return arch;
  }

 private:
  double hundredths(std::int64_t low, std::int64_t high) {
    return static_cast<double>(rng_.between(low, high)) / 100;
  }
  Capacity words(std::int64_t low, std::int64_t high) {
    return {Capacity::Unit::Words, rng_.between(low, high)};
  }

  Memory& add_memory(Architecture& arch, const std::string& name, std::int64_t energy) {
    Memory memory;
    memory.name = name;
    if (moves_for_nothing_) energy = 0;
    memory.read_pj = hundredths(energy / 4, energy);
    memory.write_pj = hundredths(energy / 4, energy);
    memory.update_pj = hundredths(energy / 4, energy);
    memory.accumulates_in_place = rng_.chance(10);
    if (slow_) draw_ports(memory);
    if (leaks_) memory.leakage_pj_per_cycle = hundredths(0, 200);
    return std::get<Memory>(arch.levels.emplace_back(std::move(memory)));
  }

  void draw_ports(Memory& memory) {
    const std::vector<Rational> rates = {{1, 2}, {1, 1}, {3, 2}, {2, 1}, {4, 1}};
    if (rng_.chance(40)) memory.read_bandwidth = rng_.pick(rates);
    if (rng_.chance(25)) memory.write_bandwidth = rng_.pick(rates);
    if (rng_.chance(25)) memory.shared_bandwidth = rng_.pick(rates);
  }

  Memory& draw_residence(Memory& buffer) {
    const auto drawn = rng_.between(0, 9);
    const std::string role = rng_.pick<std::string>({"input", "weight", "output"});
    if (drawn == 0) buffer.bypass = {role};
    if (drawn == 1) buffer.free = {role};
    buffer.double_buffered = rng_.chance(10);
    if (rng_.chance(5)) buffer.dims.emplace({large_dim()});
    return buffer;
  }

  void add_registers(Architecture& arch) {
    Memory& registers = add_memory(arch, "Registers", 50);
    registers.capacity = words(3, 8);
    if (rng_.chance(70)) registers.dims.emplace();
  }

  Fanout array() {
    Fanout array = make_fanout("Array", rng_.between(1, 4), rng_.between(2, 4));
    array.multicast = rng_.chance(80);
    array.reduction = rng_.chance(80);
    if (rng_.chance(30)) array.word_pj = hundredths(1, 100);
    if (rng_.chance(5)) array.y.dims.emplace({large_dim()});
    return array;
  }

  // Of the hardware, whatever it is set to.
  Constraint rule() {
    using Relation = FactorRule::Relation;
    if (rng_.chance(30)) return {"Array", {}, UseRule{{rng_.between(1, 4), 4}}, {}};
    const FactorRule factor{large_dim(), rng_.pick<Relation>({Relation::Equal, Relation::AtMost}),
                            rng_.between(1, 2)};
    if (rng_.chance(50)) return {"Buffer", {}, factor, {}};
    return {"Array", rng_.chance(50) ? Axis::X : Axis::Y, factor, {}};
  }

  std::string large_dim() {
    Dimension dim;
    for (int tries = 0; dim.size == 1 && tries < 100; ++tries) dim = rng_.pick(workload_.dims);
    return dim.name;
  }

  Compute compute() {
    Compute compute;
    compute.name = "MAC";
    compute.macs = rng_.pick<std::int64_t>({1, 1, 2});
    compute.cycles = rng_.pick<std::int64_t>({1, 1, 1, 2});
    compute.mac_pj = hundredths(0, 100);
    return compute;
  }

  TestRng& rng_;
  const Workload& workload_;
  bool tiles_of_pes_;
  bool slow_, leaks_;
  bool moves_for_nothing_;  // so that bounds by the multipliers are tight
};

void draw_flexibility(TestRng& rng, bool tiles_of_pes, Architecture& arch) {
  Flexibility named;
  named.buffer = "Buffer";
  named.array = "Array";
  const std::int64_t pes = parts_of(arch, named)->pes;
  do {  // until no share of the buffer is empty
    arch.flexibility = random_flexibility(rng, {.pes = pes, .largest_tile = 4, .shares = true});
    arch.flexibility->buffer = named.buffer;
    arch.flexibility->array = named.array;
    if (tiles_of_pes) arch.flexibility->tile_of = "Local";
  } while (!problems_of(arch).empty() ||
           (tiles_of_pes && arch.flexibility->tile.kind != TileFreedom::Kind::Fixed));
}

bool is_small(const FlexibleCase& flexible, const FlexibleOptions& options) {
  const Problem problem = unshaped_problem(flexible);
  const MadeSpace space =
      MapSpace::create(problem, options.kind, *Restrictions::create(problem).value);
  return !space.too_large && (!space.ok() || space.value->size() <= BigUint(options.most_mappings));
}

void shrink(TestRng& rng, Workload& workload) {
  std::vector<Dimension*> large;
  for (Dimension& dim : workload.dims) {
    if (dim.size > 1) large.push_back(&dim);
  }
  if (large.empty()) throw std::logic_error("no case is as small as asked for");
  --rng.pick(large)->size;
}

}  // namespace

Architecture with_flexibility(const std::string& arch, const std::string& line) {
  Architecture found = *io::read_architecture(arch, "arch").value;
  const auto flexibility = io::read_flexibility_line(line, "line", found);
  if (!flexibility.ok()) throw std::runtime_error(to_string(flexibility.problems.front()));
  found.flexibility = flexibility.value;
  return found;
}

FlexibleCase random_flexible_case(std::uint64_t seed, const FlexibleOptions& options) {
  TestRng rng(seed);
  SeenLayer layer = random_layer(rng);
  FlexibleCase flexible;
  flexible.arch = ArchDraw(rng, layer.workload, options.tiles_of_pes).draw();
  flexible.workload = std::move(layer.workload);
  flexible.loops = std::move(layer.loops);
  draw_flexibility(rng, options.tiles_of_pes, flexible.arch);
  while (!is_small(flexible, options)) shrink(rng, flexible.workload);
  return flexible;
}

std::string text_of(const FlexibleCase& flexible) {
  return "# architecture\n" + io::write_architecture(flexible.arch) + "# workload\n" +
         io::write_workload(flexible.workload);
}

}  // namespace tilewright::testing
