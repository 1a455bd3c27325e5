// block 1
const ulna::Model model = ulna::load_robot("iiwa14_elastic").model;
const VectorXd jerk = VectorXd::Zero(7), snap = jerk, tau_motor = jerk;
VectorXd alpha = jerk;
ulna::Kinematics<double> at(model);
// block 2
const ulna::Model model = ulna::load_robot("iiwa14_elastic").model;
ulna::Plant<double> plant(model);
ulna::Kinematics<double> at(model);
ulna::DriveState<double> drives(model);
ulna::DriveMotion<double> motion(model);
const VectorXd tau_motor = VectorXd::Zero(7);
bool possible;
// block 3
const ulna::Model model = ulna::load_robot("iiwa14_elastic").model;
const ulna::mpc::DriveReading reading(model);
const ulna::mpc::SmoothReference reference = [](double, ulna::control::SmoothMotion& m) {
  m = ulna::control::SmoothMotion(7);
};
