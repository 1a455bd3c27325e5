// block 1
const double reading_time = 0.0;
const VectorXd tau_wanted = tau;
const auto close_brakes = [] {};
const auto log = [](const auto&) {};
// block 2
ulna::supervise::Supervisor supervisor(model, {.rate_hz = 1000.0});
ulna::mpc::IdentifyingController controller(model, {});
const auto motion = reference;
