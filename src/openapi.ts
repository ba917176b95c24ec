/**
 * What users import from `effect-toolguard/openapi`: a toolbox as an HTTP API with its OpenAPI document, and guarded tools made
 * of an OpenAPI document.
 */
export { type Identity } from "#src/openapi/CallRoute"
export { layer, type ServeOptions } from "#src/openapi/Routes"
export { statusOf } from "#src/openapi/StatusOf"
export { api, type ApiOptions, document, type ToolApi } from "#src/openapi/ToolApi"
