#include "ulna/constraints/loops.hpp"

#include <Eigen/QR>
#include <random>
#include <utility>

#include "model/names.hpp"
#include "ulna/derivatives/frame_derivatives.hpp"
#include "ulna/dynamics/kinematics_impl.hpp"
#include "ulna/num/dual.hpp"

namespace ulna {
namespace {

/// Of the largest row, and as such in m or rad per unit of q.
constexpr double independent_by = 1e-6;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("loops: " + what); }

/// A largest set of independent rows of J, in their order.
std::vector<int> independent_rows(const Eigen::MatrixXd& J) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(J.transpose());
  qr.setThreshold(independent_by);
  const auto& order = qr.colsPermutation().indices();
  const auto rank = qr.maxPivot() > independent_by ? qr.rank() : 0;
  std::vector<int> rows(order.data(), order.data() + rank);
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

Loops::Loops(const Model& model, const std::vector<LoopDescription>& joints, In<double> closed_at)
    : at_(model), closed_at_(closed_at) {
  detail::require<double>("where loops are closed", closed_at, model.nq(), model);
  for (const LoopDescription& d : joints) add_joint(d), add_rows(d);
  for (SideSlopes& side : slopes_)
    for (Matrix* m : {&side.J, &side.V_dq, &side.A_dq, &side.A_dv}) m->setZero(6, model.nv());
  keep_independent();
  set(closed_at_);
}

void Loops::add_joint(const LoopDescription& d) {
  Transform<double> turn;
  if (has_axis(d.type)) {
    if (!(d.axis.norm() > 0.0) || !d.axis.allFinite())
      refuse("the axis of '" + d.name + "' has no direction");
    turn = Transform<double>::from_rotation(Rotation<double>::z_to(d.axis.normalized()));
  }
  const auto frame = [&](const std::string& link, const Pose& origin) -> Frame {
    const Frame& carrier = model().frame(link);
    return {carrier.name, carrier.body, carrier.X_BF * origin.transform() * turn};
  };
  const Frame first = frame(d.link1, d.origin1), second = frame(d.link2, d.origin2);
  if (first.body == second.body)
    refuse("'" + d.name + "' joins '" + d.link1 + "' and '" + d.link2 +
           "', which are one body; a loop must join two");
  const auto canonical = [&](const Frame& f) {
    return Transform<double>::from_rotation(model().joint(f.body).R_BC.inverse()) * f.X_BF;
  };
  Place& place = places_.emplace_back();
  place.first = first, place.second = second;
  place.X_C1 = canonical(first), place.X_C2 = canonical(second);

  // what carries both sides moves neither against the other
  const auto carried = [&](int body, int by) {
    while (body > by) body = model().joint(body).parent;
    return body == by;
  };
  const auto all = at_.directions();
  auto& movers = movers_.emplace_back();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool moves_first = carried(first.body, all[i].body),
               moves_second = carried(second.body, all[i].body);
    if (moves_first != moves_second) movers.push_back({i, moves_second ? 1.0 : -1.0});
  }
}

/// What a joint of its kind keeps.
void Loops::add_rows(const LoopDescription& d) {
  const int joint = static_cast<int>(places_.size()) - 1;
  const auto apart = [&](int axis) {
    rows_.push_back({joint, axis, 0, 0.0, "loop '" + d.name + "', apart along " + "xyz"[axis]});
  };
  const auto turned = [&](int axis) {
    // a small turn about x tilts z towards -y, and so on
    constexpr int a[] = {1, 0, 1}, b[] = {2, 2, 0};
    rows_.push_back({joint, a[axis], b[axis], axis == 0 ? -1.0 : 1.0,
                     "loop '" + d.name + "', turned about " + "xyz"[axis]});
  };
  switch (d.type) {
    case JointType::ball:
      return apart(0), apart(1), apart(2);
    case JointType::revolute:
    case JointType::continuous:
      return apart(0), apart(1), apart(2), turned(0), turned(1);
    case JointType::prismatic:
      return apart(0), apart(1), turned(0), turned(1), turned(2);
    case JointType::planar:
      return apart(2), turned(0), turned(1);
    case JointType::fixed:
      return apart(0), apart(1), apart(2), turned(0), turned(1), turned(2);
    case JointType::helical:
    case JointType::floating:
      refuse("'" + d.name +
             "' is helical or floating; a loop is closed by a joint that is fixed, " +
             "revolute, prismatic, planar or a ball");
  }
}

