/** A process that calls a tool that needs an approval, and prints the outcome: `caller.ts FILE ARGUMENTS`. */
import * as Approval from "#domain/tool/Approval"
import * as ApprovalsSql from "#layers/ApprovalsSql"
import * as EscalationHttp from "#layers/EscalationHttp"
import * as SqliteNode from "#layers/SqliteNode"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { Effect, Layer, Schema } from "effect"

const [filename = "", args = ""] = process.argv.slice(2)

class RefundOrder extends GuardedTool.Service<RefundOrder>()("refund_order", {
  description: "Refunds one order. Writes. Not for partial refunds.",
  access: "destructive",
  parameters: Schema.Struct({ order_id: Schema.String, cents: Schema.Int }),
  success: Schema.Struct({ n: Schema.Int }),
  approval: ({ cents }) => Approval.confirm(`Refund ${cents} cents`)
}) {}

let runs = 0
const store = Layer.provide(ApprovalsSql.layer, SqliteNode.layer({ filename }))
const guard = Guard.layerMemoryWith(
  Layer.provide(EscalationHttp.layer({ publicUrl: "https://agents.example.com" }), store)
)
const handler = RefundOrder.layer(() => Effect.sync(() => ({ n: ++runs })))

const program = Toolbox.make(RefundOrder).answer({ name: "refund_order", arguments: args, callId: "call" })
const answer = await Guard.turn(program, { conversation: "conversation", turn: "turn", tenant: "tenant" }).pipe(
  Effect.provide([guard, handler]),
  Effect.runPromise
)
const { error } = JSON.parse(answer.text) as {
  readonly error?: { readonly code: string; readonly approval_url: string }
}
process.stdout.write(JSON.stringify({ runs, code: error?.code, url: error?.approval_url }))
