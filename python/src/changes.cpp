#include "changes.hpp"

namespace ulna::python {
namespace {

Schedule::Change payload_change(py::handle given, const Engine& engine, bool add) {
  const auto o = options_of<PayloadOptions>(given);
  if (!(o.mass > 0.0))
    throw std::invalid_argument("changes: a payload needs a mass above 0, in kg");
  const Frame& at = engine.model.frame(o.frame);
  const auto load = Inertia<double>::about_com(o.mass, o.com, o.inertia);
  return [&at, load, add](Plant<double>& plant) {
    add ? add_payload(plant, at, load) : remove_payload(plant, at, load);
  };
}

void add_friction(Schedule& schedule, double begin, const std::optional<double>& until,
                  double factor, const Plant<double>& usual) {
  if (!until)
    return schedule.at(begin,
                       [usual, factor](Plant<double>& p) { scale_friction(p, usual, factor); });
  schedule.during(begin, *until, [usual, factor](Plant<double>& p, double share) {
    scale_friction(p, usual, 1.0 + share * (factor - 1.0));
  });
}

/// {"at": 2.0, "payload": {...}}: one of them.
void add_change(Schedule& schedule, py::handle item, const Engine& engine) {
  double begin = 0.0;
  std::optional<double> until;
  std::uint64_t seed = 1;
  std::pair<std::string, py::object> what;
  for (const auto& [key, value] : items_of(item, "changes")) {
    if (key == "at")
      read(value, begin, "changes.at");
    else if (key == "until")
      read(value, until, "changes.until");
    else if (key == "seed")
      read(value, seed, "changes.seed");
    else
      what = {key, value};
  }
  const auto& [key, value] = what;
  if (until && key != "friction")
    throw std::invalid_argument("changes: 'until' is for friction, which changes steadily");
  if (key == "payload" || key == "drop") {
    schedule.at(begin, payload_change(value, engine, key == "payload"));
  } else if (key == "friction") {
    double factor = 1.0;
    read(value, factor, "changes.friction");
    add_friction(schedule, begin, until, factor, engine.plant);
  } else if (key == "gravity") {
    Vec3<double> gravity;
    read(value, gravity, "changes.gravity");
    schedule.at(begin, [gravity](Plant<double>& p) { p.gravity = gravity; });
  } else if (key == "random") {
    const auto by = options_of<RandomChange>(value);
    schedule.at(begin, [by, seed](Plant<double>& p) { change_at_random(p, by, seed); });
  } else {
    const std::string_view known[] = {"at",       "until",   "payload", "drop",
                                      "friction", "gravity", "random",  "seed"};
    refuse_unknown_option("changes." + key, known);
  }
}

}  // namespace

Schedule schedule_of(const py::object& list, const Engine& engine) {
  Schedule schedule;
  if (list.is_none()) return schedule;
  if (!py::isinstance<py::sequence>(list))
    refuse_option("changes", "a list of dicts is needed", list);
  for (const py::handle item : list.cast<py::sequence>()) add_change(schedule, item, engine);
  return schedule;
}

}  // namespace ulna::python