void Loops::keep_independent() {
  if (rows_.empty()) return;
  if (!close(closed_at_)) {
    set(closed_at_);
    Eigen::Index worst;
    const double gap = gap_.cwiseAbs().maxCoeff(&worst);
    refuse(name(static_cast<int>(worst)) + ": stays open by " + detail::number(gap, 3) +
           " near the given configuration; give one near which the loops can be closed");
  }
  // there it may be stretched out, where rows agree that elsewhere do not
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> shake(-0.1, 0.1);
  std::vector<int> kept;
  Vector q = closed_at_, away(model().nv());
  for (int trial = 0; trial < 6; ++trial) {
    for (double& x : away) x = trial > 0 ? shake(random) : 0.0;
    q = integrate(model(), closed_at_, away);
    if (!close(q)) continue;
    set(q);
    const std::vector<int> rows = independent_rows(J_);
    if (rows.size() > kept.size()) kept = rows;
  }
  if (kept.empty()) refuse("they do not constrain any motion of the tree");
  if (static_cast<int>(kept.size()) >= model().nv())
    refuse("they constrain all " + std::to_string(model().nv()) + " degrees of freedom of robot '" +
           model().name() + "', so that it cannot move");
  const std::vector<Row> all = std::exchange(rows_, {});
  for (int i = 0; i < static_cast<int>(all.size()); ++i)
    if (std::binary_search(kept.begin(), kept.end(), i))
      rows_.push_back(all[i]);
    else
      ignored_.push_back(all[i].name);
}

void Loops::set(In<double> q) { at_.set(q), place_rows(); }
void Loops::set(In<double> q, In<double> v) { at_.set(q, v), place_rows(); }
void Loops::set(In<double> q, In<double> v, In<double> a) { at_.set(q, v, a), place_rows(); }

void Loops::place_rows() {
  gap_.resize(size()), rate_.resize(size()), acceleration_.resize(size());
  J_.setZero(size(), model().nv());
  const bool moves = !at_.v().isZero(0.0) || !at_.a().isZero(0.0);
  for (Place& place : places_) {
    const Mat3<double> R1 = at_.R(place.first.body).mat(), R2 = at_.R(place.second.body).mat();
    place.A.noalias() = R1 * place.X_C1.rotation().matrix();
    place.B.noalias() = R2 * place.X_C2.rotation().matrix();
    place.p = at_.p(place.second.body).vec() + R2 * place.X_C2.translation();
    place.apart = place.p - at_.p(place.first.body).vec() - R1 * place.X_C1.translation();
    if (!moves) {
      place.V1 = place.V2 = place.A1 = place.A2 = {};
      continue;
    }
    place.V1 = frame_velocity(at_, place.first, Axes::aligned);
    place.V2 = frame_velocity(at_, place.second, Axes::aligned);
    place.A1 = frame_acceleration(at_, place.first, Axes::aligned);
    place.A2 = frame_acceleration(at_, place.second, Axes::aligned);
  }
  for (int i = 0; i < size(); ++i) {
    const Row& row = rows_[i];
    const Place& place = places_[row.joint];
    gap_(i) = row.sign == 0.0 ? place.A.col(row.a).dot(place.apart)
                              : row.sign * place.A.col(row.a).dot(place.B.col(row.b));
    const Wrench<double> F = wrench(row);
    for (const Mover& m : movers_[row.joint]) {
      const auto& d = at_.directions()[m.direction];
      J_(i, d.dof) += m.side * dot(d.twist(), F);
    }
    acceleration_(i) = moves ? second_rate(pair(row), row.sign) : 0.0;
  }
  rate_.setZero();
  if (moves) rate_.noalias() = J_.lazyProduct(at_.v());
}

