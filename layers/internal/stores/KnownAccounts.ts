/**
 * Remembers the accounts that this process wrote last, so that the next step can write without reading first.
 *
 * A memory that is wrong costs a read, never a count: a store writes only if the stored state is the remembered one.
 * States are unique, since each contains the id of its write. An account with a held result is remembered as stored, but
 * without its contents, which may be large.
 */
import type * as Account from "#domain/turn/Account"
import type { AccountText } from "#domain/turn/AccountText"

/** An account that may be written without reading it. Both members are undefined for an account that was never seen. */
interface KnownAccount {
  readonly stored: AccountText | undefined
  readonly account: Account.Account | undefined
}

interface KnownAccounts {
  /** Returns what is known, and forgets it. Undefined if the account is stored, and must be read. */
  readonly take: (id: string) => KnownAccount | undefined
  /** Remembers an account after it was written. */
  readonly set: (id: string, stored: AccountText, account: Account.Account) => void
}

/** The maximum number of remembered accounts. The oldest is forgotten first. */
const maxAccounts = 10_000

/** The maximum length of a remembered state, in characters. */
const maxState = 4_096

const unseen: KnownAccount = { stored: undefined, account: undefined }

/** Creates an empty memory. */
export const make = (): KnownAccounts => {
  const accounts = new Map<string, KnownAccount | "stored">()
  return {
    take: (id) => {
      const known = accounts.get(id)
      accounts.delete(id)
      return known === "stored" ? undefined : (known ?? unseen)
    },
    set: (id, stored, account) => {
      const isLarge = stored.result !== undefined || stored.state.length > maxState
      accounts.delete(id)
      accounts.set(id, isLarge ? "stored" : { stored, account })
      if (accounts.size > maxAccounts) {
        for (const oldest of accounts.keys()) {
          accounts.delete(oldest)
          break
        }
      }
    }
  }
}
