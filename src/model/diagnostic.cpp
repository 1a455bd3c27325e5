#include "ulna/model/diagnostic.hpp"

#include <algorithm>
#include <tuple>

#include "model/names.hpp"

namespace ulna {

std::string detail::shown(std::string_view text) {
  constexpr std::size_t most = 80;
  std::size_t end = std::min(text.size(), most);
  while (end < text.size() && end > 0 && (text[end] & 0xC0) == 0x80)
    --end;  // no cut within a character
  std::string result;
  for (const char c : text.substr(0, end)) {
    constexpr char digits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F)
      result += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    else
      result += c;
  }
  return end < text.size() ? result + "..." : result;
}

std::string detail::quoted(std::string_view kind, std::string_view name) {
  return std::string(kind) + " '" + shown(name) + "'";
}

std::string_view to_string(Severity severity) {
  constexpr std::string_view names[] = {"note", "warning", "error"};
  return names[static_cast<std::size_t>(severity)];
}

std::string Source::str() const {
  std::string s = file;
  if (line > 0) s += (s.empty() ? "line " : ":") + std::to_string(line);
  if (column > 0) s += ":" + std::to_string(column);
  return s;
}

std::string Diagnostic::str() const {
  std::string s = source.str();
  if (!s.empty()) s += ": ";
  s += std::string(to_string(severity)) + ": ";
  if (!subject.empty()) s += subject + ": ";
  s += seen;
  if (!assumed.empty()) s += "; " + assumed;
  s += " [" + std::string(rule->name) + "]";
  return s;
}

void Diagnostics::add(const Rule& rule, Source source, std::string subject, std::string seen,
                      std::string assumed, std::string remedy, std::optional<Severity> given) {
  Severity severity = given.value_or(rule.severity);
  if (strict_ && severity == Severity::warning) severity = Severity::error;
  ++counts_[static_cast<std::size_t>(severity)];
  // an error is never crowded out by notes: it takes the place of the last one that is not
  if (list_.size() == limit) {
    const auto milder = std::find_if(list_.rbegin(), list_.rend(), [](const Diagnostic& d) {
      return d.severity != Severity::error;
    });
    if (severity != Severity::error || milder == list_.rend()) return;
    list_.erase(std::next(milder).base());
  }
  if (remedy.empty()) remedy = rule.remedy;
  list_.push_back({severity, &rule, std::move(source), std::move(subject), std::move(seen),
                   std::move(assumed), std::move(remedy)});
}

const Diagnostic* Diagnostics::find(const Rule& rule) const {
  const auto found = std::ranges::find(list_, &rule, &Diagnostic::rule);
  return found == list_.end() ? nullptr : &*found;
}

void Diagnostics::sort_by_line() {
  std::ranges::stable_sort(
      list_, {}, [](const Diagnostic& d) { return std::tie(d.source.file, d.source.line); });
}

namespace {

std::string error_text(const Diagnostics& diagnostics) {
  constexpr std::size_t most = 10;
  std::string text;
  std::size_t shown = 0;
  for (const Diagnostic& d : diagnostics.list()) {
    if (d.severity != Severity::error) continue;
    if (shown++ == most) break;
    if (!text.empty()) text += "\n";
    text += d.str() + "\n  " + d.remedy;
  }
  const std::size_t errors = diagnostics.count(Severity::error);
  if (errors > most) text += "\n... and " + std::to_string(errors - most) + " more errors";
  return text;
}

}  // namespace

ModelError::ModelError(Diagnostics diagnostics)
    : std::runtime_error(error_text(diagnostics)), diagnostics_(std::move(diagnostics)) {}

void Diagnostics::throw_if_errors() const {
  if (!has_errors()) return;
  Diagnostics sorted = *this;
  sorted.sort_by_line();
  throw ModelError(std::move(sorted));
}

int edit_distance(std::string_view a, std::string_view b, int most) {
  const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size());
  if (std::abs(n - m) > most) return most + 1;
  std::vector<int> before(m + 1), last(before), row(before);
  for (int j = 0; j <= m; ++j) last[j] = j;
  for (int i = 1; i <= n; ++i) {
    row[0] = i;
    int smallest = i;
    for (int j = 1; j <= m; ++j) {
      const char x = a[i - 1], y = b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y)});
      if (i > 1 && j > 1 && x == b[j - 2] && a[i - 2] == y)
        row[j] = std::min(row[j], before[j - 2] + 1);
      smallest = std::min(smallest, row[j]);
    }
    if (smallest > most) return most + 1;
    std::swap(before, last);
    std::swap(last, row);
  }
  return std::min(last[m], most + 1);
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> names,
                         int at_least) {
  if (name.empty() || name.size() > 200) return {};
  const int size = static_cast<int>(name.size());
  const int most = std::min(std::max(at_least, size / 3), std::max(1, size - 1));
  const auto lower = [](std::string_view text) {
    std::string made(text);
    for (char& c : made)
      if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
    return made;
  };
  const std::string wanted = lower(name);
  // of two that are equally near, the one that begins more like it: 'sqrt' for 'sqr', not 'str'
  const auto common_start = [](std::string_view a, std::string_view b) {
    return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
  };
  int nearest = most;
  std::ptrdiff_t start = -1;
  std::string_view best;
  for (const std::string_view candidate : names) {
    const std::string known = lower(candidate);
    const int distance = edit_distance(wanted, known, nearest);
    if (distance > nearest) continue;
    const std::ptrdiff_t begins = common_start(wanted, known);
    if (distance == nearest && begins <= start) continue;
    nearest = distance, start = begins, best = candidate;
  }
  return best.empty() ? std::string() : "; did you mean '" + std::string(best) + "'?";
}

}  // namespace ulna
