/** Describes a listed conversation with its calls. */

/** One call of a listed conversation. Its texts are redacted and truncated. */
export interface CallDetail {
  readonly call: number
  readonly turn: number
  readonly round: number
  readonly tool: string
  readonly arguments: string
  /** The guard's decision: `ran`, `answered from memory`, `refused`, `stopped` … */
  readonly verdict: string
  /** The reason or the failure. Empty for a successful call. */
  readonly detail: string
  readonly answer: string
  readonly isSuspect: boolean
}

/** A conversation with findings. */
export interface ConversationDetail {
  readonly file: string
  readonly line: number
  readonly conversation: string
  readonly model: string
  /** The number of all calls. */
  readonly count: number
  readonly failed: number
  readonly saved: number
  /** At most 200 calls, in their order. Calls with a finding take precedence. */
  readonly calls: ReadonlyArray<CallDetail>
}
