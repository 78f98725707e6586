// What several commands read: an architecture, a workload or a network, and
// constraints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "tilewright/arch.h"
#include "tilewright/io.h"
#include "tilewright/map.h"
#include "tilewright/workload.h"

namespace tilewright::cli {

struct Inputs {
  Architecture arch;
  std::vector<Constraint> constraints;
  // One of the two.
  std::optional<Workload> workload;
  std::optional<Network> network;
  // The storage points of a mapping on flexible hardware that is yet to be set up; empty: it has
  // none.
  std::vector<StoragePoints> points = {};
};

// Everything is read before anything is said, so that all complaints come
// together. A mapping that is read as well may be standard input, too.
Checked<Inputs> load_inputs(const InputOptions& options, const std::string& mapping = "");

// The network, or the workload as the only layer of one.
Network network_of(const Inputs& inputs);

// Changes an architecture, a workload or a network that was read as the options say, and
// reads the constraints; notes complaints.
void change_arch(const InputOptions& options, Inputs& inputs, std::vector<Diagnostic>& problems);
void change_work(const InputOptions& options, Inputs& inputs, std::vector<Diagnostic>& problems);

// Takes a value over, or its complaints.
template <typename T>
std::optional<T> taken(Checked<T> parsed, std::vector<Diagnostic>& problems) {
  append(problems, parsed.problems);
  return parsed.ok() ? std::move(parsed.value) : std::nullopt;
}

// New names as they stand behind --rename, if any, for a workload or a network; complaints
// if they cannot be given.
template <typename Work>
std::vector<Diagnostic> apply_renaming(const std::string& names, Work& work) {
  if (names.empty()) return {};
  const Checked<std::vector<Renaming>> renamings = io::read_rename_line(names, "--rename");
  return renamings.ok() ? rename_dims(work, *renamings.value) : renamings.problems;
}

// An architecture, with the axes of flexibility on a line in place of its own.
Checked<Architecture> load_flexible(const std::string& name, const std::string& flex,
                                    const std::vector<std::string>& set = {});
// The complaint about an architecture that is none.
Diagnostic not_flexible(const std::string& arch);

// Refuses what can be set up in many ways, for commands that take it as it is written;
// true after a complaint.
bool refuse_flexible(const Architecture& arch, const char* command);

// The mapper of a name that the command line has checked already.
const Mapper* mapper_named(const std::string& name, const std::vector<const Mapper*>& table);

// "90", "90s", "1.5min", "2h" in seconds.
Checked<double> read_duration(const std::string& text, const std::string& option);

// "512MiB", "2GB" in bytes.
Checked<std::int64_t> read_bytes(const std::string& text, const std::string& option);

}  // namespace tilewright::cli
