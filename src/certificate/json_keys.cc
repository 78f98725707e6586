#include "certificate/json_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/json_text.h"
#include "base/text.h"
#include "certificate/exact.h"

namespace tilewright::certificate {

namespace {

// Quotes inside texts are escaped, so only a key or a whole text looks like this.
SourcePosition key_position(std::string_view text, const std::string& key,
                            const std::string& file) {
  const std::size_t found = text.find('"' + key + '"');
  return found == std::string_view::npos ? SourcePosition{file, 0, 0}
                                         : position_of(text, found, file);
}

// Keys of an object stand once, and those of the outer one are known.
class KeyWatch {
 public:
  explicit KeyWatch(const std::vector<std::string>& keys) : keys_(keys) {}

  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    // Every value takes memory; a proof has many lines.
    constexpr std::size_t kMostValues = std::size_t{1} << 20U;
    if (event == Json::parse_event_t::value && ++values_ > kMostValues) {
      throw BadKey("proof", "there are more than 1,048,576 values", "");
    }
    if (event == Json::parse_event_t::object_start) seen_.emplace_back();
    if (event == Json::parse_event_t::object_end) seen_.pop_back();
    if (event != Json::parse_event_t::key) return true;
    const auto key = parsed.get<std::string>();
    if (!seen_.back().insert(key).second) complain(key, "stands twice", "");
    if (depth == 1 && std::find(keys_.begin(), keys_.end(), key) == keys_.end()) {
      const auto match = closest_match(key, keys_);
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

  const std::vector<std::string>& keys_;
  std::size_t values_ = 0;
  std::vector<std::set<std::string>> seen_;  // of the objects around
  std::optional<BadKey> first_;
};

}  // namespace

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

Json wide_number(Int128 number) {
  if (number <= kCountLimit) return static_cast<std::int64_t>(number);
  return fmt::format("{}", number);
}

Int128 wide_number_of(const Json& object, const char* key) {
  if (!value_of_key(object, key).is_string()) return number_of(object, key);
  const std::optional<BigUint> number = read_decimal(text_of(object, key), 0);
  if (!number || number->bit_count() > 124) {
    throw BadKey(key, fmt::format("\"{}\" is not a whole number from 0 to 2^124", key), "");
  }
  return number->wide();
}

void expect_keys(const Json& object, const std::vector<std::string>& keys, const char* within,
                 const std::string& what) {
  if (!object.is_object()) throw BadKey(within, what + " is not an object", "");
  for (const auto& [key, value] : object.items()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    throw BadKey(key, fmt::format("\"{}\" is not a key of {}", key, what), "");
  }
}

std::string text_of_json(const Json& object) {
  return object.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

std::vector<Diagnostic> read_json_object(std::string_view text, const std::string& file,
                                         const std::vector<std::string>& keys,
                                         const std::function<void(const Json&)>& take) {
  const auto refuse = [](const SourcePosition& where, const std::string& message,
                         const std::string& hint) {
    return std::vector<Diagnostic>{{where, message, hint}};
  };
  if (const auto problem = find_json_problem(text)) {
    return refuse(position_of(text, problem->byte, file), problem->message, "");
  }
  try {
    KeyWatch watch(keys);
    const Json object = Json::parse(text, [&](int depth, Json::parse_event_t event, Json& parsed) {
      return watch(depth, event, parsed);
    });
    if (!object.is_object()) {
      return refuse({file, 1, 1}, "this is no certificate", "write a JSON object");
    }
    if (watch.first()) throw BadKey(*watch.first());
    take(object);
    return {};
  } catch (const Json::parse_error& error) {
    const std::size_t byte = error.byte == 0 ? 0 : error.byte - 1;
    return refuse(position_of(text, byte, file), "this is not JSON", "");
  } catch (const BadKey& bad) {
    return refuse(key_position(text, bad.key, file), bad.what(), bad.hint);
  }
}

}  // namespace tilewright::certificate
