/**
 * Runs a scenario in a host: the host talks to a scripted server of the chat completions API, and everything that is
 * judged is seen on the wire or in the handlers.
 */
import { Effect } from "effect"
import * as Server from "../../support/OpenAiServer.ts"
import { type NeutralTool, type Observation, type Scenario, toolsOf, type Verdict } from "./scenarios.ts"

/** A host: how it makes its tools from the neutral ones, and runs one message of a user. */
export interface Host {
  readonly name: string
  readonly isGuarded: boolean
  /** Resolves when the host has the final answer of the model. */
  readonly run: (given: HostInput) => Promise<unknown>
}

export interface HostInput {
  readonly baseUrl: string
  readonly tools: ReadonlyArray<NeutralTool>
  readonly prompt: string
}

/** The time limit of a run. The tools of guarded hosts have a limit of half a second. */
const limitMillis = 4_000

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : Array.isArray(content)
      ? content.map((part: { readonly text?: string }) => part.text ?? "").join("")
      : ""

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Runs the scenario, and judges what was seen. */
export const judged = async (host: Host, { execute, judge, responses }: Scenario): Promise<Verdict> => {
  const runs: Array<unknown> = []
  const tools = toolsOf(execute, (args) => runs.push(args))
  const script = [
    ...responses.map(({ calls, isCut }) =>
      Server.completion({ calls, finishReason: isCut === true ? "length" : "tool_calls" })
    ),
    // a host that goes on reads the final answer again
    ...Array.from({ length: 30 }, () => Server.completion({ text: "Done." }))
  ]
  const observe = Effect.gen(function* () {
    const server = yield* Server.start(script)
    const end = yield* Effect.promise(async (): Promise<Observation["end"]> => {
      const running = host.run({ baseUrl: server.baseUrl, tools, prompt: "What did C-1 order?" }).then(
        () => ({ _tag: "Answered" as const }),
        (error: unknown) => ({ _tag: "Threw" as const, message: messageOf(error) })
      )
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<Observation["end"]>((resolve) => {
        timer = setTimeout(() => resolve({ _tag: "Hung" }), limitMillis)
      })
      const ended = await Promise.race([running, late])
      clearTimeout(timer)
      return ended
    })
    const told = new Map<string, string>()
    for (const { body } of server.requests)
      for (const message of body.messages ?? [])
        // a host may send the results again, shortened: what the model read first counts
        if (message.role === "tool" && !told.has(message.tool_call_id ?? ""))
          told.set(message.tool_call_id ?? "", textOf(message.content))
    const sent = server.requests.map(({ body }) => JSON.stringify(body)).join("\n")
    return { runs, told, sent, end }
  })
  return judge(await Effect.runPromise(Effect.scoped(observe)))
}
