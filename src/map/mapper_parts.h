// What several mappers have in common: options, and results without a proof.
#pragma once

#include "tilewright/map.h"

namespace tilewright {

inline constexpr MapperOption kEvaluations{
    .name = "evaluations",
    .help = "see at most this many mappings (per layer)",
    .least = 1,
    .limit = [](const OptionValue& value, Limits& limits) {
      limits.evaluations = static_cast<std::uint64_t>(std::get<std::int64_t>(value));
    }};

inline constexpr MapperOption kTarget{
    .name = "target",
    .kind = MapperOption::Kind::Positive,
    .help = "stop at this value of the objective (in pJ and cycles: pJ*cycles of an EDP)",
    .limit = [](const OptionValue& value, Limits& limits) {
      limits.target = std::get<double>(value);
    }};

inline constexpr MapperOption kGap{
    .name = "gap",
    .kind = MapperOption::Kind::Share,
    .help =
        "the optimal mapper may stop when nothing can be better by more than this share, "
        "such as 0.01",
    .fallback = "0",
    .limit = [](const OptionValue& value, Limits& limits) {
      limits.gap = std::get<double>(value);
    }};

inline constexpr MapperOption kMemory{.name = "memory",
                                      .kind = MapperOption::Kind::Bytes,
                                      .help = "that the optimal mapper may use, such as 512MiB",
                                      .fallback = "2GiB",
                                      .limit = [](const OptionValue& value, Limits& limits) {
                                        limits.memory_bytes = std::get<std::int64_t>(value);
                                      }};

// No limit, but with one name for all that draw.
inline constexpr MapperOption kSeed{
    .name = "seed", .help = "of the random and the genetic search", .fallback = "1"};

// The result of a search that proves nothing.
inline MapperResult result_of(SearchResult search) {
  MapperResult result;
  result.status = search.best ? MapperResult::Status::Found : MapperResult::Status::NothingValid;
  result.search = std::move(search);
  return result;
}

}  // namespace tilewright
