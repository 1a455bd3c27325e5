#include <gtest/gtest.h>
#include <unistd.h>

#include "io/xacro_expression.hpp"
#include "support/told.hpp"
#include "support/xacro.hpp"

namespace ulna::test::xacro_files {
namespace {

using detail::xacro::evaluate;
using detail::xacro::ExpressionError;
using detail::xacro::Surroundings;
using detail::xacro::Value;

std::string computed(std::string_view expression) {
  static const Value two = std::int64_t{2}, name = "arm";
  std::size_t steps = 100'000;
  int depth = 0;
  const Surroundings around{[](std::string_view n) {
                              return n == "two" ? &two : n == "name" ? &name : nullptr;
                            },
                            [](std::string_view n) { return Value(std::string(n)); },
                            [](std::string_view) { return Value(); }, steps, depth};
  return to_text(evaluate(expression, around));
}

Imported read(std::string_view inside, const ImportOptions& options = {}) {
  return import_xacro("<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>\n" +
                          std::string(inside) + "\n</robot>",
                      "r.xacro", options);
}
std::string link_name(std::string_view definitions, std::string_view name) {
  return read(std::string(definitions) + "<link name=\"" + std::string(name) + "\"/>")
      .model.description()
      .links[0]
      .name;
}

TEST(XacroExpression, is_computed_as_python_computes_and_prints_it) {
  // expected results are those of Python 3.11
  const std::pair<const char*, const char*> cases[] = {
      {"1 + 2 * 3", "7"},
      {"(1 + 2) * 3", "9"},
      {"7 / 2", "3.5"},
      {"4 / 2", "2.0"},
      {"7 // 2", "3"},
      {"-7 // 2", "-4"},
      {"-7 % 3", "2"},
      {"7.5 % -2", "-0.5"},
      {"2 ** 10", "1024"},
      {"-2 ** 2", "-4"},
      {"2 ** -1", "0.5"},
      {"2 ** 3 ** 2", "512"},
      {"1e-5", "1e-05"},
      {"1e16", "1e+16"},
      {"123456789012345.0", "123456789012345.0"},
      {"0.1 + 0.2", "0.30000000000000004"},
      {"10 * 0.1", "1.0"},
      {"1 < 2 < 3", "True"},
      {"1 < 3 < 2", "False"},
      {"1 == 1.0", "True"},
      {"'a' in 'cat'", "True"},
      {"2 not in [1, 3]", "True"},
      {"not 0 and 'x' or 'y'", "x"},
      {"'left' if two > 1 else 'right'", "left"},
      {"1/0 if False else 5", "5"},
      {"[1, 2.5, 'a', True, None]", "[1, 2.5, 'a', True, None]"},
      {"{'a': 1, 'b': [2]}['b'][0]", "2"},
      {"dict(a=1, b='c')", "{'a': 1, 'b': 'c'}"},
      {"dict(a=1).get('b', 3)", "3"},
      {"[1, 2, 3, 4][1:3]", "[2, 3]"},
      {"'abcdef'[-2:]", "ef"},
      {"[3, 1, 2][-1]", "2"},
      {"max(1, two, 1.5)", "2"},
      {"min([4, 3, 5])", "3"},
      {"sum(range(5))", "10"},
      {"len('abc') + len([1, 2])", "5"},
      {"round(2.5)", "2"},
      {"round(3.5)", "4"},
      {"round(2.675, 2)", "2.67"},
      {"int('42') + int(2.9)", "44"},
      {"float('1e3')", "1000.0"},
      {"str(1.50) + name", "1.5arm"},
      {"abs(-3)", "3"},
      {"floor(-1.5)", "-2"},
      {"ceil(1.2)", "2"},
      {"sorted([3, 1, 2])", "[1, 2, 3]"},
      {"math.pi", "3.141592653589793"},
      {"python.radians(180)", "3.141592653589793"},
      {"degrees(pi)", "180.0"},
      {"hypot(3, 4)", "5.0"},
      {"atan2(1, 1) == pi / 4", "True"},
      {"name.upper() + '_'.join(['a', 'b'])", "ARMa_b"},
      {"'a,b'.split(',')", "['a', 'b']"},
      {"'a-b'.replace('-', '_')", "a_b"},
      {"name.startswith('ar')", "True"},
      {"'it\\'s'", "it's"},
      {"9223372036854775807 + 1", "9.223372036854776e+18"},
      {"xacro.arg('x')", "x"},
      {"1, 2", "[1, 2]"},
  };
  for (const auto& [expression, expected] : cases)
    EXPECT_EQ(computed(expression), expected) << expression;
}

TEST(XacroExpression, without_a_value_says_why) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "it ends too early"},
      {"1 +", "it ends too early"},
      {"1 2", "'2' is not expected there"},
      {"(1", "')' is missing at its end"},
      {"a", "property 'a' is not defined"},
      {"1 / 0", "division by zero"},
      {"5 % 0", "division by zero"},
      {"[1][1]", "index 1 is outside, there are 1 entries"},
      {"'a' + 1", "a text and a whole number cannot be added"},
      {"'a' < 1", "a text and a whole number cannot be compared"},
      {"'abc", "a text in it does not end"},
      {"1.2.3", "'1.2.3' is not a number"},
      {"0x10", "'0x10' is not a number"},
      {"[i for i in range(3)]", "'for' is not supported"},
      {"sqrt(-1)", "sqrt() has no real value there"},
      {"sin(1, 2)", "sin() takes 1 values, not 2"},
      {"__import__('os')", "function '__import__' is not known"},
      {"name.__class__", "a text has no part '__class__'"},
      {"(-8) ** 0.5", "this power has no real value"},
      {"1 @ 2", "'@' is not expected there"},
  };
  for (const auto& [expression, expected] : cases)
    EXPECT_EQ(told<ExpressionError>([&] { computed(expression); }), expected) << expression;
}

