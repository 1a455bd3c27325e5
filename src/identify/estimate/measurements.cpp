#include "identify/estimate/measurements.hpp"

#include "ulna/derivatives/regressor.hpp"

namespace ulna::identify {
namespace {

/// The beginnings of all pieces, not more than `most` samples in all.
TorqueData beginnings(const TorqueData& data, Index most) {
  const double share = std::min(1.0, double(most) / double(data.size()));
  std::vector<Range> pieces = pieces_of(data.breaks, data.size());
  for (Range& piece : pieces) piece.end = piece.begin + Index(share * double(piece.size()));
  return taken(data, pieces);
}

class TorqueMeasurements final : public Measurements {
 public:
  TorqueMeasurements(const TorqueModel& model, const TorqueData& data)
      : Measurements(data, data.tau),
        model_(model),
        data_(data),
        some_(beginnings(data, 100'000)),
        equations_(model.model(), model.feature_count()) {
    breaks = some_.breaks;
    equations_.add(data.q, data.v, data.a, data.tau, data.x);
  }
  Sums sums(const Vector& weights) const override {
    Sums sums;
    equations_.assemble(weights, sums.G, sums.g, sums.size);
    return sums;
  }
  void weigh(const Matrix& W) override {
    equations_.clear();
    equations_.add(data_.q, data_.v, data_.a, data_.tau, data_.x, W);
  }
  Matrix errors(const Vector& z) const override { return errors_of(model_, z, data_); }
  Matrix some_errors(const Vector& z) const override { return errors_of(model_, z, some_); }

 private:
  const TorqueModel& model_;
  const TorqueData& data_;
  TorqueData some_;
  NormalEquations equations_;
};

class WrenchMeasurements final : public Measurements {
 public:
  WrenchMeasurements(const Model& model, const WrenchData& data)
      : Measurements(data, data.wrench),
        model_(model),
        data_(data),
        sums_(std::size_t(data.wrench.rows())) {
    // a sensor's moments, and its forces, are of one size
    for (Index i = 0; i < typical.size(); i += 3)
      typical.segment<3>(i).setConstant(typical.segment<3>(i).maxCoeff());
    weigh(Matrix::Ones(data.wrench.rows(), data.size()));
  }
  Sums sums(const Vector& weights) const override {
    Sums all = none();
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      all.G += weights(i) * sums_[i].G;
      all.g += weights(i) * sums_[i].g;
      all.size += weights(i) * sums_[i].size;
    }
    return all;
  }
  void weigh(const Matrix& W) override {
    std::fill(sums_.begin(), sums_.end(), none());
    each_row([&](Index s, Index i, const auto& row) {
      const double w = W(i, s), value = data_.wrench(i, s);
      Sums& sums = sums_[i];
      sums.G.noalias() += w * row.transpose() * row;
      sums.g += w * value * row.transpose();
      sums.size += w * value * value;
    });
  }
  Matrix errors(const Vector& z) const override {
    Matrix errors = data_.wrench;
    each_row([&](Index s, Index i, const auto& row) { errors(i, s) -= row.dot(z); });
    return errors;
  }

 private:
  Sums none() const {
    const Index p = 10 * model_.joint_count();
    return {Matrix::Zero(p, p), Vector::Zero(p), 0.0};
  }
  /// Calls use(sample, channel, row of the regressor).
  template <class Use>
  void each_row(Use use) const {
    Kinematics<double> at(model_);
    RegressorWorkspace<double> ws(model_);
    RowMatX<double> W(6, 10 * model_.joint_count());
    for (Index s = 0; s < data_.size(); ++s) {
      at.set(data_.q.col(s), data_.v.col(s), data_.a.col(s));
      for (std::size_t k = 0; k < data_.sensors.size(); ++k) {
        wrench_regressor<double>(at, data_.sensors[k], ws, W);
        for (Index i = 0; i < 6; ++i) use(s, 6 * Index(k) + i, W.row(i));
      }
    }
  }
  const Model& model_;
  const WrenchData& data_;
  std::vector<Sums> sums_;
};

}  // namespace

TorqueData some_of(const TorqueData& data, const std::vector<Index>& samples,
                   std::vector<Index> breaks) {
  const auto some = [&](const Matrix& x) -> Matrix { return x(Eigen::all, samples); };
  return {some(data.q), some(data.v),      some(data.a),   some(data.tau),
          some(data.x), std::move(breaks), data.correlated};
}

TorqueData taken(const TorqueData& data, const std::vector<Range>& ranges) {
  std::vector<Index> samples, breaks;
  for (const Range& range : ranges) {
    if (range.size() > 0) breaks.push_back(Index(samples.size()));
    for (Index k = range.begin; k < range.end; ++k) samples.push_back(k);
  }
  return some_of(data, samples, std::move(breaks));
}

std::unique_ptr<Measurements> measurements_of(const TorqueModel& model, const TorqueData& data) {
  return std::make_unique<TorqueMeasurements>(model, data);
}
std::unique_ptr<Measurements> measurements_of(const Model& model, const WrenchData& data) {
  return std::make_unique<WrenchMeasurements>(model, data);
}

}  // namespace ulna::identify
