// The command line of the tool, in this process.
#include "cli/command_line.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bindings.h"
#include "cli/process.h"
#include "mapper_rows.h"
#include "proofs/proof_commands.h"

namespace tilewright::python {
namespace {

using NamedMapper = std::tuple<std::string, std::string, nb::object>;

int run_tool(std::vector<std::string> words, const std::vector<NamedMapper>& mappers) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  const int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  std::vector<MapperFunction> functions;
  for (const auto& [name, summary, search] : mappers) functions.push_back({name, summary, search});
  const MapperRows rows(std::move(functions));
  int code = 0;
  {
    const nb::gil_scoped_release release;
    code = cli::run_program(
        [&] { return cli::run(count, arguments.data(), rows.table(), &cli::kProofCommands); });
  }
  rows.raise_if_any();
  return code;
}

}  // namespace

void bind_command_line(nb::module_& m) {
  m.def("run_tool", run_tool, nb::arg("words"), nb::arg("mappers") = std::vector<NamedMapper>(),
        "Runs the tool with these words, the first of which is its name; gives the exit code. It "
        "takes over the handling of Ctrl-C. Mappers are names, summaries and functions, as "
        "tilewright.mappers has them; what one of these raised is raised in the end.");
}

}  // namespace tilewright::python
