#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "support/bad_input.hpp"
#include "support/close.hpp"
#include "support/fuzz.hpp"
#include "support/mjcf.hpp"
#include "support/random.hpp"
#include "support/sdf.hpp"
#include "support/xacro.hpp"

namespace ulna::test {
namespace {

/// Changes a text the way editors, transfers and enemies do.
class Mutator {
 public:
  explicit Mutator(Random& random) : random_(random) {}

  std::string operator()(std::string text) {
    for (int i = below(3); i >= 0; --i) change(text);
    return text;
  }

 private:
  int below(std::size_t n) { return static_cast<int>(random_.real(0.0, static_cast<double>(n))); }
  std::size_t place(const std::string& text) {
    return static_cast<std::size_t>(below(text.size()));
  }

  void change(std::string& text) {
    if (text.empty()) return;
    const std::size_t at = place(text), length = static_cast<std::size_t>(below(60));
    switch (below(7)) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(place(text), text.substr(at, length));
        break;
      case 3:
        text[at] = "<>\"'=/&;{}[]:,-# \n\t0"[below(20)];
        break;
      case 4:
        swap_lines(text);
        break;
      default:
        replace_number(text, at);
        break;
    }
  }

  void replace_number(std::string& text, std::size_t from) {
    static const std::string numbers[] = {
        "nan", "inf", "-inf", "1e999", "1e308", "-1e308", "1e160", "1e-160", "1e-320", "0",
        "-0",  "-1",  "1e-9", "",      "0x1p3", "1,5",    "1kg",   "1 2",    "pi",     "180deg"};
    const std::size_t first = text.find_first_of("0123456789", from);
    if (first == text.npos) return;
    const std::size_t last = std::min(text.find_first_not_of("0123456789.e+-", first), text.size());
    text.replace(first, last - first, numbers[below(std::size(numbers))]);
  }

  void swap_lines(std::string& text) {
    const std::size_t a = text.rfind('\n', place(text)), b = text.rfind('\n', place(text));
    if (a == text.npos || b == text.npos || a >= b) return;
    const std::string line = text.substr(a, std::min(text.find('\n', a + 1), text.size()) - a);
    if (a + line.size() > b) return;
    text.insert(b, line);
    text.erase(a, line.size());
  }

  Random& random_;
};

void expect_finite(const Model& model) {
  for (const Inertia<double>& I : model.inertias()) EXPECT_TRUE(all_finite(I));
  for (const Inertia<double>& I : model.canonical_inertias()) EXPECT_TRUE(all_finite(I));
  for (const Joint& j : model.joints()) {
    EXPECT_TRUE(all_finite(j.X_PJ) && std::isfinite(j.pitch) && std::isfinite(j.multiplier) &&
                std::isfinite(j.offset));
    const Mat3<double> R = j.X_PJ.rotation().matrix();
    EXPECT_LT((R.transpose() * R - Mat3<double>::Identity()).norm(), 1e-12);
    EXPECT_LT((j.R_BC.matrix().transpose() * j.R_BC.matrix() - Mat3<double>::Identity()).norm(),
              1e-12);
  }
  for (const Frame& f : model.frames()) EXPECT_TRUE(all_finite(f.X_BF));
  EXPECT_TRUE(model.gravity().allFinite());
  for (const auto* v :
       {&model.damping(), &model.friction(), &model.friction_negative(), &model.armature()})
    EXPECT_TRUE(v->allFinite() && (v->array() >= 0.0).all());
  EXPECT_TRUE((model.lower_limit().array() <= model.upper_limit().array()).all());
  EXPECT_TRUE((model.lower_limit().array() < infinity).all() &&
              (model.upper_limit().array() > -infinity).all());
  // where loops are closed, a joint may have no drive
  EXPECT_TRUE(model.description().loops.empty() ? (model.effort_limit().array() > 0.0).all()
                                                : (model.effort_limit().array() >= 0.0).all());
  EXPECT_TRUE((model.velocity_limit().array() > 0.0).all());
}

TEST(MutatedInput, gives_a_model_of_finite_numbers_or_a_model_error_and_nothing_else) {
  std::vector<std::pair<std::string, std::string>> texts{
      {"good.urdf", std::string(good_urdf)},     {"good.yaml", std::string(good_table)},
      {"screws.yaml", std::string(good_screws)}, {"good.xacro", std::string(good_xacro)},
      {"good.xml", std::string(good_mjcf)},      {"good.sdf", std::string(good_sdf)}};
  for (const EmbeddedRobot& robot : embedded_robots())
    texts.emplace_back(robot.file_name, robot.text);
  int read = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= std::uint64_t(fuzz_cases(4000)); ++seed) {
    Random random(seed);
    // the small texts feel a change more often
    const std::size_t which = seed % 2 ? seed / 2 % 6 : seed / 2 % texts.size();
    const std::string text = Mutator(random)(texts[which].second);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + texts[which].first);
    std::optional<Model> model;
    try {
      model = import_robot(text, texts[which].first).model;
      expect_finite(*model);
      ++read;
    } catch (const ModelError& e) {
      EXPECT_TRUE(e.diagnostics().has_errors());
      EXPECT_NE(std::string(e.what()), "");
      ++refused;
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
    // what is read can be written, and read again
    if (model) {
      EXPECT_NO_THROW(EXPECT_EQ(import_urdf(to_urdf(*model), "again.urdf").model.description(),
                                model->description()));
    }
    if (HasFailure()) break;
  }
  std::printf("%d read, %d refused\n", read, refused);
  EXPECT_GT(read, 500);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace ulna::test
