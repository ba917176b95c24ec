/** [4.4] Decodes the arguments with the tool's schema. Violations become an instruction to the model. */
import * as ArgumentIssues from "#domain/schema/ArgumentIssues"
import * as Enforcement from "#domain/turn/Enforcement"
import * as CallKey from "#domain/call/CallKey"
import * as Fault from "#domain/faults/Fault"
import type { Steps } from "#domain/json/Steps"
import * as LoopLog from "#domain/loop/LoopLog"
import { ownerValues } from "#domain/turn/Turn"
import { Digest } from "#services/Digest"
import { Redactor } from "#services/Redactor"
import * as Effect from "effect/Effect"
import * as Call from "#pipeline/call/Call"
import type { CompiledTool } from "#pipeline/call/CompiledTool"
import { inSteps, isLargeInput } from "#pipeline/call/LargeData"
import { refuse } from "#pipeline/call/Refusal"
import type { Next, Stage } from "#pipeline/call/Stage"

/** The parameter in which a model may pass its own idempotency key. The tool does not receive it [8.1]. */
export const keyField = "idempotency_key"

export const decodeArguments: Stage<Digest | Redactor> = {
  name: "decodeArguments",
  question: "do the arguments match the tool's schema",
  make: Effect.map(Effect.all([Redactor, Digest]), ([redactor, { sha256 }]) => (tool) => (next) => {
    const decoding = decodeWith(tool, next, (value) => redactor.text(value) === value)
    return tool.definition.idempotency.mode === "key" ? (call) => takeKey(call, decoding, sha256) : decoding
  })
}

/** The number of issues of a call that are kept as faults. */
const maxFaults = 5

/** Decodes arguments before `next`. `showValue` returns true if the message may quote a value. */
const decodeWith = (tool: CompiledTool, next: Next, showValue: (value: string) => boolean): Next => {
  const { contract, definition } = tool
  return (call) => {
    const decoded = contract.decode(call.input)
    if (decoded._tag === "Success") {
      const args = decoded.success
      return isLargeInput(call)
        ? Effect.flatMap(inSteps(keyInSteps(tool, args)), (key) => next(withArguments(call, args, () => key)))
        : next(withArguments(call, args, lazyKey(tool, args)))
    }
    const issues = ArgumentIssues.fromIssue(decoded.failure)
    const { fields, text } = ArgumentIssues.instruction(issues, { showValue })
    call.trace.argumentFaults = Fault.ofArguments(issues.slice(0, maxFaults), call.input, definition.parameters.ast)
    if (Enforcement.modeOf(definition.enforce, call.turn) === "advise") {
      Call.advise(call, "decodeArguments", { _tag: "ToolArgError", code: "invalid_arguments", detail: text, fields })
      return next(withArguments(call, call.input, () => CallKey.of(tool.scope, call.input)))
    }
    Call.decide(call, "decodeArguments", "refused", text)
    return Effect.succeed(refuse(call, "invalid_arguments", { detail: text, fields }))
  }
}

const withArguments = (call: Call.Call, args: unknown, key: () => string): Call.Call => {
  call.trace.arguments = args
  call.trace.key = key
  return { ...call, arguments: args, key }
}

const lazyKey = (tool: CompiledTool, args: unknown): (() => string) => {
  let key: string | undefined
  return () => (key ??= CallKey.of(tool.scope, tool.contract.encode(args)))
}

/** Returns the key of large arguments, and lets the loop detector shorten it. */
function* keyInSteps(tool: CompiledTool, args: unknown): Steps<string> {
  const encoded = tool.contract.encode(args)
  yield
  const key = yield* CallKey.inSteps(tool.scope, encoded)
  yield
  yield* LoopLog.remember(key)
  return key
}

/** Takes the idempotency key out of the arguments. */
const takeKey = (call: Call.Call, next: Next, sha256: (text: string) => string) => {
  if (typeof call.input !== "object" || call.input === null || !Object.hasOwn(call.input, keyField)) return next(call)
  const { [keyField]: key, ...rest } = call.input as Record<string, unknown>
  if (typeof key === "string" && key.length >= 16 && key.length <= 200) {
    // a key that a program chose is used unchanged
    const idempotencyKey = call.requester === "program" ? key : keyOfModel(call, key, sha256)
    return next({ ...call, input: rest, idempotencyKey })
  }
  Call.decide(call, "decodeArguments", "refused", "the idempotency key is malformed")
  return Effect.succeed(
    refuse(call, "invalid_arguments", {
      detail: `Please rewrite the input with valid arguments. Errors: ${keyField}: expected a string of 16 to 200 characters`,
      fields: [keyField],
      hint: `Leave ${keyField} out; it is optional.`
    })
  )
}

/**
 * Returns the key of an action from the key that a model chose. Models choose the same key for different actions, such
 * as `voucher-2026-november`, so a chosen key identifies an action only within its conversation [8.3], or within its
 * principal if the tool says so or the host named no conversation. The store of keys and the upstream get only a
 * digest.
 */
const keyOfModel = (call: Call.Call, key: string, sha256: (text: string) => string): string => {
  const { conversation, isAlone, principal, tenant } = call.turn ?? { tenant: "default" }
  const isShared = isAlone === true || call.tool.definition.idempotency.scope === "principal"
  const owner = ownerValues({ tenant, principal, conversation: isShared ? undefined : conversation })
  return `idem_${sha256(JSON.stringify(["key", ...owner, key])).slice(0, 32)}`
}
