/** Simulates people who from time to time decide requests for approval and settle unknown outcomes, truthfully. */
import * as Effect from "effect/Effect"
import type * as Dice from "./Dice.ts"
import type { Stores } from "./Stores.ts"
import type { Upstream } from "./Upstream.ts"
import type { World } from "./World.ts"

/** The mean time between two looks at the inbox, in milliseconds. Half of it is longer than any request to an upstream. */
const interval = 15 * 60_000

export interface People {
  /** The number of decisions and settlements. */
  readonly count: () => number
  /** The ids of the requests that people approved. */
  readonly approved: Set<string>
}

const actionOf = (args: unknown): string => (args as { readonly action: string }).action // all writes have this field

/** Lets people look at the inbox until the end of the simulation. */
export const attend = (world: World, stores: Stores, upstream: Upstream, dice: Dice.Dice): People => {
  const approved = new Set<string>()
  let count = 0
  const run = <A>(effect: Effect.Effect<A, unknown>): A =>
    Effect.runSync(Effect.orDie(Effect.provideContext(effect, world.server)))

  const decide = (id: string) => {
    const verdict = dice.chance(0.7) ? "approve" : "deny"
    const decision = { verdict, by: "Ann", reason: "" } as const
    const decided = run(stores.approvals.decide(id, decision))
    if (verdict === "approve" && decided._tag === "Taken") approved.add(id)
    count += 1
    // a person who clicks twice, or two people at the same time
    if (dice.chance(0.2)) run(stores.approvals.decide(id, { ...decision, by: "Bob" }))
  }
  const look = () => {
    for (const { id } of run(stores.approvals.pending({ limit: 100 })).requests) if (dice.chance(0.8)) decide(id)
    for (const outcome of run(stores.outcomes.open({ limit: 100 }))) {
      const isDone = upstream.count(actionOf(outcome.arguments)) > 0
      const settling = { by: "Ann", reason: "" } as const
      count += 1
      if (isDone) run(stores.outcomes.settle(outcome.id, { ...settling, finding: "done", result: { done: true } }))
      else run(stores.outcomes.settle(outcome.id, { ...settling, finding: "not_done" }))
    }
    world.after(undefined, interval * (0.5 + dice.next()), look)
  }
  world.after(undefined, interval, look)
  return { approved, count: () => count }
}
