#pragma once

#include "support/bad_input.hpp"

/// Tables in YAML that are wrong.
namespace ulna::test {

inline void bad_tables(BadInputs& cases) {
  const auto bad = [&](std::string name, std::string_view from, std::string_view to,
                       const Rule& rule) -> BadInputs& {
    return cases.change(std::move(name), from, to, Fate::refused, rule, good_table);
  };
  const auto repaired = [&](std::string name, std::string_view from, std::string_view to,
                            const Rule& rule) -> BadInputs& {
    return cases.change(std::move(name), from, to, Fate::repaired, rule, good_table);
  };
  const auto screws = [&](std::string name, std::string_view from, std::string_view to, Fate fate,
                          const Rule& rule) -> BadInputs& {
    return cases.change(std::move(name), from, to, fate, rule, good_screws);
  };
  const auto raw = [&](std::string name, std::function<std::string()> text, const Rule& rule,
                       int line) -> BadInputs& {
    return cases.add(std::move(name), "bad.yaml", std::move(text), Fate::refused, rule, line);
  };
  cases.kind("table: numbers");
  for (const std::string token : {"nan", ".nan", "inf", ".inf", "1e999", "1.0kg", "'1,5'", "0x10",
                                  "''", "pi/0", "3pi", "1e308*pi", "pi/1e-320", "90degrees"}) {
    bad("d " + token, "d: 0.3", "d: " + token, rules::number_invalid);
    bad("mass " + token, "mass: 2", "mass: " + token, rules::number_invalid);
    bad("gear " + token, "gear: 60", "gear: " + token, rules::number_invalid);
    bad("lower " + token, "lower: -2", "lower: " + token, rules::number_invalid);
    bad("com " + token, "[0.1, 0, 0]", "[" + token + ", 0, 0]", rules::number_invalid);
    screws("screw " + token, "[0, 0, 1, 0, 0, 0]", "[0, 0, 1, 0, 0, " + token + "]", Fate::refused,
           rules::number_invalid);
  }
  repaired("alpha in degrees", "alpha: pi/2", "alpha: 90", rules::angle_degrees)
      .says("used as radians");
  repaired("theta in degrees", "theta: 0.25", "theta: -45", rules::angle_degrees);
  repaired("offset in millimetres", "d: 0.3", "d: 300", rules::length_implausible)
      .on("- name: slide");
  bad("inertia of five", "[0.02, 0, 0, 0.021, 0, 0.012]", "[0.02, 0, 0, 0.021, 0]",
      rules::table_shape);
  bad("com of two", "[0.1, 0, 0]", "[0.1, 0]", rules::number_count);
  bad("gravity of one", "gravity: [0, 0, -9.8]", "gravity: -9.8", rules::number_count);
  bad("friction of three", "friction: [0.1, 0.2]", "friction: [0.1, 0.2, 0.3]",
      rules::number_count);
  bad("a list as number", "d: 0.3", "d: [0.3]", rules::table_shape);
  bad("nothing as number", "d: 0.3", "d:", rules::table_shape).on_line(any_line);
  bad("damping negative", "damping: 0.5", "damping: -0.5", rules::friction_negative);
  bad("Coulomb friction negative", "coulomb: 0.3", "coulomb: -0.3", rules::friction_negative);
  bad("friction negative one way", "friction: [0.1, 0.2]", "friction: [0.1, -0.2]",
      rules::friction_negative);
  bad("mass negative", "mass: 2", "mass: -2", rules::mass_negative).on("name: upper");
  bad("limits reversed", "upper: 2.5", "upper: -2.5", rules::limit_reversed).on("- name: shoulder");
  bad("rotor inertia that overflows", "gear: 60", "gear: 1e200", rules::number_invalid)
      .on("- name: shoulder");
  screws("home misspelt", "home: {xyz: [0.5, 0, 0]}", "home: {xzy: [0.5, 0, 0]}", Fate::refused,
         rules::tag_misspelt);
  screws("screw of no length", "[0, 0, 1, 0, 0, 0]", "[0, 0, 0, 0, 0, 0]", Fate::refused,
         rules::axis_zero);
  screws("screw of length 2", "[0, 0, 1, 0, 0, 0]", "[0, 0, 2, 0, 0, 0]", Fate::refused,
         rules::screw_not_unit);
  screws("slide of length 2", "[0, 0, 1, 0, 0, 0]", "[0, 0, 0, 0, 0, 2]", Fate::refused,
         rules::screw_not_unit);
  screws("screw of length 1.0001", "[0, 0, 1, 0, 0, 0]", "[0, 0, 1.0001, 0, 0, 0]", Fate::repaired,
         rules::screw_rounded)
      .says("normalised")
      .after([](const Model& m) { return joint_of(m, "shoulder").axis == Vec3<double>::UnitZ(); });
  screws("screw of five", "[0, 0, 1, 0, 0, 0]", "[0, 0, 1, 0, 0]", Fate::refused,
         rules::table_shape)
      .on("- name: shoulder");
  screws("no screw", "    screw: [0, 0, 1, 0, 0, 0]\n", "", Fate::refused, rules::table_shape)
      .on("- name: shoulder");
  screws("screw is text", "[0, 0, 1, 0, 0, 0]", "up", Fate::refused, rules::table_shape)
      .on("- name: shoulder");

  cases.kind("table: shape");
  bad("no kind", "ulna: dh\n", "", rules::table_shape);
  bad("unknown kind", "ulna: dh", "ulna: dhh", rules::table_shape);
  bad("kind is a list", "ulna: dh", "ulna: [dh]", rules::table_shape);
  bad("joints is text", "joints:\n", "joints: none\nrest:\n", rules::table_shape).on_line(1);
  bad("joints is a map", "joints:\n", "joints: {name: shoulder}\nrest:\n", rules::table_shape)
      .on_line(1);
  bad("joints is empty", "joints:\n", "joints: []\nrest:\n", rules::table_shape).on_line(1);
  bad("a joint is text", "  - name: slide\n", "  - hello\n  - name: slide\n", rules::table_shape);
  bad("a joint is null", "  - name: slide\n", "  -\n  - name: slide\n", rules::table_shape)
      .on_line(any_line);
  bad("joint name is a list", "name: slide", "name: [slide]", rules::table_shape);
  bad("type is unknown", "type: prismatic", "type: slider", rules::table_joint).on("- name: slide");
  bad("type is a ball", "type: prismatic", "type: ball", rules::table_joint).on("- name: slide");
  bad("base is a number", "base: {name: floor, xyz: [0, 0, 0.1]}", "base: 5", rules::table_shape);
  bad("limits is a number", "limits: {lower: 0, upper: 0.5}", "limits: 5", rules::table_shape);
  bad("motor is a list", "motor: {inertia: 0.0002, gear: 60, viscous: 0.001, coulomb: 0.3}",
      "motor: [1, 2]", rules::table_shape);
  bad("motor is a number", "motor: {inertia: 0.0002, gear: 60, viscous: 0.001, coulomb: 0.3}",
      "motor: 1", rules::table_shape);
  bad("link is text", "link: {name: lower, mass: 1, inertia: [0.01, 0, 0, 0.011, 0, 0.013]}",
      "link: lower", rules::table_shape);
  bad("inertia is a number", "[0.02, 0, 0, 0.021, 0, 0.012]", "0.02", rules::table_shape);
  bad("inertia without mass", "      mass: 2\n", "", rules::table_shape).on("name: upper");
  bad("tool is text", "tool: {name: tip, xyz: [0, 0, 0.05]}", "tool: tip", rules::table_shape);
  bad("misspelt key of a joint", "alpha: pi/2", "alhpa: pi/2", rules::tag_misspelt).says("'alpha'");
  bad("misspelt key of a link", "mass: 2", "mas: 2", rules::tag_misspelt).says("'mass'");
  bad("misspelt key of the table", "joints:", "joint:", rules::tag_misspelt).says("'joints'");
  bad("misspelt key of the limits", "lower: -2", "lowr: -2", rules::tag_misspelt).says("'lower'");
  bad("misspelt key of the motor", "gear: 60", "gaer: 60", rules::tag_misspelt).says("'gear'");
  bad("alpha as it sounds", "alpha: pi/2", "alfa: pi/2", rules::tag_misspelt).says("'alpha'");
  bad("theta with letters swapped", "alpha: pi/2", "tetha: pi/2", rules::tag_misspelt)
      .says("'theta'");
  bad("alpha in capitals", "alpha: pi/2", "ALPHA: pi/2", rules::tag_misspelt).says("'alpha'");
  bad("ratio for gear", "gear: 60", "ratio: 60", rules::tag_misspelt).says("'gear'");
  bad("weight for mass", "      mass: 2\n", "      weight: 2\n", rules::tag_misspelt)
      .says("'mass'");
  bad("kind for type", "type: prismatic", "kind: prismatic", rules::tag_misspelt).says("'type'");
  bad("id for name", "name: slide", "id: slide", rules::tag_misspelt).says("'name'");
  bad("type that is misspelt", "type: prismatic", "type: prismatik", rules::table_joint)
      .on("- name: slide")
      .says("'prismatic'");
  bad("key twice", "    d: 0.3\n", "    d: 0.3\n    d: 0.4\n", rules::tag_double).on("d: 0.4");
  bad("joint name twice", "name: slide", "name: shoulder", rules::name_duplicate);
  bad("link name twice", "name: lower", "name: upper", rules::name_duplicate);
  bad("tool named like a link", "name: tip", "name: upper", rules::name_duplicate);
  repaired("strange key", "damping: 0.5", "colour: 0.5", rules::key_unknown).says("skipped");
  repaired("strange key of a link", "mass: 2", "mass: 2\n      weight: 20", rules::key_unknown)
      .says("'weight'")
      .on("weight: 20");
  repaired("visual is text",
           "visual:\n        - {shape: box, size: [0.1, 0.2, 0.3], color: [1, 0, 0, 1]}",
           "visual: box", rules::shape_invalid);
  repaired("a visual is text", "{shape: box, size: [0.1, 0.2, 0.3], color: [1, 0, 0, 1]}", "box",
           rules::shape_invalid);
  repaired("visual of unknown shape", "shape: box", "shape: cone", rules::shape_invalid);
  repaired("visual of negative size", "[0.1, 0.2, 0.3]", "[0.1, -0.2, 0.3]", rules::shape_invalid);
  repaired("visual without size", "size: [0.1, 0.2, 0.3], ", "", rules::shape_invalid);
  repaired("colour by name", "[1, 0, 0, 1]", "red", rules::material_invalid);
  repaired("colour above 1", "[1, 0, 0, 1]", "[255, 0, 0, 1]", rules::material_invalid);
  repaired("no inertial", "link: {name: lower, mass: 1, inertia: [0.01, 0, 0, 0.011, 0, 0.013]}",
           "link: {name: lower}", rules::inertial_missing);
  repaired("no limits", "    limits: {lower: 0, upper: 0.5}\n", "", rules::limit_missing)
      .on("- name: slide");

  cases.kind("table: YAML");
  raw(
      "empty", [] { return std::string(); }, rules::table_shape, 0);
  raw(
      "a comment only", [] { return std::string("# nothing\n"); }, rules::table_shape, 0);
  raw(
      "text", [] { return std::string("hello\n"); }, rules::table_shape, 1);
  raw(
      "a list", [] { return std::string("- 1\n- 2\n"); }, rules::table_shape, 1);
  raw(
      "not closed", [] { return std::string("ulna: dh\njoints: [{d: 1}\n"); },
      rules::yaml_malformed, 2)
      .on_line(3);
  bad("tab", "    d: 0.3", "\td: 0.3", rules::yaml_malformed);
  bad("NUL byte", "d: 0.3", std::string_view("d: 0\0003", 7), rules::yaml_malformed);
  bad("end-of-text character", "d: 0.3", "d: 0.3\x04", rules::yaml_malformed);
  bad("two documents", "tool: {", "---\ntool: {", rules::yaml_malformed);
  bad("an alias", "com: [0.1, 0, 0]", "com: *somewhere", rules::yaml_malformed);
  repaired("Latin-1", "name: scara", "name: M\xFCnchen", rules::encoding)
      .says("read as Latin-1")
      .after([](const Model& m) { return m.name() == "M\xC3\xBCnchen"; });
  raw(
      "alias bomb",
      [] {
        std::string text = "ulna: dh\nl0: &l0 [1, 2, 3]\n";
        for (int i = 1; i < 30; ++i) {
          const std::string one = "*l" + std::to_string(i - 1);
          text += "l" + std::to_string(i) + ": &l" + std::to_string(i) + " [" + one + ", " + one +
                  "]\n";
        }
        return text + "joints: *l29\n";
      },
      rules::yaml_malformed, 3)
      .says("alias");
  raw(
      "joints by the same alias",
      [] { return "ulna: dh\njoints: [&a {d: 1}" + repeated(", *a", 50'000) + "]\n"; },
      rules::yaml_malformed, 2);
  raw(
      "lists 60,000 deep",
      [] { return "ulna: dh\njoints: " + repeated("[", 60'000) + repeated("]", 60'000); },
      rules::yaml_malformed, 2)
      .says("deep");
  raw(
      "lists 500,000 deep, not closed",
      [] { return "ulna: dh\njoints: " + repeated("[", 500'000); }, rules::yaml_malformed, 2);
  raw(
      "maps 60,000 deep", [] { return "ulna: dh\njoints: " + repeated("{a: ", 60'000); },
      rules::yaml_malformed, 2);
  raw(
      "dashes 60,000 deep", [] { return "ulna: dh\njoints:\n" + repeated("- ", 60'000) + "1\n"; },
      rules::yaml_malformed, 3);
  raw(
      "indented 900 deep",
      [] {
        std::string text = "ulna: dh\njoints:\n";
        for (int i = 1; i <= 900; ++i)
          text += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
        return text;
      },
      rules::yaml_malformed, 102);
  raw(
      "100,000 joints", [] { return "ulna: dh\njoints:\n" + repeated("- {}\n", 100'000); },
      rules::input_too_large, 3)
      .says("more than 20000 links");
  raw(
      "250,000 entries", [] { return "ulna: dh\njoints: [" + repeated("1,", 250'000) + "1]"; },
      rules::input_too_large, 2)
      .says("entries");
  raw(
      "40,000 strange keys",
      [] {
        std::string text = "ulna: dh\n";
        for (int i = 0; i < 40'000; ++i) text += "k" + std::to_string(i) + ": 1\n";
        return text;
      },
      rules::table_shape, 1);
  raw(
      "1 MB", [] { return "ulna: dh\n# " + std::string(1u << 20, 'x'); }, rules::input_too_large, 0)
      .says("bytes");
  raw(
      "a joint name of 400 kB in 2,000 messages",
      [] {
        std::string text = "ulna: dh\njoints:\n- name: " + std::string(400'000, 'x') + "\n";
        for (int i = 0; i < 2000; ++i) text += "  k" + std::to_string(i) + ": 1\n";
        return text + "  d: nan\n";
      },
      rules::number_invalid, 2004);
  cases.accepted(
      "5,000 joints",
      [] {
        return "ulna: dh\njoints:\n" +
               repeated("- {a: 0.1, limits: {lower: -1, upper: 1}}\n", 5000);
      },
      [](const Model& m) { return m.nq() == 5000; }, "good.yaml");
  cases.accepted(
      "byte order mark", [] { return "\xEF\xBB\xBF" + std::string(good_table); }, {}, "good.yaml");
  cases.accepted(
      "CRLF",
      [] {
        std::string text;
        for (const char c : good_table) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
        return text;
      },
      {}, "good.yaml");
}

}  // namespace ulna::test
