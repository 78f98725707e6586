// Files: everything that knows a text format. Readers never throw and never
// print; they return a value or every complaint about the text at once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/arch.h"
#include "tilewright/base.h"
#include "tilewright/cascade.h"
#include "tilewright/mapping.h"
#include "tilewright/workload.h"

namespace tilewright::io {

// `file` is only the name that complaints carry.
Checked<Workload> read_workload(std::string_view text, const std::string& file);
// `changes` are values in place of those in the text, such as "GlobalBuffer.capacity=64KiB",
// "PEs.x=32" or "clock=1 GHz"; of several for one place the last one holds.
Checked<Architecture> read_architecture(std::string_view text, const std::string& file,
                                        const std::vector<std::string>& changes = {});
Checked<Mapping> read_mapping(std::string_view text, const std::string& file,
                              const Problem& problem);
// A mapping, and the problem that it is of: the file may say that it pads
// dimensions. read_mapping() refuses one that does, unless the problem has the
// padded sizes already.
struct PaddedMapping {
  Problem problem;
  Mapping mapping;
};
Checked<PaddedMapping> read_padded_mapping(std::string_view text, const std::string& file,
                                           const Problem& problem);
// A graph in YAML (docs/networks.md), or comma-separated values, a heading and a row per layer
// (docs/models.md). `sizes` are values in place of those in the text, such as "tokens=8192".
Checked<Network> read_network(std::string_view text, const std::string& file,
                              const std::vector<std::string>& sizes = {});
// Einsums that read what others write (docs/fusion.md); `sizes` as above.
Checked<Cascade> read_cascade(std::string_view text, const std::string& file,
                              const std::vector<std::string>& sizes = {});
// A plan; einsums whose nests the text leaves out have none.
Checked<Plan> read_plan(std::string_view text, const std::string& file, const Cascade& cascade,
                        const Architecture& arch);
// Constraints on mappings, as an architecture file has them, in a file of their own.
Checked<std::vector<Constraint>> read_constraints(std::string_view text, const std::string& file,
                                                  const Architecture& arch);

// Text that the reader of the same kind turns back into an equal value.
std::string write_workload(const Workload& workload);
std::string write_architecture(const Architecture& arch);
std::string write_mapping(const Problem& problem, const Mapping& mapping);
// The same, with the sizes that differ from those of the workload as it was given.
std::string write_padded_mapping(const Problem& problem, const Mapping& mapping,
                                 const Workload& given);
std::string write_cascade(const Cascade& cascade);
std::string write_plan(const Cascade& cascade, const Plan& plan);
std::string write_constraints(const std::vector<Constraint>& constraints);
// In YAML, with all sizes as numbers. A network without a graph is written as unconnected
// operators.
std::string write_network(const Network& network);

// "O[n,m] += I[n,c] * W[m,c]; n=1 m=64 c=32": a workload on one line. A tensor may
// have its role behind its name, "W:weight[m,c]".
Checked<Workload> read_workload_line(std::string_view text, const std::string& file);

// "h=N,i=M,j=P,d=C": new names for dimensions, each given once.
Checked<std::vector<Renaming>> read_rename_line(std::string_view text, const std::string& file);

// "Rows.y: S = all, M <= 4": the constraints of one place on one line, as
// to_string(Constraint) writes one of them.
Checked<std::vector<Constraint>> read_constraint_line(std::string_view text,
                                                      const std::string& file,
                                                      const Architecture& arch);

// "T=soft,O=all,P={KC,YX},S=blocks(4x4)": the flexibility of an architecture,
// with its own, or else soft tiles, all orders, all pairs and the shape that the
// array has, where the line says nothing.
Checked<Flexibility> read_flexibility_line(std::string_view text, const std::string& file,
                                           const Architecture& arch);

// The largest text that the readers above accept; networks from frameworks have many operators.
inline constexpr std::size_t kMaxTextBytes = std::size_t{1} << 20U;
inline constexpr std::size_t kMaxNetworkBytes = std::size_t{1} << 24U;

// A file's text, or why it cannot be read. Longer files are refused.
Checked<std::string> read_file(const std::string& path, std::size_t max_bytes = kMaxTextBytes);

// The architectures and networks that ship inside the library.
struct BuiltinFile {
  std::string name;
  std::string_view text;
};
const std::vector<BuiltinFile>& builtin_architectures();
const std::vector<BuiltinFile>& builtin_networks();
const std::vector<BuiltinFile>& builtin_cascades();

// What the user named: a built-in architecture or a file.
Checked<Architecture> load_architecture(const std::string& name_or_path,
                                        const std::vector<std::string>& changes = {});
// A built-in network or a file.
Checked<Network> load_network(const std::string& name_or_path,
                              const std::vector<std::string>& sizes = {});
// A built-in cascade or a file.
Checked<Cascade> load_cascade(const std::string& name_or_path,
                              const std::vector<std::string>& sizes = {});
// The layer of this name, or "#1" for the first, "#2" for the second. A number
// without the sign is a name or a mistake: in alexnet, whose layers are named 0 to
// 7, "1" is the second layer.
Checked<Layer> pick_layer(const Network& network, const std::string& which);
// A file, or a workload on one line (recognised by its brackets or its colon).
Checked<Workload> load_workload(const std::string& text_or_path);
Checked<Mapping> load_mapping(const std::string& path, const Problem& problem);
Checked<std::vector<Constraint>> load_constraints(const std::string& path,
                                                  const Architecture& arch);

// The keys of a format with their meaning, made from the tables that the
// reader and the writer use; empty for a kind that is none of these.
const std::vector<std::string>& format_kinds();
std::string describe_format(const std::string& kind);

}  // namespace tilewright::io
