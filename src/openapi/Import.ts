/**
 * Creates guarded tools from an OpenAPI document, one per operation.
 *
 * **Details**
 *
 * - A tool's name is the name that `x-toolguard` states, otherwise the `operationId` in snake_case, otherwise the
 *   method and path. A duplicate name gets a number.
 * - GET and HEAD read, DELETE is destructive, other methods write. `x-toolguard: { access }` in the document overrides
 *   this, except for DELETE; the option `access` overrides both.
 * - A write has idempotency if its operation declares the header `Idempotency-Key`, or if `x-toolguard` states it. PUT
 *   alone does not suffice: another call may change the state in between, and a repeated PUT would overwrite that
 *   change.
 * - Everything that cannot become part of a tool is reported with its JSON Pointer.
 * - `tools` throws only a `RangeError`: for a policy that contradicts itself or is unsafe for its tool, and for a
 *   credential that is not `Redacted`.
 *
 * **Gotchas**
 *
 * The document decides where requests go unless `baseUrl` is set: set it if the document is not your own.
 */
import type { JsonObject } from "#domain/json/JsonObject"
import type { Access } from "#domain/tool/Access"
import * as Verdict from "#domain/tool/Verdict"
import { hiddenFailure } from "#src/checks/Recognisers"
import type { UncheckedConstraint } from "#src/tool/DynamicTool"
import * as GuardedTool from "#src/tool/GuardedTool"
import type { Codec } from "#src/tool/ToolClass"
import { forTool, isPolled, pollOf, type RemotePolicy } from "#src/tool/RemotePolicy"
import * as ToolProperties from "#src/tool/ToolProperties"
import * as Arguments from "#src/openapi/document/Arguments"
import type { UnusableDocument } from "#src/openapi/document/Document"
import { type Document, read, type UnsupportedPart } from "#src/openapi/document/Document"
import * as Names from "#src/openapi/document/Names"
import * as Operations from "#src/openapi/document/Operations"
import * as Parameters from "#src/openapi/document/Parameters"
import * as PathTemplate from "#src/openapi/document/PathTemplate"
import * as RequestBody from "#src/openapi/document/RequestBody"
import * as Responses from "#src/openapi/document/Responses"
import * as Schemas from "#src/openapi/document/Schemas"
import * as Security from "#src/openapi/document/Security"
import * as Servers from "#src/openapi/document/Servers"
import { check as checkCredentials, type Credentials, isCredential, satisfied } from "#src/openapi/request/Credentials"
import type * as HttpClient from "effect/http/HttpClient"
import type * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { handler } from "./OperationHandler.ts"
import * as ImportPolicy from "./ImportPolicy.ts"
import * as ResponseNotes from "./ResponseNotes.ts"
import * as Pages from "./Pages.ts"

/** An operation, as passed to options. */
export interface OperationInfo {
  readonly method: Uppercase<Operations.Method>
  readonly path: string
  readonly operationId: string | undefined
  readonly tags: ReadonlyArray<string>
  readonly isDeprecated: boolean
}

export interface ImportOptions extends Servers.ServerOptions {
  /** Credentials by the names of the document's security schemes. */
  readonly credentials?: Credentials
  /** Returns true if an operation becomes a tool. Default: all operations do. */
  readonly include?: (operation: OperationInfo) => boolean
  /** Returns the access of an operation, or undefined to derive it from the method and the document. */
  readonly access?: (operation: OperationInfo) => Access | undefined
  /**
   * Returns the policy of a tool: time limits, retries, budget, access, idempotency, poll, and its `id`. Default of the
   * `id`: the tool's name. The import throws a RangeError if the settings contradict each other.
   */
  readonly policy?: (operation: OperationInfo) => RemotePolicy | undefined
  /** Headers of every request, such as `user-agent`. Set credentials in `credentials`. */
  readonly headers?: Readonly<Record<string, string>>
}

export type ImportedTool = GuardedTool.DynamicTool<string, HttpClient.HttpClient>

/** An operation that became a tool. */
export interface ImportedOperation {
  readonly tool: ImportedTool
  readonly operation: OperationInfo
  /** The JSON Pointer of the operation. */
  readonly pointer: string
  /** The JSON Schema of its results; undefined for any JSON, text, or a file. */
  readonly result: JsonSchema.JsonSchema | undefined
  /** Arguments whose names differ from the document's. */
  readonly renamed: ReadonlyArray<Arguments.RenamedArgument>
  /**
   * The schemes of the first security alternative if no alternative has all its credentials: the server will then
   * refuse calls of the tool. Otherwise empty.
   */
  readonly needs: ReadonlyArray<string>
  /** The same as `tool.unchecked`. */
  readonly unchecked: ReadonlyArray<UncheckedConstraint>
}

