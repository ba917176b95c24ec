/**
 * Runs identical calls of one write in several processes, in an order of events that a seed chooses.
 *
 * The events are calls, the moments at which the upstream acts, reads and answers, lost answers, lookups that fail or
 * hang, failures of the stores, crashes, and the passing of time. Between two events every fiber runs until it waits, so
 * that a seed leads to the same events on every layer.
 *
 * The upstream performs a request only while its attempt waits for the answer, or, after a crash, within the time limit
 * of the attempt. It may perform the request of a handler that ignores its interruption at any time.
 */
import { Budgets, BudgetsUnavailable } from "#services/Budgets"
import { CurrentTurn } from "#services/CurrentTurn"
import { IdempotencyKeys, IdempotencyKeysUnavailable } from "#services/IdempotencyKeys"
import type { Outcome } from "#domain/call/Outcome"
import { Guard } from "#src/guard/Guard"
import { Clock, Context, Effect, Layer, Logger, Option } from "effect"
import { TestClock } from "effect/testing"
import { ask, define, handled } from "../pipeline/support.ts"
import * as Dice from "../simulate/Dice.ts"
import { turn } from "./values.ts"

/** The stores of one process, which share their data with those of the other processes. */
export type ProcessStores = Context.Context<IdempotencyKeys | Budgets>

const timeoutMillis = 3_000

/** The kinds of writes: with or without a key, and with a handler that obeys or ignores its interruption. */
export const modes = {
  "with a key": { definition: { idempotency: "derived" }, isStubborn: false },
  "without a key": { definition: {}, isStubborn: false },
  "with a key, whose handler ignores its interruption": { definition: { idempotency: "derived" }, isStubborn: true },
  "without a key, whose handler ignores its interruption": { definition: {}, isStubborn: true }
} as const
export type Mode = keyof typeof modes

interface Process {
  readonly stores: ProcessStores
  isCrashed: boolean
  /** The number of requests to stores that are not answered yet. */
  pending: number
}

/** A request of a handler to the upstream. */
interface Request {
  readonly kind: "write" | "lookup"
  readonly process: Process
  readonly call: string
  readonly sentAt: number
  /** For a lookup, what it has read, or undefined before that. For a write, true if it was performed. */
  seen: boolean | undefined
  readonly answer: (answer: Effect.Effect<unknown, unknown>) => void
}

interface Report {
  readonly call: string
  readonly outcome: Outcome
}

const failing = (code: string) => Effect.fail(Object.assign(new Error(code), { code }))
const [reset, refused] = [failing("ECONNRESET"), failing("ECONNREFUSED")] as const

/**
 * Lets a store fail before or after its work, and never answer a process that has crashed. A failed `complete` leaves the
 * claim in flight, as in the layers. Lost answers to `spend` are not simulated, because the key would stay in progress
 * for the rest of its turn.
 */
const faulty = <S extends object>(store: S, process: Process, dice: Dice.Dice, unavailable: () => unknown): S => {
  const run = (name: string, args: ReadonlyArray<unknown>): Effect.Effect<unknown, unknown> =>
    Reflect.apply(store[name as keyof S] as (...args: ReadonlyArray<unknown>) => never, store, args)
  return Object.fromEntries(
    Object.entries(store).map(([name, member]) => [
      name,
      typeof member !== "function"
        ? member
        : (...args: ReadonlyArray<unknown>) =>
            Effect.suspend(() => {
              if (process.isCrashed) return Effect.never
              const fault = dice.next()
              const isBefore = fault < 0.02 && name !== "leave"
              const isAfter = fault > 0.98 && !["leave", "claim", "spend"].includes(name)
              process.pending += 1
              const work = !isBefore
                ? run(name, args)
                : name === "complete"
                  ? Effect.andThen(run("leave", [args[0], args[2]]), Effect.fail(unavailable()))
                  : Effect.fail(unavailable())
              return Effect.ensuring(
                work,
                Effect.sync(() => void (process.pending -= 1))
              ).pipe(
                Effect.flatMap((answer) =>
                  process.isCrashed ? Effect.never : isAfter ? Effect.fail(unavailable()) : Effect.succeed(answer)
                )
              )
            })
    ])
  ) as S
}

const cause = new Error("The store does not respond.")

