/** Writes the content of a file as an address, for formats in which images and files are URLs. */
import * as Base64 from "effect/encoding/Base64"
import type * as Prompt from "effect/ai/Prompt"

/** Returns the URL of a file, or a data URL with its content. */
export const url = ({ data, mediaType }: Prompt.FilePart): string => {
  if (data instanceof URL) return data.href
  if (typeof data === "string" && /^[a-z][a-z\d+.-]*:/iu.test(data)) return data
  const type = mediaType === "image/*" ? "image/png" : mediaType
  return `data:${type};base64,${typeof data === "string" ? data : Base64.encode(data)}`
}
