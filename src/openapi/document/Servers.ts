/**
 * Determines where requests go: to the configured URL, or to the first server of the document with its variables.
 *
 * An operation with its own servers uses them only if they have the origin of that URL or an origin that the user
 * allows, because a document must not direct a tool to another host.
 */
import * as Result from "effect/Result"
import { type Document, type Place, text, UnusableDocument } from "./Document.ts"
import { field, isJsonObject } from "#domain/json/JsonObject"

export interface ServerOptions {
  /** The URL of the API, such as `https://api.example.com/v1`. Default: the first server of the document. */
  readonly baseUrl?: string | URL
  /** Values of variables in the server's URL. Default: the document's values. */
  readonly serverVariables?: Readonly<Record<string, string>>
  /** Allowed origins of operations with their own servers, such as `https://uploads.example.com`. */
  readonly origins?: ReadonlyArray<string>
}

const remedy = "Set baseUrl to the URL of the API."

/** Returns the URL of the API, without a trailing slash. */
export const base = (document: Document, options: ServerOptions): Result.Result<string, UnusableDocument> => {
  if (options.baseUrl !== undefined) return address(String(options.baseUrl), "", "baseUrl")
  const servers = document.root["servers"]
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined
  return Result.flatMap(filled({ node: first, pointer: "/servers/0" }, options), (url) =>
    address(url, "/servers/0/url", "the server's URL")
  )
}

/** Returns the URL of an operation's own server; undefined if it is invalid or its origin is not allowed. */
export const own = (servers: Place, base: string, options: ServerOptions): string | undefined => {
  const first: unknown = Array.isArray(servers.node) ? servers.node[0] : undefined
  const url = Result.flatMap(filled({ node: first, pointer: servers.pointer }, options), (url) =>
    address(resolved(url, base), servers.pointer, "the server's URL")
  )
  if (Result.isFailure(url)) return undefined
  const { origin } = new URL(url.success)
  const allowed = [new URL(base).origin, ...(options.origins ?? [])]
  return allowed.includes(origin) ? url.success : undefined
}

const resolved = (url: string, base: string): string =>
  URL.canParse(url, `${base}/`) ? new URL(url, `${base}/`).href : url

const filled = ({ node, pointer }: Place, options: ServerOptions): Result.Result<string, UnusableDocument> => {
  const url = text(node, "url") ?? "/"
  const variables = field(node, "variables")
  let fault: UnusableDocument | undefined
  const resolved = url.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const variable = field(variables, name)
    const value = options.serverVariables?.[name] ?? text(variable, "default")
    const allowed = field(variable, "enum")
    if (value === undefined || (Array.isArray(allowed) && !allowed.includes(value))) {
      fault ??= new UnusableDocument({
        pointer: isJsonObject(variables) ? `${pointer}/variables` : pointer,
        detail: `the variable ${JSON.stringify(name.slice(0, 60))} of the server has no allowed value.`,
        remedy: "Set it in serverVariables, or set baseUrl."
      })
    }
    return value ?? ""
  })
  return fault === undefined ? Result.succeed(resolved) : Result.fail(fault)
}

const address = (url: string, pointer: string, what: string): Result.Result<string, UnusableDocument> => {
  const refuse = (detail: string) => Result.fail(new UnusableDocument({ pointer, detail, remedy }))
  if (!URL.canParse(url)) return refuse(`${what} is not an http(s) URL.`)
  const { hash, origin, password, pathname, protocol, search, username } = new URL(url)
  if (protocol !== "http:" && protocol !== "https:") return refuse(`${what} is not an http(s) URL.`)
  if (username !== "" || password !== "") return refuse(`${what} contains credentials.`)
  if (search !== "" || hash !== "") return refuse(`${what} has a query or a fragment.`)
  return Result.succeed(`${origin}${pathname.replace(/\/+$/, "")}`)
}
