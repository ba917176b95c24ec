/**
 * Keeps the sessions of the inbox in this process: a restart signs everyone out.
 *
 * The cookie has 128 random bits, of which only the digest is stored. Each session has a separate key that signs the
 * tokens of its forms, so that a foreign page cannot forge them. The session keeps the approver's token, to verify it
 * at every request.
 */
import { unguessableBytes, unguessableId } from "#services/Unguessable"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { createHmac, hash, timingSafeEqual } from "node:crypto"

/** `owner` is the name of the approver, `key` signs the form tokens, and `expiresAt` is in epoch milliseconds. */
export interface Session {
  readonly owner: string
  readonly token: Redacted.Redacted
  readonly key: Uint8Array
  readonly expiresAt: number
}

/** The lifetime of a session: 8 hours. */
export const lifetimeMillis = 8 * 3_600_000

/**
 * The maximum number of sessions of one approver. Beyond this number, the oldest of them ends. The sessions of others stay
 * open.
 */
const limit = 100

const digestOf = (cookie: string): string => hash("sha256", cookie, "hex")

/** The sessions of one process. */
export interface Sessions {
  /** Opens a session and returns the value of its cookie. */
  readonly open: (owner: string, token: Redacted.Redacted, now: number) => Effect.Effect<string>
  readonly find: (cookie: string | undefined, now: number) => Session | undefined
  readonly close: (cookie: string | undefined) => void
}

/** Creates an empty set of sessions. */
export const make = (): Sessions => {
  const sessions = new Map<string, Session>()
  return {
    open: (owner, token, now) =>
      Effect.map(Effect.all([unguessableId, unguessableBytes(32)]), ([cookie, key]) => {
        const own = [...sessions].filter(([, session]) => session.owner === owner)
        for (const [id] of own.slice(0, Math.max(0, own.length - limit + 1))) sessions.delete(id)
        sessions.set(digestOf(cookie), { owner, token, key, expiresAt: now + lifetimeMillis })
        return cookie
      }),
    find: (cookie, now) => {
      if (cookie === undefined) return undefined
      const id = digestOf(cookie)
      const session = sessions.get(id)
      if (session === undefined || now < session.expiresAt) return session
      sessions.delete(id)
      return undefined
    },
    close: (cookie) => {
      if (cookie !== undefined) sessions.delete(digestOf(cookie))
    }
  }
}

/** Returns the token of a form, for one session and one purpose. */
export const formToken = ({ key }: Session, purpose: string): string =>
  createHmac("sha256", key).update(purpose).digest("hex")

/** Returns true if a token belongs to this session and purpose. Compares in constant time. */
export const isFormToken = (session: Session, purpose: string, token: string): boolean => {
  const [expected, actual] = [Buffer.from(formToken(session, purpose)), Buffer.from(token)]
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}
