// Certificates as JSON (docs/certificates.md).
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "certificate/certificate_json.h"
#include "certificate/proof_steps.h"
#include "tilewright/certificate.h"

namespace tilewright::certificate {

namespace {

constexpr const char* kVersionKey = "tilewright_certificate";
// "s2f12l": letters of the steps, each with how many cells in a row take it.
std::string run_text(const Run& run) {
  return run.cells == 1 ? std::string(1, letter_of(run.step))
                        : fmt::format("{}{}", letter_of(run.step), run.cells);
}

// In lines that a page has room for.
Json proof_json(const Proof& proof) {
  constexpr std::size_t kWidth = 100;
  Json lines = Json::array();
  std::string line;
  for (const Run& run : proof) {
    const std::string text = run_text(run);
    if (line.size() + text.size() > kWidth) lines.push_back(std::exchange(line, ""));
    line += text;
  }
  lines.push_back(line);
  return lines;
}

SpaceKind kind_of(const Json& object) {
  const std::string name = text_of(object, "mapspace");
  const auto kind = space_kind(name);
  if (!kind) {
    throw BadKey("mapspace", fmt::format("there is no map-space '{}'", name),
                 "write pfm, ruby-s, ruby-t or ruby");
  }
  return *kind;
}

// Before there were uneven ones, certificates did not say it.
Among among_of(const Json& object) {
  if (object.find("among") == object.end()) return Among::Even;
  const std::string text = text_of(object, "among");
  for (const Among among : {Among::Even, Among::Marked, Among::All}) {
    if (text == to_string(among)) return among;
  }
  throw BadKey("among", fmt::format("nothing is proven among '{}'", text),
               fmt::format("write \"{}\", \"{}\" or \"{}\"", to_string(Among::Even),
                           to_string(Among::Marked), to_string(Among::All)));
}

Objective objective_of(const Json& object) {
  const std::string name = text_of(object, "objective");
  if (const std::optional<Objective> objective = objective_named(name)) return *objective;
  throw BadKey("objective", fmt::format("there is no objective '{}'", name),
               "write edp, energy or latency");
}

void read_runs(const std::string& text, std::size_t line, Proof& proof) {
  const auto refuse = [&] {
    throw BadKey(
        "proof", fmt::format("line {} of the proof is not understood", line),
        "write steps as in \"s2f12l\": s split, f floor, l lattice, t tree, p ports, w wide tree");
  };
  for (std::size_t i = 0; i < text.size();) {
    const std::optional<ProofStep> step = step_of(text[i++]);
    std::size_t end = i;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    const std::string digits = text.substr(i, end - i);
    if (!step || digits.size() > 12 || digits.starts_with('0') || digits == "1") refuse();
    proof.push_back({*step, digits.empty() ? 1 : std::stoll(digits)});
    i = end;
  }
}

Proof read_proof(const Json& list) {
  if (!list.is_array()) throw BadKey("proof", "\"proof\" is not a list of texts", "");
  Proof proof;
  std::size_t line = 0;
  for (const Json& entry : list) {
    if (!entry.is_string()) throw BadKey("proof", "\"proof\" is not a list of texts", "");
    read_runs(entry.get<std::string>(), ++line, proof);
  }
  return proof;
}

// Entries {"setting": "P=CK,S=16x64", "proof": [...]}.
std::vector<Certificate::OfSetting> settings_in(const Json& object) {
  const Json& list = value_of_key(object, "settings");
  if (!list.is_array()) throw BadKey("settings", "\"settings\" is not a list", "");
  std::vector<Certificate::OfSetting> settings;
  for (const Json& entry : list) {
    const bool has_both = entry.is_object() && entry.size() == 2 && entry.contains("setting") &&
                          entry.contains("proof") && entry["setting"].is_string();
    if (!has_both) {
      throw BadKey("settings", fmt::format("entry {} is no setting", settings.size() + 1),
                   "write {\"setting\": \"P=CK,S=16x64\", \"proof\": [\"f\"]}");
    }
    settings.push_back({entry["setting"].get<std::string>(), read_proof(entry["proof"])});
  }
  return settings;
}

// One proof, or those of all settings of a flexible architecture.
void read_proofs(const Json& object, Certificate& read) {
  if (!object.contains("setting") && !object.contains("settings")) {
    read.proof = read_proof(value_of_key(object, "proof"));
    return;
  }
  if (object.contains("proof")) {
    throw BadKey("proof", "\"proof\" stands beside \"settings\", which have proofs of their own",
                 "leave it out");
  }
  read.setting = text_of(object, "setting");
  read.settings = settings_in(object);
}

}  // namespace

Certificate certificate_from(const Json& object) {
  Certificate read;
  read.version = static_cast<int>(std::min<std::int64_t>(number_of(object, kVersionKey), 1 << 30));
  read.mapspace = kind_of(object);
  read.among = among_of(object);
  read.objective = objective_of(object);
  read.architecture = text_of(object, "architecture");
  read.workload = text_of(object, "workload");
  read.constraints = text_of(object, "constraints");
  read.mapping = text_of(object, "mapping");
  read.energy_pj = text_of(object, "energy_pj");
  read.cycles = wide_number_of(object, "cycles");
  read.instances = number_of(object, "instances");
  read.value = text_of(object, "value");
  read.bound = text_of(object, "bound");
  // Other versions have other proofs; the checker says which it knows.
  if (read.version == kCertificateVersion) read_proofs(object, read);
  return read;
}

const std::vector<std::string>& certificate_keys() {
  static const std::vector<std::string> known = {
      kVersionKey,   "mapspace", "among",   "objective", "architecture", "workload",
      "constraints", "setting",  "mapping", "energy_pj", "cycles",       "instances",
      "value",       "bound",    "proof",   "settings"};
  return known;
}

std::string to_string(Among among) {
  if (among == Among::Even) return "even mappings";
  return among == Among::All ? "all mappings, even and uneven"
                             : "all mappings, uneven at marked memories alone";
}

Json json_of(const Certificate& certificate) {
  Json object;
  object[kVersionKey] = certificate.version;
  object["mapspace"] = to_string(certificate.mapspace);
  object["among"] = to_string(certificate.among);
  object["objective"] = to_string(certificate.objective);
  object["architecture"] = certificate.architecture;
  object["workload"] = certificate.workload;
  object["constraints"] = certificate.constraints;
  const bool flexible = !certificate.setting.empty();
  if (flexible) object["setting"] = certificate.setting;
  object["mapping"] = certificate.mapping;
  object["energy_pj"] = certificate.energy_pj;
  object["cycles"] = wide_number(certificate.cycles);
  object["instances"] = certificate.instances;
  object["value"] = certificate.value;
  object["bound"] = certificate.bound;
  if (flexible) {
    Json& settings = object["settings"] = Json::array();
    for (const Certificate::OfSetting& one : certificate.settings) {
      settings.push_back({{"setting", one.setting}, {"proof", proof_json(one.proof)}});
    }
  } else {
    object["proof"] = proof_json(certificate.proof);
  }
  return object;
}

std::string write_certificate(const Certificate& certificate) {
  return text_of_json(json_of(certificate));
}

Checked<Certificate> read_certificate(std::string_view text, const std::string& file) {
  return read_json_keys<Certificate>(text, file, certificate_keys(), certificate_from);
}

}  // namespace tilewright::certificate
