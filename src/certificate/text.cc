// Certificates as JSON (docs/certificates.md).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/json_text.h"
#include "certificate/proof_steps.h"
#include "tilewright/certificate.h"

namespace tilewright::certificate {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kVersionKey = "tilewright_certificate";
const std::vector<std::string>& keys() {
  static const std::vector<std::string> known = {
      kVersionKey, "mapspace",  "among",  "objective", "architecture", "workload", "constraints",
      "mapping",   "energy_pj", "cycles", "instances", "value",        "bound",    "proof"};
  return known;
}

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

// Carries a complaint about the value of a key out of the readers below.
struct BadKey : std::runtime_error {
  BadKey(std::string which, const std::string& message, std::string what_to_write)
      : std::runtime_error(message), key(std::move(which)), hint(std::move(what_to_write)) {}
  std::string key, hint;
};

// Quotes inside texts are escaped, so only a key or a whole text looks like this.
SourcePosition key_position(std::string_view text, const std::string& key,
                            const std::string& file) {
  const std::size_t found = text.find('"' + key + '"');
  return found == std::string_view::npos ? SourcePosition{file, 0, 0}
                                         : position_of(text, found, file);
}

const Json& value_of_key(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) throw BadKey(key, fmt::format("\"{}\" is missing", key), "");
  return *found;
}

std::string text_of(const Json& object, const char* key) {
  const Json& value = value_of_key(object, key);
  if (!value.is_string()) throw BadKey(key, fmt::format("\"{}\" is not a text", key), "");
  return value.get<std::string>();
}

std::int64_t number_of(const Json& object, const char* key) {
  const Json& value = value_of_key(object, key);
  if (!value.is_number_integer() || value.get<std::int64_t>() < 0 ||
      (value.is_number_unsigned() && value.get<std::uint64_t>() > at(kCountLimit))) {
    throw BadKey(key, fmt::format("\"{}\" is not a whole number from 0 to 2^60", key), "");
  }
  return value.get<std::int64_t>();
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

constexpr const char* kAmongEven = "even mappings";
constexpr const char* kAmongAll = "all mappings, even and uneven";

// Before there were uneven ones, certificates did not say it.
bool is_uneven(const Json& object) {
  if (object.find("among") == object.end()) return false;
  const std::string among = text_of(object, "among");
  if (among != kAmongEven && among != kAmongAll) {
    throw BadKey("among", fmt::format("nothing is proven among '{}'", among),
                 fmt::format("write \"{}\" or \"{}\"", kAmongEven, kAmongAll));
  }
  return among == kAmongAll;
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

Proof proof_of(const Json& object) {
  const Json& list = value_of_key(object, "proof");
  if (!list.is_array()) throw BadKey("proof", "\"proof\" is not a list of texts", "");
  Proof proof;
  std::size_t line = 0;
  for (const Json& entry : list) {
    if (!entry.is_string()) throw BadKey("proof", "\"proof\" is not a list of texts", "");
    read_runs(entry.get<std::string>(), ++line, proof);
  }
  return proof;
}

Certificate from_json(const Json& object) {
  Certificate read;
  read.version = static_cast<int>(std::min<std::int64_t>(number_of(object, kVersionKey), 1 << 30));
  read.mapspace = kind_of(object);
  read.uneven = is_uneven(object);
  read.objective = objective_of(object);
  read.architecture = text_of(object, "architecture");
  read.workload = text_of(object, "workload");
  read.constraints = text_of(object, "constraints");
  read.mapping = text_of(object, "mapping");
  read.energy_pj = text_of(object, "energy_pj");
  read.cycles = number_of(object, "cycles");
  read.instances = number_of(object, "instances");
  read.value = text_of(object, "value");
  read.bound = text_of(object, "bound");
  // Other versions have other proofs; the checker says which it knows.
  if (read.version == kCertificateVersion) read.proof = proof_of(object);
  return read;
}

// Keys of the outer object: each once, and known.
class KeyWatch {
 public:
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    // Every value takes memory; a proof has many lines.
    constexpr std::size_t kMostValues = std::size_t{1} << 20U;
    if (event == Json::parse_event_t::value && ++values_ > kMostValues) {
      throw BadKey("proof", "there are more than 1,048,576 values", "");
    }
    if (event != Json::parse_event_t::key || depth != 1) return true;
    const auto key = parsed.get<std::string>();
    if (!seen_.insert(key).second) complain(key, "stands twice", "");
    if (std::find(keys().begin(), keys().end(), key) == keys().end()) {
      const auto match = closest_match(key, keys());
      complain(key, "is not a key of a certificate",
               match ? fmt::format("did you mean \"{}\"?", *match) : "");
    }
    return true;
  }
  const std::optional<BadKey>& first() const { return first_; }

 private:
  void complain(const std::string& key, const char* what, const std::string& hint) {
    if (!first_) first_ = BadKey(key, fmt::format("\"{}\" {}", key, what), hint);
  }

  std::size_t values_ = 0;
  std::set<std::string> seen_;
  std::optional<BadKey> first_;
};

}  // namespace

std::string among(const Certificate& certificate) {
  return certificate.uneven ? kAmongAll : kAmongEven;
}

std::string write_certificate(const Certificate& certificate) {
  Json object;
  object[kVersionKey] = certificate.version;
  object["mapspace"] = to_string(certificate.mapspace);
  object["among"] = among(certificate);
  object["objective"] = to_string(certificate.objective);
  object["architecture"] = certificate.architecture;
  object["workload"] = certificate.workload;
  object["constraints"] = certificate.constraints;
  object["mapping"] = certificate.mapping;
  object["energy_pj"] = certificate.energy_pj;
  object["cycles"] = certificate.cycles;
  object["instances"] = certificate.instances;
  object["value"] = certificate.value;
  object["bound"] = certificate.bound;
  object["proof"] = proof_json(certificate.proof);
  return object.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

Checked<Certificate> read_certificate(std::string_view text, const std::string& file) {
  const auto refuse = [](const SourcePosition& where, const std::string& message,
                         const std::string& hint) {
    return Checked<Certificate>{std::nullopt, {{where, message, hint}}};
  };
  if (const auto problem = find_json_problem(text)) {
    return refuse(position_of(text, problem->byte, file), problem->message, "");
  }
  try {
    KeyWatch watch;
    const Json object = Json::parse(text, [&](int depth, Json::parse_event_t event, Json& parsed) {
      return watch(depth, event, parsed);
    });
    if (!object.is_object()) {
      return refuse({file, 1, 1}, "this is no certificate", "write a JSON object");
    }
    if (watch.first()) throw BadKey(*watch.first());
    return {from_json(object), {}};
  } catch (const Json::parse_error& error) {
    const std::size_t byte = error.byte == 0 ? 0 : error.byte - 1;
    return refuse(position_of(text, byte, file), "this is not JSON", "");
  } catch (const BadKey& bad) {
    return refuse(key_position(text, bad.key, file), bad.what(), bad.hint);
  }
}

}  // namespace tilewright::certificate
