/** [2.2] A definition accepts only known fields of the right types. */
import { Effect, Option, Schema } from "effect"
import { Approval, type Guard, GuardedTool } from "effect-toolguard"
import { base, Cancel, Count, Search } from "../tools.ts"

// error: This expression is not callable
// error: Type 'MissingSelf' has no call signatures
export class NoSelf extends GuardedTool.Service()("no_self", { ...base, access: "read" }) {}

export class Misspelt extends GuardedTool.Service<Misspelt>()("misspelt", {
  ...base,
  access: "read",
  // error: 'retrys' does not exist in type
  // error: Did you mean to write 'retry'?
  retrys: { attempts: 3 }
}) {}

export class MisspeltTimeout extends GuardedTool.Service<MisspeltTimeout>()("misspelt_timeout", {
  ...base,
  access: "read",
  // error: 'timeoutMillis' does not exist in type
  timeoutMillis: 1000
}) {}

export class WrongAccess extends GuardedTool.Service<WrongAccess>()("wrong_access", {
  ...base,
  // error: Type '"delete"' is not assignable to type 'Access'
  access: "delete"
}) {}

// error: Property 'access' is missing in type
export class NoAccess extends GuardedTool.Service<NoAccess>()("no_access", base) {}

export class WrongDuration extends GuardedTool.Service<WrongDuration>()("wrong_duration", {
  ...base,
  access: "read",
  // error: Type '"2 secs"' is not assignable to type
  timeout: "2 secs"
}) {}

// error: Argument of type '"soon"' is not assignable to parameter of type 'Input'
export const soon = Search.pipe(GuardedTool.timeout("soon"))

export class ServiceSchema extends GuardedTool.Service<ServiceSchema>()("service_schema", {
  ...base,
  access: "read",
  // the cast is enough because only the type of the schema matters here
  // error: Type 'Guard' is not assignable to type 'never'
  parameters: undefined as unknown as Schema.Codec<string, string, Guard>
}) {}

// a lookup must only read, and has three required parts

export class WritingLookup extends GuardedTool.Service<WritingLookup>()("writing_lookup", {
  ...base,
  access: "write",
  reconcile: {
    // error: "A reconcile lookup must only read."
    tool: Cancel,
    arguments: (args) => args,
    found: (result) => Option.some(result)
  }
}) {}

export class HalfLookup extends GuardedTool.Service<HalfLookup>()("half_lookup", {
  ...base,
  access: "write",
  // error: Property 'found' is missing in type
  reconcile: { tool: Search, arguments: ({ customer_id }) => ({ customer_id }) }
}) {}

export class WrongLookup extends GuardedTool.Service<WrongLookup>()("wrong_lookup", {
  ...base,
  access: "write",
  reconcile: {
    tool: Count,
    // error: Type 'number' is not assignable to type 'string'
    arguments: ({ page }) => ({ customer: page }),
    // error: Type 'number' is not assignable to type
    found: (result) => Option.some(result.count)
  }
}) {}

// keys and approvals can read only the tool's arguments

export class WrongKey extends GuardedTool.Service<WrongKey>()("wrong_key", {
  ...base,
  access: "write",
  // error: Type '"order_id"' is not assignable to type '"customer_id" | "page"'
  idempotency: { mode: "derived", fields: ["order_id"] }
}) {}

export class WrongApproval extends GuardedTool.Service<WrongApproval>()("wrong_approval", {
  ...base,
  access: "destructive",
  // error: Property 'cents' does not exist on type
  approval: ({ cents }) => (cents > 1 ? Approval.confirm("A large amount.") : Approval.auto)
}) {}

export class NoSentence extends GuardedTool.Service<NoSentence>()("no_sentence", {
  ...base,
  access: "destructive",
  // error: Type 'boolean' is not assignable to type
  approval: ({ page }) => page > 1
}) {}

export class NoApproval extends GuardedTool.Service<NoApproval>()("no_approval", {
  ...base,
  access: "destructive",
  // error: is not assignable to type
  approval: () => Effect.succeed("confirm")
}) {}

export class KeyedRead extends GuardedTool.Service<KeyedRead>()("keyed_read", {
  ...base,
  access: "read",
  // error: "A read changes nothing: remove `idempotency`."
  idempotency: "derived"
}) {}

export class RepeatedRead extends GuardedTool.Service<RepeatedRead>()("repeated_read", {
  ...base,
  access: "read",
  // error: "A read changes nothing: remove `repeats`."
  repeats: "once"
}) {}

export class ReconciledRead extends GuardedTool.Service<ReconciledRead>()("reconciled_read", {
  ...base,
  access: "read",
  // error: "A read changes nothing: remove `reconcile`."
  reconcile: { tool: Search, arguments: () => ({ customer_id: "" }), found: () => Option.none() }
}) {}
