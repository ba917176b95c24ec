/** A thread of `toolguard replay`: replays the conversations that it receives, and returns what the guard decided. */
// oxlint-disable-next-line import/no-unassigned-import -- enables the compiler before schemas are compiled
import "effect/schema/SchemaJITCompiler/enable"
import * as Effect from "effect/Effect"
import { parentPort, workerData } from "node:worker_threads"
import * as LoadTools from "#kit/cli/console/LoadTools"
import { Problem } from "#kit/cli/console/Problem"
import * as Replay from "#kit/replay/Replay"
import * as ReplayMessage from "#kit/replay/ReplayMessage"
import { type FromThread, optionsOf, type ReplaySource, type ToThread } from "#kit/cli/replay/ReplayThread"

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- the port of a thread has no origin
const post = (message: FromThread): void => parentPort?.postMessage(message)

const source = workerData as ReplaySource // `ReplayThread` starts this module

/** Replays the conversations of each message, in order, until the thread is ended. */
const serve = (replay: Replay.Replay): Effect.Effect<never> =>
  Effect.callback<never>(() => {
    const received = ReplayMessage.receiver()
    parentPort?.on("message", (conversations: ToThread) => {
      const replayed = conversations.map((sent): ReplayMessage.ThreadResult => {
        try {
          const played = replay.play(received(sent))
          return { _tag: "Replayed", replayed: ReplayMessage.answered(played), unchecked: replay.unchecked() }
        } catch (error) {
          return { _tag: "Failed", message: error instanceof Error ? error.message : String(error) }
        }
      })
      try {
        post({ _tag: "Results", results: replayed })
      } catch {
        // a result that cannot be copied, such as one that is nested too deeply
        post({ _tag: "Results", results: replayed.map(() => ({ _tag: "NotCopied" })) })
      }
    })
    post({ _tag: "Ready" })
  })

const run = Effect.gen(function* () {
  const tools = source.tools === undefined ? undefined : yield* LoadTools.load(source.tools, "--tools")
  return yield* serve(yield* Replay.make(optionsOf(source, tools)))
})

await Effect.runPromise(Effect.scoped(run)).catch((error: unknown) => {
  if (!(error instanceof Problem)) throw error
  const { exitCode, message, remedy } = error
  post({ _tag: "Problem", exitCode, message, remedy })
})
