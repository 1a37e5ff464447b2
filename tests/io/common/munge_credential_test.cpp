// MUNGE credentials with a munged of our own: its key, socket and files are in a fresh directory.
#include "common/io/munge_credential.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <munge.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/io/common/munged.hpp"

namespace rollcall::io {
namespace {

using testing::HasSubstr;

const std::string kHash(32, 'h');

TEST(MungeCredential, NamesItsMaker) {
  Munged munged;
  NEEDS_MUNGED(munged);
  const auto credential = munge_encode(kHash, munged.socket());
  ASSERT_TRUE(credential) << credential.error().text;
  const auto who = munge_decode(*credential, kHash, munged.socket());
  ASSERT_TRUE(who) << who.error().text;
  EXPECT_EQ(who->uid, geteuid());
  EXPECT_EQ(who->gid, getegid());
}

TEST(MungeCredential, NamesItsMakerWhateverTheClientClaims) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  Munged munged;
  NEEDS_MUNGED(munged);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(23456) != 0 || setuid(12345) != 0) _exit(3);
    const auto credential = munge_encode(kHash, munged.socket());
    if (!credential) _exit(4);
    const auto size = static_cast<ssize_t>(credential->size());
    _exit(write(ends[1], credential->data(), credential->size()) == size ? 0 : 5);
  }
  close(ends[1]);
  std::string credential(4096, '\0');
  const ssize_t got = read(ends[0], credential.data(), credential.size());
  close(ends[0]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(WEXITSTATUS(status), 0);
  ASSERT_GT(got, 0);
  credential.resize(static_cast<std::size_t>(got));
  const auto who = munge_decode(credential, kHash, munged.socket());
  ASSERT_TRUE(who) << who.error().text;
  EXPECT_EQ(who->uid, 12345u);
  EXPECT_EQ(who->gid, 23456u);
}

TEST(MungeCredential, OfAnotherConnectionIsRefused) {
  Munged munged;
  NEEDS_MUNGED(munged);
  for (const std::string& made_for : {std::string(32, 'i'), kHash + "h", kHash.substr(1), std::string()}) {
    const auto credential = munge_encode(made_for, munged.socket());
    ASSERT_TRUE(credential) << credential.error().text;
    const auto who = munge_decode(*credential, kHash, munged.socket());
    ASSERT_FALSE(who);
    EXPECT_EQ(who.error().text, "MUNGE: the credential is of another connection");
  }
}

TEST(MungeCredential, UsedTwiceIsRefused) {
  Munged munged;
  NEEDS_MUNGED(munged);
  const auto credential = munge_encode(kHash, munged.socket());
  ASSERT_TRUE(credential);
  ASSERT_TRUE(munge_decode(*credential, kHash, munged.socket()));
  const auto again = munge_decode(*credential, kHash, munged.socket());
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().text, HasSubstr("MUNGE: the credential is refused: Replayed credential"));
}

TEST(MungeCredential, OfAnotherRealmIsRefused) {
  Munged ours, foreign;
  NEEDS_MUNGED(ours);
  NEEDS_MUNGED(foreign);
  const auto credential = munge_encode(kHash, foreign.socket());
  ASSERT_TRUE(credential);
  const auto who = munge_decode(*credential, kHash, ours.socket());
  ASSERT_FALSE(who);
  EXPECT_THAT(who.error().text, HasSubstr("MUNGE: the credential is refused: Invalid credential"));
}

// One that lives for a second, made with the library itself.
TEST(MungeCredential, ThatHasExpiredIsRefused) {
  Munged munged;
  NEEDS_MUNGED(munged);
  const std::unique_ptr<munge_ctx, void (*)(munge_ctx_t)> context(munge_ctx_create(), munge_ctx_destroy);
  ASSERT_EQ(munge_ctx_set(context.get(), MUNGE_OPT_SOCKET, munged.socket().c_str()), EMUNGE_SUCCESS);
  ASSERT_EQ(munge_ctx_set(context.get(), MUNGE_OPT_TTL, 1), EMUNGE_SUCCESS);
  char* made = nullptr;
  ASSERT_EQ(::munge_encode(&made, context.get(), kHash.data(), 32), EMUNGE_SUCCESS);
  const std::string credential = made;
  std::free(made);
  // MUNGE counts whole seconds and has no clock to hand in: looked at until its second is over, 10 s at the most. Each
  // look that comes too early uses it up, and says "replayed" from then on until it has expired.
  std::string said;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < end && said.find("Expired") == std::string::npos) {
    poll(nullptr, 0, 100);
    const auto who = munge_decode(credential, kHash, munged.socket());
    said = who ? "taken" : who.error().text;
  }
  EXPECT_THAT(said, HasSubstr("MUNGE: the credential is refused: Expired credential"));
}

TEST(MungeCredential, ThatWasChangedIsRefused) {
  Munged munged;
  NEEDS_MUNGED(munged);
  const auto credential = munge_encode(kHash, munged.socket());
  ASSERT_TRUE(credential);
  for (std::size_t i = 6; i + 1 < credential->size(); i += 7) {
    std::string changed = *credential;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(munge_decode(changed, kHash, munged.socket())) << "byte " << i;
  }
  const std::string odd[] = {"",
                             "MUNGE:",
                             *credential + std::string("\0x", 2),
                             " " + *credential,
                             std::string(4097, 'A'),
                             std::string(1 << 20, 'M')};
  for (const auto& text : odd) EXPECT_FALSE(munge_decode(text, kHash, munged.socket()));
}

TEST(MungeCredential, ClientTriesAgainWhileMungedIsAway) {
  const Munged munged;
  NEEDS_MUNGED(munged);
  const std::string place = munged.socket() + ".later";
  int pauses = 0;
  const auto comes_back = [&] {
    if (++pauses == 2) fs::create_symlink(munged.socket(), place);
  };
  EXPECT_TRUE(munge_encode_patiently("payload", place, comes_back));
  EXPECT_EQ(pauses, 2);
  fs::remove(place);
  pauses = 10;
  const auto away = munge_encode_patiently("payload", place, comes_back);
  ASSERT_FALSE(away);
  EXPECT_EQ(pauses, 12) << "three tries";
  EXPECT_TRUE(munged_is_away(away.error())) << away.error().text;
  const auto forged = munge_decode("MUNGE:forged:", "payload", munged.socket());
  ASSERT_FALSE(forged);
  EXPECT_FALSE(munged_is_away(forged.error())) << forged.error().text;
}

TEST(MungeCredential, WithoutMungedIsOneLineThatSaysSo) {
  const std::string nowhere = "/nonexistent/rollcall/munge.socket";
  const auto credential = munge_encode(kHash, nowhere);
  ASSERT_FALSE(credential);
  EXPECT_THAT(credential.error().text, HasSubstr("MUNGE: munged does not answer: "));
  EXPECT_THAT(credential.error().text, HasSubstr(nowhere));
  EXPECT_EQ(credential.error().text.find('\n'), std::string::npos);
  const auto who = munge_decode("MUNGE:AAAA:", kHash, nowhere);
  ASSERT_FALSE(who);
  EXPECT_THAT(who.error().text, HasSubstr("MUNGE: munged does not answer: "));
}

TEST(MungeCredential, WhenMungedDiesTheNextOneIsRefused) {
  Munged munged;
  NEEDS_MUNGED(munged);
  const auto credential = munge_encode(kHash, munged.socket());
  ASSERT_TRUE(credential);
  munged.stop();
  EXPECT_FALSE(munge_decode(*credential, kHash, munged.socket()));
}

}  // namespace
}  // namespace rollcall::io
