// The same robots in other libraries. Each part is compiled where its library is found.
#include "support/dynamics.hpp"
#include "ulna/io/import.hpp"

#ifdef ULNA_WITH_KDL
#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#endif
#ifdef ULNA_WITH_MUJOCO
#include <mujoco/mujoco.h>

#include <sstream>
#endif

namespace ulna::test {
namespace {

#if defined(ULNA_WITH_KDL) || defined(ULNA_WITH_MUJOCO)

/// The link that a body's joint carries as the description has it, and where its joint is, in the
/// frame of the link that carries it: fixed links are dissolved, so each link is a body.
struct Link {
  const JointDescription* joint;
  Inertial inertial;
};

/// A model's description by links, parents first.
std::vector<Link> links_of(const Model& model) {
  std::vector<Link> links;
  const Description& d = model.description();
  for (int b = 1; b < model.body_count(); ++b)
    for (const JointDescription& j : d.joints)
      if (j.name == model.joint_name(b))
        for (const LinkDescription& l : d.links)
          if (l.name == j.child) links.push_back({&j, l.inertial.value_or(Inertial())});
  return links;
}

#endif
#ifdef ULNA_WITH_KDL

KDL::Vector kdl(const Vec3<double>& v) { return {v.x(), v.y(), v.z()}; }
KDL::Frame kdl(const Transform<double>& X) {
  const Mat3<double>& R = X.rotation().matrix();
  return {KDL::Rotation(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1),
                        R(2, 2)),
          kdl(X.translation())};
}

/// A chain of hinges and slides. A KDL segment has its joint at its beginning, placed in its
/// parent's tip, and the tip is where the next begins: so each tip is put where the joint is.
KDL::Chain kdl_chain(const Model& model) {
  KDL::Chain chain;
  for (const Link& link : links_of(model)) {
    const Transform<double> X = link.joint->origin.transform();
    const KDL::Vector axis = kdl(Vec3<double>(X.rotation() * link.joint->axis));
    const auto type =
        link.joint->type == JointType::prismatic ? KDL::Joint::TransAxis : KDL::Joint::RotAxis;
    const Mat3<double>& I = link.inertial.inertia;
    chain.addSegment(KDL::Segment(
        link.joint->name, KDL::Joint(link.joint->name, kdl(X.translation()), axis, type), kdl(X),
        KDL::RigidBodyInertia(
            link.inertial.mass, kdl(link.inertial.com),
            KDL::RotationalInertia(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)))));
  }
  return chain;
}

KDL::JntArray kdl(const Eigen::VectorXd& x) {
  KDL::JntArray y(static_cast<unsigned>(x.size()));
  y.data = x;
  return y;
}

void expect_as_in_kdl(const Model& model, Random& random) {
  const KDL::Chain chain = kdl_chain(model);
  ASSERT_EQ(static_cast<int>(chain.getNrOfJoints()), model.nv());
  Rig<double> rig(model, random);
  rig.without_resistance();
  const auto n = static_cast<unsigned>(model.nv());
  const Frame tip = body_frame(model.body_count() - 1);

  KDL::ChainDynParam dynamics(chain, kdl(model.gravity()));
  KDL::JntArray gravity(n), coriolis(n), torque(n);
  KDL::JntSpaceInertiaMatrix inertia(n);
  dynamics.JntToGravity(kdl(rig.q), gravity);
  dynamics.JntToCoriolis(kdl(rig.q), kdl(rig.v), coriolis);
  dynamics.JntToMass(kdl(rig.q), inertia);
  expect_close(rig.gravity(), Eigen::VectorXd(gravity.data), 1e-12);
  expect_close(Eigen::VectorXd(rig.coriolis() * rig.v), Eigen::VectorXd(coriolis.data), 1e-12);
  expect_close(rig.mass(), Eigen::MatrixXd(inertia.data), 1e-12);

  KDL::ChainIdSolver_RNE newton_euler(chain, kdl(model.gravity()));
  const KDL::Wrenches none(chain.getNrOfSegments(), KDL::Wrench::Zero());
  newton_euler.CartToJnt(kdl(rig.q), kdl(rig.v), kdl(rig.a), none, torque);
  expect_close(rig.torque(), Eigen::VectorXd(torque.data), 1e-12);

  // rows linear first, world axes at the tip
  KDL::ChainJntToJacSolver jacobian(chain);
  KDL::Jacobian J(n);
  jacobian.JntToJac(kdl(rig.q), J);
  const Eigen::MatrixXd ours = rig.jacobian(tip, Axes::aligned);
  expect_close(Eigen::MatrixXd(ours.topRows(3)), Eigen::MatrixXd(J.data.bottomRows(3)), 1e-12);
  expect_close(Eigen::MatrixXd(ours.bottomRows(3)), Eigen::MatrixXd(J.data.topRows(3)), 1e-12);
}

