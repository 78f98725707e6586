// "-" in place of a file: standard input.
#pragma once

#include <string>
#include <vector>

#include "tilewright/arch.h"
#include "tilewright/io.h"
#include "tilewright/workload.h"

namespace tilewright::cli {

// An option or an argument, and the file that it names.
struct NamedFile {
  std::string option;  // "--arch"
  std::string file;
};
// The complaint if more than one of them is standard input, which can be read once.
std::vector<Diagnostic> standard_input_twice(const std::vector<NamedFile>& files);

// Certificates and reference files grow with what they are about; this much is plenty.
inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 26U;

// What io has functions of the same names for, and "-" as well.
Checked<std::string> read_text(const std::string& path, std::size_t max_bytes = io::kMaxTextBytes);
Checked<Architecture> load_architecture(const std::string& name_or_path,
                                        const std::vector<std::string>& changes = {});
Checked<Network> load_network(const std::string& name_or_path,
                              const std::vector<std::string>& sizes = {});
Checked<Cascade> load_cascade(const std::string& name_or_path,
                              const std::vector<std::string>& sizes = {});
Checked<Workload> load_workload(const std::string& text_or_path);
Checked<std::vector<Constraint>> load_constraints(const std::string& path,
                                                  const Architecture& arch);

// The name that complaints carry.
std::string name_of_input(const std::string& path);

}  // namespace tilewright::cli
