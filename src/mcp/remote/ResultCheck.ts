/**
 * Checks the results of a remote tool without an output schema: they are searched for hidden failures. A write also
 * fails if its result states a failure in addition to data, as a write of a tool of this process does.
 */
import { flaggedFailureIn } from "#domain/answers/statements/Statement"
import type { Access } from "#domain/tool/Access"
import type { CheckContext } from "#domain/tool/ToolDefinition"
import { unflaggedFailureIn } from "#domain/answers/texts/SoleFailure"
import { answersIn } from "#domain/answers/WrappedAnswers"
import { garbage, type GarbageVerdict, ok, type OkVerdict } from "#domain/tool/Verdict"
import { hidden } from "#src/checks/HiddenVerdict"

const declares = (): boolean => false

/** Returns the checks of a tool. */
export const checksOf = (access: Access) => ({
  hiddenFailure: (result: unknown, context: CheckContext): OkVerdict | GarbageVerdict => {
    const found = unflaggedFailureIn(answersIn(result), context.tool, access)
    if (found !== undefined) return hidden(found.message, found.error)
    if (access === "read") return ok
    const error = flaggedFailureIn(result, { tool: context.tool ?? "", arguments: context.arguments, declares })
    return error === undefined
      ? ok
      : garbage({ code: "hidden_failure", statedFailure: error, detail: error.message, hint: "Ask the user." })
  }
})
