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
import { compiled } from "#domain/schema/SchemaJit"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const SealedText = Schema.Struct({ sealed: Schema.String })
type SealedText = typeof SealedText.Type

/** A value, or its encrypted text. */
export type StoredValue<A> = SealedText | A

const storedSchemas = new WeakMap<Schema.Top, Schema.Top>()

/** The schema of a value that may be encrypted. A schema has one, because Effect compiles its parsers once. */
export const stored = <S extends Schema.Top>(schema: S): Schema.Union<readonly [typeof SealedText, S]> => {
  const schemaOf = storedSchemas.get(schema) ?? compiled(Schema.Union([SealedText, schema]))
  storedSchemas.set(schema, schemaOf)
  return schemaOf as Schema.Union<readonly [typeof SealedText, S]> // made from this schema above
}

type Values<A> = Schema.Codec<A, unknown>

/** Converts values to and from the JSON in which they are stored. */
interface JsonCodec<A> {
  readonly encode: (value: StoredValue<A>) => Effect.Effect<Schema.Json, Schema.SchemaError>
  readonly decode: (json: unknown) => Effect.Effect<StoredValue<A>, Schema.SchemaError>
}

const codecs = new WeakMap<Schema.Top, unknown>()

/** Returns the codec of the values of a schema that may be encrypted. */
export const codecOf = <A>(schema: Values<A>): JsonCodec<A> => {
  const existing = codecs.get(schema)
  if (existing !== undefined) return existing as JsonCodec<A> // made from this schema below
  const json = compiled(Schema.toCodecJson(stored(schema)))
  const codec: JsonCodec<A> = { encode: Schema.encodeEffect(json), decode: Schema.decodeUnknownEffect(json) }
  codecs.set(schema, codec)
  return codec
}

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
