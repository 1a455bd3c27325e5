#include <cmath>

#include "support/close.hpp"
#include "support/every_c_operation.hpp"
#include "support/random.hpp"
#include "ulna/codegen/compiled.hpp"
#include "ulna/codegen/differentiate.hpp"
#include "ulna/codegen/print_cpp.hpp"

// Many states at a time, in SIMD lanes, and what C and C++ compilers make of the text.
namespace ulna::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), none = std::nan("");

/// A function in a folder, as <name>.h and <name>.c
void write_c(const TemporaryFolder& folder, const Traced& f, const COptions& options) {
  const CFiles files = print_c(f, options);
  write(folder / (f.name() + ".h"), files.header);
  write(folder / (f.name() + ".c"), files.source);
}

/// Equal, both no numbers, or near.
bool agree(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-14 * std::abs(b);
}

TEST(PrintStates, compiles_without_a_warning_for_any_lanes_and_instructions) {
  for (const CNumber number : {CNumber::double_precision, CNumber::single_precision})
    for (const int lanes : {2, 4, 8, 16}) {
      const TemporaryFolder folder;
      write_c(folder, every_c_operation(), {.number = number, .lanes = lanes});
      for (const char* flags : {"", "-O2", "-O2 -march=native"})
        EXPECT_TRUE(succeeds("cd " + folder.path().string() +
                             " && cc -std=c99 -pedantic -Wall -Wextra -Wdouble-promotion -Werror " +
                             flags + " -c everything.c"))
            << lanes << " lanes, " << flags;
    }
}

TEST(PrintStates, refuses_lanes_that_there_cannot_be) {
  for (const int lanes : {-4, 1, 3, 32})
    EXPECT_THROW(print_c(every_c_operation(), {.lanes = lanes}), std::invalid_argument);
}

TEST(PrintStates, names_its_own_things_so_that_vectors_may_have_any_name) {
  Tracer tracer("f");
  const auto count = tracer.input("count", 1), first = tracer.input("first", 1),
             s = tracer.input("s", 2), near = tracer.input("near", 1);
  tracer.output("made", Tracer::Column::Constant(1, sin(count(0)) + first(0) * s(1) + near(0)));
  const TemporaryFolder folder;
  const Traced f = tracer.finish();
  write_c(folder, f, {.lanes = 4});
  write(folder / "f.hpp", print_cpp("names", {{"f", &f}}, {.lanes = 4}));
  const std::string at = "cd " + folder.path().string() + " && ";
  EXPECT_TRUE(succeeds(at + "cc -std=c99 -Wall -Wextra -Werror -c f.c"));
  write(folder / "main.cpp", "#include \"f.hpp\"\n");
  EXPECT_TRUE(succeeds(at + "c++ -std=c++20 -Wall -Wextra -Werror -fsyntax-only main.cpp"));
}

TEST(PrintStates, functions_may_have_the_words_of_its_templates_in_their_names) {
  Tracer tracer("COUNT_BITS_NAME");
  tracer.output("y", Tracer::Column::Constant(1, sin(tracer.input("x", 1)(0))));
  const TemporaryFolder folder;
  write_c(folder, tracer.finish(), {.lanes = 4});
  EXPECT_TRUE(succeeds("cd " + folder.path().string() +
                       " && cc -std=c99 -Wall -Wextra -Werror -c COUNT_BITS_NAME.c"));
}

/// The function run on many states, and the interpreter on each.
void expect_same(const Traced& f, const CompiledFunction& compiled, const Vectors& states) {
  std::vector<double> x;
  for (const std::vector<double>& state : states) x.insert(x.end(), state.begin(), state.end());
  const std::vector<double> unused(2 * states.size());
  const double untouched = -123.0;
  // one number more, which must stay as it is
  std::vector<double> y(14 * states.size() + 1, untouched), z(3 * states.size() + 1, untouched);
  const std::vector<std::span<const double>> in{x, unused};
  const std::vector<std::span<double>> out{std::span(y).first(14 * states.size()),
                                           std::span(z).first(3 * states.size())};
  compiled(states.size(), in, out);
  EXPECT_EQ(y.back(), untouched);
  EXPECT_EQ(z.back(), untouched);
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Vectors exact = interpret(f, {states[i], {0.0, 0.0}});
    for (std::size_t k = 0; k < 14; ++k)
      EXPECT_TRUE(agree(y[14 * i + k], exact[0][k]))
          << "state " << i << " of " << states.size() << ", number " << k << ": " << y[14 * i + k]
          << " against " << exact[0][k];
    for (std::size_t k = 0; k < 3; ++k) EXPECT_TRUE(agree(z[3 * i + k], exact[1][k]));
  }
}