export interface Import {
  readonly tools: ReadonlyArray<ImportedTool>
  readonly imported: ReadonlyArray<ImportedOperation>
  /** Operations that did not become tools. */
  readonly refused: ReadonlyArray<UnsupportedPart & { readonly operation: OperationInfo }>
  /** Everything that did not become part of a tool, including refused operations. */
  readonly unsupported: ReadonlyArray<UnsupportedPart>
}

/** Creates the tools, or returns why the document cannot be used. */
export const tools = (source: unknown, options: ImportOptions = {}): Result.Result<Import, UnusableDocument> =>
  Result.flatMap(read(source), (document) =>
    Result.map(Servers.base(document, options), (base) => all(document, base, options))
  )

/** Does the same as `tools`, but throws the `UnusableDocument`. */
export const toolsUnsafe = (source: unknown, options: ImportOptions = {}): Import =>
  Result.getOrThrow(tools(source, options))

const all = (document: Document, base: string, options: ImportOptions): Import => {
  checkCredentials(options.credentials ?? {})
  const unsupported = new Map<string, UnsupportedPart>()
  const report = (found: UnsupportedPart): void => void unsupported.set(`${found.pointer}\n${found.reason}`, found)
  const context: ImportContext = {
    document,
    base,
    options,
    report,
    schemas: Schemas.make(document, report),
    security: Security.make(document, report),
    nameOf: Names.distinct()
  }
  const imported: Array<ImportedOperation> = []
  const refused: Array<Import["refused"][number]> = []
  for (const operation of Operations.chosen(document, report, (each) => options.include?.(infoOf(each)) !== false)) {
    const info = infoOf(operation)
    const converted = toolOf(context, operation, info)
    if (Result.isSuccess(converted)) imported.push(converted.success)
    else {
      report(converted.failure)
      refused.push({ ...converted.failure, pointer: operation.pointer, operation: info })
    }
  }
  return { tools: imported.map(({ tool }) => tool), imported, refused, unsupported: [...unsupported.values()] }
}

interface ImportContext {
  readonly document: Document
  readonly base: string
  readonly options: ImportOptions
  readonly report: (unsupported: UnsupportedPart) => void
  readonly schemas: Schemas.Schemas
  readonly security: Security.Security
  readonly nameOf: (preferred: string) => string
}

const infoOf = ({ isDeprecated, method, operationId, path, tags }: Operations.Operation): OperationInfo => ({
  // `toUpperCase` returns a string, so its type does not say that this is a method
  method: method.toUpperCase() as OperationInfo["method"],
  path,
  operationId,
  tags,
  isDeprecated
})

