/**
 * Whether a connection failed on the way to another place than the one that was asked for.
 *
 * A client that follows redirects fails so after the request has been made and answered: of a write nobody knows then.
 * A proxy that cannot be reached looks the same.
 */

/** Where a system call went: a name that it looked up, or an address and a port that it connected to. */
export type Reached =
  | { readonly _tag: "Lookup"; readonly name: unknown }
  | { readonly _tag: "Connect"; readonly address: unknown; readonly port: unknown }

const isAddress = (host: string): boolean => /^[\d.]+$|:/.test(host)

const plain = (host: string): string => host.toLowerCase().replace(/^\[|\]$|\.$/g, "")

/** A name that was asked for and an address that was connected to say nothing of each other. */
export const isElsewhere = (requested: string | undefined, reached: Reached | undefined): boolean => {
  if (requested === undefined || reached === undefined || !URL.canParse(requested)) return false
  const { hostname, port, protocol } = new URL(requested)
  const asked = plain(hostname)
  if (reached._tag === "Lookup") return typeof reached.name === "string" && plain(reached.name) !== asked
  const own = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)
  if (typeof reached.port === "number" && reached.port !== own) return true
  return isAddress(asked) && typeof reached.address === "string" && plain(reached.address) !== asked
}