TEST(States, are_what_the_interpreter_gives_for_any_number_of_them) {
  const TemporaryFolder cache;
  const Traced f = every_c_operation();
  for (const int lanes : {0, 2, 4, 8, 16}) {
    SCOPED_TRACE(lanes);
    const CompiledFunction compiled(f, {.cache = cache.path(), .flags = {"-O1"}, .lanes = lanes});
    for_each_seed([&](Random& random) {
      Vectors states;
      for (std::size_t count = 0; count < 19; ++count) {
        expect_same(f, compiled, states);
        states.push_back({random.real(-0.9, 0.9), random.real(-0.9, 0.9), random.real(-0.9, 0.9)});
      }
    });
  }
}

TEST(States, are_computed_one_by_one_where_the_compiler_knows_no_lanes) {
  const TemporaryFolder cache;
  const Traced f = every_c_operation();
  const CompiledFunction compiled(
      f, {.cache = cache.path(), .flags = {"-O1", "-DULNA_NO_LANES"}, .lanes = 4});
  expect_same(f, compiled, {{0.1, 0.2, 0.3}, {-0.4, 0.3, -0.1}, {0.0, 0.9, 0.5}});
}

TEST(States, may_be_far_away_or_no_numbers) {
  const TemporaryFolder cache;
  const Traced f = every_c_operation();
  const CompiledFunction compiled(f, {.cache = cache.path(), .lanes = 4});
  const Vectors states{{1e8, -1e300, 0.5},  {0.1, 0.2, 0.3},   {infinity, 0.1, 0.2},
                       {none, 0.2, 0.1},    {0.3, none, 0.2},  {-infinity, infinity, 0.3},
                       {-1e5, 1e5, 1.0},    {100000.5, 0., 1}, {0.0, 0.0, 0.0},
                       {5e-324, -0.0, -1.0}};
  expect_same(f, compiled, states);
}

TEST(States, do_not_feel_their_neighbours) {
  // the same bits wherever a state stands and whatever stands beside it
  const TemporaryFolder cache;
  const Traced f = every_c_operation();
  const CompiledFunction compiled(f, {.cache = cache.path(), .lanes = 4});
  const auto alone = [&](std::size_t place, double beside) {
    std::vector<double> x(15, beside), unused(10), y(5 * 14), z(15);
    x[3 * place] = 0.3, x[3 * place + 1] = -0.7, x[3 * place + 2] = 0.2;
    const std::vector<std::span<const double>> in{x, unused};
    const std::vector<std::span<double>> out{y, z};
    compiled(5, in, out);
    const auto begin = y.begin() + static_cast<std::ptrdiff_t>(14 * place);
    return std::vector<double>(begin, begin + 14);
  };
  const std::vector<double> first = alone(0, 0.1);
  for (std::size_t place = 0; place < 5; ++place)
    for (const double beside : {0.5, 1e7, infinity, none}) EXPECT_EQ(alone(place, beside), first);
}

TEST(States, may_be_written_over) {
  const TemporaryFolder cache;
  Tracer tracer("turn");
  const auto x = tracer.input("x", 2);
  tracer.output("y", Tracer::Column(Eigen::Vector2<Expression>(cos(x(1)), x(0) + x(1))));
  const Traced f = tracer.finish();
  const CompiledFunction compiled(f, {.cache = cache.path(), .lanes = 4});
  std::vector<double> numbers, wanted;
  for (int i = 0; i < 7; ++i) {
    numbers.insert(numbers.end(), {i * 0.5, i - 3.0});
    wanted.insert(wanted.end(), {std::cos(i - 3.0), i * 1.5 - 3.0});
  }
  const double* in[] = {numbers.data()};
  double* out[] = {numbers.data()};
  compiled.call(7, in, out);
  expect_close(column(numbers), column(wanted), 1e-15);
}

TEST(States, are_checked_for_their_number) {
  const TemporaryFolder cache;
  const Traced f = every_c_operation();
  const CompiledFunction compiled(f, {.cache = cache.path(), .flags = {"-O0"}});
  std::vector<double> x(6), unused(4), y(28), z(6);
  const std::vector<std::span<const double>> in{x, unused};
  const std::vector<std::span<double>> out{y, z};
  EXPECT_NO_THROW(compiled(2, in, out));
  EXPECT_THROW(compiled(1, in, out), std::invalid_argument);
  EXPECT_THROW(compiled(3, in, out), std::invalid_argument);
  EXPECT_THROW(compiled(std::numeric_limits<std::size_t>::max() / 3 + 3, in, out),
               std::invalid_argument);
}

