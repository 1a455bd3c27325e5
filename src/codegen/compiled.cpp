#include "ulna/codegen/compiled.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "codegen/c_text.hpp"
#include "codegen/check_sizes.hpp"
#include "codegen/content_hash.hpp"

extern char** environ;

namespace ulna::codegen {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view entry_name = "ulna_entry", states_entry_name = "ulna_states_entry";
/// Behind the library in a cache entry: this, the key, and the hash of all before it.
constexpr std::string_view footer_mark = "\nulna cache entry 2\n";

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

constexpr const char* own_folder = "; set ULNA_CACHE to a folder of your own";
[[noreturn]] void refuse(const fs::path& path, const char* before, const char* after) {
  throw std::runtime_error(before + path.string() + after);
}

void write_file(const fs::path& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary);
  out.write(text.data(), std::streamsize(text.size()));
  out.close();
  if (!out) refuse(path, "cannot write ", ": is the disk full, or the folder not writable?");
}

/// A folder of one's own in the cache, gone with all that is in it when it is left.
class Scratch {
 public:
  explicit Scratch(const fs::path& cache) {
    std::string name = (cache / "tmp-XXXXXX").string();
    if (!mkdtemp(name.data())) refuse(cache, "cannot write into the cache ", own_folder);
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// Folders that killed programs have left behind. A day is longer than any compiler takes.
void remove_stale_scratch(const fs::path& cache) {
  std::error_code ignored;
  const auto yesterday = fs::file_time_type::clock::now() - std::chrono::hours(24);
  for (const fs::directory_entry& entry : fs::directory_iterator(cache, ignored))
    if (entry.path().filename().string().starts_with("tmp-") &&
        entry.last_write_time(ignored) < yesterday)
      fs::remove_all(entry.path(), ignored);
}

/// Runs a program without a shell. Its exit status, or nothing if there is no such program.
std::optional<int> run(const std::vector<std::string>& words, const fs::path& output) {
  std::vector<char*> argv;
  for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return std::nullopt;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return std::nullopt;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

fs::path default_cache() {
  constexpr std::pair<const char*, const char*> folders[] = {
      {"ULNA_CACHE", nullptr}, {"XDG_CACHE_HOME", "ulna"}, {"HOME", ".cache/ulna"}};
  for (const auto& [variable, below] : folders)
    if (const char* const value = std::getenv(variable); value && *value)
      return below ? fs::path(value) / below : fs::path(value);
  throw std::runtime_error("no folder for compiled functions: set ULNA_CACHE to one");
}

fs::path open_cache(const fs::path& wanted) {
  const fs::path cache = fs::absolute(wanted.empty() ? default_cache() : wanted);
  std::error_code error;
  if (!fs::exists(cache, error)) {
    fs::create_directories(cache.parent_path(), error);
    if (::mkdir(cache.c_str(), 0700) != 0 && errno != EEXIST)
      refuse(cache, "cannot create the cache ", own_folder);
  }
  struct stat about {};
  if (::stat(cache.c_str(), &about) != 0 || !S_ISDIR(about.st_mode))
    refuse(cache, "the cache ", " is not a folder");
  if (about.st_uid != geteuid() || (about.st_mode & (S_IWGRP | S_IWOTH)))
    refuse(cache, "the cache ",
           " can be written by others, and its files are executed: chmod go-w it, or set "
           "ULNA_CACHE to a folder of your own");
  return cache;
}

/// The library in a cache entry, if it is one, whole, and for this key.
std::optional<std::string> verified(const fs::path& entry, const std::string& key) {
  std::string text = read_file(entry);
  const std::size_t footer = footer_mark.size() + 2 * key.size();
  if (text.size() <= footer) return std::nullopt;
  const std::string hash = text.substr(text.size() - key.size());
  text.resize(text.size() - key.size());
  if (detail::content_hash(text) != hash || !text.ends_with(std::string(footer_mark) + key))
    return std::nullopt;
  text.resize(text.size() - footer_mark.size() - key.size());
  return text;
}

/// The C text with entries that take their vectors by lists of pointers.
std::string text_of(const Traced& function, int lanes) {
  const CFiles files = print_c(function, {.lanes = lanes, .angles_together = true});
  std::string source = "#include <stddef.h>\n" + files.source;
  const std::string include = "#include \"" + function.name() + ".h\"\n";
  source.erase(source.find(include), include.size());
  const auto define = [&](std::string_view entry, const std::string& count,
                          const std::string& body) {
    const std::string head =
        "void " + std::string(entry) + "(" + count + "const double *const *in, double *const *out)";
    source += "\n" + head + ";\n" + head + " {\n  (void)in;\n  (void)out;\n" + body + "}\n";
  };
  /// `in[0], in[1], out[0]`, or those of the i-th state
  const auto vectors = [&](bool of_state) {
    const auto element = [of_state](const char* of) {
      return [of, of_state, i = 0](const Traced::Vector& v) mutable {
        const std::string at = of + ("[" + std::to_string(i++)) + "]";
        return of_state ? at + " + i * " + std::to_string(v.size) : at;
      };
    };
    return list(function, element("in"), element("out"));
  };
  const std::string &name = function.name(), all = vectors(false);
  define(entry_name, "", "  " + name + "(" + all + ");\n");
  define(states_entry_name, "size_t count, ",
         lanes ? "  " + name + "_states(count" + (all.empty() ? "" : ", " + all) + ");\n"
               : "  for (size_t i = 0; i < count; ++i) " + name + "(" + vectors(true) + ");\n");
  return source;
}

/// Where the vectors begin.
template <class Number>
std::vector<Number*> begins(std::span<const std::span<Number>> vectors) {
  std::vector<Number*> all;
  for (const auto& v : vectors) all.push_back(v.data());
  return all;
}

}  // namespace

CompiledFunction::CompiledFunction(const Traced& function, const CompileOptions& options)
    : inputs_(function.inputs()), outputs_(function.outputs()) {
  const fs::path cache = open_cache(options.cache);
  remove_stale_scratch(cache);
  const Scratch scratch(cache);
  const std::string source = text_of(function, options.lanes);

  std::vector<std::string> words{options.compiler, "-std=c99", "-fPIC", "-shared"};
  words.insert(words.end(), options.flags.begin(), options.flags.end());
  // the macros of the compiler name its version and, with -march=native, the processor's instructions
  std::vector<std::string> query = words;
  for (const char* word : {"-dM", "-E", "-x", "c", "/dev/null"}) query.emplace_back(word);
  const fs::path messages = scratch / "messages";
  const std::optional<int> status = run(query, messages);
  if (!status || *status == 127)
    throw std::runtime_error(
        "C compiler '" + options.compiler +
        "' was not found; install one, or name it in CompileOptions::compiler");
  const auto require = [&](bool succeeded) {
    if (!succeeded)
      throw std::runtime_error("compiling " + function.name() + " failed:\n" + read_file(messages));
  };
  require(status == 0);
  std::string all = read_file(messages);
  for (const std::string& word : words) all += word + '\0';
  const std::string key = detail::content_hash(all + source);
  entry_path_ = cache / (function.name().substr(0, 64) + "-" + key + ".so");

  std::optional<std::string> library = verified(entry_path_, key);
  from_cache_ = library.has_value();
  const fs::path copy = scratch / "function.so";
  if (!library) {
    const fs::path text = scratch / "function.c";
    write_file(text, source);
    for (const fs::path& word : {fs::path("-o"), copy, text, fs::path("-lm")})
      words.push_back(word.string());
    require(run(words, messages) == 0);
    library = read_file(copy);
    // the entry appears whole by its new name, whoever else makes it at the same time
    std::string entry = *library + std::string(footer_mark) + key;
    entry += detail::content_hash(entry);
    write_file(scratch / "entry", entry);
    fs::rename(scratch / "entry", entry_path_);
  } else {
    write_file(copy, *library);
  }

  const auto loaded = [&](void* found) {
    if (!found) throw std::runtime_error("loading " + function.name() + " failed: " + dlerror());
    return found;
  };
  library_ = std::shared_ptr<void>(loaded(dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL)),
                                   [](void* handle) { dlclose(handle); });
  const auto find = [&](auto& entry, std::string_view name) {
    entry = reinterpret_cast<std::remove_reference_t<decltype(entry)>>(
        loaded(dlsym(library_.get(), std::string(name).c_str())));
  };
  find(entry_, entry_name);
  find(states_entry_, states_entry_name);
}

void CompiledFunction::operator()(Inputs inputs, Outputs outputs) const {
  check_sizes("inputs", inputs_, inputs);
  check_sizes("outputs", outputs_, outputs);
  entry_(begins(inputs).data(), begins(outputs).data());
}

void CompiledFunction::operator()(std::size_t states, Inputs inputs, Outputs outputs) const {
  check_sizes("inputs", inputs_, inputs, states);
  check_sizes("outputs", outputs_, outputs, states);
  states_entry_(states, begins(inputs).data(), begins(outputs).data());
}

}  // namespace ulna::codegen
