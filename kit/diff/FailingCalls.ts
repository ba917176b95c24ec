/** Counts the recorded calls that would fail with the changed tools. */
import * as JsonText from "effect-toolguard/internal/domain/json/JsonText"
import { opener, type Term } from "#kit/schema/Term"
import { valid } from "#kit/schema/Judge"
import type { Conversation, Place } from "#kit/traffic/Conversation"
import * as Result from "effect/Result"
import type { Snapshot } from "./Snapshot.ts"

/** The number of recorded calls of one tool, and of the calls that would fail. */
export interface ToolCalls {
  readonly tool: string
  /** True if the tool was removed. */
  readonly isGone: boolean
  calls: number
  /** The number of calls that the new tool refuses. */
  refused: number
  /** The number of calls that the change breaks: the old tool accepts them, and the new tool refuses them. */
  broken: number
  /** The first broken call. */
  first?: Place & { readonly call: number }
}

/** Counts the calls of conversations by tool. Calls of tools that neither snapshot has are ignored. */
export class FailingCalls {
  readonly #tools = new Map<string, ToolCalls>()
  readonly #terms = new Map<string, { readonly before: Term | undefined; readonly after: Term | undefined }>()
  /** The number of calls to tools that at least one snapshot has. */
  calls = 0

  constructor(before: Snapshot, after: Snapshot) {
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const open = opener()
      const [then, now] = [before.get(name), after.get(name)]
      this.#terms.set(name, {
        before: then === undefined ? undefined : open(then.parameters),
        after: now === undefined ? undefined : open(now.parameters)
      })
    }
  }

  /** Returns the tools that were called, sorted by name. */
  get tools(): ReadonlyArray<ToolCalls> {
    return [...this.#tools.values()].sort((a, b) => (a.tool < b.tool ? -1 : 1))
  }

  /** Counts the calls of a conversation. */
  add({ messages, place }: Pick<Conversation, "messages" | "place">): void {
    let call = 0
    for (const message of messages) {
      for (const { arguments: args, name } of message.role === "assistant" ? message.calls : []) {
        call += 1
        this.#count(name, args, { ...place, call })
      }
    }
  }

  #count(name: string, args: unknown, at: Place & { readonly call: number }): void {
    const terms = this.#terms.get(name)
    if (terms === undefined) return
    this.calls += 1
    const tool = this.#tools.get(name) ?? {
      tool: name,
      isGone: terms.after === undefined,
      calls: 0,
      refused: 0,
      broken: 0
    }
    this.#tools.set(name, tool)
    tool.calls += 1
    const value = parsed(args)
    if (accepts(terms.after, value)) return
    tool.refused += 1
    if (!accepts(terms.before, value)) return
    tool.broken += 1
    tool.first ??= at
  }
}

const accepts = (term: Term | undefined, args: Result.Result<unknown, unknown>): boolean =>
  term !== undefined && Result.isSuccess(args) && valid(term, args.success) !== false

/** Reads arguments as the guard does. */
const parsed = (args: unknown): Result.Result<unknown, unknown> =>
  typeof args === "string"
    ? Result.map(JsonText.parseArguments(args, JsonText.argumentLimits), ({ value }) => value)
    : Result.succeed(args)
