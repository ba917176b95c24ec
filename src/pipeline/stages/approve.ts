/**
 * [4.8, 10] Asks a person before a call runs, if the tool or the escalation policy requires it.
 *
 * **Details**
 *
 * - A decision is bound to a digest of tenant, conversation, tool, canonical arguments and contract.
 * - A denial, or an answer in words, is remembered for the turn.
 * - A tool's `approval` replaces the default policy. If a policy is configured, the stricter of the two levels applies,
 *   unless the `approval` is marked by `weaken`.
 * - An `approval` that throws, fails or exceeds the attempt's timeout counts as `confirm`.
 */
import * as Incident from "#domain/approval/Incident"
import * as PersonAnswer from "#domain/approval/PersonAnswer"
import * as ShownCall from "#domain/approval/ShownCall"
import type { Approval } from "#domain/tool/Approval"
import { type PolicyDecision, isLevel, type Level, strictest, strictestAnswer } from "#domain/tool/EscalationPolicy"
import type { FailedOutcome, Outcome } from "#domain/call/Outcome"
import { names } from "#domain/tool/PolicySources"
import * as SharedApproval from "#domain/tool/SharedApproval"
import type { ToolDefinition } from "#domain/tool/ToolDefinition"
import { conversationKey } from "#domain/turn/Turn"
import * as TurnHistory from "#domain/turn/TurnHistory"
import { Digest } from "#services/Digest"
import { Escalation, type EscalationAnswer } from "#services/Escalation"
import { EscalationPolicy } from "#services/Policies"
import { Redactor } from "#services/Redactor"
import { TurnMemory } from "#services/TurnMemory"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Call from "#pipeline/call/Call"
import type { CompiledTool } from "#pipeline/call/CompiledTool"
import { refuseDrained } from "#pipeline/call/DrainedCall"
import * as Crash from "#pipeline/call/Crash"
import { configuredPolicyOf, policyOf } from "#pipeline/call/GuardPolicies"
import * as SafeEscalation from "#pipeline/call/SafeEscalation"
import { refuse } from "#pipeline/call/Refusal"
import type { Next, Stage } from "#pipeline/call/Stage"

export const approve: Stage<Digest | Escalation | Redactor | TurnMemory> = {
  name: "approve",
  question: "does a person approve",
  make: Effect.gen(function* () {
    const { sha256 } = yield* Digest
    const escalation = yield* Escalation
    const memory = yield* TurnMemory
    const redactor = yield* Redactor
    return (tool) => (next) => {
      const { definition, contract } = tool
      const ask = (call: Call.Call, approval: Question): Effect.Effect<Outcome> =>
        Effect.gen(function* () {
          const { turn } = call
          const conversation = turn === undefined ? call.traceId : conversationKey(turn)
          const binding = bindingOf(sha256, conversation, call.key(), tool)
          const original = contract.encode(call.arguments)
          const redacted = redactor.data(original)
          const shown = ShownCall.make(original, redacted)
          if (shown === undefined) return tooLarge(call, approval.level)
          const request = {
            level: approval.level,
            reason: "approval",
            tool: definition.id,
            sentence: ShownCall.sentenceOf(approval.sentence, redactor.text(approval.sentence)),
            guidance: approval.level === "inform" ? Incident.announced(definition.id) : Incident.approval,
            arguments: redacted,
            shown: shown.text,
            hidden: shown.hidden,
            ...(shown.revealed === undefined ? {} : { revealed: Redacted.make(shown.revealed) }),
            binding,
            turn,
            traceId: call.traceId,
            ...SafeEscalation.namesOf(call)
          }
          if (approval.level === "inform") {
            yield* SafeEscalation.inform(escalation, request)
            return yield* next(call)
          }
          const denial =
            turn && (yield* memory.modifyTurn(turn, (history) => [TurnHistory.denial(history, binding), history]))
          if (denial !== undefined) {
            Call.decide(call, "approve", "denied", "a person denied or answered this call earlier in this turn")
            return { _tag: "Failure", failure: denial, recalled: true, remaining: 0 } as const
          }
          const answer = yield* SafeEscalation.ask(escalation, call, request)
          if (answer._tag === "Drained") {
            const detail = `${call.name} was waiting for a person when the process began to shut down; it was not made.`
            return refuseDrained(call, "approve", detail)
          }
          if ((answer._tag === "Denied" || answer._tag === "Answered") && turn !== undefined) {
            const { failure: denied } = answer._tag === "Denied" ? refusedBy(call, answer) : answeredBy(call, answer)
            yield* memory.modifyTurn(turn, (history) => [undefined, TurnHistory.denied(history, binding, denied)])
          }
          const explanation =
            approval.explanation === undefined ? "" : ShownCall.sentenceOf(redactor.text(approval.explanation))
          return yield* act(call, next, approval, answer, explanation)
        })
      const askPerson = (call: Call.Call, approval: Question): Effect.Effect<Outcome> =>
        approval.level === "auto" ? next(call) : ask(call, approval)
      const levelOf = levelByPolicy(definition)
      const asks = questionOf(definition, levelOf)
      return (call) => {
        if (call.wasStarted) return next(call)
        const approval = asks(call, () => contract.encode(call.arguments))
        return "level" in approval
          ? askPerson(call, raised(call, approval))
          : Effect.flatMap(approval, (it) => askPerson(call, raised(call, it)))
      }
    }
  })
}

