#pragma once

#include <cmath>
#include <cstdio>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "support/random.hpp"
#include "ulna/identify/data/log.hpp"
#include "ulna/identify/data/log_rules.hpp"
#include "ulna/identify/data/screen.hpp"
#include "ulna/io/import.hpp"

/// Logs that tests make, good ones and bad ones.
namespace ulna::test {

/// Three joints, a, b and c, with limits of 2.5 rad; c turns as far as it likes if `endless`.
inline Model three_joints(bool endless = false) {
  std::string text = "<robot name='three'><link name='base'/>";
  std::string parent = "base";
  for (const std::string name : {"a", "b", "c"}) {
    const bool turns = endless && name == "c";
    text += "<link name='link_" + name +
            "'><inertial><mass value='1'/><origin xyz='0 0 0.1'/><inertia ixx='0.01' iyy='0.01' "
            "izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='" +
            name + "' type='" + (turns ? "continuous" : "revolute") + "'><parent link='" + parent +
            "'/><child link='link_" + name + "'/><origin xyz='0 0 0.2'/><axis xyz='" +
            (name == "a" ? "0 0 1" : "0 1 0") + "'/>" +
            (turns ? "" : "<limit lower='-2.5' upper='2.5' effort='50' velocity='10'/>") +
            "</joint>";
    parent = "link_" + name;
  }
  return import_urdf(text + "</robot>", "three.urdf").model;
}

/// A table to be spoilt: its columns are t, q1 .. q3, qd1 .. qd3, tau1 .. tau3.
struct Table {
  enum Column { t = 0, q = 1, qd = 4, tau = 7, width = 10 };
  std::vector<std::string> names{"t",   "q1",  "q2",   "q3",   "qd1",
                                 "qd2", "qd3", "tau1", "tau2", "tau3"};
  std::vector<std::vector<double>> rows;

  std::string text() const {
    std::string s;
    for (std::size_t i = 0; i < names.size(); ++i) s += (i ? "," : "") + names[i];
    s += "\n";
    for (const auto& row : rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        char number[40];
        std::snprintf(number, sizeof number, "%s%.17g", i ? "," : "", row[i]);
        s += number;
      }
      s += "\n";
    }
    return s;
  }
};

/// How joint i is at time t: position, velocity, acceleration.
struct Swing {
  double q, v, a;
};
inline Swing swing(int i, double t) {
  const double w = 2.0 * std::numbers::pi * (0.5 + 0.3 * i), phase = 0.7 * i;
  return {0.8 * std::sin(w * t + phase), 0.8 * w * std::cos(w * t + phase),
          -0.8 * w * w * std::sin(w * t + phase)};
}

inline Table good_table(int count = 2000, double rate_hz = 500.0, std::uint64_t seed = 1) {
  Random random(seed);
  Table table;
  for (int k = 0; k < count; ++k) {
    const double t = k / rate_hz;
    std::vector<double> row(Table::width);
    row[Table::t] = t;
    for (int i = 0; i < 3; ++i) {
      const Swing s = swing(i, t);
      const auto at = static_cast<std::size_t>(i);
      row[Table::q + at] = s.q + 1e-6 * random.real();
      row[Table::qd + at] = s.v + 1e-4 * random.real();
      row[Table::tau + at] = 3.0 * std::sin(s.q) + 0.5 * s.a + 0.05 * random.real();
    }
    table.rows.push_back(row);
  }
  return table;
}

struct Screened {
  identify::Log log;
  identify::LogFigures figures;
  Diagnostics found;

  /// The message by a rule, or "" if there is none.
  std::string says(const Rule& rule) const {
    const Diagnostic* d = found.find(rule);
    return d ? d->str() : std::string();
  }
  std::string all() const {
    std::string s;
    for (const Diagnostic& d : found.list()) s += d.str() + "\n";
    return s;
  }
};

inline Screened screened(const std::string& text, const Model& model = three_joints(),
                         const identify::ScreenOptions& options = {},
                         const identify::LogOptions& reading = {}) {
  Screened result;
  std::istringstream in(text);
  result.log = identify::read_log(in, "log.csv", model, reading, result.found);
  result.figures = identify::screen(result.log, model, options, result.found);
  return result;
}
inline Screened screened(const Table& table, const Model& model = three_joints(),
                         const identify::ScreenOptions& options = {}) {
  return screened(table.text(), model, options);
}

}  // namespace ulna::test
