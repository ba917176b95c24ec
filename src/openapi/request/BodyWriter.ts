/** Writes the body of a request as JSON, a form, a multipart form with files, text or bytes. */
import { isJsonObject } from "#domain/json/JsonObject"
import type { FieldEncoding, RequestBody } from "#src/openapi/document/RequestBody"
import * as Base64 from "effect/encoding/Base64"
import * as HttpBody from "effect/http/HttpBody"
import * as Result from "effect/Result"
import { RefusedArgument } from "./RefusedArgument.ts"
import { inQuery, scalar } from "./ParameterStyle.ts"

/** Writes a value as the body. `argument` is the name of the argument, for errors. */
export const write = (
  body: RequestBody,
  value: unknown,
  argument: string
): Result.Result<HttpBody.HttpBody, RefusedArgument> => {
  switch (body.kind) {
    case "json":
      return Result.succeed(HttpBody.text(JSON.stringify(value), body.mediaType))
    case "form":
      return Result.succeed(HttpBody.text(form(body, value), body.mediaType))
    case "text":
      return Result.succeed(HttpBody.text(scalar(value), body.mediaType))
    case "bytes":
      return Result.map(fileOf(value, argument), ({ bytes, mediaType }) =>
        HttpBody.uint8Array(bytes, body.mediaType.includes("*") ? mediaType : body.mediaType)
      )
    case "multipart":
      return multipart(body, value)
  }
}

const form = ({ encoding }: RequestBody, value: unknown): string =>
  Object.entries(isJsonObject(value) ? value : {})
    .flatMap(([name, each]) => {
      const how = encoding.get(name)
      const isJson = /[/+]json\b/i.test(how?.contentType ?? "") || (how?.style === undefined && isJsonObject(each))
      return inQuery(
        {
          name,
          style: how?.style === "deepObject" ? "deepObject" : "form",
          explode: how?.explode ?? true,
          allowReserved: false,
          isJson
        },
        each
      )
    })
    .join("&")

const multipart = (
  { encoding, files }: RequestBody,
  value: unknown
): Result.Result<HttpBody.HttpBody, RefusedArgument> => {
  const data = new FormData()
  for (const [name, each] of Object.entries(isJsonObject(value) ? value : {})) {
    if (each === undefined || each === null) continue
    const kind = files.get(name)
    if (kind === undefined) {
      for (const one of valuesOf(each)) append(data, name, one, encoding.get(name))
      continue
    }
    for (const [index, one] of valuesOf(each).entries()) {
      const file = fileOf(one, kind === "one" ? name : `${name}[${index}]`)
      if (Result.isFailure(file)) return Result.fail(file.failure)
      const { bytes, fileName, mediaType } = file.success
      data.append(name, new File([bytes], fileName, { type: mediaType }))
    }
  }
  return Result.succeed(HttpBody.formData(data))
}

/** Returns the values of a field, which may be a list. */
const valuesOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [value])

/** Appends a field that is not a file: as text, or as JSON if it is not a scalar or the document declares JSON. */
const append = (data: FormData, name: string, value: unknown, encoding: FieldEncoding | undefined): void => {
  const type = encoding?.contentType?.split(",")[0]?.trim()
  if (typeof value === "object" || (type !== undefined && /[/+]json\b/i.test(type))) {
    data.append(name, new Blob([JSON.stringify(value)], { type: type ?? "application/json" }))
  } else data.append(name, scalar(value))
}

interface Content {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly fileName: string
  readonly mediaType: string
}

/** Reads the content of a file argument from `text` or `base64`. */
const fileOf = (value: unknown, argument: string): Result.Result<Content, RefusedArgument> => {
  // the schema of a file allows only strings
  const { base64, file_name, media_type, text } = (isJsonObject(value) ? value : {}) as Readonly<
    Record<string, string | undefined>
  >
  if ((text === undefined) === (base64 === undefined)) {
    return Result.fail(new RefusedArgument({ argument, reason: "set either text or base64" }))
  }
  const bytes = base64 === undefined ? Result.succeed(new TextEncoder().encode(text)) : Base64.decode(base64)
  if (Result.isFailure(bytes))
    return Result.fail(new RefusedArgument({ argument: `${argument}.base64`, reason: "this is not valid base64" }))
  const isPlain = media_type !== undefined && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(media_type)
  return Result.succeed({
    bytes: new Uint8Array(bytes.success),
    fileName: (file_name ?? "file").replaceAll(/[\r\n"\0/\\]/g, "_"),
    mediaType: isPlain ? media_type : text === undefined ? "application/octet-stream" : "text/plain"
  })
}
