#include "torque_source.hpp"
#include "ulna/dynamics/motor_loads.hpp"
#include "ulna/dynamics/spring_force.hpp"
#include "ulna/model/inspect.hpp"

namespace ulna::cli {
namespace {

constexpr std::size_t most_table_numbers = 50'000'000;

/// Where encoders of motors have the joints: of springs, less their deflection under gravity. Feedback of motors is stable, that of
/// links behind springs is not [Tomei 1991].
class MotorSide {
 public:
  explicit MotorSide(const Plant<double>& believed)
      : plant_(believed), at_(plant_.model()), ws_(plant_.model()) {}

  void set(const Simulation& now) {
    q = now.q(), v = now.v();
    const DriveTrain& train = now.model().drives();
    if (train.elastic.empty()) return;
    for (const int c : train.elastic) q(train.position(c)) = now.theta()(c), v(c) = now.omega()(c);
    gravity_.resize(v.size());
    at_.set(q);
    gravity_torque<double>(plant_, at_, ws_, gravity_);
    for (const int c : train.elastic)
      q(train.position(c)) -= detail::spring_deflection<double>(now.plant.drives, c, gravity_(c));
  }

  Eigen::VectorXd q, v;

 private:
  Plant<double> plant_;
  Kinematics<double> at_;
  Workspace<double> ws_;
  Eigen::VectorXd gravity_;
};

/// g(q) + M(q) (w² (target - q) - 2 w v), or only the first of it. A base that floats has no drives: it moves as the
/// others make it, M_bb a_b + M_bj a_j + g_b = 0, and its motion takes torques too.
struct Posture {
  Plant<double> plant;
  Eigen::VectorXd target;
  double bandwidth;
  Kinematics<double> at{plant.model()};
  Workspace<double> ws{plant.model()};
  MotorSide seen{plant};
  Eigen::VectorXd a = Eigen::VectorXd::Zero(plant.model().nv());
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(a.size(), a.size());

  void operator()(const Simulation& now, Eigen::VectorXd& tau) {
    seen.set(now);
    at.set(seen.q);
    gravity_torque<double>(plant, at, ws, tau);
    mass_matrix<double>(plant, at, ws, M);
    difference<double>(plant.model(), seen.q, target, a);
    a = bandwidth * (bandwidth * a - 2.0 * seen.v);
    for_each_base([&](int b) { a.segment<6>(b).setZero(); });
    for_each_base([&](int b) {
      const Eigen::Matrix<double, 6, 1> pull = M.middleRows<6>(b) * a + tau.segment<6>(b);
      a.segment<6>(b) = -M.block<6, 6>(b, b).llt().solve(pull);
    });
    tau.noalias() += M.lazyProduct(a);
    for_each_base([&](int b) { tau.segment<6>(b).setZero(); });
  }

  template <class Use>
  void for_each_base(Use use) const {
    for (const Joint& j : plant.model().joints())
      if (j.parent == 0 && j.type == JointType::floating) use(j.v);
  }
};

/// Torques of a table, each held until the next; none before the first.
struct HeldTorques {
  TimeTable table;
  std::size_t next = 0;  ///< row that is not yet due