Loops::Pair<double> Loops::pair(const Row& row) const {
  const Place& place = places_[row.joint];
  return {place.A.col(row.a),
          place.B.col(row.b),
          place.apart,
          {place.V1.angular, place.V1.linear, place.A1.angular, place.A1.linear},
          {place.V2.angular, place.V2.linear, place.A2.angular, place.A2.linear}};
}

/// (x·y)'' = x''·y + 2 x'·y' + x·y'', where axes turn with their sides.
template <Scalar T>
T Loops::second_rate(const Pair<T>& x, double sign) {
  const auto turn = [](const Moving<T>& side, const Vec3<T>& axis) {
    return Vec3<T>(cross(side.w, axis));
  };
  const auto bend = [&](const Moving<T>& side, const Vec3<T>& axis) {
    return Vec3<T>(cross(side.dw, axis) + cross(side.w, turn(side, axis)));
  };
  const bool distance = sign == 0.0;
  const Vec3<T> y = distance ? x.apart : x.b,
                y_rate = distance ? Vec3<T>(x.second.u - x.first.u) : turn(x.second, x.b),
                y_bend = distance ? Vec3<T>(x.second.du - x.first.du) : bend(x.second, x.b);
  const T sum = bend(x.first, x.a).dot(y) + T(2) * turn(x.first, x.a).dot(y_rate) + x.a.dot(y_bend);
  return distance ? sum : T(sign) * sum;
}

/// By dual numbers from the slopes of the two sides' motions: one direction is q along a coordinate, the other v.
void Loops::acceleration_slopes(OutMatrix<double> by_q, OutMatrix<double> by_v) {
  using D = Dual<double, 2>;
  int joint = -1;
  for (int i = 0; i < size(); ++i) {
    const Row& row = rows_[i];
    const Place& place = places_[row.joint];
    if (joint != row.joint)
      for (int side = 0; side < 2; ++side) {
        const Frame& frame = side == 0 ? place.first : place.second;
        SideSlopes& s = slopes_[side];
        frame_jacobian<double>(at_, frame, Axes::aligned, s.J);
        frame_motion_derivatives<double>(at_, frame, Axes::aligned, s.V_dq, s.A_dq, s.A_dv);
      }
    joint = row.joint;
    const Pair<double> x = pair(row);
    for (int k = 0; k < model().nv(); ++k) {
      const auto dual = [](const Vec3<double>& value, const Vec3<double>& dq,
                           const Vec3<double>& dv) {
        Vec3<D> result;
        for (int c = 0; c < 3; ++c) {
          result(c) = D(value(c));
          result(c).gradient[0] = dq(c), result(c).gradient[1] = dv(c);
        }
        return result;
      };
      const auto moving = [&](const Moving<double>& at, const SideSlopes& s) -> Moving<D> {
        const auto V = s.V_dq.col(k), W = s.J.col(k), A = s.A_dq.col(k), B = s.A_dv.col(k);
        return {dual(at.w, V.head<3>(), W.head<3>()), dual(at.u, V.tail<3>(), W.tail<3>()),
                dual(at.dw, A.head<3>(), B.head<3>()), dual(at.du, A.tail<3>(), B.tail<3>())};
      };
      const Vec3<double> none = Vec3<double>::Zero(), w1 = slopes_[0].J.col(k).head<3>(),
                         w2 = slopes_[1].J.col(k).head<3>();
      const Pair<D> y{
          dual(x.a, cross(w1, x.a), none), dual(x.b, cross(w2, x.b), none),
          dual(x.apart, slopes_[1].J.col(k).tail<3>() - slopes_[0].J.col(k).tail<3>(), none),
          moving(x.first, slopes_[0]), moving(x.second, slopes_[1])};
      const D slope = second_rate(y, row.sign);
      by_q(i, k) = slope.gradient[0], by_v(i, k) = slope.gradient[1];
    }
  }
}

/// What acts on the second link per unit of λ, at the configuration's origin: a force through its own, also
/// where the loop is open, or a moment. The power of it is the rate of the gap.
Wrench<double> Loops::wrench(const Row& row) const {
  const Place& place = places_[row.joint];
  const Vec3<double> a = place.A.col(row.a), b = place.B.col(row.b);
  if (row.sign == 0.0) return {cross(place.p, a), a};
  return {Vec3<double>(row.sign * cross(b, a)), Vec3<double>::Zero()};
}

