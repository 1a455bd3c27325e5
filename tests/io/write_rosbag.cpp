// Writes the log of the tests as a bag of ROS 1, by the libraries of ROS: write_rosbag FILE none|bz2|lz4 [without]
// A program of its own, because their headers are no C++20. `without`: without joint states.
#include <rosbag/bag.h>
#include <sensor_msgs/Imu.h>
#include <sensor_msgs/JointState.h>

#include <cmath>
#include <string>

namespace {

double value(int k, int column) { return std::sin(0.1 * k * column) + column; }

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string how = argv[2];
  rosbag::Bag bag(argv[1], rosbag::bagmode::Write);
  bag.setCompression(how == "bz2"   ? rosbag::compression::BZ2
                     : how == "lz4" ? rosbag::compression::LZ4
                                    : rosbag::compression::Uncompressed);
  bag.setChunkThreshold(2000);  // several chunks
  for (int k = 0; k < 50; ++k) {
    sensor_msgs::JointState m;
    m.header.seq = static_cast<unsigned>(k);
    m.header.stamp.fromNSec(1700000000000000000u + static_cast<unsigned>(k) * 4000000u);
    m.header.frame_id = "base";
    m.name = {"shoulder", "elbow"};
    m.position = {value(k, 1), value(k, 2)};
    m.velocity = {value(k, 3), value(k, 4)};
    m.effort = {value(k, 5), value(k, 6)};
    sensor_msgs::Imu other;
    other.header.stamp = m.header.stamp;
    bag.write("/imu", m.header.stamp, other);
    if (argc == 3) bag.write("/joint_states", m.header.stamp, m);
  }
  bag.close();
}
