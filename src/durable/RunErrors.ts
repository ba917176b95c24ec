/** The errors of operations on a durable run. */
import * as Schema from "effect/Schema"

/** No run has this id: it was never started, or it was forgotten. */
export class UnknownRun extends Schema.TaggedError<UnknownRun>("effect-toolguard/UnknownRun")("UnknownRun", {
  agent: Schema.String,
  tenant: Schema.String,
  principal: Schema.optionalKey(Schema.String),
  run: Schema.String
}) {
  override get message(): string {
    return `The agent ${this.agent} has no run ${JSON.stringify(this.run)} of the tenant ${JSON.stringify(this.tenant)}${
      this.principal === undefined ? " without a principal" : ` and the principal ${JSON.stringify(this.principal)}`
    }. Start it, or name its tenant and principal.`
  }
}

/** A run that has not ended cannot be forgotten. Cancel it, wait for its end, and forget it then. */
export class RunNotEnded extends Schema.TaggedError<RunNotEnded>("effect-toolguard/RunNotEnded")("RunNotEnded", {
  run: Schema.String
}) {
  override get message(): string {
    return `The run ${JSON.stringify(this.run)} has not ended. Cancel it, and forget it after its end.`
  }
}
