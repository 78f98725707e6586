// Cascades as files.
#include <fmt/format.h>

#include "cascade_fields.h"
#include "tilewright/io.h"
#include "values.h"
#include "workload_fields.h"

namespace tilewright::io {

namespace {

std::string then_text(const Afterwards& then) {
  ThenFile file;
  file.softmax = then.function == "softmax" ? then.reduces : std::nullopt;
  file.norm = then.function == "norm" ? then.reduces : std::nullopt;
  if (!then.reduces) file.function = then.function;
  file.online = then.online_words;
  file.energy_pj = then.energy_pj;
  file.rate = then.elements_per_cycle;
  return fmt::format("{{{}}}", join(write_fields(then_fields(), file), ", "));
}

// Tensors that have another width than most of the cascade.
std::vector<std::string> other_widths(const Workload& workload, std::int64_t bits) {
  std::vector<std::string> widths;
  for (const Tensor& tensor : workload.tensors) {
    if (tensor.bits == bits) continue;
    widths.push_back(fmt::format("{}: {}", quoted_if_needed(tensor.name), tensor.bits));
  }
  return widths;
}

}  // namespace

std::string write_cascade(const Cascade& cascade) {
  std::string text = fmt::format("cascade: {}\n", quoted_if_needed(cascade.name));
  if (!cascade.source.empty())
    text += fmt::format("source: {}\n", quoted_if_needed(cascade.source));
  std::vector<std::string> sizes, known;
  std::string einsums;
  const std::int64_t bits = cascade.workload(0).tensors.back().bits;
  for (const CascadeEinsum& einsum : cascade.einsums) {
    for (const Dimension& dim : einsum.workload.dims) {
      if (contains(known, dim.name)) continue;
      known.push_back(dim.name);
      sizes.push_back(fmt::format("{}: {}", quoted_if_needed(dim.name), dim.size));
    }
    const Workload& workload = einsum.workload;
    std::vector<std::string> inputs;
    for (std::size_t t = 0; t + 1 < workload.tensors.size(); ++t) {
      const Tensor& tensor = workload.tensors[t];
      inputs.push_back(tensor_text(workload, tensor, tensor.role));
    }
    einsums += fmt::format("  - {}: \"{} += {}\"\n", quoted_if_needed(workload.name),
                           tensor_text(workload, workload.tensors.back()), join(inputs, " * "));
    std::vector<std::string> known_as;
    for (const Dimension& dim : workload.dims) {
      if (dim.known_as.empty()) continue;
      known_as.push_back(
          fmt::format("{}: {}", quoted_if_needed(dim.name), quoted_if_needed(dim.known_as)));
    }
    if (!known_as.empty())
      einsums += fmt::format("    {}: {{{}}}\n", kKnownAs, join(known_as, ", "));
    const std::vector<std::string> widths = other_widths(workload, bits);
    if (!widths.empty()) einsums += fmt::format("    {}: {{{}}}\n", kWidths, join(widths, ", "));
    if (einsum.leaves) einsums += fmt::format("    {}: true\n", kLeaves);
    if (einsum.then) einsums += fmt::format("    then: {}\n", then_text(*einsum.then));
  }
  text += fmt::format("sizes: {{{}}}\n", join(sizes, ", "));
  if (bits != kDefaultBits) text += fmt::format("bits: {}\n", bits);
  return text + "einsums:\n" + einsums;
}

}  // namespace tilewright::io
