#include "reproduce/ruby_setup.h"

#include <utility>

#include "tilewright/io.h"

namespace tilewright::reproduce {

Architecture shipped_architecture(const std::string& name) {
  return io::load_architecture(name).value.value();
}

Architecture ruby_toy(std::int64_t elements) {
  Architecture arch = shipped_architecture("toy_linear");
  Level& buffer = arch.levels[1];
  Level& array = arch.levels[2];
  std::get<Memory>(buffer).name = "Scratchpad";
  std::get<Fanout>(array).x.size = elements;
  std::swap(buffer, array);
  return arch;
}

Workload ruby_elements(std::int64_t size) {
  const Rank x = {{DimId{0}, 1}};
  return {.name = "elements",
          .dims = {{"X", size}},
          .tensors = {{.name = "I", .role = Role::Input, .ranks = {x}},
                      {.name = "O", .role = Role::Output, .ranks = {x}}}};
}

Workload with_16_bits(Workload workload) {
  for (Tensor& tensor : workload.tensors) tensor.bits = 16;
  return workload;
}

bool is_cancelled(const Options& options) {
  return options.cancelled != nullptr && options.cancelled->load();
}

void tell_progress(const Options& options, const std::string& what, double fraction) {
  if (options.on_progress) options.on_progress(what, fraction);
}

void note_cancellation(const Options& options, Figure& figure) {
  if (is_cancelled(options)) figure.notes.emplace_back("Incomplete: it was interrupted.");
}

SearchOptions search_options(const Options& options) {
  SearchOptions search;
  search.threads = options.threads;
  search.cancelled = options.cancelled;
  return search;
}

}  // namespace tilewright::reproduce