TEST(Xacro, properties_are_computed_when_they_are_used) {
  EXPECT_EQ(
      link_name("<xacro:property name='a' value='${b}_x'/><xacro:property name='b' value='y'/>",
                "${a}"),
      "y_x");
  EXPECT_EQ(link_name("<xacro:property name='a' value='1'/><xacro:property name='a' value='2'/>",
                      "l${a}"),
            "l2");
  EXPECT_EQ(
      link_name("<xacro:property name='a' default='1'/><xacro:property name='a' default='2'/>",
                "l${a}"),
      "l1");
  EXPECT_EQ(link_name("", "a$x"), "a$x");
}

TEST(Xacro, a_property_of_a_macro_is_its_own_unless_it_says_otherwise) {
  const std::string macro =
      "<xacro:property name='a' value='outer'/><xacro:macro name='m'>"
      "<xacro:property name='a' value='inner'";
  EXPECT_EQ(link_name(macro + "/></xacro:macro><xacro:m/>", "${a}"), "outer");
  EXPECT_EQ(link_name(macro + " scope='parent'/></xacro:macro><xacro:m/>", "${a}"), "inner");
  EXPECT_EQ(link_name(macro + " scope='global'/></xacro:macro><xacro:m/>", "${a}"), "inner");
}

TEST(Xacro, parameters_have_defaults_and_may_be_those_of_the_caller) {
  const std::string macro =
      "<xacro:macro name='m' params=\"a b:=2 c:=^ d:=^|'x y' e:=${b+1}\">"
      "<xacro:property name='all' scope='parent' value='${a} ${b} ${c} ${d} ${e}'/>"
      "</xacro:macro><xacro:property name='c' value='above'/>";
  EXPECT_EQ(link_name(macro + "<xacro:m a='1'/>", "${all}"), "1 2 above x y 3");
  EXPECT_EQ(link_name(macro + "<xacro:m a='1' b='7' d='${b if False else 4}'/>", "${all}"),
            "1 7 above 4 8");
  EXPECT_EQ(link_name(macro + "<xacro:call macro='m' a='${1}'/>", "${all}"), "1 2 above x y 3");
}

