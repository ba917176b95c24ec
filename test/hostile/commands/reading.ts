/**
 * Reads, inflates and parses files, as any program that uses them must. The commands are measured against the CPU time of
 * this process. A file is parsed as one document, or line by line if that fails.
 */
import { createReadStream } from "node:fs"
import { createGunzip } from "node:zlib"

/** The size above which no command parses a document or a line. */
const maxBytes = 64 * 1024 * 1024

const parse = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

for (const file of process.argv.slice(2)) {
  const raw = createReadStream(file, { highWaterMark: 1024 * 1024 })
  const parts: Array<Buffer> = []
  let length = 0
  for await (const chunk of file.endsWith(".gz") ? raw.pipe(createGunzip({ chunkSize: 1024 * 1024 })) : raw) {
    length += chunk.length
    if (length <= maxBytes) parts.push(chunk)
  }
  const text = Buffer.concat(parts).toString("utf8")
  if (length <= maxBytes && !parse(text)) for (const line of text.split("\n")) parse(line)
}
