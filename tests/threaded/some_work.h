// Problems for tests of threads: some that are solved in no time, and some that no
// mapper comes to an end with.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "support/problems.h"
#include "tilewright/io.h"
#include "tilewright/study.h"

namespace tilewright::testing {

inline constexpr std::initializer_list<int> kNumbersOfThreads = {1, 4};

inline Architecture read_arch(const std::string& text) {
  const auto arch = io::read_architecture(text, "arch");
  if (!arch.ok()) throw std::logic_error(to_string(arch.problems.front()));
  return *arch.value;
}

// --- short --------------------------------------------------------------------------

inline Workload short_work() { return make_gemm("short", 4, 6, 5); }

inline Architecture small_arch() {
  Memory inner = make_memory("Inner", 12);
  inner.free = {"weight"};
  return make_arch({make_memory("Outer"), make_fanout("Array", 4), inner});
}

inline Workload short_convolution() {
  return make_conv2d("conv", {.in_channels = 4, .out_channels = 6, .p = 4, .q = 3, .r = 2});
}

inline Architecture flexible_arch() {
  return read_arch(
      "architecture: small\n"
      "levels:\n"
      "  - {memory: DRAM, capacity: unlimited, read: 64 pJ, bandwidth: 2 words/cycle}\n"
      "  - {memory: Buffer, capacity: 60 words, read: 2 pJ}\n"
      "  - {fanout: Array, y: 2, x: 4}\n"
      "  - {memory: Registers, capacity: 3 words, read: 0.5 pJ, dims: []}\n"
      "  - {compute: MAC, energy: 0.2 pJ}\n"
      "flexibility: {shape: any}\n");
}

inline std::vector<Variant> some_variants() {
  const Architecture arch = flexible_arch();
  const auto fixed =
      io::read_flexibility_line("T=fixed(K2,C4,Y2,X1,R1,S1),O=KCYXRS,P=CK,S=2x4", "line", arch);
  const std::vector<Variant> all = class_variants(*fixed.value, 8);
  return {all[0], all[1], all[4], all[15]};
}

inline Network small_network() {
  Network network;
  network.name = "small";
  network.layers = {{"conv", short_convolution(), 2, {}, {}},
                    {"gemm", make_gemm("gemm", 7, 2, 6), 3, {}, {}}};
  return network;
}

// --- long ---------------------------------------------------------------------------

inline Workload long_convolution() {
  return make_conv2d(
      "long",
      {.batch = 12, .in_channels = 720, .out_channels = 720, .p = 120, .q = 120, .r = 5, .s = 5});
}

// With the long convolution: a frame of the optimal mapper takes a second, and there are
// many. Local search comes to an end soon.
inline Architecture eyeriss() { return *io::load_architecture("eyeriss").value; }

// Local search has so much to try here that it takes long; for others there are too many
// mappings to begin with.
inline Architecture deep_arch() {
  std::vector<Level> levels = {make_memory("M0")};
  std::int64_t words = std::int64_t{1} << 22;
  for (const char* name : {"M1", "M2", "M3", "M4"}) {
    Memory memory = make_memory(name, words);
    memory.read_pj = static_cast<double>(words) / 1000;
    memory.free = {"input", "weight", "output"};
    levels.emplace_back(make_fanout(std::string("over ") + name, 8, 8));
    levels.emplace_back(memory);
    words /= 16;
  }
  return make_arch(std::move(levels));
}

inline Architecture large_flexible_arch() {
  return read_arch(
      "architecture: large\n"
      "levels:\n"
      "  - {memory: DRAM, capacity: unlimited, read: 64 pJ, bandwidth: 2 words/cycle}\n"
      "  - {memory: Buffer, capacity: 60000 words, read: 2 pJ}\n"
      "  - {fanout: Array, y: 32, x: 32}\n"
      "  - {memory: Registers, capacity: 128 words, read: 0.5 pJ}\n"
      "  - {compute: MAC, energy: 0.2 pJ}\n"
      "flexibility: {shape: any}\n");
}

}  // namespace tilewright::testing
