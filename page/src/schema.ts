// Made from docs/json.schema.json by tools/json_schema.py.

export type EvaluationDocument = Evaluation & {
  schema: "tilewright.evaluation.v1";
  command: string | null;
  hardware: Architecture;
  remarks: Array<string>;
};

export type Evaluation = {
  workload: Workload;
  architecture: string;
  accounting: "exact" | "timeloop";
  tensor_words: Record<string, number>;
  nest: Array<Slot>;
  energy_pj: number;
  cycles: number;
  edp_pj_cycles: number;
  utilisation: number;
  useful_macs: number;
  useful_share: number;
  area_um2: number;
  bottleneck: Bottleneck;
  compute: Compute;
  memories: Array<Memory>;
  fanouts: Array<Fanout>;
  rates: Rates;
  systolic?: Systolic;
  speed?: Speed;
  roofline?: Roofline;
};

export type Slot = {
  level: string;
  kind: "temporal" | "spatial_x" | "spatial_y";
  loops: Array<Loop>;
  keeps?: Array<string>;
  memory?: string;
};

export type Loop = {
  dim: string;
  bound: number;
  last: number;
};

export type Bottleneck = {
  level: string;
  port: string;
};

export type Speed = {
  clock_hz: number;
  seconds: number;
  watts: number;
  useful_tops: number;
  peak_tops: number;
  useful_tops_per_watt: number | null;
  peak_tops_per_watt: number | null;
  edp_joule_seconds: number;
};

export type Roofline = {
  roof: string;
  compute_roof_tops: number;
  memories: Array<Roof>;
};

export type Roof = {
  level: string;
  bytes: number;
  operations_per_byte: number | null;
  roof_tops: number | null;
};

export type Compute = {
  macs: number;
  instances: number;
  cycles: number;
  energy_pj: number;
};

export type Systolic = {
  stationary: string;
  memory: string;
  changes: number;
  fill_cycles: number;
  preload_cycles: number;
};

export type Memory = {
  level: string;
  memory: string;
  instances: number;
  extents: Record<string, number>;
  tensors: Array<HeldTensor>;
  leakage_pj: number;
  cycles: PortCycles;
};

export type HeldTensor = {
  tensor: string;
  tile_words: number;
  room_share: number | null;
  refilled_by: Refill | null;
  total: Traffic;
  busiest_instance: Traffic;
  reductions: number;
  sharing: number;
  energy_pj: AccessEnergy;
};

export type Traffic = {
  reads: number;
  fills: number;
  updates: number;
};

export type AccessEnergy = {
  read: number;
  fill: number;
  update: number;
  sum: number;
};

export type PortCycles = {
  read: number | null;
  write: number | null;
  shared: number | null;
};

export type Fanout = {
  level: string;
  used_x: number;
  used_y: number;
  words: Record<string, number>;
  network_pj: number;
};

export type MapDocument = Outcome & {
  schema: "tilewright.map.v1";
  command: string | null;
  hardware?: Architecture;
};

export type Outcome = {
  status: string;
  cancelled: boolean;
  problems: Array<string>;
  remarks: Array<string>;
  search?: Search;
  result?: Evaluation;
};

export type Search = {
  mapper: string;
  found_by: string | null;
  objective: string;
  mapspace: string;
  padded: boolean;
  space_size: string | null;
  useful_macs: number;
  seed: number;
  population: number;
  generations: number;
  brood: string;
  patience: number;
  most_loops: number;
  unrollings: number;
  iterations: number;
  dataflows: number;
  timeout: number;
  victory_condition: number;
  max_permutations_per_if_visit: number;
  quickflow: string;
  starts: number | null;
  parallelism_hops: number | null;
  tiling_hops: number | null;
  both_hops: number | null;
  best_hops: number | null;
  beam: number | null;
  widenings: number | null;
  tie_break: string | null;
  seen: number;
  valid: number;
  seconds: number;
  end: string;
  proof: Proof | null;
  setting: Setting | null;
  roles: Array<RolesTried>;
  failures: Array<Failure>;
};

export type Proof = {
  proven: boolean;
  among: string;
  bound: number;
  gap: number | null;
  end: string;
  frames: number;
  frames_opened: number;
};

export type Setting = {
  rows: number;
  columns: number;
  parallel: string;
  order: string;
  settings: number;
  settings_searched: number;
  flexibility_um2: number;
  area_overhead: number;
};

export type RolesTried = {
  assignment: string;
  status: string;
  value: number | null;
  proven: boolean;
};

