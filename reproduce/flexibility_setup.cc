#include "reproduce/flexibility_setup.h"

#include "reproduce/common.h"
#include "reproduce/tables.h"
#include "tilewright/io.h"

namespace tilewright::reproduce {

namespace {

constexpr std::int64_t kPes = 1024;

}  // namespace

Architecture flexible_accelerator(Bandwidth bandwidth, const std::string& name) {
  Architecture arch = shipped_architecture(name);
  if (bandwidth == Bandwidth::Unlimited) {
    std::get<Memory>(arch.levels.front()).shared_bandwidth.reset();
  }
  return arch;
}

Flexibility axes(const std::string& line) {
  const Architecture arch = flexible_accelerator(Bandwidth::AsShipped);
  return io::read_flexibility_line(line, "", arch).value.value();
}

Flexibility table2_baseline() { return axes("T=fixed(K64,C16,Y3,X3,R3,S3),O=KCYXRS,P=CK,S=16x64"); }

std::vector<Variant> variants_of_axis(const Flexibility& fixed, TopsAxis axis) {
  const TopsAxes one = axes_of(axis);
  const std::string bits = bits_text(one);
  return {{"InFlex-" + bits, fixed},
          {"PartFlex-" + bits, with_some_freedom(fixed, one, kPes)},
          {"FullFlex-" + bits, with_freedom(fixed, one)},
          {"FullFlex-1111", with_freedom(fixed, kEveryAxis)}};
}

double least_cycles(const Network& network) {
  double cycles = 0;
  for (const Layer& layer : network.layers) {
    const Int128 macs = multiply_accumulates(layer.workload);
    cycles += static_cast<double>(layer.count * ceil_div(macs, kPes));
  }
  return cycles;
}

Network gamma_network(const std::string& name) {
  return io::read_network(reference(name), name).value.value();
}

StudyOptions study_of(const Options& options) {
  StudyOptions study = usual_study();
  study.threads = options.threads;
  study.cancelled = options.cancelled;
  study.on_progress = options.on_progress;
  return study;
}

}  // namespace tilewright::reproduce
