// Certificates of networks as JSON (docs/certificates.md).
#include <fmt/format.h>

#include <algorithm>

#include "certificate/certificate_json.h"

namespace tilewright::certificate {

namespace {

constexpr const char* kNetworkKey = "tilewright_network_certificate";
constexpr const char* kUnproven = "unproven";

// Proofs have the architecture of the network.
template <typename Proof>
Json json_within(const Proof& proof) {
  Json object = json_of(proof);
  object.erase("architecture");
  return object;
}

Json cut_json(const CutContraction& cut) {
  Json object;
  object["contraction"] = cut.contraction;
  object["factors"] = cut.factors;
  if (cut.factors.empty()) object["factors"] = Json::object();
  object["together"] = cut.together;
  return object;
}

std::vector<std::string> names_in(const Json& list, const char* key) {
  const bool names = list.is_array() && std::all_of(list.begin(), list.end(), [](const Json& one) {
                       return one.is_string();
                     });
  if (!names) throw BadKey(key, fmt::format("\"{}\" is not a list of names", key), "");
  return list.get<std::vector<std::string>>();
}

CutContraction cut_from(const Json& object) {
  static const std::vector<std::string> keys = {"contraction", "factors", "together"};
  expect_keys(object, keys, "cuts", "a contraction that is cut");
  CutContraction cut{text_of(object, "contraction")};
  const Json& factors = value_of_key(object, "factors");
  if (!factors.is_object()) throw BadKey("factors", "\"factors\" is not an object", "");
  for (const auto& [dim, names] : factors.items()) cut.factors[dim] = names_in(names, "factors");
  cut.together = names_in(value_of_key(object, "together"), "together");
  return cut;
}

std::vector<CutContraction> cuts_in(const Json& part) {
  const Json& list = value_of_key(part, "cuts");
  if (!list.is_array() || list.empty()) {
    throw BadKey("cuts", "\"cuts\" is not a list of contractions", "");
  }
  std::vector<CutContraction> cuts;
  for (const Json& one : list) cuts.push_back(cut_from(one));
  return cuts;
}

Json part_json(const PartCertificate& part) {
  Json object;
  object["count"] = part.count;
  if (part.plan) object["plan_proof"] = json_within(*part.plan);
  if (part.flat) object["flat_proof"] = json_within(*part.flat);
  if (part.bounded) object["bound_proof"] = json_within(*part.bounded);
  if (!part.mappings.empty()) {
    Json& proofs = object["mapping_proofs"] = Json::array();
    for (const Certificate& one : part.mappings) proofs.push_back(json_within(one));
  }
  if (part.stated) {
    object["cascade"] = part.stated->cascade;
    object["plan"] = part.stated->plan;
    object["energy_pj"] = part.stated->energy_pj;
  }
  if (!part.cuts.empty()) {
    Json& cuts = object["cuts"] = Json::array();
    for (const CutContraction& cut : part.cuts) cuts.push_back(cut_json(cut));
  }
  if (!part.unproven.empty()) object[kUnproven] = part.unproven;
  return object;
}

// Adds the architecture to a proof, whose other keys are those that it has on its own.
Json whole_proof(Json object, const std::vector<std::string>& keys, const char* within,
                 const std::string& architecture) {
  std::vector<std::string> own = keys;
  std::erase(own, "architecture");
  expect_keys(object, own, within, fmt::format("\"{}\"", within));
  object["architecture"] = architecture;
  return object;
}

std::vector<Certificate> mappings_in(const Json& part, const std::string& architecture) {
  const Json& list = value_of_key(part, "mapping_proofs");
  if (!list.is_array() || list.empty()) {
    throw BadKey("mapping_proofs", "\"mapping_proofs\" is not a list of certificates", "");
  }
  std::vector<Certificate> mappings;
  for (const Json& one : list) {
    mappings.push_back(
        certificate_from(whole_proof(one, certificate_keys(), "mapping_proofs", architecture)));
  }
  return mappings;
}

PartCertificate part_from(const Json& object, const std::string& architecture) {
  static const std::vector<std::string> keys = {
      "count",   "plan_proof", "flat_proof", "bound_proof", "mapping_proofs",
      "cascade", "plan",       "energy_pj",  "cuts",        kUnproven};
  expect_keys(object, keys, "parts", "a part");
  PartCertificate part;
  part.count = number_of(object, "count");
  if (object.contains("plan_proof")) {
    part.plan = plan_certificate_from(
        whole_proof(object["plan_proof"], plan_certificate_keys(), "plan_proof", architecture));
  }
  if (object.contains("flat_proof")) {
    part.flat = flat_certificate_from(
        whole_proof(object["flat_proof"], flat_certificate_keys(), "flat_proof", architecture));
  }
  if (object.contains("bound_proof")) {
    part.bounded = plan_bound_from(
        whole_proof(object["bound_proof"], plan_bound_keys(), "bound_proof", architecture));
  }
  if (object.contains("mapping_proofs")) part.mappings = mappings_in(object, architecture);
  const bool stated =
      object.contains("cascade") || object.contains("plan") || object.contains("energy_pj");
  if (stated) {
    part.stated = PartCertificate::Stated{text_of(object, "cascade"), text_of(object, "plan"),
                                          text_of(object, "energy_pj")};
  }
  if (object.contains("cuts")) part.cuts = cuts_in(object);
  if (object.contains(kUnproven)) part.unproven = text_of(object, kUnproven);
  return part;
}

NetworkCertificate network_certificate_from(const Json& object) {
  NetworkCertificate read;
  read.version = static_cast<int>(std::min<std::int64_t>(number_of(object, kNetworkKey), 1 << 30));
  read.architecture = text_of(object, "architecture");
  read.network = text_of(object, "network");
  read.energy_pj = text_of(object, "energy_pj");
  read.bound = text_of(object, "bound");
  const Json& parts = value_of_key(object, "parts");
  if (!parts.is_array()) throw BadKey("parts", "\"parts\" is not a list", "");
  for (const Json& part : parts) read.parts.push_back(part_from(part, read.architecture));
  return read;
}

}  // namespace

std::string write_certificate(const NetworkCertificate& certificate) {
  Json object;
  object[kNetworkKey] = certificate.version;
  object["architecture"] = certificate.architecture;
  object["network"] = certificate.network;
  object["energy_pj"] = certificate.energy_pj;
  object["bound"] = certificate.bound;
  Json& parts = object["parts"] = Json::array();
  for (const PartCertificate& part : certificate.parts) parts.push_back(part_json(part));
  return text_of_json(object);
}

// Quotes inside texts are escaped, so only a key or a whole text looks like this.
bool is_network_certificate(std::string_view text) {
  return text.find(fmt::format("\"{}\"", kNetworkKey)) != std::string_view::npos;
}

Checked<NetworkCertificate> read_network_certificate(std::string_view text,
                                                     const std::string& file) {
  static const std::vector<std::string> keys = {kNetworkKey, "architecture", "network",
                                                "energy_pj", "bound",        "parts"};
  return read_json_keys<NetworkCertificate>(text, file, keys, network_certificate_from);
}

}  // namespace tilewright::certificate
