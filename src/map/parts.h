// What the files of this module share.
#pragma once

#include "tilewright/map.h"

namespace tilewright::map {

MapOutcome failed(MapOutcome::Status status, std::vector<Diagnostic> problems);
bool is_cancelled(const MapOptions& options);

// The options of each of several searches that share the limits.
MapOptions shared_out(const MapOptions& options, std::size_t searches);
// Takes back what was proven, where part of the space was not looked at.
void give_up_proof(MapOutcome& outcome);

// An architecture that leaves nothing to set up; the workload as it is.
MapOutcome map_one(const Workload& workload, const Architecture& arch, const MapOptions& options);
// The same, with padded workloads if the options say so.
MapOutcome map_fixed(const Workload& workload, const Architecture& arch, const MapOptions& options);
// The settings of a flexible architecture under its constraints and more.
struct SettingsToSearch {
  Architecture constrained;  // the architecture with all constraints
  std::vector<Setting> settings;
};
Checked<SettingsToSearch> settings_to_search(const Workload& workload, const Architecture& arch,
                                             const std::vector<Constraint>& more);
// All settings of a flexible architecture.
MapOutcome map_flexible(const Workload& workload, const Architecture& arch,
                        const MapOptions& options);

// Where uneven mappings of a setting of a flexible architecture are searched; marks memories of
// the architecture as it is set up.
Evenness evenness_of_setting(const Architecture& flexible, Evenness evenness, Architecture& set_up);
// The same by a mapper that searches all settings at once. Nothing if it found nothing and
// cannot say whether there is anything.
std::optional<MapOutcome> map_settings_together(const Workload& workload, const Architecture& arch,
                                                const MapOptions& options,
                                                const std::vector<Setting>& settings);
// The same by a mapper that proves, with all settings as one map-space. Nothing if they are not
// one, or if it has nothing to say of them. What it found may be no more than a mapping with a
// bound.
std::optional<MapOutcome> map_settings_as_one(const Workload& workload, const Architecture& arch,
                                              const Architecture& constrained,
                                              const MapOptions& options,
                                              const std::vector<Setting>& settings);

// Makes an even mapping better by moving storage points and loops, where uneven mappings are
// searched, too, and nothing is proven.
void move_points(const MappingTask& task, const MapOptions& options, MapOutcome& outcome);

// All ways to deal out the roles of the inputs.
MapOutcome map_any_roles(const Workload& workload, const Architecture& arch,
                         const MapOptions& options);
// The roles as they are.
MapOutcome map_as_given(const Workload& workload, const Architecture& arch,
                        const MapOptions& options);

// What a quick search with remainders in space saves, if it is much and perfect factors
// leave instances idle.
std::optional<RemainderGain> gain_of_remainders(const MapOutcome& outcome,
                                                const MapOptions& options);

// Puts mappings in place of each layer's own best that make the network's EDP small.
// `on_layer` is told which layer is mapped again, and for the how many-th price.
void lower_network_edp(const Network& network, const Architecture& arch, const MapOptions& options,
                       NetworkOutcome& outcome,
                       const std::function<void(std::size_t layer, int price)>& on_layer);

// The better of two outcomes of the same workload, with the work of both.
MapOutcome combined(MapOutcome a, MapOutcome b, Objective objective);

}  // namespace tilewright::map
