/**
 * Defines, for each code of the guard that a model's call can provoke, a tool and calls. The last call fails with the code.
 * Only handlers, people and an unavailable store are stubbed.
 */
import type { FailureCode } from "#domain/failure/FailureCode"
import { entityId } from "#domain/schema/EntityId"
import * as EscalationScripted from "#layers/EscalationScripted"
import * as GracefulShutdown from "#layers/GracefulShutdown"
import * as HaltsMemory from "#layers/HaltsMemory"
import { Drain } from "#services/Drain"
import { Halts } from "#services/Halts"
import { IdempotencyKeys, IdempotencyKeysUnavailable } from "#services/IdempotencyKeys"
import { Effect, Layer, Schema } from "effect"
import { brokenBody, response, tool } from "./support.ts"

/** How a code is provoked. The last call fails with the code; earlier calls may do so too. */
export interface Provocation {
  readonly made: ReturnType<typeof tool>
  /** The arguments of the calls, as texts. */
  readonly calls: ReadonlyArray<string>
  /** The name that the last call uses. Default: the name of the tool. */
  readonly name?: string
  /** Services of the guard. */
  readonly services?: Layer.Layer<any>
  /** Runs before the calls. */
  readonly before?: Effect.Effect<unknown, unknown, any>
  /** True if the calls are made at the same time. */
  readonly isConcurrent?: true
}

const a = '{"q":"a"}'

/** Returns a call of a read whose handler gives this answer. */
const read = (answer: unknown, definition: object = {}): Provocation => ({
  made: tool("search", { retry: { attempts: 1 }, ...definition }, answer),
  calls: [a]
})
const write = (answer: unknown, definition: object = {}): Provocation => ({
  made: tool("write_it", { access: "write", ...definition }, answer),
  calls: [a]
})
const coded = (code: string, message = code) => Effect.fail(Object.assign(new Error(message), { code }))
const said = (message: string) => Effect.fail(new Error(message))
const people = (...answers: ReadonlyArray<EscalationScripted.ScriptedAnswer>): Pick<Provocation, "services"> => ({
  services: EscalationScripted.layer(answers)
})
const args = (provocation: Provocation, ...calls: ReadonlyArray<string>): Provocation => ({ ...provocation, calls })

const key = '"idempotency_key":"0123456789abcdef"'
const destructive = { access: "destructive" }
const rows = Schema.Struct({ rows: Schema.Array(Schema.Int), isWhole: Schema.Boolean })
const noKeys = Layer.succeed(IdempotencyKeys, {
  find: () => Effect.fail(new IdempotencyKeysUnavailable({ cause: new Error("connect ECONNREFUSED") })),
  claim: () => Effect.succeed({ _tag: "Claimed", owner: "me", lapsed: undefined }),
  complete: () => Effect.succeed(true),
  release: () => Effect.succeed(true),
  leave: () => Effect.void
} as never)

/** The drain of a process that is shutting down. */
const drained: Layer.Layer<any> = Layer.effect(
  Drain,
  Effect.tap(GracefulShutdown.make(), ({ drain }) => drain)
) as Layer.Layer<any>

