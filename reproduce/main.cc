// The program tilewright-reproduce, which `tilewright reproduce` runs.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/files.h"
#include "cli/output.h"
#include "cli/process.h"
#include "cli/progress.h"
#include "cli/reproduce_options.h"
#include "reproduce/figure.h"
#include "tilewright/report.h"

namespace {

namespace fs = std::filesystem;
using namespace tilewright;
using namespace tilewright::cli;
using reproduce::Figure;
using reproduce::Item;

// The items that were asked for, in the paper's order; nothing, after a
// complaint, if one does not exist.
std::vector<Item> chosen(const std::vector<Item>& all, const std::vector<std::string>& names) {
  if (names.empty()) return all;
  std::vector<std::string> known;
  for (const Item& item : all) known.emplace_back(item.name);
  std::vector<Item> items;
  for (const std::string& name : names) {
    const auto item =
        std::find_if(all.begin(), all.end(), [&](const Item& one) { return one.name == name; });
    if (item == all.end()) {
      complain(
          fmt::format("reproduce: there is no {}; there are {}", name, fmt::join(known, ", ")));
      return {};
    }
    items.push_back(*item);
  }
  return items;
}

std::string text_of(const Figure& figure) {
  std::string text = figure.title + "\n" + report::table_text(figure.headings, figure.rows);
  for (const std::string& note : figure.notes) text += "  * " + note + "\n";
  return text;
}

// A line each, for the help.
std::string item_lines() {
  std::string text = "Items:";
  for (const reproduce::Paper& paper : reproduce::papers()) {
    for (const Item& item : paper.items) {
      text += fmt::format("\n  {:<9} {:<8} {}", paper.name, item.name, item.title);
    }
  }
  return text;
}

int make(const ReproduceOptions& options) {
  std::vector<Item> items;
  for (const reproduce::Paper& paper : reproduce::papers()) {
    if (paper.name == options.paper) items = chosen(paper.items, options.items);
  }
  if (items.empty() || !try_folder(options.out)) return kBadInput;
  std::map<std::string, std::any> shared;
  for (const Item& item : items) {
    ProgressLine line(options.quiet);
    reproduce::Options how;
    how.threads = thread_count(options.threads);
    how.seed = static_cast<std::uint64_t>(options.seed);
    how.cancelled = &catch_interrupts();
    how.shared = &shared;
    how.on_progress = [&](const std::string& what, double fraction) {
      line.show(fmt::format("{} {} {}", item.name, bar(fraction), what));
    };
    const Figure figure = item.make(how);
    line.clear();
    print_report(text_of(figure));
    if (how.cancelled->load()) {
      complain("interrupted: the table is incomplete, and not written to a file");
      return kInterrupted;
    }
    const fs::path path =
        fs::path(options.out) / fmt::format("{}_{}.csv", options.paper, item.name);
    if (!make_folder(options.out) || !write_file(path, reproduce::csv_of(figure))) {
      return kBadInput;
    }
    print(fmt::format("  written to {}\n\n", path.string()));
  }
  return kGood;
}

int run(int argc, char** argv) {
  ReproduceOptions options;
  const auto ended = read_reproduce_options(argc, argv, item_lines(), options);
  return ended ? *ended : make(options);
}

}  // namespace

int main(int argc, char** argv) { return run_program(run, argc, argv); }
