/**
 * Runs an agent without the guard: asks the model, runs its calls, adds their results to the conversation, and asks again.
 *
 * The loop does no more than common frameworks. The schema checks the arguments, the calls of a round run concurrently,
 * a body is parsed as JSON, and the text of any error becomes the tool's result. The loop runs the handlers of the
 * guarded tools without the guard.
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

/** A call and the text that the model reads. */
export interface BareCall {
  readonly round: number
  readonly name: string
  readonly arguments: unknown
  readonly text: string
  readonly isError: boolean
  /** The number of attempts: 1 if the handler ran, otherwise 0. */
  readonly attempts: number
}

interface BareOptions {
  readonly prompt: Prompt.Prompt
  readonly tools: Toolbox<AnyTool>
  /** The maximum number of calls, after which the loop stops. */
  readonly stopAfter: number
  readonly maxRounds: number
  readonly onCall: (call: BareCall) => void
}

/** The end of the loop, and its counts. */
interface BareEnd {
  readonly _tag: "Answered" | "Stopped"
  /** The model's answer; empty if the loop was stopped. */
  readonly text: string
  readonly rounds: number
  readonly calls: number
  readonly attempts: number
  /** Tokens as the provider counts them. */
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteTokens: number
  readonly outputTokens: number
}

/** The timeout of a handler, so that every comparison ends. */
const handlerTimeout = "60 seconds"

type ModelCall = { readonly id: string; readonly name: string; readonly params: unknown }

/** Runs the loop until the model answers or a limit is reached. Fails if a request to the model fails. */
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
      const reply = yield* ask(prompt, options.tools)
      inputTokens += reply.usage.inputTokens.total ?? 0
      cachedInputTokens += reply.usage.inputTokens.cacheRead ?? 0
      cacheWriteTokens += reply.usage.inputTokens.cacheWrite ?? 0
      outputTokens += reply.usage.outputTokens.total ?? 0
      const requested = reply.toolCalls.filter(({ providerExecuted }) => !providerExecuted)
      if (requested.length === 0) {
        return {
          _tag: "Answered",
          text: reply.text,
          rounds,
          calls,
          attempts,
          inputTokens,
          cachedInputTokens,
          cacheWriteTokens,
          outputTokens
        }
      }
      const executed = requested.slice(0, options.stopAfter - calls)
      const round = rounds
      const answers = yield* Effect.forEach(
        executed,
        (call) =>
          Effect.tap(answer(options.tools, call), (answered) =>
            Effect.sync(() => options.onCall({ round, name: call.name, arguments: call.params, ...answered }))
          ),
        { concurrency: "unbounded" }
      )
      calls += executed.length
      attempts += answers.reduce((sum, { attempts }) => sum + attempts, 0)
      prompt = Prompt.concat(Prompt.concat(prompt, Prompt.fromResponseParts(reply.content)), [
        Prompt.toolMessage({
          content: executed.map(({ id, name }, index) =>
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

/** A tool of effect/ai with any name. With `Tool.Any` the requirements would be `unknown`. */
type AiTool = Tool.Tool<
  string,
  {
    readonly parameters: typeof Schema.Unknown
    readonly success: typeof Schema.Json
    readonly failure: typeof Schema.Json
    readonly failureMode: "return"
  }
>

/** Asks the model without running its calls. */
const ask = (prompt: Prompt.Prompt, tools: Toolbox<AnyTool>) =>
  LanguageModel.generateText({
    prompt,
    // the names of the tools are only known at run time
    toolkit: tools.toolkit as unknown as Toolkit.Toolkit<Record<string, AiTool>>,
    disableToolCallResolution: true,
    toolCallValidation: "deferred"
  })

type Answer = Pick<BareCall, "attempts" | "isError" | "text">

/** Creates the answer to a call that did not reach the handler. */
const refused = (text: string): Answer => ({ text, isError: true, attempts: 0 })

/** Runs a call. */
const answer = (tools: Toolbox<AnyTool>, { id, name, params }: ModelCall): Effect.Effect<Answer> =>
  Effect.gen(function* () {
    const tool = tools.tools.get(name)
    if (tool === undefined) return refused(`Error: unknown tool '${name}'. Available tools: ${tools.names.join(", ")}.`)
    const { implementation: find, result } = compiledOf(tool)
    const implementation = find(yield* Effect.context<never>())
    if (implementation === undefined) return refused(`Error: the tool '${name}' has no implementation.`)
    // `AnyTool` does not type its parameters; their schema needs no services
    const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(tool.parameters as Schema.Codec<unknown>))
    const decoded = yield* Effect.result(decode(params))
    if (decoded._tag === "Failure") return refused(`Error: invalid arguments for '${name}': ${decoded.failure.message}`)
    const services = implementation.contextFor(yield* Effect.context<never>())
    const controller = new AbortController()
    const { signal } = controller
    const unclaimed = { fencingToken: undefined, ensureLease: Effect.void }
    const identity = { callId: id, attempt: 1, idempotencyKey: id, tenant: "default", principal: undefined }
    const context = { ...identity, ...unclaimed, signal }
    return yield* implementation.handler(decoded.success, context).pipe(
      Effect.onInterrupt(() => Effect.sync(() => controller.abort())),
      Effect.flatMap((value) => read(value, result.text, maxBytes)),
      Effect.map((body) => resultOf(body, result.text === "json")),
      Effect.timeout(handlerTimeout),
      Effect.scoped,
      Effect.provideContext(services),
      Effect.catchCause((cause) => Effect.succeed(failed(String(Cause.squash(cause)))))
    )
  })

/** Creates the answer to a call that failed after its handler was called. */
const failed = (text: string): Answer => ({ text, isError: true, attempts: 1 })

/** The maximum size of an answer, so that every comparison ends. */
const maxBytes = 10_000_000

/** Reads an answer as a simple client does: checks the status and parses the body. */
const resultOf = (body: Body, isJson: boolean): Answer => {
  switch (body._tag) {
    case "Value":
      return rendered(() => body.value)
    case "Text":
    case "Response": {
      const isError = body._tag === "Response" && (body.status < 200 || body.status > 299)
      if (isError) return failed(`Error: HTTP ${body.status}: ${body.text}`)
      if (body.cut) return failed("TypeError: terminated")
      return rendered(() => (isJson ? JSON.parse(body.text) : (body.raw ?? body.text)))
    }
    default:
      return failed("Error: the answer is too large")
  }
}

/** Renders a value for the model, or the error that computing the value throws. */
const rendered = (compute: () => unknown): Answer => {
  try {
    const value = compute()
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "null")
    return { text, isError: false, attempts: 1 }
  } catch (error) {
    return failed(String(error))
  }
}
