/**
 * Detects a failed connection to a host other than the requested one.
 *
 * Such a failure usually follows a redirect. The requested host has then already answered, so a write may have taken
 * effect. A failed connection to a proxy is reported in the same way.
 */

/** The target of a system call: the name that it looked up, or the address and port to which it connected. */
export type Target =
  | { readonly _tag: "Lookup"; readonly name: unknown }
  | { readonly _tag: "Connect"; readonly address: unknown; readonly port: unknown }

const isAddress = (host: string): boolean => /^[\d.]+$|:/.test(host)

const plain = (host: string): string => host.toLowerCase().replace(/^\[|\]$|\.$/g, "")

/**
 * True if the system call went to another host or port than the URL of the request. A requested host name is not
 * compared with an address, because the name may resolve to it.
 */
export const isRedirected = (requested: string | undefined, target: Target | undefined): boolean => {
  if (requested === undefined || target === undefined || !URL.canParse(requested)) return false
  const { hostname, port, protocol } = new URL(requested)
  const requestedName = plain(hostname)
  if (target._tag === "Lookup") return typeof target.name === "string" && plain(target.name) !== requestedName
  const own = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)
  if (typeof target.port === "number" && target.port !== own) return true
  return isAddress(requestedName) && typeof target.address === "string" && plain(target.address) !== requestedName
}
