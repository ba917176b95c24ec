/** The remedies for Redis errors, one sentence each, chosen by the message of the server or the client. */
import { CircuitBreakerError } from "effect/persistence/CircuitBreaker"
import { RedisError } from "effect/persistence/Redis"

const remedies: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /^(NOAUTH|WRONGPASS|ERR invalid password)/u,
    "The server rejects the user and password: check the URL, and the server's ACL."
  ],
  [/^NOPERM/u, "The user may not run these commands: allow them in the server's ACL."],
  [/^OOM/u, "The server's memory is full: raise `maxmemory`, or free some space."],
  [/^READONLY/u, "The server is a read-only replica: use the address of the primary."],
  [/^(MISCONF|LOADING|MASTERDOWN)/u, "The server does not accept writes now: check its log and its disk."],
  [
    /ECONNREFUSED|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|ECONNRESET|[Cc]onnection|[Ss]ocket|client is (closed|offline)/u,
    "No server answers at this address: check the host and port, and whether the server is running."
  ]
]

const textOf = (cause: unknown): string => {
  if (cause instanceof AggregateError) return cause.errors.map(textOf).join("; ")
  return cause instanceof Error ? cause.message : String(cause)
}

/** Returns the error of the client, without Effect's wrappers. */
const causeOf = (error: unknown): unknown => {
  if (error instanceof RedisError) return error.cause
  return error instanceof CircuitBreakerError && error.reason._tag === "CircuitBreakerStoreError"
    ? error.reason.cause
    : error
}

/** Returns the remedy for an error of Redis or a timeout. */
export const remedyOf = (error: unknown): string => {
  if (typeof error === "object" && error !== null && "_tag" in error && error._tag === "TimeoutError") {
    return "The server did not respond in time: check its load and the network."
  }
  const text = textOf(causeOf(error))
  return remedies.find(([pattern]) => pattern.test(text))?.[1] ?? `Redis says: ${text}`
}
