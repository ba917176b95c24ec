/**
 * Defines the diagnosis of an error: its failure code. The side effect of a write is never read from these tables. It is
 * read from evidence (`SideEffectEvidence`).
 *
 * The class follows from the code (`FailureCode`). A diagnosis is `weak` if its token covers many causes (HTTP 400 and
 * 500, JSON-RPC -32603, `ValueError`): the phrases are matched first, and the token decides only if none matches.
 */
import type { FailureCode } from "#domain/failure/FailureCode"

/** One row of a table. */
export interface Diagnosis {
  readonly code: FailureCode
  /** The diagnosis applies only if no phrase matches. */
  readonly weak?: true
  /**
   * The code to use if the arguments are known and do not name the thing that is missing, denied or wrong: the model
   * then did not cause the failure. Defaults to `not_found` for `unknown_reference`.
   */
  readonly otherwise?: FailureCode
}

/** The diagnosis of each token. */
export type Table = Readonly<Record<string, Diagnosis>>

/** Creates the diagnosis with a code. */
export const diagnose = (code: FailureCode): Diagnosis => ({ code })

/** Returns the diagnosis as one that applies only if no phrase matches. */
export const weak = (diagnosis: Diagnosis): Diagnosis => ({ ...diagnosis, weak: true })

/** A host that cannot be resolved: a wrong argument if the arguments name it, otherwise a transient fault. */
export const unknownHost: Diagnosis = { code: "unknown_reference", otherwise: "connection_failed" }

/** An unusable URL: a wrong argument if the arguments contain it, otherwise a misconfiguration. */
export const badUrl: Diagnosis = { code: "invalid_request", otherwise: "misconfigured" }

/** A file, program or port that the host's user may not access: a misconfiguration, unless the arguments name it. */
export const noAccess: Diagnosis = { code: "permission_denied", otherwise: "misconfigured" }

/** Gives one diagnosis to each of the tokens, which are separated by white space. */
export const each = (diagnosis: Diagnosis, tokens: string): Table =>
  Object.fromEntries(
    tokens
      .split(/\s+/)
      .filter((token) => token !== "")
      .map((token) => [token, diagnosis])
  )

/** Looks up a token among the table's own keys; keys of the prototype do not count. */
export const row = (table: Table, token: string): Diagnosis | undefined =>
  Object.hasOwn(table, token) ? table[token] : undefined
