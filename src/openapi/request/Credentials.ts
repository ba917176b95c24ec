/**
 * Adds credentials to requests, by the names of the document's security schemes. Arguments never contain credentials.
 *
 * A credential is `Redacted`, so that logs do not show it, and traces do not show it in a URL.
 */
import type { Requirement, Scheme } from "#src/openapi/document/Security"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Secret from "#domain/text/Secret"

/** A key or token, or a user name and password for HTTP Basic. */
export type Credential = Redacted.Redacted | { readonly username: string; readonly password: Redacted.Redacted }

/**
 * Credentials by the name of their security scheme. An Effect runs for each request, for example for tokens that
 * expire.
 */
export type Credentials = Readonly<Record<string, Credential | Effect.Effect<Credential, unknown>>>

/** Throws a RangeError if a credential has no `Redacted` text. Effects are not run. */
export const check = (credentials: Credentials): void => {
  for (const [scheme, credential] of Object.entries(credentials)) {
    if (!Effect.isEffect(credential)) secretOf(credential, `credentials.${scheme}`)
  }
}

/** Returns the key, the token or the password. */
const secretOf = (credential: Credential, place: string): string =>
  isPair(credential) ? Secret.textOf(`${place}.password`, credential.password) : Secret.textOf(place, credential)

const isPair = (credential: Credential): credential is Exclude<Credential, Redacted.Redacted> =>
  Predicate.hasProperty(credential, "password")

/** A request with its credentials, and the names of the headers that contain them. */
interface AuthenticatedRequest {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly secretHeaders: ReadonlyArray<string>
}

/**
 * Returns the first alternative of an operation for which all credentials are present, `[]` if the operation requires
 * none, and undefined if credentials are missing for every alternative.
 */
export const satisfied = (
  requirements: ReadonlyArray<Requirement>,
  credentials: Credentials
): Requirement | undefined =>
  requirements.length === 0
    ? []
    : requirements.find((all) => all.every(({ scheme }) => Object.hasOwn(credentials, scheme)))

/** True if a parameter is the place of a credential, so that no argument may set it. */
export const isCredential = (
  requirement: Requirement | undefined,
  parameter: { readonly in: string; readonly name: string }
): boolean =>
  requirement?.some(
    (scheme) =>
      scheme._tag === "Key" &&
      scheme.in === parameter.in &&
      (scheme.in === "header"
        ? scheme.name.toLowerCase() === parameter.name.toLowerCase()
        : scheme.name === parameter.name)
  ) ?? false

/** Adds the credentials. */
export const authenticate = (
  request: HttpClientRequest.HttpClientRequest,
  requirement: Requirement,
  credentials: Credentials
): Effect.Effect<AuthenticatedRequest, unknown> =>
  Effect.reduce(
    requirement,
    (): AuthenticatedRequest => ({ request, secretHeaders: [] }),
    (authenticated, scheme) => {
      const configured = credentials[scheme.scheme]
      if (configured === undefined) return Effect.succeed(authenticated)
      return Effect.map(Effect.isEffect(configured) ? configured : Effect.succeed(configured), (credential) =>
        withCredential(authenticated, scheme, credential)
      )
    }
  )

const withCredential = (
  authenticated: AuthenticatedRequest,
  scheme: Scheme,
  credential: Credential
): AuthenticatedRequest => {
  const { request, secretHeaders } = authenticated
  const header = (name: string, value: string): AuthenticatedRequest => ({
    request: HttpClientRequest.setHeader(request, name, value),
    secretHeaders: [...secretHeaders, name.toLowerCase()]
  })
  const secret = secretOf(credential, `credentials.${scheme.scheme}`)
  if (scheme._tag === "Basic") {
    const pair = isPair(credential) ? `${credential.username}:${secret}` : secret
    return header("authorization", `Basic ${Base64.encode(pair)}`)
  }
  if (scheme._tag === "Bearer") return header("authorization", `Bearer ${secret}`)
  switch (scheme.in) {
    case "header":
      return header(scheme.name, secret)
    case "query":
      return {
        request: HttpClientRequest.setUrlParam(
          withoutParameter(request, scheme.name),
          scheme.name,
          Redacted.make(secret)
        ),
        secretHeaders
      }
    case "cookie": {
      const others = (request.headers["cookie"] ?? "").split("; ").filter((pair) => nameOf(pair) !== scheme.name)
      return header("cookie", [...others, `${scheme.name}=${encodeURIComponent(secret)}`].filter(Boolean).join("; "))
    }
  }
}

/** Returns the name of `name=value`. */
const nameOf = (pair: string): string => {
  const [name = ""] = pair.split("=")
  try {
    return decodeURIComponent(name.replaceAll("+", " "))
  } catch {
    return name
  }
}

/** Removes a parameter that a field of an object argument has set, because a server may use the first of two. */
const withoutParameter = (request: HttpClientRequest.HttpClientRequest, name: string) => {
  const [path = "", query] = request.url.split("?")
  if (query === undefined) return request
  const pairs = query.split("&").filter((pair) => nameOf(pair) !== name)
  return HttpClientRequest.setUrl(request, pairs.length === 0 ? path : `${path}?${pairs.join("&")}`)
}
