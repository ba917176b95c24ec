/** A preloaded module that counts the modules and kilobytes of a child process, and reports them at its exit. */
import { writeSync } from "node:fs"
import { registerHooks } from "node:module"

let modules = 0
let bytes = 0

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context)
    if (url.startsWith("file:")) {
      modules += 1
      bytes += loaded.source === null || loaded.source === undefined ? 0 : Buffer.byteLength(loaded.source as string)
    }
    return loaded
  }
})

process.on("exit", () => {
  writeSync(3, JSON.stringify({ modules, kilobytes: bytes / 1024 }))
})
