/** [2.8] A partial verdict must say how to continue, with arguments of the tool. */
import { GuardedTool, morePages, Verdict } from "effect-toolguard"
import { base } from "../tools.ts"

export class Silent extends GuardedTool.Service<Silent>()("silent", {
  ...base,
  access: "read",
  // error: Property 'narrow' is missing in type '{ detail: string; }'
  checks: { more: (result) => (result.has_more ? Verdict.partial({ detail: "There is more." }) : Verdict.ok) }
}) {}

export class Empty extends GuardedTool.Service<Empty>()("empty", {
  ...base,
  access: "read",
  // error: "A partial verdict must say how to continue: `next` contains the arguments that change, or `narrow` says what to make smaller."
  checks: { more: (result) => (result.has_more ? Verdict.partial({ next: {} }) : Verdict.ok) }
}) {}

export class Both extends GuardedTool.Service<Both>()("both", {
  ...base,
  access: "read",
  // error: No overload matches this call
  checks: { more: () => Verdict.partial({ next: { page: 2 }, narrow: "Ask for one month." }) }
}) {}

export class OtherField extends GuardedTool.Service<OtherField>()("other_field", {
  ...base,
  access: "read",
  // error: "`next` contains a field that is not a parameter of this tool: pag"
  checks: { more: (result) => (result.has_more ? Verdict.partial({ next: { pag: 2 } }) : Verdict.ok) }
}) {}

export class OneTooMany extends GuardedTool.Service<OneTooMany>()("one_too_many", {
  ...base,
  access: "read",
  // error: "`next` contains a field that is not a parameter of this tool: cursor"
  checks: { more: morePages((result) => (result.has_more ? { page: 2, cursor: "c" } : undefined)) }
}) {}

export class OtherType extends GuardedTool.Service<OtherType>()("other_type", {
  ...base,
  access: "read",
  // error: Types of property 'page' are incompatible
  // error: Type 'string' is not assignable to type 'number'
  checks: { more: (result) => (result.has_more ? Verdict.partial({ next: { page: "2" } }) : Verdict.ok) }
}) {}
