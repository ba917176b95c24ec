/**
 * Generates everything that grants access, and every id that must not collide: the ids of runs, conversations, turns,
 * artifacts, approvals, sessions and owners of claims, and tokens.
 *
 * By default, the bytes come from the platform's cryptographic source. Jitter and sampling use effect's `Random`,
 * which a program may seed or replace: a seeded `Random` must never decide a credential.
 *
 * **Gotchas**
 *
 * Replace this reference only in simulations and tests (`effect-toolguard/layers/UnguessableSeeded`). A person who can
 * predict its bytes can read and end the runs of others.
 */
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"

/** A source of unpredictable bytes. */
export interface UnguessableSource {
  /** Returns this many new bytes. */
  readonly bytes: (count: number) => Uint8Array
}

/** How many bytes are drawn from the platform at once: a draw costs several times as much as the bytes of an id. */
const drawnBytes = 1_024

let pool: Uint8Array = new Uint8Array()
let used = 0

/** Returns new bytes of the platform's source. */
const drawn = (count: number): Uint8Array => {
  if (count > drawnBytes / 16) return SecureRandom.randomBytesUnsafe(count)
  if (used + count > pool.length) [pool, used] = [SecureRandom.randomBytesUnsafe(drawnBytes), 0]
  const bytes = pool.slice(used, used + count)
  // what was given out is not kept
  pool.fill(0, used, (used += count))
  return bytes
}

/** The source of unguessable bytes. Default: the platform's cryptographic source. */
export const Unguessable: Context.Reference<UnguessableSource> = Context.Reference("effect-toolguard/Unguessable", {
  defaultValue: () => ({ bytes: drawn })
})

/** Generates this many unguessable bytes. */
export const unguessableBytes = (count: number): Effect.Effect<Uint8Array> =>
  Effect.map(Unguessable, ({ bytes }) => bytes(count))

/** Generates an id of 128 unguessable bits, as 32 hex digits. */
export const unguessableId: Effect.Effect<string> = Effect.map(unguessableBytes(16), Hex.encode)

/**
 * Returns true if a text has the form of an id. Stores look up no other text, because PostgreSQL fails on some texts.
 */
export const isUnguessableId = (id: string): boolean => /^[0-9a-f]{32}$/u.test(id)
