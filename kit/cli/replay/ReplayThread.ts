/** Starts a thread that replays conversations (`kit/cli/worker.ts`), and exchanges messages with it. */
import type * as JsonSchema from "effect/JsonSchema"
import { Worker } from "node:worker_threads"
import { lineOf, Problem, problem } from "#kit/cli/console/Problem"
import type * as Replay from "#kit/replay/Replay"
import * as ReplayMessage from "#kit/replay/ReplayMessage"
import type { Conversation } from "#kit/traffic/Conversation"

/** The data from which each thread creates the same replay. */
export interface ReplaySource {
  /** The tools that only advise. A set can be copied to a thread. */
  readonly advise: NonNullable<Replay.ReplayOptions["advise"]>
  /** The path of the module of guarded tools. Each thread loads it. */
  readonly tools?: string
  /** The tools of a JSON list. */
  readonly listed?: Replay.ReplayOptions["listed"]
  readonly inferred?: ReadonlyMap<string, JsonSchema.JsonSchema>
}

/** A message to a thread: conversations to replay. */
export type ToThread = ReadonlyArray<ReplayMessage.SentConversation>

/** A message from a thread. */
export type FromThread =
  | { readonly _tag: "Ready" }
  /** The results of the conversations of the oldest message without results, in their order. */
  | { readonly _tag: "Results"; readonly results: ReadonlyArray<ReplayMessage.ThreadResult> }
  /** The tools could not be loaded. */
  | ({ readonly _tag: "Problem" } & Pick<Problem, "exitCode" | "message" | "remedy">)

/** A thread that replays conversations. */
export interface ReplayThread {
  /** True if the thread has created its replay. */
  readonly isReady: () => boolean
  /** The number of messages without results. */
  readonly pending: () => number
  /** Sends conversations. Returns false if they cannot be copied. */
  readonly send: (conversations: ReadonlyArray<Conversation>, take: TakeResults) => boolean
  readonly end: () => Promise<void>
}

type TakeResults = (results: ReadonlyArray<ReplayMessage.ThreadResult>) => void

/** The module of the thread. The build puts this room into a file in `chunks/`. */
const module = new URL(import.meta.url.endsWith(".ts") ? "../worker.ts" : "../kit/cli/worker.js", import.meta.url)

/**
 * The size of a thread's stack, in megabytes: that of a main thread, and the part that Node reserves. A deep value
 * therefore has the same result in any thread.
 */
const stackSizeMb = (984 + 192) / 1024

/**
 * The heap of a thread, in megabytes. Within these limits V8 collects garbage earlier, so that a thread adds less to the
 * memory of the process. A conversation of the longest line needs less than half of it.
 */
const heap = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 1_024 }

/** Starts a thread. `fail` receives the problem if the thread cannot be used or ends by itself. */
export const start = (source: ReplaySource, fail: (problem: Problem) => void): ReplayThread => {
  // the module of tools may print when it is loaded; the main thread has already printed this output
  const worker = new Worker(module, {
    workerData: source,
    stdout: true,
    stderr: true,
    resourceLimits: { stackSizeMb, ...heap }
  })
  worker.stdout.resume()
  worker.stderr.resume()
  const waiting: Array<TakeResults> = []
  let isReady = false
  let isEnded = false
  let prepare = ReplayMessage.sender()
  const broken = (reason: string): void => {
    if (isEnded) return
    isEnded = true
    fail(problem(`A thread of the replay ended: ${reason}.`, "Run again with --jobs 1."))
  }
  worker.on("message", (message: FromThread) => {
    if (message._tag === "Ready") isReady = true
    else if (message._tag === "Results") waiting.shift()?.(message.results)
    else fail(new Problem(message))
  })
  worker.on("error", (error: unknown) => broken(lineOf(error)))
  worker.on("exit", (code) => broken(`exit code ${code}`))
  return {
    isReady: () => isReady && !isEnded,
    pending: () => waiting.length,
    send: (conversations, take) => {
      try {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        worker.postMessage(conversations.map(prepare))
      } catch {
        // the thread has not received the lists of tools of this message
        prepare = ReplayMessage.sender()
        return false
      }
      waiting.push(take)
      return true
    },
    end: async () => {
      isEnded = true
      await worker.terminate()
    }
  }
}

/** Returns the options of the replay of a source, with its loaded tools. */
export const optionsOf = (
  { advise, inferred, listed }: ReplaySource,
  tools: Replay.ReplayOptions["tools"]
): Replay.ReplayOptions => ({
  advise,
  ...(tools === undefined ? {} : { tools }),
  ...(listed === undefined ? {} : { listed }),
  ...(inferred === undefined ? {} : { inferred })
})
