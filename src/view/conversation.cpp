#include "view/conversation.hpp"

#include <algorithm>
#include <chrono>

#include "num/message.hpp"
#include "ulna/dynamics/energy.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/view/page/recording.hpp"

namespace ulna::view {
namespace {

using Eigen::VectorXd;
using messages::require;

/// A field that must be there.
const Json& field(const Json& request, const char* name) {
  const auto found = request.find(name);
  require(found != request.end(), "field '", name, "' is missing");
  return *found;
}

double number(const Json& value, const char* name) {
  require(value.is_number(), "field '", name, "' is not a number");
  const double x = value.get<double>();
  require(std::isfinite(x), "field '", name, "' is not finite");
  return x;
}

std::string text_of(const Json& request, const char* name) {
  const Json& value = field(request, name);
  require(value.is_string(), "field '", name, "' is not a text");
  return value.get<std::string>();
}

VectorXd numbers(const Json& value, const char* name, Eigen::Index size) {
  require(value.is_array() && Eigen::Index(value.size()) == size, "field '", name, "' is not ",
          size, " numbers");
  VectorXd x(size);
  for (Eigen::Index i = 0; i < size; ++i) x(i) = number(value[std::size_t(i)], name);
  return x;
}

VectorXd configuration(const Json& request, const Model& model) {
  VectorXd q = model_coordinates(model, numbers(field(request, "q"), "q", model.nq()));
  for (const Joint& j : model.joints())
    if (!j.mimics && (j.type == JointType::ball || j.type == JointType::floating))
      require(q.segment<4>(j.q).norm() > 1e-6, "field 'q': a quaternion of length 0");
  normalize(model, q);
  return q;
}

Transform<double> pose_of(const Json& value, const char* name) {
  const VectorXd x = numbers(value, name, 7);
  const double length = x.tail<4>().norm();
  require(length > 1e-6, "field '", name, "': a quaternion of length 0");
  const Quaternion<double> q{x(3) / length, x(4) / length, x(5) / length, x(6) / length};
  return {Rotation<double>::from_quaternion(q), x.head<3>()};
}

Json request_of(const Json& request) {
  const auto found = request.find("request");
  return found != request.end() && found->is_number() ? *found : Json();
}

Message answer_with(const Json& request, Json fields) {
  fields["request"] = request_of(request);
  return text(dump(fields));
}

/// False once so many seconds have passed.
class Deadline {
 public:
  explicit Deadline(double seconds)
      : end_(std::chrono::steady_clock::now() +
             std::chrono::microseconds(std::int64_t(1e6 * seconds))) {}
  bool holds() const { return std::chrono::steady_clock::now() < end_; }

 private:
  std::chrono::steady_clock::time_point end_;
};

}  // namespace

Conversation::Conversation(std::shared_ptr<const Cast> cast, Meshes& meshes,
                           const ConversationOptions& options)
    : cast_(std::move(cast)), meshes_(meshes), options_(options) {}

Json Conversation::parse(std::string_view text) {
  constexpr int deepest = 16;
  // what is deeper is left out while it is read, so that it takes no memory
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= deepest; };
  Json request = Json::parse(text.begin(), text.end(), shallow, false);
  return request.is_object() ? request : Json();
}

bool Conversation::is_replaceable(const Json& request) {
  const auto type = request.find("type");
  return type != request.end() && (*type == "ik" || *type == "pose");
}

std::vector<Message> Conversation::answer(const Json& request) {
  const auto type = request.is_object() ? request.find("type") : request.end();
  if (!request.is_object() || type == request.end() || !type->is_string())
    return {text(dump({{"type", "error"},
                       {"message", "a request is a JSON object with a type"},
                       {"request", nullptr}}))};
  const auto& kind = type->get_ref<const std::string&>();
  try {
    if (!std::ranges::count(options_.can, kind)) return {};
    if (kind == "check") return check(request);
    if (kind == "robot") return other_robot(request);
    if (kind == "pose") return pose(request);
    if (kind == "ik") return ik(request);
    if (kind == "simulate") return simulate(request);
  } catch (const std::exception& e) {
    return {answer_with(request, {{"type", "error"}, {"message", kind + ": " + e.what()}})};
  }
  return {};
}

int Conversation::robot_of(const Json& request) const {
  const auto found = request.find("robot");
  const double id = found == request.end() ? 0.0 : number(*found, "robot");
  require(id >= 0.0 && id < double(cast_->size()) && id == std::floor(id), "there is no robot ", id,
          "; there are ", cast_->size());
  return int(id);
}

Conversation::Robot& Conversation::robot(int id) {
  robots_.resize(cast_->size());
  std::unique_ptr<Robot>& made = robots_[std::size_t(id)];
  if (!made) {
    const Actor& actor = (*cast_)[std::size_t(id)];
    made = std::make_unique<Robot>(actor.model);
    made->plant.gravity = actor.X_WR.rotation().inverse_apply(made->plant.gravity);
  }
  return *made;
}

void Conversation::show(Model model, std::vector<Message>& out) {
  Cast cast{{std::move(model)}};
  Diagnostics found;
  out.push_back(text(scene_message(cast, meshes_, found)));
  out.push_back(text(channels_message({})));
  cast_ = std::make_shared<const Cast>(std::move(cast));
  robots_.clear();
  own_ = true;
}

