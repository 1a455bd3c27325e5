#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ulna/codegen/traced.hpp"

/// Traced functions, called with vectors, and what is made of them in files.
namespace ulna::test {

using namespace codegen;

using Vectors = std::vector<std::vector<double>>;

inline Eigen::VectorXd column(const std::vector<double>& numbers) {
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), std::ssize(numbers));
}

inline std::vector<double> list(const Eigen::MatrixXd& x) {
  return {x.data(), x.data() + x.size()};
}
inline Eigen::MatrixXd matrix(const std::vector<double>& x, Eigen::Index rows) {
  return Eigen::Map<const Eigen::MatrixXd>(x.data(), rows, std::ssize(x) / rows);
}

template <class Function>
Vectors call(Function& function, const Traced& traced, const Vectors& in) {
  Vectors out;
  for (const Traced::Vector& v : traced.outputs())
    out.emplace_back(static_cast<std::size_t>(v.size));
  const std::vector<std::span<const double>> from(in.begin(), in.end());
  const std::vector<std::span<double>> to(out.begin(), out.end());
  function(from, to);
  return out;
}

inline Vectors interpret(const Traced& traced, const Vectors& in) {
  Interpreter interpreter(traced);
  return call(interpreter, traced, in);
}

/// A folder of the test's own, gone when it is over.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ulna-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}
inline bool succeeds(const std::string& command) { return std::system(command.c_str()) == 0; }

}  // namespace ulna::test
