#include "c/robot.hpp"

#include <Eigen/LU>

#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/mass_matrix.hpp"
#include "ulna/io/import.hpp"

namespace ulna::c {
namespace {

void report(const ulna_load_options& options, const Diagnostics& diagnostics) {
  if (!options.report) return;
  for (const Diagnostic& d : diagnostics.list()) {
    const std::string text = d.str(), rule(d.rule->name);
    const ulna_diagnostic shown{ulna_severity(int(d.severity)), rule.c_str(), d.source.file.c_str(),
                                d.source.line, text.c_str()};
    options.report(options.user, &shown);
  }
}

template <class F>
ulna_status load(Call& call, const ulna_load_options* given, ulna_robot** robot, F import) {
  ulna_load_options options{};
  read_options(call, given, options);
  return create(call, robot, [&] {
    const ImportOptions how{.strict = options.strict != 0,
                            .floating_base = options.floating_base != 0,
                            .independent_mimics = options.independent_mimics != 0};
    try {
      const Imported imported = import(how);
      report(options, imported.diagnostics);
      return std::make_unique<ulna_robot>(Plant<double>(imported.model));
    } catch (const ModelError& e) {
      report(options, e.diagnostics());
      throw;
    }
  });
}

/// The frame with a number; its axes are those of the world unless others are asked for.
Call& frame_of(Call& call, const ulna_robot* robot, int frame) {
  if (call.good() && (frame < 0 || frame >= int(robot->frame_names.size())))
    call.require(false, ULNA_ERROR_ARGUMENT,
                 "there is no frame of this number; ulna_robot_find_frame finds them by name");
  return call;
}

}  // namespace

void write_pose(const Transform<double>& X, double* to) {
  Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> pose(to);
  pose.setIdentity();
  pose.topLeftCorner<3, 3>() = X.rotation().matrix();
  pose.topRightCorner<3, 1>() = X.translation();
}

Transform<double> read_pose(const double* from) {
  const Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> pose(from);
  const Mat3<double> R = pose.topLeftCorner<3, 3>();
  if (!((R * R.transpose() - Mat3<double>::Identity()).norm() < 1e-6 && R.determinant() > 0.0))
    throw std::invalid_argument(
        "the pose has no rotation in its upper left: it is a 4 x 4 matrix by rows");
  return {Rotation<double>::from_matrix(R), Vec3<double>(pose.topRightCorner<3, 1>())};
}

}  // namespace ulna::c

using namespace ulna;
using namespace ulna::c;

