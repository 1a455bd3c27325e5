#pragma once

#include "ulna/identify/drives/drive_estimate.hpp"

namespace ulna::identify {

/// T with phi / N_mm = T theta: motors as they are seen through their own gears. Torques that they exert on the joints are T' tau.
Matrix through_own_gears(const DriveTrain& train);

/// The derivative in time of each row, piece by piece.
Matrix rates_of(const Matrix& x, const std::vector<Index>& breaks, double rate_hz);

/// Signs of rates, filtered as the rest was.
Matrix directions_of(const Matrix& rates, const DriveData& data);

}  // namespace ulna::identify