/// How that changes along a direction: the axes of its side turn, and the origin if it is the second's.
Wrench<double> Loops::wrench_slope(const Row& row, const Twist<double>& S, double side) const {
  const Place& place = places_[row.joint];
  const Vec3<double> a = place.A.col(row.a), b = place.B.col(row.b);
  const bool first = side < 0.0;
  const Vec3<double> turned = cross(S.angular, first ? a : b);
  if (row.sign != 0.0)
    return {row.sign * (first ? cross(b, turned) : cross(turned, a)), Vec3<double>::Zero()};
  if (first) return {cross(place.p, turned), turned};
  return {cross(S.at(place.p).linear, a), Vec3<double>::Zero()};
}

template <class F>
void Loops::each_curvature(F use) const {
  const auto all = at_.directions();
  for (int i = 0; i < size(); ++i) {
    const Row& row = rows_[i];
    const auto& movers = movers_[row.joint];
    const Wrench<double> unit = wrench(row);
    for (const Mover& by : movers) {
      const auto& k = all[by.direction];
      const Wrench<double> slope = wrench_slope(row, k.twist(), by.side);
      for (const Mover& along : movers) {
        const auto& d = all[along.direction];
        double change = dot(d.twist(), slope);
        if (by.side == along.side && detail::carries(k, d))
          change += dot(cross(k.twist(), d.twist()), unit);
        use(i, d.dof, k.dof, along.side * change);
      }
    }
  }
}

void Loops::torque_slope(In<double> lambda, OutMatrix<double> slope) const {
  slope.setZero();
  each_curvature([&](int row, int d, int k, double x) { slope(d, k) += lambda(row) * x; });
}

void Loops::rate_slope(In<double> v, OutMatrix<double> slope) const {
  slope.setZero();
  each_curvature([&](int row, int d, int k, double x) { slope(row, k) += v(d) * x; });
}

bool Loops::close(Out<double> q) const {
  if (size() == 0) return true;
  Loops there = *this;
  Vector best = q;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 100; ++i) {
    there.set(q);
    const double gap = there.gap().cwiseAbs().maxCoeff();
    if (gap < least) least = gap, best = q;
    if (gap < 1e-13) break;
    // the shortest way that would do if all were linear
    Eigen::CompleteOrthogonalDecomposition<Matrix> J(there.J());
    J.setThreshold(independent_by);
    Vector step = -J.solve(there.gap());
    step *= std::min(1.0, 0.5 / step.norm());
    q = integrate(model(), Vector(q), step);
  }
  q = best;
  return least < 1e-10;
}

void Loops::refuse_open(const Vector& x, double tolerance, const char* verb,
                        const char* unit) const {
  Eigen::Index worst;
  const double most = x.cwiseAbs().maxCoeff(&worst);
  if (most <= tolerance) return;
  refuse(name(static_cast<int>(worst)) + verb + detail::number(most, 3) + unit +
         " at the start, more than " + detail::number(tolerance, 3) +
         "; give one that closes the loops, or only the joints that move the others");
}

void Loops::require_closed(In<double> q, double tolerance) const {
  if (size() == 0) return;
  Loops there = *this;
  there.set(q);
  refuse_open(there.gap(), tolerance, ": open by ", " (m or rad)");
}

void Loops::require_closed(In<double> q, In<double> v, double tolerance) const {
  if (size() == 0) return;
  require_closed(q, tolerance);
  Loops there = *this;
  there.set(q, v);
  refuse_open(there.rate(), tolerance, ": opens at ", " (m/s or rad/s)");
  const std::vector<int> rows = independent_rows(there.J());
  for (int i = 0; i < size(); ++i)
    if (std::find(rows.begin(), rows.end(), i) == rows.end())
      refuse(name(i) +
             ": depends on other rows at the start, as at a dead centre; choose another start");
}

}  // namespace ulna
