/**
 * Protects the inbox from foreign pages: the security headers of every response, and the check of a form's origin.
 *
 * A form is accepted if the browser reports the inbox's own origin. Old browsers report no origin; then the form token
 * and the `SameSite` cookie protect the form.
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

/** Adds the security headers to a response. */
export const secured = HttpServerResponse.setHeaders({
  "content-security-policy": securityPolicy,
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
})

/** Returns the foreign origin or site that a request comes from, or undefined if the request is not foreign. */
export const foreignOrigin = (headers: Headers.Headers, origin: string): string | undefined => {
  const site = headers["sec-fetch-site"]
  const from = headers["origin"]
  if (from !== undefined && from !== origin) return from
  return site === undefined || site === "same-origin" || site === "none" ? undefined : site
}
