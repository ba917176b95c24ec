/**
 * One outage in virtual time: many clients want one success each of an upstream that is away for 10 to 120 seconds.
 *
 * **Details**
 *
 * - A client makes its call at a random time of the outage, and repeats it until it succeeds.
 * - Everything is derived from the seed. With and without a guard, the outage and the first calls are the same.
 */
import * as RetryPolicy from "#domain/tool/RetryPolicy"
import * as Effect from "effect/Effect"
import * as Dice from "../simulate/Dice.ts"
import * as World from "../simulate/World.ts"
import * as Fleet from "./Fleet.ts"
import * as Upstream from "./Upstream.ts"

/**
 * How a client waits before it repeats a call: it obeys the wait that it reads, adds up to as much again, or ignores it
 * and uses plain retries. Without a stated wait every client uses plain retries.
 */
type Behaviour = "obeys" | "adds jitter" | "ignores"

/** A kind of client: who makes the call, and what it does with the wait that it reads. */
export interface Client {
  readonly caller: "program" | "model"
  readonly behaviour: Behaviour
}

/** A storm to simulate. */
export interface Scenario extends Client {
  readonly seed: number
  readonly clients: number
  /** Undefined: without a guard. */
  readonly deployment?: Fleet.Deployment
  /** Default: a tenth of the clients per second. */
  readonly upstream?: Upstream.UpstreamOptions
}

/** What happened in a storm. Times are in milliseconds since the end of the outage. */
export interface Result {
  readonly outageMillis: number
  /** The requests that reached the upstream. */
  readonly requests: number
  /** The calls that the clients made. */
  readonly calls: number
  /** The most requests within a second after the outage, as a multiple of the capacity. */
  readonly peak: number
  /** The mean time of the successes. */
  readonly mean: number
  /** The time of the last success. */
  readonly last: number
  /** The clients without a success five minutes after the outage. */
  readonly unfinished: number
  /** The requests in each tenth of a second since the start of the outage. */
  readonly rates: ReadonlyArray<number>
}

/** The kinds of clients. A model that ignores its wait is like a program that does. */
export const kinds: ReadonlyArray<Client> = [
  { caller: "program", behaviour: "obeys" },
  { caller: "program", behaviour: "adds jitter" },
  { caller: "program", behaviour: "ignores" },
  { caller: "model", behaviour: "obeys" }
]

/** A client without a guard reads no wait. */
export const plainClient: Client = { caller: "program", behaviour: "ignores" }

/** Plain retries: exponential backoff with equal jitter, from 1 s to 20 s. */
const plain: RetryPolicy.RetryPolicy = { ...RetryPolicy.defaults, attempts: Number.POSITIVE_INFINITY }

const observedMillis = 300_000

export const simulate = async (scenario: Scenario): Promise<Result> => {
  const { behaviour, caller, clients, deployment, seed, upstream = { capacity: clients / 10 } } = scenario
  const world = World.make(seed)
  const outageMillis = Dice.make(seed, "outage").between(10_000, 120_000)
  const recovery = World.start + outageMillis
  const { rates, request } = Upstream.make(world, recovery, upstream)
  const fleet = await Fleet.make(world, seed, request, deployment)
  const finished: Array<number> = []
  let calls = 0

  const waitMillis = (hintMillis: number | undefined, plainFailures: number, random: number): number => {
    if (hintMillis === undefined || behaviour === "ignores")
      return RetryPolicy.delayMillis(plain, plainFailures, random)
    return behaviour === "obeys" ? hintMillis : hintMillis * (1 + random)
  }
  const client = (number: number, { call }: Fleet.Member): Effect.Effect<void> => {
    const dice = Dice.make(seed, `client ${number}`)
    let plainFailures = 0
    const attempt: Effect.Effect<void> = Effect.suspend(() => {
      calls += 1
      return Effect.matchEffect(call(number, caller), {
        onSuccess: () => Effect.sync(() => void finished.push(world.now() - recovery)),
        onFailure: ({ hintMillis }) => {
          if (hintMillis === undefined || behaviour === "ignores") plainFailures += 1
          return Effect.andThen(Effect.sleep(waitMillis(hintMillis, plainFailures, dice.next())), attempt)
        }
      })
    })
    return attempt
  }

  const starts = Dice.make(seed, "starts")
  for (let number = 0; number < clients; number += 1) {
    const member = fleet.members[number % fleet.members.length] as Fleet.Member // a fleet has at least one member
    world.after(member.process, starts.next() * outageMillis, () => {
      Effect.runForkWith(member.process.context)(client(number, member))
    })
  }
  await fleet.runUntil(() => finished.length === clients, outageMillis + observedMillis)
  await fleet.close()

  const all = rates()
  return {
    outageMillis,
    requests: sumOf(all),
    calls,
    peak: busiestSecond(all.slice(Math.ceil(outageMillis / Upstream.slice.millis))) / upstream.capacity,
    mean: sumOf(finished) / finished.length,
    last: finished.reduce((latest, at) => Math.max(latest, at), 0),
    unfinished: clients - finished.length,
    rates: all
  }
}

const sumOf = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0)

/** Returns the most requests within a second that starts at any slice. */
const busiestSecond = (rates: ReadonlyArray<number>): number =>
  rates.reduce((most, _, from) => Math.max(most, sumOf(rates.slice(from, from + Upstream.slice.perSecond))), 0)