/** Refuses a call that is too large for a person to read completely. No person is asked about it. */
const tooLarge = (call: Call.Call, level: Level): Outcome => {
  const need = level === "inform" ? "A person must be informed of this call" : `${call.name} needs a person's approval`
  Call.decide(call, "approve", "refused", "its arguments are too large to show to a person")
  return refuse(call, "arguments_too_large", {
    detail: `${need}, and its arguments exceed 64 KB, which is too much to show to a person.`,
    hint: "Send less in one call, or split it into several calls."
  })
}

/** Returns the digest that binds a decision to one call, of one tool, in one conversation. */
export const bindingOf = (
  sha256: (text: string) => string,
  conversation: string,
  key: string,
  { fingerprint }: CompiledTool
): string => sha256(JSON.stringify([conversation, key, fingerprint]))

/** The question for a person. `crash` is the error of the policy or function that should have decided the level. */
interface Question extends Approval, PolicyDecision {
  /** The sentence of the tool's `approval`, which the model reads too; absent if `sentence` is the tool's description. */
  readonly explanation?: string
}

const raised = (call: Call.Call, approval: Question): Question =>
  call.confirm === undefined
    ? approval
    : {
        ...approval,
        level: strictest(approval.level, "confirm"),
        sentence: `${approval.sentence} ${call.confirm}`.trim()
      }

const sentenceOf = ({ description, name }: ToolDefinition): string => `${name}: ${description}`

/**
 * Returns a function that asks the call's policy for the level of this tool, at each call, because the answer may
 * change.
 */
const levelByPolicy =
  ({ access, critical, name }: ToolDefinition) =>
  (call: Call.Call): PolicyDecision =>
    Crash.askPolicy(call, "approve", policyOf(call, EscalationPolicy), {
      _tag: "CallRequested",
      tool: name,
      access,
      critical
    })

/** A question, or an effect that returns it. */
type QuestionSource = Question | Effect.Effect<Question>

/** Returns a function that decides a call's level by the escalation policy, the tool's `approval`, and shared ones. */
const questionOf = (definition: ToolDefinition, levelOf: (call: Call.Call) => PolicyDecision) => {
  const { policy, own, shared } = SharedApproval.decidingOf(definition.approval, definition.sharedApprovals)
  const sentence = sentenceOf(definition)
  if (policy && !own && shared.length === 0) return (call: Call.Call) => ({ ...levelOf(call), sentence })
  return (call: Call.Call, encoded: () => unknown): QuestionSource => {
    // the tool's own approval replaces the default policy
    const byPolicy = policy && (!own || configuredPolicyOf(call, EscalationPolicy) !== undefined)
    const byAll: ReadonlyArray<QuestionSource> = [
      ...(own ? [decided(call, definition, "the tool's `approval`", definition.approval, () => call.arguments)] : []),
      ...shared.map(({ approval, source }) =>
        decided(call, definition, `the \`approval\` of the ${names[source]}`, approval, () => ({
          tool: definition.name,
          arguments: encoded()
        }))
      ),
      ...(byPolicy ? [{ ...levelOf(call), sentence }] : [])
    ]
    return byAll.reduce(stricter)
  }
}

/** Returns the stricter question, the first on a tie. If it has no sentence for the model, it gets the other's. */
const stricter = (self: QuestionSource, that: QuestionSource): QuestionSource => {
  if (!("level" in self)) return Effect.flatMap(self, (it) => toEffect(stricter(it, that)))
  if (!("level" in that)) return Effect.map(that, (it) => strictestOf(self, it))
  return strictestOf(self, that)
}

const toEffect = (asked: QuestionSource): Effect.Effect<Question> => ("level" in asked ? Effect.succeed(asked) : asked)

const strictestOf = (self: Question, that: Question): Question => {
  const answer = strictestAnswer(self, that)
  const [first, second] = answer.level === self.level ? [self, that] : [that, self]
  const said = first.explanation === undefined || first.explanation === "" ? second : first
  const { sentence, explanation } = said.explanation === undefined || said.explanation === "" ? first : said
  return { ...answer, sentence: sentence || second.sentence, ...(explanation === undefined ? {} : { explanation }) }
}

