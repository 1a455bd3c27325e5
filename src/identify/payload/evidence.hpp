#pragma once

#include "identify/payload/scaled.hpp"
#include "ulna/identify/payload/payload.hpp"

/// What samples with a payload show of it, beside a robot that is known as well as samples without it, or a description, say.
namespace ulna::identify {

/// Least squares of y = (errors of the robot's numbers, changes of its features since, what is added to a body):
///
///     without:  Y z = tau                      z = robot.z + y_1
///     with:     Y (z + changes + added) = tau
///
/// about the robot's numbers, where the prior is as curved as it is there.
class PayloadEvidence {
 public:
  PayloadEvidence(const TorqueModel& model, int body, const Estimate& robot,
                  const TorqueData& without, const TorqueData& with, const EstimateOptions& how,
                  const PayloadOptions& options);

  struct Solution {
    Eigen::Matrix<double, 10, 1> added;
    /// Of these, as correlated as noise makes it, as large as it or the disagreement of stretches of the motion make it.
    Eigen::Matrix<double, 10, 10> covariance;
    Vector feature_changes;
    Vector z;  ///< of the robot with the payload
  };
  Solution solve();

  /// How far the robot reaches, m.
  double reach() const { return reach_; }
  /// After solve(): why the payload is seen badly, and what would show it.
  void explain(LinkPayload& payload) const;
  void suggest(LinkPayload& payload) const;

 private:
  void set_prior(const EstimateOptions& how, const PayloadOptions& options);
  void weigh(const Vector& y);
  void add_up();
  Vector numbers(const Vector& y) const;
  Matrix spread(const Matrix& information) const;
  std::vector<Index> rests() const;
  Matrix to_and_fro(Index dof, const Vector& center, double low, double high, Matrix& V,
                    Matrix& A) const;
  Matrix seen_along(const Matrix& Q, const Matrix& V, const Matrix& A) const;

  const TorqueModel& model_;
  int body_;
  const TorqueData& with_;
  Vector z_;  ///< of the robot, as it is known before
  double reach_;
  Stretches before_, loaded_;
  std::vector<int> changing_;  ///< features, as positions in z
  std::vector<int> at_;  ///< of each unknown of y, what of z it changes while the payload is there
  Vector joint_weights_, weights_before_, weights_;
  Matrix prior_;           ///< information on y that is in no sample
  Matrix information_;     ///< all of it
  Vector right_;           ///< information_ y = right_
  std::vector<Sums> old_;  ///< of before_
  std::vector<Sums> now_;  ///< of loaded_
};

}  // namespace ulna::identify
