#include <array>
#include <utility>

#include "tilewright/base.h"

namespace tilewright {

namespace {

constexpr std::array<std::pair<const char*, Objective>, 4> kNamed = {
    {{"edp", Objective::Edp},
     {"energy", Objective::Energy},
     {"latency", Objective::Latency},
     {"ed2p", Objective::Ed2p}}};

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
  const std::string energy = power_text("energy", objective.energy);
  const std::string cycles = power_text("cycles", objective.cycles);
  return energy + (energy.empty() || cycles.empty() ? "" : "*") + cycles;
}

std::optional<Objective> objective_named(const std::string& text) {
  for (const auto& [name, named] : kNamed) {
    if (text == name) return named;
  }
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
  return names;
}

}  // namespace tilewright