  void operator()(const Simulation& now, Eigen::VectorXd& tau) {
    // a row that rounding puts just behind its time is in time
    while (next < table.times.size() && table.times[next] <= now.time() + 1e-9) ++next;
    next == 0 ? tau.setZero() : tau = table.row(next - 1);
  }
};

/// tau, theta and thetad of a table of a robot with springs; empty unless it has them all.
std::vector<int> motor_columns(const Model& model, const std::vector<std::string>& names,
                               const std::vector<int>& tau) {
  std::vector<int> columns = tau;
  const std::vector<std::string> joints = model.velocity_names();
  for (const char* of_motors : {"theta_", "thetad_"})
    for (const int c : model.drives().elastic) {
      const auto found = std::ranges::find(names, of_motors + joints[c]);
      if (found == names.end() || tau.empty()) return {};
      columns.push_back(int(found - names.begin()));
    }
  return model.drives().elastic.empty() ? std::vector<int>() : columns;
}

}  // namespace

TimeTable::TimeTable(InputFile in, const Model& model,
                     std::initializer_list<const char*> quantities, bool motors) {
  const std::string& file = in.name();
  CsvReader reader(in.stream(), file);
  const TrajectoryColumns at = trajectory_columns(model, reader.names(), file);
  if (at.t < 0) throw CsvError({file, 1, 0}, "there is no time column: t");
  std::vector<int> columns;
  for (const std::string_view quantity : quantities) {
    const std::vector<int>& own = quantity == "q"     ? at.q
                                  : quantity == "qd"  ? at.qd
                                  : quantity == "qdd" ? at.qdd
                                                      : at.tau;
    require_columns(model, quantity, own, file);
    columns.insert(columns.end(), own.begin(), own.end());
  }
  if (motors) {
    const std::vector<int> more = motor_columns(model, reader.names(), at.tau);
    has_motors = !more.empty();
    columns.insert(columns.end(), more.begin(), more.end());
  }
  width = columns.size();
  std::vector<double> row(reader.names().size());
  while (reader.next(row)) {
    if (!times.empty() && row[at.t] <= times.back())
      throw CsvError({file, reader.line(), 0}, "the time does not increase");
    times.push_back(row[at.t]);
    for (const int column : columns) values.push_back(row[column]);
    if (values.size() > most_table_numbers)
      throw CsvError({file, reader.line(), 0},
                     fmt::format("the table has more than {} numbers", most_table_numbers));
  }
  if (times.empty()) refuse_no_rows(file);
}

FollowedMotion::FollowedMotion(InputFile in, const Model& model)
    : n_(model.nv()), table_(std::move(in), model, {"q", "qd", "qdd"}, true) {
  if (const int compound = compound_joint(model))
    throw Failure(
        "--follow: joint '{}' has several degrees of freedom; motions are followed by "
        "joints with one",
        model.joint_name(compound));
  if (table_.times.size() < 2) throw Failure("--follow: a motion has at least two rows");
  constexpr double farthest = 1e6;  // rad or m: farther away, angles lose their digits
  for (std::size_t i = 0; i < table_.times.size(); ++i)
    if (const double far = table_.row(i).head(n_).cwiseAbs().maxCoeff(); !(far <= farthest))
      throw Failure("--follow: at t = {:g} the position is {:g}, beyond {:g} rad or m",
                    table_.times[i], far, farthest);
}

Eigen::VectorXd FollowedMotion::at(double t) const {
  t += table_.times.front();
  const auto later = std::ranges::upper_bound(table_.times, t);
  if (later == table_.times.end()) return table_.row(table_.times.size() - 1);
  const std::size_t i = std::max<std::ptrdiff_t>(later - table_.times.begin(), 1);
  const double share = (t - table_.times[i - 1]) / (table_.times[i] - table_.times[i - 1]);
  return (1.0 - share) * table_.row(i - 1) + share * table_.row(i);
}

TorqueSource FollowedMotion::motor_law(const Plant<double>& believed, double w) const {
  return [motion = *this, believed, w, at = Kinematics<double>(believed.model()),
          ws = Workspace<double>(believed.model()),
          M = Eigen::MatrixXd(believed.model().nv(), believed.model().nv())](
             const Simulation& now, Eigen::VectorXd& tau) mutable {
    const std::vector<int>& elastic = now.model().drives().elastic;
    const Eigen::Index n = motion.n_, k = std::ssize(elastic);
    const Eigen::VectorXd reference = motion.at(now.time()),
                          motors = reference.segment(4 * n, 2 * k);
    Eigen::VectorXd position = reference.head(n) - now.q(),
                    rate = reference.segment(n, n) - now.v();
    position(elastic) = motors.head(k) - now.theta()(elastic);
    rate(elastic) = motors.tail(k) - now.omega()(elastic);
    at.set(now.q());
    mass_matrix<double>(believed, at, ws, M);
    tau = reference.segment(3 * n, n) + M * (w * w * position + 2.0 * w * rate);
  };
}

namespace {

double along(double rate, double forward, double backward) {
  return rate > 0.0 ? forward : rate < 0.0 ? -backward : 0.0;
}

}  // namespace

TorqueSource FollowedMotion::law(const Plant<double>& believed, double w) const {
  if (table_.has_motors) return motor_law(believed, w);
  Plant<double> smooth = believed;
  // that of the reference: compensated at the measured velocity, damping that is overestimated makes a light joint unstable
  smooth.remove_friction();
  return [motion = *this, smooth, viscous = believed.damping, dry = believed.friction,
          dry_negative = believed.friction_negative, w, seen = MotorSide(believed),
          drives = believed.drives, motors = detail::MotorLoads(believed.model()),
          at = Motion<double>(believed.model()), ws = Workspace<double>(believed.model())](
             const Simulation& now, Eigen::VectorXd& tau) mutable {
    const Eigen::VectorXd reference = motion.at(now.time());
    const Eigen::Index n = motion.n_;
    const Eigen::VectorXd qd = reference.segment(n, n);
    seen.set(now);
    const Eigen::VectorXd wanted = reference.segment(2 * n, n) + 2.0 * w * (qd - seen.v) +
                                   w * w * (reference.head(n) - seen.q);
    at.set(seen.q, seen.v, wanted);
    inverse_dynamics<double>(smooth, at, ws, tau);
    for (Eigen::Index i = 0; i < n; ++i)
      tau(i) += viscous(i) * qd(i) + along(qd(i), dry(i), dry_negative(i));
    if (motors.empty()) return;
    const auto friction = [&](int m, double rate) {
      return drives.damping(m) * rate +
             along(rate, drives.friction(m), drives.friction_negative(m));
    };
    motors.add(drives, qd, wanted, friction, tau);
  };
}

void Tracking::add(const Simulation& now) {
  const Eigen::VectorXd q = motion_.q(now.time()), moved = q - first_;
  errors_ += (q - now.q()).cwiseAbs2();
  sum_ += moved, squares_ += moved.cwiseAbs2();
  count_ += 1.0;
}

std::vector<int> Tracking::lost() const {
  constexpr double least = 1e-3;  // rad or m: what hardly moves is not judged
  const Eigen::VectorXd
      error = this->error(),
      motion = (squares_ / count_ - (sum_ / count_).cwiseAbs2()).cwiseMax(0.0).cwiseSqrt();
  std::vector<int> list;
  for (int i = 0; i < error.size(); ++i)
    if (error(i) > std::max(least, 0.5 * motion(i))) list.push_back(i);
  return list;
}

TorqueSource torque_source(Console& console, const std::string& name, const Plant<double>& believed,
                           const Eigen::VectorXd& target, double bandwidth, double duration) {
  if (name == "zero") return [](const Simulation&, Eigen::VectorXd& tau) { tau.setZero(); };
  if (name == "gravity") return Posture{believed, target, 0.0};
  if (name == "pd") return Posture{believed, target, bandwidth};
  require_word_or_file("--torque", name, {"zero", "gravity", "pd"});
  HeldTorques made{TimeTable(
      InputFile(name, "--torque: '{}' is neither zero, gravity, pd nor a table that can be read"),
      believed.model(), {"tau"})};
  const double from = made.table.times.front(), to = made.table.times.back();
  if (from > 0.0)
    console.complain(
        fmt::format("--torque: no torques before {:g} s, where the table begins", from),
        Style::yellow);
  if (to < 0.99 * duration)
    console.complain(
        fmt::format("--torque: the table ends at {:g} s; its last torques are held", to),
        Style::yellow);
  return made;
}

}  // namespace ulna::cli
