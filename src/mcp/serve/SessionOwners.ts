/**
 * Records which identity opened each session over HTTP. No other identity may use the session or answer its questions.
 *
 * Only sessions that the server has opened have an owner: an id that a client invents is not stored. Each identity has
 * a limited number of sessions, so that no client can fill memory or end the sessions of others. Clients without a
 * credential are one identity.
 */

/**
 * The maximum number of sessions of one identity. Beyond it, the identity's least recently used session ends.
 */
const maxSessions = 1_000

interface SessionOwners {
  /** Stores the owner of a new session. Returns the session that must end because the owner has too many, if any. */
  readonly open: (session: string, owner: string) => string | undefined
  /** Returns the owner of a session; undefined if no session has this id. */
  readonly find: (session: string) => string | undefined
  readonly close: (session: string) => void
}

/** Creates an empty set of owners. */
export const make = (): SessionOwners => {
  const owners = new Map<string, string>()
  /** The sessions of each owner, ordered by their last request. */
  const sessions = new Map<string, Set<string>>()

  const close = (session: string): void => {
    const owner = owners.get(session)
    if (owner === undefined) return
    owners.delete(session)
    const own = sessions.get(owner)
    own?.delete(session)
    if (own?.size === 0) sessions.delete(owner)
  }

  const touch = (session: string, owner: string): ReadonlySet<string> => {
    const own = sessions.get(owner) ?? new Set()
    own.delete(session)
    own.add(session)
    sessions.set(owner, own)
    return own
  }

  return {
    open: (session, owner) => {
      owners.set(session, owner)
      const own = touch(session, owner)
      const [oldest] = own
      if (own.size <= maxSessions || oldest === undefined) return undefined
      close(oldest)
      return oldest
    },
    find: (session) => {
      const owner = owners.get(session)
      if (owner !== undefined) touch(session, owner)
      return owner
    },
    close
  }
}
