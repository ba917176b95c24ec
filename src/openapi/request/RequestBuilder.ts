/**
 * Builds the request of a call: path and query, headers, cookies, body.
 *
 * **Details**
 *
 * - The path keeps the segments of its template: `/` in a value is encoded, and a segment that would be empty, `.` or
 *   `..` is refused, because URLs cannot represent it.
 * - A header value consists of visible ASCII characters. A value that would inject another header is refused.
 */
import { field, isJsonObject } from "#domain/json/JsonObject"
import type { Arguments } from "#src/openapi/document/Arguments"
import type { Method } from "#src/openapi/document/Operations"
import type { RequestBody } from "#src/openapi/document/RequestBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { HttpMethod } from "effect/http/HttpMethod"
import * as Result from "effect/Result"
import { RefusedArgument } from "./RefusedArgument.ts"
import { inCookie, inHeader, inPath, inQuery, isPresent } from "./ParameterStyle.ts"
import { write } from "./BodyWriter.ts"

/** How requests of one operation are built. */
export interface Plan {
  readonly method: Method
  /** The URL of the API, without a trailing slash. */
  readonly base: string
  readonly path: string
  readonly arguments: Arguments
  readonly body: RequestBody | undefined
  readonly accept: string
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>
}

/** Builds the request of a call, without credentials. */
export const build = (
  plan: Plan,
  args: unknown
): Result.Result<HttpClientRequest.HttpClientRequest, RefusedArgument> => {
  const path = pathOf(plan, args)
  if (Result.isFailure(path)) return Result.fail(path.failure)
  const query: Array<string> = []
  const cookies: Array<string> = []
  const headers: Record<string, string> = { ...plan.headers, accept: plan.accept }
  for (const [argument, parameter] of plan.arguments.parameters) {
    const value = field(args, argument)
    if (value === undefined || value === null) continue
    if (parameter.in === "query") query.push(...inQuery(parameter, value))
    if (parameter.in === "cookie") cookies.push(...inCookie(parameter, value))
    if (parameter.in !== "header") continue
    const text = inHeader(parameter, value).trim()
    if (!visible.test(text)) {
      return Result.fail(
        new RefusedArgument({ argument, reason: "a header can contain only visible ASCII characters" })
      )
    }
    headers[parameter.name.toLowerCase()] = text
  }
  if (cookies.length > 0) headers["cookie"] = cookies.join("; ")
  // the path of some documents has a query, or a fragment, which is not sent
  const [target = ""] = path.success.split("#")
  const first = target.includes("?") ? "&" : "?"
  const url = plan.base + target + (query.length === 0 ? "" : `${first}${query.join("&")}`)
  // every method of a plan is an `HttpMethod` in lower case
  const request = HttpClientRequest.make(plan.method.toUpperCase() as HttpMethod)(url).pipe(
    HttpClientRequest.setHeaders(headers)
  )
  return Result.map(bodyOf(plan, args), (body) =>
    body === undefined ? request : HttpClientRequest.setBody(request, body)
  )
}

const visible = /^[\x20-\x7e\t]*$/

const pathOf = ({ arguments: { parameters }, path }: Plan, args: unknown): Result.Result<string, RefusedArgument> => {
  const inPaths = parameters.filter(([, parameter]) => parameter.in === "path")
  const parts: Array<string> = []
  for (const part of path.split("/")) {
    let last = ""
    let empty: string | undefined
    const segment = part.replaceAll(/\{([^{}]*)\}/g, (place, name: string) => {
      const found = inPaths.find(([, parameter]) => parameter.name === name)
      if (found === undefined) return place
      last = found[0]
      const value = inPath(found[1], field(args, found[0]))
      if (value === "") empty = found[0]
      return value
    })
    if (empty !== undefined || (last !== "" && isUnwritable(segment))) {
      return Result.fail(
        new RefusedArgument({ argument: empty ?? last, reason: 'in a path the value cannot be empty, "." or ".."' })
      )
    }
    parts.push(segment)
  }
  return Result.succeed(parts.join("/"))
}

/** True if a URL cannot represent a path segment. */
const isUnwritable = (part: string): boolean => /^(?:\.|%2e){0,2}$/i.test(part)

const bodyOf = (
  { arguments: { body: where, parameters }, body }: Plan,
  args: unknown
): ReturnType<typeof write> | Result.Result<undefined, RefusedArgument> => {
  if (body === undefined || where._tag === "None") return Result.succeed(undefined)
  if (where._tag === "Whole") {
    return isPresent(args, where.argument)
      ? write(body, field(args, where.argument), where.argument)
      : Result.succeed(undefined)
  }
  const taken = new Set(parameters.map(([argument]) => argument))
  const fields = Object.entries(isJsonObject(args) ? args : {}).flatMap(
    ([argument, value]): Array<[string, unknown]> => {
      const name = where.names.get(argument)
      if (name !== undefined) return [[name, value]]
      return taken.has(argument) || !where.isOpen ? [] : [[argument, value]]
    }
  )
  if (fields.length === 0 && !body.isRequired) return Result.succeed(undefined)
  return write(body, Object.fromEntries(fields), "body")
}
