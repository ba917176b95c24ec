/**
 * Describes where a log of any JSON form has its conversations: a mapping from what a reader needs to paths into a line.
 *
 * A path is field names and indexes, joined by dots (`body.text`, `choices.0.message`), or a list of them for names with
 * dots (`["gen_ai.role"]`). A text that a path goes through is parsed as JSON.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as Result from "effect/Result"
import * as Content from "./Content.ts"

/** The steps of a path. No steps lead to the value itself. */
export type Path = ReadonlyArray<string>

/** Where a message has its calls: a list, or the message itself is a call. */
export interface Calls {
  readonly list?: Path
  readonly id?: Path
  readonly name: Path
  readonly arguments?: Path
}

/** Where a message has its results: a list, or the message itself is a result. */
export interface Results {
  readonly list?: Path
  readonly call?: Path
  readonly text: Path
  /** The error flag. True, a text that is not empty, and an object mark an error. */
  readonly error?: Path
}

/** The roles of messages. Messages with the role `ignore` are left out. */
type Role = "assistant" | "ignore" | "system" | "tool" | "user"

/** A mapping. */
export interface Mapping {
  /** The id of the conversation. Without it, the lines of a file are one conversation. */
  readonly conversation?: Path
  /** The list of messages of a line. Without it, a line is one message. */
  readonly messages?: Path
  /** The role of a message. Without it, every message is an answer of the model with its calls. */
  readonly role?: Path
  /** The roles by their names in the log, in addition to those of `Role`. */
  readonly roles: ReadonlyMap<string, Role>
  readonly text?: Path
  readonly time?: Path
  readonly model?: Path
  readonly tools?: Path
  readonly calls?: Calls
  readonly results?: Results
}

const roles: ReadonlyArray<string> = ["assistant", "ignore", "system", "tool", "user"]

const isRole = (value: unknown): value is Role => typeof value === "string" && roles.includes(value)

const paths = ["conversation", "messages", "role", "text", "time", "model", "tools"] as const

/** Reads a mapping. Fails with a sentence that names the key. */
export const read = (value: unknown): Result.Result<Mapping, string> => {
  const problems: Array<string> = []
  if (!isJsonObject(value)) return Result.fail("A mapping is one JSON object.")
  const top = pathsOf(value, "", paths, ["roles", "calls", "results"], problems)
  const calls = partOf(value, "calls", ["list", "id", "name", "arguments"], problems)
  const results = partOf(value, "results", ["list", "call", "text", "error"], problems)
  const named = new Map<string, Role>()
  if (value["roles"] !== undefined && !isJsonObject(value["roles"])) problems.push("roles is not an object.")
  for (const [name, role] of Object.entries(Fields.of(value["roles"]))) {
    if (isRole(role)) named.set(name, role)
    else problems.push(`roles.${name} is not one of ${roles.join(", ")}.`)
  }
  if (value["role"] === undefined && value["calls"] === undefined)
    problems.push("role is missing. Only messages with calls need none.")
  if (calls !== undefined && calls["name"] === undefined && problems.length === 0)
    problems.push("calls.name is missing.")
  if (results !== undefined && results["text"] === undefined && problems.length === 0)
    problems.push("results.text is missing.")
  const [first] = problems
  if (first !== undefined) return Result.fail(first)
  return Result.succeed({
    ...top,
    roles: named,
    ...(calls?.["name"] === undefined ? {} : { calls: { ...calls, name: calls["name"] } }),
    ...(results?.["text"] === undefined ? {} : { results: { ...results, text: results["text"] } })
  })
}

/** Reads an object of paths below a key; undefined if the key is missing. */
const partOf = <const Name extends string>(
  value: JsonObject,
  key: string,
  names: ReadonlyArray<Name>,
  problems: Array<string>
): { readonly [Key in Name]?: Path } | undefined => {
  const part = value[key]
  if (part === undefined) return undefined
  if (isJsonObject(part)) return pathsOf(part, `${key}.`, names, [], problems)
  problems.push(`${key} is not an object.`)
  return undefined
}

/** Reads the paths of an object. Reports keys that are not among the names. */
const pathsOf = <const Name extends string>(
  value: JsonObject,
  prefix: string,
  names: ReadonlyArray<Name>,
  others: ReadonlyArray<string>,
  problems: Array<string>
): { readonly [Key in Name]?: Path } => {
  const found: { [Key in Name]?: Path } = {}
  const known: ReadonlyArray<string> = [...names, ...others]
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) problems.push(`${prefix}${key} is not a key of a mapping. Keys: ${known.join(", ")}.`)
  }
  for (const name of names) {
    if (value[name] === undefined) continue
    const path = pathOf(value[name])
    if (path === undefined) problems.push(`${prefix}${name} is not a path: write "field.inner", or a list of names.`)
    else found[name] = path
  }
  return found
}

const pathOf = (value: unknown): Path | undefined => {
  if (typeof value === "string") return value === "" || value.split(".").includes("") ? undefined : value.split(".")
  if (!Array.isArray(value) || value.length === 0) return undefined
  const steps = value.filter((step) => typeof step === "string" || typeof step === "number")
  return steps.length === value.length ? steps.map(String) : undefined
}

/** Returns the value at a path; undefined if the path is missing or leads nowhere. */
export const at = (value: unknown, path: Path | undefined): unknown => {
  if (path === undefined) return undefined
  let current = value
  for (const step of path) {
    const inner = Content.parsed(current)
    if (Array.isArray(inner)) current = inner[Number(step)]
    else if (isJsonObject(inner) && Object.hasOwn(inner, step)) current = inner[step]
    else return undefined
  }
  return current
}

/** Returns the role of a message: as the mapping names it, otherwise as the log does. */
export const roleOf = ({ role, roles: named }: Mapping, message: unknown): Role | undefined => {
  if (role === undefined) return "assistant"
  const logged = at(message, role)
  const name = typeof logged === "string" || typeof logged === "number" ? String(logged) : ""
  const found = named.get(name) ?? name
  return isRole(found) ? found : undefined
}
