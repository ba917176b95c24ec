/**
 * Replays the conversations of a log on several threads, and adds them to the report in the order of the log.
 *
 * **Details**
 *
 * - The main thread reads the log, replays conversations while the other threads have enough, and is the only one that
 *   adds to the report. So the report is the same for any number of threads.
 * - Threads are started once `startAfter` characters were read, because starting one takes as long as replaying a few
 *   megabytes. The main thread goes on until they are ready.
 * - Memory is bounded: each thread has at most two parts of the log to replay, and at most `maxParts` parts wait for
 *   an earlier one.
 * - A failure is reported at its conversation, after everything before it.
 */
import type { Problem } from "#kit/cli/console/Problem"
import type * as Contracts from "#kit/replay/Contracts"
import type { Replay } from "#kit/replay/Replay"
import type { ReplayedConversation } from "#kit/replay/ReplayedCall"
import * as ReplayMessage from "#kit/replay/ReplayMessage"
import type { Fold } from "#kit/report/Fold"
import type { Conversation } from "#kit/traffic/Conversation"
import type { Item } from "#kit/traffic/Reader"
import type { ReplayThread } from "./ReplayThread.ts"

/** The options of a replay on several threads. */
interface ParallelOptions {
  /** The maximum number of threads, with the main thread. */
  readonly jobs: number
  readonly replay: Replay
  readonly fold: Fold
  /** Starts a thread. `fail` receives the problem of a thread that cannot be used. */
  readonly start: (fail: (problem: Problem) => void) => ReplayThread
  /** The number of characters after which threads are started. Default 8,000,000. */
  readonly startAfter?: number
}

/** A replay on several threads. */
interface ParallelReplay {
  /** Adds the next items of the log. */
  readonly add: (items: ReadonlyArray<Item>) => Promise<void>
  /** Waits until all items are in the report. */
  readonly finish: () => Promise<void>
  /** The number of calls in the report. */
  readonly calls: () => number
  /** Ends the threads. */
  readonly end: () => Promise<void>
}

/** How a conversation ended in the thread that replayed it. */
type Ended =
  | ReplayMessage.ThreadResult
  | {
      readonly _tag: "Played"
      readonly replayed: ReplayedConversation
      readonly unchecked: ReadonlyArray<Contracts.UncheckedTool>
    }
  | { readonly _tag: "Threw"; readonly error: unknown }

/** Consecutive items of the log, and the results of their conversations. */
interface Part {
  readonly items: Array<Item>
  characters: number
  results: ReadonlyArray<Ended> | undefined
}

/** A part is complete when it has this many characters. Conversations are not divided. */
const partCharacters = 128_000

/**
 * The number of characters that an item counts in addition to its texts, so that a log of a million lines that cannot be
 * read is not one part.
 */
const charactersOfItem = 100

/** The number of parts that a thread is given at a time, so that it has one while the results of another travel. */
const maxPending = 2

/** The maximum number of parts whose results wait for an earlier part, for each thread. */
const maxParts = 8

const isConversation = (item: Item): item is Conversation => item._tag === "Conversation"

/** Returns the number of characters of the texts and arguments of a conversation. */
const charactersOf = ({ messages }: Conversation): number => {
  let characters = 0
  for (const message of messages) {
    characters += message.text.length
    if (message.role !== "assistant") continue
    for (const { arguments: args } of message.calls) characters += typeof args === "string" ? args.length : 100
  }
  return characters
}

/** Lets the results that other threads have sent arrive. */
const arrival = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Creates a replay. */
export const make = ({ fold, jobs, replay, start, startAfter = 8_000_000 }: ParallelOptions): ParallelReplay => {
  const queue: Array<Part> = []
  const threads: Array<ReplayThread> = []
  const uncheckedIds = new Set<number>()
  let open: Part = { items: [], characters: 0, results: undefined }
  let read = 0
  let calls = 0
  let failure: Problem | undefined
  let wake = (): void => {}

  const fail = (problem: Problem): void => {
    failure ??= problem
    wake()
  }
  const play = (conversation: Conversation): Ended => {
    try {
      const replayed = replay.play(conversation)
      return { _tag: "Played", replayed, unchecked: replay.unchecked() }
    } catch (error) {
      return { _tag: "Threw", error }
    }
  }
  const report = (conversation: Conversation, result: Ended): void => {
    const ended = result._tag === "NotCopied" ? play(conversation) : result
    if (ended._tag === "Threw") throw ended.error
    if (ended._tag === "Failed") throw new Error(ended.message)
    if (ended._tag === "NotCopied") return
    for (const tool of ended.unchecked) {
      if (uncheckedIds.has(tool.id)) continue
      uncheckedIds.add(tool.id)
      fold.unchecked(tool)
    }
    const replayed =
      ended._tag === "Played"
        ? ended.replayed
        : ReplayMessage.restored(conversation, ended.replayed, replay.toolsOf(conversation))
    calls += replayed.calls.length
    fold.add(conversation, replayed)
  }
  /** Reports the parts that have results, up to the first part without results. */
  const reportParts = (): void => {
    if (failure !== undefined) throw failure
    for (let part = queue[0]; part?.results !== undefined; part = queue[0]) {
      queue.shift()
      let at = 0
      for (const item of part.items) {
        if (item._tag === "Skipped") {
          fold.skip(item)
          continue
        }
        const result = part.results[at++]
        if (result !== undefined) report(item, result)
      }
    }
  }
  const idle = (): ReplayThread | undefined => {
    let best: ReplayThread | undefined
    for (const thread of threads) {
      if (!thread.isReady() || thread.pending() >= maxPending) continue
      if (best === undefined || thread.pending() < best.pending()) best = thread
    }
    return best
  }
  const startThreads = (): void => {
    if (threads.length > 0 || read < startAfter) return
    while (threads.length < jobs - 1) threads.push(start(fail))
  }
  const take = (part: Part) => (results: ReadonlyArray<Ended>) => {
    part.results = results
    wake()
  }
  const dispatch = async (part: Part): Promise<void> => {
    queue.push(part)
    startThreads()
    if (threads.length > 0) await arrival()
    const conversations = part.items.filter(isConversation)
    const isSent = conversations.length > 0 && (idle()?.send(conversations, take(part)) ?? false)
    if (!isSent) part.results = conversations.map(play)
    reportParts()
    if (queue.length > maxParts * jobs) await reported(1)
  }
  /** Waits until a number of parts at the start of the queue are reported. */
  const reported = async (parts: number): Promise<void> => {
    const last = queue[parts - 1]
    while (last !== undefined && queue.includes(last)) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      if (queue[0]?.results === undefined && failure === undefined) await woken
      reportParts()
    }
  }
  const dispatchOpen = async (): Promise<void> => {
    const part = open
    open = { items: [], characters: 0, results: undefined }
    await dispatch(part)
  }

  return {
    add: async (items) => {
      for (const item of items) {
        const characters = item._tag === "Conversation" ? charactersOf(item) : 0
        open.items.push(item)
        open.characters += characters + charactersOfItem
        read += characters
        if (open.characters >= partCharacters) await dispatchOpen()
      }
    },
    finish: async () => {
      await dispatchOpen()
      await reported(queue.length)
    },
    calls: () => calls,
    end: async () => {
      await Promise.all(threads.map((thread) => thread.end()))
    }
  }
}
