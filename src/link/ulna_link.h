/* ulna_link.h: a robot and its controller in two processes of one machine, protocol version 1 (docs/protocol.md).
 *
 * One file of C99 for Linux, without dependencies; include it where it is used. Both sides:
 *
 *   ulna_link_robot r;                                    ulna_link_controller c;
 *   ulna_link_robot_open(&r, "unix:/tmp/arm", &about);    ulna_link_controller_open(&c, "unix:/tmp/arm");
 *   every period:                                         every period:
 *     if (ulna_link_robot_step(&r, now, tau)) drive(tau);   if (ulna_link_controller_step(&c, now))
 *     else hold_by_own_means();                               ulna_link_controller_send(&c, now, law(c.q, c.v));
 *     ulna_link_robot_send(&r, now, measured_at, q, v, tau, 0);
 *
 * No function waits, allocates or prints. Times are seconds, of a clock that never goes back. What is wrong with a packet
 * is counted by name, and the packet is not acted on.
 *
 * In this order, each part of what stands above it: names and limits; bytes, packets, and which numbers were seen; ways
 * that packets take (sockets, shared memory); the robot's side; the controller's side. Those who bring packets themselves, as
 * tests do, use ulna_link_robot_take, _watch and _state, and ulna_link_controller_take, _hello and _command. */
#ifndef ULNA_LINK_H
#define ULNA_LINK_H

#if !defined(_GNU_SOURCE) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#if defined(__GNUC__)
#define ULNA_LINK_FN static __attribute__((unused))
#else
#define ULNA_LINK_FN static
#endif

#define ULNA_LINK_VERSION 1
#define ULNA_LINK_MAX_JOINTS 64
#define ULNA_LINK_MAX_NAME 63
#define ULNA_LINK_HEADER 32
#define ULNA_LINK_MAX_PACKET 4608
#define ULNA_LINK_SLOTS 64 /* of a ring in shared memory */

enum { /* kinds of packets */
  ULNA_LINK_HELLO = 1,
  ULNA_LINK_WELCOME = 2,
  ULNA_LINK_STATE = 3,
  ULNA_LINK_COMMAND = 4,
  ULNA_LINK_REFUSED = 5
};

/* What is wrong with a packet, or with the other side. */
typedef enum {
  ULNA_LINK_FINE = 0,
  ULNA_LINK_TRUNCATED,  /* shorter or longer than it says */
  ULNA_LINK_GARBAGE,    /* none of this protocol */
  ULNA_LINK_OTHER_VERSION,
  ULNA_LINK_CHECKSUM,   /* a bit is wrong */
  ULNA_LINK_FOREIGN,    /* of another session */
  ULNA_LINK_REPLAYED,   /* seen before */
  ULNA_LINK_REORDERED,  /* a newer one was there first */
  ULNA_LINK_LATE,       /* too old */
  ULNA_LINK_MALFORMED,  /* sizes or numbers that cannot be */
  ULNA_LINK_NOT_FINITE, /* a torque that is no number */
  ULNA_LINK_UNREADY,    /* torques after a silence that was not acknowledged by a hold */
  ULNA_LINK_BUSY,       /* a second controller */
  ULNA_LINK_LOST,       /* packets that never came */
  ULNA_LINK_SILENT,     /* the other side is gone: how many times */
  ULNA_LINK_UNSENT,     /* the system took no packet */
  ULNA_LINK_FAULTS
} ulna_link_fault;

ULNA_LINK_FN const char* ulna_link_fault_name(int fault) {
  static const char* const names[ULNA_LINK_FAULTS] = {
      "fine",      "truncated", "garbage",    "other_version", "checksum", "foreign", "replayed", "reordered",
      "late",      "malformed", "not_finite", "unready",       "busy",     "lost",    "silent",   "unsent"};
  return fault >= 0 && fault < ULNA_LINK_FAULTS ? names[fault] : "unknown";
}

enum { /* bits of a robot's state of health */
  ULNA_LINK_HOLDS = 1u,    /* it holds itself: no torques of a controller are in force */
  ULNA_LINK_SILENCED = 2u, /* it does so because the controller was silent, until a hold is commanded */
  ULNA_LINK_FAULT = 4u,    /* the robot says that something is wrong with it */
  ULNA_LINK_BRAKED = 8u,
  ULNA_LINK_OVERRUN = 16u  /* it missed periods of its own */
};

enum { ULNA_LINK_TURNS = 0, ULNA_LINK_SLIDES = 1 };                        /* rad and Nm; m and N */
enum { ULNA_LINK_NO_TORQUE = 0, ULNA_LINK_MOTOR_SIDE = 1, ULNA_LINK_LINK_SIDE = 2 }; /* sensors */

/* What a robot says of itself. */
typedef struct {
  int joints;
  double period;   /* s between its states */
  double watchdog; /* s without a command after which it holds itself */
  int torque_side;
  unsigned char kind[ULNA_LINK_MAX_JOINTS];
  char name[ULNA_LINK_MAX_JOINTS][ULNA_LINK_MAX_NAME + 1];
} ulna_link_about;

/* ---- bytes ---- */

