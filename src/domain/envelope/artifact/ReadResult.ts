/**
 * The contract of `read_result`, the tool with which a model reads a stored result part by part.
 *
 * This module imports Effect because Schema takes a decoding default as an Effect.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { maxPathLength } from "./ArtifactPage.ts"

/** The name of the tool. */
export const name = "read_result"

/** The description that the model reads. */
export const description =
  "Reads a part of a large result that was returned with a resource_url. Read-only. Use it when a preview is not enough: " +
  "page by page with `next`, or one place with `path`. Not for results that were returned whole."

/** The parameters of the tool. */
export const parameters = Schema.Struct({
  resource_url: Schema.String.annotate({ description: "The resource_url, exactly as it was returned." }).check(
    Schema.isMinCodePoints(1),
    Schema.isMaxCodePoints(100)
  ),
  path: Schema.optionalKey(
    Schema.String.annotate({
      description: "A place in the result, such as orders[10].items. Default: the whole result."
    }).check(Schema.isMaxCodePoints(maxPathLength))
  ),
  offset: Schema.Int.annotate({
    default: 0,
    description: "The first element of a list, member of an object or character of a text. Default 0."
  })
    .check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(0))),
  limit: Schema.optionalKey(
    Schema.Int.annotate({
      description: "The maximum number of elements, members or characters. Default: as many as fit."
    }).check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))
  )
})

const Next = Schema.Struct({
  resource_url: Schema.String,
  path: Schema.optionalKey(Schema.String),
  offset: Schema.Int,
  limit: Schema.optionalKey(Schema.Int)
})

/** The schema of `ArtifactPage.Page`. */
export const success = Schema.Struct({
  kind: Schema.Literals(["list", "object", "text", "value"]),
  total: Schema.Int,
  offset: Schema.Int,
  data: Schema.Json,
  too_large: Schema.optionalKey(Schema.Array(Schema.Struct({ path: Schema.String, is: Schema.String }))),
  next: Schema.optionalKey(Next)
})
