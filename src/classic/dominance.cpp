#include "ulna/classic/dominance.hpp"

#include <algorithm>

#include "num/message.hpp"
#include "ulna/num/counted.hpp"

namespace ulna::classic {
namespace {

void require_points(const SetPoints& points, int n) {
  const auto right = [&](const Eigen::MatrixXd& m) {
    return m.rows() == n && m.cols() == points.count();
  };
  messages::require(points.count() > 0, "the trajectory has no set points");
  messages::require(right(points.q) && right(points.v) && right(points.a) &&
                        (points.t.size() == 0 || points.t.size() == points.count()),
                    "a trajectory of ", points.q.rows(), ", ", points.v.rows(), " and ",
                    points.a.rows(), " positions, velocities and accelerations for ", n, " joints");
}

bool is_D(TermKind kind) { return kind == TermKind::D_tran || kind == TermKind::D_rot; }

}  // namespace

std::string DynamicTerm::element() const {
  const std::string between = j > 9 ? "," : "";
  if (is_D(kind)) return "D" + std::to_string(i) + between + std::to_string(j);
  return (kind == TermKind::gravity ? "c" : "h") + std::to_string(i);
}

KeptTerms KeptTerms::all(int n) {
  KeptTerms kept;
  kept.D_tran.setConstant(n, n, true), kept.D_rot.setConstant(n, n, true);
  kept.h_tran.setConstant(n, true), kept.h_rot.setConstant(n, true), kept.c.setConstant(n, true);
  return kept;
}

void KeptTerms::drop(const DynamicTerm& term) {
  const int i = term.i - 1, j = term.j - 1;
  if (is_D(term.kind)) {
    auto& D = term.kind == TermKind::D_tran ? D_tran : D_rot;
    D(i, j) = D(j, i) = false;
  } else {
    (term.kind == TermKind::h_tran ? h_tran : term.kind == TermKind::h_rot ? h_rot : c)(i) = false;
  }
}

int KeptTerms::count() const {
  Eigen::Index n = h_tran.count() + h_rot.count() + c.count();
  for (Eigen::Index j = 0; j < D_tran.cols(); ++j)
    for (Eigen::Index i = 0; i <= j; ++i) n += D_tran(i, j) + D_rot(i, j);
  return int(n);
}

Dominance::Dominance(const DAlembert<double>& arm, SetPoints points) : points_(std::move(points)) {
  const int n = arm.links().joint_count();
  require_points(points_, n);
  for (Eigen::MatrixXd* m : {&tau_, &centrifugal_, &coriolis_}) m->resize(n, points_.count());
  for (int kind = 0; kind < 5; ++kind)
    terms_[kind].resize(is_D(TermKind(kind)) ? n * n : n, points_.count());
  for (Eigen::Index k = 0; k < points_.count(); ++k) {
    const Eigen::VectorXd q = points_.q.col(k), v = points_.v.col(k), a = points_.a.col(k);
    const DAlembert<double>::At here = arm.at(q);
    const DAlembert<double>::VelocityTerms h = arm.velocity_terms(q, v);
    const Eigen::MatrixXd D_tran = here.D_tran(), D_rot = here.D_rot();
    const Eigen::VectorXd h_tran = h.tran_centrifugal + h.tran_coriolis,
                          h_rot = h.rot_centrifugal + h.rot_coriolis, c = here.c();
    const Eigen::VectorXd terms[] = {D_tran.reshaped(), D_rot.reshaped(), h_tran, h_rot, c};
    for (int kind = 0; kind < 5; ++kind) terms_[kind].col(k) = terms[kind];
    centrifugal_.col(k) = h.tran_centrifugal + h.rot_centrifugal;
    coriolis_.col(k) = h.tran_coriolis + h.rot_coriolis;
    tau_.col(k) = (D_tran + D_rot) * a + h_tran + h_rot + c;
  }
}

Eigen::VectorXd Dominance::value(const DynamicTerm& term) const {
  const int row = term.i - 1 + (is_D(term.kind) ? joint_count() * (term.j - 1) : 0);
  return terms_[int(term.kind)].row(row).transpose();
}

Eigen::VectorXd Dominance::torque_of(const DynamicTerm& term, int of) const {
  const Eigen::VectorXd x = value(term);
  if (!is_D(term.kind)) return x;
  const int by = of == term.i ? term.j : term.i;
  return x.cwiseProduct(points_.a.row(by - 1).transpose());
}

std::vector<TermWeight> Dominance::rank(double tolerance) const {
  const int n = joint_count();
  const Eigen::VectorXd peak = peak_torque();
  // a joint that needs no torque at all has no term that matters
  const auto over_peak = [&](const Eigen::VectorXd& torque, int joint) {
    const double size = torque.cwiseAbs().maxCoeff();
    return peak(joint - 1) > 0.0 ? size / peak(joint - 1) : size > 0.0 ? infinity : 0.0;
  };
  std::vector<TermWeight> all;
  const auto add = [&](TermKind kind, int i, int j) {
    TermWeight w{{kind, i, j}};
    w.share = over_peak(torque_of(w.term, i), i);
    if (i != j) w.share = std::max(w.share, over_peak(torque_of(w.term, j), j));
    all.push_back(w);
  };
  for (int i = 1; i <= n; ++i) {
    for (int j = i; j <= n; ++j) add(TermKind::D_tran, i, j), add(TermKind::D_rot, i, j);
    for (const TermKind kind : {TermKind::h_tran, TermKind::h_rot, TermKind::gravity})
      add(kind, i, i);
  }
  std::ranges::stable_sort(all, std::greater(), &TermWeight::share);

  // from the lightest: what has been left out so far may cancel or add up, so it is kept in sum
  Eigen::MatrixXd missing = Eigen::MatrixXd::Zero(n, points_.count());
  for (auto w = all.rbegin(); w != all.rend(); ++w) {
    const auto [kind, i, j] = w->term;
    const Eigen::VectorXd at_i = missing.row(i - 1).transpose() + torque_of(w->term, i);
    const Eigen::VectorXd at_j =
        i == j ? at_i : Eigen::VectorXd(missing.row(j - 1).transpose() + torque_of(w->term, j));
    if (over_peak(at_i, i) > tolerance || over_peak(at_j, j) > tolerance) continue;
    missing.row(i - 1) = at_i.transpose();
    missing.row(j - 1) = at_j.transpose();
    w->dropped = true;
  }
  return all;
}

KeptTerms kept_of(const std::vector<TermWeight>& ranked, int n) {
  KeptTerms kept = KeptTerms::all(n);
  for (const TermWeight& w : ranked)
    if (w.dropped) kept.drop(w.term);
  return kept;
}

template <Scalar T>
VecX<T> reduced_inverse_dynamics(const DAlembert<T>& arm, const KeptTerms& kept, const VecX<T>& q,
                                 const VecX<T>& v, const VecX<T>& a) {
  const Chain<T>& chain = arm.links();
  const int n = chain.joint_count();
  const typename DAlembert<T>::At here = arm.at(q);
  VecX<T> tau = VecX<T>::Zero(n);

  // the columns of D as far as they are wanted (eq. 3.4-25): the momentum of link s per unit velocity
  // of joint j, projected on joint i
  for (int j = 1; j <= n; ++j) {
    const auto tran = kept.D_tran.col(j - 1).head(j);
    auto rot = kept.D_rot.col(j - 1).head(j).eval();
    for (int i = 1; i <= j; ++i) rot(i - 1) &= !chain.link(i).slides && !chain.link(j).slides;
    VecX<T> D = VecX<T>::Zero(j);
    const auto add = [&](const auto& wanted, const auto& inertia, const auto& motion_by) {
      if (!wanted.any()) return;
      const Vec3<T> momentum = inertia * motion_by(j);
      for (int i = 1; i <= j; ++i)
        if (wanted(i - 1)) D(i - 1) += motion_by(i).dot(momentum);
    };
    for (int s = j; s <= n; ++s) {
      const auto velocity = [&](int i) -> auto& { return here.velocity(s, i); };
      const auto turning = [&](int i) -> auto& { return here.turning(s, i); };
      add(tran, chain.link(s).mass, velocity), add(rot, chain.link(s).I, turning);
    }
    for (int i = 1; i <= j; ++i) {
      if (!tran(i - 1) && !rot(i - 1)) continue;
      tau(i - 1) += D(i - 1) * a(j - 1);
      if (i != j) tau(j - 1) += D(i - 1) * a(i - 1);
    }
  }
  const auto add = [&](const auto& wanted, const auto& compute) {
    if (!wanted.any()) return;
    const VecX<T> h = compute();
    for (int i = 0; i < n; ++i)
      if (wanted(i)) tau(i) += h(i);
  };
  add(kept.h_tran, [&] { return here.h_tran(v); });
  add(kept.h_rot, [&] { return here.h_rot(v); });
  add(kept.c, [&] { return here.c(); });
  return tau;
}

template VecX<double> reduced_inverse_dynamics(const DAlembert<double>&, const KeptTerms&,
                                               const VecX<double>&, const VecX<double>&,
                                               const VecX<double>&);
template VecX<Counted> reduced_inverse_dynamics(const DAlembert<Counted>&, const KeptTerms&,
                                                const VecX<Counted>&, const VecX<Counted>&,
                                                const VecX<Counted>&);

Eigen::VectorXd relative_error(const DAlembert<double>& arm, const KeptTerms& kept,
                               const SetPoints& points) {
  const int n = arm.links().joint_count();
  require_points(points, n);
  Eigen::VectorXd error = Eigen::VectorXd::Zero(n), peak = Eigen::VectorXd::Zero(n);
  for (Eigen::Index k = 0; k < points.count(); ++k) {
    const VecX<double> q = points.q.col(k), v = points.v.col(k), a = points.a.col(k);
    const VecX<double> full = arm.inverse_dynamics(q, v, a);
    const VecX<double> reduced = reduced_inverse_dynamics<double>(arm, kept, q, v, a);
    error = error.cwiseMax((full - reduced).cwiseAbs());
    peak = peak.cwiseMax(full.cwiseAbs());
  }
  for (int i = 0; i < n; ++i) error(i) = peak(i) > 0.0 ? error(i) / peak(i) : 0.0;
  return error;
}

}  // namespace ulna::classic