ULNA_LINK_FN void ulna_link_put(uint8_t* to, uint64_t x, int bytes) {
  for (int i = 0; i < bytes; ++i) to[i] = (uint8_t)(x >> (8 * i));
}
ULNA_LINK_FN uint64_t ulna_link_get(const uint8_t* from, int bytes) {
  uint64_t x = 0;
  for (int i = 0; i < bytes; ++i) x |= (uint64_t)from[i] << (8 * i);
  return x;
}
ULNA_LINK_FN void ulna_link_put_number(uint8_t* to, double x) {
  uint64_t bits;
  memcpy(&bits, &x, 8);
  ulna_link_put(to, bits, 8);
}
ULNA_LINK_FN double ulna_link_get_number(const uint8_t* from) {
  const uint64_t bits = ulna_link_get(from, 8);
  double x;
  memcpy(&x, &bits, 8);
  return x;
}
ULNA_LINK_FN void ulna_link_put_numbers(uint8_t* to, const double* x, int n) {
  for (int i = 0; i < n; ++i) ulna_link_put_number(to + 8 * i, x ? x[i] : 0.0);
}
ULNA_LINK_FN void ulna_link_get_numbers(const uint8_t* from, double* x, int n) {
  for (int i = 0; i < n; ++i) x[i] = ulna_link_get_number(from + 8 * i);
}

/* CRC-32 as in zlib, Ethernet and PNG, of a packet whose own checksum, at byte 8, counts as 0. */
ULNA_LINK_FN uint32_t ulna_link_checksum(const uint8_t* packet, size_t size) {
  static const uint32_t nibble[16] = {
      0x00000000u, 0x1db71064u, 0x3b6e20c8u, 0x26d930acu, 0x76dc4190u, 0x6b6b51f4u, 0x4db26158u, 0x5005713cu,
      0xedb88320u, 0xf00f9344u, 0xd6d6a3e8u, 0xcb61b38cu, 0x9b64c2b0u, 0x86d3d2d4u, 0xa00ae278u, 0xbdbdf21cu};
  uint32_t crc = 0xffffffffu;
  for (size_t i = 0; i < size; ++i) {
    crc ^= i >= 8 && i < 12 ? 0u : packet[i];
    crc = (crc >> 4) ^ nibble[crc & 15u];
    crc = (crc >> 4) ^ nibble[crc & 15u];
  }
  return ~crc;
}

ULNA_LINK_FN size_t ulna_link_finish(uint8_t* packet, size_t size, int kind, uint32_t session, uint32_t sequence,
                                     uint32_t status, double now) {
  memcpy(packet, "ULNK", 4);
  packet[4] = ULNA_LINK_VERSION;
  packet[5] = (uint8_t)kind;
  ulna_link_put(packet + 6, size, 2);
  ulna_link_put(packet + 12, session, 4);
  ulna_link_put(packet + 16, sequence, 4);
  ulna_link_put(packet + 20, status, 4);
  ulna_link_put_number(packet + 24, now);
  ulna_link_put(packet + 8, ulna_link_checksum(packet, size), 4);
  return size;
}

typedef struct {
  int kind;
  uint32_t session, sequence, status;
  double time;
  const uint8_t* body;
  size_t size; /* of the body */
} ulna_link_packet;

/* Whether these bytes are a packet; nothing else looks at them before. */
ULNA_LINK_FN ulna_link_fault ulna_link_parse(const uint8_t* bytes, size_t size, ulna_link_packet* p) {
  if (size >= 4 && memcmp(bytes, "ULNK", 4) != 0) return ULNA_LINK_GARBAGE;
  if (size < ULNA_LINK_HEADER) return ULNA_LINK_TRUNCATED;
  if (bytes[4] != ULNA_LINK_VERSION) return ULNA_LINK_OTHER_VERSION;
  if (ulna_link_get(bytes + 6, 2) != size) return ULNA_LINK_TRUNCATED;
  if (ulna_link_get(bytes + 8, 4) != ulna_link_checksum(bytes, size)) return ULNA_LINK_CHECKSUM;
  p->kind = bytes[5];
  p->session = (uint32_t)ulna_link_get(bytes + 12, 4);
  p->sequence = (uint32_t)ulna_link_get(bytes + 16, 4);
  p->status = (uint32_t)ulna_link_get(bytes + 20, 4);
  p->time = ulna_link_get_number(bytes + 24);
  p->body = bytes + ULNA_LINK_HEADER;
  p->size = size - ULNA_LINK_HEADER;
  return isfinite(p->time) ? ULNA_LINK_FINE : ULNA_LINK_MALFORMED;
}

/* Which sequence numbers were seen: the newest, and the 64 before it. */
typedef struct {
  uint32_t newest;
  uint64_t seen;
} ulna_link_window;

/* The fault of a packet by its number; counts those that are missing, and takes back those that come after all. */
ULNA_LINK_FN ulna_link_fault ulna_link_window_take(ulna_link_window* w, uint32_t sequence, uint64_t* lost) {
  if ((int32_t)(sequence - w->newest) > 0) { /* numbers wrap after 49 days at 1 kHz */
    const uint32_t gap = sequence - w->newest;
    *lost += gap - 1u;
    w->seen = gap >= 64u ? 1u : (w->seen << gap) | 1u;
    w->newest = sequence;
    return ULNA_LINK_FINE;
  }
  const uint32_t back = w->newest - sequence;
  if (sequence == 0 || back >= 64u || (w->seen >> back & 1u)) return ULNA_LINK_REPLAYED;
  w->seen |= (uint64_t)1 << back;
  if (*lost > 0) --*lost;
  return ULNA_LINK_REORDERED;
}

/* ---- ways that packets take ---- */

typedef struct { /* of one direction: who writes never waits, and overwrites the oldest */
  uint64_t written;
  struct {
    uint64_t size;
    uint64_t words[ULNA_LINK_MAX_PACKET / 8];
  } slot[ULNA_LINK_SLOTS];
} ulna_link_ring;
typedef struct {
  uint64_t magic;
  ulna_link_ring to_robot, to_controller;
} ulna_link_memory;

