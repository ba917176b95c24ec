/**
 * Encrypts the texts of the stores with AES-256-GCM and configured keys.
 *
 * **Details**
 *
 * - The first key encrypts. All keys decrypt: to rotate keys, put a new key first and keep the old keys until the rows
 *   that they encrypted have expired.
 * - Each text has a random nonce of 96 bits. Its place (table and row) is authenticated, so that a text that was
 *   changed or moved to another row is refused.
 * - Unencrypted texts, written before encryption was switched on, are read unless `clearTexts` is `refuse`.
 *
 * **Gotchas**
 *
 * - Without the key, the texts are lost. Keep a copy of the key separately from the database.
 * - Columns by which rows are found are not encrypted: tenants, tools, ids, times, digests. SECURITY.md lists them.
 * - Replace a key after at most four billion texts, the limit of AES-GCM with random nonces.
 */
import {
  AtRest,
  type AtRestCipher,
  AtRestUnreadable,
  clear,
  keyVariable,
  noKey,
  openClear,
  type Place,
  sealedMark,
  sealedParts
} from "#services/AtRest"
import { Unguessable, type UnguessableSource } from "#services/Unguessable"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { createCipheriv, createDecipheriv, hash } from "node:crypto"
import { readFileSync } from "node:fs"

/** The keys are missing or malformed. */
export class AtRestMisconfigured extends Schema.TaggedError<AtRestMisconfigured>(
  "effect-toolguard/AtRestMisconfigured"
)("AtRestMisconfigured", { detail: Schema.String, remedy: Schema.String }) {
  override get message(): string {
    return `${this.detail} ${this.remedy}`
  }
}

export interface AtRestAesOptions {
  /**
   * The keys, the current key first, one per line or separated by commas. A key is 32 bytes in Base64 or 64 hex digits,
   * optionally after an id of at most 64 letters, digits, `_`, `-` or `.` and a colon: `2026-11:BASE64`. Without an id,
   * the id is derived from the key.
   */
  readonly keys: Redacted.Redacted<string>
  /** Whether unencrypted texts are read or refused. Default `read`. */
  readonly clearTexts?: "read" | "refuse"
}

interface Key {
  readonly id: string
  readonly fingerprint: string
  readonly bytes: Uint8Array
}

const nonceLength = 12
const tagLength = 16
const keyLength = 32
const encodings = ["utf8", "utf16le"] as const
const howTo = `Set ${keyVariable} to ID:KEY, where KEY is the output of: openssl rand -base64 32`

const misconfigured = (detail: string) => new AtRestMisconfigured({ detail, remedy: `${howTo}.` })

/** Returns a digest that distinguishes a key from others without revealing it. */
const fingerprintOf = (bytes: Uint8Array): string =>
  hash("sha256", Buffer.concat([Buffer.from("toolguard at rest\n"), bytes]), "hex").slice(0, 8)

const isHex = /^[0-9a-f]{64}$/i
const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/

const keyOf = (text: string, index: number): Result.Result<Key, AtRestMisconfigured> => {
  const [, id, encoded = ""] = /^(?:([\w.-]{1,64}):)?([^:]*)$/.exec(text) ?? []
  const name = id === undefined ? `The key number ${index + 1}` : `The key ${id}`
  if (!isBase64.test(encoded)) return Result.fail(misconfigured(`${name} of ${keyVariable} is not ID:BASE64.`))
  const bytes = Buffer.from(encoded, isHex.test(encoded) ? "hex" : "base64")
  if (bytes.length !== keyLength) {
    return Result.fail(misconfigured(`${name} of ${keyVariable} has ${bytes.length} bytes instead of ${keyLength}.`))
  }
  const fingerprint = fingerprintOf(bytes)
  return Result.succeed({ id: id ?? `key-${fingerprint}`, fingerprint, bytes })
}

const keysOf = (text: string): Result.Result<ReadonlyArray<Key>, AtRestMisconfigured> => {
  const parts = text.split(/[\s,]+/).filter((part) => part !== "")
  if (parts.length === 0) return Result.fail(misconfigured(`${keyVariable} has no key.`))
  const keys: Array<Key> = []
  for (const [index, part] of parts.entries()) {
    const key = keyOf(part, index)
    if (Result.isFailure(key)) return Result.fail(key.failure)
    if (keys.some(({ id }) => id === key.success.id)) {
      return Result.fail(misconfigured(`${keyVariable} has two keys with the id ${key.success.id}.`))
    }
    keys.push(key.success)
  }
  return Result.succeed(keys)
}

const associated = (place: Place): Uint8Array => Buffer.from(JSON.stringify(place))

const sealed = ({ bytes, fingerprint, id }: Key, nonce: Uint8Array, text: string, place: Place): string => {
  const cipher = createCipheriv("aes-256-gcm", bytes, nonce)
  cipher.setAAD(associated(place))
  // UTF-8 would lose lone surrogates. The first byte names the encoding.
  const encoding = text.isWellFormed() ? "utf8" : "utf16le"
  const plain = Buffer.concat([Uint8Array.of(encodings.indexOf(encoding)), Buffer.from(text, encoding)])
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return `${sealedMark}${id}:${fingerprint}:${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url")}`
}

