#include <fmt/format.h>

#include "base/text.h"
#include "tilewright/arch.h"

namespace tilewright {

namespace {

using Problems = std::vector<std::string>;

std::int64_t instances_of(const Fanout& fanout) { return fanout.x.size * fanout.y.size; }

// The fan-out that is the array; complains if there is none, or no telling which.
std::optional<LevelId> find_array(const Architecture& arch, const Flexibility& flexibility,
                                  Problems& problems) {
  if (flexibility.array) {
    const auto level = arch.find_level(*flexibility.array);
    if (level && std::holds_alternative<Fanout>(arch.level(*level))) return level;
    add_text(problems, "array names {}, which is no fan-out", *flexibility.array);
    return std::nullopt;
  }
  std::vector<LevelId> found;
  for (int i = 0; i < arch.level_count(); ++i) {
    const auto* fanout = std::get_if<Fanout>(&arch.level(LevelId{i}));
    if (fanout != nullptr && instances_of(*fanout) > 1) found.push_back(LevelId{i});
  }
  if (found.size() == 1) return found.front();
  std::string names;
  for (const LevelId level : found) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(arch.level(level)));
  }
  problems.push_back(
      found.empty() ? "array: there is no fan-out with more than one instance"
                    : fmt::format("array: there are several fan-outs ({}); name the one meant, "
                                  "such as array={} on a line",
                                  names, name_of(arch.level(found.back()))));
  return std::nullopt;
}

// The memory whose tiles are meant: the one named, or the next outside the array.
std::optional<LevelId> find_buffer(const Architecture& arch, const Flexibility& flexibility,
                                   LevelId array, Problems& problems) {
  if (flexibility.buffer) {
    const auto level = arch.find_level(*flexibility.buffer);
    if (level && std::holds_alternative<Memory>(arch.level(*level)) && *level < array) return level;
    add_text(problems, "buffer names {}, which is no memory outside the array",
             *flexibility.buffer);
    return std::nullopt;
  }
  for (int i = index_of(array); i-- > 0;) {
    if (std::holds_alternative<Memory>(arch.level(LevelId{i}))) return LevelId{i};
  }
  problems.push_back("buffer: there is no memory outside the array");
  return std::nullopt;
}

// The memory whose loops make a tile that is built in.
std::optional<LevelId> find_tile(const Architecture& arch, const Flexibility& flexibility,
                                 const FlexibleParts& parts, Problems& problems) {
  if (!flexibility.tile_of) return parts.buffer;
  const auto level = arch.find_level(*flexibility.tile_of);
  if (level && std::holds_alternative<Memory>(arch.level(*level)) && *level > parts.array) {
    return level;
  }
  add_text(problems, "tile_of names {}, which is no memory inside the array", *flexibility.tile_of);
  return std::nullopt;
}

std::optional<FlexibleParts> find_parts(const Architecture& arch, const Flexibility& flexibility,
                                        Problems& problems) {
  const auto array = find_array(arch, flexibility, problems);
  if (!array) return std::nullopt;
  const auto buffer = find_buffer(arch, flexibility, *array, problems);
  if (!buffer) return std::nullopt;
  FlexibleParts parts{*buffer, *array, instances_of(std::get<Fanout>(arch.level(*array))), {}};
  const auto tile = find_tile(arch, flexibility, parts, problems);
  if (!tile) return std::nullopt;
  parts.tile = *tile;
  return parts;
}

void check_buffer(const Memory& buffer, const TileFreedom& tile, Problems& problems) {
  if (tile.kind != TileFreedom::Kind::Hard) return;
  if (buffer.capacity.unit == Capacity::Unit::Unlimited) {
    add_text(problems, "tile shares out {}, which has no limit to its capacity", buffer.name);
    return;
  }
  if (!buffer.partitions.empty()) {
    add_text(problems, "tile shares out {}, which has partitions already", buffer.name);
  }
  for (const Rational& share : tile.shares) {
    const Int128 above = static_cast<Int128>(buffer.capacity.amount) * share.numerator;
    if (share.numerator < 1 || above >= share.denominator) continue;  // or nothing is right
    add_text(problems, "tile has a share of {} of {}, which is nothing of its {}", to_string(share),
             buffer.name, to_string(buffer.capacity));
  }
}

}  // namespace

std::optional<FlexibleParts> parts_of(const Architecture& arch, const Flexibility& flexibility) {
  Problems ignored;
  return find_parts(arch, flexibility, ignored);
}

void settle_shape(const Architecture& arch, Flexibility& flexibility) {
  if (flexibility.shape != ShapeFreedom{}) return;
  const auto parts = parts_of(arch, flexibility);
  if (!parts) return;
  const auto& array = std::get<Fanout>(arch.level(parts->array));
  flexibility.shape.unit = {array.y.size, array.x.size};
}

std::vector<std::string> problems_of(const Architecture& arch, const Flexibility& flexibility) {
  Problems problems;
  const auto parts = find_parts(arch, flexibility, problems);
  const auto pes = parts ? std::optional(parts->pes) : std::nullopt;
  const Problems of_axes = problems_of(flexibility, pes);
  append(problems, of_axes);
  for (const Level& level : arch.levels) {
    const auto* fanout = std::get_if<Fanout>(&level);
    if (fanout == nullptr) continue;
    if (fanout->shares_halos) {
      add_text(
          problems,
          "{} shares halos, which cannot be set layer by layer yet; leave out \"halo: shared\"",
          fanout->name);
    }
    if (!fanout->is_systolic()) continue;
    add_text(problems,
             "{} is a systolic array, which cannot be set layer by layer yet; leave out its fill "
             "and preload",
             fanout->name);
  }
  if (!parts) return problems;
  check_buffer(std::get<Memory>(arch.level(parts->buffer)), flexibility.tile, problems);
  constexpr std::int64_t kMostShapes = std::int64_t{1} << 20;
  if (flexibility.shape.kind != ShapeFreedom::Kind::Fixed && parts->pes > kMostShapes) {
    add_text(problems, "shape can change; the array may have {} PEs then", kMostShapes);
  }
  return problems;
}

}  // namespace tilewright
