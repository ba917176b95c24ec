/** [4.10] A check can read only the fields of its tool, and must return a verdict. */
import { countAgainstLimit, echoed, emptyFirstPage, GuardedTool, morePages, nonEmpty, Verdict } from "effect-toolguard"
import { base, Count } from "../tools.ts"

export class WrongField extends GuardedTool.Service<WrongField>()("wrong_field", {
  ...base,
  access: "read",
  // error: Property 'hasMore' does not exist on type
  checks: { more: (result) => (result.hasMore ? Verdict.ok : Verdict.garbage({ code: "a", detail: "b" })) }
}) {}

export class WrongArgument extends GuardedTool.Service<WrongArgument>()("wrong_argument", {
  ...base,
  access: "read",
  // error: Property 'customer' does not exist on type
  checks: { same: (_, context) => (context.arguments.customer === "" ? Verdict.ok : Verdict.ok) }
}) {}

const foreign = (result: { readonly total: number }) => (result.total > 0 ? Verdict.ok : Verdict.ok)
export class Foreign extends GuardedTool.Service<Foreign>()("foreign", {
  ...base,
  access: "read",
  // error: Property 'total' is missing in type
  checks: { foreign }
}) {}

export class NoVerdict extends GuardedTool.Service<NoVerdict>()("no_verdict", {
  ...base,
  access: "read",
  // error: Type 'boolean' is not assignable to type 'VerdictFor<
  checks: { more: (result) => result.has_more }
}) {}

export class NoDetail extends GuardedTool.Service<NoDetail>()("no_detail", {
  ...base,
  access: "read",
  // error: Property 'detail' is missing in type '{ code: string; }'
  checks: { sound: () => Verdict.garbage({ code: "unsound" }) }
}) {}

export class List extends GuardedTool.Service<List>()("list", {
  ...base,
  access: "read",
  // error: is not assignable to type
  checks: [() => Verdict.ok]
}) {}

export class ReadyMade extends GuardedTool.Service<ReadyMade>()("ready_made", {
  ...base,
  access: "read",
  checks: {
    // error: Property 'items' does not exist on type
    empty: emptyFirstPage((result) => result.items),
    same: echoed(
      // error: Property 'id' does not exist on type
      (args) => args.id,
      (result) => result.page
    ),
    // error: Property 'total' does not exist on type
    more: morePages((result) => (result.total > 1 ? { page: 2 } : undefined)),
    // error: Property 'list' does not exist on type
    some: nonEmpty((result) => result.list)
  }
}) {}

export class NoPage extends GuardedTool.Service<NoPage>()("no_page", {
  ...base,
  access: "read",
  success: Count.success,
  // error: is missing the following properties from type '{ readonly page: number; readonly has_more: boolean; }': page, has_more
  checks: { empty: emptyFirstPage(() => []) }
}) {}

export class NoContinuation extends GuardedTool.Service<NoContinuation>()("no_continuation", {
  ...base,
  access: "read",
  // error: Property 'narrow' is missing in type
  checks: { all: countAgainstLimit({ items: (result) => result.orders, limit: 10 }) }
}) {}
