/** Decides an approval from a separate process: `decider.ts OPTIONS`, where OPTIONS is `{ database, token }` as JSON. */
import { Effect } from "effect"
import { agent, client } from "./World.ts"

const { database, token } = JSON.parse(process.argv[2] ?? "") as { readonly database: string; readonly token: string }

const deciding = agent.decide(token, { _tag: "Approved", by: "ann" })
await Effect.runPromise(Effect.provide(deciding, client(database)))
process.stdout.write("ready\n")
process.exit(0)
