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

/// As Measurements::at_rest has it.
Matrix rests_of(const TorqueData& data) {
  constexpr double hardly = 0.02, of_even = 1.0 / 3.0;  // the variance of even numbers up to 1
  if (data.sliding.size() == 0 || data.sliding.minCoeff() > 1.0 - hardly) return {};
  Matrix rests = Matrix::Zero(data.sliding.rows(), data.size());
  for (Index i = 0; i < rests.rows(); ++i)
    for (const Range& piece : pieces_of(data.breaks, data.size()))
      for (Index begin = piece.begin; begin < piece.end; ++begin) {
        Index end = begin;
        while (end < piece.end && data.sliding(i, end) < 1.0 - hardly) ++end;
        const auto still = data.sliding.row(i).segment(begin, end - begin).array();
        rests.row(i).segment(begin, end - begin) =
            (of_even * double(end - begin) * (1.0 - still).square()).matrix();
        begin = std::max(begin, end);
      }
  return rests;
}

/// Of each joint at its usual torque.
Matrix dry_friction_of(const TorqueModel& model, const Vector& typical) {
  Matrix level = Matrix::Zero(model.model().nv(), model.unknowns());
  for (int i = 0; i < level.rows(); ++i)
    for (int k = 0; k < model.feature_count(); ++k) {
      const FeatureTerms& terms = terms_of(model.features()[std::size_t(k)]);
      level(i, model.at(i, k)) = terms.direction + terms.load * typical(i);
    }
  return level;
}

/// The factors of unknowns: dry friction's have no more direction than joints slide, as the rest is noise.
Matrix sliding_features(const TorqueModel& model, const TorqueData& data) {
  Matrix x = data.x;
  const int n = model.feature_count();
  for (int k = 0; k < n; ++k) {
    const FeatureTerms& terms = terms_of(model.features()[std::size_t(k)]);
    if (terms.direction == 0.0 && terms.load == 0.0) continue;
    for (int i = 0; i < model.model().nv(); ++i)
      x.row(n * i + k) =
          terms.one + data.sliding.row(i).array() * (x.row(n * i + k).array() - terms.one);
  }
  return x;
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
    dry_friction = dry_friction_of(model, typical);
    if (!dry_friction.isZero(0.0)) at_rest = rests_of(data);
    if (at_rest.size() > 0) {
      sliding_x_ = sliding_features(model, data);
      some_.x = some_of(sliding_x_);
    }
    equations_.add(data.q, data.v, data.a, data.tau, x());
  }
  Sums sums(const Vector& weights) const override {
    Sums sums;
    equations_.assemble(weights, sums.G, sums.g, sums.size);
    return sums;
  }
  void weigh(const Matrix& W) override {
    equations_.clear();
    equations_.add(data_.q, data_.v, data_.a, data_.tau, x(), W);
  }
  Matrix errors(const Vector& z) const override { return errors_of(model_, z, data_); }
  Matrix some_errors(const Vector& z) const override { return errors_of(model_, z, some_); }
  Matrix some_of(const Matrix& all) const override {
    Matrix some(all.rows(), some_.size());
    Index to = 0;
    const std::vector<Range> pieces = pieces_of(data_.breaks, data_.size()),
                             kept = pieces_of(some_.breaks, some_.size());
    for (std::size_t k = 0; k < kept.size(); to += kept[k++].size())
      some.middleCols(to, kept[k].size()) = all.middleCols(pieces[k].begin, kept[k].size());
    return some;
  }
  std::vector<const Matrix*> motion() const override { return {&some_.tau, &some_.v, &some_.a}; }

 private:
  const Matrix& x() const { return sliding_x_.size() > 0 ? sliding_x_ : data_.x; }

  const TorqueModel& model_;
  const TorqueData& data_;
  Matrix sliding_x_;  ///< empty: as in the data
  TorqueData some_;
  NormalEquations equations_;
};