/** Evaluates one approval: a level, or a function of `subject`. If the function fails, the level is `confirm`. */
const decided = (
  call: Call.Call,
  definition: ToolDefinition,
  what: string,
  approval: Level | ((subject: never) => unknown) | undefined,
  subject: () => unknown
): QuestionSource => {
  const sentence = sentenceOf(definition)
  if (typeof approval !== "function") return { level: approval ?? "auto", sentence }
  const broken = (error: unknown): Question => {
    Crash.note(call, "approve", what, error)
    return { level: "confirm", sentence, crash: { error } }
  }
  const checked = (answer: unknown): Question =>
    isApproval(answer) ? { ...answer, explanation: answer.sentence } : broken("it returned no level or no sentence")
  const late = Effect.sync(() => broken("it exceeded the attempt's timeout"))
  try {
    // the caller pairs each function with its subject
    const answer: unknown = approval(subject() as never)
    if (!Effect.isEffect(answer)) return checked(answer)
    // @effect-diagnostics-next-line unsafeEffectTypeAssertion:off -- the definition allows no other effect
    const working = Effect.map(answer as Effect.Effect<unknown, unknown>, checked)
    const inTime = Effect.timeoutOrElse(working, { duration: definition.attemptMillis, orElse: () => late })
    return Effect.catchCause(inTime, (cause) => Effect.succeed(broken(Cause.squash(cause))))
  } catch (error) {
    return broken(error)
  }
}

const isApproval = (answer: unknown): answer is Approval =>
  typeof answer === "object" &&
  answer !== null &&
  "level" in answer &&
  isLevel(answer.level) &&
  "sentence" in answer &&
  typeof answer.sentence === "string"

const deniedBy = (answer: Extract<EscalationAnswer, { _tag: "Denied" }>): string =>
  answer.reason === "" ? `${answer.by} denied this call.` : `${answer.by} denied this call: ${answer.reason}`

/** Returns the outcome of a call that a person denied. */
const refusedBy = (call: Call.Call, answer: Extract<EscalationAnswer, { _tag: "Denied" }>): FailedOutcome =>
  refuse(call, "approval_denied", { detail: deniedBy(answer) })

/** Returns the outcome of a call that a person answered in words. */
const answeredBy = (call: Call.Call, answer: PersonAnswer.PersonAnswer): FailedOutcome =>
  refuse(call, "answered_by_person", { detail: PersonAnswer.detailOf(answer) })

/** Returns a note for the record if the masked parts of the arguments were revealed before the decision. */
const sawOf = ({ isRevealed }: { readonly isRevealed?: boolean }): string =>
  isRevealed === true ? " (the masked parts of its arguments were revealed)" : ""

/** Returns a sentence that ends with a full stop, a question mark, an exclamation mark or an ellipsis. */
const withFullStop = (sentence: string): string => (/[.?!…]$/u.test(sentence) ? sentence : `${sentence}.`)

/**
 * Acts on a person's answer. `explanation` is the sentence of the tool's `approval` for the model; empty if there is
 * none.
 */
const act = (
  call: Call.Call,
  next: Next,
  { crash }: Question,
  answer: EscalationAnswer,
  explanation: string
): Effect.Effect<Outcome> => {
  const because = crash === undefined ? "" : ", because its policy crashed"
  const needed = `${call.name} needs a person's approval${because}${explanation === "" ? "." : `: ${withFullStop(explanation)}`}`
  const cause = crash?.error
  switch (answer._tag) {
    case "Approved":
      Call.decide(call, "approve", "approved", `by ${answer.by}${sawOf(answer)}`)
      return next(answer.consume === undefined ? call : { ...call, consume: answer.consume })
    case "Denied":
      Call.decide(call, "approve", "denied", `${deniedBy(answer)}${sawOf(answer)}`)
      return Effect.succeed(refusedBy(call, answer))
    case "Answered":
      Call.decide(call, "approve", "answered", `${PersonAnswer.detailOf(answer)}${sawOf(answer)}`)
      return Effect.succeed(answeredBy(call, answer))
    case "Pending":
      Call.decide(call, "approve", "pending", "a person has been asked")
      return Effect.succeed(
        refuse(call, "requires_human_approval", {
          detail: `${needed} The approval has been requested.`,
          approvalUrl: answer.approvalUrl,
          cause
        })
      )
    case "Expired":
      Call.decide(call, "approve", "expired", "no decision was made in time")
      return Effect.succeed(refuse(call, "approval_expired", { detail: "No decision was made in time." }))
    case "NoPerson":
      Call.decide(call, "approve", "refused", "no person can be reached")
      return Effect.succeed(refuse(call, "no_person", { detail: `${needed} No person can be reached.`, cause }))
  }
}
