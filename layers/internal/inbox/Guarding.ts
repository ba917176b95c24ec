/**
 * What keeps other pages out of the inbox: headers of every answer, and the test of where a form comes from.
 *
 * A form counts where the browser says that it was sent from our own origin. A browser that says nothing of it is old: there
 * the token of the form, and the cookie that no other site can send along, have to do.
 */
import type * as Headers from "effect/http/Headers"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

const securityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'"
].join("; ")

export const secured = HttpServerResponse.setHeaders({
  "content-security-policy": securityPolicy,
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
})

/** Where a form comes from that is none of ours; undefined for our own. */
export const foreignOrigin = (headers: Headers.Headers, origin: string): string | undefined => {
  const site = headers["sec-fetch-site"]
  const from = headers["origin"]
  if (from !== undefined && from !== origin) return from
  return site === undefined || site === "same-origin" || site === "none" ? undefined : site
}