const opened = (key: Key, base64: string, place: Place): string | undefined => {
  const all = Buffer.from(base64, "base64url")
  if (all.length < nonceLength + tagLength) return undefined
  try {
    const decipher = createDecipheriv("aes-256-gcm", key.bytes, all.subarray(0, nonceLength), {
      authTagLength: tagLength
    })
    decipher.setAAD(associated(place))
    decipher.setAuthTag(all.subarray(nonceLength, nonceLength + tagLength))
    const body = all.subarray(nonceLength + tagLength)
    const plain = Buffer.concat([decipher.update(body), decipher.final()])
    return plain.toString(encodings[plain[0] ?? 0], 1)
  } catch {
    return undefined
  }
}

const unreadable = (reason: "wrong_key" | "changed" | "clear_refused", store: string, detail: string, remedy: string) =>
  Result.fail(new AtRestUnreadable({ reason, store, detail, remedy }))

const cipherOf = (
  source: UnguessableSource,
  current: Key,
  keys: ReadonlyArray<Key>,
  clearTexts: "read" | "refuse"
): AtRestCipher => ({
  isEncrypting: true,
  seal: (text, place) => sealed(current, source.bytes(nonceLength), text, place),
  open: (text, place) => {
    const [store] = place
    const parts = sealedParts(text)
    if (parts === undefined) {
      if (clearTexts === "read") return Result.succeed(openClear(text))
      return unreadable(
        "clear_refused",
        store,
        `A stored text (${store}) is not encrypted, and unencrypted texts are refused.`,
        "Remove the row, or set clearTexts to read."
      )
    }
    const key = keys.find(({ id }) => id === parts.keyId)
    if (key === undefined && parts.keyId !== "") return Result.fail(noKey(store, parts.keyId))
    if (key !== undefined && key.fingerprint !== parts.fingerprint) {
      return unreadable(
        "wrong_key",
        store,
        `A stored text (${store}) was encrypted with another key that is also called ${key.id}.`,
        `Add the key that encrypted it to ${keyVariable}, and give each key a different id.`
      )
    }
    const plain = key && opened(key, parts.bytes, place)
    return plain === undefined
      ? unreadable(
          "changed",
          store,
          `A stored text (${store}) was changed, cut or moved to another row, and cannot be decrypted.`,
          "Restore the row from a backup, or remove it."
        )
      : Result.succeed(plain)
  }
})

/** Creates a cipher that takes its nonces from `Unguessable`. */
export const make = ({
  clearTexts = "read",
  keys
}: AtRestAesOptions): Effect.Effect<AtRestCipher, AtRestMisconfigured> =>
  Effect.gen(function* () {
    if (!Redacted.isRedacted(keys)) return yield* misconfigured("The option keys is not Redacted.make(text).")
    const all = yield* Effect.fromResult(keysOf(Redacted.value(keys)))
    return cipherOf(yield* Unguessable, all[0]!, all, clearTexts)
  })

/** Encrypts with the given keys. Provide this layer to the layers of the stores. */
export const layer = (options: AtRestAesOptions): Layer.Layer<never, AtRestMisconfigured> =>
  Layer.effect(AtRest, make(options))

const text = (name: string): Effect.Effect<string | undefined, AtRestMisconfigured> =>
  Config.option(Config.Redacted(name)).pipe(
    Effect.map((found) => Option.getOrUndefined(Option.map(found, (secret) => Redacted.value(secret)))),
    Effect.mapError(() => misconfigured(`${name} cannot be read.`))
  )

/**
 * True if the environment has the variable without a value, as after a failed substitution. `Config` treats such a
 * variable as absent.
 */
// @effect-diagnostics-next-line processEnv:off -- `Config` does not tell an empty variable from an absent one
const isEmpty = (name: string): boolean => process.env[name] === ""

const configured = Effect.gen(function* () {
  for (const name of [keyVariable, `${keyVariable}_FILE`]) {
    if (isEmpty(name)) return yield* misconfigured(`${name} is set to an empty text.`)
  }
  const keys = yield* text(keyVariable)
  const file = yield* text(`${keyVariable}_FILE`)
  if (keys !== undefined && file !== undefined) {
    return yield* misconfigured(`${keyVariable} and ${keyVariable}_FILE are both set: set one of them.`)
  }
  if (file === undefined) return keys
  return yield* Effect.try({
    try: () => readFileSync(file, "utf8"),
    catch: () => misconfigured(`The file of ${keyVariable}_FILE cannot be read.`)
  })
})

/** The cipher that the environment configures: `clear` if no key is set. */
export const fromConfig: Effect.Effect<AtRestCipher, AtRestMisconfigured> = Effect.flatMap(configured, (keys) =>
  keys === undefined ? Effect.succeed(clear) : make({ keys: Redacted.make(keys) })
)

/**
 * Encrypts with the keys of `TOOLGUARD_AT_REST_KEY`, or of the file that `TOOLGUARD_AT_REST_KEY_FILE` names. If neither
 * is set, texts are stored unencrypted.
 */
export const layerConfig: Layer.Layer<never, AtRestMisconfigured> = Layer.effect(AtRest, fromConfig)