export type Failure = {
  count: number;
  level: string;
  closest: string;
  needed: number;
  available: number;
};

export type MappedNetworkDocument = {
  schema: "tilewright.mapped_network.v1";
  command: string | null;
  hardware: Architecture;
  network: string;
  architecture: string;
  complete: boolean;
  totals: Totals | null;
  network_edp: NetworkEdp | null;
  network_objective: NetworkObjective | null;
  layers: Array<MappedLayer>;
  remarks: Array<string>;
};

export type Totals = {
  energy_pj: number;
  cycles: number;
  edp_pj_cycles: number;
  utilisation: number;
  speed?: NetworkSpeed;
};

export type NetworkSpeed = Speed & {
  inferences_per_second: number;
  joules_per_inference: number;
};

export type NetworkEdp = {
  proven: boolean;
  bound_pj_cycles: number | null;
  gap: number | null;
  makes_small: string;
  cycle_price_pj: number | null;
  prices_tried: number;
  each_layer: Cost;
};

export type NetworkObjective = {
  proven: boolean;
  bound: number | null;
  gap: number | null;
  makes_small: string;
  cycle_price_pj: number | null;
  prices_tried: number;
  each_layer: Cost;
};

export type Cost = {
  energy_pj: number;
  cycles: number;
  edp_pj_cycles: number;
};

export type MappedLayer = Outcome & {
  name: string;
  count: number;
  same_as: number;
  macs: number;
};

export type ComparisonDocument = {
  schema: "tilewright.comparison.v1";
  command: string | null;
  work: string;
  a: string;
  b: string;
  totals: BothCosts;
  layers: Array<ComparedLayer>;
  levels: Array<Difference>;
  tensors: Array<Difference>;
  differences: Array<Difference>;
};

export type BothCosts = {
  a: Cost;
  b: Cost;
};

export type ComparedLayer = {
  name: string;
  count: number;
  a: SideCost | null;
  b: SideCost | null;
};

export type SideCost = Cost & {
  limited_by: string;
};

export type Difference = {
  what: string;
  a_pj: number;
  b_pj: number;
  difference_pj: number;
};

export type ParetoDocument = {
  schema: "tilewright.pareto.v1";
  command: string | null;
  hardware: Architecture;
  mapspace: string;
  complete: boolean;
  among: string;
  end: string;
  frames: number;
  seconds: number;
  points: Array<Evaluation>;
  remarks: Array<string>;
  settings: FrontSettings | null;
};

export type FrontSettings = {
  settings: number;
  settings_searched: number;
  of_points: Array<string>;
};

export type SpaceDocument = {
  schema: "tilewright.space.v1";
  workload: string;
  architecture: string;
  mapspace: string;
  chains: Record<string, string>;
  tilings: string;
  mean_orders: number;
  bypasses: string;
  mappings: string;
  even_and_uneven: string | null;
  among: string;
  remarks: Array<string>;
};

export type FlexSpaceDocument = {
  schema: "tilewright.flex_space.v1";
  workload: string;
  architecture: string;
  flexibility: string;
  mapspace: string;
  among: string;
  settings: Array<SpaceOfSetting>;
  sum: string;
  different: string | null;
  remarks: Array<string>;
};

export type SpaceOfSetting = {
  rows: number;
  columns: number;
  parallel: string;
  order: string;
  unrolled: string;
  mappings: string;
};

export type FlexionDocument = {
  schema: "tilewright.flexion.v1";
  name: string;
  architecture: string;
  flexibility: string;
  class: string;
  layers: Array<FlexionLayer>;
  mean: Array<MeanFlexion>;
  joint_mean: JointMean;
};

export type FlexionLayer = {
  name: string;
  count: number;
  axes: Array<AxisFlexion>;
  joint: JointFlexion;
};

export type AxisFlexion = {
  axis: string;
  class_space: string;
  accelerator_space: string;
  workload_space: string;
  class_workload_space: string;
  accelerator_workload_space: string;
  hardware_flexion: number;
  workload_flexion: number;
  interval: Interval | null;
  class_interval: Interval | null;
};

export type JointFlexion = {
  class_space: string;
  accelerator_space: string;
  workload_space: string;
  class_workload_space: string;
  accelerator_workload_space: string;
  hardware_flexion: number;
  workload_flexion: number;
  interval: Interval | null;
};

export type MeanFlexion = {
  axis: string;
  class_space: number;
  accelerator_space: number;
  workload_space: number;
  class_workload_space: number;
  accelerator_workload_space: number;
  hardware_flexion: number;
  workload_flexion: number;
  interval: Interval | null;
};

