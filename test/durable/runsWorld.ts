/** Provides an agent whose runs are listed, cancelled and forgotten, and helpers that wait for states. */
import * as EscalationDurable from "#layers/EscalationDurable"
import * as ScriptedModel from "#layers/ScriptedModel"
import type { DurableRunState } from "#services/DurableRuns"
import * as DurableAgent from "#src/durable/DurableAgent"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { Deferred, Effect, Layer, Schema } from "effect"
import type { Prompt } from "effect/ai"

const parameters = Schema.Struct({ action: Schema.String })
const success = Schema.Struct({ done: Schema.String })

class Write extends GuardedTool.Service<Write>()("write", {
  description: "Writes. Ends when the test lets it.",
  access: "write",
  parameters,
  success,
  idempotency: "derived"
}) {}

class Refund extends GuardedTool.Service<Refund>()("refund", {
  description: "Refunds. Writes.",
  access: "destructive",
  parameters,
  success,
  idempotency: "derived",
  approval: "confirm"
}) {}

/** The state that the handlers and the people of a test share. */
export interface World {
  readonly asked: Array<EscalationDurable.DurableQuestion>
  readonly written: Array<string>
  readonly refunded: Array<string>
  readonly interrupted: Array<string>
  /** Completes when a handler of `write` has started. */
  readonly started: Deferred.Deferred<void>
  /** Lets the handlers of `write` end. */
  readonly gate: Deferred.Deferred<void>
}

export const world = (): World => ({
  asked: [],
  written: [],
  refunded: [],
  interrupted: [],
  started: Deferred.makeUnsafe(),
  gate: Deferred.makeUnsafe()
})

export const agentOf = (options: { readonly name?: string; readonly retention?: "30 days" } = {}) =>
  DurableAgent.make(options.name ?? "Clerk", {
    tools: Toolbox.make(Write, Refund),
    ...(options.retention === undefined ? {} : { retention: options.retention })
  })
export type Agent = ReturnType<typeof agentOf>

/** The prompt `write refund` makes the model call `write` first, then `refund`, and then answer. */
const model = ScriptedModel.layer((prompt: Prompt.Prompt) => {
  const at = prompt.content.filter(({ role }) => role === "assistant").length
  const tool = textOf(prompt).split(" ")[at] ?? ""
  return tool === "write" || tool === "refund"
    ? ScriptedModel.call(tool, { action: `${tool}-${at}` }, `call_${at}`)
    : "It is done."
})

const textOf = (prompt: Prompt.Prompt): string =>
  [prompt.content.find(({ role }) => role === "user")?.content ?? []]
    .flat()
    .flatMap((part) => (typeof part === "string" ? part : part.type === "text" ? part.text : []))
    .join("")

/** The layers that a runner needs besides its engine. */
export const needsOf = ({ asked, gate, interrupted, refunded, started, written }: World) => {
  const tools = Layer.mergeAll(
    Write.layerTest(({ action }) =>
      Effect.gen(function* () {
        yield* Deferred.succeed(started, undefined)
        yield* Deferred.await(gate)
        written.push(action)
        return { done: action }
      }).pipe(Effect.onInterrupt(() => Effect.sync(() => interrupted.push(action))))
    ),
    Refund.layerTest(({ action }) => Effect.sync(() => (refunded.push(action), { done: action })))
  )
  const people = EscalationDurable.layer({ tell: (question) => Effect.sync(() => asked.push(question)) })
  return Layer.mergeAll(tools, model, Guard.layerMemoryWith(people))
}

/** Polls until the run is in a state. */
export const until = (agent: Agent, run: DurableAgent.RunKey, tag: DurableAgent.DurableState["_tag"]) =>
  Effect.repeat(Effect.delay(agent.poll(run), 10), { until: ({ _tag }) => _tag === tag })

/** Lists until the first run is in a state. */
export const untilListed = (agent: Agent, state: DurableRunState) =>
  Effect.repeat(Effect.delay(Effect.orDie(agent.list()), 10), { until: ({ runs }) => runs[0]?.state === state })
