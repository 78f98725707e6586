// Certificates of plans of flat groups as JSON (docs/certificates.md).
#include <fmt/format.h>

#include <algorithm>

#include "certificate/certificate_json.h"

namespace tilewright::certificate {

namespace {

constexpr const char* kFlatKey = "tilewright_flat_certificate";
std::string flat_among(Among nests) {
  return fmt::format(
      "plans of groups whose shared loops are all around all einsums and move all of them, one per "
      "dimension at most and without remainders, with {} nests and perfect factors",
      nests == Among::Even ? "even" : "even and uneven");
}

Among flat_nests_of(const Json& object) {
  const std::string text = text_of(object, "among");
  for (const Among nests : {Among::Even, Among::All}) {
    if (text == flat_among(nests)) return nests;
  }
  throw BadKey("among", "nothing is proven of such plans",
               fmt::format("write \"{}\"", flat_among(Among::Even)));
}

// What every proof of a nest has, and what its question says.
const std::vector<std::string>& implied_keys() {
  static const std::vector<std::string> keys = {"tilewright_certificate",
                                                "among",
                                                "mapspace",
                                                "objective",
                                                "architecture",
                                                "workload",
                                                "constraints",
                                                "setting",
                                                "settings"};
  return keys;
}

const std::vector<std::string>& question_keys() {
  static const std::vector<std::string> keys = {"einsum", "extents", "streamed", "room", "sums"};
  return keys;
}

std::vector<std::string> flat_nest_keys() {
  std::vector<std::string> keys = question_keys();
  for (const std::string& key : certificate_keys()) {
    const auto& implied = implied_keys();
    if (std::find(implied.begin(), implied.end(), key) == implied.end()) keys.push_back(key);
  }
  return keys;
}

template <typename T>
std::vector<T> list_in(const Json& object, const char* key, const char* of) {
  const Json& list = value_of_key(object, key);
  const auto is_one = [](const Json& entry) {
    if constexpr (std::is_same_v<T, std::string>) return entry.is_string();
    return entry.is_number_integer();
  };
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_one)) {
    throw BadKey(key, fmt::format("\"{}\" is not a list of {}", key, of), "");
  }
  std::vector<T> values;
  for (const Json& entry : list) values.push_back(entry.get<T>());
  return values;
}

Json json_of(const FlatNest& nest) {
  Json object;
  object["einsum"] = nest.einsum;
  object["extents"] = nest.extents;
  object["streamed"] = nest.streamed;
  object["room"] = nest.room;
  object["sums"] = nest.old_sums ? "old" : "new";
  Json proof = json_of(nest.proof);
  for (const std::string& key : implied_keys()) proof.erase(key);
  for (const auto& [key, value] : proof.items()) object[key] = value;
  return object;
}

FlatNest flat_nest_from(const Json& object) {
  expect_keys(object, flat_nest_keys(), "nests", "an entry of \"nests\"");
  FlatNest read;
  read.einsum = text_of(object, "einsum");
  read.extents = list_in<std::int64_t>(object, "extents", "numbers");
  read.streamed = list_in<std::string>(object, "streamed", "texts");
  read.room = number_of(object, "room");
  const std::string sums = text_of(object, "sums");
  if (sums != "new" && sums != "old") throw BadKey("sums", "sums are \"new\" or \"old\"", "");
  read.old_sums = sums == "old";
  Certificate implied;
  implied.objective = Objective::Energy;
  Json proof = object;
  const Json all = json_of(implied);
  for (const std::string& key : implied_keys()) {
    if (all.contains(key)) proof[key] = all[key];
  }
  read.proof = certificate_from(proof);
  return read;
}

}  // namespace

const std::vector<std::string>& flat_certificate_keys() {
  static const std::vector<std::string> known = {
      kFlatKey, "among",     "architecture", "cascade", "shared", "longest_group",
      "plan",   "energy_pj", "bound",        "groups",  "nests"};
  return known;
}

FlatCertificate flat_certificate_from(const Json& object) {
  FlatCertificate read;
  read.version = static_cast<int>(std::min<std::int64_t>(number_of(object, kFlatKey), 1 << 30));
  read.among = flat_nests_of(object);
  read_statement(object, read);
  read.bound = text_of(object, "bound");
  const Json& groups = value_of_key(object, "groups");
  if (!groups.is_array()) throw BadKey("groups", "\"groups\" is not a list of lists", "");
  for (const Json& row : groups) {
    read.groups.push_back(list_in<std::string>(Json{{"groups", row}}, "groups", "lists of texts"));
  }
  const Json& nests = value_of_key(object, "nests");
  if (!nests.is_array()) throw BadKey("nests", "\"nests\" is not a list of nests", "");
  for (const Json& nest : nests) read.nests.push_back(flat_nest_from(nest));
  return read;
}

Json json_of(const FlatCertificate& certificate) {
  Json object;
  object[kFlatKey] = certificate.version;
  object["among"] = flat_among(certificate.among);
  write_statement(certificate, object);
  object["bound"] = certificate.bound;
  object["groups"] = certificate.groups;
  Json& nests = object["nests"] = Json::array();
  for (const FlatNest& nest : certificate.nests) nests.push_back(json_of(nest));
  return object;
}

std::string write_certificate(const FlatCertificate& certificate) {
  return text_of_json(json_of(certificate));
}

// Quotes inside texts are escaped, so only a key or a whole text looks like this.
bool is_flat_certificate(std::string_view text) {
  return text.find(fmt::format("\"{}\"", kFlatKey)) != std::string_view::npos;
}

Checked<FlatCertificate> read_flat_certificate(std::string_view text, const std::string& file) {
  return read_json_keys<FlatCertificate>(text, file, flat_certificate_keys(),
                                         flat_certificate_from);
}

}  // namespace tilewright::certificate
