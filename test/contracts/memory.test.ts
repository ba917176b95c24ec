/** Runs the contracts of the layers in memory. */
import * as ApproversList from "#layers/ApproversList"
import * as AuthorizerMemory from "#layers/AuthorizerMemory"
import * as BudgetsMemory from "#layers/BudgetsMemory"
import * as CallLogMemory from "#layers/CallLogMemory"
import * as CircuitsMemory from "#layers/CircuitsMemory"
import * as DigestMemory from "#layers/DigestMemory"
import * as EscalationMemory from "#layers/EscalationMemory"
import * as EscalationScripted from "#layers/EscalationScripted"
import * as IdempotencyKeysMemory from "#layers/IdempotencyKeysMemory"
import * as RetryQuotaMemory from "#layers/RetryQuotaMemory"
import * as TurnMemoryMemory from "#layers/TurnMemoryMemory"
import { allow, deny } from "#services/Authorizer"
import { Effect } from "effect"
import { approversContract } from "./Approvers.ts"
import { authorizerContract } from "./Authorizer.ts"
import { budgetsContract } from "./Budgets.ts"
import { writeLookupContract } from "./WriteLookup.ts"
import { callLogContract } from "./CallLog.ts"
import { circuitsContract } from "./Circuits.ts"
import { digestContract } from "./Digest.ts"
import { escalationContract, unreachableContract } from "./Escalation.ts"
import { idempotencyKeysContract } from "./IdempotencyKeys.ts"
import { retryQuotaContract } from "./RetryQuota.ts"
import { turnMemoryContract } from "./TurnMemory.ts"

approversContract("list", (approvers) => {
  const issued = approvers.map((approver) => Effect.runSync(ApproversList.issue(approver)))
  return {
    layer: ApproversList.layer(issued.map(({ entry }) => entry)),
    tokens: issued.map(({ token }) => token)
  }
})
authorizerContract("memory", {
  all: AuthorizerMemory.layer,
  some: AuthorizerMemory.layerWith({
    authorize: ({ tool }) => (tool === "secret_it" ? deny("Not for you.") : allow),
    authorizeArguments: (_, args) => ((args as { readonly q: string }).q === "secret" ? deny("Not for you.") : allow)
  })
})
budgetsContract("memory", BudgetsMemory.layer)
writeLookupContract("memory", BudgetsMemory.layer)
callLogContract("memory", CallLogMemory.layer)
callLogContract("memory, full", CallLogMemory.layerWith({ keep: "full", limit: 12 }))
circuitsContract("memory", CircuitsMemory.layer)
digestContract("memory", DigestMemory.layer)
unreachableContract("memory", EscalationMemory.layer)
unreachableContract("scripted, without answers", EscalationScripted.layer([]))
escalationContract("scripted", () => {
  const script: Array<EscalationScripted.ScriptedAnswer> = []
  return {
    layer: EscalationScripted.layer(script),
    answers: (answer) => Effect.sync(() => void script.push(answer))
  }
})
idempotencyKeysContract("memory", IdempotencyKeysMemory.layer, { isShared: false })
retryQuotaContract("memory", RetryQuotaMemory.layer)
turnMemoryContract("memory", TurnMemoryMemory.layer)
