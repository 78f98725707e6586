#include "certificate/plan_times.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright::certificate {

PlanTimes::PlanTimes(const PlanSpace& space, Objective objective)
    : space_(space), counts_(objective.cycles > 0) {
  if (!counts_) return;
  refuse_times();
  take_ports(*space.einsum(0).problem);
}

void PlanTimes::take_ports(const Problem& problem) {
  const Memory& outermost = problem.memory(MemoryId{0});
  if (outermost.read_bandwidth) ports_.push_back({*outermost.read_bandwidth, true, false});
  if (outermost.write_bandwidth) ports_.push_back({*outermost.write_bandwidth, false, true});
  if (outermost.shared_bandwidth) ports_.push_back({*outermost.shared_bandwidth, true, true});
  if (ports_.size() > kMostPorts) {
    throw Unverifiable("times of plans where the outermost memory has three bandwidths");
  }
}

void PlanTimes::refuse_times() const {
  const Problem& problem = *space_.einsum(0).problem;
  for (int m = 1; m < problem.memory_count(); ++m) {
    const Memory& memory = problem.memory(MemoryId{m});
    if (!memory.read_bandwidth && !memory.write_bandwidth && !memory.shared_bandwidth) continue;
    throw Unverifiable(fmt::format("times of plans where {} has a bandwidth", memory.name));
  }
  if (problem.arch().compute().macs != 1) {
    throw Unverifiable("times of plans where several multiply-accumulates start together");
  }
  for (int e = 0; e < space_.einsums(); ++e) {
    for (const PlanTensor& tensor : space_.einsum(e).tensors) {
      if (!tensor.shareable) {
        throw Unverifiable("times of plans where the shared memory does not keep all tensors");
      }
    }
  }
  if (std::min(space_.longest(), space_.einsums()) > kMostOpen) {
    throw Unverifiable(
        fmt::format("times of plans with groups of more than {} einsums", kMostOpen));
  }
}

std::int64_t PlanTimes::least_cycles(int einsum, Int128 instances) const {
  if (!counts_) return 0;
  const PlanEinsum& of = space_.einsum(einsum);
  const std::int64_t start = of.problem->arch().compute().cycles;
  const Count steps = ceil_div(Int128{of.terms.macs}, instances);
  return std::max(narrow(steps * start), afterwards(einsum, Count(0)));
}

std::int64_t PlanTimes::afterwards(int einsum, Count rescaled) const {
  const auto& then = space_.cascade().einsums[at(einsum)].then;
  if (!counts_ || !then || !then->elements_per_cycle) return 0;
  const Count elements = space_.elements(space_.einsum(einsum).output()) + rescaled;
  return narrow(cycles_for(Int128{elements}, *then->elements_per_cycle));
}

void PlanTimes::add_words(OpenTime& open, const PlanTensor& tensor, Int128 loaded) const {
  PortWords words;
  if (tensor.is_output) {
    words.updates = loaded;
    // Old sums come back, but those that are new.
    if (tensor.comes_back) words.reads = loaded - space_.elements(tensor);
  } else {
    words.reads = loaded;
  }
  add_words(open, words);
}

void PlanTimes::add_words(OpenTime& open, const PortWords& words) const {
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    Count sum = open.words[p];
    if (ports_[p].reads) sum += words.reads;
    if (ports_[p].writes) sum += words.fills + words.updates;
    open.words[p] = narrow(sum);
  }
}

std::int64_t PlanTimes::cycles(const OpenTime& open) const {
  std::int64_t cycles = open.cycles;
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    cycles = std::max(cycles, narrow(cycles_for(open.words[p], ports_[p].rate)));
  }
  return cycles;
}

}  // namespace tilewright::certificate
