#include "ros2/domain.hpp"

#include <arpa/inet.h>
#include <dds/ddsrt/log.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include "num/message.hpp"

namespace ulna::ros2 {

bool has_dds() noexcept { return true; }

const char* type_hash(const dds_topic_descriptor_t& type) {
  // tests/ros2/type_hashes.py computes them from messages.idl
  static constexpr std::array<std::pair<std::string_view, const char*>, 3> known{{
      {"std_msgs::msg::dds_::Float64MultiArray_",
       "RIHS01_1025ddc6b9552d191f89ef1a8d2f60f3d373e28b283d8891ddcc974e8c55397f"},
      {"sensor_msgs::msg::dds_::JointState_",
       "RIHS01_a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e"},
      {"diagnostic_msgs::msg::dds_::DiagnosticArray_",
       "RIHS01_5a8a36efb05fb25070fa0fb3810290c0e6cd4862b54a8fb975a1ee8dc55a333e"},
  }};
  for (const auto& [name, hash] : known)
    if (name == type.m_typename) return hash;
  return "";
}

namespace {

/// What Cyclone says goes into messages of errors, not to stderr.
struct Log {
  std::mutex mutex;
  std::string last;

  static Log& get() {
    static Log log;
    return log;
  }
  static void write(void*, const dds_log_data_t* data) {
    Log& log = get();
    const std::lock_guard lock(log.mutex);
    log.last.assign(data->message, std::min<std::size_t>(data->size, 200));
    while (!log.last.empty() && log.last.back() <= ' ') log.last.pop_back();
  }
  std::string take() {
    const std::lock_guard lock(mutex);
    return std::exchange(last, {});
  }
};

dds_entity_t require(dds_entity_t entity, const std::string& what) {
  if (entity >= 0) return entity;
  const std::string log = Log::get().take();
  throw DdsError(what + ": " + dds_strretcode(-entity) + (log.empty() ? "" : " (" + log + ")"));
}

bool is_loopback(const std::string& interface) {
  return interface == "lo" || interface == "localhost" || interface.starts_with("127.");
}

std::string config_of(const Network& network) {
  for (const char c : network.interface)
    messages::require(c > ' ' && c != '<' && c != '&' && c != '"', "'", network.interface,
                      "' is no name or address of an interface");
  std::string general, discovery;
  if (network.interface != "auto") {
    const bool name = !is_loopback(network.interface) &&
                      network.interface.find_first_not_of("0123456789.") != std::string::npos;
    const std::string address = is_loopback(network.interface) ? "127.0.0.1" : network.interface;
    general = "<Interfaces><NetworkInterface " + std::string(name ? "name" : "address") + "=\"" +
              address + "\"/></Interfaces>";
  }
  if (is_loopback(network.interface)) {
    // there is no multicast on it: participants find each other at the ports that the first ones of a domain have
    general += "<AllowMulticast>false</AllowMulticast>";
    discovery =
        "<ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>60</"
        "MaxAutoParticipantIndex>"
        "<Peers><Peer address=\"127.0.0.1\"/></Peers>";
  }
  return "<CycloneDDS><Domain id=\"any\"><General>" + general + "</General><Discovery>" +
         discovery + "</Discovery></Domain></CycloneDDS>" +
         (network.config.empty() ? "" : "," + network.config);
}

/// Of IPv4: their addresses, by descriptors.
std::map<int, sockaddr_in> open_sockets() {
  std::map<int, sockaddr_in> all;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int fd = std::atoi(entry.path().filename().c_str());
    sockaddr_in at{};
    socklen_t size = sizeof at;
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&at), &size) == 0 && at.sin_family == AF_INET)
      all.emplace(fd, at);
  }
  return all;
}

/// Cyclone binds what it receives with to all addresses, whatever its interface: what comes from elsewhere is kept out here.
/// Linux lets everybody bind a socket to a device since 5.7. Sockets that were open before are of others.
void keep_to_loopback(int domain, const std::map<int, sockaddr_in>& before) {
  constexpr int first_port = 7400, ports = 250;  // of a domain, RTPS 9.6.1
  int kept = 0;
  for (const auto& [fd, at] : open_sockets()) {
    const auto old = before.find(fd);
    if (old != before.end() && old->second.sin_port == at.sin_port) continue;
    const int port = ntohs(at.sin_port) - first_port - ports * domain;
    if (at.sin_addr.s_addr != htonl(INADDR_ANY) || port < 0 || port >= ports) continue;
    if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3) != 0)
      throw DdsError("DDS domain " + std::to_string(domain) +
                     " cannot be kept to this machine: " + std::strerror(errno));
    ++kept;
  }
  if (kept == 0)
    throw DdsError("DDS domain " + std::to_string(domain) + " cannot be kept to this machine");
}

using QosPointer = std::unique_ptr<dds_qos_t, void (*)(dds_qos_t*)>;

/// What writers and readers have in common: user data are where ROS 2 looks for the hash of a type (REP 2011).
QosPointer qos_of(const dds_topic_descriptor_t& type, int history) {
  QosPointer qos(dds_create_qos(), &dds_delete_qos);
  dds_qset_history(qos.get(), DDS_HISTORY_KEEP_LAST, history);
  if (const std::string hash = type_hash(type); !hash.empty()) {
    const std::string data = "typehash=" + hash + ";";
    dds_qset_userdata(qos.get(), data.data(), data.size());
  }
  return qos;
}

using ListenerPointer = std::unique_ptr<dds_listener_t, void (*)(dds_listener_t*)>;

}  // namespace