TEST(Xacro, macros_call_themselves_until_a_condition_ends_it) {
  const Imported chain = read(
      "<xacro:macro name='chain' params='n'><link name='l${n}'/><xacro:if value='${n > 0}'>"
      "<xacro:chain n='${n - 1}'/><joint name='j${n}' type='fixed'><parent link='l${n}'/>"
      "<child link='l${n-1}'/></joint></xacro:if></xacro:macro><xacro:chain n='50'/>");
  EXPECT_EQ(chain.model.description().links.size(), 51u);
  EXPECT_EQ(chain.model.description().joints.size(), 50u);
}

TEST(Xacro, elements_and_attributes_can_have_computed_names) {
  const Imported r = read(
      "<xacro:element xacro:name=\"${'li' + 'nk'}\" name='a'/>"
      "<link><xacro:attribute name='name' value='b'/></link>"
      "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>");
  EXPECT_EQ(r.model.description().links[1].name, "b");
}

/// What the file of two arms describes, written by hand.
TEST(Xacro, gives_the_model_of_the_expanded_urdf) {
  const Model arms = import_robot(good_xacro, "arms.xacro").model;
  EXPECT_EQ(arms.name(), "twins");
  EXPECT_EQ(arms.nv(), 4);
  const auto& upper = *link_of(arms, "right_upper").inertial;
  EXPECT_EQ(upper.mass, 2.5);
  EXPECT_EQ(upper.com, Vec3<double>(0, 0, 0.2));
  EXPECT_EQ(upper.inertia(0, 0), 2.5 * (3 * std::pow(0.05, 2) + std::pow(0.4, 2)) / 12);
  EXPECT_EQ(link_of(arms, "left_lower").inertial->mass, 1.0);
  EXPECT_EQ(link_of(arms, "left_upper").visuals.size(), 1u);
  EXPECT_EQ(link_of(arms, "left_lower").visuals.size(), 0u);
  const auto& shoulder = joint_of(arms, "right_shoulder");
  EXPECT_EQ(shoulder.origin, Pose({0, -0.2, 0}));
  EXPECT_EQ(shoulder.axis, Vec3<double>::UnitY());
  EXPECT_EQ(shoulder.limits.lower, -std::acos(-1.0) / 2);
  EXPECT_EQ(joint_of(arms, "right_elbow").axis, Vec3<double>::UnitZ());
  EXPECT_EQ(joint_of(arms, "left_elbow").origin.rpy.x(), std::acos(-1.0) / 2);
  EXPECT_TRUE(arms.find_frame("left_tool"));
  ImportOptions bare;
  bare.arguments = {{"tool", "false"}, {"name", "bare"}};
  const Model without = import_robot(good_xacro, "arms.xacro", bare).model;
  EXPECT_FALSE(without.find_frame("left_tool"));
  EXPECT_EQ(without.name(), "bare");
}

/// Numbers become properties, and every link, joint and motor stands in a macro with a prefix.
std::string as_xacro(std::string_view urdf) {
  std::string body(urdf.substr(urdf.find("<robot")));
  const std::size_t from = body.find('>') + 1, to = body.rfind("</robot>");
  const std::string head = body.substr(0, from - 1);
  std::string inside = body.substr(from, to - from), properties;
  int count = 0;
  for (const std::string_view name : {"value=\"", "effort=\"", "damping=\"", "ixx=\"", "lower=\""})
    for (std::size_t at = 0; (at = inside.find(name, at)) != inside.npos;) {
      at += name.size();
      const std::size_t end = inside.find('"', at);
      const std::string property = "p" + std::to_string(count++);
      properties += "<xacro:property name=\"" + property + "\" value=\"" +
                    inside.substr(at, end - at) + "\"/>\n";
      inside.replace(at, end - at, "${" + property + "}");
    }
  return head + " xmlns:xacro=\"http://www.ros.org/wiki/xacro\">" + properties +
         "<xacro:macro name=\"whole\" params=\"really\"><xacro:if value=\"${really == 'yes'}\">" +
         inside + "</xacro:if></xacro:macro><xacro:whole really=\"yes\"/></robot>";
}

