#include "identify/choose/lattice.hpp"

#include <algorithm>

#include "identify/messages.hpp"
#include "ulna/derivatives/derivatives.hpp"
#include "ulna/identify/data/filter.hpp"

namespace ulna::identify {
namespace {

const std::vector<Feature> all_features{Feature::viscous, Feature::coulomb, Feature::offset,
                                        Feature::load, Feature::armature};

/// Motors of the last two joints may turn with the joint before theirs.
std::vector<Coupling> possible_couplings(const Model& model) {
  std::vector<Coupling> all;
  const auto turns = [&](int body) {
    const Joint& joint = model.joint(body);
    return (joint.type == JointType::revolute || joint.type == JointType::continuous) &&
           !joint.mimics;
  };
  for (int b = std::max(2, model.body_count() - 2); b < model.body_count(); ++b) {
    const int parent = model.joint(b).parent;
    if (parent == 0 || !turns(b) || !turns(parent)) continue;
    for (const int sign : {1, -1})
      all.push_back({.motor = model.joint(b).v, .joint = model.joint(parent).v, .sign = sign});
  }
  return all;
}

}  // namespace

Lattice::Lattice(const Model& model)
    : torques_(model, all_features), couplings_(possible_couplings(model)) {
  const std::vector<std::string> joints = model.velocity_names();
  for (int k = 0; k < torques_.feature_count(); ++k) {
    Part part{std::string(to_string(torques_.features()[k])), {}};
    for (int i = 0; i < nv(); ++i) part.unknowns.push_back(torques_.at(i, k));
    parts_.push_back(part);
  }
  parts_.push_back({"delay", {delay_at()}});
  for (std::size_t k = 0; k < couplings_.size(); ++k) {
    const Coupling& c = couplings_[k];
    const int at = coupling_at(k);
    parts_.push_back({message("motor of ", joints[c.motor],
                              c.sign > 0 ? " turning with " : " turning against ", joints[c.joint]),
                      {at, at + 1, at + 2}});
  }
  Part springs{"springs", {}};
  for (int i = 0; i < nv(); ++i) springs.unknowns.push_back(spring_at(i));
  parts_.push_back(springs);
}

int Lattice::feature_part(Feature feature) const {
  const auto at = std::ranges::find(torques_.features(), feature);
  return at == torques_.features().end() ? -1 : int(at - torques_.features().begin());
}

PhysicalPrior Lattice::prior(const Vector& typical, const PriorOptions& options) const {
  // of what is not described, hardly anything is believed
  constexpr double hardly = 0.1, late = 0.02, small = 0.02, deflection = 1e-3;
  PhysicalPrior prior =
      make_prior(torques_, typical, options).extended(size() - torques_.unknowns());
  prior.add_around(delay_at(), 0.0, late);
  for (std::size_t k = 0; k < couplings_.size(); ++k) {
    const double torque = std::max(typical(couplings_[k].motor), 1e-6);
    for (int j = 0; j < 3; ++j) prior.add_positive(coupling_at(k) + j, small * torque, hardly);
  }
  for (int i = 0; i < nv(); ++i)
    prior.add_positive(spring_at(i), deflection / std::max(typical(i), 1e-6), hardly);
  return prior;
}

CutOff::CutOff(const Lattice& lattice, Prepared prepared, int parts,
               const std::function<int(int log, double t)>& part_of)
    : lattice_(lattice),
      prepared_(std::move(prepared)),
      data_(gather(lattice.torques(), prepared_)),
      parts_(parts),
      factors_(lattice.size() - lattice.torques().inertial_size() -
               (lattice.nv() - 1) * lattice.torques().feature_count()) {
  x_.resize(Index(factors_) * lattice.nv(), data_.size());
  Index to = 0;
  for (const Piece& piece : prepared_.pieces) {
    x_.middleCols(to, piece.size()) = with_effects(piece);
    for (Index s = 0; s < piece.size(); ++s) part_.push_back(part_of(piece.log, piece.t(s)));
    to += piece.size();
  }
  add_up();
}

/// All factors of a piece's samples but those of springs.
Matrix CutOff::with_effects(const Piece& piece) const {
  const int features = lattice_.torques().feature_count();
  Matrix x = Matrix::Zero(Index(factors_) * lattice_.nv(), piece.size());
  const Matrix own = lattice_.torques().features_of(piece.v, piece.a, piece.tau, piece.direction);
  // torques that are measured d late are less by d times their rate
  const Matrix rate = derivative(piece.tau, piece.rate_hz);
  for (int i = 0; i < lattice_.nv(); ++i) {
    x.middleRows(Index(factors_) * i, features) = own.middleRows(Index(features) * i, features);
    x.row(Index(factors_) * i + features) = -rate.row(i);
  }
  for (std::size_t k = 0; k < lattice_.couplings().size(); ++k) {
    const CouplingColumns c =
        columns_of(lattice_.couplings()[k], piece, prepared_.filter_hz, prepared_.filter_order);
    for (int i = 0; i < lattice_.nv(); ++i) {
      const Index at = Index(factors_) * i + features + 1 + 3 * Index(k);
      x.row(at) = c.rotor.row(i), x.row(at + 1) = c.viscous.row(i),
      x.row(at + 2) = c.coulomb.row(i);
    }
  }
  return x;
}

void CutOff::follow(const Vector& z, bool springs) {
  predict_loads(z);
  if (springs) linearise_springs(z);
  add_up();
}

void CutOff::predict_loads(const Vector& z) {
  const Matrix tau = predicted(z);
  const int features = lattice_.torques().feature_count(),
            load = lattice_.feature_part(Feature::load),
            direction = lattice_.feature_part(Feature::coulomb);
  for (int i = 0; i < lattice_.nv(); ++i) {
    const auto own = x_.row(Index(factors_) * i + direction).cwiseProduct(tau.row(i).cwiseAbs());
    x_.row(Index(factors_) * i + load) = own;
    data_.x.row(Index(features) * i + load) = x_.row(Index(factors_) * i + load);
  }
}

void CutOff::linearise_springs(const Vector& z) {
  const Model& model = lattice_.torques().model();
  Plant<double> plant(model);
  plant.set_inertial(z.head(lattice_.torques().inertial_size()));
  plant.damping.setZero(), plant.friction.setZero(), plant.friction_negative.setZero();
  plant.armature.setZero();
  Kinematics<double> at(model);
  DerivativeWorkspace<double> ws(model);
  InverseDynamicsDerivatives<double> d(model);
  const int n = lattice_.nv();
  const Index first = factors_ - n;
  Index to = 0;
  for (const Piece& piece : prepared_.pieces) {
    for (Index s = 0; s < piece.size(); ++s, ++to) {
      at.set(piece.q.col(s), piece.v.col(s), piece.a.col(s));
      inverse_dynamics_derivatives<double>(plant, at, ws, d);
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          x_(Index(factors_) * i + first + j, to) = -d.dq(i, j) * piece.tau(j, s);
    }
  }
}

void CutOff::add_up() {
  const int n = lattice_.nv(), inertial = lattice_.torques().inertial_size(),
            features = lattice_.torques().feature_count(), size = lattice_.size();
  NormalEquations equations(lattice_.torques().model(), factors_);
  sums_.clear(), samples_.clear();
  for (int part = 0; part < parts_; ++part) {
    std::vector<Index> own;
    for (Index s = 0; s < data_.size(); ++s)
      if (part_[std::size_t(s)] == part) own.push_back(s);
    samples_.push_back(Index(own.size()));
    equations.clear();
    if (!own.empty())
      equations.add(data_.q(Eigen::all, own), data_.v(Eigen::all, own), data_.a(Eigen::all, own),
                    data_.tau(Eigen::all, own), x_(Eigen::all, own));
    for (int i = 0; i < n; ++i) {
      Sums wide;
      equations.assemble(Vector::Unit(n, i), wide.G, wide.g, wide.size);
      // of the row's own factors, where they stand among the unknowns
      std::vector<int> from, to;
      for (int k = 0; k < inertial; ++k) from.push_back(k), to.push_back(k);
      for (int f = 0; f < factors_; ++f) {
        from.push_back(inertial + factors_ * i + f);
        to.push_back(f < features ? lattice_.torques().at(i, f)
                                  : lattice_.delay_at() + f - features);
      }
      Sums own_sums{Matrix::Zero(size, size), Vector::Zero(size), wide.size};
      own_sums.G(to, to) = wide.G(from, from);
      own_sums.g(to) = wide.g(from);
      sums_.push_back(std::move(own_sums));
    }
  }
}

Matrix CutOff::predicted(const Vector& z) const {
  const TorqueModel& torques = lattice_.torques();
  Matrix tau = torques.torques(z.head(torques.unknowns()), data_.q, data_.v, data_.a, data_.x);
  const int features = torques.feature_count(), more = factors_ - features;
  for (int i = 0; i < lattice_.nv(); ++i)
    tau.row(i) += z.tail(more).transpose() * x_.middleRows(Index(factors_) * i + features, more);
  return tau;
}

Matrix CutOff::bodies(const Vector& z) const {
  const TorqueModel& torques = lattice_.torques();
  Vector alone = Vector::Zero(torques.unknowns());
  alone.head(torques.inertial_size()) = z.head(torques.inertial_size());
  return torques.torques(alone, data_.q, data_.v, data_.a, data_.x);
}

}  // namespace ulna::identify
