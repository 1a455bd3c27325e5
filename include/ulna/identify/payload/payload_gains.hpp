#pragma once

#include <string>
#include <vector>

#include "ulna/identify/data/delay.hpp"
#include "ulna/identify/payload/payload.hpp"

namespace ulna::identify {

/// A body of which is known what it weighs and where its centre of mass is.
struct KnownPayload {
  std::string link;
  double mass = 0.0;                        ///< kg
  Vec3<double> com = Vec3<double>::Zero();  ///< m, in the link's frame
};

/// The torque per current of each drive, from motion without and with a known payload: `tau` of the samples are currents. All numbers of the
/// robot and the gains are unknown together,
///
///     without:  Y z = K i
///     with:     Y (z + changes) + Y_b payload = K i,
///
/// where the payload alone has a known scale [Gautier, Briot 2014]; its rotational inertia is unknown, of a body of 0.1 m or so. The description is the prior of z, as loosely as `how.prior` says.
/// What noise adds to squares of currents is taken off [Fuller 1987]. A gain is determined
/// (DriveGain::determined) to 1 less 12.5 times the square of its relative deviation: a half at 20 %.
std::vector<DriveGain> gains_by_payload(const TorqueModel& model, const KnownPayload& payload,
                                        const TorqueData& without, const TorqueData& with,
                                        const EstimateOptions& how = {},
                                        const PayloadOptions& options = {});

}  // namespace ulna::identify