export type JointMean = {
  hardware_flexion: number;
  workload_flexion: number;
};

export type Interval = {
  low: number;
  high: number;
};

export type WorkloadDocument = Workload & {
  schema: "tilewright.workload.v1";
};

export type Workload = {
  name: string;
  einsum: string;
  dims: Record<string, number>;
  macs: number;
  tensors: Array<Tensor>;
};

export type Tensor = {
  name: string;
  role: "input" | "weight" | "output";
  bits: number;
  ranks: Array<Array<Term>>;
};

export type Term = {
  dim: string;
  coefficient: number;
};

export type ArchitectureDocument = Architecture & {
  schema: "tilewright.architecture.v1";
};

export type Architecture = {
  name: string;
  source: string;
  technology: string;
  accounting: string;
  first_sums: string;
  leakage_of: string;
  area_um2: number;
  levels: Array<Level>;
  constraints: Array<Constraint>;
  flexibility: string | null;
  clock_hz?: number;
};

export type Level = (MemoryLevel | FanoutLevel | ComputeLevel) & {
  name: string;
  instances: number;
  made_as?: string;
  estimated?: Array<string>;
  error_factor?: number;
  imported?: Imported;
};

export type Imported = {
  from: string;
  keys: Array<string>;
};

export type MemoryLevel = {
  kind: "memory";
  capacity: Capacity | null;
  partitions: Record<string, Capacity>;
  word_bits: number;
  block_words: number;
  read_pj: number;
  write_pj: number;
  update_pj: number;
  energy_of_bits: boolean;
  read_words_per_cycle: number | null;
  write_words_per_cycle: number | null;
  shared_words_per_cycle: number | null;
  leakage_pj_per_cycle: number;
  area_um2: number;
  keep: Array<string> | null;
  bypass: Array<string>;
  free: Array<string>;
  double_buffered: boolean;
  accumulates_in_place: boolean;
  dims: Array<string> | null;
};

export type Capacity = {
  words?: number;
  bits?: number;
};

export type FanoutLevel = {
  kind: "fanout";
  x: Axis;
  y: Axis;
  multicast: boolean;
  reduction: boolean;
  word_pj: number;
  halo?: "shared";
  stationary?: string;
  fill?: string;
  preload?: string;
};

export type Axis = {
  size: number;
  dims: Array<string> | null;
};

export type ComputeLevel = {
  kind: "compute";
  macs: number;
  cycles: number;
  mac_pj: number;
  area_um2: number;
};

export type Constraint = (FactorRule | OrderRule | DimsRule | ResidenceRule | UseRule) & {
  text: string;
  level: string;
  axis: string | null;
};

export type FactorRule = {
  kind: "factor";
  dim: string;
  relation: string;
  bound: number | null;
};

export type OrderRule = {
  kind: "order";
  outermost: Array<string>;
  innermost: Array<string>;
};

export type DimsRule = {
  kind: "dims";
  dims: Array<string>;
};

export type ResidenceRule = {
  kind: "residence";
  keep: Array<string>;
  bypass: Array<string>;
};

export type UseRule = {
  kind: "use";
  least_use: number;
};

export type ArchitecturesDocument = {
  schema: "tilewright.architectures.v1";
  architectures: Array<ArchitectureSummary>;
};

export type ArchitectureSummary = {
  name: string;
  technology: string;
  levels: number;
  compute_instances: number;
};

export type FlexStudyDocument = {
  schema: "tilewright.flex_study.v1";
  architecture: string;
  objective: string;
  mapper: string;
  seed: number;
  design: FoundDesign | null;
  variants: Array<Variant>;
};

export type FoundDesign = {
  proven: boolean;
  gap: number | null;
  stopped: string;
  nodes: number;
  designs_mapped: number;
};

export type Variant = {
  name: string;
  flexibility: string;
  area_overhead: number;
  onchip_energy_overhead: number;
  hardware_flexion: number | null;
  workload_flexion: number | null;
  results: Array<VariantResult>;
};

export type VariantResult = {
  network: string;
  complete: boolean;
  relative: number | null;
  proven: boolean;
  cycles: number | null;
  energy_pj: number | null;
  layers: Array<VariantLayer>;
};

export type VariantLayer = {
  name: string;
  count: number;
  cycles: number | null;
  energy_pj: number | null;
  setting: string | null;
};

