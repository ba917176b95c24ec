/** Creates files concurrently with other processes, and prints the result for each file: `sqliteOpener.ts FILE…`. */
import * as SqliteNode from "#layers/SqliteNode"
import { Effect, Layer } from "effect"
import { once } from "node:events"

const open = (filename: string) =>
  Layer.build(SqliteNode.layer({ filename, busyTimeout: "30 seconds" })).pipe(
    Effect.scoped,
    Effect.match({ onFailure: ({ message }) => message, onSuccess: () => "opened" })
  )

process.stdout.write("ready\n")
await once(process.stdin, "data")
process.stdin.unref()
process.stdout.write(JSON.stringify(await Effect.runPromise(Effect.forEach(process.argv.slice(2), open))))
