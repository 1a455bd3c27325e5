#pragma once

#include "identify/estimate/measurements.hpp"

/// What payloads and gains by payloads are found with.
namespace ulna::identify {

/// Parts of a motion, one after the other.
struct Stretches {
  Stretches(const TorqueModel& model, const TorqueData& data);
  std::vector<TorqueData> data;
  std::vector<std::unique_ptr<Measurements>> measured;
};

/// How much each equation counts (nv x N) where `weights` is what independent samples do: where a joint rests, its dry friction is
/// anything up to its level, and all such samples together show no more than one that is off by it.
Matrix weights_at_rest(const TorqueModel& model, const Vector& z, const TorqueData& data,
                       const Vector& weights);

/// The inverse of a positive matrix whose unknowns are of very different sizes.
Matrix inverse_scaled(const Matrix& S);

/// What may differ from log to log: features but for rotors, as positions in z.
std::vector<int> features_that_change(const TorqueModel& model);
/// And by how much: `share` of the numbers z, of offsets that of dry friction; nearly nothing may become a little of the typical torques.
Vector feature_changes(const TorqueModel& model, const Vector& z, const Vector& typical,
                       double share);

}  // namespace ulna::identify