/// A domain of this process, which all participants in it share.
class Participant::Domain {
 public:
  Domain(const Network& network, const std::string& config) : config_(config) {
    const std::string name =
        "DDS domain " + std::to_string(network.domain) + ", interface " + network.interface;
    const auto before = open_sockets();
    ++count();
    dds_set_log_sink(&Log::write, nullptr);
    entity_ = dds_create_domain(dds_domainid_t(network.domain), config.c_str());
    try {
      require(entity_, name);
      if (is_loopback(network.interface)) keep_to_loopback(network.domain, before);
    } catch (...) {
      end();
      throw;
    }
  }
  ~Domain() { end(); }

  static std::shared_ptr<Domain> get(const Network& network) {
    static std::mutex mutex;
    static std::map<int, std::weak_ptr<Domain>> all;
    messages::require(network.domain >= 0 && network.domain <= 232,
                      "DDS domains are 0 to 232, not ", network.domain);
    const std::string config = config_of(network);
    const std::lock_guard lock(mutex);
    std::shared_ptr<Domain> domain = all[network.domain].lock();
    if (!domain) {
      domain = std::make_shared<Domain>(network, config);
      all[network.domain] = domain;
    }
    if (domain->config_ != config)
      throw DdsError("DDS domain " + std::to_string(network.domain) +
                     " is in use in this process already, with another interface or configuration");
    return domain;
  }

 private:
  void end() {
    if (entity_ > 0) (void)dds_delete(entity_);
    if (--count() == 0) dds_set_log_sink(nullptr, nullptr);
  }
  static std::atomic<int>& count() {
    static std::atomic<int> n = 0;
    return n;
  }
  std::string config_;
  dds_entity_t entity_ = 0;
};

RaisedPriority::RaisedPriority(int priority) {
  messages::require(priority >= 0 && priority <= 99,
                    "a priority of SCHED_FIFO is 1 to 99, or 0 for none, not ", priority);
  sched_param before{};
  if (priority == 0 || pthread_getschedparam(pthread_self(), &policy_, &before) != 0) return;
  priority_ = before.sched_priority;
  sched_param wanted{};
  wanted.sched_priority = priority;
  raised_ = pthread_setschedparam(pthread_self(), SCHED_FIFO, &wanted) == 0;
}
RaisedPriority::~RaisedPriority() {
  sched_param before{};
  before.sched_priority = priority_;
  if (raised_) (void)pthread_setschedparam(pthread_self(), policy_, &before);
}

Participant::Participant(const Network& network)
    : place_("domain " + std::to_string(network.domain) + ", interface " + network.interface),
      domain_(Domain::get(network)),
      participant_(require(dds_create_participant(dds_domainid_t(network.domain), nullptr, nullptr),
                           place_)) {}
Participant::~Participant() { close(); }

void Participant::close() {
  if (participant_ > 0) (void)dds_delete(std::exchange(participant_, 0));
}

dds_entity_t Participant::topic(const dds_topic_descriptor_t& type, const std::string& name) {
  return require(dds_create_topic(participant_, &type, dds_topic(name).c_str(), nullptr, nullptr),
                 "topic '" + name + "'");
}

dds_entity_t Participant::writer(const dds_topic_descriptor_t& type, const std::string& name,
                                 Delivery delivery) {
  const QosPointer qos = qos_of(type, 1);
  dds_qset_reliability(qos.get(), DDS_RELIABILITY_RELIABLE, DDS_MSECS(10));
  dds_qset_durability(qos.get(), delivery == Delivery::kept ? DDS_DURABILITY_TRANSIENT_LOCAL
                                                            : DDS_DURABILITY_VOLATILE);
  return require(dds_create_writer(participant_, topic(type, name), qos.get(), nullptr),
                 "topic '" + name + "'");
}

dds_entity_t Participant::reader(const dds_topic_descriptor_t& type, const std::string& name,
                                 Delivery delivery, void* user, dds_on_data_available_fn arrived,
                                 dds_on_sample_lost_fn lost) {
  const QosPointer qos = qos_of(type, 8);
  if (delivery == Delivery::newest)
    dds_qset_reliability(qos.get(), DDS_RELIABILITY_BEST_EFFORT, 0);
  else
    dds_qset_reliability(qos.get(), DDS_RELIABILITY_RELIABLE, DDS_MSECS(10));
  dds_qset_durability(qos.get(), DDS_DURABILITY_VOLATILE);
  const ListenerPointer listener(dds_create_listener(user), &dds_delete_listener);
  dds_lset_data_available(listener.get(), arrived);
  dds_lset_sample_lost(listener.get(), lost);
  return require(dds_create_reader(participant_, topic(type, name), qos.get(), listener.get()),
                 "topic '" + name + "'");
}

int readers_of(dds_entity_t writer) {
  dds_publication_matched_status_t status{};
  return dds_get_publication_matched_status(writer, &status) == DDS_RETCODE_OK
             ? int(status.current_count)
             : 0;
}
int writers_of(dds_entity_t reader) {
  dds_subscription_matched_status_t status{};
  return dds_get_subscription_matched_status(reader, &status) == DDS_RETCODE_OK
             ? int(status.current_count)
             : 0;
}

double steady_time() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double system_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

builtin_interfaces_msg_dds__Time_ stamp_of(double time) {
  const double whole = std::floor(time);
  return {std::int32_t(whole), std::uint32_t(std::min(1e9 * (time - whole), 999999999.0))};
}

}  // namespace ulna::ros2
