/* SPDX-License-Identifier: Apache-2.0 */
/* Digests of data: 128 bits of BLAKE2b. */
#include "base/base.h"

#include <sodium.h>
#include <string.h>

_Static_assert(sizeof(mmm_digest) >= crypto_generichash_KEYBYTES_MIN, "a digest is a key of BLAKE2b");
_Static_assert(sizeof(mmm_digest) >= crypto_generichash_BYTES_MIN, "a digest is a result of BLAKE2b");

void mmm_digest_add(mmm_digest *digest, const void *data, size_t size)
{
    mmm_digest before = *digest;
    crypto_generichash(digest->bytes, sizeof digest->bytes, data, size, before.bytes, sizeof before.bytes);
}

mmm_digest mmm_digest_of(const void *data, size_t size)
{
    mmm_digest digest = {{0}};
    mmm_digest_add(&digest, data, size);
    return digest;
}

const char *mmm_digest_text(mmm_digest digest, char text[MMM_DIGEST_TEXT])
{
    return sodium_bin2hex(text, MMM_DIGEST_TEXT, digest.bytes, sizeof digest.bytes);
}