export type ArenaDocument = {
  schema: "tilewright.arena.v1";
  objective: string;
  space: string;
  seed: number;
  standings: Array<Standing>;
  layers: Array<ArenaLayer>;
};

export type Standing = {
  mapper: string;
  layers: number;
  found: number;
  within_1_percent: number;
  mean_ratio: number | null;
  worst_ratio: number | null;
  seconds: number;
  mappings_seen: number;
};

export type ArenaLayer = {
  architecture: string;
  network: string;
  layer: string;
  best: number | null;
  proven: boolean;
  runs: Array<Run>;
};

export type Run = {
  mapper: string;
  found: boolean;
  value: number | null;
  ratio: number | null;
  energy_pj: number | null;
  cycles: number | null;
  seconds: number;
  mappings_seen: number;
  steps: Array<SearchStep>;
};

export type SearchStep = {
  mappings_seen: number;
  mappings_valid: number;
  value: number;
  ratio: number | null;
};

export type FlexClassesDocument = {
  schema: "tilewright.flex_classes.v1";
  architectures: Array<FlexibleArchitecture>;
};

export type FlexibleArchitecture = {
  architecture: string;
  class: string;
  pes: number;
  axes: FlexibleAxes;
};

export type FlexibleAxes = {
  tile: FlexibleAxis;
  order: FlexibleAxis;
  parallel: FlexibleAxis;
  shape: FlexibleAxis;
};

export type FlexibleAxis = {
  degree: string;
  described: string;
  because: string;
};

export type NetworksDocument = {
  schema: "tilewright.networks.v1";
  networks: Array<NetworkSummary>;
};

export type NetworkSummary = {
  name: string;
  description: string;
  source: string;
  layer_count: number;
  distinct_layers: number;
  macs: number;
};

export type NetworkDocument = NetworkSummary & {
  schema: "tilewright.network.v1";
  layers: Array<Layer>;
  sizes: Record<string, number>;
  graph: Graph;
};

export type Graph = {
  tensors: Array<GraphTensor>;
  operators: Array<Operator>;
  blocks: Array<Block>;
};

export type GraphTensor = {
  name: string;
  shape: Array<number>;
  bits: number;
  block: number;
};

export type Operator = {
  name: string;
  count: number;
  block: number;
  kind: string;
  function: string;
  axes: Array<number>;
  einsum: string | null;
  each: Array<string>;
  layer: number | null;
  reads: Array<string>;
  writes: string;
};

export type Block = {
  name: string;
  repeat: number;
  parent: number;
  carries: Array<Carried>;
};

export type Carried = {
  from: string;
  to: string;
};

export type Layer = {
  name: string;
  source: string;
  count: number;
  note: string;
  workload: Workload;
};

export type Refill = {
  level: string;
  dim: string;
};

export type Rates = {
  useful_macs_per_cycle: number;
  peak_macs_per_cycle: number;
  memories: Array<MemoryRate>;
};

export type MemoryRate = {
  level: string;
  bytes: number;
  bytes_per_cycle: number | null;
  useful_macs_per_byte: number | null;
  roof_macs_per_cycle: number | null;
};

export type SweepDocument = {
  schema: "tilewright.sweep.v1";
  name: string;
  architectures: Array<string>;
  parameters: Array<SweepParameter>;
  works: Array<string>;
  results: Array<SweepResult>;
  sensitivity: Array<Sensitivity>;
  best: Record<string, number>;
};

export type CodesignDocument = {
  schema: "tilewright.codesign.v1";
  architecture: string;
  settings: Record<string, string>;
  value: number;
  proven: boolean;
  method: string;
  why_no_bound: string | null;
  designs: number;
  mapped: number;
  boxes: number;
  excluded: number;
  best: number | null;
  bound: number;
  gap: number | null;
  results: Array<SweepResult>;
};

export type SweepParameter = {
  path: string;
  values: Array<string>;
};

export type SweepResult = {
  architecture: string;
  work: string;
  mapspace: string;
  mapper: string;
  objective: string;
  status: string;
  energy_pj: number | null;
  cycles: number | null;
  edp: number | null;
  latency_s: number | null;
  power_w: number | null;
  area_um2: number | null;
  MACs: number;
  value: number | null;
  bound: number | null;
  proven: boolean;
  reason: string;
  settings: Record<string, string>;
  on_front: boolean;
};

export type Sensitivity = {
  parameter: string;
  mean_ratio: number;
  largest_ratio: number;
  groups: number;
};

