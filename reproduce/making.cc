#include "reproduce/making.h"

#include <algorithm>

#include "tilewright/io.h"

namespace tilewright::reproduce {

Architecture shipped_architecture(const std::string& name) {
  return io::load_architecture(name).value.value();
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

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace tilewright::reproduce