typedef struct {
  int fd; /* of a socket, -1: none */
  int robot_side;
  struct sockaddr_storage from, peer;
  socklen_t from_size, peer_size; /* peer_size 0: there is none */
  ulna_link_memory* memory;
  uint64_t read; /* packets of the ring */
  uint64_t inode; /* of the memory */
  char address[128];
} ulna_link_way;

/* Reads "unix:PATH" or "udp:A.B.C.D:PORT"; -1: is neither, or an address beyond this machine (errno EACCES). */
ULNA_LINK_FN int ulna_link_address(const char* text, struct sockaddr_storage* to, socklen_t* size) {
  memset(to, 0, sizeof *to);
  errno = EINVAL;
  if (strncmp(text, "unix:", 5) == 0) {
    struct sockaddr_un* un = (struct sockaddr_un*)to;
    const size_t length = strlen(text + 5);
    if (length == 0 || length >= sizeof un->sun_path) return -1;
    un->sun_family = AF_UNIX;
    memcpy(un->sun_path, text + 5, length + 1);
    *size = (socklen_t)sizeof *un;
    return 0;
  }
  if (strncmp(text, "udp:", 4) == 0) {
    struct sockaddr_in* in = (struct sockaddr_in*)to;
    char host[32];
    const char* colon = strrchr(text, ':');
    const size_t length = colon > text + 3 ? (size_t)(colon - (text + 4)) : 0;
    char* end = NULL;
    if (length == 0 || length >= sizeof host) return -1;
    memcpy(host, text + 4, length);
    host[length] = 0;
    const long port = strtol(colon + 1, &end, 10);
    if (*end || end == colon + 1 || port < 1 || port > 65535) return -1;
    if (inet_pton(AF_INET, host, &in->sin_addr) != 1) return -1;
    in->sin_family = AF_INET;
    in->sin_port = htons((uint16_t)port);
    *size = (socklen_t)sizeof *in;
    if ((ntohl(in->sin_addr.s_addr) >> 24) == 127) return 0;
    errno = EACCES;
  }
  return -1;
}

ULNA_LINK_FN void ulna_link_close(ulna_link_way* w) {
  if (w->fd >= 0) close(w->fd);
  if (w->memory) munmap(w->memory, sizeof *w->memory);
  w->fd = -1;
  w->memory = NULL;
}

ULNA_LINK_FN int ulna_link_open_memory(ulna_link_way* w) {
  static const uint64_t magic = 0x31304b4e4c55u; /* "ULNK01" */
  struct stat about;
  const char* name = w->address + 4;
  if (w->robot_side) shm_unlink(name);
  const int fd = shm_open(name, w->robot_side ? O_RDWR | O_CREAT | O_EXCL : O_RDWR, 0600);
  if (fd < 0) return -1;
  if ((w->robot_side && ftruncate(fd, (off_t)sizeof(ulna_link_memory)) != 0) || fstat(fd, &about) != 0 ||
      (size_t)about.st_size != sizeof(ulna_link_memory)) {
    close(fd);
    errno = EPROTO;
    return -1;
  }
  void* at = mmap(NULL, sizeof(ulna_link_memory), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (at == MAP_FAILED) return -1;
  w->memory = (ulna_link_memory*)at;
  w->inode = (uint64_t)about.st_ino;
  if (w->robot_side) {
    __atomic_store_n(&w->memory->magic, magic, __ATOMIC_RELEASE);
  } else if (__atomic_load_n(&w->memory->magic, __ATOMIC_ACQUIRE) != magic) {
    ulna_link_close(w);
    errno = EPROTO;
    return -1;
  }
  const ulna_link_ring* ring = w->robot_side ? &w->memory->to_robot : &w->memory->to_controller;
  w->read = __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE);
  return 0;
}

/* Whether this memory is no longer that of its name, as another robot was started or this one has ended. */
ULNA_LINK_FN int ulna_link_displaced(const ulna_link_way* w) {
  struct stat about;
  if (!w->memory) return 0;
  const int fd = shm_open(w->address + 4, O_RDONLY, 0);
  const int same = fd >= 0 && fstat(fd, &about) == 0 && (uint64_t)about.st_ino == w->inode;
  if (fd >= 0) close(fd);
  return !same;
}

/* Opens "unix:PATH", "udp:127.0.0.1:PORT" or "shm:/NAME". 0, or -1 with errno: EACCES is an address beyond this machine,
 * EADDRINUSE one where another robot is, or a file that is no socket. */
ULNA_LINK_FN int ulna_link_open(ulna_link_way* w, const char* address, int robot_side) {
  struct sockaddr_storage at;
  struct stat about;
  socklen_t size = 0;
  memset(w, 0, sizeof *w);
  w->fd = -1;
  w->robot_side = robot_side;
  if (strlen(address) >= sizeof w->address) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(w->address, address);
  if (strncmp(address, "shm:/", 5) == 0) return ulna_link_open_memory(w);
  if (ulna_link_address(address, &at, &size) != 0) return -1;
  w->fd = socket(at.ss_family, SOCK_DGRAM, 0);
  if (w->fd < 0) return -1;
  fcntl(w->fd, F_SETFD, FD_CLOEXEC);
  fcntl(w->fd, F_SETFL, O_NONBLOCK);
  if (robot_side) {
    if (at.ss_family == AF_UNIX) {
      /* the socket of a robot that was killed stays behind, and refuses connections; so does a file of another kind */
      if (connect(w->fd, (struct sockaddr*)&at, size) == 0) {
        ulna_link_close(w);
        errno = EADDRINUSE;
        return -1;
      }
      const char* path = ((struct sockaddr_un*)&at)->sun_path;
      if (errno == ECONNREFUSED && lstat(path, &about) == 0 && S_ISSOCK(about.st_mode)) unlink(path);
    }
    const mode_t before = umask(0177);
    const int bound = bind(w->fd, (struct sockaddr*)&at, size);
    umask(before);
    if (bound == 0) return 0;
  } else {
    /* a name of its own, which ends with it, for the robot's packets */
    struct sockaddr_un own;
    memset(&own, 0, sizeof own);
    own.sun_family = AF_UNIX;
    if ((at.ss_family != AF_UNIX || bind(w->fd, (struct sockaddr*)&own, sizeof own.sun_family) == 0) &&
        connect(w->fd, (struct sockaddr*)&at, size) == 0)
      return 0;
  }
  const int error = errno;
  ulna_link_close(w);
  errno = error;
  return -1;
}

