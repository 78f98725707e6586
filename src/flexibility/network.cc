#include <cmath>

#include "tilewright/flexibility.h"

namespace tilewright {

namespace {

// Adds up what layers have; the intervals of estimates, which are independent of
// each other, by their squares.
class Mean {
 public:
  explicit Mean(TopsAxis axis) { mean_.axis = axis; }

  void add(const AxisFlexion& flexion, std::int64_t count) {
    const auto times = static_cast<double>(count);
    layers_ += times;
    mean_.of_class += times * flexion.of_class.value();
    mean_.supported += times * flexion.supported.value();
    mean_.of_workload += times * flexion.of_workload.value();
    mean_.class_both += times * flexion.class_both.count.value();
    mean_.both += times * flexion.both.count.value();
    mean_.hardware += times * flexion.hardware();
    mean_.workload += times * flexion.workload();
    mean_.class_workload += times * flexion.class_workload();
    if (!flexion.both.estimated) return;
    estimated_ = true;
    below_ += std::pow(times * (flexion.workload() - flexion.both.estimated->low), 2);
    above_ += std::pow(times * (flexion.both.estimated->high - flexion.workload()), 2);
  }

  MeanFlexion result() const {
    MeanFlexion mean = mean_;
    for (double* value : {&mean.of_class, &mean.supported, &mean.of_workload, &mean.class_both,
                          &mean.both, &mean.hardware, &mean.workload, &mean.class_workload}) {
      *value /= layers_;
    }
    if (estimated_) {
      mean.estimated = Interval{mean.workload - std::sqrt(below_) / layers_,
                                mean.workload + std::sqrt(above_) / layers_};
    }
    return mean;
  }

 private:
  MeanFlexion mean_;
  double layers_ = 0, below_ = 0, above_ = 0;
  bool estimated_ = false;
};

// Samples of different layers are independent.
Checked<AxisFlexion> of_layer(const Network& network, std::size_t number, const Architecture& arch,
                              TopsAxis axis, FlexionOptions options) {
  const Layer& layer = network.layers[number];
  options.stream += number;
  Checked<AxisFlexion> flexion = flexion_of(layer.workload, arch, axis, options);
  put_before("layer " + layer.name, flexion.problems);
  return flexion;
}

std::array<MeanFlexion, 4> means_of(const std::vector<LayerFlexion>& layers) {
  std::array<MeanFlexion, 4> means;
  for (std::size_t i = 0; i < kTopsAxes.size(); ++i) {
    Mean mean(kTopsAxes[i]);
    for (const LayerFlexion& layer : layers) mean.add(layer.axes[i], layer.count);
    means[i] = mean.result();
  }
  return means;
}

void add_joint_means(NetworkFlexion& flexion) {
  double layers = 0;
  for (const LayerFlexion& layer : flexion.layers) {
    const auto times = static_cast<double>(layer.count);
    layers += times;
    flexion.joint_hardware += times * layer.joint.hardware;
    flexion.joint_workload += times * layer.joint.workload;
  }
  flexion.joint_hardware /= layers;
  flexion.joint_workload /= layers;
}

}  // namespace

Checked<MeanFlexion> mean_flexion_of(const Network& network, const Architecture& arch,
                                     TopsAxis axis, const FlexionOptions& options) {
  Mean mean(axis);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Checked<AxisFlexion> flexion = of_layer(network, i, arch, axis, options);
    if (!flexion.value) return {std::nullopt, flexion.problems};
    mean.add(*flexion.value, network.layers[i].count);
  }
  return {mean.result(), {}};
}

Checked<NetworkFlexion> flexion_of(
    const Network& network, const Architecture& arch, const FlexionOptions& options,
    const std::function<void(std::size_t done, std::size_t all)>& on_progress) {
  NetworkFlexion result;
  for (const Layer& layer : network.layers) {
    const std::size_t number = result.layers.size();
    if (on_progress) on_progress(number, network.layers.size());
    LayerFlexion flexion{layer.name, layer.count, {}, {}};
    for (std::size_t i = 0; i < kTopsAxes.size(); ++i) {
      Checked<AxisFlexion> axis = of_layer(network, number, arch, kTopsAxes[i], options);
      if (!axis.value) return {std::nullopt, std::move(axis.problems)};
      flexion.axes[i] = std::move(*axis.value);
    }
    flexion.joint = joint_flexion_of(layer.workload, arch, flexion.axes);
    result.layers.push_back(std::move(flexion));
  }
  add_joint_means(result);
  result.mean = means_of(result.layers);
  return {std::move(result), {}};
}

}  // namespace tilewright
