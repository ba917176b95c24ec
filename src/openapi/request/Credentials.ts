/**
 * The credentials of requests, by the names of the document's security schemes; never in arguments.
 *
 * A credential is `Redacted`, so that logs do not show it, nor traces if it is in the URL.
 */
import type { Requirement, Scheme } from "#src/openapi/document/Security"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"

/** A key or token; for HTTP Basic a user name and password. */
export type Credential = Redacted.Redacted | { readonly username: string; readonly password: Redacted.Redacted }

/** Credentials by the name of their security scheme; an Effect runs for each request, for example for tokens that expire. */
export type Credentials = Readonly<Record<string, Credential | Effect.Effect<Credential, unknown>>>

/** A request with its credentials, and the names of the headers that contain them. */
interface Proven {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly secretHeaders: ReadonlyArray<string>
}

/** The first alternative of an operation with all credentials present; undefined if there is none. */
export const satisfied = (
  requirements: ReadonlyArray<Requirement>,
  credentials: Credentials
): Requirement | undefined =>
  requirements.length === 0
    ? []
    : requirements.find((all) => all.every(({ scheme }) => Object.hasOwn(credentials, scheme)))

/** Adds the credentials. */
export const prove = (
  request: HttpClientRequest.HttpClientRequest,
  requirement: Requirement,
  credentials: Credentials
): Effect.Effect<Proven, unknown> =>
  Effect.reduce(
    requirement,
    (): Proven => ({ request, secretHeaders: [] }),
    (proven, scheme) => {
      const given = credentials[scheme.scheme]
      if (given === undefined) return Effect.succeed(proven)
      return Effect.map(Effect.isEffect(given) ? given : Effect.succeed(given), (credential) =>
        withCredential(proven, scheme, credential)
      )
    }
  )

const withCredential = (proven: Proven, scheme: Scheme, credential: Credential): Proven => {
  const { request, secretHeaders } = proven
  const header = (name: string, value: string): Proven => ({
    request: HttpClientRequest.setHeader(request, name, value),
    secretHeaders: [...secretHeaders, name.toLowerCase()]
  })
  if (scheme._tag === "Basic") return header("authorization", `Basic ${Base64.encode(pair(credential))}`)
  const secret = Redacted.value("password" in credential ? credential.password : credential)
  if (scheme._tag === "Bearer") return header("authorization", `Bearer ${secret}`)
  switch (scheme.in) {
    case "header":
      return header(scheme.name, secret)
    case "query":
      return { request: HttpClientRequest.setUrlParam(request, scheme.name, Redacted.make(secret)), secretHeaders }
    case "cookie": {
      const before = request.headers["cookie"]
      const cookie = `${scheme.name}=${encodeURIComponent(secret)}`
      return header("cookie", before === undefined ? cookie : `${before}; ${cookie}`)
    }
  }
}

const pair = (credential: Credential): string =>
  "password" in credential
    ? `${credential.username}:${Redacted.value(credential.password)}`
    : Redacted.value(credential)