TEST(Kdl, agrees_on_the_panda) {
  const Model model = lump_fixed_joints(load_robot("panda").model);
  for_each_seed([&](Random& random) { expect_as_in_kdl(model, random); });
}

TEST(Kdl, agrees_on_chains_of_hinges_and_slides) {
  for_each_model([](const Model& model,
                    Random& random) { expect_as_in_kdl(lump_fixed_joints(model), random); },
                 {.joints = 8,
                  .kinds = {JointType::revolute, JointType::prismatic, JointType::continuous},
                  .branching = 0.0,
                  .mimic = 0.0});
}

#endif
#ifdef ULNA_WITH_MUJOCO

/// A model in MuJoCo's own words. Joints of several coordinates must be balls or floating bases.
class Mujoco {
 public:
  explicit Mujoco(const Model& model) : ulna_(model) {
    std::ostringstream xml;
    xml.precision(17);
    const Vec3<double> g = model.gravity();
    xml << "<mujoco><compiler angle='radian' boundmass='0' boundinertia='0'/><option gravity='"
        << g.transpose()
        << "'><flag contact='disable' constraint='disable' energy='enable'/></option><worldbody>";
    const std::vector<Link> links = links_of(model);
    std::vector<int> open;
    for (std::size_t i = 0; i < links.size(); ++i) {
      const int b = static_cast<int>(i) + 1;
      while (!open.empty() && open.back() != model.joint(b).parent)
        xml << "</body>", open.pop_back();
      write(xml, links[i]);
      open.push_back(b);
    }
    for (std::size_t i = 0; i < open.size(); ++i) xml << "</body>";
    xml << "</worldbody></mujoco>";

    mjVFS* files = new mjVFS;
    mj_defaultVFS(files);
    const std::string text = xml.str();
    mj_makeEmptyFileVFS(files, "robot.xml", static_cast<int>(text.size()));
    std::copy(text.begin(), text.end(), static_cast<char*>(files->filedata[0]));
    char error[500] = "";
    model_ = mj_loadXML("robot.xml", files, error, sizeof error);
    mj_deleteVFS(files);
    delete files;
    if (!model_) throw std::runtime_error(error);
    data_ = mj_makeData(model_);
  }
  ~Mujoco() {
    if (data_) mj_deleteData(data_);
    mj_deleteModel(model_);
  }

  int nv() const { return model_->nv; }

  /// MuJoCo tells the linear motion of a floating body in world axes.
  void set(const Rig<double>& rig) {
    for (int b = 1; b < ulna_.body_count(); ++b) {
      const Joint& j = ulna_.joint(b);
      const int id = mj_name2id(model_, mjOBJ_JOINT, std::string(ulna_.joint_name(b)).c_str());
      double* q = data_->qpos + model_->jnt_qposadr[id];
      double* v = data_->qvel + model_->jnt_dofadr[id];
      double* a = data_->qacc + model_->jnt_dofadr[id];
      if (j.type == JointType::floating) {
        const Rotation<double> R = rig.at().pose(b).rotation();
        const Vec3<double> w = rig.v.segment<3>(j.v), u = rig.v.segment<3>(j.v + 3);
        const Vec3<double> dw = rig.a.segment<3>(j.v), du = rig.a.segment<3>(j.v + 3);
        for (int i = 0; i < 3; ++i) q[i] = rig.q(j.q + 4 + i);
        for (int i = 0; i < 4; ++i) q[3 + i] = rig.q(j.q + i);
        put(R * u, v), put(w, v + 3);
        put(R * Vec3<double>(du + cross(w, u)), a), put(dw, a + 3);
      } else {
        for (int i = 0; i < configuration_size(j.type); ++i) q[i] = rig.q(j.q + i);
        for (int i = 0; i < velocity_size(j.type); ++i)
          v[i] = rig.v(j.v + i), a[i] = rig.a(j.v + i);
      }
    }
    mj_inverse(model_, data_);
  }

