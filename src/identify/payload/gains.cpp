#include <algorithm>

#include "identify/messages.hpp"
#include "identify/payload/scaled.hpp"
#include "ulna/identify/payload/payload_gains.hpp"

namespace ulna::identify {
namespace {

/// Least squares of y = (numbers of the robot, changes of its features, gains).
class GainEvidence {
 public:
  GainEvidence(const TorqueModel& model, const KnownPayload& payload, const TorqueData& without,
               const TorqueData& with, const EstimateOptions& how, const PayloadOptions& options)
      : model_(model),
        options_(options),
        without_(without),
        with_(with),
        before_(model, without),
        loaded_(model, with),
        added_(Vector::Zero(model.unknowns())) {
    const Frame& frame = model.model().frame(payload.link);
    added_.segment<10>(10 * (frame.body - 1)) =
        (frame.X_BF * Inertia<double>::point_mass(payload.mass, payload.com)).parameters();
    for (int k = 0; k < model.unknowns(); ++k) at_.push_back(k);
    changing_ = features_that_change(model);
    at_.insert(at_.end(), changing_.begin(), changing_.end());
    // how the payload is spread about its centre of mass is not known
    for (int k = 4; k < 10; ++k) at_.push_back(10 * (frame.body - 1) + k);
    spread_ = payload.mass * radius * radius;
    begin(how);
  }

  std::vector<DriveGain> find() {
    constexpr int passes = 6;
    Vector y;
    for (int pass = 0; pass < passes; ++pass) {
      add_up();
      y = inverse_scaled(information_) * right_;
      if (!y.allFinite()) return std::vector<DriveGain>(std::size_t(gains_.size()));
      z_ = y.head(model_.unknowns()), gains_ = y.tail(gains_.size());
      if (pass + 1 < passes) weigh(y);
    }
    Vector variance = inverse_scaled(information_).diagonal().tail(gains_.size());
    const Vector other = disagreement(y);
    std::vector<DriveGain> gains;
    for (Index i = 0; i < gains_.size(); ++i) {
      DriveGain g;
      g.gain = gains_(i), g.deviation = std::sqrt(std::max({variance(i), other(i), 0.0}));
      g.found = std::isfinite(g.gain) && std::isfinite(g.deviation);
      const double relative = g.deviation / std::max(std::abs(g.gain), 1e-300);
      g.determined = std::max(0.0, 1.0 - 12.5 * relative * relative);
      gains.push_back(g);
    }
    return gains;
  }

 private:
  /// Gains and weights as the description has them.
  void begin(const EstimateOptions& how) {
    const Index n = model_.model().nv();
    z_ = model_.nominal();
    Vector bodies = z_;
    bodies.tail(model_.unknowns() - model_.inertial_size()).setZero();
    const Matrix predicted = model_.torques(bodies, without_.q, without_.v, without_.a, without_.x);
    const std::vector<DriveGain> described = estimate_gains(predicted, without_.tau, without_.v);
    typical_ = rms(predicted).cwiseMax(1e-6);
    gains_.resize(n), weights_.resize(n);
    current_variance_ = Vector::Zero(n);
    const Vector currents = rms(without_.tau);
    for (Index i = 0; i < n; ++i) {
      require(currents(i) > 0.0, "gains: the current of joint '",
              model_.model().velocity_names()[std::size_t(i)], "' is zero");
      const DriveGain& g = described[std::size_t(i)];
      gains_(i) = g.found && g.gain > 0.0 ? g.gain : typical_(i) / currents(i);
      const double size = gains_(i) * currents(i);
      weights_(i) = 1.0 / (0.01 * size * size * without_.correlated);
    }
    typical_ = gains_.cwiseProduct(currents);
    const PhysicalPrior prior = make_prior(model_, typical_, how.prior);
    center_ = prior.center();
    z_ = center_;
    prior_ = prior.information(center_);
  }

