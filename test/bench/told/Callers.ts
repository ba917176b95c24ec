/** Makes the call of a situation as each caller but the proxy, and returns the report that the caller receives. */
import { errorClass, type EnvelopeError } from "#domain/envelope/EnvelopeError"
import { type Failure, type FailureTag, isFailure } from "#domain/failure/Failure"
import type { CallRecord } from "#domain/call/CallRecord"
import * as CallLogMemory from "#layers/CallLogMemory"
import * as EscalationScripted from "#layers/EscalationScripted"
import * as ScriptedModel from "#layers/ScriptedModel"
import { CallLog } from "#services/CallLog"
import { ToolPolicy } from "#services/Policies"
import * as Agent from "#src/agent/Agent"
import { Guard } from "#src/guard/Guard"
import * as McpServe from "#src/mcp/serve/McpServe"
import * as Routes from "#src/openapi/Routes"
import * as Toolbox from "#src/tool/Toolbox"
import { Effect, Layer, type Scope } from "effect"
import { LanguageModel, McpProtocol, McpSchema, McpTest, type Prompt } from "effect/ai"
import { HttpRouter, HttpServer } from "effect/http"
import type { Tool } from "../../pipeline/support.ts"
import type { GuardedAct } from "./GuardedAct.ts"
import type { Ledger } from "./Ledger.ts"
import type { Report } from "./Report.ts"
import type { LocalCaller } from "./Situation.ts"

type CallerReport = Omit<Report, "recorded">

const args = { q: "a" }
const { call } = ScriptedModel

/** The timeout of an attempt, unless its upstream never answers. Longer than any delay on a busy machine. */
const timeout = "2 minutes"

/** Returns a guard with a person who approves one call. Later runs that need a person end, because there is none. */
const guard = () =>
  Guard.layerMemoryWith(Layer.mergeAll(EscalationScripted.layer(["approve"]), CallLogMemory.layer)).pipe(
    Layer.provide(Layer.succeed(ToolPolicy, { retry: { base: "1 millis" }, timeout }))
  )

const box = (tool: Tool): Toolbox.Toolbox<any> =>
  (Toolbox.make as (...tools: ReadonlyArray<Tool>) => Toolbox.Toolbox<any>)(tool)

export interface Envelope {
  readonly status: "success" | "partial" | "error"
  readonly error?: EnvelopeError
  readonly notice?: string
  readonly used_fallback?: string
}

const tags: ReadonlyMap<string, string> = new Map(
  (
    [
      "ToolArgError",
      "SchemaMismatch",
      "PartialData",
      "SemanticGarbage",
      "Transient",
      "Resource",
      "Permanent",
      "HumanReview"
    ] satisfies ReadonlyArray<FailureTag>
  ).map((tag) => [errorClass(tag), tag])
)

const asksForPerson = (error: EnvelopeError | undefined): boolean =>
  error?.code === "outcome_unknown" || error?.code === "no_person"

/** Returns the report of an envelope. */
export const ofEnvelope = (
  { error, notice = "", status, used_fallback }: Envelope,
  endsForPerson = asksForPerson(error)
): CallerReport => ({
  outcome: status === "error" ? "failure" : status,
  ...(error === undefined ? {} : { class: tags.get(error.error_class) ?? error.error_class, code: error.code, error }),
  // the envelope omits the side effect of a read, and of wrong arguments if nothing was done
  sideEffect: error === undefined ? "committed" : (error.side_effect ?? "none"),
  ...(error === undefined ? { notice } : {}),
  usedFallback: used_fallback !== undefined,
  endsForPerson
})

const program = ({ tool }: GuardedAct): Effect.Effect<CallerReport, unknown, any> =>
  Effect.match(tool.call(args) as Effect.Effect<unknown, unknown, any>, {
    onSuccess: (): CallerReport => ({
      outcome: "success",
      sideEffect: "committed",
      usedFallback: false,
      endsForPerson: false
    }),
    onFailure: (error): CallerReport => {
      // a program gets a declared refusal unchanged; its handler did nothing
      if (!isFailure(error))
        return { outcome: "failure", class: "Refusal", sideEffect: "none", usedFallback: false, endsForPerson: false }
      const { _tag, code, hint, sideEffect }: Failure = error
      return {
        outcome: "failure",
        class: _tag,
        code,
        sideEffect,
        hint,
        usedFallback: false,
        endsForPerson: code === "outcome_unknown" || code === "no_person"
      }
    }
  }).pipe(Guard.turn)

const again = (ledger: Ledger) => () => {
  ledger.repeat()
  return call("close_ticket", args)
}

