#include <algorithm>
#include <charconv>
#include <limits>
#include <map>

#include "io/binary_table.hpp"

/// The formats of numpy.save and numpy.savez [NumPy Enhancement Proposal 1; PKWARE, "APPNOTE"].
namespace ulna::detail {
namespace {

/// "<f8": kind, size, and whether the bytes are in the other order.
struct NumpyType {
  char kind = 'f';
  std::size_t size = 8;
  bool swapped = false;
};

struct NumpyField {
  std::string name;
  NumpyType type;
};

/// The header of an array, which is a Python dict as text.
class NumpyHeader {
 public:
  explicit NumpyHeader(std::string_view text) : text_(text) {
    expect('{');
    while (!take('}')) {
      const std::string key = quoted_text();
      expect(':');
      if (key == "descr") {
        descr();
      } else if (key == "fortran_order") {
        by_columns = word() == "True";
      } else if (key == "shape") {
        expect('(');
        while (!take(')')) {
          shape.push_back(whole());
          take(',');
        }
      } else {
        throw BadBytes("its header has the unknown key '" + key.substr(0, 40) + "'");
      }
      take(',');
    }
  }

  std::vector<NumpyField> fields;  ///< one without a name if it is no record
  std::vector<std::size_t> shape;
  bool by_columns = false;

 private:
  void descr() {
    if (!take('[')) {
      fields.push_back({"", type(quoted_text())});
      return;
    }
    while (!take(']')) {
      expect('(');
      const std::string name = quoted_text();
      expect(',');
      fields.push_back({name, type(quoted_text())});
      take(',');
      expect(')');
      take(',');
    }
  }
  static NumpyType type(const std::string& text) {
    NumpyType t;
    std::size_t at = 0;
    if (!text.empty() && std::string_view("<>|=").find(text[0]) != std::string_view::npos) at = 1;
    if (at < text.size()) t.kind = text[at];
    t.size = 0;
    if (at + 1 < text.size())
      std::from_chars(text.data() + at + 1, text.data() + text.size(), t.size);
    const std::size_t s = t.size;
    const bool known = (t.kind == 'f' && (s == 4 || s == 8)) || (t.kind == 'b' && s == 1) ||
                       t.kind == 'U' || t.kind == 'S' ||
                       ((t.kind == 'i' || t.kind == 'u') && (s == 1 || s == 2 || s == 4 || s == 8));
    if (!known || s > 100'000)
      throw BadBytes("numbers of type '" + text.substr(0, 20) +
                     "' are not read: save float64, float32, integers or booleans (objects are "
                     "pickled, which nothing here opens)");
    t.swapped = text[0] == '>';
    return t;
  }

  void space() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
  }
  bool take(char c) {
    space();
    const bool found = !text_.empty() && text_[0] == c;
    if (found) text_.remove_prefix(1);
    return found;
  }
  void expect(char c) {
    if (!take(c)) throw BadBytes("the header of an array is broken");
  }
  std::string quoted_text() {
    expect('\'');
    const std::size_t end = text_.find('\'');
    if (end == text_.npos) throw BadBytes("the header of an array is broken");
    const std::string text(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return text;
  }
  std::string word() {
    space();
    const std::size_t end = std::min(text_.find_first_of(",}) "), text_.size());
    const std::string word(text_.substr(0, end));
    text_.remove_prefix(end);
    return word;
  }
  std::size_t whole() {
    const std::string text = word();
    std::size_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || end != text.data() + text.size() || n > most_table_bytes)
      throw BadBytes("the shape of an array is not one");
    return n;
  }

  std::string_view text_;
};

template <class T>
double as_double(const char* bytes, bool swapped) {
  char b[sizeof(T)];
  std::memcpy(b, bytes, sizeof b);
  if (swapped) std::reverse(b, b + sizeof b);
  T x;
  std::memcpy(&x, b, sizeof x);
  return static_cast<double>(x);
}

double number_at(const char* bytes, const NumpyType& t) {
  const bool is_signed = t.kind == 'i';
  switch (t.kind == 'f' ? 10 + t.size : t.size) {
    case 18:
      return as_double<double>(bytes, t.swapped);
    case 14:
      return as_double<float>(bytes, t.swapped);
    case 1:
      return is_signed ? as_double<std::int8_t>(bytes, false)
                       : as_double<std::uint8_t>(bytes, false);
    case 2:
      return is_signed ? as_double<std::int16_t>(bytes, t.swapped)
                       : as_double<std::uint16_t>(bytes, t.swapped);
    case 4:
      return is_signed ? as_double<std::int32_t>(bytes, t.swapped)
                       : as_double<std::uint32_t>(bytes, t.swapped);
    default:
      return is_signed ? as_double<std::int64_t>(bytes, t.swapped)
                       : as_double<std::uint64_t>(bytes, t.swapped);
  }
}

struct NumpyArray {
  NumpyHeader header;
  std::string_view data;
  std::size_t count = 1, stride = 0;

  explicit NumpyArray(std::string_view bytes) : header("{}") {
    Bytes in(bytes);
    if (in.take(6) != "\x93NUMPY")
      throw BadBytes("an array does not begin as numpy.save writes it");
    const auto version = in.number<std::uint8_t>();
    in.take(1);
    const std::size_t size = version == 1 ? in.number<std::uint16_t>() : in.number<std::uint32_t>();
    header = NumpyHeader(in.take(size));
    for (const std::size_t n : header.shape)
      if (__builtin_mul_overflow(count, n, &count) || count > most_table_bytes)
        throw BadBytes("an array is too large");
    for (const NumpyField& f : header.fields) stride += f.type.size * (f.type.kind == 'U' ? 4 : 1);
    data = in.take(count * stride);
  }

