/**
 * Defines how the stores write arguments, results, prompts and journals to a disk or a server: unencrypted or
 * encrypted.
 *
 * This is a reference whose default is `clear`, so it never appears in requirements. Provide
 * `effect-toolguard/layers/AtRestAes` to the layers of the stores to encrypt.
 *
 * **Details**
 *
 * - `seal` is called before a text is written, and `open` after it was read, with the same place.
 * - The place is the table and the key of the row. A text that was moved to another row cannot be opened.
 * - An unencrypted text stays readable after encryption is switched on.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** The name of the environment variable that contains the keys. */
export const keyVariable = "TOOLGUARD_AT_REST_KEY"

/**
 * A stored text cannot be read. Nothing was changed.
 *
 * - `no_key`: no key with the id that the text names is configured.
 * - `wrong_key`: the configured key with this id differs from the key that encrypted the text.
 * - `changed`: the text was changed, cut or moved to another row.
 * - `clear_refused`: the text is unencrypted, and unencrypted texts are refused.
 */
export class AtRestUnreadable extends Schema.TaggedError<AtRestUnreadable>("effect-toolguard/AtRestUnreadable")(
  "AtRestUnreadable",
  {
    reason: Schema.Literals(["no_key", "wrong_key", "changed", "clear_refused"]),
    /** The store of the text, such as `keys` or `journal`. */
    store: Schema.String,
    /** The fault, in one sentence. It names the key by its id. */
    detail: Schema.String,
    /** The remedy, in one sentence. */
    remedy: Schema.String
  }
) {
  override get message(): string {
    return `${this.detail} ${this.remedy}`
  }
}

/** The table and the key of a row. */
export type Place = readonly [store: string, ...key: ReadonlyArray<string>]

/** The place of a line of a file of call records. A file has no rows: a line that was moved is not detected. */
export const linePlace: Place = ["calls"]

/** The place of a call record, or of a late outcome, in the table of call records. */
export const callPlace = (kind: "call" | "late", traceId: string): Place => ["calls", kind, traceId]

/** Writes and reads stored texts. */
export interface AtRestCipher {
  readonly isEncrypting: boolean
  /** Returns the text to store. */
  readonly seal: (text: string, place: Place) => string
  /** Returns the text that was sealed for this place. */
  readonly open: (text: string, place: Place) => Result.Result<string, AtRestUnreadable>
}

/** The beginning of an encrypted text: `toolguard-aes1:<id of the key>:<fingerprint of the key>:<Base64>`. */
export const sealedMark = "toolguard-aes1:"
const clearMark = "toolguard-clear1:"

/** Matches an encrypted text. The groups are the id of the key, its fingerprint, and the Base64. */
const sealedText = /^toolguard-aes1:([\w.-]{1,64}):([0-9a-f]{8}):([\w-]+)$/

/** The parts of an encrypted text. */
export interface SealedText {
  readonly keyId: string
  readonly fingerprint: string
  readonly bytes: string
}

/** Returns the parts of an encrypted text. Returns undefined for an unencrypted text. */
export const sealedParts = (text: string): SealedText | undefined => {
  if (!text.startsWith(sealedMark)) return undefined
  const [, keyId = "", fingerprint = "", bytes = ""] = sealedText.exec(text) ?? []
  return { keyId, fingerprint, bytes }
}

/**
 * Writes a text unencrypted. If the text begins with a mark, another mark is put in front, which `openClear` removes.
 */
export const sealClear = (text: string): string =>
  text.startsWith(sealedMark) || text.startsWith(clearMark) ? clearMark + text : text

/** Reads a text that was written unencrypted. */
export const openClear = (text: string): string => (text.startsWith(clearMark) ? text.slice(clearMark.length) : text)

/** Explains that no key with this id is configured. */
export const noKey = (store: string, keyId: string): AtRestUnreadable =>
  new AtRestUnreadable({
    reason: "no_key",
    store,
    detail: `A stored text (${store}) is encrypted with the key ${keyId}, which is not configured.`,
    remedy: `Add this key to ${keyVariable}, or provide it to the layer AtRestAes.`
  })

/** Stores texts unencrypted. An encrypted text fails with `no_key`. */
export const clear: AtRestCipher = {
  isEncrypting: false,
  seal: sealClear,
  open: (text, [store]) => {
    const sealed = sealedParts(text)
    return sealed === undefined ? Result.succeed(openClear(text)) : Result.fail(noKey(store, sealed.keyId || "?"))
  }
}

/** How the stores write texts. Default: `clear`. */
export const AtRest: Context.Reference<AtRestCipher> = Context.Reference("effect-toolguard/AtRest", {
  defaultValue: () => clear
})

/**
 * Fails with the first error that the configuration of the keys has caused. A text that was changed is not such an
 * error: a log omits such a text like any text that cannot be decoded.
 */
export const keyFault = (
  texts: ReadonlyArray<Result.Result<string, AtRestUnreadable>>
): Result.Result<void, AtRestUnreadable> => {
  for (const text of texts) {
    if (Result.isFailure(text) && text.failure.reason !== "changed") return Result.fail(text.failure)
  }
  return Result.succeed(undefined)
}

/** Opens a stored text as an effect. Bytes, which a person can write to a column of SQLite, are a changed text. */
export const openText = (
  cipher: AtRestCipher,
  text: string | Uint8Array,
  place: Place
): Effect.Effect<string, AtRestUnreadable> =>
  typeof text === "string" ? Effect.fromResult(cipher.open(text, place)) : Effect.fail(bytes(place))

const bytes = ([store]: Place): AtRestUnreadable =>
  new AtRestUnreadable({
    reason: "changed",
    store,
    detail: `A stored text (${store}) was replaced by bytes.`,
    remedy: "Restore the row from a backup, or remove it."
  })
