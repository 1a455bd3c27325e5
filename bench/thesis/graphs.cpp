#include "graphs.hpp"

#include "ulna/codegen/differentiate.hpp"
#include "ulna/codegen/robot/robot_functions.hpp"
#include "ulna/dynamics/forward_dynamics_impl.hpp"

namespace thesis {
namespace {

using namespace ulna;
using namespace ulna::codegen;
using E = Expression;

/// The longest chains whose functions and Jacobians are compiled, and whose graph of the forward
/// dynamics' Jacobian is made: it has some n^4 operations.
constexpr int most_compiled = 28, most_compiled_jacobian = 14, most_forward_jacobian = 28;

/// C v + g: inverse dynamics without the input a (Cărămizaru 2023, section 6.1.2).
Traced bias(const Traced& id, int nv) {
  Tracer tracer("bias");
  const Tracer::Column q = tracer.input("q", nv), v = tracer.input("v", nv);
  tracer.output("tau", tracer.call(id, {q, v, Tracer::Column::Constant(nv, E(0))})[0]);
  return tracer.finish();
}

Plant<E> bare_plant(const Model& model) {
  Plant<E> plant(model);
  plant.remove_friction();
  plant.armature.setConstant(E(0));
  return plant;
}

/// Forward dynamics by three algorithms, each as the library has it for any scalar.
enum class Forward { articulated_bodies, mass_matrix, columns };

/// M column by column, each an inverse dynamics (Cărămizaru 2023, remark 3.3.10).
MatX<E> mass_by_columns(const Model& model, const VecX<E>& q) {
  const int nv = model.nv();
  const Model weightless = model.with_gravity(Vec3<double>::Zero());
  const Plant<E> plant = bare_plant(weightless);
  Motion<E> motion(weightless);
  Workspace<E> ws(weightless);
  MatX<E> M(nv, nv);
  VecX<E> a = VecX<E>::Constant(nv, E(0)), column(nv);
  const VecX<E> rest = a;
  for (int j = 0; j < nv; ++j) {
    a(j) = E(1);
    motion.set(q, rest, a);
    inverse_dynamics<E>(plant, motion, ws, column);
    a(j) = E(0);
    M.col(j) = column;
  }
  return M;
}

Traced mass_columns(const Model& model) {
  Tracer tracer("mass_columns");
  tracer.output("M", mass_by_columns(model, tracer.input("q", model.nv())));
  return tracer.finish();
}

Traced forward(const Model& model, Forward way) {
  const int nv = model.nv();
  Tracer tracer("forward");
  const VecX<E> q = tracer.input("q", nv), v = tracer.input("v", nv), tau = tracer.input("tau", nv);
  VecX<E> a(nv);
  const Plant<E> plant = bare_plant(model);
  Workspace<E> ws(model);
  MassFactor<E> factor(model);
  Kinematics<E> at(model);
  at.set(q, v);
  // nothing is known to fail before there are numbers
  if (way == Forward::articulated_bodies) {
    (void)articulated_body_dynamics<E>(plant, at, tau, ws, a);
  } else if (way == Forward::mass_matrix) {
    (void)mass_matrix_dynamics<E>(plant, at, tau, factor, ws, a);
  } else {
    VecX<E> bias(nv);
    bias_torque<E>(plant, at, ws, bias);
    (void)factor.factor(mass_by_columns(model, q));
    a = tau - bias;
    factor.solve(a);
  }
  tracer.output("a", a);
  return tracer.finish();
}

}  // namespace

std::vector<bench::Contestant> graph_tasks(const bench::Robot& robot) {
  const Model& model = robot.model;
  const int nv = model.nv();
  std::vector<bench::Contestant> tasks;
  const auto add = [&](bench::Task task, const Traced& traced) {
    tasks.push_back({&bench::ulna_peer(), std::move(task), traced.operation_count()});
  };
  const auto both = [&](int algorithm, const Traced& traced) {
    add(bench::interpreted_task(algorithm, traced), traced);
    if (nv <= most_compiled) add(bench::compiled_task(algorithm, traced), traced);
  };
  const Traced id = trace(model, RobotFunction::id), fd = trace(model, RobotFunction::fd);
  both(BENCH_INVERSE_DYNAMICS, id);
  both(BENCH_BIAS_TORQUE, bias(id, nv));
  both(BENCH_MASS_MATRIX, trace(model, RobotFunction::M));
  both(BENCH_FORWARD_DYNAMICS, fd);
  const Traced columns = mass_columns(model);
  bench::Task mass = bench::interpreted_task(BENCH_MASS_MATRIX, columns);
  mass.variant += ", columns";
  add(std::move(mass), columns);
  for (const auto& [way, name] : {std::pair{Forward::articulated_bodies, ", articulated bodies"},
                                  std::pair{Forward::mass_matrix, ", mass matrix"},
                                  std::pair{Forward::columns, ", columns"}}) {
    const Traced traced = forward(model, way);
    bench::Task task = bench::interpreted_task(BENCH_FORWARD_DYNAMICS, traced);
    task.variant += name;
    add(std::move(task), traced);
  }

  const auto slope = [&](int algorithm, const Traced& traced) {
    add(bench::interpreted_task(algorithm, traced), traced);
  };
  slope(BENCH_INVERSE_DYNAMICS_DERIVATIVES, jacobian(id, "tau", {"q", "v", "a"}));
  if (nv <= most_forward_jacobian)
    slope(BENCH_FORWARD_DYNAMICS_DERIVATIVES, jacobian(fd, "a", {"q", "v", "tau"}));
  if (nv <= most_compiled_jacobian)
    for (const auto& [algorithm, function] :
         {std::pair{BENCH_INVERSE_DYNAMICS_DERIVATIVES, RobotFunction::did},
          std::pair{BENCH_FORWARD_DYNAMICS_DERIVATIVES, RobotFunction::dfd}}) {
      const Traced traced = trace(model, function);
      add(bench::compiled_task(algorithm, traced), traced);
    }
  return tasks;
}

}  // namespace thesis