/** Runs the events of a seed. Returns the effects, the events in words, and the promises that the reports break. */
export const explore = (mode: Mode, seed: number, stores: ReadonlyArray<ProcessStores>, conversation: string) =>
  Effect.gen(function* () {
    const dice = Dice.make(seed, mode)
    const processes = stores.map((own): Process => ({ stores: own, isCrashed: false, pending: 0 }))
    const open = new Set<Request>()
    const orphans = new Set<Request>()
    /** The calls whose handlers performed the action, once for each effect. */
    const effects: Array<string> = []
    const reports: Array<Report> = []
    const log: Array<string> = []
    const { definition, isStubborn } = modes[mode]
    const isPatient = dice.chance(0.3)
    const look = define("look_it", {
      retry: { attempts: 1 },
      timeout: isPatient ? "50 seconds" : "2 seconds",
      deadline: isPatient ? "50 seconds" : "2 seconds"
    })
    const write = define("write_it", {
      access: "write",
      ...definition,
      timeout: timeoutMillis,
      deadline: "8 seconds",
      retry: { attempts: 2, base: "100 millis" },
      reconcile: {
        tool: look,
        arguments: () => ({ q: "a" }),
        found: ({ n }: { readonly n: number }) => (n > 0 ? Option.some({ n }) : Option.none())
      }
    })
    const requesting =
      (kind: Request["kind"], process: Process) => (_: unknown, context: { readonly callId: string }) => {
        const sent = Effect.flatMap(Clock.currentTimeMillis, (sentAt) =>
          Effect.callback<unknown, unknown>((resume) => {
            const answer: Request["answer"] = (effect) => {
              open.delete(request)
              resume(effect)
            }
            const request: Request = { kind, process, call: context.callId, sentAt, seen: undefined, answer }
            if (!process.isCrashed) open.add(request)
            return Effect.sync(() => void open.delete(request))
          })
        )
        return kind === "write" && isStubborn ? Effect.uninterruptible(sent) : sent
      }
    const guards = yield* Effect.forEach(processes, (process) => {
      const services = Layer.mergeAll(
        Layer.succeed(
          IdempotencyKeys,
          faulty(
            Context.get(process.stores, IdempotencyKeys),
            process,
            dice,
            () => new IdempotencyKeysUnavailable({ cause })
          )
        ),
        Layer.succeed(
          Budgets,
          faulty(Context.get(process.stores, Budgets), process, dice, () => new BudgetsUnavailable({ cause }))
        )
      )
      const tools = Layer.merge(
        handled(look, requesting("lookup", process)),
        handled(write, requesting("write", process))
      )
      return Layer.build(Layer.merge(Guard.layerMemoryWith(services), tools))
    })
    const settled: Effect.Effect<void> = Effect.gen(function* () {
      for (let quiet = 0, rounds = 1; quiet < 3; rounds++) {
        const wait = (go: () => void) => (rounds < 200 ? setImmediate(go) : setTimeout(go, 5))
        yield* Effect.promise(() => new Promise<void>((resolve) => void wait(resolve)))
        quiet = processes.every(({ isCrashed, pending }) => pending === 0 || isCrashed) ? quiet + 1 : 0
        // a store may repeat its statement after a pause
        if (rounds % 400 === 0) yield* TestClock.adjust("50 millis")
      }
    })
    /** The calls without a report, and their processes. */
    const running = new Map<string, Process>()
    let calls = 0
    const call = (at: number) =>
      Effect.gen(function* () {
        const id = `c${(calls += 1)}`
        log.push(`${id} in p${at}`)
        const asked = Effect.provide(
          Effect.provideService(ask([write], "write_it", '{"q":"a"}', { callId: id }), CurrentTurn, {
            ...turn,
            conversation
          }),
          guards[at] as Context.Context<Guard>
        ).pipe(
          Effect.tap(({ outcome }) =>
            Effect.sync(() => {
              const text = outcome._tag === "Success" ? "done" : `${outcome.failure.code} ${outcome.failure.sideEffect}`
              log.push(`${id}: ${text}`)
              reports.push({ call: id, outcome })
              running.delete(id)
            })
          )
        )
        running.set(id, processes[at] as Process)
        // the calls of a crashed process never end
        yield* Effect.forkDetach(asked, { startImmediately: true })
      })
    const perform = (request: Request) => {
      if (request.seen === true) return
      request.seen = true
      effects.push(request.call)
      log.push(`the upstream performs ${request.call}`)
    }
    const answer = (request: Request, how: number) => {
      const { call: id, kind } = request
      if (kind === "lookup") {
        if (how < 0.25 && request.seen === undefined) {
          request.seen = effects.length > 0
          log.push(`the lookup of ${id} reads ${effects.length}`)
        } else if (how < 0.4) {
          log.push(`the lookup of ${id} fails`)
          request.answer(reset)
        } else {
          const n = (request.seen ?? effects.length > 0) ? 1 : 0
          log.push(`the lookup of ${id} answers ${n}`)
          request.answer(Effect.succeed({ n }))
        }
      } else if (how < 0.25) perform(request)
      else if (how < 0.55) {
        if (how < 0.4) perform(request)
        log.push(`the answer to ${id} is lost`)
        request.answer(reset)
      } else if (how < 0.65 && request.seen === undefined) {
        log.push(`${id} is refused`)
        request.answer(refused)
      } else {
        perform(request)
        log.push(`${id} is answered`)
        request.answer(Effect.succeed({ n: 1 }))
      }
    }
    const crash = (process: Process) => {
      process.isCrashed = true
      log.push(`p${processes.indexOf(process)} crashes`)
      for (const request of open) {
        if (request.process !== process) continue
        open.delete(request)
        if (request.kind === "write") orphans.add(request)
      }
    }
    const live = () => processes.filter(({ isCrashed }) => !isCrashed)
    const pass = (seconds: number) =>
      Effect.andThen(
        Effect.sync(() => log.push(`${seconds} s pass`)),
        TestClock.adjust(`${seconds} seconds`)
      )
    for (let event = 0; event < 30; event++) {
      const now = yield* Clock.currentTimeMillis
      for (const one of orphans) if (now - one.sentAt > timeoutMillis) orphans.delete(one)
      const busy = live().filter((process) => [...open].some((request) => request.process === process))
      const what = dice.next()
      if (what < 0.25 && calls < 6) yield* call(processes.indexOf(dice.one(live())))
      else if (what < 0.55 && open.size > 0) answer(dice.one([...open]), dice.next())
      else if (what < 0.62 && orphans.size > 0) perform(dice.one([...orphans]))
      else if (what < 0.7 && live().length > 1) crash(dice.one(busy.length > 0 ? busy : live()))
      else if (what > 0.75) yield* pass(dice.one([1, 3, 20, 20]))
      yield* settled
    }
    // all leases have ended when the last call is made
    for (const isLast of [false, true]) {
      if (isLast) yield* call(processes.indexOf(dice.one(live())))
      yield* settled
      for (let turns = 0; turns < 60 && (open.size > 0 || turns < 6); turns++) {
        for (const request of open) answer(request, 1)
        yield* settled
        yield* pass(10)
        yield* settled
      }
    }
    const hanging = [...running].flatMap(([id, { isCrashed }]) => (isCrashed ? [] : [`${id} has no report`]))
    const last = reports.at(-1)?.outcome
    const isStuck = last?._tag === "Failure" && last.failure.code === "in_progress" && "idempotency" in definition
    const stuck = isStuck ? ["the last call is in progress, and no other call is"] : []
    return { effects, log, broken: [...hanging, ...stuck, ...violations(effects, reports)] }
  }).pipe(Effect.scoped, Effect.provide(Logger.layer([])))

const effectOf = (outcome: Outcome) => (outcome._tag === "Success" ? "committed" : outcome.failure.sideEffect)

/** Returns the promises that the reports break. */
const violations = (effects: ReadonlyArray<string>, reports: ReadonlyArray<Report>): ReadonlyArray<string> => {
  const isUnknown = reports.some(({ outcome }) => effectOf(outcome) === "unknown")
  return [
    ...(effects.length > 1 && !isUnknown ? [`${effects.length} effects, and no report of an unknown one`] : []),
    ...reports.flatMap(({ call, outcome }) => {
      const effect = effectOf(outcome)
      return [
        ...(effect === "committed" && effects.length === 0 ? [`${call} is reported as done, but was not done`] : []),
        ...(effect === "none" && effects.includes(call) ? [`${call} was done, and is reported as not done`] : [])
      ]
    })
  ]
}
