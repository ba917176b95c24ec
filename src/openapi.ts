/**
 * The entry `effect-toolguard/openapi`: serves a toolbox as an HTTP API with an OpenAPI document, and creates guarded
 * tools from an OpenAPI document.
 */
export type { Identity } from "#src/openapi/CallRoute"
export type { RenamedArgument } from "#src/openapi/document/Arguments"
export type { PollCondition } from "#domain/tool/PollCondition"
export { type UnsupportedPart, UnusableDocument } from "#src/openapi/document/Document"
export {
  type Import,
  type ImportedOperation,
  type ImportedTool,
  type ImportOptions,
  type OperationInfo,
  tools,
  toolsUnsafe
} from "#src/openapi/Import"
export type { Credential, Credentials } from "#src/openapi/request/Credentials"
export { layer, type ServeOptions } from "#src/openapi/Routes"
export { statusOf } from "#src/openapi/ResponseStatus"
export type { RemotePolicy, RemotePoll } from "#src/tool/RemotePolicy"
export { api, type ApiOptions, document, type ToolApi } from "#src/openapi/ToolApi"
