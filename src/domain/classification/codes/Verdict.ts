/**
 * What a row of the classifier's tables says: the code, and what a write that failed so did to the world.
 *
 * The class follows from the code (`FailureCode`). A row is `weak` where it is known to cover many things (HTTP 400 and
 * 500, JSON-RPC -32603, `ValueError`): then the words are asked first, and the row answers where they say nothing.
 */
import type { FailureCode } from "#domain/failure/FailureCode"
import type { SideEffect } from "#domain/failure/Failure"

/** One answer of a table. */
export interface Verdict {
  readonly code: FailureCode
  /** For a write or destructive call; a read never has one. */
  readonly sideEffect: Exclude<SideEffect, "committed">
  /** The words are asked first. */
  readonly weak?: true
  /**
   * The code where the arguments are known and do not name what is missing, denied or wrong: then it is not the model's
   * doing. Default for missing things: `not_found`.
   */
  readonly otherwise?: FailureCode
}

/** A table from a token to its verdict. */
export type Table = Readonly<Record<string, Verdict>>

/** The upstream refused before it did anything, or nothing was sent. */
export const none = (code: FailureCode): Verdict => ({ code, sideEffect: "none" })

/** It may have been done. */
export const unknown = (code: FailureCode): Verdict => ({ code, sideEffect: "unknown" })

/** The same verdict, given only where the words say nothing. */
export const weak = (verdict: Verdict): Verdict => ({ ...verdict, weak: true })

/** A host that cannot be resolved: wrong where the arguments name it, else a passing fault. Nothing was sent. */
export const unknownHost: Verdict = { code: "unknown_reference", sideEffect: "none", otherwise: "connection_failed" }

/** A URL that cannot be used: the model's where the arguments give it, else the host's. Nothing was sent. */
export const badUrl: Verdict = { code: "invalid_request", sideEffect: "none", otherwise: "misconfigured" }

/** A file, a program or a port that the host's own user may not use: its configuration, unless the arguments name it. */
export const noAccess: Verdict = { code: "unauthorized", sideEffect: "unknown", otherwise: "misconfigured" }

/** One verdict for many tokens. */
export const each = (verdict: Verdict, tokens: string): Table =>
  Object.fromEntries(
    tokens
      .split(/\s+/)
      .filter((token) => token !== "")
      .map((token) => [token, verdict])
  )

/** The row of a token, never one that the prototype has. */
export const row = (table: Table, token: string): Verdict | undefined =>
  Object.hasOwn(table, token) ? table[token] : undefined
