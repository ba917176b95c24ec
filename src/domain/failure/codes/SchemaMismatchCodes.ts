/** The codes of `SchemaMismatch`: answers that violate the tool's contract. */
import { otherToolHint, ofClass, rows } from "./CodeInfo.ts"

/** The rows of `SchemaMismatch`. */
export const schemaMismatchCodes = rows("SchemaMismatch", {
  invalid_result_json: {
    nextStep: "use_other_tool",
    status: ofClass,
    saving: "none",
    meaning: "The tool's answer is text that is not JSON.",
    hint: otherToolHint,
    passCondition: "an answer that is JSON"
  },
  truncated_response: {
    nextStep: "use_other_tool",
    status: ofClass,
    saving: "none",
    meaning: "The transport delivered the whole answer, but its JSON ends early.",
    hint: "The tool's answer is always cut here. Ask for less, use another tool, or tell the user.",
    passCondition: "a complete answer, or `salvage` on the tool"
  },
  invalid_result: {
    nextStep: "use_other_tool",
    status: ofClass,
    saving: "none",
    meaning: "The answer violates the tool's success schema.",
    hint: otherToolHint,
    passCondition: "an answer that matches `success`, or a `success` that accepts this one"
  },
  unexpected_content: {
    nextStep: "use_other_tool",
    status: ofClass,
    saving: "none",
    meaning: "The content of the answer is not of the expected kind, such as an HTML page.",
    hint: otherToolHint,
    passCondition: ofClass
  },
  done_unreadable: {
    nextStep: "stop",
    status: ofClass,
    saving: "none",
    meaning: "The action was done; its answer could not be read.",
    hint: "The action was done; its answer could not be read. Do not call again.",
    passCondition: "nothing, because the action was done; a `success` that accepts its answer would show the answer"
  },
  done_without_result: {
    nextStep: "stop",
    status: ofClass,
    saving: "none",
    meaning: "The action was done; the answer was empty.",
    hint: "The action was done; it sent no result. Do not call again.",
    passCondition:
      "nothing, because the action was done; with a `success` that accepts nothing (`Schema.Void`) the call is a success"
  }
})
