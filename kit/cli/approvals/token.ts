/** `toolguard approvals token`: makes an approver's token, and the entry that lets it in. */
import * as ApproversList from "effect-toolguard/layers/ApproversList"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { json } from "#kit/cli/console/Flags"

const limit = (name: string, what: string) =>
  Flag.String(name).pipe(Flag.withMetavar("<name>"), Flag.withDescription(what), Flag.atLeast(0))

export const token = Command.make(
  "token",
  {
    name: Argument.String("name").pipe(Argument.withDescription("Whose it is; decisions are kept under this name")),
    tool: limit("tool", "Only this tool's requests; may be given again. Default: all"),
    tenant: limit("tenant", "Only this tenant's requests; may be given again. Default: all"),
    json
  },
  Effect.fnUntraced(function* ({ json, name, tenant, tool }) {
    const { entry, token } = ApproversList.issue({
      name,
      ...(tool.length === 0 ? {} : { tools: tool }),
      ...(tenant.length === 0 ? {} : { tenants: tenant })
    })
    const secret = Redacted.value(token)
    yield* json
      ? Console.log(JSON.stringify({ token: secret, entry }))
      : Console.log(
          [
            `For ${name} alone, shown this once:`,
            `  ${secret}`,
            "For the list in TOOLGUARD_APPROVERS, which holds no secret:",
            `  ${JSON.stringify(entry)}`
          ].join("\n")
        )
  })
).pipe(Command.withShortDescription("Make an approver's token, and the entry that lets it in"))
