#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "certificate/examples.h"

namespace tilewright::certificate {
namespace {

using testing::certify;
using testing::gemm_example;

Certificate example() { return certify(gemm_example(SpaceKind::RubyS, Objective::Edp)); }

std::string complaint(const std::string& text) {
  const Checked<Certificate> read = read_certificate(text, "c.json");
  return read.ok() ? "read" : to_string(read.problems.front());
}

// The text with one piece of it replaced.
std::string with(std::string text, const std::string& piece, const std::string& other) {
  const std::size_t found = text.find(piece);
  if (found == std::string::npos) throw std::logic_error(piece + " is not there");
  return text.replace(found, piece.size(), other);
}

TEST(CertificateText, IsReadBackAsItWas) {
  for (const Objective objective :
       {Objective::Edp, Objective::Energy, Objective::Latency, Objective::Ed2p, Objective{2, 3}}) {
    const Certificate written = certify(gemm_example(SpaceKind::Perfect, objective));
    const Checked<Certificate> read = read_certificate(write_certificate(written), "c.json");
    ASSERT_TRUE(read.ok());
    EXPECT_TRUE(*read.value == written);
    EXPECT_TRUE(check(*read.value).problems.empty());
  }
}

TEST(CertificateText, SaysWhereItIsNotUnderstood) {
  const std::string text = write_certificate(example());
  EXPECT_EQ(complaint(""), "c.json:1:1: this is not JSON");
  EXPECT_EQ(complaint("{\n  \"bound\" 1}"), "c.json:2:11: this is not JSON");
  EXPECT_EQ(complaint("[1]"), "c.json:1:1: this is no certificate; write a JSON object");
  EXPECT_EQ(complaint(with(text, "\"ruby-s\"", "\"rubies\"")),
            "c.json:3:3: there is no map-space 'rubies'; write pfm, ruby-s, ruby-t or ruby");
  EXPECT_EQ(complaint(with(text, "\"even mappings\"", "\"odd mappings\"")),
            "c.json:4:3: nothing is proven among 'odd mappings'; write \"even mappings\", \"all "
            "mappings, uneven at marked memories alone\" or \"all mappings, even and uneven\"");
  EXPECT_EQ(complaint(with(text, "\"edp\"", "7")), "c.json:5:3: \"objective\" is not a text");
  EXPECT_EQ(complaint(with(text, "\"edp\"", "\"speed\"")),
            "c.json:5:3: there is no objective 'speed'; write edp, energy or latency");
  EXPECT_EQ(complaint(with(text, "\"workload\"", "\"workloed\"")),
            "c.json:7:3: \"workloed\" is not a key of a certificate; did you mean \"workload\"?");
  EXPECT_EQ(complaint(with(text, "\"cycles\": ", "\"cycles\": -")),
            "c.json:11:3: \"cycles\" is not a whole number from 0 to 2^60");
  EXPECT_EQ(complaint(with(text, "  \"bound\"", "  \"value\": \"1\",\n  \"bound\"")),
            "c.json:13:3: \"value\" stands twice");
  EXPECT_EQ(complaint("{}"), "c.json: \"tilewright_certificate\" is missing");
}

TEST(CertificateText, IsAboutEvenMappingsWhereItDoesNotSay) {
  const Certificate written = example();
  const std::string silent =
      with(write_certificate(written), "  \"among\": \"even mappings\",\n", "");
  EXPECT_TRUE(*read_certificate(silent, "c.json").value == written);
  Certificate uneven = written;
  for (const Among among : {Among::Marked, Among::All}) {
    uneven.among = among;
    EXPECT_TRUE(*read_certificate(write_certificate(uneven), "c.json").value == uneven);
  }
}

TEST(CertificateText, MayBeAnything) {
  EXPECT_EQ(complaint("{\n  \"cycles\": 1e999}"), "c.json:2:13: the number 1e999 is too large");
  EXPECT_EQ(complaint(std::string(100'000, '[')),
            "c.json:1:65: lists and maps are nested too deeply");
  std::string many = "{\"proof\": [1";
  for (int i = 0; i < 1 << 20; ++i) many += ",1";
  EXPECT_EQ(complaint(many + "]}"), "c.json:1:2: there are more than 1,048,576 values");
}

TEST(CertificateText, ProofsAreStepsInLines) {
  Certificate certificate = example();
  certificate.proof.clear();
  for (int i = 0; i < 100; ++i) {
    certificate.proof.push_back({ProofStep::Split, 1 + i % 2});
    certificate.proof.push_back({ProofStep::Floor, 123'456'789});
    certificate.proof.push_back({ProofStep::Lattice, 1});
    certificate.proof.push_back({ProofStep::Tree, 7});
    certificate.proof.push_back({ProofStep::Refined, 2});
  }
  const std::string text = write_certificate(certificate);
  EXPECT_THAT(text, ::testing::HasSubstr("\"sf123456789lt7r2s2f123456789lt7r2"));
  EXPECT_EQ(read_certificate(text, "c.json").value->proof, certificate.proof);
}

TEST(CertificateText, OtherProofsAreNotUnderstood) {
  const std::string text = write_certificate(example());
  for (const char* bad : {"floor", "f0", "f01", "f1", "f-1", "x", "f 3", "3", "f3,", " f3",
                          "f1234567890123", "F3", " "}) {
    const std::size_t proof = text.find("\"proof\"");
    const std::size_t first = text.find('"', proof + 8);
    const std::size_t end = text.find('"', first + 1);
    std::string changed = text;
    changed.replace(first, end - first + 1, '"' + std::string(bad) + '"');
    EXPECT_THAT(complaint(changed),
                ::testing::HasSubstr(
                    "line 1 of the proof is not understood; write steps as in "
                    "\"s2f12l\": s split, f floor, l lattice, t tree, p ports, w wide tree"))
        << bad;
  }
}

TEST(CertificateText, OtherVersionsAreRefused) {
  const std::string text = write_certificate(example());
  const std::string old = with(text, "certificate\": 4", "certificate\": 3");
  const auto read =
      read_certificate(with(old, "\"proof\": [", "\"proof\": [\"floor 12\","), "c.json");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(to_string(check(*read.value).problems.front()),
            "this is version 3; only 4 is known; write it again by map --certificate");
}

}  // namespace
}  // namespace tilewright::certificate