/** The provocations, by code. */
export const provocations: Partial<Record<FailureCode, () => Provocation>> = {
  unknown_tool: () => ({ ...read({ n: 1 }), name: "serch" }),
  invalid_json: () => args(read({ n: 1 }), "{bad"),
  truncated_arguments: () => args(read({ n: 1 }), '{"q":"a'),
  arguments_too_large: () => args(read({ n: 1 }, { limits: { argumentBytes: 20 } }), `{"q":"${"x".repeat(50)}"}`),
  invalid_arguments: () => args(read({ n: 1 }), '{"q":1}'),
  unseen_id: () => read({ n: 1 }, { parameters: Schema.Struct({ q: Schema.String.pipe(entityId()) }) }),
  key_conflict: () => args(write({ n: 1 }, { idempotency: "key" }), `{"q":"a",${key}}`, `{"q":"b",${key}}`),
  invalid_request: () => read(response(422, "")),
  unknown_reference: () => args(read(coded("42P01", 'relation "orders" does not exist')), '{"q":"orders"}'),
  conflicting_value: () => read(response(409, "")),
  invalid_result_json: () => read(response(200, "nope")),
  truncated_response: () => read(response(200, '{"n":')),
  invalid_result: () => read(response(200, '{"n":"one"}')),
  unexpected_content: () => read(response(200, "<!doctype html><html></html>")),
  done_unreadable: () => write(response(200, '{"n":"one"}')),
  done_without_result: () => write(response(204)),
  salvaged: () =>
    read('{"rows":[1,2,', {
      success: rows,
      salvage: { path: "rows", rest: () => ({ isWhole: false }), narrow: "Ask for fewer rows." }
    }),
  rate_limited: () => read(response(429, "", { "retry-after": "120" })),
  timeout: () => read(Effect.never),
  connection_failed: () => read(coded("ECONNREFUSED")),
  connection_lost: () => read(coded("ECONNRESET")),
  body_cut: () => read(Effect.sync(() => response(200, brokenBody('{"n":')))),
  unavailable: () => read(response(503, "")),
  lock_conflict: () => read(coded("40P01")),
  circuit_open: () => args(read(coded("ECONNREFUSED")), ...["b", "c", "d", "e", "f", "g"].map((q) => `{"q":"${q}"}`)),
  busy: () => ({
    ...args(
      read(Effect.uninterruptible(Effect.never), { concurrency: 1, timeout: "10 seconds", deadline: "10 seconds" }),
      '{"q":"b"}',
      a
    ),
    isConcurrent: true
  }),
  shutting_down: () => ({ ...read({ n: 1 }), services: drained }),
  in_progress: () => ({ ...args(write(Effect.never), a, a), isConcurrent: true }),
  temporary_failure: () => read(said("Unable to fetch weather data")),
  retry_budget_exceeded: () => args(read(response(503, "", { "retry-after": "60" })), a, a),
  out_of_memory: () => read(coded("ENOMEM")),
  disk_full: () => read(coded("ENOSPC")),
  too_many_open: () => read(coded("EMFILE")),
  context_limit: () => read(coded("context_length_exceeded")),
  quota_exceeded: () => read(coded("insufficient_quota")),
  limit_exceeded: () => read(coded("54000")),
  unauthorized: () => read(response(401, "")),
  permission_denied: () => read(said("Permission denied")),
  missing_software: () => read(said("bash: pandoc: command not found")),
  misconfigured: () => read(coded("EACCES")),
  not_found: () => read(response(404, "")),
  wrong_state: () => read(said("The ticket is already closed")),
  unsupported: () => read(response(501, "")),
  refused: () => read(response(451, "")),
  tool_crashed: () => read(Effect.die(new Error("boom"))),
  tool_failed: () => read(said("hm")),
  halted: () => ({
    ...write({ n: 1 }),
    services: Layer.fresh(HaltsMemory.layer),
    before: Effect.flatMap(Halts, (halts) => halts.halt({ tool: "write_it", by: "ana", reason: "refunds are doubled" }))
  }),
  response_too_large: () => read(response(200, `{"n":${"1".repeat(2_000)}}`), { limits: { resultBytes: 1_000 } }),
  store_unavailable: () => ({ ...write({ n: 1 }, { idempotency: "derived" }), services: noKeys }),
  requires_human_approval: () => ({ ...write({ n: 1 }, destructive), ...people("pending") }),
  approval_denied: () => ({ ...write({ n: 1 }, destructive), ...people("deny") }),
  answered_by_person: () => ({ ...write({ n: 1 }, destructive), ...people({ answer: "Use staging." }) }),
  approval_expired: () => ({ ...write({ n: 1 }, destructive), ...people("expire") }),
  no_person: () => ({ ...write({ n: 1 }, destructive), ...people() }),
  review_requested: () => read({ error: "REQUIRES_HUMAN_APPROVAL", human_review: true }),
  outcome_unknown: () => write(Effect.never),
  loop_detected: () => ({ ...args(read({ n: 1 }), a, a, a, a), ...people("deny") })
}

/** The codes that no call of a model can provoke, with the reasons. */
export const unprovoked: Partial<Record<FailureCode, string>> = {
  interrupted: "An interrupted call returns no answer. The agent loop and the record of the call use the code.",
  run_budget_exceeded: "No stage uses the code: a run that has spent its budget ends with `LimitReached`."
}