export type FusionDocument = {
  schema: "tilewright.fusion.v1";
  command: string | null;
  hardware: Architecture;
  cascade: string;
  shared: string;
  shared_memories?: Array<string>;
  objective: string;
  unfused_pj: number;
  unfused_cycles: number | null;
  unfused_uneven_pj: number | null;
  energy_pj: number;
  cycles: number;
  proven: boolean;
  searched: "trees" | "flat" | "trees and flat";
  remainders: boolean;
  uneven_nests: boolean;
  bound_pj: number;
  one_memory_pj?: number;
  value: number;
  bound: number;
  seconds: number;
  group_pj: Array<number>;
  not_fused: Array<NotFused>;
  einsums: Array<FusedEinsum>;
};

export type NotFused = {
  tensor: string;
  writer: string;
  reader: string;
  reason: string;
};

export type FusedEinsum = {
  name: string;
  group_first: string;
  shared?: string;
  executions: number;
  macs: number;
  energy_pj: number;
  compute_pj: number;
  network_pj: number;
  afterwards_pj: number;
  cycles: number;
  limited_by: string;
  live_words: number;
  live: Array<LiveTensor>;
  live_elsewhere?: Array<LiveRoom>;
  shared_loops: Array<SharedLoop>;
  tensors: Array<FusedTensor>;
  memories: Array<FusedMemory>;
};

export type SharedLoop = {
  dim: string;
  count: number;
  tile?: number;
  first: string;
  last: string;
};

export type FusedTensor = {
  name: string;
  placement: string;
  below_loops: number | null;
  home?: string;
  outer_words: number;
};

export type LiveTensor = {
  name: string;
  einsum: string;
  is_state: boolean;
  words: number;
};

export type LiveRoom = {
  memory: string;
  words: number;
  live: Array<LiveTensor>;
};

export type FusedMemory = {
  name: string;
  instances: number;
  leakage_pj: number;
  tensors: Array<FusedTraffic>;
};

export type FusedTraffic = {
  name: string;
  reads: number;
  fills: number;
  updates: number;
  energy_pj: number;
};

export type PlanDocument = {
  schema: "tilewright.plan.v1";
  command: string | null;
  hardware: Architecture;
  cascade: string;
  shared: string;
  energy_pj: number;
  cycles: number;
  edp_pj_cycles: number;
  found_nests: Array<string>;
  optimum: PlanOptimum | null;
  group_pj: Array<number>;
  einsums: Array<FusedEinsum>;
};

export type PlanOptimum = {
  energy_pj: number;
  unfused_pj: number;
  proven: boolean;
  bound_pj: number;
};

export type FusedNetworkDocument = {
  schema: "tilewright.fused_network.v1";
  command: string | null;
  hardware: Architecture;
  network: string;
  shared: string;
  unfused_pj: number;
  energy_pj: number;
  bound_pj: number;
  objective: string;
  cycles: number;
  unfused_cycles: number | null;
  unfused_value: number;
  value: number;
  bound: number;
  uneven_nests: boolean;
  proven: boolean;
  seconds: number;
  parts: Array<FusedPart>;
  cuts: Array<NetworkCut>;
};

export type FusedPart = {
  name: string;
  count: number;
  found: boolean;
  groups: Array<Array<string>>;
  fused: boolean;
  unfused_pj: number | null;
  energy_pj: number | null;
  cycles: number | null;
  unfused_cycles: number | null;
  proven: boolean;
  problems: Array<string>;
};

export type NetworkCut = {
  operator: string;
  reason: string;
  handed_on: boolean;
};

export type FlexDesignDocument = {
  schema: "tilewright.flex_design.v1";
  network: string;
  architecture: string;
  objective: string;
  freedom: string;
  design: string;
  cycles: number;
  energy_pj: number;
  value: number;
  proven: boolean;
  bound: number | null;
  gap: number | null;
  stopped: string;
  nodes: number;
  designs_mapped: number;
  seconds: number;
  layers: Array<LayerOfDesign>;
};

export type LayerOfDesign = {
  name: string;
  count: number;
  cycles: number;
  energy_pj: number;
  utilisation: number;
};

export type AnyDocument = EvaluationDocument | MapDocument | MappedNetworkDocument | ComparisonDocument | SweepDocument | CodesignDocument | ParetoDocument | SpaceDocument | FlexSpaceDocument | FlexionDocument | WorkloadDocument | ArchitectureDocument | ArchitecturesDocument | FlexStudyDocument | FlexDesignDocument | ArenaDocument | FlexClassesDocument | NetworksDocument | NetworkDocument | FusionDocument | PlanDocument | FusedNetworkDocument;
