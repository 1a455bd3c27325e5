#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <utility>

namespace ulna::mpc {

/// That the robot carries something else since it changed. At a single moment the ten numbers of a body explain any torques, those of a
/// push too: the hypothesis is used only once it explains nearly all of what was not explained, and rejected if it has not for as long as it is on
/// probation, or if the robot changes again meanwhile; once it may, while the hypothesis is used and explains most of what numbers of before do not. Until then what joints resist with, and gravity, are what they were before: with others,
/// a push that lasts can be explained as well.
class ChangeHypothesis {
 public:
  using Vector = Eigen::VectorXd;

  /// `joints`: all unknowns but the bodies'; `probation` in samples.
  ChangeHypothesis(const Vector& joints, int probation)
      : joints_(joints), probation_(probation), age_(probation) {}

  enum class Change { first, more, rejects };

  /// The robot changes: the first time, or some more of it on probation. Otherwise the last hypothesis is rejected, and this is none.
  /// `explains`: whether the last one is used and explains most of what numbers of before do not.
  Change begin(const Eigen::Ref<const Vector>& joints, bool explains) {
    const bool first = !is_on_probation(),
               more = !first && is_usable() && explains && !std::exchange(more_, true);
    if (first) joints_ = joints, unexplained_ = 1, more_ = false;
    age_ = 0;
    return first ? Change::first : more ? Change::more : Change::rejects;
  }
  /// It is neither used nor rejected any more.
  void end() { unexplained_ = 0; }

  /// A sample goes by; numbers that were learned become those of the hypothesis.
  void sample(Vector& z) {
    age_ = std::min(age_ + 1, probation_);
    if (is_on_probation()) z.tail(joints_.size()) = joints_;
  }
  /// By how far off torques are, squared, with it and by the numbers in use. False: it is rejected.
  bool judge(double with, double without) {
    if (unexplained_ > 0 && with < nearly_all * without) unexplained_ = 0;
    return unexplained_ == 0 || ++unexplained_ <= probation_;
  }
  bool is_usable() const { return unexplained_ == 0; }

 private:
  bool is_on_probation() const { return age_ < probation_; }

  static constexpr double nearly_all = 0.2;  ///< share of the misfit that is left
  Vector joints_;
  int probation_, age_;
  bool more_ = false;    ///< whether the robot has changed again on probation
  int unexplained_ = 0;  ///< samples until it has explained much; 0: it has, or there is none
};

}  // namespace ulna::mpc