ULNA_LINK_FN int ulna_link_send(ulna_link_way* w, const uint8_t* packet, size_t size, int to_sender) {
  if (w->memory) {
    ulna_link_ring* ring = w->robot_side ? &w->memory->to_controller : &w->memory->to_robot;
    const uint64_t n = __atomic_load_n(&ring->written, __ATOMIC_RELAXED);
    uint64_t* words = ring->slot[n % ULNA_LINK_SLOTS].words;
    __atomic_store_n(&ring->slot[n % ULNA_LINK_SLOTS].size, size, __ATOMIC_RELAXED);
    for (size_t i = 0; i < size; i += 8) {
      uint64_t word = 0;
      memcpy(&word, packet + i, size - i < 8 ? size - i : 8);
      __atomic_store_n(words + i / 8, word, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&ring->written, n + 1, __ATOMIC_RELEASE);
    return 0;
  }
  if (w->fd < 0) return -1;
  if (!w->robot_side) return send(w->fd, packet, size, MSG_NOSIGNAL) == (ssize_t)size ? 0 : -1;
  const struct sockaddr_storage* to = to_sender ? &w->from : &w->peer;
  const socklen_t to_size = to_sender ? w->from_size : w->peer_size;
  if (to_size == 0) return -1;
  return sendto(w->fd, packet, size, MSG_NOSIGNAL, (const struct sockaddr*)to, to_size) == (ssize_t)size ? 0 : -1;
}

/* Bytes of the next packet, -1: there is none. One that is longer than any has ULNA_LINK_MAX_PACKET + 1. */
ULNA_LINK_FN long ulna_link_receive(ulna_link_way* w, uint8_t* packet) {
  if (w->memory) {
    ulna_link_ring* ring = w->robot_side ? &w->memory->to_robot : &w->memory->to_controller;
    const uint64_t written = __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE);
    if (written == w->read) return -1;
    /* a ring that went back was written by somebody who may not; begin anew with it */
    if (written < w->read) w->read = written - 1;
    if (written - w->read >= ULNA_LINK_SLOTS) w->read = written - (ULNA_LINK_SLOTS - 1);
    const uint64_t at = w->read++ % ULNA_LINK_SLOTS;
    uint64_t size = __atomic_load_n(&ring->slot[at].size, __ATOMIC_RELAXED);
    if (size > ULNA_LINK_MAX_PACKET) size = ULNA_LINK_MAX_PACKET;
    for (size_t i = 0; i < size; i += 8) {
      const uint64_t word = __atomic_load_n(ring->slot[at].words + i / 8, __ATOMIC_RELAXED);
      memcpy(packet + i, &word, size - i < 8 ? size - i : 8);
    }
    return (long)size;
  }
  if (w->fd < 0) return -1;
  w->from_size = sizeof w->from;
  const ssize_t size =
      recvfrom(w->fd, packet, ULNA_LINK_MAX_PACKET + 1, 0, (struct sockaddr*)&w->from, &w->from_size);
  return size < 0 ? -1 : (long)size;
}

ULNA_LINK_FN uint32_t ulna_link_random(void) {
  uint32_t x = 0;
  const int fd = open("/dev/urandom", O_RDONLY);
  if (fd < 0 || read(fd, &x, sizeof x) != (ssize_t)sizeof x) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    x = (uint32_t)t.tv_nsec * 2654435761u ^ (uint32_t)getpid();
  }
  if (fd >= 0) close(fd);
  return x ? x : 1u;
}

/* ---- robot side ---- */

typedef struct {
  ulna_link_way way;
  ulna_link_about about;
  double late_after;  /* s: a command that answers an older state is not acted on; 0.02, or 3 periods */
  double leave_after; /* s without any packet after which a controller is forgotten; 1 */
  uint32_t session, nonce, sequence, random;
  uint32_t known[8]; /* nonces of sessions before */
  int known_count;
  ulna_link_window window;
  double heard, commanded, measured_at; /* times of the last packet, torques and state that was sent */
  int driven, silenced;                 /* torques are in force; a silence is not yet acknowledged */
  uint32_t acknowledged;
  double tau[ULNA_LINK_MAX_JOINTS];
  uint64_t count[ULNA_LINK_FAULTS], states, commands, sessions;
  uint8_t out[ULNA_LINK_MAX_PACKET], in[ULNA_LINK_MAX_PACKET + 8];
} ulna_link_robot;

/* Without a way: for those who bring packets themselves, by ulna_link_robot_take and _state. */
ULNA_LINK_FN void ulna_link_robot_init(ulna_link_robot* r, const ulna_link_about* about) {
  memset(r, 0, sizeof *r);
  r->way.fd = -1;
  r->about = *about;
  r->late_after = about->period > 0.02 / 3.0 ? 3.0 * about->period : 0.02;
  r->leave_after = 1.0;
  r->random = ulna_link_random();
  r->measured_at = -1e300;
}

