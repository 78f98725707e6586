#include "mapping_fields.h"

#include <array>

#include "member_fields.h"

namespace tilewright::io {

namespace {

template <auto Member>
constexpr Field<OwnerOf<Member>> part(FieldText text) {
  using Owner = OwnerOf<Member>;
  return {text, [](Context&, const Node& node, Owner& owner) { (owner.*Member).node = &node; },
          [](const Owner& owner) -> std::optional<std::string> {
            const std::string& written = (owner.*Member).text;
            if (written.empty()) return std::nullopt;
            return written;
          }};
}

constexpr Field<MappingFile> mapping_name_field() {
  return {{"mapping", kNameForm, "none", "a name for the reader alone"},
          [](Context& context, const Node& node, MappingFile&) { read_name(context, node); },
          [](const MappingFile&) -> std::optional<std::string> { return std::nullopt; }};
}

constexpr auto kMappingFields = std::to_array<Field<MappingFile>>({
    mapping_name_field(),
    part<&MappingFile::padded>({"padded", kPaddedForm, "the sizes of the workload",
                                "sizes that dimensions are padded to, as the map-space pfm-pad "
                                "pads them; what is added is work like any other"}),
    part<&MappingFile::levels>({"levels", "a map from levels to their loops", nullptr,
                                "memories and fan-outs by name; those without loops may be "
                                "left out"}),
});

constexpr auto kMemoryEntryFields = std::to_array<Field<MemoryEntry>>({
    part<&MemoryEntry::loops>({"loops", kLoopsForm, "no loop",
                               "dimensions and bounds, outermost first; \"last\" gives the "
                               "iterations of the last pass where they are fewer"}),
    part<&MemoryEntry::keep>({"keep", kTensorsForm, "all that are free",
                              "tensors kept here, of those the architecture leaves free"}),
    part<&MemoryEntry::bypass>({"bypass", kTensorsForm, "none",
                                "tensors that pass by, of those the architecture leaves free"}),
});

constexpr auto kFanoutEntryFields = std::to_array<Field<FanoutEntry>>({
    part<&FanoutEntry::x>({"x", kLoopsForm, "no loop", "dimensions unrolled along x"}),
    part<&FanoutEntry::y>({"y", kLoopsForm, "no loop", "dimensions unrolled along y"}),
});

}  // namespace

FieldTable<MappingFile> mapping_fields() { return kMappingFields; }
FieldTable<MemoryEntry> memory_entry_fields() { return kMemoryEntryFields; }
FieldTable<FanoutEntry> fanout_entry_fields() { return kFanoutEntryFields; }

}  // namespace tilewright::io
