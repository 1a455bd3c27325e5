#pragma once

#include "support/bad_input.hpp"

/// URDF whose robot is wrong: numbers, bodies, joints, trees.
namespace ulna::test {

inline void bad_numbers(BadInputs& cases) {
  const std::pair<std::string_view, std::string_view> tokens[] = {
      {"nan", "is not a number"}, {"inf", "is infinite"},     {"1e999", "overflows"},
      {"", "is empty"},           {"1.0kg", "has something"}, {"1,5", "decimal comma"},
      {"0x10", "hexadecimal"},    {"--1", "is not a number"}, {"one", "is not a number"}};
  struct Place {
    std::string_view name, from, before, after;
    Fate fate;
    const Rule& rule;
  };
  const Place places[] = {
      {"mass", "value='2'", "value='", "'", Fate::refused, rules::number_invalid},
      {"ixx", "ixx='0.02'", "ixx='", "'", Fate::refused, rules::number_invalid},
      {"ixy", "ixy='0.001'", "ixy='", "'", Fate::refused, rules::number_invalid},
      {"inertial xyz", "xyz='0 0 0.11'", "xyz='0 0 ", "'", Fate::refused, rules::number_invalid},
      {"inertial rpy", "rpy='0.1 0 0'", "rpy='", " 0 0'", Fate::refused, rules::number_invalid},
      {"visual xyz", "xyz='0 0 0.12'", "xyz='", " 0 0'", Fate::refused, rules::number_invalid},
      {"joint xyz", "xyz='0 0 0.3'", "xyz='0 ", " 0.3'", Fate::refused, rules::number_invalid},
      {"joint rpy", "rpy='0 0.2 0'", "rpy='0 ", " 0'", Fate::refused, rules::number_invalid},
      {"quaternion", "quat_xyzw='0 0 0 1'", "quat_xyzw='0 0 0 ", "'", Fate::refused,
       rules::number_invalid},
      {"axis", "xyz='0 1 0'", "xyz='0 ", " 0'", Fate::refused, rules::number_invalid},
      {"pitch", "ulna:pitch='0.01'", "ulna:pitch='", "'", Fate::refused, rules::number_invalid},
      {"lower", "lower='-2'", "lower='", "'", Fate::refused, rules::number_invalid},
      {"upper", "upper='1.9'", "upper='", "'", Fate::refused, rules::number_invalid},
      {"effort", "effort='50'", "effort='", "'", Fate::refused, rules::number_invalid},
      {"velocity", "velocity='3'", "velocity='", "'", Fate::refused, rules::number_invalid},
      {"damping", "damping='0.5'", "damping='", "'", Fate::refused, rules::number_invalid},
      {"friction", "friction='0.25'", "friction='", "'", Fate::refused, rules::number_invalid},
      {"negative friction", "friction_negative='0.35'", "friction_negative='", "'", Fate::refused,
       rules::number_invalid},
      {"armature", "armature='0.01'", "armature='", "'", Fate::refused, rules::number_invalid},
      {"multiplier", "multiplier='-0.5'", "multiplier='", "'", Fate::refused,
       rules::number_invalid},
      {"offset", "offset='0.125'", "offset='", "'", Fate::refused, rules::number_invalid},
      {"gravity", "xyz='0 0 -9.8'", "xyz='0 0 ", "'", Fate::refused, rules::number_invalid},
      {"box size", "size='0.1 0.2 0.3'", "size='0.1 ", " 0.3'", Fate::repaired,
       rules::shape_invalid},
      {"sphere radius", "radius='0.11'", "radius='", "'", Fate::repaired, rules::shape_invalid},
      {"cylinder length", "length='0.4'", "length='", "'", Fate::repaired, rules::shape_invalid},
      {"mesh scale", "scale='0.001 0.001 0.001'", "scale='", " 1 1'", Fate::repaired,
       rules::shape_invalid},
      {"colour", "rgba='0 0 1 1'", "rgba='0 ", " 1 1'", Fate::repaired, rules::material_invalid},
  };
  cases.kind("numbers");
  for (const Place& place : places)
    for (const auto& [token, defect] : tokens) {
      const std::string to =
          std::string(place.before) + std::string(token) + std::string(place.after);
      const bool alone = place.before.ends_with('\'') && place.after == "'";
      const bool is_limit =
          place.name == "upper" || place.name == "effort" || place.name == "velocity";
      const std::string name = std::string(place.name) + " '" + std::string(token) + "'";
      if (place.name == "lower" && token == "inf") {
        cases.refused(name, place.from, to, rules::limit_reversed).on("<joint name='shoulder'");
      } else if (is_limit && token == "inf") {
        cases.repaired(name, place.from, to, rules::limit_infinite)
            .says("taken as unlimited")
            .after([](const Model& m) {
              const Limits& l = joint_of(m, "shoulder").limits;
              return l.upper == infinity || l.effort == infinity || l.velocity == infinity;
            });
      } else if (token.empty() && !alone && place.fate == Fate::refused) {
        cases.change(name, place.from, to, place.fate, rules::number_count)
            .says("numbers instead of");
      } else {
        cases.change(name, place.from, to, place.fate, place.rule);
        if (place.fate == Fate::refused)
          cases.says(std::string(defect));
        else
          cases.says("left out");
      }
    }
  cases.refused("xyz of two", "xyz='0 0 0.3'", "xyz='0 0.3'", rules::number_count)
      .says("2 numbers instead of 3");
  cases.refused("xyz of four", "xyz='0 0 0.3'", "xyz='0 0 0 0.3'", rules::number_count)
      .says("4 numbers instead of 3");
  cases.refused("xyz with commas", "xyz='0 0 0.3'", "xyz='0, 0, 0.3'", rules::number_invalid);
  cases.refused("two masses in one", "value='2'", "value='2 3'", rules::number_count);
  cases
      .refused("decimal overflow without exponent", "value='2'",
               "value='" + repeated("9", 400) + "'", rules::number_invalid)
      .says("overflows");
  cases
      .refused("overflow in spite of e-5", "value='2'", "value='" + repeated("9", 400) + "e-5'",
               rules::number_invalid)
      .says("overflows");
  cases
      .refused("finite, but the inertia overflows", "xyz='0 0 0.11'", "xyz='0 0 1e200'",
               rules::number_invalid)
      .on("<link name='upper'");
  cases
      .refused("finite, but the bodies overflow",
               "<ulna:frame name='pen' link='tip'>\n    <origin xyz='0 0 0.05'/>",
               "<link name='x'/><joint name='jx' type='fixed'><parent link='tip'/><child "
               "link='x'/><origin xyz='1e308 0 0'/></joint>\n"
               "<ulna:frame name='pen' link='x'><origin xyz='1e308 0 0'/>",
               rules::number_invalid)
      .on_line(0)
      .says("overflow");
  cases
      .refused("mimic ratio that overflows", "multiplier='-0.5'", "multiplier='1e200'",
               rules::number_invalid)
      .on_line(0)
      .says("overflow");
  cases.refused("quaternion of no length", "'0 0 0 1'", "'0 0 0 0'", rules::quaternion_zero);
  cases.repaired("quaternion of length 2", "'0 0 0 1'", "'0 0 0 2'", rules::quaternion_not_unit)
      .says("normalised")
      .after([](const Model& m) { return joint_of(m, "elbow").origin.rpy.isZero(0.0); });
  cases
      .repaired("quaternion of length 1e200", "'0 0 0 1'", "'1e200 0 0 1e200'",
                rules::quaternion_not_unit)
      .after([](const Model& m) {
        return std::abs(joint_of(m, "elbow").origin.rpy.x() - 1.5707963267948966) < 1e-15;
      });
  cases
      .repaired("quaternion of length 1e-200", "'0 0 0 1'", "'1e-200 0 0 1e-200'",
                rules::quaternion_not_unit)
      .after([](const Model& m) {
        return std::abs(joint_of(m, "elbow").origin.rpy.x() - 1.5707963267948966) < 1e-15;
      });
  cases.refused("rpy and quaternion",
                "quat_xyzw=", "rpy='0 0 0' quat_xyzw=", rules::orientation_double);
}

inline void bad_bodies(BadInputs& cases) {
  const std::string inertia =
      "<inertia ixx='0.02' ixy='0.001' ixz='0' iyy='0.021' iyz='0' izz='0.012'/>";
  const std::string upper = "<link name='upper'",
                    lower_inertial = "    <inertial>\n      <mass value='1'/>";
  const auto diagonal = [](std::string_view x, std::string_view y, std::string_view z) {
    return "<inertia ixx='" + std::string(x) + "' ixy='0' ixz='0' iyy='" + std::string(y) +
           "' iyz='0' izz='" + std::string(z) + "'/>";
  };
  cases.kind("mass");
  cases.refused("negative", "value='2'", "value='-2'", rules::mass_negative).on(upper);
  cases.refused("tiny and negative", "value='2'", "value='-1e-12'", rules::mass_negative).on(upper);
  cases.repaired("zero, with inertia", "value='2'", "value='0'", rules::mass_zero)
      .on(upper)
      .says("used as it is")
      .after([](const Model& m) { return m.inertias()[1].mass() == 0.0; });
  cases.repaired("minus zero, with inertia", "value='2'", "value='-0'", rules::mass_zero).on(upper);
  cases.refused("no value", "<mass value='2'/>", "<mass/>", rules::attribute_missing);
  cases.refused("as text", "<mass value='2'/>", "<mass>2</mass>", rules::attribute_missing);
  cases.refused("value misspelt", "<mass value='2'/>", "<mass valeu='2'/>",
                rules::attribute_missing);

  cases.kind("inertial");
  cases
      .text("missing on a moving link",
            replaced(good_urdf,
                     lower_inertial + "\n      <inertia ixx='0.01' ixy='0' ixz='0' iyy='0.011' "
                                      "iyz='0' izz='0.013'/>\n    </inertial>\n",
                     ""),
            Fate::repaired, rules::inertial_missing, line_of(good_urdf, "<link name='lower'>"))
      .says("taken as massless")
      .after([](const Model& m) { return m.inertias()[2].parameters().isZero(0.0); });
  cases
      .text(
          "massless on the last link",
          "<robot name='r'>\n<link name='a'/>\n<link name='b'><inertial><mass value='0'/><inertia "
          "ixx='0' ixy='0' ixz='0' iyy='0' iyz='0' izz='0'/></inertial></link>\n"
          "<joint name='j' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 0 "
          "1'/></joint></robot>",
          Fate::repaired, rules::body_massless, 4)
      .says("singular");
  cases.repaired("no inertia", inertia, "", rules::inertial_partial)
      .on("<inertial>\n      <origin")
      .says("taken as a point mass")
      .after([](const Model& m) {
        return m.description().links[1].inertial->inertia.isZero(0.0) &&
               m.inertias()[1].mass() == 2.0;
      });
  cases.refused("no mass", "<mass value='2'/>", "", rules::tag_missing)
      .on("<inertial>\n      <origin");
  cases.refused("empty", lower_inertial, "    <inertial>", rules::tag_missing);
  cases.repaired("no ixy", "ixy='0.001' ", "", rules::inertial_partial)
      .says("0 is used")
      .after(
          [](const Model& m) { return m.description().links[1].inertial->inertia(0, 1) == 0.0; });
  cases.refused("no izz", "izz='0.012'", "", rules::attribute_missing).says("izz");
  cases.refused("double", lower_inertial, "<inertial><mass value='1'/></inertial>" + lower_inertial,
                rules::tag_double);
  cases.refused("two masses", "<mass value='2'/>", "<mass value='2'/><mass value='3'/>",
                rules::tag_double);
  cases.refused("two origins", "rpy='0.1 0 0'/>", "rpy='0.1 0 0'/><origin xyz='0 0 0'/>",
                rules::tag_double);
  cases.refused("in a joint", "<axis xyz='0 1 0'/>",
                "<inertial><mass value='1'/></inertial><axis xyz='0 1 0'/>", rules::tag_misplaced);
  cases.refused("in the robot", "  <link name='tip'/>", "<inertial/><link name='tip'/>",
                rules::tag_misplaced);
  cases.refused("mass in a link", "<link name='tip'/>", "<link name='tip'><mass value='1'/></link>",
                rules::tag_misplaced);
  cases.refused("inertia in a visual", "<material name='blue'/>", "<inertia/>",
                rules::tag_misplaced);
  cases
      .refused("misspelt", "<link name='tip'/>", "<link name='tip'><intertial/></link>",
               rules::tag_misspelt)
      .says("<inertial>");
  cases.refused("mass misspelt", "<mass value='2'/>", "<mas value='2'/>", rules::tag_misspelt)
      .says("<mass>");
  cases
      .refused("inertia misspelt", "<inertia ixx='0.02'", "<intertia ixx='0.02'",
               rules::tag_misspelt)
      .says("<inertia>");

  cases.kind("inertia");
  cases.repaired("zero, with mass", inertia, diagonal("0", "0", "0"), rules::inertia_zero)
      .on(upper)
      .says("point mass")
      .after([](const Model& m) { return m.description().links[1].inertial->inertia.isZero(0.0); });
  cases
      .repaired("not positive definite", inertia, diagonal("0.02", "-0.02", "0.01"),
                rules::inertia_not_positive)
      .on(upper)
      .says("used as it is");
  cases
      .repaired("indefinite by its products", "ixy='0.001'", "ixy='0.5'",
                rules::inertia_not_positive)
      .on(upper);
  cases
      .repaired("triangle inequality", inertia, diagonal("0.01", "0.02", "0.05"),
                rules::inertia_triangle)
      .on(upper)
      .says("used as it is")
      .after([](const Model& m) {
        return std::abs(m.inertias()[1].rotational_about_com().trace() - 0.08) < 1e-12;
      });
  cases
      .repaired("triangle inequality in turned axes", "izz='0.012'", "izz='0.05'",
                rules::inertia_triangle)
      .on(upper);
  cases.accepted("a flat plate",
                 [=] { return replaced(good_urdf, inertia, diagonal("0.01", "0.02", "0.03")); });
  cases.accepted("neither mass nor inertia", [=] {
    return replaced(replaced(good_urdf, inertia, diagonal("0", "0", "0")), "value='2'",
                    "value='0'");
  });
}

inline void bad_joints(BadInputs& cases) {
  const std::string shoulder = "<joint name='shoulder'", elbow = "<joint name='elbow'",
                    limit = "<limit lower='-2' upper='1.9' effort='50' velocity='3'/>";
  cases.kind("axis");
  const auto unit_y = [](const Model& m) {
    return joint_of(m, "shoulder").axis == Vec3<double>::UnitY();
  };
  cases.refused("zero", "xyz='0 1 0'", "xyz='0 0 0'", rules::axis_zero).on(shoulder);
  cases.refused("two elements", "xyz='0 1 0'", "xyz='0 1'", rules::number_count);
  cases.refused("no xyz", "<axis xyz='0 1 0'/>", "<axis/>", rules::attribute_missing);
  cases
      .refused("misspelt attribute", "<axis xyz='0 1 0'/>", "<axis xzy='0 1 0'/>",
               rules::tag_misspelt)
      .says("xyz");
  cases.refused("double", "<axis xyz='0 1 0'/>", "<axis xyz='0 1 0'/><axis xyz='1 0 0'/>",
                rules::tag_double);
  cases.repaired("of length 2", "xyz='0 1 0'", "xyz='0 2 0'", rules::axis_not_unit)
      .on(shoulder)
      .says("0 1 0 is used")
      .after(unit_y);
  cases.repaired("of length 1e-200", "xyz='0 1 0'", "xyz='0 1e-200 0'", rules::axis_not_unit)
      .on(shoulder)
      .after(unit_y);
  cases.repaired("of length 1e200", "xyz='0 1 0'", "xyz='0 1e200 0'", rules::axis_not_unit)
      .on(shoulder)
      .after(unit_y);
  cases.repaired("missing", "<axis xyz='0 1 0'/>", "", rules::axis_missing)
      .on(shoulder)
      .says("1 0 0 is used")
      .after([](const Model& m) { return joint_of(m, "shoulder").axis == Vec3<double>::UnitX(); });
  cases.accepted(
      "typed with six digits",
      [] { return replaced(good_urdf, "xyz='0 1 0'", "xyz='0.707107 0.707107 0'"); },
      [](const Model& m) { return std::abs(joint_of(m, "shoulder").axis.norm() - 1.0) < 3e-16; });
  for (const std::string xyz : {"0 0 0", "0 1", "nan 0 0", "0 2 0", "", "a b c"})
    cases.accepted("'" + xyz + "' on a fixed joint", [xyz] {
      return replaced(good_urdf, "<child link='tip'/>",
                      "<child link='tip'/><axis xyz='" + xyz + "'/>");
    });
  cases.refused("helical without pitch", " ulna:pitch='0.01'", "", rules::pitch_missing)
      .on("<joint name='spindle'");
  cases.refused("helical with pitch 0", "ulna:pitch='0.01'", "ulna:pitch='0'", rules::pitch_missing)
      .on("<joint name='spindle'");

  cases.kind("limits");
  const auto unlimited = [](const Model& m) {
    const Limits& l = joint_of(m, "shoulder").limits;
    return l.lower == -infinity && l.upper == infinity;
  };
  cases.repaired("missing", limit, "", rules::limit_missing)
      .on(shoulder)
      .says("unlimited")
      .after(unlimited);
  cases.repaired("neither lower nor upper", "lower='-2' upper='1.9' ", "", rules::limit_missing)
      .says("unlimited")
      .after(unlimited);
  cases.repaired("no upper", " upper='1.9'", "", rules::limit_missing)
      .says("0 is used")
      .after([](const Model& m) { return joint_of(m, "shoulder").limits.upper == 0.0; });
  cases.refused("reversed", "upper='1.9'", "upper='-3'", rules::limit_reversed).on(shoulder);
  cases
      .refused("both infinite on one side", "lower='-2' upper='1.9'", "lower='inf' upper='inf'",
               rules::limit_reversed)
      .on(shoulder);
  cases
      .repaired("both zero", "lower='-2' upper='1.9'", "lower='0' upper='0'",
                rules::limit_zero_range)
      .on(shoulder)
      .after(unlimited);
  cases.repaired("lower -inf", "lower='-2'", "lower='-inf'", rules::limit_infinite)
      .after([](const Model& m) { return joint_of(m, "shoulder").limits.lower == -infinity; });
  cases.refused("effort negative", "effort='50'", "effort='-50'", rules::limit_negative)
      .on(shoulder);
  cases.refused("effort -inf", "effort='50'", "effort='-inf'", rules::limit_negative).on(shoulder);
  cases.refused("velocity negative", "velocity='3'", "velocity='-3'", rules::limit_negative)
      .on(shoulder);
  cases.repaired("effort 0", "effort='50'", "effort='0'", rules::effort_zero)
      .on(shoulder)
      .says("unlimited")
      .after([](const Model& m) { return joint_of(m, "shoulder").limits.effort == infinity; });
  cases.repaired("velocity 0", "velocity='3'", "velocity='0'", rules::velocity_zero)
      .on(shoulder)
      .after([](const Model& m) { return joint_of(m, "shoulder").limits.velocity == infinity; });
  cases.refused("misspelt element", limit, "<limits lower='-2' upper='2'/>", rules::tag_misspelt)
      .says("<limit>");
  cases.refused("misspelt attribute", "lower='-2'", "lowr='-2'", rules::tag_misspelt).says("lower");
  cases.refused("twice", limit, limit + limit, rules::tag_double);
  cases.refused("in the robot", "  <link name='tip'/>",
                "<limit lower='0' upper='1'/><link name='tip'/>", rules::tag_misplaced);
  cases.accepted("reversed on a continuous joint, which has none", [=] {
    return replaced(
        replaced(good_urdf, shoulder + " type='revolute'", shoulder + " type='continuous'"),
        "upper='1.9'", "upper='-3'");
  });

  cases.kind("dynamics");
  cases.refused("damping negative", "damping='0.5'", "damping='-0.5'", rules::friction_negative)
      .on(shoulder);
  cases
      .refused("friction negative", "friction='0.25'", "friction='-0.25'", rules::friction_negative)
      .on(shoulder);
  cases
      .refused("friction backwards negative", "friction_negative='0.35'",
               "friction_negative='-0.35'", rules::friction_negative)
      .on(shoulder);
  cases
      .refused("armature negative", "armature='0.01'", "armature='-0.01'", rules::friction_negative)
      .on(shoulder);
  cases.refused("misspelt attribute", "damping='0.5'", "dampning='0.5'", rules::tag_misspelt)
      .says("damping");
  cases.refused("misspelt element", "<dynamics damping", "<dynamic damping", rules::tag_misspelt)
      .says("<dynamics>");

  cases.kind("mimic");
  cases.refused("of nothing", "<mimic joint='shoulder' multiplier='-0.5'",
                "<mimic multiplier='-0.5'", rules::attribute_missing);
  cases
      .refused("of an unknown joint", "<mimic joint='shoulder'", "<mimic joint='sholder'",
               rules::mimic_unknown)
      .on(elbow)
      .says("did you mean 'shoulder'");
  cases
      .refused("of a fixed joint", "<mimic joint='shoulder'", "<mimic joint='mount'",
               rules::mimic_unknown)
      .on(elbow);
  cases.refused("of itself", "<mimic joint='shoulder'", "<mimic joint='elbow'", rules::mimic_cycle)
      .on(elbow);
  cases
      .refused("in a circle of two", "<axis xyz='0 1 0'/>",
               "<mimic joint='elbow'/><axis xyz='0 1 0'/>", rules::mimic_cycle)
      .on(shoulder);
  cases
      .repaired("beyond its own limits", "multiplier='-0.5'", "multiplier='-1'",
                rules::mimic_limits)
      .on(elbow)
      .says("from -1.775 to 2.125");
  cases
      .repaired("on a fixed joint", "<child link='tip'/>",
                "<child link='tip'/><mimic joint='shoulder'/>", rules::mimic_ignored)
      .on("<joint name='mount'")
      .says("ignored")
      .after([](const Model& m) { return !joint_of(m, "mount").mimic; });
  cases.refused("misspelt attribute", "multiplier='-0.5'", "multiplyer='-0.5'", rules::tag_misspelt)
      .says("multiplier");
  cases.accepted(
      "a chain of 2,000 followers",
      [] {
        std::string text = "<robot name='many'>\n" + link_text(0);
        for (int i = 1; i <= 2000; ++i)
          text += link_text(i) + joint_text(i, i - 1, "continuous",
                                            i > 1 ? "<axis xyz='0 0 1'/><mimic joint='j" +
                                                        std::to_string(i - 1) + "'/>"
                                                  : "<axis xyz='0 0 1'/>");
        return text + "</robot>";
      },
      [](const Model& m) { return m.nv() == 1 && m.joint(2000).mimics == 1; });
}

inline void bad_trees(BadInputs& cases) {
  const std::string shoulder = "<joint name='shoulder'", elbow = "<joint name='elbow'";
  cases.kind("names");
  cases.refused("two links", "<link name='tip'/>", "<link name='base'/>", rules::name_duplicate);
  cases.refused("two joints", elbow, shoulder, rules::name_duplicate);
  cases.refused("frame and link", "name='pen'", "name='tip'", rules::name_duplicate);
  cases.refused("empty link", "<link name='tip'/>", "<link name=''/>", rules::name_missing);
  cases.refused("no name of a link", "<link name='tip'/>", "<link/>", rules::name_missing);
  cases.refused("empty joint", elbow, "<joint name=''", rules::name_missing);
  cases.refused("no name of a frame", "name='pen'", "", rules::name_missing);
  cases.repaired("robot without name", " name='arm'", "", rules::name_missing)
      .says("'robot' is used")
      .after([](const Model& m) { return m.name() == "robot"; });
  cases.accepted(
      "of 1 MB",
      [] {
        return replaced(good_urdf, "<robot name='arm'",
                        "<robot name='" + repeated("long", 250'000) + "'");
      },
      [](const Model& m) { return m.name().size() == 1'000'000; });
  cases
      .add(
          "of 1 MB, in 2,000 messages", "bad.urdf",
          [] {
            return "<robot name='r'>\n<link name='" + repeated("long", 250'000) + "'>" +
                   repeated("<mass/>", 2000) + "</link></robot>";
          },
          Fate::refused, rules::tag_misplaced, 2)
      .says("longlong...'");
  cases.add(
      "of 1 MB, as parent of 1,000 joints", "bad.urdf",
      [] {
        std::string text = "<robot name='r'>\n<link name='a'/>\n";
        const std::string joint = "<parent link='a'/><child link='a'/></joint>\n";
        for (int i = 0; i < 1000; ++i)
          text += "<joint name='j" + std::to_string(i) + "' type='fixed'>" + joint;
        return text + "<joint name='x' type='fixed'><parent link='" + repeated("z", 1'000'000) +
               "'/><child link='a'/></joint></robot>";
      },
      Fate::refused, rules::tree_self_loop, 3);
  cases.accepted(
      "with quotes, angles, newlines and control characters",
      [] {
        std::string text(good_urdf);
        for (std::size_t at = text.find("'tip'"); at != text.npos; at = text.find("'tip'"))
          text.replace(at, 5, "'t&quot;i&apos;&lt;p&gt;&amp;&#10;&#1;'");
        return text;
      },
      [](const Model& m) { return m.find_frame("t\"i'<p>&\n\x01").has_value(); });
  cases
      .refused("a message stays on one line", "<link name='tip'/>",
               "<link name='a&#10;b&#7;'><mass/></link>", rules::tag_misplaced)
      .says(R"('a\x0ab\x07')");

  cases.kind("tree");
  cases
      .refused("unknown parent", "<parent link='upper'/>", "<parent link='uper'/>",
               rules::link_unknown)
      .on(elbow)
      .says("did you mean 'upper'");
  cases.refused("unknown child", "<child link='tip'/>", "<child link='tipp'/>", rules::link_unknown)
      .on("<joint name='mount'");
  cases.refused("unknown link of a frame", "link='tip'>", "link='tap'>", rules::link_unknown);
  cases.refused("no parent", "<parent link='upper'/>", "", rules::tag_missing).on(elbow);
  cases.refused("no child", "<child link='tip'/>", "", rules::tag_missing)
      .on("<joint name='mount'");
  cases.refused("parent without link", "<parent link='upper'/>", "<parent/>",
                rules::attribute_missing);
  cases.refused("two parents in a joint", "<parent link='upper'/>",
                "<parent link='upper'/><parent link='base'/>", rules::tag_double);
  cases
      .refused("unknown type", elbow + " type='revolute'", elbow + " type='revolut'",
               rules::joint_type_unknown)
      .says("did you mean 'revolute'");
  cases.refused("empty type", elbow + " type='revolute'", elbow + " type=''",
                rules::attribute_missing);
  cases.refused("no type", elbow + " type='revolute'", elbow, rules::attribute_missing);
  cases
      .refused("two roots", "<link name='tip'/>", "<link name='tip'/>\n<link name='lonely'/>",
               rules::tree_two_roots)
      .on("<link name='lonely'");
  cases
      .refused("self-loop", "<parent link='upper'/>", "<parent link='lower'/>",
               rules::tree_self_loop)
      .on(elbow);
  cases.text("no root",
             "<robot name='r'><link name='a'/><link name='b'/>\n"
             "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\n"
             "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
             Fate::refused, rules::tree_cycle, 3);
  cases.text("only a self-loop",
             "<robot name='r'><link name='a'/>\n<joint name='j' type='continuous'><parent "
             "link='a'/><child link='a'/></joint></robot>",
             Fate::refused, rules::tree_self_loop, 2);
  cases
      .refused("detached cycle", "  <link name='tip'/>\n",
               "  <link name='tip'/>\n<link name='x'/><link name='y'/>\n"
               "<joint name='xy' type='fixed'><parent link='x'/><child link='y'/></joint>\n"
               "<joint name='yx' type='fixed'><parent link='y'/><child link='x'/></joint>\n",
               rules::tree_cycle)
      .on("<joint name='yx'");
  cases
      .refused("two parents", "<child link='tip'/>", "<child link='lower'/>",
               rules::link_two_parents)
      .on("<joint name='mount'")
      .says("joint 'elbow'");
  cases
      .refused("world undeclared", "<parent link='base'/>", "<parent link='world'/>",
               rules::tree_two_roots)
      .on("<link name='base'/>");
  cases
      .text("only the world undeclared",
            "<robot name='r'>\n<link name='a'/>\n<joint name='j' type='fixed'><parent "
            "link='world'/><child link='a'/></joint></robot>",
            Fate::repaired, rules::link_undeclared, 3)
      .says("a link 'world' is added")
      .after([](const Model& m) { return m.find_frame("world").has_value(); });
  cases.text("nothing in it", "<robot name='r'/>", Fate::refused, rules::tree_empty, 0);
  cases.text("joints only",
             "<robot name='r'>\n<joint name='j' type='fixed'><parent link='a'/><child "
             "link='b'/></joint></robot>",
             Fate::refused, rules::link_unknown, 2);
  cases.refused(
      "loop of an unknown link", "<ulna:frame name='pen'",
      "<ulna:loop name='c' type='ball' link1='tip' link2='nowhere'/>\n<ulna:frame name='pen'",
      rules::link_unknown);
  cases.refused("loop about no axis", "<ulna:frame name='pen'",
                "<ulna:loop name='c' type='revolute' link1='tip' link2='base'><axis xyz='0 0 "
                "0'/></ulna:loop>\n<ulna:frame name='pen'",
                rules::axis_zero);
  cases.refused(
      "loop of unknown type", "<ulna:frame name='pen'",
      "<ulna:loop name='c' type='hinge' link1='tip' link2='base'/>\n<ulna:frame name='pen'",
      rules::joint_type_unknown);
}

inline void bad_magnitudes(BadInputs& cases) {
  constexpr std::string_view lower = "<mass value='1'/>";
  cases.kind("magnitudes");
  cases.repaired("limits in degrees", "lower='-2'", "lower='-170'", rules::angle_degrees)
      .on("<joint name='shoulder'");
  cases.repaired("rpy in degrees", "rpy='0 0.2 0'", "rpy='0 90 0'", rules::angle_degrees)
      .on("<joint name='shoulder'");
  cases
      .repaired("origin in millimetres", "xyz='0 0 0.3'", "xyz='0 0 300'",
                rules::length_implausible)
      .on("<joint name='shoulder'");
  cases
      .repaired("centre of mass in millimetres", "xyz='0 0 0.11'", "xyz='0 0 110'",
                rules::length_implausible)
      .on("<link name='upper'");
  cases.repaired("mass in grams", lower, "<mass value='2000'/>", rules::density_implausible)
      .on("<link name='lower'");
  cases
      .repaired("inertia in kg mm^2", "ixx='0.01' ixy='0' ixz='0' iyy='0.011' iyz='0' izz='0.013'",
                "ixx='10000' ixy='0' ixz='0' iyy='11000' iyz='0' izz='13000'",
                rules::inertia_implausible)
      .on("<link name='lower'");
  cases
      .repaired("velocity in degrees per second", "velocity='3'", "velocity='180'",
                rules::velocity_implausible)
      .on("<joint name='shoulder'");
  cases.repaired("effort in kNm", "effort='50'", "effort='0.05'", rules::effort_weak)
      .on("<joint name='shoulder'");
  cases.repaired("effort in Nmm", "effort='50'", "effort='50000'", rules::effort_implausible)
      .on("<joint name='shoulder'");
  cases
      .repaired("gravity in mm/s^2", "xyz='0 0 -9.8'", "xyz='0 0 -9800'",
                rules::gravity_implausible)
      .on_line(0);
  cases
      .repaired("centre of mass outside its shapes", "<link name='lower'>",
                "<link name='lower'><visual><origin xyz='3 0 0'/><geometry><box size='0.1 0.1 "
                "0.1'/></geometry></visual>",
                rules::com_outside)
      .says("outside its shapes");
}

}  // namespace ulna::test