ULNA_LINK_FN int ulna_link_robot_open(ulna_link_robot* r, const char* address, const ulna_link_about* about) {
  ulna_link_robot_init(r, about);
  if (about->joints < 1 || about->joints > ULNA_LINK_MAX_JOINTS) {
    errno = EINVAL;
    return -1;
  }
  return ulna_link_open(&r->way, address, 1);
}

/* Ends the session: torques are no longer in force. A silence stays to be acknowledged. */
ULNA_LINK_FN void ulna_link_robot_leave(ulna_link_robot* r) {
  r->session = 0;
  r->driven = 0;
  r->way.peer_size = 0;
}

ULNA_LINK_FN size_t ulna_link_welcome(ulna_link_robot* r, double now) {
  const ulna_link_about* a = &r->about;
  uint8_t* p = r->out + ULNA_LINK_HEADER;
  ulna_link_put(p, r->nonce, 4);
  ulna_link_put(p + 4, (uint64_t)a->joints, 4);
  ulna_link_put_number(p + 8, a->period);
  ulna_link_put_number(p + 16, a->watchdog);
  ulna_link_put(p + 24, (uint64_t)a->torque_side, 8);
  p += 32;
  for (int i = 0; i < a->joints; ++i) {
    const size_t length = strlen(a->name[i]);
    p[0] = a->kind[i];
    p[1] = (uint8_t)length;
    memcpy(p + 2, a->name[i], length);
    p += 2 + length;
  }
  return ulna_link_finish(r->out, (size_t)(p - r->out), ULNA_LINK_WELCOME, r->session, 0, 0, now);
}

ULNA_LINK_FN ulna_link_fault ulna_link_robot_hello(ulna_link_robot* r, double now, const ulna_link_packet* p,
                                                   size_t* reply) {
  if (p->size != 8) return ULNA_LINK_MALFORMED;
  const uint32_t nonce = (uint32_t)ulna_link_get(p->body, 4);
  if (nonce == 0) return ULNA_LINK_MALFORMED;
  if (r->session && nonce == r->nonce) {
    /* its welcome was lost, or it has opened its way anew */
    if (!r->driven) {
      r->way.peer = r->way.from;
      r->way.peer_size = r->way.from_size;
    }
    *reply = ulna_link_welcome(r, now);
    return ULNA_LINK_FINE;
  }
  for (int i = 0; i < 8 && i < r->known_count; ++i)
    if (r->known[i] == nonce) return ULNA_LINK_REPLAYED;
  if (r->session && r->driven) {
    uint8_t* body = r->out + ULNA_LINK_HEADER;
    ulna_link_put(body, nonce, 4);
    ulna_link_put(body + 4, ULNA_LINK_BUSY, 4);
    *reply = ulna_link_finish(r->out, ULNA_LINK_HEADER + 8, ULNA_LINK_REFUSED, 0, 0, 0, now);
    return ULNA_LINK_BUSY;
  }
  ulna_link_robot_leave(r);
  r->known[r->known_count++ % 8] = nonce;
  if (r->known_count == 16) r->known_count = 8;
  r->random = r->random * 1664525u + 1013904223u;
  r->session = r->random ? r->random : 1u;
  r->nonce = nonce;
  r->sequence = r->acknowledged = 0;
  r->heard = now;
  memset(&r->window, 0, sizeof r->window);
  r->way.peer = r->way.from;
  r->way.peer_size = r->way.from_size;
  ++r->sessions;
  *reply = ulna_link_welcome(r, now);
  return ULNA_LINK_FINE;
}

ULNA_LINK_FN ulna_link_fault ulna_link_robot_command(ulna_link_robot* r, double now, const ulna_link_packet* p) {
  const int n = r->about.joints;
  if (r->session == 0 || p->session != r->session) return ULNA_LINK_FOREIGN;
  if (p->size != 16 + 8 * (size_t)n || (int)ulna_link_get(p->body + 4, 4) != n) return ULNA_LINK_MALFORMED;
  const ulna_link_fault order = ulna_link_window_take(&r->window, p->sequence, &r->count[ULNA_LINK_LOST]);
  if (order != ULNA_LINK_FINE) return order;
  const uint32_t mode = (uint32_t)ulna_link_get(p->body, 4);
  const double answers = ulna_link_get_number(p->body + 8);
  r->heard = now;
  if (mode == 0) {
    r->driven = r->silenced = 0;
    r->acknowledged = p->sequence;
    return ULNA_LINK_FINE;
  }
  if (mode != 1 || !(answers <= r->measured_at)) return ULNA_LINK_MALFORMED;
  double tau[ULNA_LINK_MAX_JOINTS];
  ulna_link_get_numbers(p->body + 16, tau, n);
  for (int i = 0; i < n; ++i)
    if (!isfinite(tau[i])) return ULNA_LINK_NOT_FINITE;
  if (now - answers > r->late_after) return ULNA_LINK_LATE;
  if (r->silenced) return ULNA_LINK_UNREADY;
  memcpy(r->tau, tau, 8 * (size_t)n);
  r->driven = 1;
  r->commanded = now;
  r->acknowledged = p->sequence;
  ++r->commands;
  return ULNA_LINK_FINE;
}