extern "C" {

ulna_status ulna_load_options_init(ulna_load_options* options, size_t size) {
  return init_options(__func__, options, size, {});
}

ulna_status ulna_robot_load(const char* name, const ulna_load_options* options,
                            ulna_robot** robot) {
  Call call(__func__);
  call.given("name", name);
  return load(call, options, robot,
              [&](const ImportOptions& how) { return load_robot(name, how); });
}

ulna_status ulna_robot_parse(const char* text, size_t length, const char* file,
                             const ulna_load_options* options, ulna_robot** robot) {
  Call call(__func__);
  call.given("text", text);
  return load(call, options, robot, [&](const ImportOptions& how) {
    return import_robot({text, length}, file ? file : "text", how);
  });
}

ulna_status ulna_robot_copy(const ulna_robot* robot, ulna_robot** copy) {
  Call call(__func__);
  call.alive(robot);
  return create(call, copy, [&] { return std::make_unique<ulna_robot>(robot->plant); });
}

ulna_status ulna_robot_destroy(ulna_robot* robot) { return destroy(__func__, robot); }

const char* ulna_robot_name(const ulna_robot* robot) {
  return is_alive(__func__, robot) ? robot->robot_model().name().c_str() : nullptr;
}
int ulna_robot_nq(const ulna_robot* robot) {
  return is_alive(__func__, robot) ? robot->robot_model().nq() : 0;
}
int ulna_robot_nv(const ulna_robot* robot) {
  return is_alive(__func__, robot) ? robot->robot_model().nv() : 0;
}
const char* ulna_robot_joint_name(const ulna_robot* robot, int i) {
  return is_alive(__func__, robot) ? name_at(robot->joint_names, i) : nullptr;
}
int ulna_robot_body_count(const ulna_robot* robot) {
  return is_alive(__func__, robot) ? robot->robot_model().joint_count() : 0;
}
int ulna_robot_frame_count(const ulna_robot* robot) {
  return is_alive(__func__, robot) ? int(robot->frame_names.size()) : 0;
}
const char* ulna_robot_frame_name(const ulna_robot* robot, int frame) {
  return is_alive(__func__, robot) ? name_at(robot->frame_names, frame) : nullptr;
}

ulna_status ulna_robot_find_frame(const ulna_robot* robot, const char* name, int* frame) {
  return Call(__func__).alive(robot).given("name", name).given("frame", frame).run([&] {
    const Model& model = robot->robot_model();
    *frame = int(&model.frame(name) - model.frames().data());
  });
}

ulna_status ulna_robot_find_body(const ulna_robot* robot, const char* joint, int* body) {
  return Call(__func__).alive(robot).given("joint", joint).given("body", body).run([&] {
    *body = robot->robot_model().joint_index(joint);
  });
}

ulna_status ulna_robot_limits(const ulna_robot* robot, int n, double* lower, double* upper,
                              double* velocity, double* effort) {
  return Call(__func__).of(robot, n).run([&] {
    const Model& model = robot->robot_model();
    write_optional(model.lower_limit(), lower), write_optional(model.upper_limit(), upper);
    write_optional(model.velocity_limit(), velocity), write_optional(model.effort_limit(), effort);
  });
}

ulna_status ulna_robot_inertias(const ulna_robot* robot, int count, double* pi) {
  Call call(__func__);
  if (call.alive(robot).good())
    call.require_count(count, robot->plant.inertial_size(), robot->robot_model().name().c_str());
  return call.given("pi", pi).run(
      [&] { robot->plant.get_inertial(Eigen::Map<Eigen::VectorXd>(pi, count)); });
}

ulna_status ulna_robot_set_inertias(ulna_robot* robot, int count, const double* pi) {
  Call call(__func__);
  if (call.alive(robot).good())
    call.require_count(count, robot->plant.inertial_size(), robot->robot_model().name().c_str());
  return call.finite("pi", pi, count).run([&] {
    c::read(pi, robot->pi);
    robot->plant.set_inertial(robot->pi);
  });
}

ulna_status ulna_robot_friction(const ulna_robot* robot, int n, double* damping,
                                double* dry_positive, double* dry_negative, double* armature) {
  return Call(__func__).of(robot, n).run([&] {
    const Plant<double>& p = robot->plant;
    write_optional(p.damping, damping), write_optional(p.friction, dry_positive);
    write_optional(p.friction_negative, dry_negative), write_optional(p.armature, armature);
  });
}

ulna_status ulna_robot_set_friction(ulna_robot* robot, int n, const double* damping,
                                    const double* dry_positive, const double* dry_negative,
                                    const double* armature) {
  Call call(__func__);
  call.of(robot, n).optional_v("damping", damping).optional_v("dry_positive", dry_positive);
  call.optional_v("dry_negative", dry_negative).optional_v("armature", armature);
  return call.run([&] {
    Plant<double>& p = robot->plant;
    read_optional(damping, p.damping), read_optional(dry_positive, p.friction);
    read_optional(dry_negative, p.friction_negative), read_optional(armature, p.armature);
  });
}

ulna_status ulna_robot_set_gravity(ulna_robot* robot, const double gravity[3]) {
  return Call(__func__).alive(robot).finite("gravity", gravity, 3).run([&] {
    robot->plant.gravity = Vec3<double>(gravity[0], gravity[1], gravity[2]);
  });
}

ulna_status ulna_inverse_dynamics(ulna_robot* robot, int n, const double* q, const double* v,
                                  const double* a, double* tau) {
  Call call(__func__);
  return call.of(robot, n).q("q", q).v("v", v).v("a", a).given("tau", tau).run([&] {
    ulna_robot& r = *robot;
    c::read(q, r.q), c::read(v, r.v), c::read(a, r.a);
    r.motion.set(r.q, r.v, r.a);
    inverse_dynamics<double>(r.plant, r.motion, r.ws, r.out);
    write(r.out, tau);
  });
}

ulna_status ulna_forward_dynamics(ulna_robot* robot, int n, const double* q, const double* v,
                                  const double* tau, double* a) {
  Call call(__func__);
  return call.of(robot, n)
      .q("q", q)
      .v("v", v)
      .v("tau", tau)
      .given("a", a)
      .run([&]() -> ulna_status {
        ulna_robot& r = *robot;
        c::read(q, r.q), c::read(v, r.v), c::read(tau, r.a);
        r.at.set(r.q, r.v);
        if (!forward_dynamics<double>(r.plant, r.at, r.a, r.ws, r.out))
          return fail(ULNA_ERROR_SINGULAR,
                      "%s: the mass matrix is not positive definite: does a joint move nothing "
                      "that has inertia?",
                      call.function());
        write(r.out, a);
        return ULNA_OK;
      });
}

ulna_status ulna_bias_torque(ulna_robot* robot, int n, const double* q, const double* v,
                             double* tau) {
  return Call(__func__).of(robot, n).q("q", q).v("v", v).given("tau", tau).run([&] {
    ulna_robot& r = *robot;
    c::read(q, r.q), c::read(v, r.v);
    r.motion.set(r.q, r.v);
    bias_torque<double>(r.plant, r.motion, r.ws, r.out);
    write(r.out, tau);
  });
}

ulna_status ulna_gravity_torque(ulna_robot* robot, int n, const double* q, double* tau) {
  return Call(__func__).of(robot, n).q("q", q).given("tau", tau).run([&] {
    ulna_robot& r = *robot;
    c::read(q, r.q);
    r.motion.set(r.q);
    gravity_torque<double>(r.plant, r.motion, r.ws, r.out);
    write(r.out, tau);
  });
}

ulna_status ulna_mass_matrix(ulna_robot* robot, int n, const double* q, double* M) {
  return Call(__func__).of(robot, n).q("q", q).given("M", M).run([&] {
    ulna_robot& r = *robot;
    c::read(q, r.q);
    r.at.set(r.q);
    mass_matrix<double>(r.plant, r.at, r.ws, r.M);
    // by rows or by columns: it is symmetric
    std::memcpy(M, r.M.data(), sizeof(double) * std::size_t(r.M.size()));
  });
}

ulna_status ulna_frame_pose(ulna_robot* robot, int n, const double* q, int frame, double pose[16]) {
  Call call(__func__);
  call.of(robot, n).q("q", q).given("pose", pose);
  return frame_of(call, robot, frame).run([&] {
    ulna_robot& r = *robot;
    c::read(q, r.q);
    r.at.set(r.q);
    write_pose(r.at.pose(r.robot_model().frames()[std::size_t(frame)]), pose);
  });
}

ulna_status ulna_jacobian(ulna_robot* robot, int n, const double* q, int frame, ulna_axes axes,
                          double* J) {
  Call call(__func__);
  call.of(robot, n).q("q", q).given("J", J);
  call.require(int(axes) >= ULNA_AXES_ALIGNED && int(axes) <= ULNA_AXES_WORLD, ULNA_ERROR_ARGUMENT,
               "axes is none of ULNA_AXES_ALIGNED, ULNA_AXES_BODY and ULNA_AXES_WORLD");
  return frame_of(call, robot, frame).run([&] {
    ulna_robot& r = *robot;
    const Axes in = axes == ULNA_AXES_BODY    ? Axes::local
                    : axes == ULNA_AXES_WORLD ? Axes::world
                                              : Axes::aligned;
    c::read(q, r.q);
    r.at.set(r.q);
    frame_jacobian<double>(r.at, r.robot_model().frames()[std::size_t(frame)], in, r.J);
    for (int i = 0; i < 6; ++i)
      for (int k = 0; k < n; ++k) J[i * n + k] = r.J(i, k);
  });
}

ulna_status ulna_neutral(const ulna_robot* robot, int n, double* q) {
  return Call(__func__).of(robot, n).given("q", q).run([&] { write(robot->neutral, q); });
}

ulna_status ulna_integrate(ulna_robot* robot, int n, const double* q, const double* dv,
                           double* moved) {
  return Call(__func__).of(robot, n).q("q", q).v("dv", dv).given("moved", moved).run([&] {
    ulna_robot& r = *robot;
    c::read(q, r.q), c::read(dv, r.v);
    integrate<double>(r.robot_model(), r.q, r.v, r.q_out);
    write(r.q_out, moved);
  });
}

ulna_status ulna_difference(ulna_robot* robot, int n, const double* from, const double* to,
                            double* dv) {
  return Call(__func__).of(robot, n).q("from", from).q("to", to).given("dv", dv).run([&] {
    ulna_robot& r = *robot;
    c::read(from, r.q), c::read(to, r.q_out);
    difference<double>(r.robot_model(), r.q, r.q_out, r.out);
    write(r.out, dv);
  });
}

}  // extern "C"
