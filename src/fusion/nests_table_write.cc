// The nests of a table, written down from the outside in.
#include <algorithm>

#include "fusion/nests_table.h"

namespace tilewright::fusion {

void NestTable::write_unrolling(std::size_t stage, std::size_t outer, std::size_t inner,
                                NestOutline& outline) const {
  const int fanout = stack().stages()[stage].number;
  const PerDim outside = lattice().extents(outer), inside = lattice().extents(inner);
  // The bounds of both axes together are unique; so is their split.
  const auto& all = stack().unrollings(fanout);
  const auto found = std::find_if(all.begin(), all.end(), [&](const Unrolling& one) {
    for (int d = 0; d < stack().flat().dims; ++d) {
      if (outside[at(d)] != inside[at(d)] * one.bounds[at(d)]) return false;
    }
    return true;
  });
  outline.unroll(fanout, *found);
}

NestTable::Place NestTable::write_path(const std::vector<PointStep>& steps, std::uint32_t last,
                                       std::size_t tile, int memory, NestOutline& outline) const {
  for (std::uint32_t number = last;;) {
    const PointStep& step = steps[number];
    outline.add_loops(memory, lattice().extents(tile), lattice().extents(step.tile));
    outline.add_point(memory, step.placed);
    tile = step.tile;
    if (step.begins) return {step.before, tile};
    number = step.before;
  }
}

// Back to the stage whose memory has the points, with the place there of the nest without points.
std::size_t NestTable::write_points(std::uint32_t number, std::size_t tile, Place& place,
                                    NestOutline& outline) const {
  for (;;) {
    const PointOrigin& from = point_origins_[number];
    const NestStack::Stage& stage = stack().stages()[from.stage];
    if (stage.kind == NestStack::Stage::Kind::Edge) {
      place = write_path(point_steps_[from.stage], from.from, tile, stage.number, outline);
      return from.stage;
    }
    write_unrolling(from.stage, tile, from.tile, outline);
    tile = from.tile;
    number = from.from;
  }
}

void NestTable::write_nest(std::size_t row, std::size_t tile, NestOutline& outline) const {
  // Rows of stage number s are what the stages before it have made.
  for (std::size_t s = stack().stages().size(); s > 0;) {
    const Origin& from = stages_[s][row].from[tile];
    if (from.kind == Origin::Kind::WithPoints) {
      Place place;
      s = write_points(from.label, tile, place, outline);
      row = place.row;
      tile = place.tile;
      continue;
    }
    const NestStack::Stage& stage = stack().stages()[s - 1];
    if (stage.kind == NestStack::Stage::Kind::Loops) {
      outline.add_loops(stage.number, lattice().extents(tile), lattice().extents(from.tile));
    } else if (stage.kind == NestStack::Stage::Kind::Fanout) {
      write_unrolling(s - 1, tile, from.tile, outline);
    }
    if (from.kind == Origin::Kind::Inside) --s;
    row = from.label;
    tile = from.tile;
  }
}

}  // namespace tilewright::fusion