/* A packet that came; *reply: bytes in r->out that go back to its sender. */
ULNA_LINK_FN ulna_link_fault ulna_link_robot_take(ulna_link_robot* r, double now, const uint8_t* bytes, size_t size,
                                                  size_t* reply) {
  ulna_link_packet p;
  *reply = 0;
  ulna_link_fault fault = ulna_link_parse(bytes, size, &p);
  if (fault == ULNA_LINK_FINE) {
    if (p.kind == ULNA_LINK_HELLO)
      fault = ulna_link_robot_hello(r, now, &p, reply);
    else if (p.kind == ULNA_LINK_COMMAND)
      fault = ulna_link_robot_command(r, now, &p);
    else
      fault = ULNA_LINK_GARBAGE;
  }
  if (fault != ULNA_LINK_FINE) ++r->count[fault];
  return fault;
}

/* Whether a controller's torques, r->tau, are in force; otherwise the robot holds itself. */
ULNA_LINK_FN int ulna_link_robot_watch(ulna_link_robot* r, double now) {
  if (r->driven && now - r->commanded > r->about.watchdog) {
    r->driven = 0;
    r->silenced = 1;
    ++r->count[ULNA_LINK_SILENT];
  }
  if (r->session && !r->driven && now - r->heard > r->leave_after) ulna_link_robot_leave(r);
  return r->driven;
}

/* Takes what came. 1: tau is to be exerted; 0: no controller says so, and the robot holds itself. Once a period. */
ULNA_LINK_FN int ulna_link_robot_step(ulna_link_robot* r, double now, double* tau) {
  for (int most = 0; most < 1000; ++most) {
    size_t reply = 0;
    const long size = ulna_link_receive(&r->way, r->in);
    if (size < 0) break;
    ulna_link_robot_take(r, now, r->in, (size_t)size, &reply);
    if (reply && ulna_link_send(&r->way, r->out, reply, 1) != 0) ++r->count[ULNA_LINK_UNSENT];
  }
  if (!ulna_link_robot_watch(r, now)) return 0;
  memcpy(tau, r->tau, 8 * (size_t)r->about.joints);
  return 1;
}

/* The packet of a state, in r->out; 0 bytes: nobody listens. tau may be NULL. */
ULNA_LINK_FN size_t ulna_link_robot_state(ulna_link_robot* r, double now, double measured_at, const double* q,
                                          const double* v, const double* tau, uint32_t status) {
  const int n = r->about.joints;
  uint8_t* p = r->out + ULNA_LINK_HEADER;
  if (r->session == 0) return 0;
  if (!r->driven) status |= ULNA_LINK_HOLDS;
  if (r->silenced) status |= ULNA_LINK_SILENCED;
  ulna_link_put(p, r->acknowledged, 4);
  ulna_link_put(p + 4, (uint64_t)n, 4);
  ulna_link_put_number(p + 8, measured_at);
  ulna_link_put_numbers(p + 16, q, n);
  ulna_link_put_numbers(p + 16 + 8 * n, v, n);
  ulna_link_put_numbers(p + 16 + 16 * n, tau, n);
  r->measured_at = measured_at;
  ++r->states;
  return ulna_link_finish(r->out, ULNA_LINK_HEADER + 16 + 24 * (size_t)n, ULNA_LINK_STATE, r->session, ++r->sequence,
                          status, now);
}

ULNA_LINK_FN void ulna_link_robot_send(ulna_link_robot* r, double now, double measured_at, const double* q,
                                       const double* v, const double* tau, uint32_t status) {
  const size_t size = ulna_link_robot_state(r, now, measured_at, q, v, tau, status);
  if (size && ulna_link_send(&r->way, r->out, size, 0) != 0) ++r->count[ULNA_LINK_UNSENT];
}

ULNA_LINK_FN void ulna_link_robot_close(ulna_link_robot* r) {
  const int unix_socket = r->way.fd >= 0 && strncmp(r->way.address, "unix:", 5) == 0;
  if (unix_socket) unlink(r->way.address + 5);
  if (r->way.memory && !ulna_link_displaced(&r->way)) shm_unlink(r->way.address + 4);
  ulna_link_close(&r->way);
}

/* ---- controller side ---- */

typedef struct {
  ulna_link_way way;
  ulna_link_about about;
  double late_after;   /* s: an older state is not used; 0.02 */
  double silent_after; /* s without a state after which the robot counts as gone; 0.1. At least 3 periods */
  double again_after;  /* s between two attempts to connect; 0.05 */
  uint32_t session, nonce, sequence, random;
  uint32_t status; /* health of the robot */
  ulna_link_window window;
  int refused; /* the last answer was that there is another controller */
  int silent;  /* the robot is gone */
  int drove;   /* the last command was one of torques, of this session or one before */
  int unsent;  /* the last hello could not be sent */
  unsigned hellos; /* since there was a session */
  double heard, said, sent;
  double ahead[2], ahead_since; /* of its clock over ours: the largest of this time span, and of the one before */
  double measured_at, q[ULNA_LINK_MAX_JOINTS], v[ULNA_LINK_MAX_JOINTS], tau[ULNA_LINK_MAX_JOINTS];
  double sent_at[256]; /* by sequence */
  double round_trip;   /* s, of the last command that was acknowledged; <0: unknown */
  uint32_t acknowledged;
  uint64_t count[ULNA_LINK_FAULTS], states, commands, superseded;
  uint8_t out[ULNA_LINK_MAX_PACKET], in[ULNA_LINK_MAX_PACKET + 8];
} ulna_link_controller;

ULNA_LINK_FN void ulna_link_controller_init(ulna_link_controller* c) {
  memset(c, 0, sizeof *c);
  c->way.fd = -1;
  c->late_after = 0.02;
  c->silent_after = 0.1;
  c->again_after = 0.05;
  c->random = ulna_link_random();
  c->said = -1e300;
  c->round_trip = -1.0;
}