/// Sines and cosines of many angles in a program of C, against math.h: its exit status tells.
TEST(States, have_sines_and_cosines_to_rounding) {
  Tracer tracer("turn");
  const auto x = tracer.input("x", 1);
  tracer.output("y", Tracer::Column(Eigen::Vector2<Expression>(sin(x(0)), cos(x(0)))));
  const Traced f = tracer.finish();
  const struct {
    COptions options;
    const char *type, *bound, *flags;
  } cases[] = {{{CNumber::double_precision, 4}, "double", "3e-16", "-O2"},
               {{CNumber::double_precision, 4}, "double", "3e-16", "-O3 -march=native"},
               {{CNumber::single_precision, 8}, "float", "2e-7", "-O2"},
               // the compiler may reorder sums: near the largest angles, some places are lost
               {{CNumber::double_precision, 4}, "double", "1e-11", "-O3 -march=native -ffast-math"},
               {{CNumber::single_precision, 8}, "float", "1e-4", "-O3 -march=native -ffast-math"}};
  for (const auto& c : cases) {
    const TemporaryFolder folder;
    write_c(folder, f, c.options);
    write(folder / "main.c",
          "#include \"turn.h\"\n#include <math.h>\n#include <stdio.h>\n"
          "enum { n = 40000 };\nstatic " +
              std::string(c.type) +
              " x[n], y[2 * n];\n"
              "int main(void) {\n  double worst = 0.0;\n  for (int i = 0; i < n; ++i)\n"
              "    x[i] = (" +
              c.type +
              ")((i - n / 2) * (i % 2 ? 2.4 : 4e-4));\n"
              "  turn_states(n, x, y);\n  for (int i = 0; i < n; ++i) {\n"
              "    const double s = fabs(y[2 * i] - sin((double)x[i])), c = fabs(y[2 * i + 1] - "
              "cos((double)x[i]));\n"
              "    if (!(s <= worst)) worst = s;\n    if (!(c <= worst)) worst = c;\n  }\n"
              "  if (worst > " +
              c.bound +
              ") printf(\"apart by %g\\n\", worst);\n"
              "  return worst <= " +
              c.bound + " ? 0 : 1;\n}\n");
    const std::string at = "cd " + folder.path().string() + " && ";
    ASSERT_TRUE(succeeds(at + "cc -std=c99 " + c.flags + " -o main main.c turn.c -lm"));
    EXPECT_TRUE(succeeds(at + "./main")) << c.type << " " << c.flags;
  }
}

TEST(PrintC, tells_the_pattern_of_a_sparse_matrix) {
  Tracer tracer("band");
  const auto x = tracer.input("x", 3);
  Tracer::Column y(3);
  y << x(0) * x(0), x(0) * x(1), x(1) * x(2);
  tracer.output("y", y);
  const Traced J = jacobian(tracer.finish(), "y", {"x"}, {.compressed = true});
  const TemporaryFolder folder;
  write_c(folder, J, {});
  write(folder / "main.c",
        "#include \"band_jacobian.h\"\n#include <stdio.h>\nint main(void) {\n"
        "  const double x[3] = {2, 3, 5};\n  double y[3], J[5];\n  band_jacobian(x, y, J);\n"
        "  for (int c = 0; c < 3; ++c)\n"
        "    for (int k = band_jacobian_y_jacobian_starts[c]; k < "
        "band_jacobian_y_jacobian_starts[c + 1]; ++k)\n"
        "      printf(\"%d%d=%g \", band_jacobian_y_jacobian_rows[k], c, J[k]);\n  return 0;\n}\n");
  const std::string at = "cd " + folder.path().string() + " && ";
  ASSERT_TRUE(succeeds(
      at + "cc -std=c99 -pedantic -Wall -Wextra -Werror -o main main.c band_jacobian.c -lm"));
  ASSERT_TRUE(succeeds(at + "./main > out"));
  std::ifstream out(folder / "out");
  std::string line;
  std::getline(out, line);
  EXPECT_EQ(line, "00=4 10=3 11=2 21=5 22=3 ");
}

TEST(PrintCpp, refuses_names_that_cpp_does_not_take) {
  const Traced f = every_c_operation();
  EXPECT_THROW(print_cpp("namespace", {{"f", &f}}), std::invalid_argument);
  EXPECT_THROW(print_cpp("fine", {{"new", &f}}), std::invalid_argument);
  EXPECT_TRUE(is_identifier(to_identifier("class")));
}

}  // namespace
}  // namespace ulna::test
