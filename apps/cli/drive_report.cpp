#include "drive_rig.hpp"

namespace ulna::cli {

std::string contact_text(const Stream& out, const Model& model, const drive::ContactReport& r) {
  const std::vector<std::string> names = model.velocity_names();
  std::string text =
      fmt::format("readings   every {} ms ± {} us, {} ms old when used\n", figure(1e3 * r.period),
                  figure(1e6 * r.period_jitter, 2), figure(1e3 * r.reading_age, 2));
  if (!r.complete) return text + fmt::format("not complete: {}\n", visible(r.ended));
  text += fmt::format("delay      {} ms from a torque to its effect, beyond sampling\n",
                      figure(1e3 * r.delay, 2));
  text += fmt::format("torques    measured on the {} side\n", link::to_string(r.sensors));
  text +=
      fmt::format("gravity    the model holds the arm within {} Nm; {} mrad of drift in 0.2 s\n",
                  figure(r.gravity_error, 3), figure(1e3 * r.drift, 2));
  text += fmt::format("responses  misfit {} as wired{}; below 1 it fits\n\n",
                      figure(r.misfit_before, 3),
                      r.findings.empty() ? "" : ", " + figure(r.misfit, 3) + " put right");
  Table table(1, {"joint", ">q", ">noise q", ">noise v", ">holding", ">model", ">breaks away",
                  ">friction", ">response"});
  for (std::size_t i = 0; i < names.size(); ++i) {
    const drive::JointContact& j = r.joints[i];
    table.row({names[i], figure(j.q, 3), figure(j.position_noise, 2), figure(j.velocity_noise, 2),
               figure(j.holding, 3), figure(j.gravity, 3), figure(j.breakaway, 2),
               figure(j.friction, 2), figure(j.response, 3)});
  }
  text += table.str(out) + '\n';
  if (r.findings.empty()) return text + "nothing is wrong\n";
  for (const drive::ContactFinding& f : r.findings)
    text += hanging("- ", 2, visible(f.text) + " [" + f.name + "]", out.width() - 2);
  return text;
}

Json contact_json(const Model& model, const drive::ContactReport& r) {
  const std::vector<std::string> names = model.velocity_names();
  Json findings = list_of(r.findings, [&](const drive::ContactFinding& f) {
    return Json{{"name", f.name},
                {"joints", list_of(f.joints, [&](int i) { return names[std::size_t(i)]; })},
                {"text", f.text}};
  });
  Json joints = Json::array();
  for (std::size_t i = 0; i < names.size(); ++i) {
    Json joint =
        ULNA_FIELDS(r.joints[i], q, position_noise, velocity_noise, torque_noise, holding, gravity,
                    friction, breakaway, damping, response, sensor_gain, sensor_deficit);
    joint["name"] = names[i];
    joints.push_back(joint);
  }
  return {{"complete", r.complete},
          {"ended", r.ended},
          {"findings", findings},
          {"torque_sensors", link::to_string(r.sensors)},
          {"period", r.period},
          {"period_jitter", r.period_jitter},
          {"reading_age", r.reading_age},
          {"delay", r.delay},
          {"gravity_error", r.gravity_error},
          {"drift", r.drift},
          {"misfit_before", r.misfit_before},
          {"misfit", r.misfit},
          {"joints", joints}};
}

Json summary_json(const drive::Summary& s) {
  const auto times = [](const drive::Histogram& h) {
    return Json{{"p50", h.quantile(0.5)},
                {"p99", h.quantile(0.99)},
                {"p999", h.quantile(0.999)},
                {"max", h.largest()}};
  };
  return {{"end", to_string(s.end)},
          {"why", s.why},
          {"rests", s.rests},
          {"holds", s.holds},
          {"seconds", s.seconds},
          {"stop_seconds", s.stop_seconds},
          {"moved", s.moved},
          {"steps", s.steps},
          {"late", s.late},
          {"skipped", s.skipped},
          {"updates_left_out", s.updates_left_out},
          {"not_fresh", s.not_fresh},
          {"refused", s.refused},
          {"jitter_us", times(s.jitter)},
          {"work_us", times(s.work)},
          {"reading_age_us", times(s.reading_age)},
          {"supervised",
           {{"run", s.supervised[0]},
            {"hold", s.supervised[1]},
            {"stop", s.supervised[2]},
            {"fault", s.supervised[3]}}},
          {"cut", s.cut},
          {"recorded", s.recorded},
          {"record_lost", s.record_lost},
          {"realtime", s.realtime},
          {"supervisor", s.supervisor}};
}

Json traffic_json(const link::Traffic& t) {
  Json faults = Json::object();
  for (int f = 1; f < link::fault_count; ++f)
    faults[to_string(link::Fault(f))] = t.faults[std::size_t(f)];
  return {{"states", t.states},
          {"commands", t.commands},
          {"superseded", t.superseded},
          {"sessions", t.sessions},
          {"faults", faults}};
}

}  // namespace ulna::cli
