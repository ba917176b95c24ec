/** Counts the actions of the upstream, outside the guard. */
import type { Deed } from "./Situation.ts"

const amounts: Readonly<Record<Deed, number>> = { nothing: 0, all: 1, half: 0.5, twice: 2, later: 0 }

/** The upstream's account of one situation. */
export class Ledger {
  readonly deed: Deed
  /** How often the action was done. `0.5`: its first half. */
  done = 0
  /** True if the upstream does the action after its answer. */
  isPending = false
  /** The number of requests that reached the upstream or the handler. */
  requests = 0
  /** The account at the moment when the model made the identical call again; absent if the model did not repeat it. */
  first: { readonly requests: number; readonly done: number; readonly elsewhere: number } | undefined
  /** Requests that the upstream received and will never answer. */
  unanswered = 0
  /** How often the fallback acted. */
  elsewhere = 0
  readonly keys = new Set<string>()

  constructor(deed: Deed) {
    this.deed = deed
  }

  /**
   * Acts on a request. Returns true if the upstream recognises the key of an earlier request: it then completes the action
   * once, and answers with its result.
   */
  act(key: string | undefined): boolean {
    this.requests += 1
    if (key !== undefined && this.keys.has(key)) {
      this.done = Math.max(1, this.done)
      this.isPending = false
      return true
    }
    if (key !== undefined) this.keys.add(key)
    this.done += amounts[this.deed]
    if (this.deed === "later") this.isPending = true
    return false
  }

  /** Records that the model makes the identical call again. */
  repeat(): void {
    const { done, elsewhere, requests } = this
    this.first = { done, elsewhere, requests }
  }
}
