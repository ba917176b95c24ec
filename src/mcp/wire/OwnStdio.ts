/**
 * The connection to this process's client: one message per line over standard input and output. When the scope closes,
 * queued messages are written for up to 10 seconds: an answer may be behind many notifications.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stdio from "effect/Stdio"
import { gone } from "./McpError.ts"
import * as Pipes from "./Pipes.ts"
import type { Transport } from "./Transport.ts"

export const make: Effect.Effect<Transport, never, Scope.Scope | Stdio.Stdio> = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const pipes: Pipes.Pipes = yield* Pipes.make({
    input: stdio.stdin,
    output: stdio.stdout({ endOnDone: false }),
    who: "The client",
    exhausted: Effect.sync(() => pipes.end(gone("The client closed standard input.")))
  })
  yield* Effect.addFinalizer(() => Effect.timeoutOption(pipes.close, "10 seconds"))
  return pipes
})
