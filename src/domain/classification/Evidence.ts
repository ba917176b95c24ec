/**
 * All that is known of an error, in one flat shape: what the rules of the classifier look at.
 *
 * Lists are ordered: what the error says itself comes before what its causes and bodies say, and fields come before
 * what was found in texts.
 */
import type * as Duration from "effect/Duration"
import type { Access } from "#domain/tool/Access"

/** Longest text, in characters, that any rule looks at. */
export const longestText = 8192

export interface Evidence {
  /** The error as it came. */
  readonly error: unknown
  readonly access: Access
  /** The decoded arguments of the call; absent where they are not known. */
  readonly arguments?: unknown
  /** `_tag`s, and `Outer/Inner` for an error and its reason. */
  readonly tags: ReadonlyArray<string>
  /** Names of exception classes. */
  readonly names: ReadonlyArray<string>
  /** Codes of any origin: errno names, SQLSTATEs, `grpc:14`, `jsonrpc:-32602`, `curl:28`, `rate_limit_error` … */
  readonly codes: ReadonlyArray<string>
  /** HTTP statuses; that of an upstream behind a gateway first. */
  readonly statuses: ReadonlyArray<number>
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Exit code of a process. */
  readonly exitCode?: number
  /** URLs, paths and hosts that the error carries in fields. */
  readonly places: ReadonlyArray<string>
  /** It broke on the way to another host than the request's: after a redirect, so that the request has been made. */
  readonly isElsewhere: boolean
  /** The messages of the error, its bodies and its causes, one after the other; at most `longestText` characters. */
  readonly text: string
  /** `text` in lower case with plain apostrophes. */
  readonly lower: string
  /** `lower` without the names that it quotes (`column "…"`): what phrases are looked for in. */
  readonly words: string
  /** What the upstream asks to wait, from headers, fields or words. */
  readonly retryAfter?: Duration.Duration
}
