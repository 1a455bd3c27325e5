#include "io/joint_states.hpp"

#if ULNA_WITH_SQLITE
#include <sqlite3.h>

#include <memory>
#endif

namespace ulna::detail {

#if ULNA_WITH_SQLITE
namespace {

class Statement {
 public:
  Statement(sqlite3* db, const char* sql) : db_(db) {
    if (sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr) != SQLITE_OK)
      throw BadBytes(std::string("it is no bag of ROS 2: ") + sqlite3_errmsg(db));
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;

  bool next() {
    const int result = sqlite3_step(statement_);
    if (result != SQLITE_ROW && result != SQLITE_DONE)
      throw BadBytes(std::string("the database is broken: ") + sqlite3_errmsg(db_));
    return result == SQLITE_ROW;
  }
  std::int64_t whole(int column) { return sqlite3_column_int64(statement_, column); }
  std::string_view bytes(int column) {
    const void* data = sqlite3_column_blob(statement_, column);
    return {static_cast<const char*>(data),
            data ? static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)) : 0};
  }

 private:
  sqlite3* db_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace

BinaryTable read_ros2_sqlite(std::string& bytes) {
  sqlite3* opened = nullptr;
  sqlite3_open(":memory:", &opened);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> db(opened, sqlite3_close);
  sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, 100'000'000);
  // a log that is yet to be merged is no part of the file: the header says that there is none
  if (bytes.size() > 20 && bytes[18] == 2) bytes[18] = bytes[19] = 1;
  if (sqlite3_deserialize(opened, "main", reinterpret_cast<unsigned char*>(bytes.data()),
                          static_cast<sqlite3_int64>(bytes.size()),
                          static_cast<sqlite3_int64>(bytes.size()),
                          SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
    throw BadBytes("the database is broken");
  // what computes, as views, virtual tables and generated columns do, could do so without end
  Statement tables(opened,
                   "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND "
                   "name IN ('topics', 'messages')");
  if (!tables.next() || tables.whole(0) != 2)
    throw BadBytes("it is no bag of ROS 2: it has no tables 'topics' and 'messages'");
  Statement generated(opened,
                      "SELECT count(*) FROM (SELECT hidden FROM pragma_table_xinfo('topics') UNION "
                      "ALL SELECT hidden FROM pragma_table_xinfo('messages')) WHERE hidden <> 0");
  if (!generated.next() || generated.whole(0) != 0)
    throw BadBytes("it is no bag of ROS 2: columns of its tables are computed");
  auto steps = static_cast<std::int64_t>(1'000 + bytes.size() / 10);  // thousands of instructions
  sqlite3_progress_handler(
      opened, 1000, [](void* left) { return --*static_cast<std::int64_t*>(left) < 0 ? 1 : 0; },
      &steps);
  JointStates states;
  std::map<std::int64_t, std::string> topics;
  for (Statement s(opened, "SELECT id, name, type, serialization_format FROM topics"); s.next();) {
    if (!JointStates::is_type(s.bytes(2))) continue;
    if (s.bytes(3) != "cdr") throw BadBytes("messages are not serialised as cdr");
    topics[s.whole(0)] = s.bytes(1);
    states.saw_topic();
  }
  for (Statement s(opened,
                   "SELECT topic_id, timestamp, data FROM messages ORDER BY timestamp, rowid");
       s.next();)
    if (const auto topic = topics.find(s.whole(0)); topic != topics.end())
      states.add_cdr(topic->second, s.bytes(2),
                     static_cast<std::uint64_t>(std::max<std::int64_t>(0, s.whole(1))));
  return states.table();
}
#else
BinaryTable read_ros2_sqlite(std::string&) {
  throw BadBytes(
      "bags in SQLite are not read by this build of ulna (Debian: libsqlite3-dev); convert it to "
      "MCAP or CSV");
}
#endif

}  // namespace ulna::detail
