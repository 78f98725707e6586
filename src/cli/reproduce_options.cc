#include "cli/reproduce_options.h"

#include "cli/command_parts.h"
#include "cli/help_format.h"
#include "cli/parser.h"

namespace tilewright::cli {

void add_reproduce_options(CLI::App& command, ReproduceOptions& options) {
  command.add_option("paper", options.paper)
      ->required()
      ->check(CLI::IsMember({"ruby", "goma", "quickflow", "flexibility", "silicon"}));
  command.add_option("items", options.items, "of the paper, see below (default: all)");
  command.add_option("--out", options.out, "folder for the CSV files")->capture_default_str();
  add_threads(command, options.threads);
  add_seed(command, options.seed, "of random searches");
  add_quiet(command, options.quiet);
}

std::optional<int> read_reproduce_options(int argc, char** argv, const std::string& footer,
                                          ReproduceOptions& options) {
  CLI::App app{kReproduceHelp, "tilewright reproduce"};
  app.formatter(std::make_shared<WrappedHelp>());
  app.footer(footer);
  add_reproduce_options(app, options);
  name_values(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_parse_error(app, error);
  }
  return std::nullopt;
}

}  // namespace tilewright::cli
