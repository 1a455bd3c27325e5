#include "identify/estimate/measurements.hpp"

#include "identify/estimate/uncertainty.hpp"
#include "ulna/derivatives/regressor.hpp"

namespace ulna::identify {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// The beginnings of all pieces, not more than `most` samples in all.
TorqueData beginnings(const TorqueData& data, Eigen::Index most) {
  const double share = std::min(1.0, double(most) / double(data.size()));
  std::vector<Range> pieces = pieces_of(data.breaks, data.size());
  for (Range& piece : pieces) piece.end = piece.begin + Eigen::Index(share * double(piece.size()));
  return taken(data, pieces);
}

class TorqueMeasurements final : public Measurements {
 public:
  TorqueMeasurements(const TorqueModel& model, const TorqueData& data)
      : model_(model),
        data_(data),
        some_(beginnings(data, 100'000)),
        equations_(model.model(), model.feature_count()) {
    equations_.add(data.q, data.v, data.a, data.tau, data.x);
  }
  Eigen::Index size() const override { return data_.size(); }
  Vector typical() const override { return rms(data_.tau); }
  double correlated() const override { return data_.correlated; }
  void assemble(const Vector& weights, Sums& sums) const override {
    equations_.assemble(weights, sums.G, sums.g, sums.size);
  }
  void weigh(const Matrix& W) override {
    equations_.clear();
    equations_.add(data_.q, data_.v, data_.a, data_.tau, data_.x, W);
  }
  Matrix errors(const Vector& z) const override { return errors(z, data_); }
  Matrix some_errors(const Vector& z) const override { return errors(z, some_); }
  const std::vector<Eigen::Index>& some_breaks() const override { return some_.breaks; }

 private:
  Matrix errors(const Vector& z, const TorqueData& data) const {
    return data.tau - model_.torques(z, data.q, data.v, data.a, data.x);
  }
  const TorqueModel& model_;
  const TorqueData& data_;
  TorqueData some_;
  NormalEquations equations_;
};

class WrenchMeasurements final : public Measurements {
 public:
  WrenchMeasurements(const Model& model, const WrenchData& data)
      : model_(model), data_(data), sums_(std::size_t(data.wrench.rows())) {
    weigh(Matrix::Ones(data.wrench.rows(), data.size()));
  }
  Eigen::Index size() const override { return data_.size(); }
  Vector typical() const override {
    // a sensor's moments, and its forces, are of one size
    Vector typical = rms(data_.wrench);
    for (Eigen::Index i = 0; i < typical.size(); i += 3)
      typical.segment<3>(i).setConstant(typical.segment<3>(i).maxCoeff());
    return typical;
  }
  double correlated() const override { return data_.correlated; }
  void assemble(const Vector& weights, Sums& sums) const override {
    const Eigen::Index p = 10 * model_.joint_count();
    sums = {Matrix::Zero(p, p), Vector::Zero(p), 0.0};
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      sums.G += weights(i) * sums_[i].G;
      sums.g += weights(i) * sums_[i].g;
      sums.size += weights(i) * sums_[i].size;
    }
  }
  void weigh(const Matrix& W) override {
    const Eigen::Index p = 10 * model_.joint_count();
    for (Sums& sums : sums_) sums = {Matrix::Zero(p, p), Vector::Zero(p), 0.0};
    each_row([&](Eigen::Index s, Eigen::Index i, const auto& row) {
      const double w = W(i, s), value = data_.wrench(i, s);
      Sums& sums = sums_[i];
      sums.G.noalias() += w * row.transpose() * row;
      sums.g += w * value * row.transpose();
      sums.size += w * value * value;
    });
  }
  Matrix errors(const Vector& z) const override {
    Matrix errors = data_.wrench;
    each_row([&](Eigen::Index s, Eigen::Index i, const auto& row) { errors(i, s) -= row.dot(z); });
    return errors;
  }
  Matrix some_errors(const Vector& z) const override { return errors(z); }
  const std::vector<Eigen::Index>& some_breaks() const override { return data_.breaks; }

 private:
  /// Calls use(sample, channel, row of the regressor).
  template <class Use>
  void each_row(Use use) const {
    Kinematics<double> at(model_);
    RegressorWorkspace<double> ws(model_);
    RowMatX<double> W(6, 10 * model_.joint_count());
    for (Eigen::Index s = 0; s < data_.size(); ++s) {
      at.set(data_.q.col(s), data_.v.col(s), data_.a.col(s));
      for (std::size_t k = 0; k < data_.sensors.size(); ++k) {
        wrench_regressor<double>(at, data_.sensors[k], ws, W);
        for (Eigen::Index i = 0; i < 6; ++i) use(s, 6 * Eigen::Index(k) + i, W.row(i));
      }
    }
  }
  const Model& model_;
  const WrenchData& data_;
  std::vector<Sums> sums_;
};

}  // namespace

TorqueData taken(const TorqueData& data, std::vector<Range> ranges) {
  std::erase_if(ranges, [](const Range& range) { return range.size() <= 0; });
  std::vector<Eigen::Index> columns;
  TorqueData result;
  for (const Range& range : ranges) {
    result.breaks.push_back(Eigen::Index(columns.size()));
    for (Eigen::Index k = range.begin; k < range.end; ++k) columns.push_back(k);
  }
  const auto some = [&](const Matrix& x) -> Matrix { return x(Eigen::all, columns); };
  result.q = some(data.q), result.v = some(data.v), result.a = some(data.a);
  result.tau = some(data.tau), result.x = some(data.x);
  result.correlated = data.correlated;
  return result;
}

std::unique_ptr<Measurements> measurements_of(const TorqueModel& model, const TorqueData& data) {
  return std::make_unique<TorqueMeasurements>(model, data);
}
std::unique_ptr<Measurements> measurements_of(const Model& model, const WrenchData& data) {
  return std::make_unique<WrenchMeasurements>(model, data);
}

}  // namespace ulna::identify
