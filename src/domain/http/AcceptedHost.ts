/**
 * Decides which host names a server accepts.
 *
 * A web page can make its own name resolve to this machine (DNS rebinding). The browser then lets the page read the
 * answers of a local server, but sends the page's name as `Host`. A request from this machine is therefore accepted
 * only with a name of this machine, unless the names are configured.
 */
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"

/** Returns the name of a `Host` header without the port, in lower case. */
const nameOf = (host: string | undefined): string => (host ?? "").replace(/:\d*$/u, "").toLowerCase()

const isLoopback = (address: string): boolean => /^(?:::ffff:)?127\.|^::1$/u.test(address)

const isOwnName = (name: string): boolean =>
  name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(?:\.\d{1,3}){3}$/u.test(name)

/**
 * Returns true if the server answers to the name in a request's `Host`. Without `hosts`, requests from this machine need
 * a name of this machine, and all other requests are accepted.
 */
export const isAccepted = (
  { headers, remoteAddress }: Pick<HttpServerRequest, "headers" | "remoteAddress">,
  hosts: ReadonlyArray<string> | undefined
): boolean => {
  const name = nameOf(headers["host"])
  if (hosts !== undefined) return hosts.some((host) => host.toLowerCase() === name)
  const isFromHere = Option.match(remoteAddress, { onNone: () => false, onSome: isLoopback })
  return !isFromHere || isOwnName(name)
}
