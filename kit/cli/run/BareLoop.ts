/**
 * The loop that everybody has: ask the model, run its calls, put what comes back into the conversation, ask again.
 *
 * It does what the common frameworks do, and no more: arguments are checked by the schema, the calls of a round run at once,
 * a body is parsed as JSON, and any error becomes a tool result with the error's text. The handlers are those of the guarded
 * tools, without the guard.
 */
import type { Answer as Body } from "effect-toolguard/internal/pipeline/call/Answer"
import { read } from "effect-toolguard/internal/pipeline/answer/AnswerReader"
import { compiledOf } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import type { Toolbox } from "effect-toolguard/internal/tool/Toolbox"
import type * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A call, and what the model reads of it. */
export interface BareCall {
  readonly round: number
  readonly name: string
  readonly arguments: unknown
  readonly text: string
  readonly isError: boolean
  /** Executions of the handler: 1, or 0 where the call never came to it. */
  readonly attempts: number
}

interface BareOptions {
  readonly prompt: Prompt.Prompt
  readonly tools: Toolbox<AnyTool>
  /** Calls after which it is stopped from outside. Nothing in the loop would. */
  readonly stopAfter: number
  readonly maxRounds: number
  readonly onCall: (call: BareCall) => void
}

/** How it ended, and what it did. */
interface BareEnd {
  readonly _tag: "Answered" | "Stopped"
  /** The model's answer; empty where it was stopped. */
  readonly text: string
  readonly rounds: number
  readonly calls: number
  readonly attempts: number
  /** As the provider counts them. */
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteTokens: number
  readonly outputTokens: number
}

/** How long a handler may take, so that a comparison comes to its end. */
const patience = "60 seconds"

type ModelCall = { readonly id: string; readonly name: string; readonly params: unknown }

/** Runs the loop until the model answers, or it is stopped. Fails where the model cannot be asked. */
export const run = (options: BareOptions): Effect.Effect<BareEnd, AiError.AiError, LanguageModel.LanguageModel> =>
  Effect.gen(function* () {
    let { prompt } = options
    let rounds = 0
    let calls = 0
    let attempts = 0
    let inputTokens = 0
    let cachedInputTokens = 0
    let cacheWriteTokens = 0
    let outputTokens = 0
    while (rounds < options.maxRounds && calls < options.stopAfter) {
      rounds += 1
      const said = yield* ask(prompt, options.tools)
      inputTokens += said.usage.inputTokens.total ?? 0
      cachedInputTokens += said.usage.inputTokens.cacheRead ?? 0
      cacheWriteTokens += said.usage.inputTokens.cacheWrite ?? 0
      outputTokens += said.usage.outputTokens.total ?? 0
      const asked = said.toolCalls.filter(({ providerExecuted }) => !providerExecuted)
      if (asked.length === 0) {
        return {
          _tag: "Answered",
          text: said.text,
          rounds,
          calls,
          attempts,
          inputTokens,
          cachedInputTokens,
          cacheWriteTokens,
          outputTokens
        }
      }
      const ran = asked.slice(0, options.stopAfter - calls)
      const round = rounds
      const answers = yield* Effect.forEach(
        ran,
        (call) =>
          Effect.tap(answer(options.tools, call), (answered) =>
            Effect.sync(() => options.onCall({ round, name: call.name, arguments: call.params, ...answered }))
          ),
        { concurrency: "unbounded" }
      )
      calls += ran.length
      attempts += answers.reduce((sum, { attempts }) => sum + attempts, 0)
      prompt = Prompt.concat(Prompt.concat(prompt, Prompt.fromResponseParts(said.content)), [
        Prompt.toolMessage({
          content: ran.map(({ id, name }, index) =>
            Prompt.toolResultPart({
              id,
              name,
              isFailure: answers[index]?.isError === true,
              result: answers[index]?.text ?? "",
              providerExecuted: false
            })
          )
        })
      ])
    }
    return {
      _tag: "Stopped",
      text: "",
      rounds,
      calls,
      attempts,
      inputTokens,
      cachedInputTokens,
      cacheWriteTokens,
      outputTokens
    }
  })

/** A tool as effect/ai types it, whatever its name. With `Tool.Any` the requirements would be unknown. */
type AiTool = Tool.Tool<
  string,
  {
    readonly parameters: typeof Schema.Unknown
    readonly success: typeof Schema.Json
    readonly failure: typeof Schema.Json
    readonly failureMode: "return"
  }
>

const ask = (prompt: Prompt.Prompt, tools: Toolbox<AnyTool>) =>
  LanguageModel.generateText({
    prompt,
    toolkit: tools.toolkit as unknown as Toolkit.Toolkit<Record<string, AiTool>>,
    disableToolCallResolution: true,
    toolCallValidation: "deferred"
  })

type Answer = Pick<BareCall, "attempts" | "isError" | "text">

const refused = (text: string): Answer => ({ text, isError: true, attempts: 0 })

const answer = (tools: Toolbox<AnyTool>, { id, name, params }: ModelCall): Effect.Effect<Answer> =>
  Effect.gen(function* () {
    const tool = tools.tools.get(name)
    if (tool === undefined) return refused(`Error: unknown tool '${name}'. Available tools: ${tools.names.join(", ")}.`)
    const { implementation: find, result } = compiledOf(tool)
    const implementation = find(yield* Effect.context<never>())
    if (implementation === undefined) return refused(`Error: the tool '${name}' has no implementation.`)
    const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(tool.parameters as Schema.Codec<unknown>))
    const decoded = yield* Effect.result(decode(params))
    if (decoded._tag === "Failure") return refused(`Error: invalid arguments for '${name}': ${decoded.failure.message}`)
    const services = implementation.contextFor(yield* Effect.context<never>())
    const context = { callId: id, attempt: 1, idempotencyKey: id }
    return yield* implementation.handler(decoded.success, context).pipe(
      Effect.flatMap((value) => read(value, result.text, maxBytes)),
      Effect.map((body) => readingOf(body, result.text === "json")),
      Effect.timeout(patience),
      Effect.scoped,
      Effect.provideContext(services),
      Effect.catchCause((cause) => Effect.succeed(failed(String(Cause.squash(cause)))))
    )
  })

const failed = (text: string): Answer => ({ text, isError: true, attempts: 1 })

/** Most bytes of an answer, so that a comparison comes to its end. */
const maxBytes = 10_000_000

/** What a client makes of an answer: the status is looked at, and the body is parsed. */
const readingOf = (body: Body, isJson: boolean): Answer => {
  switch (body._tag) {
    case "Value":
      return given(() => body.value)
    case "Text":
    case "Response": {
      const isRefused = body._tag === "Response" && (body.status < 200 || body.status > 299)
      if (isRefused) return failed(`Error: HTTP ${body.status}: ${body.text}`)
      if (body.cut) return failed("TypeError: terminated")
      return given(() => (isJson ? JSON.parse(body.text) : (body.raw ?? body.text)))
    }
    default:
      return failed("Error: the answer is too large")
  }
}

/** A value as the model reads it, or the text of what is thrown in its place. */
const given = (value: () => unknown): Answer => {
  try {
    const given = value()
    const text = typeof given === "string" ? given : (JSON.stringify(given) ?? "null")
    return { text, isError: false, attempts: 1 }
  } catch (error) {
    return failed(String(error))
  }
}
