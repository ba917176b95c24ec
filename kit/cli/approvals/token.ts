/** `toolguard approvals token`: creates a token for an approver, and the entry that admits it. */
import * as ApproversList from "effect-toolguard/layers/ApproversList"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Json from "#kit/cli/console/Json"
import { json } from "#kit/cli/console/Flags"

const limit = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar("<name>"), Flag.withDescription(description), Flag.atLeast(0))

export const token = Command.make(
  "token",
  {
    name: Argument.String("name").pipe(Argument.withDescription("Name of the approver, stored with each decision")),
    tool: limit("tool", "Only requests of this tool; repeatable. Default: all"),
    tenant: limit("tenant", "Only requests of this tenant; repeatable. Default: all"),
    json
  },
  Effect.fnUntraced(function* ({ json, name, tenant, tool }) {
    const { entry, token } = yield* ApproversList.issue({
      name,
      ...(tool.length === 0 ? {} : { tools: tool }),
      ...(tenant.length === 0 ? {} : { tenants: tenant })
    })
    const secret = Redacted.value(token)
    yield* json
      ? Console.log(Json.text({ token: secret, entry }))
      : Console.log(
          [
            `Give this token to ${name} only. It is not shown again:`,
            `  ${secret}`,
            "Add this entry to the list in TOOLGUARD_APPROVERS. It contains no secret:",
            `  ${JSON.stringify(entry)}`
          ].join("\n")
        )
  })
).pipe(Command.withShortDescription("Create a token for an approver, and the entry that admits it"))
