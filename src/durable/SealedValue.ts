/**
 * Encrypts the data of a run that the workflow engine stores: the prompt, the results of the steps, the decisions of
 * people and the end. Ids and names of steps are not encrypted.
 *
 * **Details**
 *
 * - Without encryption, values are stored as earlier versions stored them. Unencrypted values stay readable after
 *   encryption is switched on, unless the cipher refuses them.
 * - A runner that cannot decrypt a value logs the reason and does not continue the run. The run continues on a runner
 *   that has the key. If the first runner ended the run instead, the run would be lost.
 */
import { type AtRestCipher, type AtRestUnreadable, openText } from "#services/AtRest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const SealedText = Schema.Struct({ sealed: Schema.String })
type SealedText = typeof SealedText.Type

/** A value, or its encrypted text. */
export type StoredValue<A> = SealedText | A

/** The schema of a value that may be encrypted. */
export const stored = <S extends Schema.Top>(schema: S) => Schema.Union([SealedText, schema])

type Values<A> = Schema.Codec<A, unknown>

/** Encrypts the values of one run. */
export interface Sealing {
  readonly seal: <A>(place: string, schema: Values<A>, value: A) => Effect.Effect<StoredValue<A>>
  readonly open: <A>(place: string, schema: Values<A>, value: StoredValue<A>) => Effect.Effect<A, AtRestUnreadable>
}

/** An unencrypted text, which tests whether the cipher refuses unencrypted texts. */
const anyClearText = ""

export const make = (cipher: AtRestCipher, execution: string): Sealing => {
  const at = (place: string) => ["durable runs", execution, place] as const
  return {
    seal: (place, schema, value) =>
      cipher.isEncrypting && value !== undefined
        ? Schema.encodeEffect(Schema.toCodecJson(schema))(value).pipe(
            Effect.orDie,
            Effect.map((encoded) => ({ sealed: cipher.seal(JSON.stringify(encoded), at(place)) }))
          )
        : Effect.succeed(value),
    open: <A>(place: string, schema: Values<A>, value: StoredValue<A>) =>
      isSealed(value)
        ? Effect.flatMap(openText(cipher, value.sealed, at(place)), (text) =>
            Effect.orDie(Schema.decodeUnknownEffect(Schema.toCodecJson(schema))(JSON.parse(text)))
          )
        : Effect.as(
            cipher.isEncrypting && value !== undefined ? openText(cipher, anyClearText, at(place)) : Effect.void,
            value
          )
  }
}

const isSealed = (value: unknown): value is SealedText =>
  typeof value === "object" && value !== null && "sealed" in value && typeof value.sealed === "string"

/** Opens a value for the body of a run. Waits forever if the value cannot be decrypted here. */
export const orWait = <A>(opened: Effect.Effect<A, AtRestUnreadable>): Effect.Effect<A> =>
  Effect.catch(opened, (error) =>
    Effect.andThen(Effect.logError(`A durable run cannot continue on this runner. ${error.message}`), Effect.never)
  )
