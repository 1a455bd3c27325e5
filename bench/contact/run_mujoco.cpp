#include "scenes.hpp"

#if ULNA_WITH_MUJOCO
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <memory>
#endif

namespace contact_bench {

#if ULNA_WITH_MUJOCO
namespace {

using namespace ulna;
using V3 = Vec3<double>;

std::string numbers(const Eigen::VectorXd& x) {
  std::string text;
  for (const double value : x) text += fmt::format("{:.17g} ", value);
  return text;
}
std::string place(const Transform<double>& X) {
  const Quaternion<double> o = X.rotation().quaternion();
  return fmt::format("pos='{}' quat='{}'", numbers(X.translation()), numbers(o.coefficients()));
}

/// What moves touches what stands still; links of a robot do not touch each other, loose bodies do.
std::string geom(const Geometry& g, const Transform<double>& X, double friction,
                 const char* touches) {
  std::string shape;
  if (const auto* box = std::get_if<Box>(&g))
    shape = fmt::format("type='box' size='{}'", numbers(0.5 * box->size));
  else if (const auto* ball = std::get_if<Sphere>(&g))
    shape = fmt::format("type='sphere' size='{}'", ball->radius);
  else if (const auto* can = std::get_if<Cylinder>(&g))
    shape = fmt::format("type='cylinder' size='{} {}'", can->radius, 0.5 * can->length);
  else if (const auto* pill = std::get_if<Capsule>(&g))
    shape = fmt::format("type='capsule' size='{} {}'", pill->radius, 0.5 * pill->length);
  else
    return "";
  return fmt::format("<geom {} {} friction='{} 0 0' {}/>\n", shape, place(X), friction, touches);
}

Geometry geometry_of(const CollisionShape& s) {
  if (s.kind() == ShapeKind::box) return Box{2.0 * s.half_size()};
  if (s.kind() == ShapeKind::sphere) return Sphere{s.radius()};
  if (s.kind() == ShapeKind::cylinder) return Cylinder{s.radius(), 2.0 * s.half_size().z()};
  return Capsule{s.radius(), 2.0 * s.half_size().z()};
}

std::string inertial(const Inertial& i) {
  const Mat3<double>& I = i.inertia;
  return fmt::format(
      "<inertial pos='{}' mass='{:.17g}' fullinertia='{}'/>\n", numbers(i.com), i.mass,
      numbers(
          (Eigen::VectorXd(6) << I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)).finished()));
}

std::string joint(const JointDescription& j) {
  if (j.type == JointType::floating) return "<freejoint name='" + j.name + "'/>\n";
  if (j.type == JointType::fixed) return "";
  const bool limited = std::isfinite(j.limits.lower) && std::isfinite(j.limits.upper) &&
                       j.type != JointType::continuous;
  return fmt::format(
      "<joint name='{}' type='{}' axis='{}' damping='{}' frictionloss='{}' armature='{}' {}/>\n",
      j.name, j.type == JointType::prismatic ? "slide" : "hinge", numbers(j.axis),
      j.dynamics.damping, j.dynamics.friction, j.dynamics.armature,
      limited ? fmt::format("limited='true' range='{} {}'", j.limits.lower, j.limits.upper) : "");
}

std::string link(const Description& d, const std::string& name, double friction, bool moves) {
  const LinkDescription& l = *std::ranges::find(d.links, name, &LinkDescription::name);
  std::string text;
  if (l.inertial && moves) text += inertial(*l.inertial);
  for (const Shape& s : l.collisions)
    text += geom(s.geometry, s.origin.transform(), friction, "contype='2' conaffinity='1'");
  for (const JointDescription& j : d.joints)
    if (j.parent == name)
      text += fmt::format("<body name='{}' {}>\n{}{}</body>\n", j.child,
                          place(j.origin.transform()), joint(j), link(d, j.child, friction, true));
  return text;
}

std::string document(const BenchScene& b) {
  const Scene& s = b.scene;
  // no more than the scene needs: MuJoCo clears the memory of all
  const std::size_t most_contacts = 100 + 10 * s.bodies.size();
  std::string text = fmt::format(
      "<mujoco><compiler angle='radian' eulerseq='XYZ' inertiafromgeom='false'/>"
      "<option timestep='{}' cone='elliptic' gravity='{}'/><size njmax='{}' "
      "nconmax='{}'/><worldbody>\n",
      s.options.step, numbers(s.options.gravity), 3 * most_contacts + 100, most_contacts);
  for (const SceneFixed& f : s.fixed)
    text += f.shape.kind() == ShapeKind::plane
                ? fmt::format(
                      "<geom type='plane' size='0 0 1' friction='{} 0 0' contype='1' "
                      "conaffinity='6'/>\n",
                      f.material.friction)
                : geom(geometry_of(f.shape), f.X_WS, f.material.friction,
                       "contype='1' conaffinity='6'");
  for (const SceneBody& body : s.bodies)
    text += fmt::format("<body name='{}' {}><freejoint name='{}'/>{}{}</body>\n", body.body.name,
                        place(body.X_WB), body.body.name, inertial(Inertial(body.body.inertia)),
                        geom(geometry_of(body.body.shapes[0].shape), {},
                             body.body.material.friction, "contype='4' conaffinity='7'"));
  std::string loops;
  for (const SceneRobot& r : s.robots) {
    const Description& d = r.model.description();
    const auto is_child = [&](const LinkDescription& l) {
      return std::ranges::find(d.joints, l.name, &JointDescription::child) != d.joints.end();
    };
    const auto root = std::ranges::find_if_not(d.links, is_child);
    text += link(d, root->name, r.options.material.friction, false);
    for (const LoopDescription& l : d.loops)
      loops += fmt::format("<connect body1='{}' body2='{}' anchor='{}'/>\n", l.link1, l.link2,
                           numbers(l.origin1.xyz));
  }
  return text + "</worldbody><equality>" + loops + "</equality></mujoco>";
}

using ModelPointer = std::unique_ptr<mjModel, void (*)(mjModel*)>;

ModelPointer compile(const std::string& xml) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "scene.xml", static_cast<int>(xml.size()));
  std::copy(xml.begin(), xml.end(), static_cast<char*>(files->filedata[0]));
  char error[500] = "";
  ModelPointer m(mj_loadXML("scene.xml", files.get(), error, sizeof error), mj_deleteModel);
  mj_deleteVFS(files.get());
  if (!m) throw std::runtime_error(error);
  return m;
}

