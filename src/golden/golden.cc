#include "golden/golden.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/text.h"
#include "golden/read_cases.h"

namespace tilewright::golden {
namespace {

constexpr double kEnergyTolerance = 1e-9;

// Takes the next line off a text.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

// Calls `take` with every line that is not empty, and where it stands, until it
// returns false.
void for_each_line(std::string_view text, const std::string& name,
                   const std::function<bool(std::string_view, const SourcePosition&)>& take) {
  SourcePosition where{name, 0, 1};
  bool more = true;
  while (more && !text.empty()) {
    ++where.line;
    const std::string_view line = take_line(text);
    if (line.find_first_not_of(" \t") != std::string_view::npos) more = take(line, where);
  }
}

// Calls `take` with every row under the heading; a problem of the heading is
// all that is said of the file.
void for_each_row(std::string_view text, const std::string& name,
                  const std::function<void(Checked<GemmRow>)>& take) {
  bool headed = false;
  for_each_line(text, name, [&](std::string_view line, const SourcePosition& where) {
    if (headed) {
      take(read_gemm_row(line, where));
    } else if (auto problem = check_gemm_heading(line, where)) {
      take({std::nullopt, {std::move(*problem)}});
      return false;
    }
    headed = true;
    return true;
  });
}

template <typename T>
void add(std::vector<T>& values, std::vector<Diagnostic>& problems, Checked<T> parsed) {
  if (parsed.value) values.push_back(std::move(*parsed.value));
  for (Diagnostic& problem : parsed.problems) problems.push_back(std::move(problem));
}

class Comparison {
 public:
  explicit Comparison(const Case& reference) : case_(reference) {}

  std::vector<std::string> run() {
    const Checked<Evaluator> evaluator = Evaluator::compile(case_.problem);
    if (!evaluator.ok()) return {evaluator.problems.front().message};
    fit(*evaluator.value);
    const Evaluation ours = evaluator.value->evaluate(case_.mapping);
    for (std::size_t m = 0; m < case_.expected.memories.size(); ++m) memory(ours, m);
    const Expected& expected = case_.expected;
    if (expected.macs) exact("MACs", *expected.macs, ours.macs);
    if (expected.mac_instances) {
      exact("MAC instances", *expected.mac_instances, ours.compute_instances);
    }
    if (expected.compute_cycles) {
      exact("compute cycles", *expected.compute_cycles, ours.compute_cycles);
    }
    if (expected.cycles) cycles("cycles", *expected.cycles, ours.score.cycles);
    energy("energy", expected.energy_pj, ours.score.energy_pj);
    return std::move(found_);
  }

 private:
  // The reference was run, so the tiles must fit. (Timeloop limits the product of
  // all fan-outs outside a level, not each one; so that is left to it.)
  void fit(const Evaluator& evaluator) {
    for (const Verdict& verdict : evaluator.violations(case_.mapping)) {
      if (verdict.kind == Verdict::Kind::FanoutExceeded) continue;
      found_.push_back(to_string(verdict, case_.problem));
    }
  }

  void exact(const std::string& what, std::int64_t expected, Int128 ours) {
    if (expected == ours) return;
    add_text(found_, "{}: expected {}, got {}", what, expected, ours);
  }
  void cycles(const std::string& what, std::int64_t expected, Int128 ours) {
    if (expected != ours && expected - 1 != ours) exact(what, expected, ours);
  }
  void energy(const std::string& what, double expected, double ours) {
    if (std::abs(expected - ours) <= kEnergyTolerance * std::abs(expected)) return;
    add_text(found_, "{}: expected {} pJ, got {} pJ", what, expected, ours);
  }
  void per_instance(const std::string& what, std::int64_t expected, Int128 total,
                    std::int64_t instances) {
    if (instances == 1) return exact(what, expected, total);
    if (static_cast<Int128>(expected) * instances == total) return;
    add_text(found_, "{}: expected {} in each of {} instances, got {} in all", what, expected,
             instances, total);
  }

  void memory(const Evaluation& ours, std::size_t m) {
    const ExpectedMemory& expected = case_.expected.memories[m];
    const MemoryReport& report = ours.memories[m];
    const std::string& level = name_of(case_.problem.arch().level(report.level));
    for (const auto& [tensor, holding] : expected.tensors) {
      const Holding& held = report.tensors[at(tensor)];
      const std::string at =
          fmt::format("{} {}", level, case_.problem.workload().tensor(tensor).name);
      exact(at + " tile", holding.tile, held.tile_words);
      exact(at + " instances", holding.instances, report.instances);
      per_instance(at + " reads", holding.reads, held.total.reads, report.instances);
      per_instance(at + " fills", holding.fills, held.total.fills, report.instances);
      per_instance(at + " updates", holding.updates, held.total.updates, report.instances);
      energy(at + " energy", holding.energy_pj,
             held.energy_pj() / static_cast<double>(report.instances));
    }
    if (expected.cycles) {
      cycles(level + " cycles", *expected.cycles, std::max(ours.compute_cycles, report.cycles()));
    }
  }

  const Case& case_;
  std::vector<std::string> found_;
};

}  // namespace

GemmFile read_gemm_rows(std::string_view text, const std::string& name) {
  GemmFile file;
  for_each_row(text, name,
               [&](Checked<GemmRow> row) { add(file.rows, file.problems, std::move(row)); });
  return file;
}

File read_file(std::string_view text, const std::string& name) {
  return read_text(text, name, name.size() > 4 && name.ends_with(".csv"));
}

File read_text(std::string_view text, const std::string& name, bool is_csv) {
  File file;
  const auto take = [&](Checked<Case> parsed) {
    add(file.cases, file.problems, std::move(parsed));
  };
  if (is_csv) {
    for_each_row(text, name, [&](Checked<GemmRow> row) {
      take(row.value ? gemm_case(*row.value)
                     : Checked<Case>{std::nullopt, std::move(row.problems)});
    });
  } else {
    for_each_line(text, name, [&](std::string_view line, const SourcePosition& where) {
      take(read_json_case(line, where));
      return true;
    });
  }
  if (file.cases.empty() && file.problems.empty()) {
    file.problems.push_back({{name}, "there is no case in the file", ""});
  }
  return file;
}

std::vector<std::string> differences(const Case& reference) { return Comparison(reference).run(); }

}  // namespace tilewright::golden