std::vector<Message> Conversation::check(const Json& request) {
  const std::string file = text_of(request, "name"), robot = text_of(request, "text");
  const Json id = request_of(request);
  const double number = id.is_null() ? -1.0 : id.get<double>();
  std::vector<Message> out;
  try {
    Imported imported = import_robot(robot, file, {.max_links = options_.most_links});
    std::vector<Message> scene;
    show(std::move(imported.model), scene);
    out.push_back(text(diagnostics_message(file, robot, imported.diagnostics, number)));
    out.insert(out.end(), scene.begin(), scene.end());
  } catch (const ModelError& e) {
    out.push_back(text(diagnostics_message(file, robot, e.diagnostics(), number)));
  }
  return out;
}

std::vector<Message> Conversation::other_robot(const Json& request) {
  const std::string name = text_of(request, "name");
  // by its name, never as a file
  const auto robots = embedded_robots();
  const auto found = std::ranges::find(robots, std::string_view(name), &EmbeddedRobot::name);
  require(found != robots.end(), "there is no embedded robot '", name, "'");
  std::vector<Message> out;
  show(import_robot(found->text, std::string(found->file_name)).model, out);
  return out;
}

std::vector<Message> Conversation::pose(const Json& request) {
  const int id = robot_of(request);
  const Model& model = (*cast_)[std::size_t(id)].model;
  const VectorXd q = configuration(request, model);
  Robot& r = robot(id);
  VectorXd tau(model.nv());
  r.at.set(q);
  gravity_torque<double>(r.plant, r.at, r.ws, tau);
  const bool weighs = total_mass<double>(r.plant) > 0.0;
  const Transform<double>& X_WR = (*cast_)[std::size_t(id)].X_WR;
  return {answer_with(
      request, {{"type", "pose"},
                {"robot", id},
                {"q", list(page_coordinates(model, q))},
                {"gravity_torque", list(tau)},
                {"com", weighs ? list(X_WR * center_of_mass<double>(r.plant, r.at, r.ws)) : Json()},
                {"energy", potential_energy<double>(r.plant, r.at, r.ws)}})};
}

std::vector<Message> Conversation::ik(const Json& request) {
  const int id = robot_of(request);
  const Model& model = (*cast_)[std::size_t(id)].model;
  const std::string name = text_of(request, "frame");
  const auto frame = model.find_frame(name);
  require(frame.has_value(), "there is no frame '", name, "'");
  IkOptions options;
  options.restarts = 0;  // a robot that is dragged does not jump
  const auto only = request.find("position_only");
  options.position_only = only != request.end() && *only == true;
  options.go_on = [deadline = Deadline(options_.longest_ik)](int) { return deadline.holds(); };
  // a page's target is in the world, the robot's in the frame that its base stands in
  const Transform<double> target =
      (*cast_)[std::size_t(id)].X_WR.inverse() * pose_of(field(request, "target"), "target");
  const IkResult result = inverse_kinematics(model, model.frames()[std::size_t(*frame)], target,
                                             configuration(request, model), options);
  return {answer_with(request, {{"type", "ik"},
                                {"robot", id},
                                {"q", list(page_coordinates(model, result.q))},
                                {"reached", result.found},
                                {"error_m", result.position_error},
                                {"error_rad", result.orientation_error}})};
}

std::vector<Message> Conversation::simulate(const Json& request) {
  const int id = robot_of(request);
  const Model& model = (*cast_)[std::size_t(id)].model;
  require((*cast_)[std::size_t(id)].X_WR.rotation().matrix().isIdentity(1e-12),
          "a robot whose base is turned is not simulated here");
  const VectorXd q0 = configuration(request, model);
  const auto v = request.find("v");
  const VectorXd v0 = v == request.end() || v->is_null() ? VectorXd(VectorXd::Zero(model.nv()))
                                                         : numbers(*v, "v", model.nv());
  const double seconds = number(field(request, "seconds"), "seconds");
  require(seconds > 0.0 && seconds <= options_.longest_motion, "field 'seconds' is ", seconds,
          ", it must be above 0, up to ", options_.longest_motion);
  const auto torque = request.find("torque");
  const std::string name = torque == request.end() ? "none" : text_of(request, "torque");
  const auto drive = drive_from_string(name);
  require(drive.has_value(), "field 'torque' is '", name, "', not one of none, gravity, pd");
  const Recording recording =
      record_simulation(model, q0, v0,
                        {.seconds = seconds,
                         .drive = *drive,
                         .go_on = [&, deadline = Deadline(options_.longest_simulation)] {
                           return deadline.holds() && (!options_.go_on || options_.go_on());
                         }});
  std::vector<Message> out{text(channels_message(channels_of(model, recording, id)))};
  for (Message& m : tracks_of(model, recording, id)) out.push_back(std::move(m));
  out.push_back(answer_with(request, {{"type", "end"},
                                      {"what", "track"},
                                      {"robot", id},
                                      {"seconds", recording.times(recording.times.size() - 1)},
                                      {"reason", recording.ended}}));
  return out;
}

}  // namespace ulna::view
