#include "verb.hpp"

#include <sys/ioctl.h>
#include <unistd.h>
#include <utf8proc.h>
#include <csignal>
#include <ctime>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace ulna::cli {
namespace {

/// Calls `use` with each code point, -1 for a byte that is not UTF-8, and the text of it.
template <class Use>
void for_each_code_point(std::string_view text, Use use) {
  while (!text.empty()) {
    utf8proc_int32_t c = -1;
    const auto* begin = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    const utf8proc_ssize_t bytes = utf8proc_iterate(begin, std::ssize(text), &c);
    const std::string_view self = text.substr(0, std::max<utf8proc_ssize_t>(bytes, 1));
    use(c, self);
    text.remove_prefix(self.size());
  }
}

/// Controls, format marks such as those that turn the direction of writing, and line separators.
bool is_invisible(utf8proc_int32_t c) {
  const auto category = utf8proc_category(c);
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
         category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// By the environment: a locale that is not installed still says what the terminal shows.
bool is_utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value(environment(name));
    if (value.empty()) continue;
    for (char& c : value) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

std::string_view code(Style style) {
  static constexpr std::array<std::string_view, 7> codes{
      "", "\x1b[1m", "\x1b[2m", "\x1b[1;31m", "\x1b[33m", "\x1b[32m", "\x1b[36m"};
  return codes[int(style)];
}

// --- the line of a heartbeat ---

std::recursive_mutex printing;
Stream* heartbeat_line = nullptr;  ///< where it is shown now
bool heart_rests = false;
std::chrono::steady_clock::time_point last_print = std::chrono::steady_clock::now();

void clear_heartbeat() {
  if (Stream* const stream = std::exchange(heartbeat_line, nullptr)) {
    stream->print("\r\x1b[K");
    stream->flush();
  }
}

std::string dumped(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string visible(std::string_view text) {
  std::string shown;
  for_each_code_point(text, [&](utf8proc_int32_t c, std::string_view self) {
    if (c < 0 || (c < 0x80 && is_invisible(c)))
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(self[0]));
    else if (is_invisible(c))
      shown += fmt::format("\\u{:04x}", c);
    else
      shown += self;
  });
  return shown;
}

int columns(std::string_view text) {
  int n = 0;
  for_each_code_point(
      text, [&](utf8proc_int32_t c, std::string_view) { n += c < 0 ? 1 : utf8proc_charwidth(c); });
  return n;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

std::vector<std::string> wrap(std::string_view text, int width) {
  std::vector<std::string> lines;
  std::string line;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    if (!line.empty() && columns(line) + 1 + columns(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::string replaced(std::string text,
                     std::initializer_list<std::pair<std::string_view, std::string_view>> pairs) {
  for (const auto& [from, to] : pairs)
    for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
      text.replace(at, from.size(), to);
  return text;
}

std::string hanging(std::string before, std::size_t indent, std::string_view text, int width) {
  std::string lines;
  for (const std::string& line : wrap(text, width)) {
    lines += before + line + "\n";
    before.assign(indent, ' ');
  }
  return lines;
}

std::string counted(std::size_t n, std::string_view thing) {
  return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s");
}

Stream::Stream(std::FILE* file)
    : file_(file), terminal_(isatty(fileno(file)) == 1), utf8_(is_utf8_locale()) {
  colour_ = terminal_ && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  winsize size{};
  if (terminal_ && ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    width_ = std::max<int>(size.ws_col, 40);
}

std::vector<std::string> Stream::record(std::string_view text, int indent) const {
  if (!terminal_ || columns(text) <= width_) return {std::string(text)};
  std::vector<std::string> lines = wrap(text, std::max(width_ - indent, 20));
  lines[0].insert(0, text.find_first_not_of(' '), ' ');
  for (std::size_t i = 1; i < lines.size(); ++i) lines[i].insert(0, indent, ' ');
  return lines;
}

std::string Stream::paint(Style style, std::string_view text) const {
  if (!colour_ || style == Style::plain || text.empty()) return std::string(text);
  return fmt::format("{}{}\x1b[0m", code(style), text);
}

void Stream::print(std::string_view text) {
  if (error_ || text.empty()) return;
  const std::lock_guard lock(printing);
  clear_heartbeat();
  last_print = std::chrono::steady_clock::now();
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) error_ = errno ? errno : EIO;
}

void Stream::flush() {
  if (!error_ && std::fflush(file_) != 0) error_ = errno ? errno : EIO;
}

std::streamsize Stream::Buffer::xsputn(const char* from, std::streamsize n) {
  to.print({from, static_cast<std::size_t>(n)});
  return n;
}

Stream::Buffer::int_type Stream::Buffer::overflow(int_type c) {
  const char byte = traits_type::to_char_type(c);
  if (c != traits_type::eof()) xsputn(&byte, 1);
  return 0;
}

void Console::add_options(CLI::App& app) {
  app.add_flag("--json", json_, "print one JSON document");
  app.add_option_function<std::string>(
         "--color",
         [this](const std::string& when) {
           if (when == "auto") return;
           out.set_colour(when == "always");
           err.set_colour(when == "always");
         },
         "colours: auto, always or never")
      ->check(word_of({"auto", "always", "never"}))
      ->option_text("WHEN");
}

Json Console::document(const Json& fields) const {
  Json document{{"schema", verb_.empty() ? "ulna/1" : fmt::format("ulna.{}/1", verb_)}};
  document.update(fields);
  return document;
}

void Console::print(const Json& fields) {
  if (!open_) return write(dumped(document(fields), 2) + "\n");
  const std::string rest = dumped(fields, -1);
  elements_ += fields.empty() ? "\n]}\n" : "\n], " + rest.substr(1) + "\n";
  open_ = false;
  write(elements_);
}

void Console::open(const Json& fields, std::string_view list) {
  std::string begin = dumped(document(fields), -1);
  begin.pop_back();
  open_ = true;
  write(fmt::format("{}, \"{}\": [", begin, list));
  separator_ = "\n  ";
}

void Console::print_element(std::string_view json) {
  constexpr std::size_t enough = 1 << 16;
  elements_ += separator_;
  elements_ += json;
  separator_ = ",\n  ";
  if (elements_.size() < enough) return;
  write(elements_);
  elements_.clear();
}

void Console::complain(std::string_view text, Style style) {
  out.flush();
  constexpr std::string_view who = "ulna:";
  const std::vector<std::string> lines = err.record(fmt::format("{} {}", who, visible(text)), 6);
  err.print(fmt::format("{}{}\n", err.paint(style, who), lines[0].substr(who.size())));
  for (std::size_t i = 1; i < lines.size(); ++i) err.print(lines[i] + "\n");
}

void Progress::at(std::size_t done, std::string_view what) {
  constexpr std::size_t many = 8;
  constexpr std::chrono::milliseconds shortest(50);
  if (!stream_.is_terminal() || total_ < many) return;
  const auto now = std::chrono::steady_clock::now();
  if (shown_ && done == last_ && now - last_time_ < shortest) return;
  last_ = done, last_time_ = now;
  constexpr std::size_t cells = 20;
  const std::size_t filled = cells * done / total_;
  std::string line = stream_.utf8() ? " " : " [";
  for (std::size_t i = 0; i < cells; ++i)
    line += i < filled ? stream_.either("█", "#") : stream_.either("░", ".");
  line += fmt::format("{} {}/{} {}", stream_.utf8() ? "" : "]", done, total_, visible(what));
  if (columns(line) < stream_.width()) stream_.print("\r\x1b[K" + line);
  stream_.flush();
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  stream_.print("\r\x1b[K");
  stream_.flush();
  shown_ = false;
}

Heartbeat::Heartbeat(Stream& stream) {
  if (stream.is_terminal())
    thread_ = std::jthread([this, &stream](const std::stop_token& stop) { beat(stop, stream); });
}

void Heartbeat::rest() {
  const std::lock_guard lock(printing);
  clear_heartbeat();
  heart_rests = true;
}

Heartbeat::~Heartbeat() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  const std::lock_guard lock(printing);
  clear_heartbeat();
}

void Heartbeat::beat(const std::stop_token& stop, Stream& stream) {
  using namespace std::chrono_literals;
  const auto begin = std::chrono::steady_clock::now();
  std::mutex sleeping;
  std::unique_lock lock(sleeping);
  std::condition_variable_any never;
  while (!never.wait_for(lock, stop, 500ms, [] { return false; }) && !stop.stop_requested()) {
    const std::lock_guard printed(printing);
    const auto now = std::chrono::steady_clock::now();
    if (heart_rests || (!heartbeat_line && now - last_print < 2s)) continue;
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(now - begin);
    // without an allocation, which somebody may be counting
    std::array<char, 64> line;
    const auto end =
        fmt::format_to_n(line.data(), line.size(), "\r\x1b[Kcomputing, {} s", long(passed.count()));
    stream.print({line.data(), end.size});
    stream.flush();
    heartbeat_line = &stream;
  }
}

// --- Ctrl-C ---

namespace {

/// Ctrl-C, and what `timeout` and `kill` send.
constexpr int ending[] = {SIGINT, SIGTERM};

volatile std::sig_atomic_t interrupted = 0;  ///< the signal
volatile std::time_t interrupted_at = 0;

/// The text that ends the document on standard output as it is now; empty: there is none, or it is whole.
char rest_of_document[200] = "";
volatile std::sig_atomic_t writing = 0;    ///< a part of it
volatile std::sig_atomic_t postponed = 0;  ///< a signal that came meanwhile

/// Ends the program as the signal would, after the end of the document. Called by handlers of signals.
void end_by(int signal) {
  if (writing && !postponed) {
    postponed = signal;
    return;
  }
  if (!writing && rest_of_document[0]) {
    const ssize_t ignored = ::write(STDOUT_FILENO, rest_of_document, std::strlen(rest_of_document));
    (void)ignored;  // there is nobody left to be told
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// s: within which a verb ends after Ctrl-C, whatever it computes.
constexpr unsigned longest_end = 20;

/// Some senders signal twice at once: only one that comes seconds later means it.
void interrupt(int signal) {
  const std::time_t now = std::time(nullptr);
  if (interrupted && now > interrupted_at + 1) end_by(signal);
  if (!interrupted) interrupted_at = now, alarm(longest_end);
  interrupted = signal;
}

/// What computes has not looked whether it is to end.
void give_up(int) { end_by(static_cast<int>(interrupted)); }

void handle(int signal, void (*by)(int)) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  // a job in the background of a script ignores Ctrl-C, and shall
  if (action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = by;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

void Console::set_json() {
  json_ = true;
  write("");
  for (const int signal : ending) handle(signal, end_by);
}

void Console::write(std::string_view part) {
  writing = 1;
  out.print(part);
  out.flush();
  constexpr const char* why = "\"error\": \"interrupted\", \"diagnostics\": []}";
  std::string rest;
  if (open_)
    rest = fmt::format("\n], {}\n", why);
  else if (part.empty())
    rest = fmt::format("{{\"schema\": \"ulna.{}/1\", {}\n", verb_, why);
  rest_of_document[rest.copy(rest_of_document, std::size(rest_of_document) - 1)] = '\0';
  writing = 0;
  if (postponed) end_by(postponed);
}

Interrupt::Interrupt() {
  interrupted = 0;
  for (std::size_t i = 0; i < std::size(ending); ++i) {
    sigaction(ending[i], nullptr, &before_[i]);
    handle(ending[i], interrupt);
  }
  sigaction(SIGALRM, nullptr, &before_alarm_);
  handle(SIGALRM, give_up);
}
Interrupt::~Interrupt() { restore(); }

void Interrupt::restore() {
  alarm(0);
  sigaction(SIGALRM, &before_alarm_, nullptr);
  for (std::size_t i = 0; i < std::size(ending); ++i) sigaction(ending[i], &before_[i], nullptr);
}

void Interrupt::end_program() {
  restore();
  if (interrupted) std::raise(interrupted);
}

bool Interrupt::requested() { return interrupted != 0; }

}  // namespace ulna::cli
