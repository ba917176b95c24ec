/**
 * Decides whether a connection to PostgreSQL uses TLS, from its address.
 *
 * **Details**
 *
 * - With `sslmode`, as libpq names it, the address decides: `disable` uses no TLS, `prefer` and `allow` only if the server
 *   offers it, `require`, `verify-ca` and `verify-full` always. Certificates are always verified.
 * - Without `sslmode`, a server on another machine is reached with TLS, because otherwise the network can read the
 *   password and every result. libpq would accept a connection without TLS.
 * - This machine (a socket, `localhost`, `127.0.0.0/8`, `::1`) is reached without TLS.
 */
import { isThisMachine } from "#layers/internal/peer/ThisMachine"

/** Returns the host that the client connects to; empty for its default, which is this machine. */
const hostOf = (url: URL): string => {
  // a parameter overrides the authority, and the last one applies
  const host = url.searchParams.getAll("host").at(-1) ?? url.hostname.replace(/^\[(.*)\]$/u, "$1")
  try {
    return decodeURIComponent(host)
  } catch {
    return host
  }
}

/** Returns true if TLS is required although the address does not say so; undefined if the address decides. */
export const requiredBy = (address: string): true | undefined => {
  const url = new URL(address)
  return url.searchParams.has("sslmode") || isThisMachine(hostOf(url)) ? undefined : true
}
