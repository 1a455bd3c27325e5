#include "ulna/codegen/compiled.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "support/close.hpp"
#include "support/every_c_operation.hpp"
#include "support/random.hpp"
#include "ulna/codegen/print_c.hpp"

namespace ulna::test {
namespace {

namespace fs = std::filesystem;
using E = Expression;

Traced everything(double factor = 1.0 / 3.0) { return every_c_operation(factor); }

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
const std::vector<double> unused{0.0, 0.0};

TEST(PrintC, compiles_as_c99_and_as_cpp_without_a_warning) {
  for (const CNumber number : {CNumber::double_precision, CNumber::single_precision}) {
    const TemporaryFolder folder;
    const CFiles files = print_c(everything(), {.number = number});
    write(folder / "everything.h", files.header);
    write(folder / "everything.c", files.source);
    const std::string warnings = "-Wall -Wextra -pedantic -Werror -fsyntax-only ";
    EXPECT_TRUE(succeeds("cc -std=c99 -Wdouble-promotion " + warnings +
                         (folder / "everything.c").string()));
    EXPECT_TRUE(succeeds("c++ -x c++ " + warnings + (folder / "everything.h").string()));
  }
}

TEST(PrintC, is_the_same_text_every_time) {
  EXPECT_EQ(print_c(everything()).source, print_c(everything()).source);
  EXPECT_NE(print_c(everything()).source, print_c(everything(0.5)).source);
}

TEST(PrintC, in_single_precision_agrees_with_double_to_its_own) {
  Tracer tracer("polynomial");
  const auto x = tracer.input("x", 1);
  tracer.output("y", Tracer::Column::Constant(1, (x(0) + E(0.1)) * x(0) + sin(x(0))));
  const CFiles files = print_c(tracer.finish(), {.number = CNumber::single_precision});
  const TemporaryFolder folder;
  write(folder / "polynomial.h", files.header);
  write(folder / "polynomial.c", files.source);
  write(folder / "main.c",
        "#include \"polynomial.h\"\n#include <math.h>\nint main(void) {\n"
        "  float x = 0.7f, y;\n  polynomial(&x, &y);\n"
        "  return fabs((double)y - (0.8 * 0.7 + sin(0.7))) < 1e-6 ? 0 : 1;\n}\n");
  const std::string at = folder.path().string();
  ASSERT_TRUE(succeeds("cc -std=c99 -Wall -Wextra -pedantic -Werror -o " + at + "/main " + at +
                       "/main.c " + at + "/polynomial.c -lm"));
  EXPECT_TRUE(succeeds(at + "/main"));
}

TEST(CompiledFunction, agrees_with_the_interpreter) {
  const TemporaryFolder cache;
  const Traced traced = everything();
  CompiledFunction compiled(traced, {.cache = cache.path()});
  for_each_seed([&](Random& random) {
    const std::vector<double> x{random.real(-0.9, 0.9), random.real(-0.9, 0.9),
                                random.real(-0.9, 0.9)};
    const Vectors exact = interpret(traced, {x, unused}), got = call(compiled, traced, {x, unused});
    for (std::size_t k = 0; k < exact.size(); ++k)
      for (std::size_t i = 0; i < exact[k].size(); ++i)
        EXPECT_TRUE(exact[k][i] == got[k][i] ||
                    std::abs(exact[k][i] - got[k][i]) <= 1e-14 * std::abs(exact[k][i]))
            << k << " " << i << ": " << exact[k][i] << " against " << got[k][i];
  });
  EXPECT_THROW(call(compiled, traced, {unused, unused}), std::invalid_argument);
}

TEST(CompiledFunction, comes_from_the_cache_the_second_time_and_leaves_nothing_else_there) {
  const TemporaryFolder cache;
  EXPECT_FALSE(CompiledFunction(everything(), {.cache = cache.path()}).came_from_cache());
  EXPECT_TRUE(CompiledFunction(everything(), {.cache = cache.path()}).came_from_cache());
  // other constants, other flags: other entries
  EXPECT_FALSE(CompiledFunction(everything(0.5), {.cache = cache.path()}).came_from_cache());
  EXPECT_FALSE(
      CompiledFunction(everything(), {.cache = cache.path(), .flags = {"-O0"}}).came_from_cache());
  EXPECT_EQ(std::distance(fs::directory_iterator(cache.path()), {}), 3);
}

TEST(CompiledFunction, is_compiled_anew_when_its_entry_is_damaged_in_any_way) {
  const TemporaryFolder cache;
  const Traced traced = everything();
  const Vectors in{{0.3, -0.2, 0.6}, unused};
  CompiledFunction first(traced, {.cache = cache.path()});
  const Vectors right = call(first, traced, in);
  const fs::path entry = first.cache_entry();
  const std::string sound = read(entry);
  const std::string other =
      read(CompiledFunction(everything(0.5), {.cache = cache.path()}).cache_entry());

  Random random(1);
  std::vector<std::string> damaged{"", "x", sound.substr(0, sound.size() / 2), sound + "x",
                                   sound.substr(1), std::string(sound.size(), '\0'),
                                   // another function's entry under this name: sound, but stale
                                   other};
  for (int i = 0; i < 8; ++i) {
    damaged.push_back(sound);
    const auto at = static_cast<std::size_t>(random.real(0.0, static_cast<double>(sound.size())));
    damaged.back()[at] = static_cast<char>(damaged.back()[at] ^ (1 << (i % 8)));
  }
  for (std::size_t k = 0; k < damaged.size(); ++k) {
    SCOPED_TRACE("damage " + std::to_string(k) + ", seed 1");
    write(entry, damaged[k]);
    CompiledFunction again(traced, {.cache = cache.path()});
    EXPECT_FALSE(again.came_from_cache());
    EXPECT_EQ(call(again, traced, in), right);
    EXPECT_TRUE(CompiledFunction(traced, {.cache = cache.path()}).came_from_cache());
  }
  // what is loaded does not care
  write(entry, "gone");
  EXPECT_EQ(call(first, traced, in), right);
}

TEST(CompiledFunction, may_be_made_by_many_at_a_time) {
  const TemporaryFolder cache;
  const Traced traced = everything();
  const Vectors in{{0.3, -0.2, 0.6}, unused};
  const Vectors right = interpret(traced, in);
  std::vector<std::thread> threads;
  std::vector<Vectors> got(4);
  for (Vectors& g : got)
    threads.emplace_back([&] {
      CompiledFunction f(traced, {.cache = cache.path(), .flags = {"-O0"}});
      g = call(f, traced, in);
    });
  for (std::thread& t : threads) t.join();
  for (const Vectors& g : got) expect_close(column(g[0]), column(right[0]), 1e-14);
  EXPECT_EQ(std::distance(fs::directory_iterator(cache.path()), {}), 1);
}

TEST(CompiledFunction, killed_halfway_leaves_nothing_wrong_behind) {
  const Traced traced = everything();
  const Vectors in{{0.3, -0.2, 0.6}, unused};
  const Vectors right = interpret(traced, in);
  // a compiler that compiles, tells so, and does not end
  const TemporaryFolder folder;
  write(folder / "slow-compiler",
        "#!/bin/sh\n"
        "case \" $* \" in *' -dM '*) exec cc \"$@\" ;; esac\n"
        "cc \"$@\" && : > \"$TOLD\" && exec sleep 60\n");
  fs::permissions(folder / "slow-compiler", fs::perms::owner_all);

  for (const bool with_compiler : {true, false}) {
    const TemporaryFolder cache;
    const fs::path told = folder / (with_compiler ? "told" : "told-again");
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      setpgid(0, 0);
      setenv("TOLD", told.c_str(), 1);
      CompiledFunction(traced,
                       {.cache = cache.path(), .compiler = (folder / "slow-compiler").string()});
      _exit(0);
    }
    for (int i = 0; i < 6000 && !fs::exists(told); ++i) usleep(10000);
    EXPECT_TRUE(fs::exists(told));
    kill(with_compiler ? -child : child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    // what it was making lies about, and nobody takes it for a function
    const fs::directory_iterator left(cache.path());
    ASSERT_NE(left, fs::directory_iterator());
    EXPECT_TRUE(left->path().filename().string().starts_with("tmp-")) << left->path();
    for (const bool cached : {false, true}) {
      CompiledFunction after(traced, {.cache = cache.path()});
      EXPECT_EQ(after.came_from_cache(), cached);
      expect_close(column(call(after, traced, in)[0]), column(right[0]), 1e-14);
    }
    // a compiler that was left alone ends before its folder does
    kill(-child, SIGKILL);
  }
}

TEST(CompiledFunction, clears_away_what_the_killed_have_left_a_day_ago) {
  const TemporaryFolder cache;
  fs::create_directory(cache / "tmp-old");
  fs::create_directory(cache / "tmp-new");
  fs::last_write_time(cache / "tmp-old", fs::file_time_type::clock::now() - std::chrono::hours(25));
  CompiledFunction f(everything(), {.cache = cache.path(), .flags = {"-O0"}});
  EXPECT_FALSE(fs::exists(cache / "tmp-old"));
  EXPECT_TRUE(fs::exists(cache / "tmp-new"));
}

TEST(CompiledFunction, says_what_is_missing) {
  const TemporaryFolder cache;
  const auto words_of = [&](const CompileOptions& options) -> std::string {
    try {
      CompiledFunction f(everything(), options);
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    return "nothing was thrown";
  };
  EXPECT_NE(words_of({.cache = cache.path(), .compiler = "no-such-compiler"})
                .find("C compiler 'no-such-compiler' was not found"),
            std::string::npos);
  EXPECT_NE(words_of({.cache = cache.path(), .flags = {"--no-such-flag"}}).find("failed:"),
            std::string::npos);
  ASSERT_EQ(chmod(cache.path().c_str(), 0777), 0);
  EXPECT_NE(words_of({.cache = cache.path()}).find("written by others"), std::string::npos);
}

}  // namespace
}  // namespace ulna::test