/// Equations that are gone through one by one: Rows::each_row(use) calls use(sample, channel, row).
template <class Rows>
class RowMeasurements : public Measurements {
 public:
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
    sums_.assign(std::size_t(measured_.rows()), none());
    rows().each_row([&](Index s, Index i, const auto& row) {
      const double w = W(i, s), value = measured_(i, s);
      Sums& sums = sums_[i];
      sums.G.noalias() += w * row.transpose() * row;
      sums.g += w * value * row.transpose();
      sums.size += w * value * value;
    });
  }
  std::vector<const Matrix*> motion() const override { return {&measured_}; }
  Matrix errors(const Vector& z) const override {
    Matrix errors = measured_;
    rows().each_row([&](Index s, Index i, const auto& row) { errors(i, s) -= row.dot(z); });
    return errors;
  }

 protected:
  template <class Data>
  RowMeasurements(const Data& data, const Matrix& measured, Index unknowns)
      : Measurements(data, measured), measured_(measured), unknowns_(unknowns) {}

 private:
  const Rows& rows() const { return static_cast<const Rows&>(*this); }
  Sums none() const { return {Matrix::Zero(unknowns_, unknowns_), Vector::Zero(unknowns_), 0.0}; }
  const Matrix& measured_;
  Index unknowns_;
  std::vector<Sums> sums_;  ///< by channel
};

class WrenchMeasurements final : public RowMeasurements<WrenchMeasurements> {
 public:
  WrenchMeasurements(const Model& model, const WrenchData& data)
      : RowMeasurements(data, data.wrench, 10 * model.joint_count()), model_(model), data_(data) {
    // a sensor's moments, and its forces, are of one size
    for (Index i = 0; i < typical.size(); i += 3)
      typical.segment<3>(i).setConstant(typical.segment<3>(i).maxCoeff());
    weigh(Matrix::Ones(data.wrench.rows(), data.size()));
  }

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

 private:
  const Model& model_;
  const WrenchData& data_;
};

/// Torques of a robot with loops, along its independent coordinates; those of the others say nothing.
class ClosedTorqueMeasurements final : public RowMeasurements<ClosedTorqueMeasurements> {
 public:
  ClosedTorqueMeasurements(const TorqueModel& model, const TorqueData& data)
      : RowMeasurements(data, data.tau, model.unknowns()), model_(model), data_(data) {
    weigh(Matrix::Ones(data.tau.rows(), data.size()));
  }

  template <class Use>
  void each_row(Use use) const {
    const Model& model = model_.model();
    Kinematics<double> at(model);
    RegressorWorkspace<double> ws(model);
    RowMatX<double> Y(model.nv(), model_.inertial_size());
    LoopCoordinates loops = *model_.loops();
    Matrix rows(model.nv(), model_.unknowns());
    const int n = model_.feature_count();
    for (Index s = 0; s < data_.size(); ++s) {
      at.set(data_.q.col(s), data_.v.col(s), data_.a.col(s));
      torque_regressor<double>(at, ws, Y);
      rows.setZero();
      rows.leftCols(Y.cols()) = Y;
      for (int i = 0; i < model.nv(); ++i)
        rows.row(i).segment(model_.at(i, 0), n) = data_.x.col(s).segment(n * i, n);
      loops.set(data_.q.col(s));
      loops.reduce(rows);
      for (const int i : loops.independent()) use(s, Index(i), rows.row(i));
    }
  }

 private:
  const TorqueModel& model_;
  const TorqueData& data_;
};

}  // namespace

TorqueData some_of(const TorqueData& data, const std::vector<Index>& samples,
                   std::vector<Index> breaks) {
  const auto some = [&](const Matrix& x) -> Matrix { return x(Eigen::all, samples); };
  return {some(data.q),    some(data.v),
          some(data.a),    some(data.tau),
          some(data.x),    std::move(breaks),
          data.correlated, data.sliding.size() ? some(data.sliding) : Matrix(),
          data.rate_hz};
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
  if (model.loops()) return std::make_unique<ClosedTorqueMeasurements>(model, data);
  return std::make_unique<TorqueMeasurements>(model, data);
}
std::unique_ptr<Measurements> measurements_of(const Model& model, const WrenchData& data) {
  return std::make_unique<WrenchMeasurements>(model, data);
}

}  // namespace ulna::identify
