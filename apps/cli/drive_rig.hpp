#pragma once

#include <map>

#include "verb.hpp"

/// Robots that `ulna drive` drives and `ulna rig` simulates.
namespace ulna::cli {

/// What a file rig.yaml says of a robot.
struct RigFile {
  std::string robot, address;
  double rate = 1000.0;  ///< Hz
  link::TorqueSensors sensors = link::TorqueSensors::motor_side;
  bool sensors_given = false;
  double delay = 0.0;  ///< s, as found
  /// Of joints by name: numbers of the robot that are read and commanded, from 1; scales of position, velocity, torque, drive.
  struct JointWiring {
    int reading = 0, command = 0;
    double position = 1.0, velocity = 1.0, torque = 1.0, drive = 1.0;
  };
  std::map<std::string, JointWiring> joints = {};
};

/// A rig.yaml, if what is given as a robot is one. Throws Failure with file and line.
std::optional<RigFile> read_rig_file(const RobotArgument& given);
/// As text, with comments.
std::string rig_file_text(const RigFile& file);

/// The wiring of a file for a model. Throws Failure for joints that it does not have.
rig::Wiring wiring_of(const RigFile& file, const Model& model, const std::string& source);
void set_wiring(RigFile& file, const rig::Wiring& wiring, const Model& model);

/// What a simulated robot does wrong, by words such as "sign=4" or "exchange=2,3".
struct Mistakes {
  rig::Wiring wiring;
  bool link_side = false;
  double delay = 0.0;  ///< s
};
/// Throws UsageError.
Mistakes mistakes_of(const Model& model, const std::vector<std::string>& words);

/// A simulated robot that is not quite what its model says.
struct SimulatedOptions {
  std::string plant = "ulna", q;
  double friction = 1.0;  ///< of 1 % of the efforts, dry, and 0.5 %, viscous
  double payload = 0.0;   ///< kg, at the tip
  std::uint64_t seed = 1;
};
/// Throws UsageError.
std::unique_ptr<rig::SimulatedRobot> simulated_robot(Console& console, const Model& model,
                                                     const SimulatedOptions& options,
                                                     const Mistakes& mistakes);

/// As text and as JSON: what the first contact found.
std::string contact_text(const Stream& out, const Model& model, const drive::ContactReport& report);
Json contact_json(const Model& model, const drive::ContactReport& report);
Json summary_json(const drive::Summary& summary);
Json traffic_json(const link::Traffic& traffic);

}  // namespace ulna::cli
