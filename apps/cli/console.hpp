#pragma once

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace CLI {
class App;
}

/// Where output goes and how it looks there.
namespace ulna::cli {

/// Keeps its fields in the order they were added.
using Json = nlohmann::ordered_json;

/// The exit status; a contract with scripts.
enum Status : int {
  success = 0,
  findings = 1,  ///< of `check`, or results that are not reliable
  usage = 2,     ///< the command line is wrong
  failure = 3,   ///< the robot was refused, or a file could not be read or written
};

/// An error with a formatted message.
template <Status>
struct Error : std::runtime_error {
  template <class... Args>
  explicit Error(fmt::format_string<Args...> format, Args&&... args)
      : std::runtime_error(fmt::format(format, std::forward<Args>(args)...)) {}
};
/// The command line is wrong: reported in one line, with how to get help.
using UsageError = Error<usage>;
using Failure = Error<failure>;

// --- text; names come out of files, so they may hold anything ---

/// The text with everything shown as itself: control characters, terminal escapes and marks that
/// turn the direction of writing become \x1b or \u202e, and bytes that are not UTF-8 become \xff.
std::string visible(std::string_view text);

/// How many columns the text takes on a terminal. Expects visible text.
int columns(std::string_view text);

/// Broken at spaces into lines of at most so many columns; a longer word stands alone.
std::vector<std::string> wrap(std::string_view text, int width);

/// The parts between separators; of an empty text, one that is empty.
std::vector<std::string> split(std::string_view text, char separator);

/// The text with the second of each pair wherever the first stands, pair by pair.
std::string replaced(std::string text,
                     std::initializer_list<std::pair<std::string_view, std::string_view>> pairs);

/// `before` and the text behind it in lines of `width` columns, all but the first indented.
std::string hanging(std::string before, std::size_t indent, std::string_view text, int width);

/// "1 link", "2 links".
std::string counted(std::size_t n, std::string_view thing);

enum class Style { plain, bold, dim, red, yellow, green, cyan };

/// Standard output or standard error.
class Stream {
 public:
  explicit Stream(std::FILE* file);

  /// A record, such as a finding: for a person in lines of the terminal's width, all but the first indented; for
  /// other programs one line, so that they find it whole. Expects visible text.
  std::vector<std::string> record(std::string_view text, int indent) const;

  bool is_terminal() const { return terminal_; }
  bool utf8() const { return utf8_; }
  /// Columns of the terminal, or 80.
  int width() const { return width_; }
  /// The first in a UTF-8 locale, else the second.
  std::string_view either(std::string_view utf8, std::string_view ascii) const {
    return utf8_ ? utf8 : ascii;
  }
  void set_colour(bool on) { colour_ = on; }
  void set_ascii() { utf8_ = false; }

  /// The text in a colour, if there are colours here.
  std::string paint(Style style, std::string_view text) const;

  /// Never throws; failures are reported by error().
  void print(std::string_view text);
  void flush();
  /// errno of the first write that failed, or 0.
  int error() const { return error_; }
  /// The same as a std::ostream, which never fails either.
  std::ostream& text() { return text_; }

 private:
  /// Passes on what is written to it, unbuffered.
  struct Buffer : std::streambuf {
    explicit Buffer(Stream& stream) : to(stream) {}
    std::streamsize xsputn(const char* from, std::streamsize n) override;
    int_type overflow(int_type c) override;
    Stream& to;
  };

  std::FILE* file_;
  bool terminal_, utf8_, colour_;
  int width_ = 80;
  int error_ = 0;
  Buffer buffer_{*this};
  std::ostream text_{&buffer_};
};

/// Both streams and the options that all verbs share.
class Console {
 public:
  explicit Console(std::string_view verb) : verb_(verb), out(stdout), err(stderr) {}

  /// Adds --json and --color.
  void add_options(CLI::App& app);

  bool json() const { return json_; }
  /// Before the command line is parsed, which may fail. From here on Ctrl-C and SIGTERM end the program with one whole
  /// document too.
  void set_json();
  /// A document with these fields; or if one is open, the rest of it.
  void print(const Json& fields);
  /// Begins a document with these fields and a list, which is printed element by element: without it being
  /// held, and so that whatever happens on the way there is one document in the end.
  void open(const Json& fields, std::string_view list);
  void print_element(std::string_view json);
  /// With --json the document of the fields that `json` makes, else the text that `text` makes.
  template <class MakeJson, class MakeText>
  void show(MakeJson json, MakeText text) {
    json_ ? print(json()) : out.print(text());
  }
  /// "ulna: ..." on standard error, a record. The text may hold anything.
  void complain(std::string_view text, Style style = Style::red);

 private:
  /// {"schema": "ulna.<verb>/1"} and the fields.
  Json document(const Json& fields) const;

  /// Writes a part of the document after which it can be ended.
  void write(std::string_view part);

  std::string_view verb_;
  bool json_ = false;
  bool open_ = false;           ///< a document has begun
  std::string_view separator_;  ///< before the next element of its list
  std::string elements_;        ///< that are not yet written

 public:
  Stream out, err;
};

/// A line on standard error that shows the progress of a long job on a terminal.
class Progress {
 public:
  Progress(Stream& stream, std::size_t total) : stream_(stream), total_(total) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The same share is shown again after a twentieth of a second at the earliest.
  void at(std::size_t done, std::string_view what);
  void clear();

 private:
  Stream& stream_;
  std::size_t total_;
  bool shown_ = false;
  std::size_t last_ = 0;
  std::chrono::steady_clock::time_point last_time_ = {};
};

/// While there is one, a line on a terminal says for how long the program has been computing, if nothing else was
/// printed for two seconds: work whose share that is over is not known.
class Heartbeat {
 public:
  explicit Heartbeat(Stream& stream);
  ~Heartbeat();
  /// No more lines: from now on the program only waits.
  static void rest();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

 private:
  void beat(const std::stop_token& stop, Stream& stream);
  std::jthread thread_;
};

/// While there is one, Ctrl-C and SIGTERM end long work early, with the best that was found so far. Another one some
/// seconds later ends the program.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static bool requested();
  /// Ends the program as the signal would have done, where there is nothing to end with.
  void end_program();

 private:
  void restore();
  std::array<struct sigaction, 2> before_ = {};
  struct sigaction before_alarm_ = {};
};

}  // namespace ulna::cli
