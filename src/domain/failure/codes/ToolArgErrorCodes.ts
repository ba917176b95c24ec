/** The codes of `ToolArgError`: calls that the model must correct. */
import { ofClass, rows } from "./CodeInfo.ts"

/** The rows of `ToolArgError`. */
export const toolArgErrorCodes = rows("ToolArgError", {
  unknown_tool: {
    nextStep: "fix_arguments",
    status: 404,
    saving: "none",
    meaning: "No tool has the name that the model called.",
    hint: "Call one of the tools that exist.",
    passCondition: "the name of a tool that exists"
  },
  invalid_json: {
    nextStep: "fix_arguments",
    status: 400,
    saving: "none",
    meaning: "The arguments are text that is not JSON.",
    hint: "Send the arguments again as one valid JSON object.",
    passCondition: "arguments that are one valid JSON object"
  },
  truncated_arguments: {
    nextStep: "fix_arguments",
    status: 400,
    saving: "none",
    meaning: "The arguments end too early: the model's output was cut off.",
    hint: "Your output was cut. Send the arguments in smaller parts.",
    passCondition: "complete arguments: shorter ones, or a higher output limit of the model"
  },
  arguments_too_large: {
    nextStep: "fix_arguments",
    status: 413,
    saving: "none",
    meaning: "The arguments exceed the size or depth limit of the guard.",
    hint: "Send smaller, flatter arguments.",
    passCondition: "smaller, flatter arguments"
  },
  invalid_arguments: {
    nextStep: "fix_arguments",
    status: ofClass,
    saving: "none",
    meaning: "The arguments violate the tool's parameters schema.",
    hint: "Correct the named fields and call again.",
    passCondition: 'arguments that match the schema, or a schema that accepts these (or `enforce: "advise"`)'
  },
  unseen_id: {
    nextStep: "fix_arguments",
    status: ofClass,
    saving: "none",
    meaning: "An entity id appears nowhere in the conversation.",
    hint: "Look the id up first; do not invent one.",
    passCondition: "an id that appears in the conversation, from the user or an earlier result"
  },
  key_conflict: {
    nextStep: "fix_arguments",
    status: ofClass,
    saving: "none",
    meaning: "The idempotency key was used before with other arguments.",
    hint: "Use the arguments of the first call, or a new key for a new action.",
    passCondition: "a new idempotency key, or the arguments that the key was first used with"
  },
  invalid_request: {
    nextStep: "fix_arguments",
    status: ofClass,
    saving: "none",
    meaning: "The upstream rejected the request as invalid (400, 422 …).",
    hint: "Correct the arguments as the message says and call again.",
    passCondition: ofClass
  },
  unknown_reference: {
    nextStep: "fix_arguments",
    status: 404,
    saving: "none",
    meaning: "The arguments name something that does not exist (id, path, table, branch).",
    hint: "Check the name, or list what exists first.",
    passCondition: ofClass
  },
  conflicting_value: {
    nextStep: "fix_arguments",
    status: 409,
    saving: "none",
    meaning: "A value conflicts with stored data (unique key, constraint).",
    hint: "Choose another value, or read the existing one first.",
    passCondition: ofClass
  }
})