/// Where the coordinates of the model are in MuJoCo's.
struct Places {
  std::vector<int> q, v;
  Places(const mjModel* m, const Model& model) : q(model.nq()), v(model.nv()) {
    for (int b = 1; b < model.body_count(); ++b) {
      const Joint& j = model.joint(b);
      const int id = mj_name2id(m, mjOBJ_JOINT, std::string(model.joint_name(b)).c_str());
      // position first and rotation last, against rotation first
      constexpr int free_q[] = {3, 4, 5, 6, 0, 1, 2}, free_v[] = {3, 4, 5, 0, 1, 2};
      const bool floats = j.type == JointType::floating;
      for (int k = 0; k < configuration_size(j.type); ++k)
        q[j.q + k] = m->jnt_qposadr[id] + (floats ? free_q[k] : k);
      for (int k = 0; k < velocity_size(j.type); ++k)
        v[j.v + k] = m->jnt_dofadr[id] + (floats ? free_v[k] : k);
    }
  }
};

/// How far contacts are from Coulomb's law with the velocities that a step led to, by the measure of ConeOptions::tolerance;
/// mean diagonals are MuJoCo's own estimates. What overlaps counts as touching.
double law_residual(const mjModel* m, mjData* d, std::vector<double>& w) {
  w.resize(static_cast<std::size_t>(d->nefc));
  if (w.empty()) return 0.0;
  mj_mulJacVec(m, d, w.data(), d->qvel);
  double worst = 0.0;
  for (int c = 0; c < d->ncon; ++c) {
    const mjContact& contact = d->contact[c];
    const int row = contact.efc_address;
    if (row < 0 || contact.dim != 3) continue;
    const double diagonal =
        (d->efc_diagApprox[row] + d->efc_diagApprox[row + 1] + d->efc_diagApprox[row + 2]) / 3.0;
    const double mu = contact.friction[0], gap = std::max(contact.dist, 0.0) / m->opt.timestep;
    const double* u = w.data() + row;
    V3 l, x;
    for (int k = 0; k < 3; ++k) l(k) = m->opt.timestep * d->efc_force[row + k];
    x = l - V3(u[0] + gap + mu * std::hypot(u[1], u[2]), u[1], u[2]) / diagonal;
    const double t = std::hypot(x.y(), x.z()), n = x.x();
    if (mu * t <= -n) {
      x.setZero();
    } else if (t > mu * n) {
      x.x() = (n + mu * t) / (1.0 + mu * mu);
      x.tail<2>() *= mu * x.x() / t;
    }
    worst = std::max(worst, diagonal * (x - l).cwiseAbs().maxCoeff());
  }
  return worst;
}

}  // namespace

