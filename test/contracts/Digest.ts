/** Tests that every layer of Digest must pass. */
import { Digest } from "#services/Digest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"

/** The digests of the examples of FIPS 180-2, of the empty text, and of a text outside ASCII as UTF-8. */
const known: ReadonlyArray<readonly [text: string, digest: string]> = [
  ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  [
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
  ],
  ["é", "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c"],
  ["a".repeat(1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"]
]

export const digestContract = (name: string, layer: Layer.Layer<Digest>): void => {
  describe(`Digest (${name})`, () => {
    it.effect("8.1 the digest of a text is the SHA-256 of its UTF-8, as 64 lower-case hex digits", () =>
      Effect.gen(function* () {
        const { sha256 } = yield* Digest
        for (const [text, digest] of known) assert.strictEqual(sha256(text), digest)
      }).pipe(Effect.provide(layer))
    )

    it.effect("8.1 similar texts have different digests", () =>
      Effect.gen(function* () {
        const { sha256 } = yield* Digest
        const texts = ["a", "A", "a ", "a\u0000", "á", "a\u0301", "", " "]
        assert.strictEqual(new Set(texts.map(sha256)).size, texts.length)
      }).pipe(Effect.provide(layer))
    )
  })
}