  bool is_text() const {
    return header.fields.size() == 1 &&
           (header.fields[0].type.kind == 'U' || header.fields[0].type.kind == 'S');
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> list;
    for (std::size_t k = 0; k < std::min<std::size_t>(count, 100'000); ++k) {
      std::string s;
      const std::size_t step = header.fields[0].type.kind == 'U' ? 4 : 1;
      // names of joints are ASCII; what is not cannot be the name of a column
      for (std::size_t i = 0; i < stride && data[k * stride + i]; i += step)
        s += data[k * stride + i];
      list.push_back(s);
    }
    return list;
  }
};

void add_array(const std::string& name, std::string_view bytes, ArrayTable& table) {
  const NumpyArray array(bytes);
  if (array.is_text()) {
    if (name == "joints" || name == "names" || name == "joint_names")
      table.set_joints(array.texts());
    return;
  }
  const auto& shape = array.header.shape;
  if (shape.size() > 2)
    throw BadBytes("array '" + name + "' has " + std::to_string(shape.size()) +
                   " dimensions, not 1 or 2");
  if (shape.empty()) return;  // a single number is no measurement
  const std::size_t rows = shape[0], columns = shape.size() > 1 ? shape[1] : 1;
  if (array.count > most_table_numbers / std::max<std::size_t>(1, array.header.fields.size()))
    throw BadBytes("it has more than 100000000 numbers");
  std::size_t offset = 0;
  for (const NumpyField& f : array.header.fields) {
    if (f.type.kind == 'U' || f.type.kind == 'S') {
      offset += f.type.size * (f.type.kind == 'U' ? 4 : 1);
      continue;
    }
    std::vector<double> numbers(array.count);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c) {
        const std::size_t at = array.header.by_columns ? c * rows + r : r * columns + c;
        numbers[r * columns + c] =
            number_at(array.data.data() + at * array.stride + offset, f.type);
      }
    offset += f.type.size;
    table.add(f.name.empty() ? name : f.name, rows, columns, std::move(numbers));
  }
}

}  // namespace

BinaryTable read_npy(std::string_view bytes) {
  ArrayTable table;
  if (NumpyArray(bytes).header.fields[0].name.empty())
    throw BadBytes(
        "the array has no names of columns: save a structured array, or several by "
        "numpy.savez(file, t=..., q=...)");
  add_array("", bytes, table);
  return table.table();
}

BinaryTable read_npz(std::string_view bytes) {
  // the directory of a zip file stands at its end, behind it only a comment
  const std::size_t end = bytes.rfind("PK\x05\x06");
  if (end == bytes.npos) throw BadBytes("it is cut off: the directory at its end is missing");
  Bytes tail(bytes.substr(end));
  tail.take(10);
  const std::size_t entries = tail.number<std::uint16_t>();
  tail.take(4);
  const std::size_t directory = tail.number<std::uint32_t>();
  if (directory > bytes.size()) throw BadBytes("its directory is broken");
  Bytes in(bytes.substr(directory));
  ArrayTable table;
  std::size_t unpacked = 0;
  for (std::size_t i = 0; i < entries; ++i) {
    if (in.take(4) != "PK\x01\x02") throw BadBytes("its directory is broken");
    in.take(6);
    const auto method = in.number<std::uint16_t>();
    in.take(8);
    std::uint64_t packed = in.number<std::uint32_t>(), size = in.number<std::uint32_t>();
    const auto name_size = in.number<std::uint16_t>(), extra_size = in.number<std::uint16_t>(),
               comment_size = in.number<std::uint16_t>();
    in.take(8);
    std::uint64_t at = in.number<std::uint32_t>();
    std::string name(in.take(name_size));
    // sizes of zip64, in place of those that are all ones
    Bytes extra(in.take(extra_size));
    while (extra.rest().size() >= 4) {
      const auto id = extra.number<std::uint16_t>();
      Bytes field(extra.take(extra.number<std::uint16_t>()));
      if (id != 1) continue;
      for (std::uint64_t* value : {&size, &packed, &at})
        if (*value == 0xffffffff && field.rest().size() >= 8)
          *value = field.number<std::uint64_t>();
    }
    in.take(comment_size);
    if (!name.ends_with(".npy")) continue;
    name.resize(name.size() - 4);
    if (at > bytes.size()) throw BadBytes("its directory is broken");
    Bytes local(bytes.substr(at));
    if (local.take(4) != "PK\x03\x04") throw BadBytes("its directory is broken");
    local.take(22);
    const auto local_name = local.number<std::uint16_t>(),
               local_extra = local.number<std::uint16_t>();
    local.take(std::size_t{local_name} + local_extra);
    const std::string_view data = local.take(packed);
    if (size > most_table_bytes || (unpacked += size) > most_table_bytes)
      throw BadBytes("it unpacks to more than 1 GiB");
    if (method == 0)
      add_array(name, data, table);
    else if (method == 8)
      add_array(name, inflate_raw(data, size), table);
    else
      throw BadBytes("array '" + name +
                     "' is packed in a way that is not known; use numpy.savez or savez_compressed");
  }
  return table.table();
}

}  // namespace ulna::detail
