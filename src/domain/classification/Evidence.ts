/**
 * The evidence of an error in one flat record, which the rules of the classifier read.
 *
 * In each list the error itself comes before its causes and bodies, and fields come before tokens found in texts.
 */
import type * as Duration from "effect/Duration"
import type { Access } from "#domain/tool/Access"

/** Maximum length of the text that rules read, in characters. */
export const longestText = 8192

/** The evidence of one error. */
export interface Evidence {
  /** The original error. */
  readonly error: unknown
  readonly access: Access
  /** The decoded arguments of the call; absent if they are not known. */
  readonly arguments?: unknown
  /** `_tag`s, and `Outer/Inner` for an error and its reason. */
  readonly tags: ReadonlyArray<string>
  /** Names of exception classes. */
  readonly names: ReadonlyArray<string>
  /** Codes of any origin: errno names, SQLSTATEs, `grpc:14`, `jsonrpc:-32602`, `curl:28`, `rate_limit_error` … */
  readonly codes: ReadonlyArray<string>
  /** HTTP statuses. If a One-API gateway reports its upstream's status, that status comes first. */
  readonly statuses: ReadonlyArray<number>
  /** Response headers. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Exit code of a process. */
  readonly exitCode?: number
  /** URLs, paths and hosts in the error's fields. */
  readonly places: ReadonlyArray<string>
  /** True if the connection to a host other than the requested one failed. The request may already have been sent. */
  readonly wasRedirected: boolean
  /**
   * The messages of the error, its bodies and its causes, separated by line breaks; at most `longestText` characters.
   */
  readonly text: string
  /** `text` in lower case with plain apostrophes. */
  readonly lower: string
  /** `lower` without the words that it repeats from the call (`EchoedWords`). Phrases are matched against it. */
  readonly words: string
  /** The delay that the upstream asked for, from headers, fields or text. */
  readonly retryAfter?: Duration.Duration
  /** True if a header or a field states the delay. */
  readonly isWaitStated: boolean
  /** The words of an upstream, which become the detail. */
  readonly quote?: string
}
