// block 3
ulna::identify::TorqueModel torque_model(model, {ulna::identify::Feature::viscous});
const VectorXd noise = VectorXd::Constant(n, 0.1);
// block 4
const double t = 1.0;
// a smaller robot: the search takes seconds, not a minute
const ulna::Model model = ulna::load_robot("double_pendulum").model;
// block 5
const ulna::Model model = ulna::load_robot("double_pendulum").model;
const ulna::identify::TorqueModel torque_model(model, {ulna::identify::Feature::viscous,
                                                       ulna::identify::Feature::coulomb});
ulna::Diagnostics found;
const ulna::identify::Log log = ulna::identify::load_log("pendulum.csv", model, {}, found);
const ulna::identify::Prepared data = ulna::identify::prepare({&log, 1}, {}, found);
