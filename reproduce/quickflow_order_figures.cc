// Sections IV-B, IV-C and V-B of QuickFlow on loop orders: how many classes they fall
// into, and that the one chosen is the best.
#include <fmt/format.h>

#include <string_view>

#include "mappers/quickflow/orders.h"
#include "reproduce/common.h"
#include "reproduce/quickflow_figures.h"
#include "reproduce/quickflow_orders.h"
#include "reproduce/tables.h"

namespace tilewright::reproduce {

namespace {

// Dimensions that may have a loop.
std::uint32_t loops_of(const Workload& workload) {
  std::uint32_t loops = 0;
  for (int d = 0; d < workload.dim_count(); ++d) {
    if (workload.dim(DimId{d}).size > 1) loops |= 1U << d;
  }
  return loops;
}

// Under a rule of when it matters which loop moves a tensor; the output is the last.
template <typename Rule>
std::string count_classes(const Workload& workload, Rule rule) {
  std::vector<TensorReuse> reuse = reuse_of(workload);
  for (TensorReuse& of_tensor : reuse) rule(of_tensor, &of_tensor == &reuse.back());
  return fmt::format("{}", order_classes(loops_of(workload), reuse).size());
}

std::vector<std::string> class_row(std::string_view type, std::string_view kernel,
                                   const Workload& workload) {
  const int loops = __builtin_popcount(loops_of(workload));
  std::uint64_t orders = 0;
  for (const OrderClass& one : order_classes(loops_of(workload), reuse_of(workload))) {
    orders += one.orders;
  }
  const auto ours = [](TensorReuse&, bool) {};
  const auto never = [](TensorReuse& reuse, bool) { reuse.sliding = 0; };
  const auto of_output = [](TensorReuse& reuse, bool output) {
    reuse.sliding = output ? reuse.relevant : 0;
  };
  const auto always = [](TensorReuse& reuse, bool) { reuse.sliding = reuse.relevant; };
  return {std::string(type),
          std::string(kernel),
          fmt::format("{}", loops),
          fmt::format("{}", orders),
          count_classes(workload, ours),
          "",
          count_classes(workload, never),
          count_classes(workload, of_output),
          count_classes(workload, always)};
}

std::vector<std::string> check_row(const std::string& architecture, const std::string& kernel,
                                   std::uint64_t visited, const OrderCheck& check) {
  return {architecture,
          kernel,
          fmt::format("{}", visited),
          fmt::format("{}", check.checked),
          fmt::format("{}", check.skipped),
          fmt::format("{}", check.combinations),
          fmt::format("{:.2f}", check.classes_per_choice()),
          fmt::format("{:.2f}", check.classes_per_memory()),
          "",
          fmt::format("{:.2g}", check.largest_difference)};
}

}  // namespace

Figure quickflow_classes(const Options& options) {
  Figure figure{"Section IV-B: classes of loop orders that reuse the same",
                {"type", "kernel", "loops", "orders", "classes", "paper", "no windows", "output",
                 "all loops"}};
  const std::vector<QuickflowSpace> spaces = quickflow_spaces();
  for (const KernelType& type : kKernelTypes) {
    const Layer& kernel = spaces[type.first].kernel;
    figure.rows.push_back(class_row(type.name, kernel.name, kernel.workload));
  }
  figure.rows.push_back(class_row("GEMM", "", make_gemm("gemm", 64, 64, 64)));
  add_printed(figure, "quickflow_classes");
  figure.notes = {
      "classes: by the paper's conditions, with a loop for every dimension above 1. Which loop "
      "moves a tensor matters if it slides a window. No windows: it never does, which is enough "
      "for pointwise kernels, whose windows of 1 x 1 have nothing in common.",
      "The paper states \"no more than 26\" for simple convolutions. We find as many if it matters "
      "which loop moves the output, and of no other tensor (output); if it matters for all tensors "
      "(all loops), there are more."};
  note_cancellation(options, figure);
  return figure;
}

Figure quickflow_orders(const Options& options, const std::vector<QuickflowSpace>& spaces,
                        const QuickflowEffort& effort) {
  Figure figure{"Section V-B: orders chosen in one shot beside the best of all",
                {"architecture", "kernel", "visited", "checked", "skipped", "orders tried",
                 "classes per choice", "per memory", "paper", "largest difference"}};
  OrderCheck all;
  std::uint64_t all_visited = 0;
  for (std::size_t i = 0; i < spaces.size() && !is_cancelled(options); ++i) {
    tell_progress(options, spaces[i].name(), i, spaces.size());
    const ReadySpace ready(spaces[i]);
    const std::vector<Mapping> visited = visited_mappings(ready);
    const OrderCheck check = check_orders(ready, visited, effort.combinations, options);
    if (is_cancelled(options)) break;
    figure.rows.push_back(
        check_row(spaces[i].architecture, spaces[i].kernel.name, visited.size(), check));
    all.add(check);
    all_visited += visited.size();
  }
  figure.rows.push_back(check_row("all", "", all_visited, all));
  add_printed(figure, "quickflow_orders");
  figure.notes = {
      "For every mapping that the local search visits, one order of every class at every memory is "
      "evaluated by the model, in all combinations. Largest difference: between the EDP in the "
      "chosen orders and the lowest, as a share of it. The paper states that there was none.",
      fmt::format("skipped: mappings with more than {} combinations.", effort.combinations),
      "classes per choice: at memories where there is more than one. The paper's 2.17 are orders "
      "that are left for a level, and it does not say whether levels without a choice count; per "
      "memory counts them."};
  note_cancellation(options, figure);
  return figure;
}

}  // namespace tilewright::reproduce
