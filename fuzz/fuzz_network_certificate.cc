// Any text is read or refused; what is read survives being written, and can be
// checked.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fuzz_target.h"
#include "tilewright/certificate.h"

using tilewright::Checked;
using tilewright::certificate::NetworkCertificate;

FUZZ_TARGET(network_certificate)(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Checked<NetworkCertificate> read =
      tilewright::certificate::read_network_certificate(text, "fuzz");
  if (read.value.has_value() == !read.problems.empty()) std::abort();
  if (!read.value) return 0;
  const Checked<NetworkCertificate> again = tilewright::certificate::read_network_certificate(
      tilewright::certificate::write_certificate(*read.value), "again");
  if (!again.ok() || !(*again.value == *read.value)) std::abort();
  tilewright::certificate::check(*read.value);
  return 0;
}