/* -1: the address cannot be one. A robot that is not there yet is waited for by ulna_link_controller_step. */
ULNA_LINK_FN int ulna_link_controller_open(ulna_link_controller* c, const char* address) {
  struct sockaddr_storage at;
  socklen_t size;
  ulna_link_controller_init(c);
  if (strncmp(address, "shm:/", 5) != 0 && ulna_link_address(address, &at, &size) != 0) return -1;
  if (ulna_link_open(&c->way, address, 0) != 0) {
    if (errno != ENOENT && errno != ECONNREFUSED && errno != EPROTO) return -1;
    strcpy(c->way.address, address);
  }
  return 0;
}

/* The clock of the robot now: that of the quickest of its last packets. */
ULNA_LINK_FN double ulna_link_controller_clock(const ulna_link_controller* c, double now) {
  return now + (c->ahead[0] > c->ahead[1] ? c->ahead[0] : c->ahead[1]);
}

ULNA_LINK_FN void ulna_link_controller_compare_clocks(ulna_link_controller* c, double now, double robot) {
  const double span = 2.0, ahead = robot - now;
  if (now - c->ahead_since > span) {
    c->ahead[1] = now - c->ahead_since > 2.0 * span ? -1e300 : c->ahead[0];
    c->ahead[0] = ahead;
    c->ahead_since = now;
  }
  if (ahead > c->ahead[0]) c->ahead[0] = ahead;
}

ULNA_LINK_FN ulna_link_fault ulna_link_controller_welcome(ulna_link_controller* c, double now,
                                                          const ulna_link_packet* p) {
  ulna_link_about about;
  if (p->size < 32) return ULNA_LINK_MALFORMED;
  if (c->nonce == 0 || ulna_link_get(p->body, 4) != c->nonce) return ULNA_LINK_FOREIGN;
  if (c->session) return c->session == p->session ? ULNA_LINK_REPLAYED : ULNA_LINK_FOREIGN;
  memset(&about, 0, sizeof about);
  const uint64_t n = ulna_link_get(p->body + 4, 4), side = ulna_link_get(p->body + 24, 8);
  about.period = ulna_link_get_number(p->body + 8);
  about.watchdog = ulna_link_get_number(p->body + 16);
  if (n < 1 || n > ULNA_LINK_MAX_JOINTS || side > 2 || p->session == 0 || !(about.period > 0.0) ||
      !(about.watchdog > 0.0) || !isfinite(about.period) || !isfinite(about.watchdog))
    return ULNA_LINK_MALFORMED;
  about.joints = (int)n;
  about.torque_side = (int)side;
  const uint8_t *at = p->body + 32, *end = p->body + p->size;
  for (int i = 0; i < about.joints; ++i) {
    if (end - at < 2 || at[0] > 1 || at[1] > ULNA_LINK_MAX_NAME || end - at < 2 + at[1]) return ULNA_LINK_MALFORMED;
    about.kind[i] = at[0];
    memcpy(about.name[i], at + 2, at[1]);
    at += 2 + at[1];
  }
  if (at != end) return ULNA_LINK_MALFORMED;
  c->about = about;
  c->session = p->session;
  c->sequence = c->acknowledged = 0;
  c->refused = 0;
  c->hellos = 0;
  c->heard = now;
  c->measured_at = -1e300;
  c->round_trip = -1.0;
  c->ahead[0] = p->time - now;
  c->ahead[1] = -1e300;
  c->ahead_since = now;
  memset(&c->window, 0, sizeof c->window);
  return ULNA_LINK_FINE;
}

ULNA_LINK_FN ulna_link_fault ulna_link_controller_state(ulna_link_controller* c, double now,
                                                        const ulna_link_packet* p) {
  const int n = c->about.joints;
  if (c->session == 0 || p->session != c->session) return ULNA_LINK_FOREIGN;
  if (p->size != 16 + 24 * (size_t)n || (int)ulna_link_get(p->body + 4, 4) != n) return ULNA_LINK_MALFORMED;
  const ulna_link_fault order = ulna_link_window_take(&c->window, p->sequence, &c->count[ULNA_LINK_LOST]);
  if (order != ULNA_LINK_FINE) return order;
  const double measured_at = ulna_link_get_number(p->body + 8);
  if (!isfinite(measured_at) || measured_at > p->time) return ULNA_LINK_MALFORMED;
  c->heard = now;
  c->silent = 0;
  c->status = p->status;
  ulna_link_controller_compare_clocks(c, now, p->time);
  if (ulna_link_controller_clock(c, now) - measured_at > c->late_after) return ULNA_LINK_LATE;
  c->measured_at = measured_at;
  ulna_link_get_numbers(p->body + 16, c->q, n);
  ulna_link_get_numbers(p->body + 16 + 8 * n, c->v, n);
  ulna_link_get_numbers(p->body + 16 + 16 * n, c->tau, n);
  const uint32_t acknowledged = (uint32_t)ulna_link_get(p->body, 4);
  if ((int32_t)(acknowledged - c->acknowledged) > 0 && c->sequence - acknowledged < 256u) {
    c->acknowledged = acknowledged;
    c->round_trip = now - c->sent_at[acknowledged % 256u];
  }
  ++c->states;
  return ULNA_LINK_FINE;
}

