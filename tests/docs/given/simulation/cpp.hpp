// block 1
const auto my_controller = [](const VectorXd&, const VectorXd&) {
  return VectorXd(VectorXd::Zero(n));
};
// block 2
ulna::Simulation robot(model);
// block 3
ulna::Simulation robot(model);
const auto tool = model.frame("panda_link8");
const ulna::Inertia<double> brick;
