// Certificates as JSON (docs/certificates.md).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "base/json_text.h"
#include "certificate/closer.h"
#include "tilewright/certificate.h"

namespace tilewright::certificate {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kVersionKey = "tilewright_certificate";
constexpr std::int64_t kLongestRun = std::int64_t{1} << 40;
const std::vector<std::string>& keys() {
  static const std::vector<std::string> known = {
      kVersionKey, "mapspace", "objective", "architecture", "workload", "constraints", "mapping",
      "energy_pj", "cycles",   "instances", "value",        "bound",    "proof"};
  return known;
}

std::string runs_text(const std::vector<Run>& runs) {
  std::string text;
  for (const Run& run : runs) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", kWays[at(static_cast<int>(run.how))], run.frames);
  }
  return text;
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

Objective objective_of(const Json& object) {
  const std::string name = text_of(object, "objective");
  if (const std::optional<Objective> objective = objective_named(name)) return *objective;
  throw BadKey("objective", fmt::format("there is no objective '{}'", name),
               "write edp, energy or latency");
}

// "floor 12, lattice 3"
std::vector<Run> runs_of(const std::string& text, std::size_t placement) {
  const auto refuse = [&] {
    throw BadKey("proof", fmt::format("placement {} of the proof is not understood", placement + 1),
                 "write it as \"floor 12, lattice 3, tree 1\"");
  };
  std::vector<Run> runs;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find(", ", from), text.size());
    const std::string part = text.substr(from, end - from);
    const std::size_t space = std::min(part.find(' '), part.size() - 1);
    const auto* way = std::find(kWays.begin(), kWays.end(), part.substr(0, space));
    const std::string digits = part.substr(space + 1);
    const bool number = !digits.empty() && digits.size() <= 13 && digits.front() != '0' &&
                        digits.find_first_not_of("0123456789") == std::string::npos;
    if (way == kWays.end() || !number || std::stoll(digits) > kLongestRun) refuse();
    runs.push_back({static_cast<Closed>(way - kWays.begin()), std::stoll(digits)});
    from = end + 2;
    if (from == text.size()) refuse();  // ends in a comma
  }
  return runs;
}

Proof proof_of(const Json& object) {
  const Json& list = value_of_key(object, "proof");
  if (!list.is_array()) throw BadKey("proof", "\"proof\" is not a list of texts", "");
  Proof proof;
  for (const Json& entry : list) {
    if (!entry.is_string()) throw BadKey("proof", "\"proof\" is not a list of texts", "");
    proof.placements.push_back(runs_of(entry.get<std::string>(), proof.placements.size()));
  }
  return proof;
}

Certificate from_json(const Json& object) {
  Certificate read;
  read.version = static_cast<int>(std::min<std::int64_t>(number_of(object, kVersionKey), 1 << 30));
  read.mapspace = kind_of(object);
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
  read.proof = proof_of(object);
  return read;
}

// Keys of the outer object: each once, and known.
class KeyWatch {
 public:
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    // Every value takes memory; a proof has a text for each placement.
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

std::string write_certificate(const Certificate& certificate) {
  Json object;
  object[kVersionKey] = certificate.version;
  object["mapspace"] = to_string(certificate.mapspace);
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
  Json proof = Json::array();
  for (const std::vector<Run>& runs : certificate.proof.placements) {
    proof.push_back(runs_text(runs));
  }
  object["proof"] = std::move(proof);
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
