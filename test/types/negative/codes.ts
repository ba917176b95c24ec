/** [3.2] Each row of the table of codes must have every column. */
import { ofClass, rows } from "#domain/failure/codes/CodeInfo"

const row = {
  nextStep: "wait",
  status: ofClass,
  saving: "none",
  meaning: "The tide is out.",
  hint: "Wait for the tide.",
  passCondition: ofClass
} as const

const { status: _status, ...withoutStatus } = row
const { passCondition: _passage, ...withoutPassage } = row
const { saving: _saving, ...withoutSaving } = row

export const complete = rows("Transient", { low_tide: row })

// error: Property 'status' is missing in type
export const noStatus = rows("Transient", { low_tide: withoutStatus })

// error: Property 'passCondition' is missing in type
export const noPassage = rows("Transient", { low_tide: withoutPassage })

// error: Property 'saving' is missing in type
export const noSaving = rows("Transient", { low_tide: withoutSaving })
