/**
 * HTTP statuses (RFC 9110, the registry, nginx and Cloudflare), and the side effect of a write that they answer [3.3].
 *
 * The side effect is `none` for 4xx except 408 and 499, and `unknown` for 408, 499 and 5xx. The rule that reads this
 * table changes it to `none` for a 503 with Retry-After. For redirects the side effect is `unknown` for 301, 302 and
 * 303, because a server can redirect after it has processed the request, and `none` for all others.
 */
import { each, none, row, type Table, unknown, type Diagnosis, weak } from "./Diagnosis.ts"

const statuses: Table = {
  ...each(weak(none("misconfigured")), "300 307 308"),
  ...each(weak(unknown("misconfigured")), "301 302 303"),
  304: none("refused"),
  305: none("misconfigured"),
  400: weak(none("invalid_request")),
  401: none("unauthorized"),
  402: none("quota_exceeded"),
  403: none("unauthorized"),
  404: none("unknown_reference"),
  405: none("unsupported"),
  406: none("invalid_request"),
  407: none("unauthorized"),
  408: unknown("timeout"),
  409: weak(none("conflicting_value")),
  410: none("unknown_reference"),
  411: none("invalid_request"),
  412: none("conflicting_value"),
  413: none("arguments_too_large"),
  414: none("arguments_too_large"),
  415: none("invalid_request"),
  416: none("invalid_request"),
  418: none("refused"),
  421: none("unavailable"),
  422: weak(none("invalid_request")),
  423: none("lock_conflict"),
  424: none("refused"),
  425: none("unavailable"),
  426: none("unsupported"),
  428: none("invalid_request"),
  429: none("rate_limited"),
  431: none("arguments_too_large"),
  451: none("refused"),
  495: none("misconfigured"),
  496: none("misconfigured"),
  498: none("unauthorized"),
  499: unknown("connection_lost"),
  500: weak(unknown("unavailable")),
  501: unknown("unsupported"),
  505: unknown("unsupported"),
  504: unknown("timeout"),
  506: unknown("misconfigured"),
  507: unknown("disk_full"),
  508: unknown("misconfigured"),
  510: unknown("unsupported"),
  511: unknown("unauthorized"),
  522: unknown("timeout"),
  524: unknown("timeout"),
  526: unknown("misconfigured"),
  598: unknown("timeout"),
  599: unknown("timeout")
}

/** Returns the diagnosis of a status; `undefined` below 300 and above 599. */
export const ofStatus = (status: number): Diagnosis | undefined => {
  const known = row(statuses, String(status))
  if (known !== undefined) return known
  if (status >= 400 && status < 500) return weak(none("invalid_request"))
  return status >= 500 && status < 600 ? unknown("unavailable") : undefined
}

/** Maps a standard reason phrase in lower case to its status. */
export const reasonPhrases: ReadonlyMap<string, number> = new Map([
  ["bad request", 400],
  ["unauthorized", 401],
  ["payment required", 402],
  ["forbidden", 403],
  ["not found", 404],
  ["method not allowed", 405],
  ["not acceptable", 406],
  ["proxy authentication required", 407],
  ["request timeout", 408],
  ["request time-out", 408],
  ["conflict", 409],
  ["gone", 410],
  ["length required", 411],
  ["precondition failed", 412],
  ["payload too large", 413],
  ["content too large", 413],
  ["request entity too large", 413],
  ["uri too long", 414],
  ["request-uri too long", 414],
  ["unsupported media type", 415],
  ["range not satisfiable", 416],
  ["unprocessable entity", 422],
  ["unprocessable content", 422],
  ["locked", 423],
  ["failed dependency", 424],
  ["too early", 425],
  ["upgrade required", 426],
  ["precondition required", 428],
  ["too many requests", 429],
  ["request header fields too large", 431],
  ["unavailable for legal reasons", 451],
  ["internal server error", 500],
  ["internal error", 500],
  ["not implemented", 501],
  ["bad gateway", 502],
  ["service unavailable", 503],
  ["service temporarily unavailable", 503],
  ["gateway timeout", 504],
  ["gateway time-out", 504],
  ["http version not supported", 505],
  ["insufficient storage", 507],
  ["loop detected", 508],
  ["network authentication required", 511],
  ["web server is down", 521],
  ["a timeout occurred", 524]
])
