/**
 * Who is signed in at the inbox, in this process: a restart signs everybody out.
 *
 * The cookie holds 128 random bits, kept as their digest. Each session has a key of its own, from which the tokens of its forms
 * are made: a form that another page built has none. The approver's token is held, so that a session ends when it counts no more.
 */
import type * as Redacted from "effect/Redacted"
import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto"

export interface Session {
  readonly token: Redacted.Redacted
  readonly key: Buffer
  readonly expiresAt: number
}

/** 8 hours. */
export const lifetimeMillis = 8 * 3_600_000

/** Sessions held at most; the oldest end first. */
const limit = 1_000

const digestOf = (cookie: string): string => hash("sha256", cookie, "hex")

export interface Sessions {
  /** Signs in, and gives what the cookie holds. */
  readonly open: (token: Redacted.Redacted, now: number) => string
  readonly find: (cookie: string | undefined, now: number) => Session | undefined
  readonly close: (cookie: string | undefined) => void
}

export const make = (): Sessions => {
  const sessions = new Map<string, Session>()
  return {
    open: (token, now) => {
      const cookie = randomBytes(16).toString("hex")
      for (const id of [...sessions.keys()].slice(0, Math.max(0, sessions.size - limit + 1))) sessions.delete(id)
      sessions.set(digestOf(cookie), { token, key: randomBytes(32), expiresAt: now + lifetimeMillis })
      return cookie
    },
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

/** The token of one form: for one session and one purpose. */
export const formToken = ({ key }: Session, purpose: string): string =>
  createHmac("sha256", key).update(purpose).digest("hex")

export const isFormToken = (session: Session, purpose: string, token: string): boolean => {
  const [wanted, given] = [Buffer.from(formToken(session, purpose)), Buffer.from(token)]
  return wanted.length === given.length && timingSafeEqual(wanted, given)
}
