/** Defines the tools of the simulated agent: one for each way of learning whether an interrupted write was done. */
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Process } from "./World.ts"
import type { Upstream } from "./Upstream.ts"

const Action = Schema.Struct({ action: Schema.String })
const Done = Schema.Struct({ done: Schema.Boolean })
const write = { description: "Performs an action.", access: "write", parameters: Action, success: Done } as const
const times = { timeout: "5 seconds", deadline: "20 seconds" } as const

export class Look extends GuardedTool.Service<Look>()("look", {
  description: "Returns whether an action was performed. Read-only.",
  access: "read",
  parameters: Action,
  success: Done
}) {}

/** A write whose upstream performs each key once. */
export class Honoured extends GuardedTool.Service<Honoured>()("honoured", {
  ...write,
  ...times,
  idempotency: { mode: "derived", upstreamHonoursKey: true }
}) {}

/** A write with a lookup that finds out whether an interrupted action was performed. */
export class LookedUp extends GuardedTool.Service<LookedUp>()("looked_up", {
  ...write,
  ...times,
  idempotency: "derived",
  reconcile: {
    tool: Look,
    arguments: (args) => args,
    found: ({ done }) => (done ? Option.some({ done: true }) : Option.none())
  }
}) {}

/** A write whose key only the guard knows. */
export class Keyed extends GuardedTool.Service<Keyed>()("keyed", { ...write, ...times, idempotency: "derived" }) {}

/** A write without a key. */
export class Plain extends GuardedTool.Service<Plain>()("plain", { ...write, ...times }) {}

/** A write that a person must approve. */
export class Approved extends GuardedTool.Service<Approved>()("approved", {
  ...write,
  ...times,
  access: "destructive",
  approval: "confirm",
  idempotency: "derived"
}) {}

export const toolbox = Toolbox.make(Look, Honoured, LookedUp, Keyed, Plain, Approved)

/** The names of the tools that write. */
export const writes = ["honoured", "looked_up", "keyed", "plain", "approved"] as const
export type Write = (typeof writes)[number]

/** Provides the handlers of a process. */
export const layer = (process: Process, upstream: Upstream) => {
  const act =
    (tool: Write, isHonouring: boolean) =>
    ({ action }: typeof Action.Type, { idempotencyKey }: GuardedTool.HandlerContext) =>
      Effect.map(upstream.act(process, tool, action, isHonouring ? idempotencyKey : undefined), (done) => ({ done }))
  /** Returns a handler that acts only if this process still owns the action. */
  const actIfOwned = (tool: Write) => (args: typeof Action.Type, context: GuardedTool.HandlerContext) =>
    Effect.andThen(context.ensureLease, act(tool, false)(args, context))
  return Layer.mergeAll(
    Look.layer(({ action }) => Effect.map(upstream.look(process, action), (done) => ({ done }))),
    Honoured.layer(act("honoured", true)),
    LookedUp.layer(actIfOwned("looked_up")),
    Keyed.layer(act("keyed", false)),
    Plain.layer(act("plain", false)),
    Approved.layer(actIfOwned("approved"))
  )
}
