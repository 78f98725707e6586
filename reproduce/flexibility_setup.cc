#include "reproduce/flexibility_setup.h"

#include "reproduce/common.h"
#include "reproduce/tables.h"
#include "tilewright/io.h"

namespace tilewright::reproduce {

Architecture flexible_accelerator(Bandwidth bandwidth) {
  Architecture arch = shipped_architecture("flex_1024");
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