/** The model makes the identical call again in the next round, if the run continues. */
const loop = ({ ledger, tool }: GuardedAct): Effect.Effect<CallerReport, unknown, any> =>
  Agent.run({ prompt: "Hello", tools: box(tool) }).pipe(
    Effect.provide(ScriptedModel.layer([call("close_ticket", args), again(ledger), "Done."])),
    Effect.map((end) => {
      const [result, ...later] = resultsOf(end.transcript)
      const endsForPerson = end._tag === "NeedsPerson" && later.length === 0
      return ofEnvelope(JSON.parse(String(result?.result)) as Envelope, endsForPerson)
    })
  )

const ai = ({ tool }: GuardedAct): Effect.Effect<CallerReport, unknown, any> => {
  const tools = box(tool)
  return LanguageModel.generateText({ prompt: "Hello", toolkit: tools.toolkit as any }).pipe(
    Guard.turn,
    Effect.provide([tools.handlers, ScriptedModel.layer([call("close_ticket", args)])]),
    // the host does not type results
    Effect.map((response) => {
      const { toolResults } = response as unknown as {
        readonly toolResults: ReadonlyArray<{ readonly result: unknown }>
      }
      return ofEnvelope(toolResults[0]?.result as Envelope)
    })
  ) as unknown as Effect.Effect<CallerReport, unknown, any>
}

const mcp = ({ tool }: GuardedAct): Effect.Effect<CallerReport, unknown, any> =>
  Effect.gen(function* () {
    const services = yield* Effect.context<never>()
    const served = McpServe.layer(box(tool)).pipe(Layer.provide(Layer.succeedContext(services)))
    const client = (yield* McpTest.makeClient(served as Layer.Layer<any>, {
      protocols: [McpProtocol.v2025_11_25],
      clientCapabilities: new McpSchema.ClientCapabilities({})
    })) as McpTest.Client
    const result = yield* client.callTool({ name: "close_ticket", arguments: args } as never)
    const { isError } = result
    const reported = ofEnvelope(result.structuredContent as unknown as Envelope)
    if ((isError === true) !== (reported.outcome === "failure")) throw new Error(`isError is ${isError}`)
    return reported
  }).pipe(Effect.scoped) as Effect.Effect<CallerReport, unknown, any>

const openapi = ({ tool }: GuardedAct): Effect.Effect<CallerReport, unknown, any> =>
  Effect.gen(function* () {
    const services = yield* Effect.context<never>()
    const routes = Routes.layer(box(tool)).pipe(
      Layer.provide(Layer.succeedContext(services) as Layer.Layer<any>),
      Layer.provide(HttpServer.layerServices)
    )
    const { dispose, handler } = HttpRouter.toWebHandler(routes as Layer.Layer<never, never, HttpRouter.HttpRouter>, {
      disableLogger: true
    })
    const response = yield* Effect.promise(async () => {
      const answer = await handler(
        new Request("http://tools.example/tools/close_ticket", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(args)
        })
      )
      const body = (await answer.json()) as unknown
      await dispose()
      return { status: answer.status, body }
    })
    const envelope = (
      response.status < 300
        ? { status: "success", ...(response.body as object) }
        : { status: "error", error: response.body }
    ) as Envelope
    return { ...ofEnvelope(envelope), status: response.status }
  })

const resultsOf = (prompt: Prompt.Prompt): ReadonlyArray<Prompt.ToolResultPart> =>
  prompt.content
    .filter((message): message is Prompt.ToolMessage => message.role === "tool")
    .flatMap(({ content }) => content.filter((part) => part.type === "tool-result"))

const callers: Readonly<Record<LocalCaller, (act: GuardedAct) => Effect.Effect<CallerReport, unknown, any>>> = {
  program,
  loop,
  ai,
  mcp,
  openapi
}

/** Adds to a report what the call's record says. */
export const recorded = (reported: CallerReport): Effect.Effect<Report, unknown, CallLog> =>
  Effect.gen(function* () {
    const log = yield* CallLog
    const records: ReadonlyArray<CallRecord> = yield* log.records
    const record = records.find(({ tool }) => tool === "close_ticket")
    if (record === undefined) throw new Error("The call has no record.")
    const isSuccess = reported.outcome === "success"
    return {
      ...reported,
      recorded: record.sideEffect,
      sideEffect: isSuccess ? record.sideEffect : reported.sideEffect,
      usedFallback: record.usedFallback !== undefined
    }
  })

/** Makes the call of a situation with a new guard. */
export const report = (caller: LocalCaller, act: GuardedAct): Effect.Effect<Report, unknown, Scope.Scope> =>
  Effect.flatMap(callers[caller](act), recorded).pipe(
    Effect.provide(Layer.mergeAll(guard(), act.layer))
  ) as Effect.Effect<Report, unknown, Scope.Scope>
