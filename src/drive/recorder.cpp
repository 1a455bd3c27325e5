#include "ulna/drive/recorder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstring>
#include <ctime>
#include <sstream>
#include <thread>

#include "num/message.hpp"
#include "ulna/io/csv.hpp"

namespace ulna::drive {

struct Recorder::Parts {
  Parts(const std::vector<std::string>& n, std::size_t r)
      : names(n), width(n.size()), rows(r), ring(n.size() * r), text(chunk + 32 * (n.size() + 1)) {}

  void work(const std::stop_token& stop) noexcept {
    while (!stop.stop_requested()) {
      drain();
      const timespec pause{0, 5'000'000};
      nanosleep(&pause, nullptr);
    }
    drain();
  }
  void drain() noexcept {
    const std::size_t end = pushed.load(std::memory_order_acquire);
    std::size_t at = taken.load(std::memory_order_relaxed), used = 0;
    for (; at != end; ++at) {
      used += print(&ring[at % rows * width], text.data() + used);
      taken.store(at + 1, std::memory_order_release);
      if (used >= chunk) used = write_out(used);
    }
    (void)write_out(used);
  }
  /// A row as text, which CsvReader reads back to the last bit.
  std::size_t print(const double* row, char* to) noexcept {
    char* const begin = to;
    for (std::size_t i = 0; i < width; ++i) {
      to = std::to_chars(to, to + 31, row[i]).ptr;
      *to++ = i + 1 < width ? ',' : '\n';
    }
    ++printed;
    return std::size_t(to - begin);
  }
  std::size_t write_out(std::size_t size) noexcept {
    for (std::size_t done = 0; done < size && error == 0;) {
      const ssize_t n = ::write(fd, text.data() + done, size - done);
      if (n > 0)
        done += std::size_t(n);
      else if (errno != EINTR)
        error = errno;
    }
    if (error == 0) written.store(printed, std::memory_order_relaxed);
    return 0;
  }

  static constexpr std::size_t chunk = 64 * 1024;
  std::vector<std::string> names;
  std::size_t width, rows;
  std::vector<double> ring;
  std::vector<char> text;
  std::atomic<std::size_t> pushed = 0, taken = 0;
  std::atomic<long> written = 0, lost = 0;
  std::atomic<int> error = 0;
  long printed = 0;
  int fd = -1;
  std::jthread thread;
};

Recorder::Recorder(const std::string& path, const std::vector<std::string>& names, std::size_t rows,
                   bool overwrite) {
  messages::require(rows >= 2, "recorder: a ring needs at least 2 rows");
  std::ostringstream header;
  CsvWriter(header, names).flush();
  parts_ = std::make_unique<Parts>(names, rows);
  Parts& p = *parts_;
  p.fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (overwrite ? O_TRUNC : O_EXCL), 0666);
  const std::string text = header.str();
  if (p.fd < 0 || ::write(p.fd, text.data(), text.size()) != ssize_t(text.size()))
    throw std::runtime_error(path + ": " + std::strerror(errno));
  p.thread = std::jthread([&p](const std::stop_token& stop) { p.work(stop); });
}
Recorder::~Recorder() { (void)finish(); }

bool Recorder::push(std::span<const double> row) noexcept {
  Parts& p = *parts_;
  const std::size_t at = p.pushed.load(std::memory_order_relaxed);
  if (row.size() != p.width || at - p.taken.load(std::memory_order_acquire) >= p.rows) {
    p.lost.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  std::memcpy(&p.ring[at % p.rows * p.width], row.data(), row.size_bytes());
  p.pushed.store(at + 1, std::memory_order_release);
  return true;
}

bool Recorder::finish() noexcept {
  Parts& p = *parts_;
  if (p.thread.joinable()) {
    p.thread.request_stop();
    p.thread.join();
  }
  if (p.fd >= 0 && close(p.fd) != 0 && p.error == 0) p.error = errno;
  p.fd = -1;
  return p.error == 0;
}

const std::vector<std::string>& Recorder::names() const { return parts_->names; }
long Recorder::written() const noexcept { return parts_->written; }
long Recorder::lost() const noexcept { return parts_->lost; }
std::string Recorder::error() const { return parts_->error ? std::strerror(parts_->error) : ""; }

}  // namespace ulna::drive