const toolOf = (
  { base, document, nameOf, options, report, schemas, security }: ImportContext,
  operation: Operations.Operation,
  info: OperationInfo
): Result.Result<ImportedOperation, UnsupportedPart> => {
  const { extension } = operation
  const fault = PathTemplate.faultOf(operation.path)
  if (fault !== undefined) return Result.fail({ pointer: operation.pointer, reason: fault })
  const parameters = Parameters.read(document, operation, report)
  if (parameters.fault !== undefined) return Result.fail(parameters.fault)
  const body = RequestBody.read(document, operation, report)
  if (Result.isFailure(body)) return Result.fail(body.failure)
  const address = operation.servers === undefined ? base : Servers.own(operation.servers, base, options)
  if (address === undefined) {
    const reason = "The operation has its own server. Add its origin to `origins` to allow it."
    return Result.fail({ pointer: operation.servers?.pointer ?? operation.pointer, reason })
  }
  const answers = Responses.read(document, schemas, operation, report)
  const credentials = options.credentials ?? {}
  const requirements = security.of(operation)
  const requirement = satisfied(requirements, credentials)
  const open = parameters.supported.filter((parameter) => !isCredential(requirement, parameter))
  const args = Arguments.make(document, schemas, open, body.success)
  const notes = ResponseNotes.make()
  const name = nameOf(extension.tool ?? Names.toolName(operation.operationId, operation.method, operation.path))
  const stated = ImportPolicy.make(name, options.policy?.(info), options.access?.(info))
  const { poll: statedPoll, ...policy } = stated
  const access = policy.access ?? ImportPolicy.accessOf(operation)
  const poll = pollOf(name, statedPoll)
  const isOwn = extension.tool !== undefined
  const tool = GuardedTool.dynamic(name, {
    // a guarded server has already retried
    ...(isOwn ? { retry: { attempts: 1 } } : {}),
    ...forTool(
      { access, isPolled: isPolled(poll) },
      { ...policy, idempotency: ImportPolicy.idempotencyOf(operation, access, stated, parameters.keyHeader) }
    ),
    description: descriptionOf(operation, info),
    access,
    accessBy: policy.access === undefined ? "server" : "owner",
    critical: policy.critical ?? extension.critical,
    parameters: args.jsonSchema,
    success: successOf(answers),
    ...(answers.kind === "json" ? { answers: "json" as const } : {}),
    ...(poll === undefined ? {} : { poll }),
    // the type of the arguments is known only at run time
    checks: {
      morePages: isOwn ? ownPages(notes) : pages(args, notes),
      // without a schema, a result has no contract that a stated failure could violate
      ...(answers.schema === undefined && !isOwn ? { hiddenFailure } : {})
    } as never,
    handler: handler({
      plan: {
        method: operation.method,
        base: address,
        path: operation.path,
        arguments: args,
        body: body.success,
        accept: answers.accept,
        headers: options.headers ?? {}
      },
      answers,
      requirement: requirement ?? [],
      credentials,
      keyHeader: parameters.keyHeader,
      isOwn,
      notes
      // as above
    }) as never
  })
  // a dynamic tool can fail with all eight classes and has the handler's requirements
  return Result.succeed({
    tool: ToolProperties.ofServer(tool) as ImportedTool,
    operation: info,
    pointer: operation.pointer,
    result: answers.schema,
    renamed: args.renamed,
    needs: requirement === undefined ? (requirements[0] ?? []).map(({ scheme }) => scheme) : [],
    unchecked: tool.unchecked
  })
}

/** The maximum description length that every provider accepts. */
const maxDescription = 1_024

const descriptionOf = (
  { description, extension, isDeprecated, summary }: Operations.Operation,
  { method, path }: OperationInfo
): string => {
  const isRepeated = description.trim().startsWith(summary.trim())
  const text = [isRepeated ? "" : summary.trim(), description.trim()].filter((part) => part !== "").join("\n\n")
  const full = `${isDeprecated ? "Deprecated. " : ""}${text === "" ? `${method} ${path}` : text}`
  if (full.length <= maxDescription || extension.tool !== undefined) return full
  return `${full
    .slice(0, maxDescription - 1)
    .replace(/\s+\S*$/, "")
    .toWellFormed()}…`
}

/** The schema of a binary result, whose bytes are a part. */
const File = Schema.Struct({ media_type: Schema.String, bytes: Schema.Int })

/** The schema of the result of a redirect. */
const Location = Schema.Struct({ location: Schema.String })

const plain = { json: Schema.Json, text: Schema.String, bytes: File, location: Location } as const

const successOf = ({ kind, schema }: Responses.Answers): JsonSchema.JsonSchema | Codec =>
  kind === "json" && schema !== undefined ? schema : plain[kind]

const pages = ({ jsonSchema, parameters }: Arguments.Arguments, { link }: ResponseNotes.ResponseNotes) => {
  // the schema of the arguments is an object schema
  const properties = jsonSchema["properties"] as JsonObject | undefined
  const query = new Map(
    parameters.flatMap(([argument, parameter]) =>
      parameter.in === "query" ? [[argument, { parameter, schema: properties?.[argument] }] as const] : []
    )
  )
  return Pages.check(query, (args) => link.get(args))
}

/** Checks for a partial result that the guarded server reports. */
const ownPages =
  ({ more }: ResponseNotes.ResponseNotes) =>
  (_: unknown, { arguments: args }: { readonly arguments: unknown }): Verdict.Verdict => {
    const error = typeof args === "object" && args !== null ? more.get(args) : undefined
    if (error === undefined) return Verdict.ok
    const { code, hint, message, next } = error
    const reported = { code: String(code), detail: String(message) }
    return typeof next === "object" && next !== null
      ? Verdict.partial({ ...reported, next })
      : Verdict.partial({ ...reported, narrow: String(hint) })
  }
