// Certificates of plans as JSON (docs/certificates.md).
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "certificate/certificate_json.h"
#include "certificate/exact.h"
#include "tilewright/certificate.h"

namespace tilewright::certificate {

namespace {

constexpr const char* kPlanKey = "tilewright_plan_certificate";
std::string plans_among(Among nests) {
  return fmt::format(
      "plans of groups that are trees of shared loops, with {} nests and perfect factors",
      nests == Among::Even ? "even" : "even and uneven");
}

char letter_of(GroupStep step) {
  if (step == GroupStep::Floor) return 'f';
  return step == GroupStep::Trees ? 't' : '-';
}

std::vector<GroupStep> steps_in(const std::string& text) {
  std::vector<GroupStep> steps;
  for (const char letter : text) {
    const auto all = {GroupStep::Floor, GroupStep::Trees, GroupStep::None};
    const auto* found = std::find_if(all.begin(), all.end(),
                                     [&](GroupStep step) { return letter_of(step) == letter; });
    if (found == all.end()) {
      throw BadKey("proof", fmt::format("\"{}\" is not a row of groups", text.substr(0, 40)),
                   "write steps as in \"ft-\": f floor, t trees, - no group");
    }
    steps.push_back(*found);
  }
  return steps;
}

std::vector<std::string> texts_of(const Json& object, const char* key) {
  const Json& list = value_of_key(object, key);
  const auto refuse_list = [&] {
    throw BadKey(key, fmt::format("\"{}\" is not a list of texts", key), "");
  };
  if (!list.is_array() || list.empty()) refuse_list();
  std::vector<std::string> texts;
  for (const Json& entry : list) {
    if (!entry.is_string()) refuse_list();
    texts.push_back(entry.get<std::string>());
  }
  return texts;
}

Among nests_of(const Json& object) {
  const std::string text = text_of(object, "among");
  for (const Among nests : {Among::Even, Among::All}) {
    if (text == plans_among(nests)) return nests;
  }
  throw BadKey("among", fmt::format("nothing is proven of '{}'", text.substr(0, 40)),
               fmt::format("write \"{}\"", plans_among(Among::Even)));
}

Objective plan_objective_of(const Json& object) {
  const std::string text = text_of(object, "objective");
  const auto objective = objective_named(text);
  if (objective) return *objective;
  throw BadKey("objective", fmt::format("nothing is proven of plans for '{}'", text.substr(0, 40)),
               "write \"energy\", \"latency\" or \"edp\"");
}

// What the first einsums take: lists of objects, one list for each number of einsums.
std::vector<std::vector<PlanLeast>> least_of(const Json& object, bool timed) {
  const auto refuse_list = [&] {
    throw BadKey("least", "\"least\" is not a list of lists of totals",
                 timed ? R"(write totals as in {"energy_pj": "12.5", "cycles": 30})"
                       : R"(write totals as in {"energy_pj": "12.5"})");
  };
  const Json& lists = value_of_key(object, "least");
  if (!lists.is_array()) refuse_list();
  std::vector<std::vector<PlanLeast>> least;
  for (const Json& list : lists) {
    if (!list.is_array()) refuse_list();
    least.emplace_back();
    for (const Json& total : list) {
      const bool has_keys = total.is_object() && total.size() == (timed ? 2U : 1U) &&
                            total.contains("energy_pj") && total.contains("cycles") == timed;
      if (!has_keys) refuse_list();
      PlanLeast& one = least.back().emplace_back();
      one.energy_pj = text_of(total, "energy_pj");
      if (timed) one.cycles = wide_number_of(total, "cycles");
    }
  }
  return least;
}

Json least_json(const std::vector<std::vector<PlanLeast>>& least, bool timed) {
  Json lists = Json::array();
  for (const std::vector<PlanLeast>& totals : least) {
    Json list = Json::array();
    for (const PlanLeast& one : totals) {
      Json total;
      total["energy_pj"] = one.energy_pj;
      if (timed) total["cycles"] = wide_number(one.cycles);
      list.push_back(std::move(total));
    }
    lists.push_back(std::move(list));
  }
  return lists;
}

}  // namespace

const std::vector<std::string>& plan_certificate_keys() {
  static const std::vector<std::string> known = {
      kPlanKey, "among",     "objective", "architecture", "cascade", "shared", "longest_group",
      "plan",   "energy_pj", "cycles",    "value",        "bound",   "least",  "proof"};
  return known;
}

int longest_group_of(const Json& object) {
  const std::int64_t longest = number_of(object, "longest_group");
  if (longest < 1 || longest > (1 << 20)) {
    throw BadKey("longest_group", "groups have one einsum at least, and 2^20 at most", "");
  }
  return static_cast<int>(longest);
}

PlanCertificate plan_certificate_from(const Json& object) {
  PlanCertificate read;
  read.version = static_cast<int>(std::min<std::int64_t>(number_of(object, kPlanKey), 1 << 30));
  read.nests = nests_of(object);
  read.objective = plan_objective_of(object);
  const bool timed = read.objective.cycles > 0;
  read_statement(object, read);
  if (timed) read.cycles = wide_number_of(object, "cycles");
  if (!timed && object.contains("cycles")) {
    throw BadKey("cycles", "nothing is said of the cycles of plans of least energy",
                 "leave it out");
  }
  read.value = text_of(object, "value");
  read.bound = text_of(object, "bound");
  read.least = least_of(object, timed);
  for (const std::string& row : texts_of(object, "proof")) read.proof.push_back(steps_in(row));
  return read;
}

Json json_of(const PlanCertificate& certificate) {
  Json object;
  object[kPlanKey] = certificate.version;
  object["among"] = plans_among(certificate.nests);
  object["objective"] = to_string(certificate.objective);
  write_statement(certificate, object);
  const bool timed = certificate.objective.cycles > 0;
  if (timed) object["cycles"] = wide_number(certificate.cycles);
  object["value"] = certificate.value;
  object["bound"] = certificate.bound;
  object["least"] = least_json(certificate.least, timed);
  Json rows = Json::array();
  for (const std::vector<GroupStep>& steps : certificate.proof) {
    std::string row;
    for (const GroupStep step : steps) row += letter_of(step);
    rows.push_back(row);
  }
  object["proof"] = rows;
  return object;
}

std::string write_certificate(const PlanCertificate& certificate) {
  return text_of_json(json_of(certificate));
}

// Quotes inside texts are escaped, so only a key or a whole text looks like this.
bool is_plan_certificate(std::string_view text) {
  return text.find(fmt::format("\"{}\"", kPlanKey)) != std::string_view::npos;
}

Checked<PlanCertificate> read_plan_certificate(std::string_view text, const std::string& file) {
  return read_json_keys<PlanCertificate>(text, file, plan_certificate_keys(),
                                         plan_certificate_from);
}

}  // namespace tilewright::certificate
