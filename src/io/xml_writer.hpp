#pragma once

#include <tinyxml2.h>

#include "ulna/io/number.hpp"
#include "ulna/model/description.hpp"

/// What the writers of XML share. Numbers are written so that they read back to the last bit.
namespace ulna::detail {

inline std::string text(std::string_view s) { return std::string(s); }
inline std::string text(double x) { return format_number(x); }
template <int N>
std::string text(const Eigen::Matrix<double, N, 1>& v) {
  std::string s = text(v(0));
  for (int i = 1; i < N; ++i) s += " " + text(v(i));
  return s;
}

/// As text, or "" for the value that a reader takes where there is none.
template <class T>
std::string unless(const T& otherwise, const T& x) {
  return x == otherwise ? "" : text(x);
}

class XmlWriter {
 protected:
  /// Open while it lives. Attributes are given by name and value; one that is empty is left out.
  class Element {
   public:
    Element(XmlWriter* writer, const char* tag, const auto&... attributes) : out_(writer->out_) {
      out_.OpenElement(tag);
      put(attributes...);
    }
    ~Element() { out_.CloseElement(); }
    Element(const Element&) = delete;

   private:
    void put() {}
    void put(const char* name, const auto& value, const auto&... others) {
      if (const std::string s = text(value); !s.empty()) out_.PushAttribute(name, s.c_str());
      put(others...);
    }
    tinyxml2::XMLPrinter& out_;
  };

  tinyxml2::XMLPrinter out_;
};

}  // namespace ulna::detail
