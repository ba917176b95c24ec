/** Tests when an observer is notified of a question, and which ids a request to a person contains. */
import * as SafeEscalation from "#pipeline/call/SafeEscalation"
import type { CallEvent } from "#services/CallObserver"
import { CurrentRun } from "#services/CurrentRun"
import type { Escalation } from "#services/Escalation"
import { RequestObserver } from "#services/RequestObserver"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { callOf, define } from "../support.ts"

type Service = Escalation["Service"]
type Question = Parameters<Service["ask"]>[0]

const question = { sentence: "drop_it: Drops a table." } as Question
const stored = { requestId: "r1", approvalUrl: "https://inbox.example/r1" }
const event = { _tag: "PersonAsked", callId: "c1", tool: "drop_it", sentence: question.sentence } as const
const denied = { _tag: "Denied", by: "ana", reason: "no" } as const

/** Asks a question. Returns the events and the moment at which the service was asked, in order, and the answer. */
const asked = (service: Partial<Service>, answer: Effect.Effect<typeof denied> = Effect.succeed(denied)) =>
  Effect.gen(function* () {
    const order: Array<CallEvent | "asked"> = []
    const escalation: Service = {
      inform: () => Effect.void,
      ask: () =>
        Effect.gen(function* () {
          order.push("asked")
          const observe = yield* RequestObserver
          if (service.namesRequests === true) observe?.(stored)
          return yield* answer
        }),
      ...service
    }
    const observe = (heard: CallEvent) => void order.push(heard)
    const end = yield* SafeEscalation.askObserved(escalation, question, { callId: "c1", tool: "drop_it", observe })
    return [...order, end]
  })

describe("a question to a person", () => {
  it.effect("11.2 is reported before the service is asked, if the service does not name its requests", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* asked({}), [event, "asked", denied])
    })
  )

  it.effect("10.5 is reported once, with its id, when a service that names its requests has stored it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* asked({ namesRequests: true }), ["asked", { ...event, ...stored }, denied])
    })
  )

  it.effect("11.2 is reported after the answer, if the service names its requests but stored this one nowhere", () =>
    Effect.gen(function* () {
      const silent = { namesRequests: true, ask: () => Effect.succeed(denied) }
      assert.deepStrictEqual(yield* asked(silent), [event, denied])
    })
  )

  for (const [how, answer] of [
    ["dies", Effect.die(new Error("boom"))],
    ["interrupts itself", Effect.interrupt]
  ] as const) {
    it.effect(`10.1 counts as unanswered if the service ${how}, and is reported once`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* asked({}, answer), [event, "asked", { _tag: "NoPerson" }])
      })
    )
  }

  it.effect("10.1 counts as unanswered if the service throws instead of returning an effect", () =>
    Effect.gen(function* () {
      const broken = {
        ask: () => {
          throw new Error("boom")
        }
      }
      assert.deepStrictEqual(yield* asked(broken), [event, { _tag: "NoPerson" }])
    })
  )
})

describe("the ids of a request about a call", () => {
  const search = define("search")
  const namesOf = (over: object) => Effect.map(callOf(search, over), SafeEscalation.namesOf)

  it.effect("10.5 are the id that a model gave the call, and the id of its run", () =>
    Effect.gen(function* () {
      const inRun = Effect.provideService(namesOf({ callId: "c1", traceId: "t1" }), CurrentRun, "run-7")
      assert.deepStrictEqual(yield* inRun, { callId: "c1", run: "run-7" })
      assert.deepStrictEqual(yield* namesOf({ callId: "c1", traceId: "t1" }), { callId: "c1" })
    })
  )

  it.effect("10.5 do not include the id of a program's call, which only the guard knows", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* namesOf({ callId: "t1", traceId: "t1" }), {})
    })
  )
})
