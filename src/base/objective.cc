#include <array>
#include <utility>

#include "base/search_objective.h"

namespace tilewright {

namespace {

constexpr std::array<std::pair<const char*, Objective>, 4> kNamed = {
    {{"edp", Objective::Edp},
     {"energy", Objective::Energy},
     {"latency", Objective::Latency},
     {"ed2p", Objective::Ed2p}}};

// The performance per watt of a given workload: its operations over its energy.
constexpr const char* kPerformancePerWatt = "perf-per-watt";
constexpr const char* kPowerName = "power";

// "energy^2"; empty for a power of 0.
std::string power_text(const std::string& base, int power) {
  if (power == 0) return "";
  return power == 1 ? base : base + "^" + std::to_string(power);
}

// Takes "energy" or "energy^2" off the front; 0 if the text does not start so.
int take_power(const std::string& base, std::string& text) {
  if (text.rfind(base, 0) != 0) return 0;
  text.erase(0, base.size());
  if (text.empty() || text.front() != '^') return 1;
  const bool digit = text.size() > 1 && text[1] >= '1' && text[1] <= '0' + Objective::kMaxPower;
  const int power = digit ? text[1] - '0' : 0;
  text.erase(0, 2);
  return power;
}

}  // namespace

std::string to_string(Objective objective) {
  for (const auto& [name, named] : kNamed) {
    if (objective == named) return name;
  }
  if (objective == kPower) return kPowerName;
  const std::string energy = power_text("energy", objective.energy);
  const std::string cycles = power_text("cycles", objective.cycles);
  return energy + (energy.empty() || cycles.empty() ? "" : "*") + cycles;
}

std::optional<Objective> objective_named(const std::string& text) {
  for (const auto& [name, named] : kNamed) {
    if (text == name) return named;
  }
  if (text == kPerformancePerWatt) return Objective::Energy;
  std::string rest = text;
  Objective objective{take_power("energy", rest), 0};
  if (objective.energy > 0 && rest.empty()) return objective;
  if (objective.energy > 0 && rest.front() == '*') {
    rest.erase(0, 1);
  } else if (objective.energy > 0) {
    return std::nullopt;
  }
  objective.cycles = take_power("cycles", rest);
  return objective.cycles > 0 && rest.empty() ? std::optional(objective) : std::nullopt;
}

std::vector<std::string> objective_names() {
  std::vector<std::string> names;
  for (const auto& [name, named] : kNamed) names.emplace_back(name);
  names.emplace_back(kPerformancePerWatt);
  return names;
}

std::optional<Objective> search_objective_named(const std::string& text) {
  return text == kPowerName ? kPower : objective_named(text);
}

std::string reason_against_objective(const std::string& text, bool search) {
  if (text == "area") {
    return "area is that of the architecture, the same with all its mappings; compare "
           "architectures by \"flex isolate\" or \"sweep\"";
  }
  if (text == kPowerName) {
    return "power is less where a mapping takes longer, so nothing can be proven of it; take "
           "\"map\" with a mapper that proves nothing, such as --mapper genetic";
  }
  std::string names;
  for (const std::string& name : objective_names()) names += (names.empty() ? "" : ",") + name;
  if (search) names += std::string(",") + kPowerName;
  return text + " not in {" + names + "}; nor is it a product such as energy^2*cycles";
}

}  // namespace tilewright
