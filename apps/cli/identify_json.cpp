#include "identify_json.hpp"

#include "identify_payload.hpp"
#include "identify_text.hpp"

namespace ulna::cli {
namespace {

using namespace identify;

// In JSON, numbers that are not finite become null.

Json total_percent(const std::optional<Fit>& fit) {
  return fit ? Json(fit->total_percent) : Json();
}

Json fit_json(const Fit& fit, double filter_hz, Eigen::Index samples) {
  return merged({ULNA_FIELDS(fit, per_joint_percent, total_percent, rms),
                 {{"filter_hz", filter_hz}, {"samples", samples}}});
}

Json log_json(const LogSummary& log) {
  return merged({ULNA_FIELDS(log, file, use),
                 ULNA_FIELDS(log.figures, rows, samples, duration, rate_hz, jitter, corrupt,
                             outliers, duplicates, held, out_of_time, gaps, pieces),
                 {{"clock_repaired", log.clock.repaired}}});
}

Json online_json(const OnlineFigures& o, double filter_hz) {
  const auto prediction = [&](const Fit& fit) {
    return merged({ULNA_FIELDS(fit, per_joint_percent, total_percent), {{"filter_hz", filter_hz}}});
  };
  return merged({{{"run", prediction(o.run)},
                  {"second_half", prediction(o.second_half)},
                  {"prior_percent", o.prior_percent},
                  {"consistent_at_every_step", o.always_consistent},
                  {"filter_delay", o.delay},
                  {"rate_hz", o.rate_hz},
                  {"updates", o.updates()}},
                 ULNA_FIELDS(o, learned, doubted, changed, ignored, median_us, percentile_99_us)});
}

Json refinement_json(const Refinement& r, const Assessment& start) {
  const auto with_deviation = [](double value, double deviation) {
    return Json{{"value", value}, {"deviation", deviation}};
  };
  Json stribeck;
  for (Eigen::Index i = 0; i < r.stribeck_level.size(); ++i)
    stribeck.push_back(
        {{"level", with_deviation(r.stribeck_level(i), r.stribeck_level_deviation(i))},
         {"velocity", with_deviation(r.stribeck_velocity(i), r.stribeck_velocity_deviation(i))}});
  return merged(
      {{{"status", to_string(r.status)}},
       ULNA_FIELDS(r, reason, iterations, seconds, windows, window, samples, position_before,
                   position_after, velocity_before, velocity_after),
       {{"stribeck", stribeck},
        {"delay", r.delay_deviation != 0.0 ? with_deviation(r.delay, r.delay_deviation) : Json()},
        {"start_fit_percent", start.fit.total_percent},
        {"start_validation_percent", total_percent(start.validation)}}});
}

Json found_json(const Found& found) { return ULNA_FIELDS(found, value, deviation); }

/// Effects in numbers; joints by their names.
Json effects_json(const Effects& effects, const Model& model) {
  const std::vector<std::string> joints = model.velocity_names();
  Json compliance = Json::array(), couplings = compliance;
  for (const Found& c : effects.compliance) compliance.push_back(found_json(c));
  for (const Coupling& c : effects.couplings)
    couplings.push_back({{"motor", joints[std::size_t(c.motor)]},
                         {"joint", joints[std::size_t(c.joint)]},
                         {"sign", c.sign},
                         {"rotor", found_json(c.rotor)},
                         {"viscous", found_json(c.viscous)},
                         {"coulomb", found_json(c.coulomb)}});
  return {{"torque_delay", found_json(effects.torque_delay)},
          {"compliance", compliance},
          {"couplings", couplings}};
}

Json choice_json(const Choice& choice, const Model& model) {
  Json tried = Json::array(), effects = tried;
  for (const Tried& t : choice.tried)
    tried.push_back(ULNA_FIELDS(t, model, percent, per_joint_percent, gain, deviation, taken));
  for (const std::string& effect : choice.effects.in_words(model)) effects.push_back(effect);
  return merged({ULNA_FIELDS(choice, filter_hz, band_hz, highest_hz, parts, part_seconds, period,
                             evenness, percent),
                 {{"features", list_of(choice.features, [](Feature f) { return to_string(f); })},
                  {"effects", effects},
                  {"tried", tried}}});
}

Json residuals_json(const Identification& r) {
  if (r.residuals.joints.empty()) return {};
  Json joints = Json::array();
  for (const JointResidual& j : r.residuals.joints) {
    Json patterns = Json::array();
    for (const Pattern& p : j.patterns)
      patterns.push_back(ULNA_FIELDS(p, against, x, mean, deviation, share, meaning));
    joints.push_back(merged({ULNA_FIELDS(j, rms, torque_density, density, autocorrelation,
                                         correlated_seconds, meanings),
                             {{"patterns", patterns}}}));
  }
  return {{"hz", r.residuals.hz}, {"lag", r.residuals.lag}, {"joints", joints}};
}

}  // namespace

Json json_of(const IdentifyArguments& given, const Imported& robot, const Identification& r) {
  const Estimate& e = r.chosen.estimate;
  const Model& model = r.torques.model();
  const std::vector<std::string> names = r.torques.names(), units = r.torques.units();
  Json parameters = Json::array(), base = parameters, bodies = parameters, findings = parameters,
       remarks = parameters, validation, gains, essential, least_squares;
  if (r.chosen.validation) {
    validation = fit_json(*r.chosen.validation, r.filter_hz, r.validation_samples);
    validation["repeated_percent"] = r.repeated_percent;
  }
  for (const DriveGain& g : r.gains) gains.push_back(ULNA_FIELDS(g, gain, deviation, determined));
  for (int k = 0; k < r.torques.unknowns(); ++k)
    parameters.push_back({{"name", names[k]},
                          {"unit", units[k]},
                          {"value", e.z(k)},
                          {"deviation", e.deviation(k)},
                          {"prior", e.prior(k)},
                          {"learned", e.learned(k)},
                          {"state", r.state(k)}});
  for (int i = 0; i < r.base.size(); ++i)
    base.push_back({{"expression", r.base.name(i, names)},
                    {"unit", units[r.base.independent[i]]},
                    {"value", e.base(i)},
                    {"deviation", e.base_deviation(i)}});
  if (r.essential)
    for (std::size_t i = 0; i < r.essential->kept.size(); ++i)
      essential.push_back({{"expression", r.base.name(r.essential->kept[i], names)},
                           {"value", r.essential->values(i)},
                           {"deviation", r.essential->deviation(i)}});
  for (int b = 1; b < model.body_count(); ++b)
    bodies.push_back({{"link", model.body_name(b)}, {"margin", r.chosen.bodies[b - 1].margin}});
  if (r.plain)
    least_squares = {
        {"consistent", r.plain->estimate.consistent},
        {"fit_percent", r.plain->fit.total_percent},
        {"validation_percent", total_percent(r.plain->validation)},
        {"margins", list_of(r.plain->bodies, [](const Consistency& c) { return c.margin; })},
        {"indefinite_percent", r.plain->indefinite_percent}};
  for (const Remark& remark : r.remarks)
    (remark.finding ? findings : remarks).push_back(remark.text);
  if (r.stopped) findings.push_back(stopped_text(given, r));
  const auto name_or_null = [](const std::string& file) {
    return file.empty() ? Json() : Json(file);
  };
  return {
      {"robot", given.robot.json(robot.model)},
      {"method", given.method_name()},
      {"prior", given.prior_source()},
      {"friction", list_of(r.torques.features(), [](Feature f) { return to_string(f); })},
      {"filter_hz", r.filter_hz},
      {"filter", r.filter},
      {"choice", r.choice ? choice_json(*r.choice, model) : Json()},
      {"effects", effects_json(r.effects, model)},
      {"reference", r.chosen.reference
                        ? fit_json(*r.chosen.reference, Identification::reference_hz,
                                   r.validation_samples ? r.validation_samples : r.samples)
                        : Json()},
      {"stopped", r.stopped},
      {"consistent", e.consistent},
      {"fit", fit_json(r.chosen.fit, r.filter_hz, r.samples)},
      {"validation", validation},
      {"cross_validation",
       r.cross_validation
           ? merged({fit_json(*r.cross_validation, r.filter_hz, r.samples), {{"parts", r.folds}}})
           : Json()},
      {"online", r.online ? online_json(*r.online, r.filter_hz) : Json()},
      {"refinement", r.refined ? refinement_json(*r.refined, *r.start) : Json()},
      {"joints", model.velocity_names()},
      {"noise", e.noise},
      {"gains", gains},
      {"excitation",
       {{"rank", e.excitation.rank},
        {"base_parameters", r.base.size()},
        {"of_bodies", r.inertial_base()},
        {"condition", e.excitation.condition},
        {"log_det", e.excitation.log_det},
        {"singular_values", e.excitation.singular_values}}},
      {"parameters", parameters},
      {"base_parameters", base},
      {"essential_parameters", essential},
      {"bodies", bodies},
      {"indefinite_percent", r.chosen.indefinite_percent},
      {"least_squares", least_squares},
      {"torque_delay",
       {{"found", r.delay.found}, {"seconds", r.delay.delay}, {"deviation", r.delay.deviation}}},
      {"payload", payload_json(r)},
      {"residuals", residuals_json(r)},
      {"logs", list_of(r.logs, log_json)},
      {"out", name_or_null(r.has_findings() ? "" : given.out)},
      {"report", name_or_null(given.report)},
      {"findings", findings},
      {"remarks", remarks},
      {"diagnostics", to_json(r.found)}};
}

}  // namespace ulna::cli
