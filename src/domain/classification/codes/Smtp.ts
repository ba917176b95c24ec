/**
 * Replies with which a mail server rejects a message, with an enhanced code (`550 5.1.1`). Source: RFC 5321, RFC 4954.
 */
import { diagnose, type Diagnosis } from "./Diagnosis.ts"

/** Returns the diagnosis of a reply such as `smtp:421`. 530, 534, 535 and 538 are authentication errors. */
export const ofSmtp = (code: string): Diagnosis | undefined => {
  if (code.startsWith("smtp:4")) return diagnose("unavailable")
  if (!code.startsWith("smtp:5")) return undefined
  return /^smtp:53[0458]$/.test(code) ? diagnose("unauthorized") : diagnose("refused")
}