/* A packet that came. *fresh is set if it is a state that can be used. */
ULNA_LINK_FN ulna_link_fault ulna_link_controller_take(ulna_link_controller* c, double now, const uint8_t* bytes,
                                                       size_t size, int* fresh) {
  ulna_link_packet p;
  ulna_link_fault fault = ulna_link_parse(bytes, size, &p);
  if (fault == ULNA_LINK_FINE) {
    if (p.kind == ULNA_LINK_STATE) {
      fault = ulna_link_controller_state(c, now, &p);
      if (fault == ULNA_LINK_FINE) {
        if (*fresh) ++c->superseded;
        *fresh = 1;
      }
    } else if (p.kind == ULNA_LINK_WELCOME) {
      fault = ulna_link_controller_welcome(c, now, &p);
    } else if (p.kind == ULNA_LINK_REFUSED) {
      if (p.size == 8 && c->session == 0 && c->nonce && ulna_link_get(p.body, 4) == c->nonce) {
        c->refused = 1;
        c->nonce = 0;
        fault = ULNA_LINK_BUSY;
      } else {
        fault = ULNA_LINK_FOREIGN;
      }
    } else {
      fault = ULNA_LINK_GARBAGE;
    }
  }
  if (fault != ULNA_LINK_FINE) ++c->count[fault];
  return fault;
}

/* The packet that asks for a session, in c->out. */
ULNA_LINK_FN size_t ulna_link_controller_hello(ulna_link_controller* c, double now) {
  if (c->nonce == 0) {
    c->random = c->random * 1664525u + 1013904223u;
    c->nonce = c->random ? c->random : 1u;
  }
  ulna_link_put(c->out + ULNA_LINK_HEADER, c->nonce, 4);
  ulna_link_put(c->out + ULNA_LINK_HEADER + 4, 0, 4);
  return ulna_link_finish(c->out, ULNA_LINK_HEADER + 8, ULNA_LINK_HELLO, 0, 0, 0, now);
}

/* The packet of a command, in c->out: torques, or NULL: the robot shall hold itself. 0 bytes: there is no session. */
ULNA_LINK_FN size_t ulna_link_controller_command(ulna_link_controller* c, double now, const double* tau) {
  const int n = c->about.joints;
  uint8_t* p = c->out + ULNA_LINK_HEADER;
  c->drove = tau != NULL;
  if (c->session == 0) return 0;
  ulna_link_put(p, tau ? 1u : 0u, 4);
  ulna_link_put(p + 4, (uint64_t)n, 4);
  ulna_link_put_number(p + 8, c->measured_at);
  ulna_link_put_numbers(p + 16, tau, n);
  ++c->sequence;
  c->sent_at[c->sequence % 256u] = now;
  ++c->commands;
  return ulna_link_finish(c->out, ULNA_LINK_HEADER + 16 + 8 * (size_t)n, ULNA_LINK_COMMAND, c->session, c->sequence, 0,
                          now);
}

ULNA_LINK_FN int ulna_link_controller_send(ulna_link_controller* c, double now, const double* tau) {
  const size_t size = ulna_link_controller_command(c, now, tau);
  if (size == 0) return -1;
  c->sent = now;
  if (ulna_link_send(&c->way, c->out, size, 0) == 0) return 0;
  ++c->count[ULNA_LINK_UNSENT];
  return -1;
}

/* Opens the way anew, where the robot that was there may have been started again. */
ULNA_LINK_FN void ulna_link_controller_reopen(ulna_link_controller* c) {
  char address[sizeof c->way.address];
  strcpy(address, c->way.address);
  ulna_link_close(&c->way);
  if (ulna_link_open(&c->way, address, 0) != 0) strcpy(c->way.address, address);
}

/* s without a state after which the robot counts as gone: 3 periods of a slow one, at most 1 s. */
ULNA_LINK_FN double ulna_link_controller_patience(const ulna_link_controller* c) {
  const double periods = c->about.period < 1.0 / 3.0 ? 3.0 * c->about.period : 1.0;
  return periods > c->silent_after ? periods : c->silent_after;
}

ULNA_LINK_FN double ulna_link_elapsed(const struct timespec* since) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)(t.tv_sec - since->tv_sec) + 1e-9 * (double)(t.tv_nsec - since->tv_nsec);
}

/* Takes what came, connects where there is no session, and keeps one alive. 1: there is a new state in c->q, v and tau.
 * Once a period. */
ULNA_LINK_FN int ulna_link_controller_step(ulna_link_controller* c, double now) {
  int fresh = 0;
  struct timespec begun;
  clock_gettime(CLOCK_MONOTONIC, &begun);
  for (int most = 0; most < 1000; ++most) {
    const long size = ulna_link_receive(&c->way, c->in);
    if (size < 0) break;
    /* who was stopped since `now` would take a packet that came meanwhile for one of a clock that is ahead */
    ulna_link_controller_take(c, now + ulna_link_elapsed(&begun), c->in, (size_t)size, &fresh);
  }
  if (c->session && now - c->heard > ulna_link_controller_patience(c)) {
    c->session = c->nonce = 0;
    c->silent = 1;
    ++c->count[ULNA_LINK_SILENT];
  }
  if (c->session == 0 && now - c->said > c->again_after) {
    c->said = now;
    /* a slow robot answers after several hellos, at the address of one of them: keep it while it may */
    if (c->unsent || ++c->hellos % 20u == 0 || ulna_link_displaced(&c->way)) ulna_link_controller_reopen(c);
    const size_t size = ulna_link_controller_hello(c, now);
    c->unsent = ulna_link_send(&c->way, c->out, size, 0) != 0;
    if (c->unsent) ++c->count[ULNA_LINK_UNSENT];
  }
  /* who only reads says so; who drove has to acknowledge a silence by a hold of its own */
  if (c->session && !c->drove && now - c->sent > 0.2) ulna_link_controller_send(c, now, NULL);
  return fresh;
}

ULNA_LINK_FN void ulna_link_controller_close(ulna_link_controller* c) {
  ulna_link_controller_send(c, c->sent, NULL);
  ulna_link_close(&c->way);
}

#endif