bool has_mujoco() { return true; }

Figures run_mujoco(const BenchScene& b) {
  const ModelPointer m = compile(document(b));
  const std::unique_ptr<mjData, void (*)(mjData*)> d(mj_makeData(m.get()), mj_deleteData);
  std::optional<Places> places;
  Eigen::VectorXd q, v, tau;
  if (!b.scene.robots.empty()) {
    const SceneRobot& r = b.scene.robots[0];
    places.emplace(m.get(), r.model);
    q = r.q, v = r.v;
    for (int i = 0; i < q.size(); ++i) d->qpos[places->q[i]] = q(i);
  }
  const long steps = std::lround(b.duration / b.scene.options.step);
  Figures f;
  Stopwatch watch;
  std::vector<V3> half;
  std::vector<double> rates;
  const auto position = [&](const SceneBody& body) {
    const int id = mj_name2id(m.get(), mjOBJ_BODY, body.body.name.c_str());
    return V3(d->xpos[3 * id], d->xpos[3 * id + 1], d->xpos[3 * id + 2]);
  };
  for (long i = 0; i < steps; ++i) {
    if (b.torque) {
      for (int k = 0; k < q.size(); ++k) q(k) = d->qpos[places->q[k]];
      for (int k = 0; k < v.size(); ++k) v(k) = d->qvel[places->v[k]];
      b.torque(q, v, d->time, tau);
      for (int k = 0; k < v.size(); ++k) d->qfrc_applied[places->v[k]] = tau(k);
    }
    watch.begin();
    mj_step(m.get(), d.get());
    watch.end();
    f.residual = std::max(f.residual, law_residual(m.get(), d.get(), rates));
    if (i == steps / 2)
      for (const SceneBody& body : b.scene.bodies) half.push_back(position(body));
    if (i < steps / 2) continue;
    for (int c = 0; c < d->ncon; ++c) f.penetration = std::max(f.penetration, -d->contact[c].dist);
  }
  f.steps = steps, f.seconds = watch.seconds();
  for (std::size_t i = 0; i < b.scene.bodies.size(); ++i)
    f.drift = std::max(f.drift, (position(b.scene.bodies[i]) - half[i]).norm());
  mj_forward(m.get(), d.get());
  for (int c = 0; c < d->ncon; ++c) {
    const mjContact& contact = d->contact[c];
    if (contact.efc_address < 0) continue;
    mjtNum force[6];
    mj_contactForce(m.get(), d.get(), c, force);
    const mjtNum* w = d->efc_vel + contact.efc_address;
    const double t = std::hypot(force[1], force[2]);
    if (force[0] > 1e-3 && t < 0.99 * contact.friction[0] * force[0])
      f.creep = std::max(f.creep, std::hypot(w[1], w[2]));
  }
  Eigen::VectorXd momentum(m->nv);
  mj_mulM(m.get(), d.get(), momentum.data(), d->qvel);
  mj_subtreeVel(m.get(), d.get());
  f.momentum = mj_getTotalmass(m.get()) * Eigen::Map<const V3>(d->subtree_linvel).norm();
  f.energy = 0.5 * momentum.dot(Eigen::Map<const Eigen::VectorXd>(d->qvel, m->nv));
  return f;
}

#else

bool has_mujoco() { return false; }
Figures run_mujoco(const BenchScene&) { return {}; }

#endif

}  // namespace contact_bench