TEST(Xacro, of_each_embedded_robot_gives_the_same_robot_and_findings) {
  int robots = 0;
  for (const EmbeddedRobot& robot : embedded_robots()) {
    if (!robot.file_name.ends_with(".urdf")) continue;
    SCOPED_TRACE(robot.name);
    const Imported plain = import_urdf(robot.text, "r.urdf"),
                   expanded = import_robot(as_xacro(robot.text), "r.urdf");
    EXPECT_EQ(expanded.model.description(), plain.model.description());
    EXPECT_EQ(expanded.diagnostics.list().size(), plain.diagnostics.list().size());
    ++robots;
  }
  EXPECT_GE(robots, 20);
}

TEST(Xacro, findings_name_the_line_of_the_file_that_has_the_defect) {
  const Files files("xacro_lines");
  files.write("parts/rod.xacro",
              "<robot xmlns:xacro='x'>\n<xacro:macro name='rod' params='name mass'>\n"
              "<link name='${name}'>\n<inertial>\n<mass value='${mass}'/>\n"
              "<inertia ixx='1' iyy='1'\n  izz='1' ixy='0' ixz='0'/>\n</inertial>\n</link>\n"
              "</xacro:macro>\n</robot>");
  const std::string arm =
      files.write("arm.xacro",
                  "<robot name='r' xmlns:xacro='x'>\n<xacro:include "
                  "filename='parts/rod.xacro'/>\n<xacro:rod name='a' mass='2kg'/>\n</robot>");
  try {
    load_robot(arm);
    FAIL() << "is not refused";
  } catch (const ModelError& e) {
    const std::string rod = std::filesystem::path(arm).parent_path() / "parts/rod.xacro";
    const Diagnostic* mass = e.diagnostics().find(rules::number_invalid);
    ASSERT_TRUE(mass);
    EXPECT_EQ(mass->source.str(), rod + ":5");
    EXPECT_EQ(mass->subject, "link 'a': mass");
    EXPECT_EQ(e.diagnostics().find(rules::inertial_partial)->source.str(), rod + ":6");
  }
  const std::string twice =
      files.write("twice.xacro",
                  "<robot name='r' xmlns:xacro='x'>\n<xacro:include filename='parts/rod.xacro'/>\n"
                  "<xacro:rod name='a' mass='${1/0}'/>\n<xacro:rod name='a'/>\n</robot>");
  const std::string what = told<ModelError>([&] { load_robot(twice); });
  EXPECT_NE(what.find(twice + ":3: error: <xacro:rod> 'a': expression '1/0': division by zero"),
            what.npos)
      << what;
  EXPECT_NE(what.find(twice + ":4: error: <xacro:rod> 'a': has no parameter 'mass' of macro 'rod'"),
            what.npos)
      << what;
}

TEST(Xacro, findings_about_the_robot_name_the_line_too) {
  const Files files("xacro_model");
  files.write("part.xacro",
              "<robot>\n\n<link name='b'/>\n<joint name='j' type='revolute'><parent link='a'/>"
              "<child link='c'/></joint></robot>");
  const std::string arm = files.write("arm.xacro",
                                      "<robot name='r' xmlns:xacro='x'><link "
                                      "name='a'/>\n<xacro:include filename='part.xacro'/></robot>");
  const std::string what = told<ModelError>([&] { load_robot(arm); });
  EXPECT_NE(what.find(files.path("part.xacro") + ":4: error: joint 'j': child link 'c' is unknown"),
            what.npos)
      << what;
}

