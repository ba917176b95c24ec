/** Tools with many kinds of definitions, on which the promises are checked. */
import { Approval } from "#src/index"
import { morePages } from "#src/checks/Checks"
import { entityId } from "#domain/schema/EntityId"
import * as Verdict from "#domain/tool/Verdict"
import { volatile } from "#domain/schema/VolatileField"
import type * as GuardedTool from "#src/tool/GuardedTool"
import { Effect, Option, Schema } from "effect"
import { Category, containers, texts } from "../../support/fieldSchemas.ts"
import { define } from "../../pipeline/support.ts"

const Id = Schema.String.check(Schema.isPattern(/^O-\d{4}$/u))
const Row = Schema.Struct({ id: Id, cents: Schema.Int, at: volatile(Schema.String) })
const order = Schema.Struct({ order_id: Id, cents: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 900 })) })
const done = Schema.Struct({ id: Schema.String, note: Schema.optionalKey(Schema.String) })

const read = (name: string, more: object = {}) => define(name, { parameters: order, success: done, ...more })
const write = (name: string, more: object = {}) => read(name, { access: "write", description: "Writes.", ...more })

const lookup = define("find_it", {
  parameters: Schema.Struct({ key: Schema.String }),
  success: Schema.Struct({ found: Schema.Array(done) })
})

const reconcile = {
  tool: lookup,
  arguments: (_: unknown, key: string) => ({ key }),
  found: ({ found }: { readonly found: ReadonlyArray<typeof done.Type> }) => Option.fromUndefinedOr(found[0])
}

const reconcileByOrder = {
  ...reconcile,
  arguments: ({ order_id }: { readonly order_id: string }) => ({ key: order_id })
}

/** Tools whose names state what is special about their definitions. */
export const tools: ReadonlyArray<GuardedTool.AnyTool> = [
  read("read_plain"),
  read("read_nothing", { parameters: Schema.Struct({}), success: Schema.Null }),
  read("read_void", { success: Schema.Void }),
  read("read_text", { success: Schema.String }),
  read("read_text_as_json", { success: Schema.String, answers: "json" }),
  read("read_bytes", { success: Schema.Uint8Array }),
  read("read_anything", { success: Schema.Json }),
  read("read_number", { success: Schema.Finite }),
  read("read_rows", { success: Schema.Array(Row) }),
  read("read_date", {
    parameters: Schema.Struct({ on: Schema.optionalKey(Id) }),
    success: Schema.Struct({ on: Schema.Date })
  }),
  read("read_union", {
    success: Schema.Union([Schema.Struct({ a: Schema.String }), Schema.Struct({ b: Schema.Int })])
  }),
  read("read_tree", { parameters: Schema.Struct({ root: Category }), success: Category }),
  read("read_many", { parameters: Schema.Struct({ ...containers, ...texts }), success: Schema.Struct(containers) }),
  read("read_pages", {
    success: Schema.Struct({ rows: Schema.Array(Row), more: Schema.Boolean }),
    checks: {
      pages: morePages(({ more }: { readonly more: boolean }) => (more ? { cents: 1 } : undefined)),
      positive: ({ rows }: { readonly rows: ReadonlyArray<typeof Row.Type> }) =>
        rows.every(({ cents }) => cents >= 0) ? Verdict.ok : Verdict.garbage({ code: "negative", detail: "below zero" })
    },
    salvage: { path: "rows", rest: () => ({ more: true }), narrow: "Ask for fewer." }
  }),
  read("read_checked", {
    checks: {
      throws: ({ id }: { readonly id: string }) => {
        if (id.length > 3) throw new Error("the check throws")
        return Verdict.ok
      }
    }
  }),
  read("read_advised", {
    enforce: "advise",
    checks: { never: () => Verdict.garbage({ code: "never", detail: "always wrong" }) }
  }),
  read("read_impatient", { timeout: "100 millis", deadline: "250 millis" }),
  read("read_patient", {
    timeout: "1 minute",
    deadline: "10 minutes",
    retry: { attempts: 8, cap: "1 minute", jitter: "decorrelated" }
  }),
  read("read_short_of_time", {
    timeout: "5 seconds",
    deadline: "7 seconds",
    retry: { attempts: 6, base: "2 seconds", jitter: "full" }
  }),
  read("read_once", { retry: { attempts: 1 }, budget: 1, circuit: false }),
  read("read_frail", { circuit: { minimum: 2, open: "1 second" }, concurrency: 1 }),
  read("read_poll", {
    poll: { interval: "2 seconds", deadline: "1 minute", until: ({ id }: { readonly id: string }) => id.length > 2 }
  }),
  read("read_seen", { parameters: Schema.Struct({ order_id: entityId()(Id) }) }),
  read("read_with_fallbacks", {
    fallbacks: [
      { tool: read("read_cache"), arguments: (args: unknown) => args },
      {
        tool: read("read_archive"),
        arguments: () => {
          throw new Error("the mapping throws")
        }
      }
    ]
  }),
  read("read_critical", { critical: true }),
  write("write_plain"),
  write("write_patient", { timeout: "1 minute", deadline: "10 minutes" }),
  write("write_nothing", { success: Schema.Void }),
  write("write_text", { success: Schema.String }),
  write("write_derived", { idempotency: "derived" }),
  write("write_by_order", { idempotency: { mode: "derived", fields: ["order_id"] } }),
  write("write_keyed", { idempotency: "key" }),
  write("write_honoured", { idempotency: { mode: "derived", upstreamHonoursKey: true }, retry: { attempts: 4 } }),
  write("write_looked_up", { idempotency: "derived", reconcile }),
  write("write_looked_up_without_key", { reconcile: reconcileByOrder, retry: { attempts: 3 } }),
  write("write_salvaged", {
    success: Schema.Struct({ rows: Schema.Array(Row) }),
    salvage: { path: "rows", narrow: "Ask for fewer." }
  }),
  write("write_checked", {
    idempotency: "derived",
    checks: {
      never: ({ id }: { readonly id: string }) =>
        id.length > 2 ? Verdict.garbage({ code: "no", detail: "no" }) : Verdict.ok
    }
  }),
  write("write_with_fallback", {
    idempotency: "derived",
    fallbacks: [{ tool: write("write_other", { idempotency: "derived" }), arguments: (args: unknown) => args }]
  }),
  write("delete_plain", { access: "destructive" }),
  write("delete_asked", {
    access: "destructive",
    idempotency: "derived",
    approval: ({ cents }: { readonly cents: number }) =>
      cents > 400 ? Approval.confirm(`Delete ${cents}`) : Approval.auto
  }),
  write("delete_by_effect", {
    access: "destructive",
    approval: () => Effect.delay(Effect.succeed(Approval.confirm("Delete?")), "1 second")
  }),
  write("delete_broken", { access: "destructive", approval: () => Effect.die("it breaks") })
]
