/** Tests the cipher of stored texts: keys, rotation, and texts that were changed, moved or written in plaintext. */
import * as AtRestAes from "#layers/AtRestAes"
import { clear, type Place } from "#services/AtRest"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted, Result, Schema } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { keyOf } from "../support/atRest.ts"

const place: Place = ["keys", "tenant", "key"]
const cipher = (keys: string, clearTexts?: "read" | "refuse") =>
  Effect.runSync(AtRestAes.make({ keys: Redacted.make(keys), ...(clearTexts === undefined ? {} : { clearTexts }) }))
const first = cipher(`first:${keyOf(1)}`)
const refusal = (result: Result.Result<string, { readonly reason: string; readonly message: string }>) =>
  Result.isFailure(result) ? result.failure : assert.fail("A text was opened.")

describe("AtRestAes", () => {
  it.prop("decrypts any text at the place of its row", [Schema.String], ([text]) => {
    assert.strictEqual(Result.getOrThrow(first.open(first.seal(text, place), place)), text)
    assert.strictEqual(Result.getOrThrow(clear.open(clear.seal(text, place), place)), text)
  })

  it("decrypts lone surrogates, NUL, an empty text and a text that looks sealed", () => {
    for (const text of ["", "\ud800", "a\udc00b", "\u0000", "toolguard-aes1:first:x:y", "toolguard-clear1:x", "€👩"]) {
      for (const one of [first, clear]) {
        assert.strictEqual(Result.getOrThrow(one.open(one.seal(text, place), place)), text)
      }
    }
  })

  it("a text that is sealed twice has two different ciphertexts without the text", () => {
    const [one, two] = [first.seal("planted", place), first.seal("planted", place)]
    assert.notStrictEqual(one, two)
    assert.notInclude(one + Buffer.from(one.split(":")[3]!, "base64url").toString("latin1"), "planted")
  })

  it("refuses a text that was moved to another row, changed or cut", () => {
    const text = first.seal("planted", place)
    const flipped = text.slice(0, -2) + (text.endsWith("AA") ? "BB" : "AA")
    const all = [
      first.open(text, ["keys", "tenant", "other"]),
      first.open(text, ["keys", "other", "key"]),
      first.open(text, ["journal", "tenant", "key"]),
      first.open(flipped, place),
      first.open(text.slice(0, 60), place),
      first.open("toolguard-aes1:", place),
      first.open("toolguard-aes1:first:00000000", place)
    ]
    assert.deepStrictEqual(
      all.map((one) => refusal(one).reason),
      all.map(() => "changed")
    )
  })

  it("a missing key and another key with the same id have different reasons, and messages that name the variable", () => {
    const text = first.seal("planted", place)
    const missing = refusal(cipher(`second:${keyOf(2)}`).open(text, place))
    const wrong = refusal(cipher(`first:${keyOf(2)}`).open(text, place))
    const none = refusal(clear.open(text, place))
    assert.deepStrictEqual([missing.reason, wrong.reason, none.reason], ["no_key", "wrong_key", "no_key"])
    for (const { message } of [missing, wrong, none]) {
      assert.include(message, "TOOLGUARD_AT_REST_KEY")
      assert.include(message, "first")
    }
  })

  it("a second key that is put first encrypts, and the old key still decrypts", () => {
    const before = first.seal("planted", place)
    const rotated = cipher(`second:${keyOf(2)}\nfirst:${keyOf(1)}\n`)
    assert.strictEqual(Result.getOrThrow(rotated.open(before, place)), "planted")
    assert.match(rotated.seal("planted", place), /^toolguard-aes1:second:/)
  })

  it("a key without an id has an id that is derived from the key", () => {
    const text = cipher(keyOf(1)).seal("planted", place)
    assert.strictEqual(Result.getOrThrow(cipher(`${keyOf(2)},${keyOf(1)}`).open(text, place)), "planted")
    assert.strictEqual(refusal(cipher(keyOf(2)).open(text, place)).reason, "no_key")
  })

  it("a plaintext is read by default, and refused with `refuse`", () => {
    assert.strictEqual(Result.getOrThrow(first.open("{}", place)), "{}")
    assert.strictEqual(refusal(cipher(keyOf(1), "refuse").open("{}", place)).reason, "clear_refused")
  })

  it("an error about a malformed key does not contain the key", () => {
    const short = Buffer.alloc(16, 7).toString("base64")
    for (const [keys, detail] of [
      ["", "has no key"],
      [short, "has 16 bytes instead of 32"],
      [`a:${keyOf(1)},a:${keyOf(2)}`, "two keys with the id a"],
      ["a:b:c", "is not ID:BASE64"],
      ["a:hunter2!", "The key a of TOOLGUARD_AT_REST_KEY is not ID:BASE64"]
    ] as const) {
      const made = Effect.runSync(Effect.result(AtRestAes.make({ keys: Redacted.make(keys) })))
      const message = Result.isFailure(made) ? made.failure.message : assert.fail(keys)
      assert.include(message, detail)
      assert.include(message, "openssl rand -base64 32")
      for (const secret of [short, keyOf(1), "hunter2"]) assert.notInclude(message, secret)
    }
    const plain = Effect.runSync(Effect.result(AtRestAes.make({ keys: keyOf(1) as never })))
    assert.include(Result.isFailure(plain) ? plain.failure.message : "", "Redacted.make(text)")
  })

  describe("from the environment", () => {
    const using = (env: Readonly<Record<string, string>>) =>
      Effect.result(
        Effect.provideService(AtRestAes.fromConfig, ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
      )
    const folder = mkdtempSync(join(tmpdir(), "toolguard-keys-"))

    it.effect(
      "encrypts with the key in a variable or a file, writes plaintext without a key, and refuses a variable together with a file",
      () =>
        Effect.gen(function* () {
          const file = join(folder, "key")
          writeFileSync(file, `first:${keyOf(1)}\n`)
          const text = first.seal("planted", place)
          for (const env of [{ TOOLGUARD_AT_REST_KEY: `first:${keyOf(1)}` }, { TOOLGUARD_AT_REST_KEY_FILE: file }]) {
            const made = Result.getOrThrow(yield* using(env as Record<string, string>))
            assert.strictEqual(Result.getOrThrow(made.open(text, place)), "planted")
          }
          assert.isFalse(Result.getOrThrow(yield* using({})).isEncrypting)
          for (const env of [
            { TOOLGUARD_AT_REST_KEY: keyOf(1), TOOLGUARD_AT_REST_KEY_FILE: file },
            { TOOLGUARD_AT_REST_KEY_FILE: join(folder, "absent") }
          ]) {
            assert.isTrue(
              Result.isFailure(yield* using(env as Record<string, string>)),
              JSON.stringify(Object.keys(env))
            )
          }
          rmSync(folder, { recursive: true })
          process.env["TOOLGUARD_AT_REST_KEY"] = ""
          const empty = yield* using({})
          delete process.env["TOOLGUARD_AT_REST_KEY"]
          assert.isTrue(Result.isFailure(empty), "an empty variable does not switch encryption off")
        })
    )
  })
})
