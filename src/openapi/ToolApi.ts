/**
 * Describes a toolbox as an Effect `HttpApi`: one `POST /tools/NAME` per tool, with the arguments as the body.
 *
 * **Details**
 *
 * - 200 is the envelope that a model reads: `{"status":"success","data":…}`, or
 *   `{"status":"partial","data":…,"error":…}`. Both have the same shape, so that a partial result is never mistaken for
 *   a complete one.
 * - Every failure is a problem (RFC 9457); `ResponseStatus` has the statuses.
 */
import type { JsonObject } from "#domain/json/JsonObject"
import type { AnyTool, Codec } from "#src/tool/ToolClass"
import type { Toolbox } from "#src/tool/Toolbox"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Describe from "./DocumentParts.ts"
import { PartialError, ToolProblem } from "./ProblemBody.ts"
import { meanings } from "./ResponseStatus.ts"
import { pathOf } from "./ToolPath.ts"

/** The document's description of the API. */
export interface ApiOptions {
  /** Default `Tools`. */
  readonly title?: string
  /** The version of the API, not of OpenAPI. Default `1.0.0`. */
  readonly version?: string
  readonly description?: string
  /** The URLs of the API, such as `https://tools.example.com`. Default: the URL of the document. */
  readonly servers?: ReadonlyArray<string>
}

/** The API of a toolbox: its tools are the endpoints of the group `tools`. */
export type ToolApi = HttpApi.HttpApi<"toolguard", HttpApiGroup.HttpApiGroup<"tools", HttpApiEndpoint.Top>>

const problems = Object.entries(meanings).map(([status, description]) =>
  ToolProblem.annotate({ description }).pipe(
    HttpApiSchema.status(Number(status)),
    HttpApiSchema.asJson({ contentType: "application/problem+json" })
  )
)

/** Returns the schema of an answer, which is the envelope. */
const envelope = (success: Codec) =>
  Schema.Struct({
    status: Schema.Literals(["success", "partial"]),
    data: success,
    error: Schema.optionalKey(PartialError)
  })

const endpoint = (tool: AnyTool): HttpApiEndpoint.Top =>
  // the types of a tool are not known here: the casts widen them
  HttpApiEndpoint.post(tool.toolName as string, pathOf(tool.toolName), {
    payload: tool.parameters as Codec,
    success: envelope(tool.success as Codec),
    error: problems
  }) as unknown as HttpApiEndpoint.Top

/** Creates the API of a toolbox. `document` returns its OpenAPI document, which comes from the tools' contracts. */
export const api = <Tools extends AnyTool>(toolbox: Toolbox<Tools>, options: ApiOptions = {}): ToolApi => {
  const tools = [...toolbox.tools.values()]
  const group = tools.reduce<HttpApiGroup.HttpApiGroup<"tools", HttpApiEndpoint.Top>>(
    // the type of a group grows with each endpoint; here all endpoints have the same type
    (group, tool) => group.add(endpoint(tool)) as never,
    HttpApiGroup.make("tools") as never
  )
  return HttpApi.make("toolguard")
    .add(group)
    .annotateMerge(
      OpenApi.annotations({
        title: options.title ?? "Tools",
        version: options.version ?? "1.0.0",
        ...(options.description === undefined ? {} : { description: options.description }),
        ...(options.servers === undefined ? {} : { servers: options.servers.map((url) => ({ url })) }),
        transform: (spec) => ({ ...spec, ...Describe.describe(tools) })
      })
    )
}

/** Returns the OpenAPI 3.1 document of a toolbox. */
export const document = <Tools extends AnyTool>(toolbox: Toolbox<Tools>, options: ApiOptions = {}): JsonObject => ({
  ...OpenApi.fromApi(api(toolbox, options))
})
