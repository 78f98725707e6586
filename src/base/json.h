// A JSON value to be written. Everything that takes code is in the .cc file: results are
// described by hundreds of members, and each would bring a copy of it along.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/base.h"

namespace tilewright {

class Json {
 public:
  struct Member;

  Json();  // null
  Json(std::nullptr_t) : Json() {}
  template <std::same_as<bool> Truth>  // no pointer is one
  Json(Truth value) : Json(Written{value ? "true" : "false"}) {}
  template <std::integral Whole>
    requires(!std::same_as<Whole, bool>)
  Json(Whole value) : Json(static_cast<Int128>(value)) {}
  Json(Int128 value);
  Json(double value);  // null if it is not finite; otherwise it has a point or an exponent
  Json(const char* text) : Json(std::string_view(text)) {}
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(std::string_view text);  // bytes that are no UTF-8 become U+FFFD
  template <typename Element>
  Json(const std::vector<Element>& values) : Json(array()) {
    for (const Element& value : values) push_back(value);
  }
  Json(std::initializer_list<Member> members);  // an object
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  static Json array();
  static Json object();

  // A member of an object, new ones at its end. Null becomes an object.
  Json& operator[](std::string_view key);
  // Takes all members of another object; those that have a value already get a new one.
  void update(const Json& object);
  void push_back(Json value);

  // Two spaces for each level, and no line end after the last line.
  std::string to_text() const;

 private:
  enum class Kind { Plain, List, Object };
  struct Written {
    std::string text;
  };

  explicit Json(Written written);
  explicit Json(Kind kind);

  void write(std::string& out, std::size_t indent) const;

  Kind kind_ = Kind::Plain;
  std::string text_;             // of a plain value, as it is written
  std::vector<Member> members_;  // those of a list have no keys
};

struct Json::Member {
  Member(std::string_view key, Json value);
  Member(const Member& other);
  Member(Member&& other) noexcept;
  Member& operator=(const Member& other);
  Member& operator=(Member&& other) noexcept;
  ~Member();

  std::string key;
  Json value;
};

}  // namespace tilewright
