#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "ulna/io/beside.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/builder.hpp"
#include "ulna/model/rules.hpp"
#include "ulna/spatial/solid.hpp"

namespace ulna {
namespace {

[[noreturn]] void refuse(const Rule& rule, std::string_view file, std::string seen) {
  Diagnostics out;
  out.add(rule, {std::string(file), 0, 0}, "", std::move(seen));
  throw ModelError(std::move(out));
}

/// All of a file; never more than the limit, whatever it is.
std::string read_all(std::FILE* file, std::string_view name, std::size_t limit) {
  std::string text;
  char block[1 << 16];
  while (text.size() <= limit) {
    const std::size_t n =
        std::fread(block, 1, std::min(sizeof block, limit + 1 - text.size()), file);
    if (n == 0) break;
    text.append(block, n);
  }
  if (std::ferror(file))
    refuse(rules::file_unreadable, name, std::string("cannot be read: ") + std::strerror(errno));
  if (text.size() > limit)
    refuse(rules::input_too_large, name,
           "the file is larger than " + std::to_string(limit) + " bytes");
  return text;
}

std::string read_file(std::string_view name, const ImportOptions& options) {
  const std::string path(name);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    refuse(rules::file_unreadable, name, "this is a folder");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file && errno != ENOENT)
    refuse(rules::file_unreadable, name, std::string("cannot be opened: ") + std::strerror(errno));
  if (!file) {
    std::vector<std::string_view> known;
    for (const auto& r : embedded_robots()) known.push_back(r.name);
    const std::string near = did_you_mean(name, known);
    refuse(
        rules::file_unreadable, name,
        near.empty() ? "no such file, and no embedded robot has this name" : "no such file" + near);
  }
  return read_all(file.get(), name, options.max_bytes);
}

/// The first tag of XML without its brackets: "robot name='arm' xmlns:xacro='...'".
std::string_view root_tag(std::string_view text) {
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    if (rest.starts_with("!--"))
      at = std::min(text.find("-->", at), text.size() - 1);
    else if (!rest.starts_with("?"))
      return rest.substr(0, rest.find('>'));
  }
  return {};
}

Imported generated_chain(std::string_view count, const ImportOptions& options) {
  int n = 0;
  const char* const end = count.data() + count.size();
  if (const auto [stop, error] = std::from_chars(count.data(), end, n);
      error != std::errc() || stop != end || n < 1 ||
      static_cast<std::size_t>(n) >= options.max_links)
    refuse(rules::chain_length, "chain:" + std::string(count),
           "'" + std::string(count) + "' is not a number of joints from 1 to " +
               std::to_string(options.max_links - 1));
  return import_urdf(to_urdf(chain(n)), "chain:" + std::string(count), options);
}

}  // namespace

Imported load_robot(std::string_view name, const ImportOptions& options) {
  if (name == "-")
    return import_robot(read_all(stdin, "<stdin>", options.max_bytes), "<stdin>", options);
  if (name.starts_with("chain:")) return generated_chain(name.substr(6), options);
  for (const auto& robot : embedded_robots())
    if (robot.name == name) return import_robot(robot.text, std::string(robot.file_name), options);
  return import_robot(read_file(name, options), std::string(name), options);
}

std::string robot_beside(std::string_view file, std::string_view name) {
  const std::filesystem::path beside = std::filesystem::path(file).parent_path() / name;
  std::error_code none;
  return std::filesystem::is_regular_file(beside, none) ? beside.string() : std::string(name);
}

Imported import_robot(std::string_view text, std::string file, const ImportOptions& options) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  const bool empty = first == std::string_view::npos, xml = !empty && text[first] == '<';
  const std::string_view root = xml ? root_tag(text) : std::string_view(),
                         tag = root.substr(0, root.find_first_of(" \t\r\n/"));
  const bool is_xacro = file.ends_with(".xacro") || root.find("xmlns:xacro") != root.npos;
  if (!options.arguments.empty() && !is_xacro)
    refuse(rules::xacro_argument, file, "arguments are given, but this is no xacro file");
  if (is_xacro) return import_xacro(text, std::move(file), options);
  if (tag == "mujoco" || file.ends_with(".mjcf"))
    return import_mjcf(text, std::move(file), options);
  if (tag == "sdf" || file.ends_with(".sdf")) return import_sdf(text, std::move(file), options);
  if ((file.ends_with(".yaml") || file.ends_with(".yml")) && !xml)
    return import_table(text, std::move(file), options);
  if (xml || file.ends_with(".urdf") || file.ends_with(".xml"))
    return import_urdf(text, std::move(file), options);
  if (empty) refuse(rules::input_empty, file, "there is nothing in it");
  if (text.substr(0, 4096).find("ulna:") != std::string_view::npos)
    return import_table(text, std::move(file), options);
  refuse(rules::format_unknown, file, "neither XML nor a table that begins with 'ulna:'");
}

Model chain(int n) {
  constexpr double length = 0.3, mass = 2.0, g = 9.81;
  const Inertia<double> rod = Transform<double>::from_translation({0.0, 0.0, length / 2}) *
                              solid_cylinder(0.04, length).with_mass(mass);
  Builder builder("chain" + std::to_string(n));
  builder.link("link0");
  for (int i = 1; i <= n; ++i) {
    const std::string above = "link" + std::to_string(i - 1), link = "link" + std::to_string(i);
    builder.link({link, rod, {{"", Pose({0.0, 0.0, length / 2}), Cylinder{0.04, length}, {}}}});
    builder.joint("joint" + std::to_string(i), JointType::revolute, above, link,
                  Pose({0.0, 0.0, i > 1 ? length : 0.0}),
                  i % 2 ? Vec3<double>::UnitZ() : Vec3<double>::UnitY());
    // drives of a real arm: half as strong again as what holds the rods beyond, stretched out, and slower where
    // their end would be faster than 40 m/s
    const double rods = n - i + 1, reach = rods * length, weight = rods * mass * g * reach / 2;
    builder.last_joint().limits = {-3.0, 3.0, std::min(4.0, 40.0 / reach),
                                   std::max(100.0, 1.5 * weight)};
  }
  return builder.build();
}

}  // namespace ulna