  /// The torques of inverse dynamics, in ulna's order and axes.
  Eigen::VectorXd torque(const Rig<double>& rig) const {
    Eigen::VectorXd tau(ulna_.nv());
    for (int b = 1; b < ulna_.body_count(); ++b) {
      const Joint& j = ulna_.joint(b);
      const int id = mj_name2id(model_, mjOBJ_JOINT, std::string(ulna_.joint_name(b)).c_str());
      const double* t = data_->qfrc_inverse + model_->jnt_dofadr[id];
      if (j.type == JointType::floating) {
        const Rotation<double> R = rig.at().pose(b).rotation();
        tau.segment<3>(j.v) = Vec3<double>(t[3], t[4], t[5]);
        tau.segment<3>(j.v + 3) = R.inverse_apply(Vec3<double>(t[0], t[1], t[2]));
      } else {
        for (int i = 0; i < velocity_size(j.type); ++i) tau(j.v + i) = t[i];
      }
    }
    return tau;
  }

  double kinetic_and_potential_energy() const {
    mj_energyPos(model_, data_), mj_energyVel(model_, data_);
    return data_->energy[0] + data_->energy[1];
  }

  Vec3<double> center_of_mass() const {
    return {data_->subtree_com[0], data_->subtree_com[1], data_->subtree_com[2]};
  }

 private:
  static void put(const Vec3<double>& from, double* to) {
    std::copy(from.data(), from.data() + 3, to);
  }

  static Eigen::RowVector4d quaternion(const Rotation<double>& R) {
    const Quaternion<double> r = R.quaternion();
    return {r.w, r.x, r.y, r.z};
  }

  static void write(std::ostream& xml, const Link& link) {
    const JointDescription& j = *link.joint;
    const Transform<double> X = j.origin.transform();
    // principal axes are given, as MuJoCo's own search for them ends at nine figures
    const Principal<double> principal = principal_axes(link.inertial.inertia);
    xml << "<body pos='" << X.translation().transpose() << "' quat='" << quaternion(X.rotation())
        << "'><inertial pos='" << link.inertial.com.transpose() << "' quat='"
        << quaternion(principal.axes) << "' mass='" << link.inertial.mass << "' diaginertia='"
        << principal.moments.transpose() << "'/>";
    const char* type = j.type == JointType::prismatic  ? "slide"
                       : j.type == JointType::ball     ? "ball"
                       : j.type == JointType::floating ? "free"
                                                       : "hinge";
    xml << "<joint name='" << j.name << "' type='" << type << '\'';
    if (has_axis(j.type)) xml << " axis='" << j.axis.transpose() << '\'';
    xml << "/>";
  }

  const Model ulna_;
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
};

void expect_as_in_mujoco(const Model& model, Random& random) {
  Mujoco mujoco(model);
  ASSERT_EQ(mujoco.nv(), model.nv());
  Rig<double> rig(model, random);
  rig.without_resistance();
  mujoco.set(rig);
  expect_close(rig.torque(), mujoco.torque(rig), 1e-12);
  expect_close(rig.energy(), mujoco.kinetic_and_potential_energy(), 1e-12);
  expect_close(center_of_mass<double>(rig.plant, rig.at(), rig.ws), mujoco.center_of_mass(), 1e-12);
}

TEST(MuJoCo, agrees_on_the_panda) {
  const Model model = lump_fixed_joints(load_robot("panda").model);
  for_each_seed([&](Random& random) { expect_as_in_mujoco(model, random); });
}

TEST(MuJoCo, agrees_on_trees_of_hinges_slides_and_balls_fixed_and_floating) {
  for_each_model(
      [](const Model& fixed, Random& random) {
        expect_as_in_mujoco(lump_fixed_joints(fixed), random);
        // a floating body of MuJoCo hangs on the world itself
        expect_as_in_mujoco(lump_fixed_joints(with_floating_base(fixed)), random);
      },
      {.joints = 8,
       .kinds = {JointType::revolute, JointType::prismatic, JointType::continuous, JointType::ball},
       .mimic = 0.0});
}

#endif

#if !defined(ULNA_WITH_KDL) && !defined(ULNA_WITH_MUJOCO)

TEST(Peers, are_asked_where_they_are_installed) {
  GTEST_SKIP() << "neither KDL nor MuJoCo was found";
}

#endif

}  // namespace
}  // namespace ulna::test
