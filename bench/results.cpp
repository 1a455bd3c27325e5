#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "bench.hpp"

namespace bench {
namespace {

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string processor_count() {
  std::ifstream info("/proc/cpuinfo");
  int count = 0;
  for (std::string line; std::getline(info, line);) count += line.starts_with("processor");
  return std::to_string(count);
}

}  // namespace

void write_json(const std::string& path, const Entries& entries) {
  nlohmann::ordered_json json;
  json["context"] = {{"processor", processor()},
                     {"cores", processor_count()},
                     {"compiler", BENCH_COMPILER},
                     {"flags", BENCH_FLAGS}};
  json["entries"] = nlohmann::json::array();
  for (const Entry& e : entries) {
    nlohmann::ordered_json entry{{"library", e.library},
                                 {"version", e.version},
                                 {"robot", e.robot},
                                 {"nv", e.nv},
                                 {"algorithm", e.algorithm}};
    if (!e.variant.empty()) entry["variant"] = e.variant;
    if (e.times) {
      entry["ns_min"] = e.times->min;
      entry["ns_median"] = e.times->median;
    }
    if (e.difference) entry["difference"] = *e.difference;
    if (e.bytes) entry["bytes"] = *e.bytes;
    if (e.instructions) entry["instructions"] = *e.instructions;
    if (e.operations) entry["operations"] = *e.operations;
    if (e.compile_seconds) entry["compile_seconds"] = *e.compile_seconds;
    for (const auto& [name, figure] : e.more) entry[name] = figure;
    json["entries"].push_back(std::move(entry));
  }
  std::ofstream out(path);
  out << json.dump(1) << "\n";
  if (!out.flush()) throw std::runtime_error(path + " cannot be written");
}

}  // namespace bench
