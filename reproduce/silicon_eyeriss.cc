// Eyeriss on AlexNet, four images: the model beside the chip.
#include <fmt/format.h>

#include "reproduce/common.h"
#include "reproduce/silicon_figures.h"

namespace tilewright::reproduce {
namespace {

constexpr double kBytesOfAWord = 2, kMegabyte = 1e6;

double megabytes(const Traffic& traffic) {
  return static_cast<double>(traffic.reads + traffic.fills + traffic.updates) * kBytesOfAWord /
         kMegabyte;
}

// All that crosses the ports of a memory.
double memory_megabytes(const Evaluation& evaluation, std::size_t memory) {
  double sum = 0;
  for (const Holding& holding : evaluation.memories[memory].tensors) {
    sum += megabytes(holding.total);
  }
  return sum;
}

constexpr std::size_t kDramMemory = 0, kBufferMemory = 1,
                      kWeightTensor = 1;  // tensors stand as I, W, O

std::string percent_off(double ours, double measured) {
  return fmt::format("{:+.1f}", 100 * (ours / measured - 1));
}

std::string parameters(const ChipLayer& l) {
  return fmt::format("{} {} {} {} {} {} {}", l.m, l.n, l.e, l.p, l.q, l.r, l.t);
}

std::vector<std::string> measured_row(const ChipLayer& layer, const std::string& mapping) {
  const Evaluation ours = eyeriss_evaluation(layer);
  const double time = milliseconds_of(ours), with_sums = milliseconds_with_sums(layer, ours);
  const double buffer = memory_megabytes(ours, kBufferMemory);
  return {layer.name,
          mapping,
          fmt::format("{}", ours.compute_instances),
          fmt::format("{:.0f}", layer.pes),
          fmt::format("{:.2f}", time),
          percent_off(time, layer.milliseconds),
          fmt::format("{:.2f}", with_sums),
          percent_off(with_sums, layer.milliseconds),
          fmt::format("{:.1f}", layer.milliseconds),
          fmt::format("{:.2f}", buffer),
          percent_off(buffer, layer.buffer_mb),
          fmt::format("{:.1f}", layer.buffer_mb)};
}

// The third layer with the parameters of the fourth.
ChipLayer as_fourth(ChipLayer layer) {
  layer.q = 3;
  layer.r = layer.t = 2;
  return layer;
}

}  // namespace

Figure silicon_eyeriss(const Options& /*options*/) {
  Figure figure{
      "Eyeriss, AlexNet, 4 images, 200 MHz: the paper's own mappings (m n e p q r t of its Table "
      "III) in the model, beside the chip (Table V)",
      {"layer", "m n e p q r t", "PEs", "chip PEs", "ms", "off %", "ms with sums",
       "off % with sums", "chip ms", "buffer MB", "buffer off %", "chip buffer MB"}};
  for (const ChipLayer& layer : eyeriss_layers()) {
    figure.rows.push_back(measured_row(layer, parameters(layer)));
    if (layer.name != "conv3") continue;
    const ChipLayer other = as_fourth(layer);
    figure.rows.push_back(measured_row(other, parameters(other) + " (not as printed)"));
  }
  figure.notes = {
      "ms: one multiply-accumulate per PE and cycle, nothing else. If a PE of the chip has one "
      "adder, which takes either a product or a sum that the neighbour passes on, each such sum "
      "costs a cycle, once for every q x S multiply-accumulates. That is how we remember its Fig. "
      "12; no public text that we found confirms it. The model cannot say so; \"with sums\" adds "
      "it.",
      "With sums, every layer is within 10 %. What is left of conv1 and conv2 (7 to 8 % short) is "
      "what the chip does at each change of the pass and the model does not know: loading weights "
      "and filling the array. conv1 has 288 passes, conv2 1536 of less than half the length. conv5 "
      "has two thirds of the passes of conv4, each the same, and took 0.625 of its time.",
      "Buffer: reads and writes of inputs and sums; weights pass it by. 1 MB is 10^6 bytes. The "
      "model counts the border of zeros that pads an input; without it conv3 (not as printed), "
      "conv4 and conv5 would be within 1 %, so that the chip seems not to store it there.",
      "conv3: with q 4, r 1 and t 4, as printed, the sums alone cross the buffer 127 times, 66 MB, "
      "more than all that was measured. With the parameters of conv4 time and traffic agree: the "
      "chip seems to have run those."};
  return figure;
}

Figure silicon_dram(const Options& /*options*/) {
  Figure figure{"Eyeriss, AlexNet, 4 images: words to and from DRAM, in MB",
                {"layer", "inputs", "weights", "outputs", "sum", "chip DRAM MB", "off %",
                 "zeros in inputs %"}};
  for (const ChipLayer& layer : eyeriss_layers()) {
    const Evaluation ours = eyeriss_evaluation(layer);
    const double sum = memory_megabytes(ours, kDramMemory);
    const auto cell = [&](std::size_t tensor) {
      return fmt::format("{:.2f}", megabytes(ours.memories[kDramMemory].tensors[tensor].total));
    };
    figure.rows.push_back({layer.name, cell(0), cell(kWeightTensor), cell(2),
                           fmt::format("{:.2f}", sum), fmt::format("{:.1f}", layer.dram_mb),
                           percent_off(sum, layer.dram_mb), layer.zeros_percent});
  }
  figure.notes = {
      "The chip writes activations to DRAM as runs of zeros and values; the model has no such "
      "code. "
      "The more zeros a layer has, the further it is off: compare weights, which are not "
      "compressed, and which are less than what was measured in every layer.",
      "conv1 reads inputs without zeros, but writes outputs that have them (38.7 % after "
      "pooling)."};
  return figure;
}

Figure silicon_mapped(const Options& options) {
  Figure figure{
      "Eyeriss, AlexNet, 4 images: mappings of the least EDP, proven, that keep to the "
      "row-stationary constraints, beside the chip",
      {"layer", "PEs", "chip PEs", "ms", "chip ms", "buffer MB", "chip buffer MB", "DRAM MB",
       "chip DRAM MB", "proven"}};
  const Architecture arch = shipped_architecture("eyeriss_chip");
  MapOptions map = map_options(options, "optimal");
  map.space = SpaceKind::RubyS;
  for (const ChipLayer& layer : eyeriss_layers()) {
    tell_progress(options, layer.name, figure.rows.size(), 5);
    const MapOutcome outcome = map_workload(eyeriss_workload(layer), arch, map);
    if (is_cancelled(options)) break;
    const Evaluation ours =
        Evaluator::compile(*outcome.problem).value.value().evaluate(*outcome.search.best);
    figure.rows.push_back(
        {layer.name, fmt::format("{}", ours.compute_instances), fmt::format("{:.0f}", layer.pes),
         fmt::format("{:.2f}", milliseconds_of(ours)), fmt::format("{:.1f}", layer.milliseconds),
         fmt::format("{:.2f}", memory_megabytes(ours, kBufferMemory)),
         fmt::format("{:.1f}", layer.buffer_mb),
         fmt::format("{:.2f}", memory_megabytes(ours, kDramMemory)),
         fmt::format("{:.1f}", layer.dram_mb),
         outcome.proof && outcome.proof->status == Proof::Status::Proven ? "yes" : "no"});
  }
  figure.notes = {
      "In Ruby-S, with the constraints of `eyeriss_chip`: all rows of a filter on the array, whole "
      "rows of it in a PE. The printed mappings of the chip are in that space, and by the model "
      "none "
      "of them is better. For conv2 half the words cross the buffer."};
  note_cancellation(options, figure);
  return figure;
}

}  // namespace tilewright::reproduce
