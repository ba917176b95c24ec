/** The codes of `SchemaMismatch`. */
import { ofClass, rows } from "./CodeInfo.ts"

export const schemaMismatchCodes = rows("SchemaMismatch", {
  invalid_result_json: {
    nextStep: "use_other_tool",
    status: ofClass,
    saving: "none",
    meaning: "The tool's answer is text that is not JSON.",
    hint: "The same call will fail again. Use another tool or tell the user.",
    passage: "an answer that is JSON"
  },
  truncated_response: {
    nextStep: "use_other_tool",
    status: ofClass,
    saving: "none",
    meaning: "The answer is complete by its transport but ends in the middle of its JSON.",
    hint: "The tool's answer is always cut here. Ask for less, use another tool, or tell the user.",
    passage: "a whole answer, or `salvage` on the tool"
  },
  invalid_result: {
    nextStep: "use_other_tool",
    status: ofClass,
    saving: "none",
    meaning: "The answer breaks the tool's success schema.",
    hint: "The same call will fail again. Use another tool or tell the user.",
    passage: "an answer that keeps `success`, or a `success` that takes this one"
  },
  unexpected_content: {
    nextStep: "use_other_tool",
    status: ofClass,
    saving: "none",
    meaning: "The answer is of another kind than promised, such as an HTML page.",
    hint: "The same call will fail again. Use another tool or tell the user.",
    passage: ofClass
  },
  done_unreadable: {
    nextStep: "stop",
    status: ofClass,
    saving: "none",
    meaning: "The action was done; its answer could not be read.",
    hint: "The action was done; its answer could not be read. Do not call again.",
    passage: "nothing: it was done; a `success` schema that its answer keeps would have shown it"
  }
})
