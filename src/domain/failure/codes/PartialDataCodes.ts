/** The codes of `PartialData`: results that are incomplete. */
import { ofClass, rows } from "./CodeInfo.ts"

/** The rows of `PartialData`. */
export const partialDataCodes = rows("PartialData", {
  salvaged: {
    nextStep: "continue",
    status: ofClass,
    saving: "none",
    meaning: "The answer was cut; its complete leading rows were kept.",
    hint: "These rows are complete. Continue with `next` for the rest.",
    passCondition: ofClass
  }
})