  struct System {
    Matrix information;
    Vector right;
  };
  /// Of one stretch. K times the current is what is measured: its columns follow from the same sums.
  System system_of(const Measurements& part, bool loaded) const {
    const Index size = Index(at_.size()), n = gains_.size(), inner = model_.unknowns();
    System s{Matrix::Zero(size + n, size + n), Vector::Zero(size + n)};
    for (Index i = 0; i < n; ++i) {
      const Sums own = part.sums(weights_(i) * Vector::Unit(n, i));
      const Index k = size + i;
      if (loaded) {
        s.information.topLeftCorner(size, size) += own.G(at_, at_);
        s.information.col(k).head(size) -= own.g(at_);
        const Vector pull = own.G * added_;
        s.right.head(size) -= pull(at_);
        s.right(k) += own.g.dot(added_);
      } else {
        s.information.topLeftCorner(inner, inner) += own.G;
        s.information.col(k).head(inner) -= own.g;
      }
      // squares of currents are larger by their noise than what the gains explain [Fuller 1987]
      s.information(k, k) += own.size - weights_(i) * current_variance_(i) * double(part.size);
    }
    s.information.bottomLeftCorner(n, size) = s.information.topRightCorner(size, n).transpose();
    return s;
  }
  void add_up() {
    const Index size = Index(at_.size()), n = gains_.size(), inner = model_.unknowns();
    information_ = Matrix::Zero(size + n, size + n);
    right_ = Vector::Zero(size + n);
    information_.topLeftCorner(inner, inner) = prior_;
    right_.head(inner) = prior_ * center_;
    const Vector change = feature_changes(model_, z_, typical_, options_.friction_change);
    for (std::size_t c = 0; c < changing_.size(); ++c)
      information_(inner + Index(c), inner + Index(c)) =
          1.0 / (change(Index(c)) * change(Index(c)));
    for (Index k = size - 6; k < size; ++k) information_(k, k) = 1.0 / (spread_ * spread_);
    parts_.clear();
    for (const auto& part : before_.measured) parts_.push_back(system_of(*part, false));
    for (const auto& part : loaded_.measured) parts_.push_back(system_of(*part, true));
    for (const System& s : parts_) information_ += s.information, right_ += s.right;
  }
  /// By what is not explained of both motions.
  void weigh(const Vector& y) {
    Vector loaded = added_;
    for (std::size_t k = 0; k < at_.size(); ++k) loaded(at_[k]) += y(Index(k));
    const Matrix old = gains_.asDiagonal() * without_.tau -
                       model_.torques(z_, without_.q, without_.v, without_.a, without_.x),
                 now = gains_.asDiagonal() * with_.tau -
                       model_.torques(loaded, with_.q, with_.v, with_.a, with_.x);
    const Vector alike = correlation(old, without_.breaks, 5.0 * without_.correlated)
                             .cwiseMax(correlation(now, with_.breaks, 5.0 * with_.correlated));
    const double count = double(old.cols() + now.cols());
    for (Index i = 0; i < gains_.size(); ++i) {
      const double variance = (old.row(i).squaredNorm() + now.row(i).squaredNorm()) / count;
      weights_(i) = 1.0 / (std::max(variance, 1e-8 * typical_(i) * typical_(i)) * alike(i));
      current_variance_(i) = variance / std::max(gains_(i) * gains_(i), 1e-300);
    }
  }
  /// Variances of the gains by how they change without one stretch or the other.
  Vector disagreement(const Vector& y) const {
    Vector variance = Vector::Zero(gains_.size());
    const double count = 0.5 * double(parts_.size());
    for (const System& part : parts_) {
      const Vector without =
          inverse_scaled(information_ - part.information) * (right_ - part.right);
      variance += (count - 1.0) / count * (without - y).tail(gains_.size()).cwiseAbs2();
    }
    return variance;
  }

  static constexpr double radius = 0.1;  ///< m, of gyration that a payload may well have

  const TorqueModel& model_;
  const PayloadOptions& options_;
  const TorqueData &without_, &with_;
  Stretches before_, loaded_;
  Vector added_;         ///< of the known payload, to z
  double spread_ = 1.0;  ///< kg m²
  std::vector<int> at_, changing_;
  Vector z_, center_, gains_, weights_, typical_;
  Vector current_variance_;  ///< of their noise
  Matrix prior_, information_;
  Vector right_;
  std::vector<System> parts_;
};

}  // namespace

std::vector<DriveGain> gains_by_payload(const TorqueModel& model, const KnownPayload& payload,
                                        const TorqueData& without, const TorqueData& with,
                                        const EstimateOptions& how, const PayloadOptions& options) {
  require(model.model().frame(payload.link).body > 0, "payload: link '", payload.link,
          "' does not move: no torque depends on it");
  require(payload.mass > 0.0 && std::isfinite(payload.mass) && payload.com.allFinite(),
          "payload: a known mass is a number above 0, and its centre of mass three numbers");
  require(without.size() > 0 && with.size() > 0,
          "gains: motion without and with the known payload is needed");
  require(std::ranges::count(model.features(), Feature::load) == 0,
          "gains: friction by load depends on them; leave 'load' out");
  return GainEvidence(model, payload, without, with, how, options).find();
}

}  // namespace ulna::identify
