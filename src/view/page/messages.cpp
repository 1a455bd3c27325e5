#include "ulna/view/page/messages.hpp"

#include <algorithm>

#include "ulna/io/import.hpp"
#include "view/page/bytes.hpp"
#include "view/page/embedded_page.hpp"
#include "view/page/json.hpp"

namespace ulna::view {
namespace {

constexpr std::size_t largest_piece = 1u << 20;  // bytes, of a track

std::string base64(std::string_view bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  const auto at = [&](std::size_t i) {
    return i < bytes.size() ? std::uint32_t(std::uint8_t(bytes[i])) : 0u;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t three = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    for (int k = 0; k < 4; ++k)
      text += i + std::size_t(k) <= bytes.size() ? digits[three >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

/// Messages for columns of numbers, each with as many columns as fit.
template <class AddColumn>
std::vector<Message> pieces(std::uint8_t kind, int robot, const Eigen::VectorXd& times,
                            Eigen::Index rows, AddColumn add_column) {
  const std::size_t column = 8 + 4 * std::size_t(rows);
  const auto most = Eigen::Index(std::max<std::size_t>(1, largest_piece / column));
  std::vector<Message> out;
  for (Eigen::Index from = 0; from < times.size(); from += most) {
    const Eigen::Index count = std::min(most, times.size() - from);
    std::string message;
    message.reserve(12 + column * std::size_t(count));
    Bytes bytes(message);
    bytes.head(kind, robot, std::size_t(rows)).add(std::uint32_t(count)).add(std::uint32_t(0));
    for (Eigen::Index k = from; k < from + count; ++k) bytes.add(times(k));
    for (Eigen::Index k = from; k < from + count; ++k) add_column(bytes, k);
    out.push_back(binary(std::move(message)));
  }
  return out;
}

}  // namespace

std::string hello_message(const Hello& hello) {
  return dump({{"type", "hello"},
               {"version", stream_version},
               {"program", hello.program},
               {"mode", hello.mode},
               {"title", hello.title},
               {"can", hello.can},
               {"robots", hello.robots}});
}

std::string channels_message(std::span<const SeriesGroup> groups) {
  Json list_of = Json::array();
  for (const SeriesGroup& group : groups) {
    Json series = Json::array();
    for (const Series& s : group.series)
      series.push_back({{"name", s.name},
                        {"robot", s.robot < 0 ? Json() : Json(s.robot)},
                        {"joint", s.joint < 0 ? Json() : Json(s.joint)}});
    list_of.push_back({{"name", group.name}, {"unit", group.unit}, {"series", std::move(series)}});
  }
  return dump({{"type", "channels"}, {"groups", std::move(list_of)}});
}

std::string diagnostics_message(std::string_view file, std::string_view text,
                                const Diagnostics& found, double request) {
  Json items = Json::array();
  for (const Diagnostic& d : found.list()) {
    std::string message = d.subject.empty() ? d.seen : d.subject + ": " + d.seen;
    if (!d.assumed.empty()) message += "; " + d.assumed;
    items.push_back({{"severity", to_string(d.severity)},
                     {"file", d.source.file},
                     {"line", d.source.line},
                     {"rule", d.rule->name},
                     {"message", message},
                     {"remedy", d.remedy}});
  }
  return dump({{"type", "diagnostics"},
               {"file", file},
               {"request", request >= 0.0 ? Json(request) : Json()},
               {"errors", found.count(Severity::error)},
               {"warnings", found.count(Severity::warning)},
               {"notes", found.count(Severity::note)},
               {"text", text},
               {"items", std::move(items)}});
}

std::vector<int> page_order(const Model& model) {
  std::vector<int> order(std::size_t(model.nq()));
  const auto set = [&](const Joint& joint, std::initializer_list<int> places) {
    int to = joint.q;
    for (const int place : places) order[std::size_t(to++)] = joint.q + place;
  };
  for (const Joint& joint : model.joints()) {
    if (joint.mimics) continue;
    switch (joint.type) {
      case JointType::planar:
        set(joint, {1, 2, 0});
        break;
      case JointType::ball:
        set(joint, {0, 1, 2, 3});
        break;
      case JointType::floating:
        set(joint, {4, 5, 6, 0, 1, 2, 3});
        break;
      case JointType::fixed:
        break;
      default:
        set(joint, {0});
    }
  }
  return order;
}

Eigen::VectorXd page_coordinates(const Model& model, const Eigen::VectorXd& q) {
  return q(page_order(model));
}
Eigen::VectorXd model_coordinates(const Model& model, const Eigen::VectorXd& page_q) {
  Eigen::VectorXd q(model.nq());
  q(page_order(model)) = page_q;
  return q;
}

void write_state(std::string& to, int robot, std::span<const int> order, double time,
                 In<double> q) {
  Bytes bytes(to);
  bytes.head(1, robot, order.size()).add(time);
  for (const int i : order) bytes.add(float(q(i)));
}
std::string state_message(int robot, const Model& model, double time, const Eigen::VectorXd& q) {
  std::string message;
  write_state(message, robot, page_order(model), time, q);
  return message;
}

void write_values(std::string& to, double time, In<double> values) {
  Bytes bytes(to);
  bytes.head(2, 0, std::size_t(values.size())).add(time);
  for (const double x : values) bytes.add(float(x));
}
std::string values_message(double time, const Eigen::VectorXd& values) {
  std::string message;
  write_values(message, time, values);
  return message;
}

void write_arrows(std::string& to, double time, std::span<const Arrow> arrows) {
  Bytes bytes(to);
  bytes.head(3, 0, arrows.size()).add(time);
  for (const Arrow& arrow : arrows) bytes.add(arrow.point).add(arrow.force);
}
std::string arrows_message(double time, std::span<const Arrow> arrows) {
  std::string message;
  write_arrows(message, time, arrows);
  return message;
}

void write_trail(std::string& to, int robot, double time, std::span<const Vec3<double>> points) {
  Bytes bytes(to);
  bytes.head(4, robot, points.size()).add(time);
  for (const Vec3<double>& point : points) bytes.add(point);
}
std::string trail_message(int robot, double time, std::span<const Vec3<double>> points) {
  std::string message;
  write_trail(message, robot, time, points);
  return message;
}

std::vector<Message> track_messages(int robot, const Model& model, const Eigen::VectorXd& times,
                                    const Eigen::MatrixXd& q) {
  return pieces(5, robot, times, q.rows(),
                [&, order = page_order(model)](Bytes& bytes, Eigen::Index k) {
                  for (const int i : order) bytes.add(float(q(i, k)));
                });
}

std::vector<Message> value_track_messages(const Eigen::VectorXd& times,
                                          const Eigen::MatrixXd& values) {
  return pieces(6, 0, times, values.rows(), [&](Bytes& bytes, Eigen::Index k) {
    for (const double x : values.col(k)) bytes.add(float(x));
  });
}

std::vector<Message> arrow_track_messages(const Eigen::VectorXd& times,
                                          std::span<const std::vector<Arrow>> arrows) {
  std::vector<Message> out;
  for (Eigen::Index from = 0, to = 0; from < times.size(); from = to) {
    std::size_t size = 0;
    while (to < times.size() && (to == from || size < largest_piece))
      size += 16 + 24 * arrows[std::size_t(to++)].size();
    std::string message;
    message.reserve(12 + size);
    Bytes bytes(message);
    bytes.head(7, 0, 0).add(std::uint32_t(to - from)).add(std::uint32_t(0));
    for (Eigen::Index k = from; k < to; ++k) {
      const std::vector<Arrow>& now = arrows[std::size_t(k)];
      bytes.add(times(k)).add(std::uint32_t(now.size())).add(std::uint32_t(0));
      for (const Arrow& a : now) bytes.add(a.point).add(a.force);
    }
    out.push_back(binary(std::move(message)));
  }
  return out;
}

std::string page_with(std::string_view page, std::span<const Message> messages,
                      const Meshes& meshes) {
  Json texts = Json::array(), binaries = Json::array(), shapes = Json::object();
  for (const Message& message : messages)
    if (message.binary)
      binaries.push_back(base64(*message.bytes));
    else
      texts.push_back(Json::parse(*message.bytes));
  for (int i = 0; i < meshes.size(); ++i) shapes[std::to_string(i)] = base64(*meshes.bytes(i));
  const std::string data = dump({{"messages", std::move(texts)},
                                 {"binary", std::move(binaries)},
                                 {"meshes", std::move(shapes)}});
  std::string script = "<script id=\"ulna-data\" type=\"application/json\">";
  script.reserve(data.size() + 100);
  // nothing in it may end the script
  for (const char c : data) c == '<' ? script += "\\u003c" : script += c;
  script += "</script>";
  const std::size_t head = page.find("<head"), end = page.find('>', head);
  const std::size_t at = head == page.npos || end == page.npos ? 0 : end + 1;
  return std::string(page.substr(0, at)) + script + std::string(page.substr(at));
}

std::string_view page() { return embedded_pages().front().text; }

}  // namespace ulna::view
