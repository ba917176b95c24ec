/**
 * Replies with which a mail server rejects a message, with an enhanced code (`550 5.1.1`). Source: RFC 5321, RFC 4954,
 * RFC 3463.
 */
import { diagnose, type Diagnosis } from "./Diagnosis.ts"

/**
 * Enhanced codes: the class, the subject (1 address, 2 mailbox, 3 mail system, 5 protocol, 6 content, 7 policy) and the
 * detail.
 */
const enhanced: ReadonlyArray<readonly [form: RegExp, diagnosis: Diagnosis]> = [
  [/^smtp:[45]\.2\.2$/, diagnose("quota_exceeded")],
  [/^smtp:[45]\.3\.1$/, diagnose("disk_full")],
  [/^smtp:4\./, diagnose("unavailable")],
  [/^smtp:5\.1\.[0-6]$/, diagnose("unknown_reference")],
  [/^smtp:5\.(?:2\.3|3\.4)$/, diagnose("arguments_too_large")],
  [/^smtp:5\.[56]\./, diagnose("invalid_request")],
  [/^smtp:5\.7\.(?:[89]|1[0-4])$/, diagnose("unauthorized")]
]

/** Returns the diagnosis of a reply such as `smtp:421`. 530, 534, 535 and 538 are authentication errors. */
const ofReply = (code: string): Diagnosis | undefined => {
  if (code.startsWith("smtp:4")) return diagnose("unavailable")
  if (!code.startsWith("smtp:5")) return undefined
  return /^smtp:53[0458]$/.test(code) ? diagnose("unauthorized") : diagnose("refused")
}

/** Returns the diagnosis of an enhanced code such as `smtp:5.1.1`, or else of the reply. */
export const ofSmtp = (code: string): Diagnosis | undefined =>
  code.includes(".") ? enhanced.find(([form]) => form.test(code))?.[1] : ofReply(code)