TEST(Xacro, includes_find_files_by_folder_package_and_name_space) {
  const Files files("xacro_find");
  files.write("hand_description/urdf/hand.xacro",
              "<robot xmlns:xacro='x'><xacro:property name='w' value='hand'/>"
              "<xacro:macro name='make' params='p'><link name='${p}_${w}'/></xacro:macro></robot>");
  const auto robot = [&](const std::string& include, const std::string& call) {
    return "<robot name='r' xmlns:xacro='x'><xacro:include filename='" + include + "'/>" + call +
           "</robot>";
  };
  const auto name = [](const std::string& file, const ImportOptions& options = {}) {
    return load_robot(file, options).model.description().links[0].name;
  };
  const std::string call = "<xacro:make p='left'/>";
  EXPECT_EQ(name(files.write("a/robot.xacro", robot("../hand_description/urdf/hand.xacro", call))),
            "left_hand");
  // beside a folder above the file
  EXPECT_EQ(
      name(files.write("b/c/robot.xacro", robot("$(find hand_description)/urdf/hand.xacro", call))),
      "left_hand");
  ImportOptions options;
  options.packages = {{"my_hand", files.path("hand_description")}};
  EXPECT_EQ(name(files.write("d.xacro", robot("$(find my_hand)/urdf/hand.xacro", call)), options),
            "left_hand");
  EXPECT_EQ(name(files.write("e.xacro", robot("package://hand_description/urdf/hand.xacro", call))),
            "left_hand");
  setenv("AMENT_PREFIX_PATH", ("/nowhere:" + files.path("install")).c_str(), 1);
  files.write("install/share/other/x.xacro", "<robot><link name='x'/></robot>");
  EXPECT_EQ(name(files.write("f.xacro", robot("$(find other)/x.xacro", ""))), "x");
  unsetenv("AMENT_PREFIX_PATH");
  setenv("ROS_PACKAGE_PATH", files.path("").c_str(), 1);
  EXPECT_EQ(name(files.write("g.xacro", robot("$(find hand_description)/urdf/hand.xacro", call))),
            "left_hand");
  unsetenv("ROS_PACKAGE_PATH");
  EXPECT_EQ(name(files.write("h.xacro",
                             "<robot name='r' xmlns:xacro='x'><xacro:include ns='h' "
                             "filename='hand_description/urdf/hand.xacro'/>"
                             "<xacro:h.make p='${h.w}'/></robot>")),
            "hand_hand");
  EXPECT_EQ(
      name(files.write("i.xacro",
                       "<robot name='r' xmlns:xacro='x'><xacro:include optional='true' "
                       "filename='none.xacro'/><link name='$(optenv ULNA_NONE l)'/></robot>")),
      "l");
}

TEST(Xacro, parameters_come_from_yaml_with_units) {
  const Files files("xacro_yaml");
  files.write("limits.yaml", "joint:\n  upper: !degrees 90\n  names: [a, b]\n  text: '07'\n");
  const std::string file = files.write("r.xacro",
                                       "<robot name='r' xmlns:xacro='x'><xacro:property name='y' "
                                       "value=\"${xacro.load_yaml('limits.yaml')}\"/>"
                                       "<link name=\"${y['joint']['names'][1]}_${y.joint.upper == "
                                       "pi/2}_${y.joint.text}\"/></robot>");
  try {
    EXPECT_EQ(load_robot(file).model.description().links[0].name, "b_True_07");
  } catch (const ModelError& e) {
    EXPECT_TRUE(e.diagnostics().find(rules::yaml_unavailable)) << e.what();
  }
}

TEST(Xacro, files_that_include_each_other_are_refused) {
  const Files files("xacro_loop");
  const auto including = [](const std::string& other) {
    return "<robot name='r' xmlns:xacro='x'>\n<xacro:include filename='" + other + "'/>\n</robot>";
  };
  const std::string a = files.write("a.xacro", including("b.xacro"));
  files.write("b.xacro", including("a.xacro"));
  const std::string what = told<ModelError>([&] { load_robot(a); });
  EXPECT_NE(what.find("b.xacro:2: error: <xacro:include>: file 'a.xacro' includes itself"),
            what.npos)
      << what;
}

TEST(Xacro, arguments_that_the_file_does_not_have_are_refused) {
  ImportOptions options;
  options.arguments = {{"tol", "false"}};
  EXPECT_NE(
      told<ModelError>([&] { import_robot(good_xacro, "a.xacro", options); })
          .find("argument 'tol': is given, but the file has no argument of this name; did you "
                "mean 'tool'?"),
      std::string::npos);
  EXPECT_NE(told<ModelError>([&] {
              import_robot(good_urdf, "a.urdf", options);
            }).find("arguments are given, but this is no xacro file"),
            std::string::npos);
}

TEST(Xacro, texts_in_lists_are_shared) {
  // 50 GB if each entry had its own
  EXPECT_EQ(computed("len(['a' * 1000000] * 50000)"), "50000");
  EXPECT_EQ(computed("['ab'] * 2 + ['c']"), "['ab', 'ab', 'c']");
}

}  // namespace
}  // namespace ulna::test::xacro_files
