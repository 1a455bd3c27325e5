#include "io/binary_table.hpp"

#if ULNA_WITH_ZLIB
#include <zlib.h>
#endif
#if ULNA_WITH_ZSTD
#include <zstd.h>
#endif
#if ULNA_WITH_LZ4
#include <lz4frame.h>
#endif
#if ULNA_WITH_BZIP2
#include <bzlib.h>
#endif

namespace ulna::detail {
namespace {

[[noreturn, maybe_unused]] void lacks(const char* library, const char* debian) {
  throw BadBytes(std::string("it is compressed by ") + library +
                 ", which this build of ulna cannot unpack (Debian: " + debian +
                 "); unpack it before");
}
[[noreturn, maybe_unused]] void broken(const char* library) {
  throw BadBytes(std::string("what is compressed by ") + library + " in it is broken or cut off");
}

}  // namespace

std::string inflate_raw(std::string_view packed, std::size_t size) {
#if ULNA_WITH_ZLIB
  // deflate packs a thousandfold at most
  if (size > packed.size() * 1100 + 1000) broken("zlib");
  std::string text(size, '\0');
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(size);
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) broken("zlib");
  const int result = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (result != Z_STREAM_END || stream.total_out != size) broken("zlib");
  return text;
#else
  (void)packed, (void)size;
  lacks("zlib", "zlib1g-dev");
#endif
}

std::string unpack_zstd(std::string_view packed, std::size_t most) {
#if ULNA_WITH_ZSTD
  std::string text;
  ZSTD_DStream* const stream = ZSTD_createDStream();
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::string block(1 << 17, '\0');
  std::size_t left = 1;
  while (left != 0) {
    ZSTD_outBuffer out{block.data(), block.size(), 0};
    const std::size_t before = in.pos;
    left = ZSTD_decompressStream(stream, &out, &in);
    const bool stuck = in.pos == before && out.pos == 0;
    if (ZSTD_isError(left) || text.size() + out.pos > most || (stuck && left != 0)) {
      ZSTD_freeDStream(stream);
      if (!ZSTD_isError(left) && !stuck)
        throw BadBytes("it unpacks to more than " + std::to_string(most) + " bytes");
      broken("zstd");
    }
    text.append(block.data(), out.pos);
  }
  ZSTD_freeDStream(stream);
  return text;
#else
  (void)packed, (void)most;
  lacks("zstd", "libzstd-dev");
#endif
}

std::string unpack_lz4(std::string_view packed, std::size_t most) {
#if ULNA_WITH_LZ4
  LZ4F_dctx* context = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION))) broken("lz4");
  std::string text, block(1 << 17, '\0');
  std::size_t hint = 1;
  while (hint != 0) {
    std::size_t out = block.size(), in = packed.size();
    hint = LZ4F_decompress(context, block.data(), &out, packed.data(), &in, nullptr);
    packed.remove_prefix(LZ4F_isError(hint) ? 0 : in);
    const bool stuck = in == 0 && out == 0, large = text.size() + out > most;
    if (LZ4F_isError(hint) || large || (stuck && hint != 0)) {
      LZ4F_freeDecompressionContext(context);
      if (large) throw BadBytes("it unpacks to more than " + std::to_string(most) + " bytes");
      broken("lz4");
    }
    text.append(block.data(), out);
  }
  LZ4F_freeDecompressionContext(context);
  return text;
#else
  (void)packed, (void)most;
  lacks("lz4", "liblz4-dev");
#endif
}

std::string unpack_bzip2(std::string_view packed, std::size_t most) {
#if ULNA_WITH_BZIP2
  // bzip2 packs fiftythousandfold at most
  if (most > packed.size() * 50'000 + 1000) broken("bzip2");
  std::string text(most, '\0');
  auto size = static_cast<unsigned>(most);
  if (BZ2_bzBuffToBuffDecompress(text.data(), &size, const_cast<char*>(packed.data()),
                                 static_cast<unsigned>(packed.size()), 0, 0) != BZ_OK)
    broken("bzip2");
  text.resize(size);
  return text;
#else
  (void)packed, (void)most;
  lacks("bzip2", "libbz2-dev");
#endif
}

}  // namespace ulna::detail
